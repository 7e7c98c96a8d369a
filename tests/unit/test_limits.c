/* Stops of joints against closed forms: when they are hit, what is left of the speed, resting, leaving, and going on from
 * any moment to the bit. */
#include "event_runs.h"
#include "tenon/history.h"
#include <unistd.h>

#define PI 3.14159265358979323846

static void assert_impact(const run *x, size_t index, const char *name, double time, double speed, double tolerance)
{
    assert_true(index < tn_session_impact_count(x->session));
    tn_impact impact = tn_session_impact(x->session, index);
    assert_string_equal(impact.name, name);
    assert_near(impact.time, time, tolerance);
    assert_near(impact.speed, speed, 10 * tolerance);
}

/* ---- an arm between two stops, without gravity ---- */

static const char arm[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies: { arm: { mass: 2 kg, inertia: 1 } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, arm], at: [0, 0],\n"
    "           limits: { angle: [-0.5 rad, 1 rad], restitution: 0.8 } }\n"
    "outputs: [pivot.angle, energy.error]\n";

/* Constant speed between the stops: the times are a geometric series. */
static void check_arm(const char *solve)
{
    run x = run_parts(arm, "initial: { pivot: { angle: 0, rate: 2 } }\n", solve);
    double t = 0.5, speed = 2, inertia = 1;
    assert_int_equal(x.code, TN_NEWS_END);
    for (size_t k = 0; k < 6; k++, t += 1.5 / speed) {
        assert_impact(&x, k, k % 2 ? "pivot.angle.low" : "pivot.angle.high", t, speed, 1e-11);
        assert_near(tn_session_impact(x.session, k).impulse, 1.8 * speed * inertia, 1e-10);
        assert_near(tn_session_impact(x.session, k).loss, (1 - 0.64) * inertia * speed * speed / 2, 1e-10);
        speed *= 0.8;
    }
    assert_near(tn_session_summary(x.session).energy_error, 0, 1e-12);
    close_run(&x);
}

static void test_arm_between_stops(void **state)
{
    (void)state;
    static const char *const solves[] = {
        "solve: { until: 9, max_step: 0.5 }\n",
        "solve: { until: 9, max_step: 0.5, impact: newton, integrator: dop853 }\n",
        "solve: { until: 9, max_step: 0.5, impact: poisson, record: step }\n",
        "solve: { until: 9, max_step: 0.5, integrator: rk4, step: 0.01 }\n",
        "solve: { until: 9, max_step: 0.5, integrator: rk4, step: 0.4, solver: augmented }\n",
        "solve: { until: 9, max_step: 0.5, solver: uzawa }\n",
        "solve: { until: 9, max_step: 0.5, integrator: heun, step: 0.05 }\n",
        "solve: { until: 9, max_step: 0.5, integrator: newmark, step: 0.05 }\n",
        "solve: { until: 9, max_step: 0.5, integrator: semi-implicit-euler, step: 0.05 }\n",
        "solve: { until: 9, max_step: 0.5, integrator: generalized-alpha, step: 0.05 }\n",
        "solve: { until: 9, max_step: 0.5, integrator: cvode }\n",
        "solve: { until: 9, max_step: 0.5, integrator: ida }\n",
    };
    for (size_t k = 0; k < sizeof solves / sizeof solves[0]; k++)
        check_arm(solves[k]);
}

/* ---- a pendulum and a stop below its pivot ---- */

/* Complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic(double modulus)
{
    double a = 1, b = sqrt(1 - modulus * modulus);
    for (int k = 0; k < 12; k++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

static void test_pendulum_and_stop(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: { bob: { mass: 3 kg, inertia: 1e-30, position: [0, -1] } }\n"
        "joints: { pivot: { type: revolute, between: [ground, bob], at: [0, 0],\n"
        "                   limits: { angle: [0, none], restitution: 0.9 } } }\n",
        "initial: { pivot: { angle: 70 deg } }\n", "solve: { until: 12, integrator: dop853, tolerance: 1e-13,\n"
        "         absolute_tolerance: 1e-13 }\n");
    double amplitude = 70 * PI / 180, t = elliptic(sin(amplitude / 2)) / sqrt(G);
    for (size_t k = 0; k < 6; k++) {
        double speed = 2 * sqrt(G) * sin(amplitude / 2);
        assert_impact(&x, k, "pivot.angle.low", t, speed, 1e-9);
        amplitude = 2 * asin(0.9 * sin(amplitude / 2));
        t += 2 * elliptic(sin(amplitude / 2)) / sqrt(G);
    }
    assert_near(tn_session_summary(x.session).energy_error, 0, 1e-9);
    close_run(&x);
}

/* ---- falling on a stop ---- */

static const char lift[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: { cage: { mass: 2 kg, inertia: 1 } }\n"
    "joints:\n"
    "  rail: { type: translational, between: [ground, cage], axis: y, limits: { position: [0, none], restitution: 0.5 } }\n"
    "initial: { rail: { position: 1 } }\n"
    "outputs: [rail.position]\n";

/* Infinitely many bounces in a finite time; then it rests. */
static void test_accumulation(void **state)
{
    (void)state;
    run x = run_parts(lift, "", "solve: { until: 3, resting_speed: 1e-9 }\n");
    double v = sqrt(2 * G), t = v / G;
    for (size_t k = 0; k < 20; k++) {
        assert_impact(&x, k, "rail.position.low", t, v, 1e-11);
        v /= 2;
        t += 2 * v / G;
    }
    size_t last = tn_session_impact_count(x.session) - 1;
    assert_near(tn_session_impact(x.session, last).time, 3 * sqrt(2 / G), 1e-9);
    assert_in_range(last, 30, 40);
    assert_near(value_of(&x, "rail.position"), 0, 1e-15);
    assert_near(value_of(&x, "rail.position.rate"), 0, 1e-15);
    assert_near(value_of(&x, "rail.position.limit"), 2 * G, 1e-12);
    assert_near(value_of(&x, "energy.error"), 0, 1e-12);
    assert_near(value_of(&x, "energy.work"), -2 * G, 1e-12);
    close_run(&x);
}

/* The default resting speed is a millionth of the first impact's. */
static void test_default_rest(void **state)
{
    (void)state;
    run x = run_parts(lift, "", "solve: { until: 3 }\n");
    assert_in_range(tn_session_impact_count(x.session), 20, 22);
    assert_near(value_of(&x, "rail.position.limit"), 2 * G, 1e-12);
    close_run(&x);
}

/* Two rails that say the same, with a stop each: the pair bears the load, whoever of the two. */
static void test_redundant_stops(void **state)
{
    (void)state;
    static const char *const rules[] = { "sequence", "newton", "poisson" };
    for (size_t k = 0; k < 3; k++) {
        char solve[80];
        snprintf(solve, sizeof solve, "solve: { until: 3, impact: %s }\n", rules[k]);
        run x = run_parts(
            "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "bodies: { cage: { mass: 2 kg, inertia: 1 } }\n"
            "joints:\n"
            "  a: { type: translational, between: [ground, cage], axis: y, limits: { position: [-1, 2], restitution: 0.5 } }\n"
            "  b: { type: translational, between: [ground, cage], axis: y, limits: { position: [-1, 2], restitution: 0.5 } }\n"
            "initial: { a: { position: 0 } }\n", "", solve);
        assert_near(tn_session_impact(x.session, 0).time, sqrt(2 / G), 1e-11);
        assert_near(value_of(&x, "a.position"), -1, 1e-12);
        assert_near(value_of(&x, "a.position.limit") + value_of(&x, "b.position.limit"), 2 * G, 1e-10);
        assert_near(value_of(&x, "energy.error"), 0, 1e-10);
        close_run(&x);
    }
}

/* Three carriages without joints between them arrive at the same time; each has its own restitution. */
static void test_several_at_once(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\n"
        "bodies:\n"
        "  a: { mass: 1 kg, inertia: 1 }\n  b: { mass: 2 kg, inertia: 1 }\n  c: { mass: 3 kg, inertia: 1 }\n"
        "joints:\n"
        "  ra: { type: pin-in-slot, between: [ground, a], axis: x, limits: { position: [none, 1], restitution: 1 } }\n"
        "  rb: { type: pin-in-slot, between: [ground, b], axis: x, limits: { position: [none, 2], restitution: 0.5 } }\n"
        "  rc: { type: pin-in-slot, between: [ground, c], axis: x, limits: { position: [none, 3] } }\n",
        "initial: { ra: { position: 0, rate: 1 }, rb: { position: 0, rate: 2 }, rc: { position: 0, rate: 3 } }\n",
        "solve: { until: 2 }\n");
    assert_int_equal(tn_session_summary(x.session).impacts, 1);
    assert_int_equal(tn_session_impact_count(x.session), 3);
    assert_near(value_of(&x, "a.position.x"), 0, 1e-12);
    assert_near(value_of(&x, "b.position.x"), 1, 1e-12);
    assert_near(value_of(&x, "c.position.x"), 3, 1e-12);
    assert_near(tn_session_impact(x.session, 0).loss, 0.75 * 4 + 13.5, 1e-12);
    close_run(&x);
}

/* ---- leaving a stop ---- */

/* A motor presses with t - 1 N m: the arm leaves its stop at t = 1, and its angle is (t - 1)^3 / 6 J. */
static void check_leaving(const char *solve)
{
    run x = run_parts(
        "tenon: 1\ndimension: 2\n"
        "bodies: { arm: { mass: 2 kg, inertia: 1 } }\n"
        "joints: { pivot: { type: revolute, between: [ground, arm], at: [0, 0], limits: { angle: [0, 10] } } }\n"
        "forces: { motor: { type: motor, joint: pivot, value: \"(t - 1 s) * 1 N m/s\" } }\n", "", solve);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_session_impact_count(x.session), 0);
    assert_near(value_of(&x, "pivot.angle"), 8.0 / 6, 1e-9);
    assert_near(value_of(&x, "pivot.angle.limit"), 0, 1e-15);
    close_run(&x);
}

static void test_leaving(void **state)
{
    (void)state;
    check_leaving("solve: { until: 3 }\n");
    check_leaving("solve: { until: 3, integrator: rk4, step: 0.013 }\n");
    check_leaving("solve: { until: 3, integrator: dop853, solver: augmented }\n");
}

/* A drive has the last word over a stop: the run ends with a message that names it. */
static void test_drive_through(void **state)
{
    (void)state;
    run x = run_parts(arm, "drives: { turn: { joint: pivot, angle: 0.7 * t } }\n", "solve: { until: 3 }\n");
    assert_int_equal(x.code, TN_ERROR_STEP);
    assert_near(tn_session_time(x.session), 1 / 0.7, 1e-9);
    must_say(&x.r, "'pivot.angle.high' at t = 1.42857143 s: no impulse stops it");
    close_run(&x);
}

/* ---- moments ---- */

static uint64_t hash_of(const run *x)
{
    return tn_session_hash(x->session);
}

/* Undo, seeking, saving and loading across impacts and while resting: the same state to the bit. */
static void test_moments(void **state)
{
    (void)state;
    run x = run_parts(lift, "", "solve: { until: 0.2, resting_speed: 1e-3 }\n");
    char path[] = "/tmp/tenon-limits-XXXXXX";
    tn_session *other = NULL;
    double times[] = { 0.6, 1.3, 1.5, 2.2 };
    uint64_t hashes[4];
    close(mkstemp(path));
    assert_int_equal(tn_session_keep_rewind(x.session, 1 << 20, 0.05), TN_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(tn_session_advance_to(x.session, times[k]), TN_OK);
        hashes[k] = hash_of(&x);
        assert_int_equal(tn_session_save(x.session, path), TN_OK);
        assert_int_equal(tn_session_load(&other, x.r.context, path), TN_OK);
        assert_int_equal(tn_session_hash(other), hashes[k]);
        if (k == 1) {                                  /* at rest since: a jump makes it leave, undo takes it back */
            assert_int_equal(tn_session_apply(NULL, other, "{ state: { rail: { rate: 1 } } }"), TN_OK);
            assert_int_equal(tn_session_advance(other, 0.01), TN_OK);
            assert_int_equal(tn_session_undo(NULL, other, true), TN_OK);
            assert_int_equal(tn_session_hash(other), hashes[k]);
        }
        assert_int_equal(tn_session_advance_to(other, 2.5), TN_OK);
        tn_session_close(other);
    }
    for (int k = 3; k >= 0; k--) {
        assert_int_equal(tn_session_seek(x.session, times[k]), TN_OK);
        assert_int_equal(hash_of(&x), hashes[k]);
    }
    for (int k = 1; k < 4; k++) {
        assert_int_equal(tn_session_advance_to(x.session, times[k]), TN_OK);
        assert_int_equal(hash_of(&x), hashes[k]);
    }
    unlink(path);
    close_run(&x);
}

/* ---- edits and files ---- */

static void test_edits(void **state)
{
    (void)state;
    run x = run_parts(lift, "", "solve: { until: 2.5 }\n");
    tn_ack ack;
    assert_near(value_of(&x, "rail.position.limit"), 2 * G, 1e-12);
    assert_int_equal(tn_session_apply(&ack, x.session, "{ set: { } }"), TN_OK);
    assert_int_equal(tn_session_apply(&ack, x.session, "{ gravity: [0, -5] }"), TN_OK);
    assert_near(value_of(&x, "rail.position.limit"), 10, 1e-12);
    assert_int_equal(tn_session_apply(&ack, x.session, "{ gravity: [0, 5] }"), TN_OK);
    assert_near(value_of(&x, "rail.position.limit"), 0, 1e-12);
    assert_int_equal(tn_session_advance(x.session, 0.2), TN_OK);
    assert_near(value_of(&x, "rail.position"), 0.1, 1e-12);
    assert_int_equal(tn_session_apply(&ack, x.session,
                                      "{ replace: { joints: { rail: { type: translational, between: [ground, cage],"
                                      " axis: y, limits: { position: [0.2, 1] } } } } }"), TN_ERROR_ASSEMBLY);
    assert_int_equal(tn_session_apply(&ack, x.session,
                                      "{ replace: { joints: { rail: { type: translational, between: [ground, cage],"
                                      " axis: y, limits: { position: [-1, 0.5] } } } } }"), TN_OK);
    assert_int_equal(tn_session_advance(x.session, 2), TN_OK);
    assert_near(value_of(&x, "rail.position"), 0.5, 1e-12);
    assert_near(value_of(&x, "rail.position.limit"), -10, 1e-12);
    assert_int_equal(tn_session_undo(&ack, x.session, false), TN_OK);
    assert_near(value_of(&x, "rail.position.limit"), 0, 1e-12);
    close_run(&x);
}

static void test_messages(void **state)
{
    (void)state;
    static const char head[] = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
                               "joints: { p: { type: revolute, between: [ground, a], at: [0, 0], limits: ";
    static const struct { const char *limits, *message; } cases[] = {
        { "{ angel: [0, 1] } } }\n", "a revolute joint has no coordinate 'angel'; did you mean 'angle'?" },
        { "{ angle: [1, 0] } } }\n", "limits of 'angle': the lower one, 1, must be below the upper one, 0" },
        { "{ angle: [0] } } }\n", "the limits of 'angle' must be a list of two, [low, high]" },
        { "{ angle: [0, 1], restitution: 2 } } }\n", "limits of 'angle': restitution 2 must be between 0 and 1" },
        { "{ angle: [0 m, 1] } } }\n", "0 m" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[500];
        snprintf(text, sizeof text, "%s%s", head, cases[k].limits);
        refused(text, cases[k].message);
    }
}

/* Schemes without projection let joints drift: said at once. */
static void test_schemes(void **state)
{
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, "%ssolve: { scheme: baumgarte, step: 1e-3 }\n", arm);
    reading r = accepted(text);
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_ERROR_MODEL);
    must_say(&r, "scheme 'baumgarte' lets joints drift apart");
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arm_between_stops),
        cmocka_unit_test(test_pendulum_and_stop),
        cmocka_unit_test(test_accumulation),
        cmocka_unit_test(test_default_rest),
        cmocka_unit_test(test_redundant_stops),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_drive_through),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_schemes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
