/* Devices of one type that differ in places and numbers share tapes and are evaluated side by side: each has values of its own. */
#include "live_runs.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 21 };                /* not a multiple of the lanes */

static machine with_devices(const char *devices)
{
    char text[12000];
    snprintf(text, sizeof text, "tenon: 1\ndevices:\n%s", devices);
    return machine_text(text);
}

/* Parts of one type with every kind of difference: capacitors with and without series resistance (one of them zero), turned round, and
 * charged at the start; resistors with heat at a node and without. Each circuit is 10 V - resistor - capacitor. */
static void test_alike_and_not(void **state)
{
    (void)state;
    char text[12000];
    int used = snprintf(text, sizeof text, "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
                        "  H: { type: heat-capacity, at: { a: w }, capacity: 2 J/K, temperature: 300 K }\n");
    for (int k = 1; k <= MANY; k++) {
        const bool turned = k % 3 == 0;
        used += snprintf(text + used, sizeof text - (size_t)used, "  R%d: { type: resistor, at: { p: s, n: c%d%s }, resistance: %d ohm }\n",
                         k, k, k % 4 == 1 ? ", heat: w" : "", 2 + k);
        used += snprintf(text + used, sizeof text - (size_t)used, "  C%d: { type: capacitor, at: { %s: c%d, %s: ground }, capacitance: %d mF%s%s }\n",
                         k, turned ? "n" : "p", k, turned ? "p" : "n", k, k % 2 == 0 ? ", series_resistance: 3 ohm" : "",
                         k % 5 == 0 ? ", initial: 4 V" : "");
    }
    static const char *const integrators[] = { "dopri5", "cvode" };
    for (int i = 0; i < 2; i++) {
        machine m = with_devices(text);
        tn_solve solve = accurate(0.05);
        solve.integrator = integrators[i];
        solve.tolerance = solve.absolute_tolerance = i == 0 ? 1e-11 : 1e-9;
        machine_start(&m, solve);
        run_to(&m, 0.05);
        double heat = 0;
        for (int k = 1; k <= MANY; k++) {
            char name[20];
            const double resistance = 2 + k + (k % 2 == 0 ? 3 : 0), capacitance = k * 1e-3, sign = k % 3 == 0 ? -1 : 1;
            const double from = k % 5 == 0 ? 4 * sign : 0, decay = exp(-0.05 / (resistance * capacitance));
            snprintf(name, sizeof name, "C%d.u", k);
            assert_near(value(&m, name), sign * (10 + (from - 10) * decay), i == 0 ? 1e-9 : 1e-7);
            snprintf(name, sizeof name, "R%d.i", k);
            assert_near(value(&m, name), (10 - from) / resistance * decay, i == 0 ? 1e-9 : 1e-7);
            if (k % 4 == 1)
                heat += (2 + k) / resistance * 0.5 * capacitance * (10 - from) * (10 - from) * (1 - decay * decay);
        }
        assert_near(value(&m, "w.temperature"), 300 + heat / 2, i == 0 ? 1e-8 : 1e-6);
        tn_summary sum = tn_session_summary(m.session);
        assert_true(sum.network_error <= (i == 0 ? 1e-9 : 1e-6) * sum.network_scale);
        machine_close(&m);
    }
}

/* How many tapes the formulas of a session have. */
static int count_tapes(const machine *m)
{
    const tn_system *s = m->session->system;
    int count = 0;
    for (size_t k = 0; k < s->formula_count; k++) {
        size_t first = 0;
        while (s->formulas[first]->tape != s->formulas[k]->tape)
            first++;
        count += first == k;
    }
    return count;
}

/* A number of one device is its own: setting it leaves the others as they are. */
static void test_set_one(void **state)
{
    (void)state;
    char text[12000];
    int used = snprintf(text, sizeof text, "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n");
    for (int k = 1; k <= MANY; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "  R%d: { type: resistor, at: { p: s, n: c%d }, resistance: %d ohm }\n"
                         "  Q%d: { type: resistor, at: { p: c%d, n: ground }, resistance: 5 ohm }\n", k, k, k, k, k);
    machine m = with_devices(text);
    machine_start(&m, accurate(1));
    assert_true(count_tapes(&m) < MANY);               /* not one or more for each device and node */
    machine_must(&m, tn_session_apply(NULL, m.session, "{ set: { R7.resistance: 45 ohm, Q9.resistance: 1 ohm } }"));
    run_to(&m, 0.01);
    for (int k = 1; k <= MANY; k++) {
        char name[20];
        snprintf(name, sizeof name, "c%d.voltage", k);
        const double below = k == 9 ? 1 : 5, above = k == 7 ? 45 : k;
        assert_near(value(&m, name), 10 * below / (above + below), 1e-13);
    }
    machine_close(&m);
}

/* Of many rates the one that is no finite number is told, with its device. */
static void test_the_guilty_one(void **state)
{
    (void)state;
    char text[12000];
    int used = snprintf(text, sizeof text, "tenon: 1\ndevice_types:\n  pole: { parameters: { place: s }, states: { x: { unit: s, start: 1 s, rate: "
                        "\"0 s / (place - x)\" } } }\ndevices:\n");
    for (int k = 1; k <= MANY; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "  P%d: { type: pole, place: %d s }\n", k, k == 13 ? 1 : k + 1);
    machine m = machine_text(text);
    int code = tn_session_open(&m.session, m.model, NULL);
    if (code == TN_OK)
        code = tn_session_advance(m.session, 0.1);
    assert_true(code < 0);
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(m.context); k++)
        found |= strstr(tn_diagnostics_get(m.context, k)->message, "'P13'") != NULL;
    assert_true(found);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike_and_not),
        cmocka_unit_test(test_set_one),
        cmocka_unit_test(test_the_guilty_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
