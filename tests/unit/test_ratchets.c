/* Ratchets against closed forms: where they hold, when they let go, and that they give nothing. */
#include "event_runs.h"

#define PI 3.14159265358979323846

static const char wheel[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies: { wheel: { mass: 1 kg, inertia: 1 } }\n"
    "outputs: [axle.angle]\n";

static run run_wheel(const char *ratchet, const char *torque, const char *solve)
{
    char text[600];
    snprintf(text, sizeof text,
             "joints: { axle: { type: revolute, between: [ground, wheel], at: [0, 0], ratchet: %s } }\n"
             "forces: { push: { type: torque, on: wheel, value: %s } }\n", ratchet, torque);
    return run_parts(wheel, text, solve);
}

static tn_impact only_impact(const run *x)
{
    assert_int_equal(tn_session_impact_count(x->session), 1);
    return tn_session_impact(x->session, 0);
}

/* Torque cos t from rest: the angle is 1 - cos t, up to 2, and would come back. Held from its fall to 1.4 until the torque
 * turns at 3 pi / 2. */
static void check_two_teeth(const char *solve, double tolerance)
{
    run x = run_wheel("{ pitch: 0.7 rad }", "1 N m * cos(t * 1 rad/s)", solve);
    double down = 2 * PI - acos(-0.4), speed = sqrt(1 - 0.16), end = 8, leaves = 1.5 * PI;
    tn_impact impact = only_impact(&x);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_string_equal(impact.name, "axle.angle.ratchet");
    assert_near(impact.time, down, tolerance);
    assert_near(impact.speed, speed, tolerance);
    assert_near(impact.impulse, speed, tolerance);
    assert_near(impact.loss, speed * speed / 2, tolerance);
    assert_near(value_of(&x, "axle.angle"), 1.4 + (end - leaves) - cos(end), 10 * tolerance);
    assert_near(value_of(&x, "axle.angle.tooth"), 0.7 * floor(value_of(&x, "axle.angle") / 0.7), 1e-14);
    assert_near(value_of(&x, "axle.angle.ratchet"), 0, 0);
    assert_near(tn_session_summary(x.session).energy_error, 0, tolerance);
    close_run(&x);
}

static void test_two_teeth(void **state)
{
    (void)state;
    check_two_teeth("solve: { until: 8, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n", 1e-8);
    check_two_teeth("solve: { until: 8, integrator: dop853, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n", 1e-9);
    check_two_teeth("solve: { until: 8, integrator: rk4, step: 0.02 }\n", 1e-7);
    check_two_teeth("solve: { until: 8, integrator: rk4, step: 0.02, solver: augmented, impact: poisson }\n", 1e-7);
}

static void test_held_on_the_tooth(void **state)
{
    (void)state;
    run x = run_wheel("{ coordinate: angle, way: up, pitch: 0.7 }", "1 N m * cos(t * 1 rad/s)", "solve: { until: 4.5 }\n");
    assert_near(value_of(&x, "axle.angle"), 1.4, 1e-12);
    assert_near(value_of(&x, "axle.angle.rate"), 0, 1e-12);
    assert_near(value_of(&x, "axle.angle.tooth"), 1.4, 0);
    assert_near(value_of(&x, "axle.angle.ratchet"), -cos(4.5), 1e-12);
    close_run(&x);
}

/* Without teeth it stops where it turns back, at 2: no impact, nothing lost. */
static void test_no_teeth(void **state)
{
    (void)state;
    run x = run_wheel("{ }", "1 N m * cos(t * 1 rad/s)", "solve: { until: 4.5, tolerance: 1e-10 }\n");
    assert_near(value_of(&x, "axle.angle"), 2, 1e-9);
    assert_near(value_of(&x, "axle.angle.tooth"), value_of(&x, "axle.angle"), 1e-12);
    assert_near(value_of(&x, "axle.angle.ratchet"), -cos(4.5), 1e-9);
    assert_int_equal(tn_session_impact_count(x.session), 0);
    assert_int_equal(tn_session_advance_to(x.session, 8), TN_OK);
    assert_near(value_of(&x, "axle.angle"), 2 + (8 - 1.5 * PI) - cos(8), 1e-8);
    assert_near(tn_session_summary(x.session).energy_error, 0, 1e-8);
    close_run(&x);
}

/* The other way round, everything is; to the bit, as nothing but signs differ. */
static void test_down(void **state)
{
    (void)state;
    run up = run_wheel("{ pitch: 0.7 }", "1 N m * cos(t * 1 rad/s)", "solve: { until: 4.5 }\n");
    run down = run_wheel("{ way: down, pitch: 0.7 }", "-1 N m * cos(t * 1 rad/s)", "solve: { until: 4.5 }\n");
    assert_near(value_of(&down, "axle.angle"), -value_of(&up, "axle.angle"), 0);
    assert_near(value_of(&down, "axle.angle.ratchet"), -value_of(&up, "axle.angle.ratchet"), 0);
    assert_near(only_impact(&down).time, only_impact(&up).time, 0);
    close_run(&up);
    close_run(&down);
}

/* A constant torque pulls back: thrown up from the tooth by v it comes back with v after 2 v, and with v / 2 next. */
static void test_rebound(void **state)
{
    (void)state;
    run x = run_wheel("{ pitch: 1, restitution: 0.5 }", "-1 N m",
                      "initial: { axle: { angle: 0.25, rate: 1.5 } }\nsolve: { until: 12, max_step: 0.5 }\n");
    double v = sqrt(2 * 0.375), t = 1.5 + v;                   /* the top is at 1.375, the tooth at 1 */
    for (size_t k = 0; k < 8; k++) {
        tn_impact impact = tn_session_impact(x.session, k);
        assert_near(impact.time, t, 1e-10);
        assert_near(impact.speed, v, 1e-10);
        assert_true(impact.loss > 0);
        v /= 2;
        t += 2 * v;
    }
    assert_near(value_of(&x, "axle.angle"), 1, 1e-12);
    assert_near(value_of(&x, "axle.angle.ratchet"), 1, 1e-12);
    close_run(&x);
}

/* ---- a hoist, pull after pull ---- */

enum { PULLS = 4 };
static const double PITCH = 0.2, LOAD = 0.4;           /* rad; N m, against sin t of 1 N m */

/* Angle that a pull has won at the time t after sin t has become zero. */
static double won(double t)
{
    double begin = asin(LOAD);
    return (t - begin) * cos(begin) - (sin(t) - sin(begin)) - LOAD * (t - begin) * (t - begin) / 2;
}

/* When it is highest. */
static double top(void)
{
    double best = 0;
    for (double t = asin(LOAD); t < 2 * PI; t += 1e-5)
        best = won(t) > won(best) || best == 0 ? t : best;
    return best;
}

/* The time at which it has fallen back to this. */
static double fallen(double angle)
{
    double a = top(), b = 2 * PI;
    for (int k = 0; k < 200; k++)
        *(won((a + b) / 2) > angle ? &a : &b) = (a + b) / 2;
    return b;
}

/* What rests lets steps get long: a pull must not be slept through. */
static void test_hoist(void **state)
{
    (void)state;
    double step = PITCH * floor(won(top()) / PITCH), down = fallen(step);
    assert_true(step >= PITCH);
    run x = run_wheel("{ pitch: 0.2 }", "1 N m * sin(t * 1 rad/s) - 0.4 N m",
                      "solve: { until: 25, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n");
    assert_int_equal(tn_session_impact_count(x.session), PULLS);
    for (int k = 0; k < PULLS; k++) {
        tn_impact impact = tn_session_impact(x.session, (size_t)k);
        assert_near(impact.time, 2 * PI * k + down, 1e-8);
        assert_true(impact.loss > 0);
    }
    assert_near(value_of(&x, "axle.angle"), PULLS * step, 1e-9);
    assert_near(tn_session_summary(x.session).energy_error, 0, 1e-8);
    close_run(&x);
}

/* ---- edits ---- */

static void test_edits(void **state)
{
    (void)state;
    run x = run_wheel("{ pitch: 0.7 }", "1 N m * cos(t * 1 rad/s)", "solve: { until: 4.5 }\n");
    assert_int_equal(tn_session_apply(NULL, x.session, "{ set: { axle.ratchet.pitch: 0.5 rad } }"), TN_OK);
    assert_near(value_of(&x, "axle.angle.tooth"), 1, 0);
    assert_near(value_of(&x, "axle.angle.ratchet"), 0, 0);
    assert_int_equal(tn_session_undo(NULL, x.session, true), TN_OK);
    assert_near(value_of(&x, "axle.angle.tooth"), 1.4, 0);
    assert_near(value_of(&x, "axle.angle.ratchet"), -cos(4.5), 1e-12);
    assert_int_equal(tn_session_apply(NULL, x.session, "{ state: { axle: { angle: 0.3 } } }"), TN_OK);
    assert_near(value_of(&x, "axle.angle.tooth"), 0, 0);       /* the pawl was lifted */
    assert_int_equal(tn_session_apply(NULL, x.session, "{ set: { axle.ratchet: none } }"), TN_OK);
    assert_int_equal(tn_model_ratchet(tn_session_model(x.session), tn_model_find(tn_session_model(x.session), "axle")).way,
                     0);
    assert_int_equal(tn_session_advance(x.session, 0.2), TN_OK);
    assert_true(value_of(&x, "axle.angle") < 0.3);
    close_run(&x);
}

static void test_messages(void **state)
{
    (void)state;
    static const char head[] = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
                               "joints: { p: { type: revolute, between: [ground, a], at: [0, 0], ratchet: ";
    static const struct { const char *ratchet, *message; } cases[] = {
        { "{ coordinate: angel } } }\n", "a revolute joint has no coordinate 'angel'; did you mean 'angle'?" },
        { "{ pitch: -1 } } }\n", "pitch" },
        { "{ pitch: 1 m } } }\n", "1 m" },
        { "{ way: sideways } } }\n", "'way' is sideways, must be up or down" },
        { "{ restitution: 2 } } }\n", "ratchet: restitution 2 must be between 0 and 1" },
        { "{ pich: 2 } } }\n", "unknown key 'pich'; did you mean 'pitch'?" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[500];
        snprintf(text, sizeof text, "%s%s", head, cases[k].ratchet);
        refused(text, cases[k].message);
    }
    refused("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
            "joints: { p: { type: fixed, between: [ground, a], at: [0, 0], ratchet: { } } }\n", "takes no ratchet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_teeth),     cmocka_unit_test(test_held_on_the_tooth),
        cmocka_unit_test(test_no_teeth),      cmocka_unit_test(test_down),
        cmocka_unit_test(test_rebound),       cmocka_unit_test(test_hoist),
        cmocka_unit_test(test_edits),         cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
