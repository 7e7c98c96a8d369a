/* A session that goes to a time ends exactly there, whatever takes the steps; multiples of decimal lengths are decimal. */
#include "mechanisms.h"
#include "multiple.h"

#define PENDULUM                                                                                                       \
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                     \
    "bodies:\n  a: { mass: 1, inertia: 0.1, com: [0.5, 0] }\n"                                                          \
    "joints:\n  p: { type: revolute, between: [ground, a] }\n"
#define DRIVEN PENDULUM "drives: { d: { joint: p, angle: sin(2 rad/s * t) } }\n"
#define BALL                                                                                                           \
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                     \
    "bodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"                                                           \
    "  ball: { shapes: [ { sphere: { radius: 0.1 }, mass: 1 } ], position: [0, 0.3] }\n"                                \
    "contacts: { c: { among: [ground, ball], restitution: 0.5 } }\n"

static const double times[] = { 0.1, 0.3, 1.0 / 3, 0.5, 0.7, 0.9, 1.1 };
enum { TIMES = sizeof times / sizeof *times };

static machine opened(const char *model, const char *solve)
{
    machine m = machine_format("%ssolve: %s\n", model, solve);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static void go_through(tn_session *session)
{
    for (int k = 0; k < TIMES; k++) {
        assert_int_equal(tn_session_advance_to(session, times[k]), TN_OK);
        assert_true(tn_session_time(session) == times[k]);
    }
}

static void test_all_methods(void **state)
{
    (void)state;
    static const char *const solves[] = {
        "{ integrator: rk4, step: 1 ms }", "{ integrator: rk4, step: 3 ms }", "{ integrator: rk4, step: 0.0333333333333333 }",
        "{ integrator: heun, step: 0.7 ms }", "{ integrator: semi-implicit-euler, step: 1 ms }", "{ integrator: dopri5 }",
        "{ integrator: dop853 }", "{ integrator: cvode }", "{ integrator: ida }", "{ integrator: generalized-alpha }",
        "{ integrator: modular, step: 1 ms }", "{ integrator: rk4, step: 1 ms, contact: time-stepping }",
        "{ scheme: penalty, integrator: newmark-iterated, step: 1 ms }",
    };
    static const char *const models[] = { PENDULUM, BALL };        /* penalty, the last one, takes no contacts */
    const size_t count = sizeof solves / sizeof *solves;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < (k + 1 < count ? 2 : 1); i++) {
            machine m = opened(models[i], solves[k]);
            go_through(m.session);
            machine_close(&m);
        }
}

static void test_kinematics(void **state)
{
    (void)state;
    machine m = machine_text(DRIVEN);
    machine_must(&m, tn_session_open_kinematics(&m.session, m.model, NULL));
    go_through(m.session);
    machine_close(&m);
}

/* Fixed steps of decimal length end at decimals: a run that was stopped there goes on like one that was not. */
static void test_decimals(void **state)
{
    (void)state;
    assert_true(tn_multiple(3, 0.1) == 0.3);
    assert_true(tn_multiple(7, 0.0025) == 0.0175);
    assert_true(tn_multiple(100, 0.003) == 0.3);
    assert_true(tn_multiple(3, 1.0 / 3) == 1);
    assert_true(tn_multiple(-3, 0.1) == -0.3);
    assert_true(tn_multiple(1e15, 0.001) == 1e12);
    static const char forced[] = PENDULUM "forces: { f: { type: torque, on: a, value.z: \"2 N m * sin(5 rad/s * t)\" } }\n";
    machine x = opened(forced, "{ integrator: rk4, step: 1 ms }");
    machine y = opened(forced, "{ integrator: rk4, step: 1 ms }");
    for (int k = 1; k <= 10; k++)
        assert_int_equal(tn_session_advance_to(x.session, k / 10.0), TN_OK);
    assert_int_equal(tn_session_advance_to(y.session, 1), TN_OK);
    assert_true(tn_session_hash(x.session) == tn_session_hash(y.session));
    for (int k = 0; k < 100; k++)
        assert_int_equal(tn_session_advance(x.session, 0.01), TN_OK);
    assert_true(tn_session_time(x.session) == 2);
    machine_close(&x);
    machine_close(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_methods), cmocka_unit_test(test_kinematics), cmocka_unit_test(test_decimals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
