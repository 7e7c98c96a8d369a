/* Angles count over full turns, however long the steps would be that the motion allows. */
#include "mechanisms.h"
#include <math.h>

static const char *const bodies[] = {
    "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 0.5 } }\n"
    "joints: { j: { type: revolute, between: [ground, a] } }\n",
    "tenon: 1\ndimension: 3\nbodies: { a: { mass: 1, inertia: [0.5, 0.5, 0.5] } }\n"
    "joints: { j: { type: revolute, between: [ground, a] } }\n",
};
static const char *const integrators[] = { "dopri5", "cvode" };

static machine start(const char *body, const char *more)
{
    machine m = machine_format("%s%s", body, more);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

/* Constant torque: a polynomial, in which the error of a step is none. */
static void test_run_up(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 2; k++) {
            char more[200];
            snprintf(more, sizeof more, "forces: { motor: { type: torque, on: a, value.z: 1 kN m } }\n"
                                        "solve: { integrator: %s }\n", integrators[k]);
            machine m = start(bodies[d], more);
            for (double t = 0.1; t < 0.45; t += 0.1) {
                machine_must(&m, tn_session_advance(m.session, t - tn_session_time(m.session)));
                assert_near(value(&m, "j.angle"), 0.5 * 2000 * t * t, 1e-4);
            }
            machine_close(&m);
        }
}

/* A soft torsion spring, wound up by eight turns: what it does depends on the count. */
static void test_unwinding(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        machine m = start(bodies[d], "forces: { s: { type: torsion-spring, joint: j, stiffness: 0.5 N m } }\n"
                                     "initial: { j: { angle: 50 } }\nsolve: { tolerance: 1e-9 }\n");
        machine_must(&m, tn_session_advance(m.session, 5));
        assert_near(value(&m, "j.angle"), 50 * cos(5), 1e-5);
        machine_close(&m);
    }
}

/* Steps that the user fixed are not shortened. */
static void test_steps_too_long(void **state)
{
    (void)state;
    machine m = start(bodies[0], "initial: { j: { rate: 30 } }\nsolve: { integrator: rk4, step: 0.1 s }\n");
    assert_int_equal(tn_session_advance(m.session, 1), TN_ERROR_STEP);
    const tn_diagnostic *d = tn_diagnostics_get(m.context, 0);
    assert_non_null(strstr(d->message, "a joint turns too far in it to count its turns"));
    assert_near(tn_session_time(m.session), 0, 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_up),
        cmocka_unit_test(test_unwinding),
        cmocka_unit_test(test_steps_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
