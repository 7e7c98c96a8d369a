/* Forces that act on a short part of the way only: integrators that choose their steps pass over none of them. A mass flies at 1 m/s and
 * meets a force over 1 to 4 cm; the work of the force gives its speed behind. */
#include "mechanisms.h"

static const struct { const char *force; double work; } bumps[] = {
    { "20 N * exp(-((p.position.x - 1 m) / (0.01 m))^2)", 0.2 * 1.7724538509055160 },
    { "if(p.position.x > 1 m and p.position.x < 1.02 m, 20 N, 0 N)", 0.4 },
    { "20 N * max(0, 1 - abs((p.position.x - 1 m) / (0.02 m)))", 0.4 },
    { "table(p.position.x)", 0.4 },
    { "20 N * step(p.position.x, 1 m, 1.01 m) * step(p.position.x, 1.03 m, 1.02 m)", 0.4 },
    { "-20 N * exp(-((norm(p.position) - 1 m) / (0.01 m))^2)", -0.2 * 1.7724538509055160 },
};
static const char *const step_choosers[] = { "dopri5", "dop853", "cvode", "ida", "generalized-alpha" };

static machine flight(const char *force)
{
    return machine_format("tenon: 1\ndimension: 2\n"
                          "bodies: { p: { type: particle, mass: 1, position: [0, 0], velocity: [1, 0] } }\n"
                          "forces: { f: { type: force, on: p, value: [\"%s\", 0] } }\n"
                          "tables: { table: { x: [0 m, 0.99 m, 1 m, 1.01 m, 1.02 m, 2 m], y: [0 N, 0 N, 20 N, 20 N, 0 N, 0 N], "
                          "kind: linear } }\n", force);
}

static void test_narrow_forces(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bumps / sizeof *bumps; k++)
        for (size_t i = 0; i < sizeof step_choosers / sizeof *step_choosers; i++) {
            machine m = flight(bumps[k].force);
            tn_solve solve = tn_solve_default();
            solve.integrator = step_choosers[i];
            solve.until = solve.record = 3;
            machine_run(&m, solve);
            assert_near(value(&m, "p.velocity.x"), sqrt(1 + 2 * bumps[k].work), 1e-3);
            machine_close(&m);
        }
}

/* A force that is sharp nowhere on the way costs no steps. */
static void test_smooth_forces(void **state)
{
    (void)state;
    long steps[2];
    for (int k = 0; k < 2; k++) {
        machine m = flight(k ? "-30 N/m * p.position.x + max(0 N, p.position.x * 1 N/m - 5 N)" : "-30 N/m * p.position.x");
        tn_summary sum = machine_run(&m, accurate(3));
        steps[k] = sum.steps + sum.rejected;
        assert_near(value(&m, "p.position.x"), sin(3 * sqrt(30)) / sqrt(30), 1e-9);
        machine_close(&m);
    }
    assert_int_equal(steps[0], steps[1]);
}

static unsigned doubts_of(machine *m, const char *integrator, double step)
{
    tn_summary sum = machine_run(m, fixed_steps(integrator, step, 2));
    return sum.doubts;
}

/* Fixed steps that pass over a force say so, once, with its name; those that are short enough do not. The motion stays as it is. */
static void test_fixed_steps(void **state)
{
    (void)state;
    static const char *const methods[] = { "rk4", "heun", "semi-implicit-euler" };
    for (size_t k = 0; k < sizeof bumps / sizeof *bumps; k++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            machine m = flight(bumps[k].force), n = flight(bumps[k].force);
            assert_int_equal(doubts_of(&m, methods[i], 0.3), 1u << TN_DOUBT_MOTION);
            assert_int_equal(tn_diagnostics_count(m.context), 1);
            assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "passes over a part of 'f'"));
            assert_int_equal(doubts_of(&n, methods[i], 1e-3), 0);
            assert_near(value(&n, "p.velocity.x"), sqrt(1 + 2 * bumps[k].work), 2e-2);
            machine_close(&m);
            machine_close(&n);
        }
}

/* Devices beside the force change nothing in that. */
static void test_beside_devices(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\n"
                             "bodies: { p: { type: particle, mass: 1, position: [0, 0], velocity: [1, 0] } }\n"
                             "forces: { f: { type: force, on: p, value: [\"20 N * exp(-((p.position.x - 1 m) / (0.01 m))^2)\", 0] } }\n"
                             "devices:\n  V: { type: voltage-source, at: { p: a, n: ground }, value: 12 V }\n"
                             "  R: { type: resistor, at: { p: a, n: b }, resistance: 4 ohm }\n"
                             "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 F }\n");
    tn_solve solve = tn_solve_default();
    solve.until = solve.record = 3;
    machine_run(&m, solve);
    assert_near(value(&m, "p.velocity.x"), sqrt(1 + 2 * bumps[0].work), 1e-3);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_narrow_forces), cmocka_unit_test(test_smooth_forces), cmocka_unit_test(test_fixed_steps),
                                        cmocka_unit_test(test_beside_devices) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
