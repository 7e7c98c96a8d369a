/* Single cases with closed forms; and random models with contacts, and the laws that hold at every step of every one of them: nothing pulls, nothing
 * overlaps, friction stays within its cone, energy falls, and the run ends. Only what channels tell is looked at.
 *
 * TENON_CONTACT_MODELS=N takes N models in place of 2000, TENON_CONTACT_FIRST=K begins with the model K and shows all that
 * fail, TENON_CONTACT_SEED=K takes only the model K, which is printed. */
#include "contact_models.h"
#include "event_runs.h"
#include "unilaterals.h"
#include "session_impl.h"

#ifdef TENON_SANITIZED
enum { MODELS = 30 };
#else
enum { MODELS = 500 };         /* make campaign takes more */
#endif
enum { MOST_CONTACTS = 16, SHOWN = 10 };

/* Part of the largest force of the run so far: less is round-off of what presses. */
static const double FORCE_NOISE = 1e-7;
/* m: where contacts were stepped in time, a corner may press in a step in which it slides past the end of an edge. */
static const double HELD_DISTANCE = 1e-6;
/* m: the exact method stays below 1e-8, the first-order one for crowded changes puts overlaps right. */
static const double MOST_OVERLAP = 1e-7;
/* Part of the largest energy that an exact step may add: integrators have a tolerance of 1e-8. */
static const double ENERGY_NOISE = 1e-6;

typedef struct watch {
    const contact_model *model;
    tn_session *session;
    tn_readout *readout;
    int count, width;          /* contacts; numbers of each: normal, gap, closed, force */
    double energy, largest_energy, largest_force;
    char wrong[240];           /* what was wrong first; empty: nothing */
} watch;

static void note(watch *w, int contact, const char *what, double is, double bound)
{
    if (!w->wrong[0])
        snprintf(w->wrong, sizeof w->wrong, "c%d at t = %.9g s: %s: %.6g, bound %.6g", contact,
                 tn_session_time(w->session), what, is, bound);
}

static void check_contact(watch *w, int contact, const double *x)
{
    int dimension = w->width - 3;
    double normal = x[0], gap = x[1], square = 0, room;
    for (int k = 0; k < dimension; k++)
        square += x[3 + k] * x[3 + k];
    w->largest_force = fmax(w->largest_force, fmax(fabs(normal), sqrt(square)));
    room = FORCE_NOISE * w->largest_force;
    if (!isfinite(normal) || !isfinite(square))
        note(w, contact, "force is not finite", normal, 0);
    if (normal < -room)
        note(w, contact, "pulls (N)", normal, -room);
    if (x[2] == 0 && normal != 0)
        note(w, contact, "presses though it is open (N)", normal, 0);
    if (gap < -MOST_OVERLAP)
        note(w, contact, "overlap (m)", gap, -MOST_OVERLAP);
    double distance = tn_session_summary(w->session).holds > 0 ? HELD_DISTANCE : MOST_OVERLAP;
    if (x[2] > 0 && gap > distance)
        note(w, contact, "is closed at a distance (m)", gap, distance);
    if (!w->model->one_plane)
        return;
    double tangential = sqrt(fmax(square - normal * normal, 0)), most = w->model->friction * normal;
    if (tangential > most + sqrt(FORCE_NOISE) * fabs(normal) + room)
        note(w, contact, "friction outside of its cone (N)", tangential, most);
}

static void check_energy(watch *w)
{
    tn_summary s = tn_session_summary(w->session);
    w->largest_energy = fmax(w->largest_energy, fmax(fabs(s.energy_end), s.energy_peak));
    double room = ENERGY_NOISE * w->largest_energy;
    if (!w->model->driven && s.energy_end > w->energy + room)
        note(w, -1, "energy rises (J)", s.energy_end - w->energy, room);
    if (s.energy_error > 100 * room)
        note(w, -1, "energy that nobody accounts for (J)", s.energy_error, 100 * room);
    w->energy = s.energy_end;
}

static int look(void *user, const tn_session *session)
{
    watch *w = user;
    double values[MOST_CONTACTS * 6];
    (void)session;
    if (tn_readout_values(values, w->readout) < 0) {
        note(w, -1, "no values", 0, 0);
        return 1;
    }
    for (int k = 0; k < w->count; k++)
        check_contact(w, k, values + k * w->width);
    check_energy(w);
    return w->wrong[0] != 0;
}

static void open_readout(watch *w, int dimension)
{
    static const char *const ends[] = { "normal", "gap", "closed", "force.x", "force.y", "force.z" };
    char names[MOST_CONTACTS * 6][24];
    const char *list[MOST_CONTACTS * 6];
    w->width = 3 + dimension;
    assert_true(w->count <= MOST_CONTACTS);
    for (int k = 0; k < w->count * w->width; k++) {
        snprintf(names[k], sizeof names[k], "c%d.%s", k / w->width, ends[k % w->width]);
        list[k] = names[k];
    }
    assert_int_equal(tn_readout_open(&w->readout, w->session, list, (size_t)(w->count * w->width)), TN_OK);
}

static void take_message(watch *w, tn_context *context)
{
    size_t count = tn_diagnostics_count(context);
    if (!w->wrong[0])
        snprintf(w->wrong, sizeof w->wrong, "%.230s", count ? tn_diagnostics_get(context, count - 1)->message
                                                            : "failed without a word");
}

/* Of all runs. */
typedef struct tally {
    long models, failed, held, unsolved, shown;
    long show;                 /* how many of those that fail are told */
    long by_kind[CONTACT_KINDS];
} tally;

static void run_model(tally *all, uint32_t seed, bool print)
{
    static contact_model m;
    contact_model_make(&m, seed);
    if (print)
        puts(m.text);
    assert_true(m.length < CONTACT_TEXT);
    run x = { .r = accepted(m.text) };
    watch w = { .model = &m, .count = m.contacts };
    int code = tn_session_open(&x.session, x.r.model, NULL);
    if (code == TN_OK) {
        w.session = x.session;
        w.energy = tn_session_summary(x.session).energy_start;
        open_readout(&w, strstr(m.text, "dimension: 2") ? 2 : 3);
        tn_session_on_step(x.session, look, &w);
        code = tn_session_run(x.session);
        all->held += tn_session_summary(x.session).holds > 0;
        all->unsolved += tn_session_summary(x.session).unsolved > 0;
    }
    if (code < 0)
        take_message(&w, x.r.context);
    all->models++;
    if (w.wrong[0]) {
        all->failed++;
        all->by_kind[contact_model_kind(seed)]++;
        if (all->shown++ < all->show || print)
            print_error("model %u (%s, friction %.3g, restitution %.3g): %s\n", seed, m.kind, m.friction,
                        m.restitution, w.wrong);
    }
    if (x.session)
        tn_session_close(x.session);
    done(&x.r);
}

static uint32_t number_from(const char *variable, uint32_t otherwise)
{
    const char *text = getenv(variable);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void test_random_models(void **state)
{
    (void)state;
    const char *only = getenv("TENON_CONTACT_SEED");
    uint32_t first = number_from("TENON_CONTACT_FIRST", 0), models = number_from("TENON_CONTACT_MODELS", MODELS);
    tally all = { .show = getenv("TENON_CONTACT_FIRST") ? models : SHOWN };
    if (only)
        run_model(&all, number_from("TENON_CONTACT_SEED", 0), true);
    uint32_t later = getenv("TENON_CONTACT_FIRST") ? 0 : models / 20;  /* of the kinds that come later */
    for (uint32_t k = 0; k < models && !only; k++)
        run_model(&all, k < models - later ? first + k : MORE_KINDS + k - (models - later), false);
    print_message("%ld models: %ld failed, %ld with changes that crowd, %ld with forces found only nearly\n", all.models,
                  all.failed, all.held, all.unsolved);
    for (int k = 0; k < CONTACT_KINDS && all.failed > 0; k++)
        print_message("  kind %d: %ld failed\n", k, all.by_kind[k]);
    assert_int_equal(all.failed, 0);
}

/* ---- single cases with closed forms ---- */

/* A force that grows by 8 N/s lifts a box (1 kg, 20 x 10 cm) at a point off its middle: it tips about one corner and
 * leaves. Nothing holds it: once it is off, it only turns and is carried up. */
static void test_lifted_box(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
        "  box: { mass: 1, inertia: 0.005, position: [0, 0.05], shapes: [ { box: { size: [0.2, 0.1] } } ],\n"
        "         frames: { top: { at: [0.02, 0.05] } } }\n"
        "forces: { lift: { type: force, on: box.top, value: [0, \"8 N * t / 1 s\"] } }\n"
        "contacts: { floor: { between: [ground, box], friction: 0.5 } }\nsolve: { until: 3 }\n", "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "floor.closed"), 0, 0);
    assert_near(value_of(&x, "box.acceleration.y"), 8 * 3 - G, 1e-9);
    assert_true(value_of(&x, "box.position.y") > 5);
    assert_near(value_of(&x, "energy.error"), 0, 1e-6);
    close_run(&x);
}

/* A block that sticks on a slope of 20 degrees. When its friction is said to be less than what it sticks with, the check
 * of the laws names contact, time and amounts. */
static void test_check_tells(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  ground: { shapes: [ { half_space: { normal: [-sin(20 deg), cos(20 deg)] } } ] }\n"
        "  block: { mass: 2, inertia: 0.01, position: [-0.05 * sin(20 deg), 0.05 * cos(20 deg)], angle: 20 deg,\n"
        "           shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
        "contacts: { slope: { between: [ground, block], friction: 0.5 } }\nsolve: { until: 0.1 }\n", "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_laws_check(x.session), TN_OK);
    for (size_t k = 0; k < x.session->unilaterals->count; k++)
        x.session->unilaterals->items[k].friction = 0.1;
    x.session->eval_current = false;
    assert_int_equal(tn_laws_check(x.session), TN_ERROR_STEP);
    must_say(&x.r, "'slope' at t = 0.1 s sticks with");
    must_say(&x.r, "more than 0.1 times its normal force");
    close_run(&x);
}

/* Falls by 0.3 m, rebounds with e = 0.5 by every law: half the speed, and it does not turn. */
static void test_flat_fall(void **state)
{
    (void)state;
    static const char *const laws[] = { "sequence", "newton", "poisson" };
    for (int k = 0; k < 3; k++) {
        char solve[80];
        double v = sqrt(2 * G * 0.3);
        snprintf(solve, sizeof solve, "solve: { until: %.17g, impact: %s }\n", v / G + 0.01, laws[k]);
        run x = run_parts(
            "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
            "  box: { mass: 1, inertia: 0.005, position: [0, 0.35], shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
            "contacts: { floor: { between: [ground, box], restitution: 0.5, friction: 0.3 } }\n", "", solve);
        assert_int_equal(x.code, TN_NEWS_END);
        assert_near(value_of(&x, "box.velocity.y"), v / 2 - G * 0.01, 1e-9);
        assert_near(value_of(&x, "box.angular_velocity"), 0, 1e-12);
        close_run(&x);
    }
}

/* A drive lifts a plate with speed u against a ball (mass m) that rests in the air: it leaves with (1 + e) u, and what the
 * drive does is all of the ball's energy and what the impact takes: m (1 + e) u^2. */
static void test_drive_at_impact(void **state)
{
    (void)state;
    const double u = 2, e = 0.5, m = 0.3;
    run x = run_parts(
        "tenon: 1\ndimension: 2\nbodies:\n  ground: { frames: { way: { axis: y } } }\n"
        "  plate: { mass: 5, inertia: 1, shapes: [ { half_space: {} } ], frames: { way: { axis: y } } }\n"
        "  ball: { mass: 0.3, inertia: 0.001, position: [0, 0.15], shapes: [ { disc: { radius: 0.05 } } ] }\n"
        "joints: { slide: { type: translational, between: [ground.way, plate.way] } }\n"
        "drives: { lift: { joint: slide, rate: 2 } }\n"
        "contacts: { hit: { between: [plate, ball], restitution: 0.5 } }\nsolve: { until: 0.1 }\n", "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "ball.velocity.y"), (1 + e) * u, 1e-12);
    assert_near(value_of(&x, "energy.work"), m * (1 + e) * (1 + e) * u * u / 2, 1e-11);
    assert_near(value_of(&x, "energy.error"), 0, 1e-11);
    assert_near(tn_session_impact(x.session, 0).loss, m * (1 - e * e) * u * u / 2, 1e-11);
    close_run(&x);
}

/* Mass and spring with friction: half swings take pi / w each, shortened by 2 mu g / w^2, until the spring no longer moves
 * it. The velocity is zero at the end of each, and no more often; that is no chain without end. */
static void test_velocity_event(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  ground: { shapes: [ { half_space: {} } ], frames: { hook: { at: [-1, 0.05] } } }\n"
        "  box: { mass: 1, inertia: 0.005, position: [0.5, 0.05], shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
        "forces: { spring: { type: spring, between: [ground.hook, box], stiffness: 100, length: 1 } }\n"
        "contacts: { floor: { between: [ground, box], friction: 0.25 } }\n",
        "events: { turn: { when: box.velocity.x } }\n", "solve: { until: 5 }\n");
    double shift = 2 * 0.25 * G / 100, left = 0.5;
    size_t swings = 0;
    for (; left > shift / 2; swings++)
        left = fabs(left - shift);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_session_fired_count(x.session), swings);
    for (size_t k = 0; k < swings; k++)
        assert_near(tn_session_fired(x.session, k).time, (double)(k + 1) * acos(-1) / 10, 1e-8);
    close_run(&x);
}

/* Five dominoes, pushed over: the last one lies in the end. */
static void test_dominoes(void **state)
{
    (void)state;
    static const double frictions[] = { 0.2, 0.4, 0.5, 0.8 };
    for (size_t k = 0; k < sizeof frictions / sizeof frictions[0]; k++) {
        char text[2000], solve[200];
        size_t n = (size_t)snprintf(text, sizeof text,
            "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
            "  d1: { position: [%.17g, %.17g], angle: -0.25, angular_velocity: -6, velocity: [0.28, -0.03], "
            "shapes: [ { box: { size: [0.02, 0.1] }, density: 500 } ] }\n",
            0.01 - 0.01 * cos(0.25) + 0.05 * sin(0.25), 0.01 * sin(0.25) + 0.05 * cos(0.25));
        for (int d = 2; d <= 5; d++)
            n += (size_t)snprintf(text + n, sizeof text - n, "  d%d: { position: [%g, 0.05], shapes: [ { box: { size: "
                                  "[0.02, 0.1] }, density: 500 } ] }\n", d, 0.05 * (d - 1));
        snprintf(solve, sizeof solve, "contacts: { pile: { among: [ground, d1, d2, d3, d4, d5], friction: %g, restitution: "
                 "0.1 } }\nsolve: { until: 1.2 }\n", frictions[k]);
        run x = run_parts(text, "", solve);
        if (x.code < 0)
            tn_diagnostics_print(x.r.context, stderr);
        assert_int_equal(x.code, TN_NEWS_END);
        assert_near(value_of(&x, "d5.angle"), -acos(0), 1e-9);
        assert_true(tn_session_summary(x.session).energy_error < 1e-6);
        close_run(&x);
    }
}

/* Flores, Leine & Glocker 2010: slider-crank whose slider has 1 mm of clearance, 150 rad/s. Impacts and friction take
 * little; the crank goes on turning. */
static void test_clearance(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  ground: { shapes: [ { half_space: { at: [0, -0.0255] } }, { half_space: { at: [0, 0.0255], normal: [0, -1] } } ] }\n"
        "  crank: { mass: 0.038, inertia: 7.4e-5, com: [0.0765, 0], angular_velocity: 150, position: [0, 0], angle: 0,\n"
        "           frames: { tip: { at: [0.153, 0] } } }\n"
        "  rod: { mass: 0.038, inertia: 5.9e-4, com: [0.153, 0], position: [0.153, 0], angle: 0, angular_velocity: -75,\n"
        "         velocity: [0, 22.95], frames: { end: { at: [0.306, 0] } } }\n"
        "  slider: { mass: 0.076, inertia: 2.7e-6, position: [0.459, 0], shapes: [ { box: { size: [0.1, 0.05] } } ] }\n"
        "joints:\n  pivot: { type: revolute, between: [ground, crank] }\n"
        "  elbow: { type: revolute, between: [crank.tip, rod] }\n  wrist: { type: revolute, between: [rod.end, slider] }\n"
        "contacts: { guide: { between: [ground, slider], friction: 0.01, restitution: 0.4 } }\n",
        "", "solve: { until: 0.5 }\n");
    tn_summary s = tn_session_summary(x.session);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(s.holds, 0);
    assert_true(s.energy_end > 0.8 * s.energy_start);
    assert_true(value_of(&x, "crank.angle") > 40);
    assert_true(s.energy_error < 1e-6 * s.energy_start);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lifted_box),     cmocka_unit_test(test_flat_fall),
        cmocka_unit_test(test_check_tells),
        cmocka_unit_test(test_drive_at_impact), cmocka_unit_test(test_velocity_event),
        cmocka_unit_test(test_dominoes),       cmocka_unit_test(test_clearance),
        cmocka_unit_test(test_random_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
