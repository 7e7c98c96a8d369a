/* Many contacts at once: heaps by chance, changes of contacts that crowd, and friction that no forces obey. */
#include "event_runs.h"
#include "heaps.h"
#include <stdlib.h>
#include <string.h>

#ifdef TENON_SANITIZED
enum { PLANE_SEEDS = 1, SPACE_SEEDS = 1, SPACE_BODIES = 3 };
#else
enum { PLANE_SEEDS = 4, SPACE_SEEDS = 1, SPACE_BODIES = 4 };     /* make campaign takes more */
#endif
/* Heaps in the plane for one in space. */
enum { PLANE_PER_SPACE = PLANE_SEEDS / SPACE_SEEDS };
/* Of a run of 3 s. */
static const long MOST_IMPACTS = 20000;

static uint32_t seeds_in_plane(void)
{
    const char *count = getenv("TENON_HEAP_SEEDS");
    return count ? (uint32_t)strtoul(count, NULL, 10) : PLANE_SEEDS;
}

typedef struct watch {
    tn_session *session;
    double energy, rise, least_gap;
} watch;

static int look(void *user, const tn_session *session)
{
    watch *w = user;
    double energy = tn_session_summary(session).energy_end, gap;
    assert_int_equal(tn_session_value(&gap, w->session, "heap.gap"), TN_OK);
    w->rise = fmax(w->rise, energy - w->energy);
    w->energy = energy;
    w->least_gap = fmin(w->least_gap, isnan(gap) ? 0 : gap);
    return 0;
}

/* All kinds of shapes fall into a box by chance, with friction and rebound: energy only falls, nothing overlaps, and
 * the run ends. */
static void drop(const heap *h, uint32_t seed)
{
    char text[HEAP_TEXT];
    heap_text(text, h, seed);
    run x = { .r = accepted(text) };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    double start = tn_session_summary(x.session).energy_start;
    watch w = { .session = x.session, .energy = start };
    tn_session_on_step(x.session, look, &w);
    x.code = tn_session_run(x.session);
    if (x.code < 0)
        tn_diagnostics_print(x.r.context, stderr);
    tn_summary s = tn_session_summary(x.session);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_true(w.rise < 1e-9 * start);
    assert_true(w.least_gap > -1e-8);
    assert_true(s.energy_error < (s.holds > 0 ? 1e-4 : 1e-7) * s.energy_peak);  /* time stepping is of first order */
    assert_true(s.impacts < MOST_IMPACTS);
    close_run(&x);
}

static void test_heaps_in_plane(void **state)
{
    (void)state;
    const heap h = { .dimension = 2, .bodies = 5, .until = 3, .most_friction = 1, .most_restitution = 0.9 };
    for (uint32_t seed = 1; seed <= seeds_in_plane(); seed++)
        drop(&h, seed);
}

static void test_heaps_in_space(void **state)
{
    (void)state;
    const heap h = { .dimension = 3, .bodies = SPACE_BODIES, .until = 2, .most_friction = 1, .most_restitution = 0.9 };
    for (uint32_t seed = 1; seed <= seeds_in_plane() / PLANE_PER_SPACE; seed++)
        drop(&h, seed);
}

/* Balls that lose a hundredth of their speed a bounce, side by side, 0.01 m above the floor. */
static run bounce(int balls)
{
    char text[1200];
    size_t n = (size_t)snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                                "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n");
    for (int k = 0; k < balls; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  b%d: { mass: 1 kg, inertia: 0.004, position: [%d, 0.11], "
                              "shapes: [ { disc: { radius: 0.1 } } ] }\n", k, k);
    n += (size_t)snprintf(text + n, sizeof text - n, "contacts: { floor: { among: [ground");
    for (int k = 0; k < balls; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, ", b%d", k);
    return run_parts(text, "], restitution: 0.99 } }\n", "solve: { until: 10 }\n");
}

/* The end of the bounces, sum of e^k 2 v / g, is too crowded for single ones of seven balls. They are stepped in time where they
 * are below a millimetre a second, and rest from there on. */
static void test_crowded_bounces(void **state)
{
    (void)state;
    run x = bounce(7);
    tn_summary s = tn_session_summary(x.session);
    double v = sqrt(2 * G * 0.01), end = v / G * (1 + 2 * 0.99 / (1 - 0.99));
    tn_impact last = tn_session_impact(x.session, tn_session_impact_count(x.session) - 1);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_true(s.holds > 0);
    assert_int_equal(s.unsolved, 0);
    assert_true((double)s.impacts < 7 * log(1e-6) / log(0.99));        /* bounces down to the speed that rests */
    assert_true(says(&x.r, "contacts are stepped in time"));
    assert_true(last.speed < 1e-3);
    assert_near(last.time, end, 2 * 1e-3 / G / (1 - 0.99));
    assert_near(value_of(&x, "b3.position.y"), 0.1, 1e-12);
    assert_near(value_of(&x, "b3.velocity.y"), 0, 1e-13);
    assert_near(value_of(&x, "floor.normal"), 7 * G, 1e-11);
    assert_near(value_of(&x, "energy.error"), 0, 1e-6);
    close_run(&x);
}

/* Those of one ball are cheap: all of them are found, down to a millionth of the fastest. */
static void test_bounces_of_one_ball(void **state)
{
    (void)state;
    run x = bounce(1);
    tn_summary s = tn_session_summary(x.session);
    double v = sqrt(2 * G * 0.01), end = v / G * (1 + 2 * 0.99 / (1 - 0.99));
    tn_impact last = tn_session_impact(x.session, tn_session_impact_count(x.session) - 1);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(s.holds, 0);
    assert_near((double)s.impacts, log(1e-6) / log(0.99), 2);
    assert_near(last.time, end, 2.2 * 1e-6 * v / G / (1 - 0.99));
    assert_near(value_of(&x, "b0.position.y"), 0.1, 1e-12);
    assert_near(value_of(&x, "floor.normal"), G, 1e-12);
    close_run(&x);
}

/* Time stepping alone. A block with 1 m/s slides on a floor with friction 0.3 while a stack of five boxes stands: the
 * channels have the weights and mu times the weight, the block stops after v^2 / (2 mu g) to first order in the step,
 * and the stack does not move at all. */
static void test_time_stepping(void **state)
{
    (void)state;
    char text[2000];
    size_t n = (size_t)snprintf(text, sizeof text,
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
        "  block: { mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 5, 0.02], velocity: [1, 0, 0],\n"
        "           shapes: [ { box: { size: [0.2, 0.2, 0.04] } } ] }\n");
    for (int k = 0; k < 5; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  b%d: { mass: 1, inertia: [0.002, 0.003, 0.004], position: [0, 0, "
                              "%g], shapes: [ { box: { size: [0.2, 0.16, 0.1] } } ] }\n", k, 0.05 + 0.1 * k);
    run x = run_parts(text, "", "contacts:\n  floor: { between: [ground, block], friction: 0.3 }\n"
                      "  stack: { among: [ground, b0, b1, b2, b3, b4], friction: 0.5 }\n"
                      "solve: { until: 0.2, contact: time-stepping, contact_step: 1 ms }\n");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "floor.normal"), 2 * G, 1e-8);
    assert_near(value_of(&x, "floor.force.x"), -0.3 * 2 * G, 1e-8);
    assert_near(value_of(&x, "stack.normal"), (5 + 4 + 3 + 2 + 1) * G, 1e-6);
    assert_near(value_of(&x, "b4.position.z"), 0.45, 1e-12);
    assert_near(value_of(&x, "b4.velocity.z"), 0, 0);
    assert_int_equal(tn_session_advance(x.session, 0.3), TN_OK);
    assert_near(value_of(&x, "block.position.x"), 1 / (2 * 0.3 * G), 1e-3);
    assert_near(value_of(&x, "block.velocity.x"), 0, 1e-12);
    assert_near(value_of(&x, "energy.error"), 0, 1e-3);
    assert_true(value_of(&x, "stack.gap") > -1e-8);
    close_run(&x);
}

/* Painleve's rod at the angle with tan 2, pushed on its end with friction 2 > 4/3: no finite forces. With mobilities
 * 1 + 3 cos^2 = 1.6, 1 + 3 sin^2 = 3.4 and 3 sin cos = 1.2 of its end, the impulse that ends a slip of 1 m/s is 0.3
 * along the normal and 0.4 along the floor, and takes 0.2 J. Pulled, it slides on. */
static void check_rod(double speed, size_t impacts)
{
    char text[1000];
    snprintf(text, sizeof text,
             "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
             "  rod: { mass: 1, inertia: 1/3, position: [%.17g, %.17g], angle: %.17g, velocity: [%g, 0],\n"
             "         shapes: [ { polygon: { corners: [[-1, 0], [1, -0.001], [1, 0.001]] } } ] }\n"
             "contacts: { floor: { between: [ground, rod], friction: 2 } }\n"
             "solve: { until: 0.01 }\n", sqrt(0.2), sqrt(0.8), atan(2), speed);
    run x = run_parts(text, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_session_summary(x.session).unsolved, 0);
    assert_near(value_of(&x, "energy.error"), 0, 1e-9);
    if (impacts == 0) {
        assert_int_equal(tn_session_impact_count(x.session), 0);
    } else {
        assert_near(tn_session_impact(x.session, 0).time, 0, 0);
        assert_near(tn_session_impact(x.session, 0).impulse, 0.3, 1e-8);
        assert_near(tn_session_impact(x.session, 0).loss, 0.2, 1e-8);
    }
    close_run(&x);
}

static void test_painleve(void **state)
{
    (void)state;
    check_rod(-1, 1);
    check_rod(1, 0);
}

typedef struct poured {
    double height, width, kinetic;
    tn_summary summary;
} poured;

/* Discs (radius 1 cm) fall in a column of four side by side, with settings of the solver. */
static poured pour(const char *settings, int discs, double friction, const char *floor, double until)
{
    char text[9000], among[400] = "ground";
    int used = snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ %s ] }\n", floor);
    uint32_t seed = 1;
    for (int k = 0; k < discs; k++) {
        seed = seed * 1664525u + 1013904223u;
        double x = 0.022 * (k % 4 - 1.5) + 2e-3 * ((double)(seed >> 8) / (1 << 24) - 0.5), y = 0.023 * (1 + k / 4);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  d%d: { shapes: [ { disc: { radius: 1 cm }, mass: 0.1 } ], position: [%.6f, %.6f] }\n", k, x, y);
        snprintf(among + strlen(among), sizeof among - strlen(among), ", d%d", k);
    }
    snprintf(text + used, sizeof text - (size_t)used, "contacts: { heap: { among: [%s], friction: %g } }\n"
             "solve: { until: %g, record: 100 ms, %s }\n", among, friction, until, settings);
    run x = { .r = accepted(text) };
    double highest = 0, left = 0, right = 0;
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    for (int k = 0; k < discs; k++) {
        char name[40];
        snprintf(name, sizeof name, "d%d.position.x", k);
        left = fmin(left, value_of(&x, name));
        right = fmax(right, value_of(&x, name));
        snprintf(name, sizeof name, "d%d.position.y", k);
        highest = fmax(highest, value_of(&x, name));
    }
    assert_true(value_of(&x, "heap.gap") > -1e-8);
    poured result = { highest, right - left, value_of(&x, "energy.kinetic"), tn_session_summary(x.session) };
    close_run(&x);
    return result;
}

/* A heap of many contacts stays with time stepping while it is one: each return to the event-driven method takes hundreds of
 * decisions. Steps are longer than those that help out of a crowd. */
static void test_large_heap(void **state)
{
    (void)state;
    tn_summary s = pour("contact: automatic", 60, 0.5, "{ half_space: {} }", 1).summary;
    assert_in_range(s.holds, 1, 25);                   /* 16; 50 where it returns whenever fewer touch */
    assert_true(s.steps < 4500);                       /* 3,606; 5,804 */
}

/* On a floor of discs side by side, poured discs with friction stand at 20 degrees or so; on a smooth floor without friction nothing is left
 * but one layer. */
static void test_repose(void **state)
{
    const char *steps = "contact: time-stepping, contact_step: 2 ms";
    char floor[4000] = "";
    double degree = 3.14159265358979323846 / 180;
    (void)state;
    for (int k = -30; k <= 30; k++)
        snprintf(floor + strlen(floor), sizeof floor - strlen(floor), "%s{ disc: { radius: 1 cm, at: [%.2f, 0] } }", k > -30 ? ", " : "", 0.02 * k);
    poured rough = pour(steps, 40, 0.5, floor, 2);
    double angle = atan(rough.height / (rough.width / 2));
    if (!(angle > 15 * degree && angle < 27 * degree))
        fail_msg("the heap stands at %g degrees", angle / degree);
    assert_near(rough.kinetic, 0, 0);
    poured smooth = pour(steps, 16, 0, "{ half_space: {} }", 2);
    assert_near(smooth.height, 0.01, 1e-9);
    assert_true(smooth.width > 16 * 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repose),
        cmocka_unit_test(test_large_heap),
        cmocka_unit_test(test_crowded_bounces), cmocka_unit_test(test_bounces_of_one_ball),
        cmocka_unit_test(test_time_stepping),
        cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_heaps_in_plane),
        cmocka_unit_test(test_heaps_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
