/* Devices with memories and modes through edits of the running model: they go on, also where other devices come and go. */
#include "live_runs.h"
#include <string.h>

static const char COUNTING[] = "tenon: 1\ndevices:\n"
    "  x: { type: sample-hold, u: t / 1 s, period: 0.1 s }\n"
    "  c: { type: counter, u: sin(20 rad/s * t) }\n"
    "  m: { type: state-machine, modes: { a: { y: 1 }, b: { y: 2 } }, switches: [ { from: a, to: b, after: 0.5 s } ] }\n"
    "  f: { type: delay-samples, u: t / 1 s, period: 0.1 s, count: 3 }\n"
    "  lag: { type: lag, u: x.y, time: 1 s }\n";

static machine opened(const char *text, double t)
{
    machine m = machine_text(text);
    machine_start(&m, accurate(10));
    run_to(&m, t);
    return m;
}

static void must(machine *m, const char *command)
{
    machine_must(m, tn_session_apply(NULL, m->session, command));
}

static void check_kept(machine *m)
{
    assert_near(value(m, "x.y"), 1, 1e-15);
    assert_near(value(m, "c.y"), 4, 0);
    assert_near(value(m, "m.y"), 2, 0);
    assert_near(value(m, "m.since"), 0.5, 1e-15);
    assert_near(value(m, "f.y"), 0.7, 1e-15);
}

/* Devices that are added, removed or disabled leave what others remember as it is. */
static void test_others_remember(void **state)
{
    (void)state;
    static const char *const edits[] = {
        "{ add: { devices: { y: { type: relay, u: t / 1 s, on: 3, off: 1 } } } }",
        "{ add: { devices: { h: { type: sample-hold, u: x.y, period: 0.3 s } } } }",
        "{ disable: y }", "{ enable: y }", "{ remove: y }",
        "{ add: { devices: { z: { type: lag, u: x.y, time: 1 s } } } }",
        "{ replace: { devices: { lag: { type: relay, u: t / 1 s, on: 3, off: 1 } } } }",
    };
    machine m = opened(COUNTING, 1.03);
    check_kept(&m);
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        must(&m, edits[k]);
        check_kept(&m);
    }
    run_to(&m, 1.25);
    assert_near(value(&m, "x.y"), 1.2, 1e-15);
    assert_near(value(&m, "h.y"), 1.2, 1e-15);
    assert_near(value(&m, "f.y"), 0.9, 1e-15);
    machine_close(&m);
}

/* A device of another type, or a machine whose mode is gone, begins anew. */
static void test_other_types_begin_anew(void **state)
{
    (void)state;
    machine m = opened(COUNTING, 1.03);
    must(&m, "{ replace: { devices: { x: { type: discrete-lag, u: t / 1 s, period: 0.1 s, factor: 0.5, start: -1 } } } }");
    assert_near(value(&m, "x.y"), -1, 0);
    must(&m, "{ replace: { devices: { m: { type: state-machine, modes: { only: { y: 7 } }, switches: [] } } } }");
    assert_near(value(&m, "m.y"), 7, 0);
    assert_near(value(&m, "c.y"), 4, 0);
    machine_close(&m);
}

/* With another period the next sample is the next multiple of it, whichever way the period changes. */
static void check_period(const char *command, double next, double period)
{
    machine m = opened("tenon: 1\ndevices: { x: { type: sample-hold, u: t / 1 s, period: 0.1 s }, n: { type: counter, u: sin(20 rad/s * t) } }\n", 1.03);
    must(&m, command);
    assert_near(value(&m, "x.y"), 1, 0);
    for (int k = 0; k < 4; k++) {
        run_to(&m, next + (k + 0.5) * period);
        assert_near(value(&m, "x.y"), next + k * period, 1e-14);
    }
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    run_to(&m, 1.15);
    assert_near(value(&m, "x.y"), 1.1, 1e-15);
    machine_close(&m);
}

static void test_periods_change(void **state)
{
    (void)state;
    check_period("{ set: { x.period: 0.25 s } }", 1.25, 0.25);
    check_period("{ set: { x.period: 10 ms } }", 1.04, 0.01);
    check_period("{ replace: { devices: { x: { type: sample-hold, u: t / 1 s, period: 0.4 s } } } }", 1.2, 0.4);
    machine m = opened("tenon: 1\ndevices: { x: { type: sample-hold, u: t / 1 s, period: 0.1 s } }\n", 0.55);
    assert_true(tn_session_apply(NULL, m.session, "{ set: { x.period: 0.1 s + 0.1 * t } }") < 0);
    run_to(&m, 0.65);
    assert_near(value(&m, "x.y"), 0.6, 1e-15);
    machine_close(&m);
}

static void check_text(machine *m, const char *command, const char *wanted)
{
    char *text = NULL;
    must(m, command);
    machine_must(m, tn_session_text(&text, m->session));
    if (!strstr(text, wanted))
        fail_msg("no '%s' in\n%s", wanted, text);
    tn_text_free(m->context, text);
}

/* Models with states in types made from lists, or in types of their own, can be written after an edit. */
static void test_texts_after_edits(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndimension: 2\nbodies: { s: { type: slider, mass: 120 kg }, r: { type: rotor, inertia: 2 kg m^2 } }\n"
        "device_types: { slow: { parameters: { u: '' }, states: { y: { unit: '', start: '0', rate: (u - y) / 1 s } } } }\n"
        "devices:\n  l: { type: lag, u: 1, time: 1 s }\n  own: { type: slow, u: l.y }\n"
        "  f: { type: transfer-function, u: l.y, numerator: [1], denominator: [1, 1] }\n"
        "  x: { type: state-space, u: [l.y], A: [[-1]], B: [[1]], C: [[1]] }\n", 0.3);
    check_text(&m, "{ set: { l.time: 2 s } }", "time: 2 s");
    check_text(&m, "{ set: { s.mass: 7 kg } }", "mass: 7 kg");
    check_text(&m, "{ set: { r.inertia: 3 kg m^2 } }", "inertia: 3 kg m^2");
    check_text(&m, "{ add: { devices: { z: { type: lag, u: own.y, time: 1 s } } } }", "own.y");
    static const char *const wrong[] = { "{ set: { s.inertia: 1 } }", "{ set: { s.com: [1, 0] } }", "{ set: { r.mass: 1 } }", "{ set: { s.mass: -1 } }" };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_true(tn_session_apply(NULL, m.session, wrong[k]) < 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_remember),
        cmocka_unit_test(test_other_types_begin_anew),
        cmocka_unit_test(test_periods_change),
        cmocka_unit_test(test_texts_after_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
