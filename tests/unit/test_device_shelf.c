/* Devices whose lists decide their size: closed forms, sequences, instants; wrong lists. */
#include "mechanisms.h"

#include <string.h>

static machine started(const char *text, double until)
{
    machine m = machine_text(text);
    machine_start(&m, accurate(until));
    return m;
}

/* 3 / (s^2 + 2 s + 5) on a step: 0.6 (1 - e^-t (cos 2t + sin 2t / 2)); with a direct part (s^2 + 1) / (s^2 + 2 s + 5) the output
 * is 1 + 1 / 5 ... by the same states; and the same as a linear system. */
static void test_transfer_function(void **state)
{
    (void)state;
    machine m = started("tenon: 1\nparameters: { k: 3 }\ndevices:\n"
        "  g: { type: transfer-function, u: 1, numerator: [k], denominator: [1, 2, 5] }\n"
        "  h: { type: transfer-function, u: 1, numerator: [2, 0, 1], denominator: [2, 4, 10] }\n"
        "  s: { type: state-space, u: [1, 2], A: [[0, 1], [-5, -2]], B: [[0, 0], [1, 1]], C: [[1, 0], [0, 1]],\n"
        "       D: [[0, 0], [0, 0.5]], start: [0.1, 0] }\n"
        "  one: { type: state-space, u: 2, A: -3, B: 1, C: 1 }\n", 2);
    for (int k = 1; k <= 4; k++) {
        const double t = 0.5 * k, e = exp(-t), c = cos(2 * t), s = sin(2 * t);
        run_to(&m, t);
        assert_near(value(&m, "g.y"), 0.6 * (1 - e * (c + s / 2)), 1e-11);
        /* (s^2 + 1/2) / (s^2 + 2 s + 5) = 1 - (2 s + 9/2) / (s^2 + 2 s + 5) */
        const double step = (1 - e * (c + s / 2)) / 5, pulse = e * s / 2;
        assert_near(value(&m, "h.y"), 1 - 2 * pulse - 4.5 * step, 1e-11);
        assert_near(value(&m, "s.y1"), 3 * step + 0.1 * e * (c + s / 2), 1e-11);
        assert_near(value(&m, "s.y2"), 3 * pulse - 0.25 * e * s + 1, 1e-11);
        assert_near(value(&m, "one.y"), 2.0 / 3 * (1 - exp(-3 * t)), 1e-11);
    }
    machine_close(&m);
}

static void test_digital_filters(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  f: { type: discrete-filter, u: t / 1 s, period: 0.1 s, numerator: [0.5, 0.25, -0.1], denominator: [2, -1, 0.2] }\n"
        "  d: { type: delay-samples, u: t / 1 s, period: 0.1 s, count: 3, start: -1 }\n", 3);
    double u[3] = { 0 }, y[3] = { 0 };
    for (int k = 0; k < 25; k++) {
        u[2] = u[1], u[1] = u[0], u[0] = 0.1 * k;
        y[2] = y[1], y[1] = y[0];
        y[0] = (0.5 * u[0] + 0.25 * u[1] - 0.1 * u[2] + y[1] - 0.2 * y[2]) / 2;
        run_to(&m, 0.1 * k + 0.05);
        assert_near(value(&m, "f.y"), y[0], 1e-14);
        assert_near(value(&m, "d.y"), k < 3 ? -1 : 0.1 * (k - 3), 1e-14);
    }
    machine_close(&m);
}

/* y(k) = y(k - 1) + 1 by a delay of one sample in a loop, and y(k) = y(k - 3) + 1; the order in the file does not count. */
static void test_delays_in_loops(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  a: { type: sample-hold, u: b.y + 1, period: 0.1 s }\n"
        "  b: { type: unit-delay, u: a.y, period: 0.1 s }\n"
        "  d: { type: unit-delay, u: c.y, period: 0.1 s }\n"
        "  c: { type: sample-hold, u: d.y + 1, period: 0.1 s }\n"
        "  e: { type: sample-hold, u: f.y + 1, period: 0.1 s }\n"
        "  f: { type: delay-samples, u: e.y, period: 0.1 s, count: 3 }\n", 3);
    for (int k = 0; k < 25; k++) {
        run_to(&m, 0.1 * k + 0.05);
        assert_near(value(&m, "a.y"), k + 1, 0);
        assert_near(value(&m, "b.y"), k, 0);
        assert_near(value(&m, "c.y"), k + 1, 0);
        assert_near(value(&m, "e.y"), k / 3 + 1, 0);
    }
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    machine_close(&m);
    m = started("tenon: 1\ndevices:\n  a: { type: sample-hold, u: b.y + 1, period: 0.1 s }\n"
                "  b: { type: sample-hold, u: a.y + 1, period: 0.1 s }\n", 1);
    assert_int_equal(tn_diagnostics_count(m.context), 1);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "'b' and 'a' read each other"));
    machine_close(&m);
}

/* A shift register of 200 samples, and a period that no binary fraction meets: sample k is at the double next to k times 0.0013. */
static void test_long_register(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  d: { type: delay-samples, u: t / 1 s, period: 1.3 ms, count: 200, start: -1 }\n"
        "  c: { type: sample-hold, u: t / 1 s, period: 1.3 ms }\n", 1);
    run_to(&m, 199.5 * 0.0013);
    assert_near(value(&m, "d.y"), -1, 0);
    run_to(&m, 700.5 * 0.0013);
    assert_near(value(&m, "c.y"), 0.91, 0);
    assert_near(value(&m, "d.y"), 0.65, 0);
    machine_close(&m);
}

/* A cycle: fill until 2, wait for 0.3 s, empty until 1. The level rises and falls with the rate 1. */
static void test_state_machine(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  level: { type: integrator, u: cycle.flow }\n"
        "  cycle: { type: state-machine, start: fill, modes: { wait: { flow: 0, lamp: 2 }, fill: { flow: 1, lamp: 0 },\n"
        "           empty: { flow: -1, lamp: 1 } }, switches: [{ from: fill, to: wait, when: level.y - 2 },\n"
        "           { from: wait, to: empty, after: 0.3 s }, { from: empty, to: fill, when: 1 - level.y }] }\n", 10);
    run_to(&m, 1.9);
    assert_near(value(&m, "cycle.lamp"), 0, 0);
    run_to(&m, 2.2);
    assert_near(value(&m, "cycle.since"), 2, 1e-12);
    assert_near(value(&m, "level.y"), 2, 1e-12);
    run_to(&m, 3);
    assert_near(value(&m, "cycle.since"), 2.3, 1e-12);
    assert_near(value(&m, "level.y"), 1.3, 1e-11);
    run_to(&m, 4);
    assert_near(value(&m, "cycle.since"), 3.3, 1e-11);
    assert_near(value(&m, "level.y"), 1.7, 1e-11);
    machine_close(&m);
}

/* An arm falls from the horizontal with a = 1.5 g / l: what an inertial sensor at its tip, turned by 30 degrees, a load cell in its pin and
 * a sampled acceleration show at rest; later they show what the channels show. A controller of the acceleration is sampled. */
static void test_sensors(void **state)
{
    (void)state;
    static const char ARM[] = "bodies: { arm: { mass: 2 kg, inertia: %s, com: [0.5, 0%s], frames: { tip: { at: [1, 0%s], %s } } } }\n"
        "joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0%s]%s } }\ndevices:\n"
        "  imu: { type: imu, frame: arm.tip, period: 10 ms }\n  cell: { type: load-cell, joint: pin, period: 10 ms }\n"
        "  hold: { type: sample-hold, u: pin.angle.acceleration, period: 10 ms }\n";
    char text[1200], model[1400];
    const double g = 9.81, alpha = -g * 0.5 * 2 / (0.1 + 0.5), down = g + alpha;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const bool planar = dimension == 2;
        snprintf(text, sizeof text, ARM, planar ? "0.1" : "[0.1, 0.1, 0.1]", planar ? "" : ", 0", planar ? "" : ", 0",
                 planar ? "angle: 30 deg" : "rotation: { axis: [0, 0, 1], angle: 30 deg }", planar ? "" : ", 0",
                 planar ? "" : ", axis: [0, 0, 1]");
        snprintf(model, sizeof model, "tenon: 1\ndimension: %d\ngravity: [0, -9.81%s]\n%s", dimension, planar ? "" : ", 0", text);
        machine m = started(model, 0.3);
        run_to(&m, 0.005);
        assert_near(value(&m, "imu.ax"), down * 0.5, 1e-11);
        assert_near(value(&m, "imu.ay"), down * sqrt(0.75), 1e-11);
        assert_near(value(&m, "imu.wz"), 0, 1e-12);
        assert_near(value(&m, "cell.fy"), 2 * (g + 0.5 * alpha), 1e-11);
        assert_near(value(&m, "cell.fx"), 0, 1e-11);
        assert_near(value(&m, "hold.y"), alpha, 1e-11);
        run_to(&m, 0.2);
        assert_near(value(&m, "cell.fx"), value(&m, "pin.reaction_local.force.x"), 1e-10);
        assert_near(value(&m, "hold.y"), value(&m, "pin.angle.acceleration"), 1e-10);
        assert_near(value(&m, "imu.wz"), value(&m, "pin.rate"), 1e-10);
        machine_close(&m);
    }
}

/* Other lists in a run: the text has them, undo takes them back. */
static void test_lists_are_replaced(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  g: { type: transfer-function, u: 1, numerator: [3], denominator: [1, 2, 5] }\n", 2);
    char *text = NULL;
    run_to(&m, 0.5);
    const uint64_t before = tn_session_hash(m.session);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ replace: { devices: { g: { type: transfer-function, u: 2, numerator: [1], "
                                                       "denominator: [1, 4] } } } }"));
    const double x = value(&m, "g.y");                 /* the state x1 goes on */
    run_to(&m, 1);
    assert_near(value(&m, "g.y"), 0.5 + (x - 0.5) * exp(-2), 1e-11);
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "denominator: [1, 4]"));
    free(text);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    machine_close(&m);
}

static void check_refused(const char *device, const char *message)
{
    char text[1000];
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    snprintf(text, sizeof text, "tenon: 1\ndevices: { d: { %s } }\n", device);
    assert_true(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", ".") < 0);
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(context); k++) {
        found = found || strstr(tn_diagnostics_get(context, k)->message, message) != NULL;
        assert_true(tn_diagnostics_get(context, k)->span.line > 0);
    }
    if (!found)
        print_error("wanted '%s', got '%s'\n", message, tn_diagnostics_get(context, 0)->message);
    assert_true(found);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_wrong_lists(void **state)
{
    (void)state;
    check_refused("type: transfer-function, u: 1, numerator: [1]", "'denominator' is missing");
    check_refused("type: transfer-function, u: 1, numerator: [1], denominator: [0, 1]", "must not be 0");
    check_refused("type: transfer-function, u: 1, numerator: [1, 2, 3], denominator: [1, 1]", "must not be longer");
    check_refused("type: transfer-function, u: 1, numerator: [1], denominator: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "order");
    check_refused("type: state-space, u: 1, A: [[0, 1], [1, 0]], B: [[1]], C: [[1, 0]]", "a row for each state");
    check_refused("type: state-space, u: 1, A: [[0, 1], [1]], B: [[1], [1]], C: [[1, 0]]", "needs 2 numbers");
    check_refused("type: discrete-filter, u: 1, period: 1 ms, numerator: [a], denominator: [1]", "unknown name");
    check_refused("type: delay-samples, u: 1, period: 1 ms, count: 2.5", "whole number");
    check_refused("type: state-machine, modes: { a: 0 }", "'switches' must be a list");
    check_refused("type: state-machine, modes: { a: 0, b: 1 }, switches: [{ from: a, to: c, when: t }]", "leads to 'c', which is no mode");
    check_refused("type: state-machine, modes: { a: { y: 1 }, b: { z: 1 } }, switches: []", "must give 'y'");
    check_refused("type: state-machine, modes: { a: 0 }, start: b, switches: []", "one of the modes");
}

/* Darcy's friction coefficient: 64 / Re, then straight in Re from 0.032 at 2000 to Blasius' value at 4000, then 0.3164 Re^(-1/4). */
static void test_friction_in_a_pipe(void **state)
{
    (void)state;
    static const double numbers[] = { 1500, 3000, 3900, 8000 };
    const double density = 860, viscosity = 46e-6, length = 3, diameter = 0.01, section = 3.14159265358979323846 / 4 * diameter * diameter;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const double re = numbers[k], speed = re * viscosity / diameter, blasius = 0.3164 * pow(4000, -0.25);
        const double friction = re <= 2000 ? 64 / re : re >= 4000 ? 0.3164 * pow(re, -0.25) : 0.032 + (re - 2000) / 2000 * (blasius - 0.032);
        machine m = machine_format("tenon: 1\nmedia: { hydraulic: { density: 860, viscosity: 46 cSt } }\ndevices:\n"
            "  v: { type: volume, at: { a: P }, volume: 1 L }\n"
            "  p: { type: pipe-inertia, at: { a: P, b: ground }, length: 3 m, diameter: 10 mm, initial: %.17g }\n", speed * section);
        machine_start(&m, accurate(1));
        assert_near(value(&m, "p.drop"), friction * length / diameter * density / 2 * speed * speed, 1e-6);
        machine_close(&m);
    }
}

/* Signals without lists: a filtered derivative of t, an excess, whole steps, a time after which a condition counts, and counts of an angle. */
static void test_small_signals(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndimension: 2\nbodies: { wheel: { type: rotor, inertia: 1 kg m^2 } }\n"
        "initial: { wheel: { rate: 1 rad/s } }\nlet: { wave: sin(t * 2 rad/s) }\ndevices:\n"
        "  d: { type: derivative, u: 3 * t, time: 0.2 s }\n  z: { type: dead-zone, u: wave, low: -0.5, high: 0.25 }\n"
        "  q: { type: quantizer, u: wave, step: 0.3 }\n  w: { type: timer, u: wave, time: 0.4 s }\n"
        "  e: { type: encoder, u: wheel.angle, counts: 64, period: 0.1 s }\n", 5);
    const double pi = acos(-1.0), count = 2 * pi / 64;
    for (int k = 0; k < 19; k++) {
        const double at = 0.26 * k + 0.013, wave = sin(2 * at), phase = fmod(at, pi), sampled = floor(at / 0.1 + 1e-9) * 0.1;
        run_to(&m, at);
        assert_near(value(&m, "d.y"), 3 * (1 - exp(-at / 0.2)), 1e-10);
        assert_near(value(&m, "z.y"), wave > 0.25 ? wave - 0.25 : wave < -0.5 ? wave + 0.5 : 0, 1e-14);
        assert_near(value(&m, "q.y"), 0.3 * floor(wave / 0.3 + 0.5), 1e-14);
        assert_near(value(&m, "w.y"), phase > 0.4 && phase < pi / 2 ? 1 : 0, 0);
        assert_near(value(&m, "e.y"), count * floor(sampled / count), 1e-12);
        assert_near(value(&m, "e.rate"), sampled < 0.05 ? 0 : count * (floor(sampled / count) - floor((sampled - 0.1) / count)) / 0.1, 1e-10);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_in_a_pipe),
        cmocka_unit_test(test_transfer_function), cmocka_unit_test(test_digital_filters), cmocka_unit_test(test_delays_in_loops),
        cmocka_unit_test(test_state_machine), cmocka_unit_test(test_sensors), cmocka_unit_test(test_long_register), cmocka_unit_test(test_lists_are_replaced),
        cmocka_unit_test(test_wrong_lists), cmocka_unit_test(test_small_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
