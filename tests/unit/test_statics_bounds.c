/* Equilibria with stops, floors, contacts and static friction against closed forms; and random models, which have to
 * stay where the search put them.
 *
 * TENON_STATICS_MODELS=N takes N random models in place of 80, TENON_STATICS_SEED=K only the model K, which is printed. */
#include "contact_models.h"
#include "rested.h"

static const double PI = 3.14159265358979323846;

static rested rest(const char *text)
{
    rested x = rest_of(text, false);
    if (x.code < 0)
        tn_diagnostics_print(x.r.context, stderr);
    assert_int_equal(x.code, TN_OK);
    return x;
}

/* ---- stops ---- */

/* A bar (2 kg, 1 m) falls from the horizontal to its stop at -30 degrees: torque 2 g 0.5 cos 30 deg. */
static void test_stop(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        char text[600];
        snprintf(text, sizeof text,
                 "tenon: 1\ndimension: %d\ngravity: [0, -9.81%s]\nbodies:\n  bar: { mass: 2, inertia: %s, com: [0.5, 0%s] }\n"
                 "joints: { p: { type: revolute, between: [ground, bar], limits: { angle: [-30 deg, 60 deg] } } }\n",
                 dimension, dimension == 3 ? ", 0" : "", dimension == 3 ? "[0.1, 0.1, 0.1]" : "0.1",
                 dimension == 3 ? ", 0" : "");
        rested x = rest(text);
        assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
        assert_int_equal(x.e->freedoms, 0);
        assert_near(at(&x, "p.angle"), -PI / 6, 1e-12);
        assert_near(at(&x, "p.angle.limit"), 2 * G * 0.5 * cos(PI / 6), 1e-10);
        assert_int_equal(x.e->support_count, 1);
        assert_string_equal(x.e->supports[0].name, "p.angle.low");
        assert_near(x.e->supports[0].force, 2 * G * 0.5 * cos(PI / 6), 1e-10);
        assert_true(x.e->supports[0].rotation);
        tn_modes *modes = NULL;
        assert_int_equal(tn_session_modes(&modes, x.session), TN_OK);
        assert_int_equal(modes->count, 0);             /* modes keep the stop closed */
        tn_modes_destroy(x.r.context, modes);
        close_rested(&x);
    }
}

/* The shipped door: its spring wants -20 degrees, its stop is at 0. The energy account stays closed. */
static void test_door(void **state)
{
    (void)state;
    rested x = { 0 };
    x.r.context = tn_context_create(NULL);
    assert_int_equal(tn_model_read(&x.r.model, x.r.context, TENON_SOURCE_DIR "/examples/door-stop.yaml"), TN_OK);
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_session_statics(&x.e, x.session, NULL), TN_OK);
    assert_near(at(&x, "hinge.angle"), 0, 1e-12);
    assert_near(at(&x, "hinge.angle.limit"), 4 * 20 * PI / 180, 1e-10);
    assert_near(at(&x, "energy.error"), 0, 1e-10);
    assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
    close_rested(&x);
}

/* A bar that stands on end falls to a stop, where nothing moves: what made it fall is no longer said. */
static void test_from_the_top(void **state)
{
    (void)state;
    rested x = rest("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: { bar: { mass: 1, inertia: 0.1, com: [0, 0.5] } }\n"
                    "joints: { p: { type: revolute, between: [ground, bar], limits: { angle: [-1, 1] } } }\n");
    assert_near(fabs(at(&x, "p.angle")), 1, 1e-12);
    assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
    assert_int_equal(x.e->freedoms, 0);
    assert_int_equal(x.e->direction_count, 0);
    close_rested(&x);
}

/* The equilibrium lies between the stops: they bear nothing, and the frequency is that of the spring. */
static void test_between_stops(void **state)
{
    (void)state;
    rested x = rest("tenon: 1\ndimension: 2\nbodies: { ground: { frames: { o: { at: [-0.5, 0] } } }, m: { mass: 2, inertia: 1, position: [0.3, 0] } }\n"
                    "joints: { s: { type: translational, between: [ground, m], limits: { position: [-1, 0.5] } } }\n"
                    "forces: { k: { type: spring, between: [ground.o, m], stiffness: 50, length: 0.6 } }\n"
                    "initial: { s: { position: 0.3 } }\n");
    assert_near(at(&x, "s.position"), 0.1, 1e-10);
    assert_near(x.e->margin, 25, 1e-8);
    assert_int_equal(x.e->support_count, 0);
    close_rested(&x);
}

/* An upright bar between two stops that just touch it: unstable without them, held by them. */
static void test_held_by_both(void **state)
{
    (void)state;
    rested x = rest("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                    "bodies: { bar: { mass: 2, inertia: 0.1, com: [0.5, 0], angle: 90 deg } }\n"
                    "joints: { p: { type: revolute, between: [ground, bar], limits: { angle: [90 deg - 1e-10, 90 deg + 1e-10] } } }\n");
    assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
    assert_near(at(&x, "p.angle"), PI / 2, 1e-9);
    close_rested(&x);
}

/* The nearest equilibrium of a bar lies beyond a stop: it is refused, with the stop and the amount. */
static void test_nearest_is_refused(void **state)
{
    (void)state;
    rested x = rest_of("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                       "bodies: { bar: { mass: 2, inertia: 0.1, com: [0.5, 0], angle: -80 deg } }\n"
                       "joints: { p: { type: revolute, between: [ground, bar], limits: { angle: [-85 deg, 0] } } }\n", true);
    assert_int_equal(x.code, TN_ERROR_STEP);
    must_say(&x.r, "lies beyond 'p.angle.low', by 0.0872665");
    assert_near(at(&x, "p.angle"), -80 * PI / 180, 1e-12);     /* the session is where it was */
    close_rested(&x);
}

/* A spring turns a drum with a ratchet over two teeth. */
static void test_ratchet(void **state)
{
    (void)state;
    rested x = rest("tenon: 1\ndimension: 2\nbodies: { drum: { mass: 1, inertia: 0.1 } }\n"
                    "joints: { axle: { type: revolute, between: [ground, drum], ratchet: { pitch: 0.5 } } }\n"
                    "forces:\n  k: { type: torsion-spring, joint: axle, stiffness: 10, rest: 1.3 }\n");
    assert_near(at(&x, "axle.angle"), 1.3, 1e-10);
    assert_near(at(&x, "axle.angle.tooth"), 1, 1e-12);
    close_rested(&x);
}

/* ---- floors and friction ---- */

#define PLANE "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"

/* A ball above its floor comes to rest on it; with friction or without it may roll or glide. */
static void test_ball(void **state)
{
    (void)state;
    for (int mu = 0; mu <= 1; mu++) {
        char text[500];
        snprintf(text, sizeof text, PLANE "bodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  ball: { mass: 2, inertia: 0.01, position: [0.2, 1], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                 "contacts: { floor: { between: [ground, ball], friction: %g } }\n", 0.4 * mu);
        rested x = rest(text);
        assert_int_equal(x.e->kind, TN_EQUILIBRIUM_INDIFFERENT);
        assert_near(at(&x, "ball.position.y"), 0.1, 1e-12);
        assert_near(at(&x, "ball.position.x"), 0.2, 1e-9);
        assert_near(at(&x, "floor.normal"), 2 * G, 1e-10);
        close_rested(&x);
    }
}

/* A ball in a groove of two planes: forces from the triangle of forces. */
static void test_groove(void **state)
{
    (void)state;
    rested x = rest(PLANE "bodies:\n  ground: { shapes: [ { half_space: { normal: [1, 1] } }, { half_space: { normal: [-1, 2] } } ] }\n"
                    "  ball: { mass: 1, inertia: 0.004, position: [0.3, 1.7], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                    "contacts: { c: { between: [ground, ball] } }\n");
    /* distances of the centre from both planes are 0.1: x + y = 0.1 sqrt 2, -x + 2 y = 0.1 sqrt 5 */
    double y = 0.1 * (sqrt(2) + sqrt(5)) / 3;
    assert_near(at(&x, "ball.position.y"), y, 1e-11);
    assert_near(at(&x, "ball.position.x"), 0.1 * sqrt(2) - y, 1e-11);
    /* A / sqrt 2 = B / sqrt 5,  A / sqrt 2 + 2 B / sqrt 5 = g */
    assert_near(x.e->supports[0].force, G / 3 * (sqrt(2) + sqrt(5)), 1e-9);
    assert_int_equal(x.e->supports[0].points, 2);
    close_rested(&x);
}

/* A block that a spring draws along the floor stops where the spring has mu m g left; one that starts within the
 * friction cone does not move. */
static void test_dragged_block(void **state)
{
    (void)state;
    static const double starts[] = { 1, 0.25, 0.2, 0.05 };
    const double mu = 0.3, m = 2, k = 100, most = mu * m * G / k;
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(text, sizeof text, PLANE "bodies:\n  ground: { shapes: [ { half_space: {} } ], frames: { o: { at: [0, 0.05] } } }\n"
                 "  a: { mass: 2, inertia: 0.01, position: [%g, 0.05], shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
                 "forces: { s: { type: spring, between: [ground.o, a], stiffness: 100, length: 0.2 } }\n"
                 "contacts: { c: { between: [ground, a], friction: 0.3 } }\n", starts[i]);
        double end = fmax(fmin(starts[i], 0.2 + most), 0.2 - most);
        rested x = rest(text);
        assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
        assert_near(at(&x, "a.position.x"), end, 1e-6);
        assert_near(x.e->supports[0].friction, fabs(end - 0.2) * k, 1e-4);
        assert_true(x.e->supports[0].friction <= mu * m * G);
        close_rested(&x);
    }
}

/* A slope of 16 degrees holds a block with friction 0.3, one of 17 degrees does not: tan 16.7 deg = 0.3. */
static void test_slope(void **state)
{
    (void)state;
    for (int angle = 16; angle <= 17; angle++) {
        char text[700];
        snprintf(text, sizeof text, PLANE "bodies:\n  ground: { shapes: [ { half_space: { normal: [-sin(%d deg), cos(%d deg)] } } ] }\n"
                 "  block: { mass: 2, inertia: 0.01, position: [-0.05 * sin(%d deg), 0.05 * cos(%d deg)], angle: %d deg,\n"
                 "           shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
                 "contacts: { slope: { between: [ground, block], friction: 0.3 } }\n", angle, angle, angle, angle, angle);
        rested x = rest_of(text, false);
        assert_int_equal(x.code, angle == 16 ? TN_OK : TN_ERROR_STEP);
        if (angle == 16)
            assert_near(at(&x, "slope.force.y"), 2 * G, 1e-9);
        else
            must_say(&x.r, "nothing holds it");
        close_rested(&x);
    }
}

/* A ladder of 1 m leans against a smooth wall; the floor has friction: it stays for tan(tilt) >= 1 / (2 mu). */
static void test_ladder(void **state)
{
    (void)state;
    static const struct { double tilt; bool stays; } cases[] = { { 50, true }, { 40, false } };
    for (int i = 0; i < 2; i++) {
        char text[900];
        double a = cases[i].tilt * PI / 180, r = 0.001;
        snprintf(text, sizeof text, PLANE "bodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  wall: { mass: 1, inertia: 1, shapes: [ { half_space: { normal: [1, 0] } } ] }\n"
                 "  bar: { mass: 3, com: [0.5, 0], inertia: 0.25, position: [%.17g, %.17g], angle: %.17g,\n"
                 "         shapes: [ { capsule: { from: [0, 0], to: [1, 0], radius: %g } } ] }\n"
                 "joints: { w: { type: fixed, between: [ground, wall] } }\n"
                 "contacts:\n  floor: { between: [ground, bar], friction: 0.5 }\n  side: { between: [wall, bar] }\n",
                 cos(a) + r, r, PI - a, r);
        rested x = rest(text);
        if (cases[i].stays) {
            assert_near(at(&x, "bar.angle"), PI - a, 1e-9);
            /* about the point on the floor, below the axis of the capsule */
            assert_near(at(&x, "side.normal"), 3 * G * cos(a) / 2 / (sin(a) + r), 1e-7);
            assert_near(at(&x, "floor.normal"), 3 * G, 1e-9);
        } else {
            assert_near(at(&x, "bar.position.y"), r, 1e-9);
            assert_near(at(&x, "bar.angle"), PI, 1e-9);    /* it lies on the floor */
        }
        close_rested(&x);
    }
}

/* A disc with its centre of mass below its middle rocks about its lowest point without slip: stable, with
 * w^2 = m g e / (I + m (r - e)^2). On top it stands unstably, and leaves. */
static void test_rocker(void **state)
{
    (void)state;
    static const double angles[] = { 100, 180 };
    const double m = 2, e = 0.05, r = 0.2, I = 0.01;
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text, PLANE "bodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  a: { mass: 2, inertia: 0.01, com: [0, -0.05], position: [0, 0.2], angle: %g deg, shapes: [ { disc: { radius: 0.2 } } ] }\n"
                 "contacts: { c: { between: [ground, a], friction: 0.6 } }\n", angles[i]);
        rested x = rest(text);
        assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
        assert_near(cos(at(&x, "a.angle")), 1, 1e-12);
        assert_near(at(&x, "a.position.y"), r, 1e-12);
        tn_modes *modes = NULL;
        assert_int_equal(tn_session_modes(&modes, x.session), TN_OK);
        double w = 2 * PI * modes->items[modes->count - 1].frequency;
        assert_near(w * w, m * G * e / (I + m * (r - e) * (r - e)), 1e-6);
        tn_modes_destroy(x.r.context, modes);
        close_rested(&x);
    }
}

/* A box in space, tilted, comes to rest flat on its floor with friction. */
static void test_box_in_space(void **state)
{
    (void)state;
    rested x = rest("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                    "  a: { mass: 1, inertia: [0.002, 0.004, 0.005], position: [0, 0, 0.4], rotation: { axis: [1, 2, 0.3], angle: 25 deg },\n"
                    "       shapes: [ { box: { size: [0.2, 0.1, 0.05] } } ] }\n"
                    "contacts: { c: { between: [ground, a], friction: 0.3 } }\n");
    assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
    assert_near(at(&x, "a.position.z"), 0.025, 1e-9);
    assert_near(x.e->supports[0].force, G, 1e-9);
    close_rested(&x);
}

/* A lift that a drive moves: the equilibrium at t = 1.5 s has the drive held, and the ball on the lift. */
static void test_drive(void **state)
{
    (void)state;
    rested x = { .r = accepted(PLANE "bodies:\n  ground: {}\n  lift: { mass: 1, inertia: 1, shapes: [ { half_space: {} } ], frames: { up: { angle: 90 deg } } }\n"
                               "  ball: { mass: 2, inertia: 0.01, position: [0, 0.5], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                               "  base: { mass: 1, inertia: 1, frames: { up: { angle: 90 deg } } }\n"
                               "joints:\n  b: { type: fixed, between: [ground, base] }\n  s: { type: translational, between: [base.up, lift.up] }\n"
                               "drives: { d: { joint: s, position: \"0.3 m/s * t\" } }\n"
                               "contacts: { c: { between: [lift, ball], friction: 0.2 } }\n") };
    tn_statics_options options = tn_statics_default();
    options.time = 1.5;
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_session_statics(&x.e, x.session, &options), TN_OK);
    assert_near(at(&x, "ball.position.y"), 0.3 * 1.5 + 0.1, 1e-10);
    assert_near(at(&x, "c.normal"), 2 * G, 1e-9);
    close_rested(&x);
}

/* ---- random models ---- */

#ifdef TENON_SANITIZED
enum { MODELS = 14 };
#else
enum { MODELS = 24 };          /* make campaign takes more */
#endif
enum { MOST_CHANNELS = 400 };
/* m or rad: what an equilibrium may move within 0.05 s. J: what round-off may add to the energy. */
static const double STAYS = 1e-6, MORE_ENERGY = 1e-6;

typedef struct counts {
    long models, none, unstable, moved, rose;
} counts;

/* Values of all positions and angles; others are zero. */
static size_t positions_of(double *values, tn_session *s)
{
    size_t count = tn_session_channel_count(s);
    assert_true(count <= MOST_CHANNELS);
    for (size_t k = 0; k < count; k++) {
        const char *name = tn_session_channel(s, k).name;
        values[k] = 0;
        if (strstr(name, ".position") || strstr(name, ".angle"))
            assert_int_equal(tn_session_value(&values[k], s, name), TN_OK);
    }
    return count;
}

/* The equilibrium of a model without drives is no higher than its start, not unstable, and the motion stays there. */
static void check_rested(counts *all, rested *x, double energy, uint32_t seed, const contact_model *m)
{
    double before[MOST_CHANNELS], after[MOST_CHANNELS], most = 0, risen = tn_session_summary(x->session).energy_end - energy;
    size_t count = positions_of(before, x->session);
    int code = tn_session_advance(x->session, tn_session_time(x->session) + 0.05);
    positions_of(after, x->session);
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(after[k] - before[k]));
    all->unstable += x->e->kind == TN_EQUILIBRIUM_UNSTABLE;
    all->rose += risen > MORE_ENERGY;
    all->moved += code < 0 || most > STAYS;
    if (code < 0 || most > STAYS || risen > MORE_ENERGY || x->e->kind == TN_EQUILIBRIUM_UNSTABLE)
        print_error("model %u (%s, friction %.3g): energy rises by %.3g J, then moves by %.3g in 0.05 s, code %d\n", seed,
                    m->kind, m->friction, risen, most, code);
}

static void try_model(counts *all, uint32_t seed, bool print)
{
    static contact_model m;
    contact_model_make(&m, seed);
    if (m.driven)
        return;
    if (print)
        puts(m.text);
    rested x = { .r = accepted(m.text) };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    double energy = tn_session_summary(x.session).energy_end;
    x.code = tn_session_statics(&x.e, x.session, NULL);
    all->models++;
    if (x.code < 0) {
        all->none += !says(&x.r, "nothing holds it");
        if (print || !says(&x.r, "nothing holds it"))
            tn_diagnostics_print(x.r.context, stderr);
    } else {
        check_rested(all, &x, energy, seed, &m);
    }
    close_rested(&x);
}

static void test_random_models(void **state)
{
    (void)state;
    const char *count = getenv("TENON_STATICS_MODELS"), *only = getenv("TENON_STATICS_SEED");
    uint32_t models = count ? (uint32_t)strtoul(count, NULL, 10) : MODELS;
    counts all = { 0 };
    if (only)
        try_model(&all, (uint32_t)strtoul(only, NULL, 10), true);
    for (uint32_t seed = 0; seed < models && !only; seed++)
        try_model(&all, seed, false);
    print_message("%ld models: %ld without equilibrium, %ld unstable, %ld moved, %ld rose\n", all.models, all.none,
                  all.unstable, all.moved, all.rose);
    assert_int_equal(all.none + all.moved + all.rose + all.unstable, 0);
}

/* A disc on a spring that just rests on another one, and this on the floor. At the end of the search the step gains less work than it
 * takes to close gaps of 1e-14 m. */
static void test_hung_disc(void **state)
{
    (void)state;
    rested x = rest(
        "tenon: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  ground: { shapes: [ { half_space: {} } ], frames: { hook: { at: [-0.02918, 0.6926] } } }\n"
        "  a: { mass: 0.7003, inertia: 0.004823, position: [0, 0.1274], angle: -0.4133, velocity: [-0.3929, "
        "-0.5477], angular_velocity: 0, frames: { eye: { at: [-0.006754, -0.07239] } }, shapes: [ { disc: { "
        "radius: 0.09972 } } ] }\n"
        "  b: { mass: 1.007, inertia: 0.00621, position: [-0.0005969, 0.5372], angle: 0, velocity: [-0.4959, 0], "
        "angular_velocity: 0, frames: { eye: { at: [-0.03728, 0.009977] } }, shapes: [ { disc: { radius: 0.08724 "
        "} } ] }\n"
        "forces:\n"
        "  f: { type: spring, between: [ground.hook, b.eye], stiffness: 75.42, length: 0.4293, damping: 0 }\n"
        "contacts:\n"
        "  c0: { between: [ground, a], friction: 0.9137 }\n"
        "  c1: { between: [ground, b], friction: 0.9137 }\n"
        "  c2: { between: [a, b], friction: 0.9137 }\n"
        "solve: { until: 0.5, impact: newton }\n");
    assert_int_equal(x.e->kind, TN_EQUILIBRIUM_STABLE);
    assert_true(x.e->residual <= 1e-10 * x.e->load);
    close_rested(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop),           cmocka_unit_test(test_door),
        cmocka_unit_test(test_from_the_top), cmocka_unit_test(test_between_stops),  cmocka_unit_test(test_held_by_both),
        cmocka_unit_test(test_nearest_is_refused), cmocka_unit_test(test_ratchet),
        cmocka_unit_test(test_ball),           cmocka_unit_test(test_groove),
        cmocka_unit_test(test_dragged_block),  cmocka_unit_test(test_slope),
        cmocka_unit_test(test_ladder),         cmocka_unit_test(test_rocker),
        cmocka_unit_test(test_box_in_space),   cmocka_unit_test(test_drive),
        cmocka_unit_test(test_hung_disc), cmocka_unit_test(test_random_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
