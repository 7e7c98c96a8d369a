/* A light link that carries a body 1e12 times as heavy: accelerations have no noise of the heavy body's forces, so integrators need no more
 * steps than with links of some weight. */
#include "mechanisms.h"
#include "mem.h"

static machine carried(double light)
{
    return machine_format("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                          "bodies:\n"
                          "  link: { mass: %.17g, inertia: %.17g, position: [0.5, 0] }\n"
                          "  block: { mass: 1e6, inertia: 1e5, position: [1.5, 0] }\n"
                          "  tail: { mass: %.17g, inertia: %.17g, position: [2.5, 0] }\n"
                          "joints:\n"
                          "  p: { type: revolute, between: [ground, link], at: [0, 0] }\n"
                          "  q: { type: revolute, between: [link, block], at: [1, 0] }\n"
                          "  r: { type: revolute, between: [block, tail], at: [2, 0] }\n", light, 0.1 * light, light, 0.1 * light);
}

static tn_solve settings(const char *solver, const char *integrator, double tolerance)
{
    tn_solve solve = tn_solve_default();
    solve.solver = solver;
    solve.integrator = integrator;
    solve.tolerance = tolerance;
    solve.absolute_tolerance = tolerance;
    solve.until = solve.record = 0.3;
    return solve;
}

static void test_steps(void **state)
{
    (void)state;
    static const char *const solvers[] = { "direct", "hierarchical" }, *const integrators[] = { "cvode", "generalized-alpha", "ida", "dopri5" };
    machine best = carried(1e-6);
    machine_run(&best, settings("direct", "dop853", 1e-12));
    for (size_t s = 0; s < TN_LENGTH(solvers); s++)
        for (size_t i = 0; i < TN_LENGTH(integrators); i++) {
            machine light = carried(1e-6), usual = carried(1e3);
            const tn_summary with_light = machine_run(&light, settings(solvers[s], integrators[i], 1e-7));
            const tn_summary with_usual = machine_run(&usual, settings(solvers[s], integrators[i], 1e-7));
            if (with_light.steps > 2 * with_usual.steps)
                fail_msg("%s, %s: %ld steps, with links of some weight %ld", solvers[s], integrators[i], with_light.steps, with_usual.steps);
            assert_near(value(&light, "block.angle"), value(&best, "block.angle"), 1e-5);
            assert_near(value(&light, "tail.angle"), value(&best, "tail.angle"), 1e-5);
            machine_close(&light);
            machine_close(&usual);
        }
    machine_close(&best);
}

/* The link's end goes where the block's does: the acceleration at its middle is half of that at the joint, but for the turn. */
static void test_noise(void **state)
{
    (void)state;
    static const char *const solvers[] = { "direct", "hierarchical" };
    for (size_t s = 0; s < TN_LENGTH(solvers); s++) {
        machine m = carried(1e-6);
        machine_run(&m, settings(solvers[s], "dopri5", 1e-9));
        const double w = value(&m, "link.angular_velocity"), alpha = value(&m, "link.angular_acceleration"), angle = value(&m, "link.angle");
        assert_near(value(&m, "link.acceleration.x"), 0.5 * (-alpha * sin(angle) - w * w * cos(angle)), 1e-11);
        assert_near(value(&m, "link.acceleration.y"), 0.5 * (alpha * cos(angle) - w * w * sin(angle)), 1e-11);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps), cmocka_unit_test(test_noise) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
