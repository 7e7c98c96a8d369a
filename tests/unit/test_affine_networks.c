/* Networks with affine equations, whose matrices are factored once: numbers that are set, differences of voltages that nearly cancel. */
#include "live_runs.h"
#include <math.h>
#include <stdio.h>

enum { NODES = 60 };               /* more than dense matrices take */

/* A chain of resistors of 2 ohm between 10 V and ground, with a capacitor in the middle that is charged through them. */
static machine chain(const char *last)
{
    char text[8000];
    int used = snprintf(text, sizeof text, "tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: n0, n: ground }, value: 10 V }\n");
    for (int k = 1; k <= NODES; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "  R%d: { type: resistor, at: { p: n%d, n: n%d }, resistance: 2 ohm }\n", k, k - 1, k);
    snprintf(text + used, sizeof text - (size_t)used, "%s", last);
    return machine_text(text);
}

static void must(machine *m, const char *command)
{
    machine_must(m, tn_session_apply(NULL, m->session, command));
}

/* The voltage of a node divides the 10 V by the resistances, whatever number is set, and after undo. */
static void test_numbers_that_are_set(void **state)
{
    (void)state;
    machine m = chain("  E: { type: resistor, at: { p: n60, n: ground }, resistance: 2 ohm }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "n20.voltage"), 10 * 41.0 / 61, 1e-13);
    must(&m, "{ set: { R5.resistance: 60 ohm } }");
    assert_near(value(&m, "n20.voltage"), 10 * 82.0 / 180, 1e-13);
    must(&m, "{ set: { E.resistance: 40 ohm, V.value: -5 V } }");
    assert_near(value(&m, "n20.voltage"), -5 * 120.0 / 218, 1e-13);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_near(value(&m, "n20.voltage"), 10 * 41.0 / 61, 1e-13);
    machine_close(&m);
}

/* A floating source with small resistances: its middle is held by conductances of 1e-9 S against the 1000 S of the rest, so a current of the
 * size of round-off, 24 V * 1000 S * 1e-16, would move it by 2 mV. */
static void test_floating_network(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: a, n: b }, value: 24 V }\n  R1: { type: resistor, at: { p: a, n: c }, resistance: 1 mohm }\n"
        "  R2: { type: resistor, at: { p: c, n: d }, resistance: 3 mohm }\n  R3: { type: resistor, at: { p: d, n: b }, resistance: 7 mohm }\n"
        "  G1: { type: switch, at: { p: a, n: ground }, closed: -1 }\n  G2: { type: switch, at: { p: b, n: ground }, closed: -1 }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "a.voltage"), 12, 1e-4);
    assert_near(value(&m, "V.i"), -24 / 11e-3, 1e-6);
    machine_close(&m);
}

/* The middle of the chain is charged through 40 ohm on one side and 44 on the other; cvode, ida and dopri5. */
static void test_charging(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "cvode", "ida" };
    const double r = 1 / (1.0 / 40 + 1.0 / 84), end = 10 * 84.0 / 124;
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        machine m = chain("  C: { type: capacitor, at: { p: n20, n: ground }, capacitance: 1 mF }\n"
                          "  E: { type: resistor, at: { p: n60, n: ground }, resistance: 4 ohm }\n");
        tn_solve solve = accurate(0.05);
        solve.integrator = integrators[k];
        solve.tolerance = solve.absolute_tolerance = k == 0 ? 1e-11 : 1e-8;
        machine_start(&m, solve);
        run_to(&m, 0.03);
        assert_near(value(&m, "C.u"), end * (1 - exp(-0.03 / (r * 1e-3))), k == 0 ? 1e-10 : 1e-6);
        must(&m, "{ set: { E.resistance: 44 ohm } }");
        const double before = value(&m, "C.u"), r2 = 1 / (1.0 / 40 + 1.0 / 124), end2 = 10 * 124.0 / 164;
        run_to(&m, 0.05);
        assert_near(value(&m, "C.u"), end2 + (before - end2) * exp(-0.02 / (r2 * 1e-3)), k == 0 ? 1e-10 : 1e-6);
        machine_close(&m);
    }
}

/* At a loose tolerance the network is not solved to round-off and its account takes parabolas: both stay far below the tolerance. Where
 * conductances are far apart, nothing is taken away from the solution. */
static void test_loose_tolerances(void **state)
{
    (void)state;
    const double r = 1 / (1.0 / 40 + 1.0 / 84), end = 10 * 84.0 / 124;
    machine m = chain("  C: { type: capacitor, at: { p: n20, n: ground }, capacitance: 1 mF }\n"
                      "  E: { type: resistor, at: { p: n60, n: ground }, resistance: 4 ohm }\n"
                      "  F: { type: voltage-source, at: { p: f0, n: f1 }, value: 24 V }\n  G: { type: switch, at: { p: f0, n: ground }, closed: -1 }\n"
                      "  H: { type: switch, at: { p: f1, n: ground }, closed: -1 }\n  K: { type: resistor, at: { p: f0, n: f1 }, resistance: 1 mohm }\n");
    tn_solve solve = accurate(0.05);
    solve.integrator = "cvode";
    solve.tolerance = solve.absolute_tolerance = 1e-4;
    machine_start(&m, solve);
    run_to(&m, 0.05);
    tn_summary sum = tn_session_summary(m.session);
    assert_near(value(&m, "C.u"), end * (1 - exp(-0.05 / (r * 1e-3))), 1e-4);
    assert_near(value(&m, "n21.voltage"), value(&m, "C.u") * 82 / 84, 1e-9);
    assert_near(value(&m, "f0.voltage"), 12, 1e-2);
    assert_true(sum.network_error <= 1e-4 * sum.network_scale);
    machine_close(&m);
}

/* Trial steps of an explicit method lead to voltages of 1e30 V, which the kept factors must survive: a ladder of 45 resistors and capacitors on
 * 5 V with an open end, v_k = 5 - 10 / (2 N + 1) sum cot(p_m / 2) sin(p_m k) exp(-2 (1 - cos p_m) t / RC), p_m = (2 m - 1) pi / (2 N + 1). */
static void test_trials_far_away(void **state)
{
    (void)state;
    enum { LONG = 45 };
    char text[8000];
    int used = snprintf(text, sizeof text, "tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: n0, n: ground }, value: 5 V }\n");
    for (int k = 1; k <= LONG; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "  R%d: { type: resistor, at: { p: n%d, n: n%d }, resistance: 100 ohm }\n"
                         "  C%d: { type: capacitor, at: { p: n%d, n: ground }, capacitance: 1 uF }\n", k, k - 1, k, k, k);
    machine m = machine_text(text);
    tn_solve solve = accurate(5e-3);
    solve.integrator = "dop853";
    solve.tolerance = solve.absolute_tolerance = 1e-12;
    machine_start(&m, solve);
    run_to(&m, 5e-3);
    double expected = 5;
    for (int n = 1; n <= LONG; n++) {
        const double p = (2 * n - 1) * acos(-1.0) / (2 * LONG + 1);
        expected -= 10.0 / (2 * LONG + 1) / tan(p / 2) * sin(5 * p) * exp(-2 * (1 - cos(p)) * 5e-3 / 1e-4);
    }
    assert_near(value(&m, "C5.u"), expected, 1e-10);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_that_are_set),
        cmocka_unit_test(test_floating_network),
        cmocka_unit_test(test_charging),
        cmocka_unit_test(test_loose_tolerances),
        cmocka_unit_test(test_trials_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
