/* Steps that were tried and not taken: where, how long, and why. */
#include "live_runs.h"

/* A force that grows within microseconds at 0.5 s; nothing happens before, so that steps are as long as they may be. */
static const char JUMP[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies: { block: { mass: 1, inertia: 1 } }\n"
    "joints: { slide: { type: translational, between: [ground, block] } }\n"
    "forces: { push: { type: force, on: block, value: ['(1 + tanh((t - 0.5 s) / 1 us)) * 500 N', 0] } }\n"
    "solve: { until: 1, max_step: 0.2 s }\n";

static void test_error_too_large(void **state)
{
    (void)state;
    machine m = start(JUMP, NULL);
    run_to(&m, 0.3);
    long before = tn_session_summary(m.session).rejected;
    assert_true(before > 0 || tn_session_refused(m.session).step == 0);
    run_to(&m, 0.9);
    assert_true(tn_session_summary(m.session).rejected > before);
    tn_refused last = tn_session_refused(m.session);
    assert_true(last.time <= 0.5 + 1e-4 && last.time + last.step >= 0.5 - 1e-4);
    assert_string_equal(last.why, "its error was too large");
    machine_close(&m);
}

/* The square root of what gets negative is no force. */
static void test_no_finite_force(void **state)
{
    (void)state;
    machine m = start("tenon: 1\n"
                      "dimension: 2\n"
                      "bodies: { block: { mass: 1, inertia: 1, position: [1, 0], velocity: [-2, 0] } }\n"
                      "joints: { slide: { type: translational, between: [ground, block], at: [0, 0] } }\n"
                      "forces: { push: { type: force, on: block, value: ['sqrt(block.position.x)', 0] } }\n"
                      "solve: { until: 3 }\n", NULL);
    assert_true(tn_session_run(m.session) < 0);
    tn_refused last = tn_session_refused(m.session);
    assert_true(last.step > 0 && last.why[0] != '\0');
    assert_null(strstr(last.why, "too large"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_too_large),
        cmocka_unit_test(test_no_finite_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
