/* Networks of devices against closed forms and reference solutions; samples, kinks and modes; wrong networks. */
#include "mechanisms.h"

#include <string.h>

static machine started(const char *text, double until)
{
    machine m = machine_text(text);
    machine_start(&m, accurate(until));
    return m;
}

/* ---- closed forms ---- */

/* Series circuit: u'' + R/L u' + u/(L C) = V/(L C), from rest. */
static void test_series_circuit(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: s, n: a }, resistance: 2 ohm }\n"
        "  L: { type: inductor, at: { p: a, n: b }, inductance: 0.1 H }\n"
        "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 mF }\n", 0.1);
    for (int k = 1; k <= 10; k++) {
        const double t = 0.01 * k, d = 10, w = sqrt(1e4 - d * d);
        run_to(&m, t);
        double u = 10 * (1 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t)));
        double i = 1e-3 * 10 * exp(-d * t) * (w + d * d / w) * sin(w * t);
        assert_near(value(&m, "C.u"), u, 1e-9);
        assert_near(value(&m, "L.i"), i, 1e-9);
        assert_near(value(&m, "V.i"), -i, 1e-9);
        assert_near(value(&m, "b.voltage"), u, 1e-9);
    }
    machine_close(&m);
}

static void test_bridge_and_amplifier(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
        "  R1: { type: resistor, at: { p: s, n: a }, resistance: 100 ohm }\n"
        "  R2: { type: resistor, at: { p: a, n: ground }, resistance: 220 ohm }\n"
        "  R3: { type: resistor, at: { p: s, n: b }, resistance: 330 ohm }\n"
        "  R4: { type: resistor, at: { p: b, n: ground }, resistance: 470 ohm }\n"
        "  R5: { type: resistor, at: { p: a, n: b }, resistance: 150 ohm }\n"
        "  E: { type: voltage-source, at: { p: u, n: ground }, value: 0.3 V }\n"
        "  Rin: { type: resistor, at: { p: u, n: m }, resistance: 1 kohm }\n"
        "  Rb: { type: resistor, at: { p: m, n: o }, resistance: 10 kohm }\n"
        "  A: { type: op-amp, at: { p: ground, n: m, out: o } }\n", 1);
    assert_near(value(&m, "a.voltage"), 6.7083838230839143, 1e-13);
    assert_near(value(&m, "b.voltage"), 6.3448576189033625, 1e-13);
    assert_near(value(&m, "V.i"), -0.043992350802787031, 1e-15);
    assert_near(value(&m, "o.voltage"), -3, 1e-13);
    machine_close(&m);
}

/* A motor with a load: linear, compared with the eigenvalues of its two states. */
static void test_motor(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndimension: 2\nbodies: { rotor: { mass: 1, inertia: 1e-4 } }\n"
        "joints: { pin: { type: revolute, between: [ground, rotor], at: [0, 0] } }\ndevices:\n"
        "  V: { type: voltage-source, at: { p: bus, n: ground }, value: 12 V }\n"
        "  M: { type: dc-motor, at: { p: bus, n: ground }, shaft: pin.angle, resistance: 1 ohm, inductance: 0.5 mH,\n"
        "       constant: 0.05 V s/rad, friction: 1e-5 N m s/rad }\n"
        "  load: { type: torque-source, shaft: pin.angle, value: -0.02 N m }\n", 0.2);
    run_to(&m, 0.01);
    assert_near(value(&m, "M.i"), 9.6441828893243269, 1e-9);
    assert_near(value(&m, "pin.rate"), 49.454636475105218, 1e-8);
    run_to(&m, 0.2);
    assert_near(value(&m, "M.i"), 0.51966357402027941, 1e-9);
    assert_near(value(&m, "pin.rate"), 229.6254004811133, 1e-8);
    machine_close(&m);
}

static void test_orifices_in_series(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  P: { type: pressure-source, at: { a: s }, value: 1e7 Pa }\n"
        "  o1: { type: orifice, at: { a: s, b: m }, area: 1e-5 m^2, critical: 0.5 bar }\n"
        "  o2: { type: orifice, at: { a: m, b: ground }, area: 2e-5 m^2, critical: 0.5 bar }\n", 1);
    assert_near(value(&m, "m.pressure") / 2000468.3979252635, 1, 1e-13);
    assert_near(value(&m, "o1.q") / 0.00095475479870269072, 1, 1e-13);
    machine_close(&m);
}

static const char servo[] = "tenon: 1\ndimension: 2\n"
    "bodies: { piston: { mass: 200 kg, inertia: 1 kg m^2, position: [0.1, 0] } }\n"
    "joints: { way: { type: translational, between: [ground, piston] } }\n"
    "media: { hydraulic: { density: 860 kg/m^3, bulk_modulus: 1.4 GPa } }\ndevices:\n"
    "  supply: { type: pressure-source, at: { a: P }, value: 100 bar }\n"
    "  spool: { type: lag, u: 0.3, time: 5 ms }\n"
    "  in: { type: orifice, at: { a: P, b: A }, area: 2e-5 m^2 * spool.y, critical: 0.5 bar }\n"
    "  out: { type: orifice, at: { a: B, b: ground }, area: 2e-5 m^2 * spool.y, critical: 0.5 bar }\n"
    "  cyl: { type: hydraulic-cylinder, at: { a: A, b: B }, slide: way.position, area_a: 1.25e-3 m^2, area_b: 0.9e-3 m^2,\n"
    "         stroke: 0.4 m, closed_length: 0 m, dead_a: 5e-5 m^3, dead_b: 5e-5 m^3, friction: 500 N s/m,\n"
    "         pressure_a: 20 bar, pressure_b: 555555.5555555555 Pa }\n"
    "  load: { type: force-source, slide: way.position, value: -2000 N }\n";

static void check_servo(const tn_solve *solve, double tolerance)
{
    machine m = machine_text(servo);
    machine_start(&m, *solve);
    run_to(&m, 0.02);
    assert_near(value(&m, "cyl.extension") / 0.10454956728522641, 1, tolerance);
    assert_near(value(&m, "A.pressure") / 4078088.8713239073, 1, tolerance);
    assert_near(value(&m, "B.pressure") / 2953720.8010016847, 1, tolerance);
    run_to(&m, 0.1);
    assert_near(value(&m, "cyl.extension") / 0.13629673873282455, 1, tolerance);
    assert_near(value(&m, "A.pressure") / 3998887.6014031111, 1, tolerance);
    machine_close(&m);
}

/* Nodes that store, and exact derivatives: explicit and implicit integrators find the same motion. */
static void test_servo_cylinder(void **state)
{
    (void)state;
    static const char *const implicit[] = { "cvode", "ida", "generalized-alpha" };
    tn_solve solve = accurate(0.1);
    check_servo(&solve, 1e-9);
    for (int k = 0; k < 3; k++) {
        solve.integrator = implicit[k];
        solve.tolerance = solve.absolute_tolerance = 1e-8;
        check_servo(&solve, k < 2 ? 1e-6 : 1e-5);
    }
}

/* Two masses of 1/4 J/K each exchange heat: their difference decays, their sum stays. */
static void test_heat(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  c1: { type: heat-capacity, at: { a: A }, capacity: 0.25 J/K, temperature: 60 degC }\n"
        "  c2: { type: heat-capacity, at: { a: B }, capacity: 0.25 J/K, temperature: 20 degC }\n"
        "  g: { type: conductor, at: { a: A, b: B }, conductance: 0.5 W/K }\n", 2);
    run_to(&m, 0.5);
    assert_near(value(&m, "A.temperature"), 273.15 + 40 + 20 * exp(-2), 1e-9);
    assert_near(value(&m, "A.temperature") + value(&m, "B.temperature"), 2 * 313.15, 1e-9);
    machine_close(&m);
}

/* Choked flow out of a vessel without heat: the mass flow is that of the formula, p / T^(kappa / (kappa - 1)) stays. */
static void test_gas(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  tank: { type: chamber, at: { a: A }, volume: 1e-3 m^3, pressure: 8e5 Pa, temperature: 300 K }\n"
        "  jet: { type: iso-orifice, at: { a: A, b: ground }, conductance: 1e-8 m^3/s/Pa }\n", 0.1);
    assert_near(value(&m, "jet.m") / (1e-8 * 1.185 * 8e5 * sqrt(293.15 / 300)), 1, 1e-12);
    double before = 8e5 / pow(300, 3.5);
    run_to(&m, 0.1);
    assert_near(value(&m, "A.pressure") / pow(value(&m, "A.temperature"), 3.5) / before, 1, 1e-9);
    assert_true(value(&m, "A.pressure") < 7.9e5);
    machine_close(&m);
}

/* ---- samples, kinks, modes ---- */

static void test_sampled_controller(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndimension: 2\nbodies: { rotor: { mass: 1, inertia: 2e-3 } }\n"
        "joints: { pin: { type: revolute, between: [ground, rotor], at: [0, 0] } }\ndevices:\n"
        "  c: { type: discrete-pid, period: 10 ms, target: 1, measured: pin.angle, kp: 0.8, ki: 1.5, kd: 0.06, low: -0.5,\n"
        "       high: 0.5, tracking: 0.05 s }\n"
        "  act: { type: torque-source, shaft: pin.angle, value: c.y }\n", 1);
    run_to(&m, 0.015);
    assert_near(value(&m, "pin.angle"), 0.028125, 1e-13);
    run_to(&m, 0.02);
    assert_near(value(&m, "c.y"), 0.4708125, 1e-13);
    assert_near(value(&m, "c.integral"), -0.0641875, 1e-13);
    run_to(&m, 1);
    assert_near(value(&m, "pin.angle"), 1.0076936995821362, 1e-12);
    assert_near(value(&m, "pin.rate"), -0.017332725180061528, 1e-12);
    machine_close(&m);
}

/* A bridge of four diodes: reference by piecewise solutions with located switching times. */
static void test_rectifier(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: s1, n: n }, value: \"24 V * sin(2 * pi * 50 / 1 s * t)\" }\n"
        "  R: { type: resistor, at: { p: s1, n: p }, resistance: 0.5 ohm }\n"
        "  D1: { type: diode, at: { p: p, n: plus }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
        "  D2: { type: diode, at: { p: n, n: plus }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
        "  D3: { type: diode, at: { p: ground, n: p }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
        "  D4: { type: diode, at: { p: ground, n: n }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
        "  C: { type: capacitor, at: { p: plus, n: ground }, capacitance: 2.2 mF }\n"
        "  L: { type: resistor, at: { p: plus, n: ground }, resistance: 50 ohm }\n", 0.03);
    static const double expected[][2] = { { 0.001, 1.6699057970788744 }, { 0.006, 20.927184603257789 },
                                          { 0.014, 19.941520691178336 }, { 0.025, 21.303584249026542 },
                                          { 0.03, 20.874061118587605 } };
    for (size_t k = 0; k < 5; k++) {
        run_to(&m, expected[k][0]);
        assert_near(value(&m, "C.u") / expected[k][1], 1, 1e-9);
    }
    machine_close(&m);
}

/* With located saturation the error of rk4 falls with the fourth power of the step. */
static void test_order_across_saturation(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        machine m = machine_text("tenon: 1\ndevices:\n"
            "  i: { type: integrator, u: \"clamp(2 - i.y, -1, 1) - 0.3 * sin(t / 1 s)\", start: 0 }\n");
        machine_start(&m, fixed_steps("rk4", k == 0 ? 0.1 : 0.05, 3));
        run_to(&m, 3);
        /* before the kink y = t - 0.3 (1 - cos t); the reference is a run with small steps */
        machine fine = machine_text("tenon: 1\ndevices:\n"
            "  i: { type: integrator, u: \"clamp(2 - i.y, -1, 1) - 0.3 * sin(t / 1 s)\", start: 0 }\n");
        machine_start(&fine, accurate(3));
        run_to(&fine, 3);
        error[k] = fabs(value(&m, "i.y") - value(&fine, "i.y"));
        machine_close(&m);
        machine_close(&fine);
    }
    assert_true(error[0] < 1e-6);
    assert_true(log2(error[0] / error[1]) > 3.5);
}

/* A thermostat: period by the two exponentials between its thresholds. */
static void test_thermostat(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  c: { type: heat-capacity, at: { a: T }, capacity: 100 J/K, temperature: 301 K }\n"
        "  g: { type: conductor, at: { a: T, b: ground }, conductance: 1 W/K }\n"
        "  th: { type: relay, u: -T.temperature, \"on\": -300 K, \"off\": -302 K, start: 1 }\n"
        "  h: { type: heat-source, at: { a: T }, value: 50 W * th.y }\n"
        "  n: { type: counter, u: T.temperature - 301.5 K }\n", 200);
    const double ambient = 293.15, top = ambient + 50, warm = 100 * log((top - 300) / (top - 302)),
                 cool = 100 * log((302 - ambient) / (300 - ambient)), first = 100 * log((top - 301) / (top - 302));
    run_to(&m, first + 3 * (warm + cool) + 1);
    assert_near(value(&m, "th.since"), first + 3 * (warm + cool), 1e-8);
    assert_near(value(&m, "n.y"), 4, 0);
    assert_near(value(&m, "th.mode"), 0, 0);
    machine_close(&m);
}

/* ---- own types, live numbers ---- */

static void test_own_type(void **state)
{
    (void)state;
    machine m = started("tenon: 1\n"
        "device_types: { zener: { ports: { p: electrical, n: electrical }, parameters: { breakdown: V, resistance: ohm },\n"
        "  channels: { i: \"max(0 V, p.voltage - n.voltage - breakdown) / resistance\" }, flows: { p: i, n: -i } } }\n"
        "devices:\n"
        "  V: { type: voltage-source, at: { p: a, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: a, n: b }, resistance: 99 ohm }\n"
        "  Z: { type: zener, at: { p: b, n: ground }, breakdown: 5 V, resistance: 1 ohm }\n", 1);
    assert_near(value(&m, "b.voltage"), 5.05, 1e-12);
    assert_true(tn_session_apply(NULL, m.session, "{ set: { Z.breakdown: 7 V } }") >= 0);
    assert_near(value(&m, "b.voltage"), 7.03, 1e-12);
    machine_close(&m);
}

/* An algebraic loop of signals is solved. */
static void test_algebraic_loop(void **state)
{
    (void)state;
    machine m = started("tenon: 1\ndevices:\n"
        "  a: { type: signal, value: 1 - 2 * b.y }\n"
        "  b: { type: signal, value: a.y ^ 3 }\n", 1);
    double a = value(&m, "a.y");
    assert_near(a + 2 * a * a * a, 1, 1e-13);
    machine_close(&m);
}

/* ---- wrong networks ---- */

static void check_refused(const char *devices, const char *message)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    char text[2000];
    snprintf(text, sizeof text, "tenon: 1\n%s", devices);
    int code = tn_model_read_text(&model, context, text, strlen(text), "m.yaml", NULL);
    if (code >= 0)
        code = tn_session_open(&session, model, NULL);
    assert_true(code < 0);
    assert_true(tn_diagnostics_count(context) > 0);
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(context); k++) {
        found = found || strstr(tn_diagnostics_get(context, k)->message, message) != NULL;
        assert_true(tn_diagnostics_get(context, k)->span.line > 0);
    }
    if (!found)
        print_error("wanted '%s', got '%s'\n", message, tn_diagnostics_get(context, 0)->message);
    assert_true(found);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

/* A coil that moves a mass of m kg with K N/A does what a motor of K V s/rad does with m kg m^2; 1 m/s at the end, where K x' = v. */
static void test_voice_coil(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { r: { type: rotor, inertia: 0.3 kg m^2 }, s: { type: slider, mass: 0.3 kg } }\ndevices:\n"
        "  V: { type: voltage-source, at: { p: a, n: ground }, value: 5 V }\n"
        "  M: { type: dc-motor, at: { p: a, n: ground }, shaft: r.angle, resistance: 2 ohm, inductance: 10 mH, constant: 5 V s/rad }\n"
        "  C: { type: voice-coil, at: { p: a, n: ground }, slide: s.position, resistance: 2 ohm, inductance: 10 mH, constant: 5 N/A }\n");
    machine_start(&m, accurate(1));
    run_to(&m, 0.02);
    assert_true(value(&m, "s.rate") > 0.3 && value(&m, "s.rate") < 0.8);
    assert_near(value(&m, "s.rate"), value(&m, "r.rate"), 1e-12);
    assert_near(value(&m, "C.i"), value(&m, "M.i"), 1e-11);
    run_to(&m, 1);
    assert_near(value(&m, "s.rate"), 1, 1e-11);
    machine_close(&m);
}

static void test_wrong_networks(void **state)
{
    (void)state;
    check_refused("devices: { R: { type: resistor, at: { p: a }, resistance: 1 ohm } }\n", "port 'n' is not connected");
    check_refused("devices:\n  V: { type: voltage-source, at: { p: bus, n: ground }, value: 1 V }\n"
                  "  R: { type: resistor, at: { p: buss, n: ground }, resistance: 1 ohm }\n", "did you mean 'bus'");
    check_refused("devices:\n  V: { type: voltage-source, at: { p: a, n: b }, value: 1 V }\n"
                  "  R: { type: resistor, at: { p: a, n: b }, resistance: 1 ohm }\n", "connected to ground");
    check_refused("devices:\n  V: { type: voltage-source, at: { p: a, n: ground }, value: 1 V }\n"
                  "  W: { type: voltage-source, at: { p: a, n: ground }, value: 2 V }\n", "fixes nothing that is still open");
    check_refused("devices:\n  I: { type: current-source, at: { p: a, n: ground }, value: 1 A }\n"
                  "  L: { type: inductor, at: { p: a, n: ground }, inductance: 1 H }\n", "node 'a'");
    check_refused("devices:\n  o: { type: iso-orifice, at: { a: x, b: ground }, conductance: 1e-8 }\n"
                  "  p: { type: iso-orifice, at: { a: x, b: ground }, conductance: 1e-8 }\n", "gas needs a volume");
    check_refused("devices:\n  a: { type: volume, at: { a: x }, volume: 1 L, pressure: 1 bar }\n"
                  "  b: { type: volume, at: { a: x }, volume: 1 L, pressure: 2 bar }\n", "start with different values");
    check_refused("nodes: { x: { pressure: 3 bar } }\ndevices:\n  a: { type: volume, at: { a: x }, volume: 1 L, pressure: 1 bar }\n"
                  "  b: { type: laminar, at: { a: x, b: ground }, conductance: 1e-9 }\n", "node 'x' and device 'a'");
    check_refused("devices: { s: { type: signal, value: max(1, 2) } }\n", "needs quotes");
    check_refused("devices: { R: { type: resistor, at: { p: a, q: ground }, resistance: 1 ohm } }\n", "its ports are p, n, heat");
    check_refused("devices: { V: { type: voltage-source, at: { p: bus, n: ground }, value: 1 V },\n"
                  "  motor: { type: resistor, at: { p: bus, n: ground }, resistance: 1 ohm }, x: { type: signal, value: motr.i } }\n",
                  "did you mean 'motor.i'?");
    check_refused("devices: { V: { type: voltage-source, at: { p: bus, n: ground }, value: 1 V },\n"
                  "  motor: { type: resistor, at: { p: bus, n: ground }, resistance: 1 ohm }, x: { type: signal, value: motor.current } }\n",
                  "'motor' has 'v', 'i'");
    check_refused("devices: { V: { type: voltage-source, at: { p: bus, n: ground }, value: 1 V },\n"
                  "  R: { type: resistor, at: { p: bus, n: ground }, resistance: 1 ohm }, x: { type: signal, value: bus.volage } }\n",
                  "did you mean 'bus.voltage'?");
    check_refused("dimension: 2\nbodies: { m: { type: slider, mass: 1 } }\n"
                  "devices: { f: { type: force-source, shaft: m.position, value: 1 N } }\n", "'shaft'; it has slide");
    check_refused("bodies: { arm: { mass: 1, inertia: [1, 1, 1] } }\ndevices: { i: { type: imu, frame: amr, period: 1 ms } }\n",
                  "did you mean 'arm'?");
    check_refused("devices: { i: { type: load-cell, joint: pin, period: 1 ms } }\n", "no joint 'pin'");
    check_refused("devices: { s: { type: sample-hold, u: 1, period: 0.1 s + 0.1 * t } }\n", "samples are at offset + k period");
    check_refused("devices:\n  R: { type: resistor, at: { p: a, n: ground }, resistance: 1 ohm }\n"
                  "  v: { type: volume, at: { a: a }, volume: 1 L }\n", "only ports of one domain");
    check_refused("devices: { R: { type: resistor, at: { p: a, n: ground }, resistance: 1 kg } }\n", "resistance");
    check_refused("devices: { R: { type: resistor, at: { p: a, n: ground }, resistance: -1 ohm } }\n", "must be positive");
    check_refused("devices: { s: { type: sample-hold, u: 1, period: 0 s } }\n", "'period' must be positive");
    check_refused("devices: { s: { type: sample-hold, u: 1, period: 1e-300 s } }\n", "at least a picosecond");
    check_refused("devices: { d: { type: delay, u: t, time: 1e-300 s } }\n", "at least a picosecond");
    check_refused("devices: { v: { type: volume, at: { a: x }, volume: -1 L }, w: { type: laminar, at: { a: x, b: ground },\n"
                  "  conductance: 1e-9 } }\n", "'volume' must be positive");
    check_refused("devices:\n  V: { type: voltage-source, at: { p: a, n: ground }, value: 1 V }\n"
                  "  C: { type: capacitor, at: { p: a, n: ground }, capacitance: 1 F }\n", "'C' fixes nothing that is still open (open: 'C.i')");
    check_refused("devices:\n  R: { type: resistor, at: { p: a, n: ground }, resistance: 1 ohm }\n"
                  "  C: { type: capacitor, at: { p: a, n: ground }, capacitance: 1 F }\n"
                  "  D: { type: capacitor, at: { p: a, n: ground }, capacitance: 1 F }\n", "sources or capacitors form a loop");
    check_refused("bodies: { r: { type: rotor, inertia: 1 } }\ndevices:\n"
                  "  s: { type: spring-damper, slide: r.angle, stiffness: 1 N/m }\n", "'slide': is a number, must be a length (m)");
    check_refused("devices: { R: { type: resistr, at: { p: a, n: ground } } }\n", "did you mean 'resistor'");
    check_refused("devices:\n  C: { type: heat-capacity, at: { a: x }, capacity: 5 J/K, temperature: -5 K }\n"
                  "  G: { type: conductor, at: { a: x, b: ground }, conductance: 1 W/K }\n", "'temperature' is absolute");
    check_refused("devices:\n  C: { type: chamber, at: { a: x }, volume: 1 L, temperature: 0 K }\n"
                  "  o: { type: iso-orifice, at: { a: x, b: ground }, conductance: 1e-8 }\n", "they must be positive");
    check_refused("tables: { ocv: { x: [0, 1], y: [10 V, 12 V] } }\ndevices:\n  R: { type: resistor, at: { p: a, n: ground }, resistance: 1 ohm }\n"
                  "  B: { type: battery, at: { p: a, n: ground }, ocv: ocv, capacity: 9 C, resistance: 1 ohm, soc_start: 1.7 }\n", "'soc_start' must be");
}

/* Modes that lead to each other at once stop the run with the device and its place. */
static void check_circle(const char *switches)
{
    machine m = machine_format("tenon: 1\ndevices:\n  s: { type: state-machine, modes: { a: 1, b: 2 }, switches: [%s] }\n", switches);
    tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_OK);
    assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
    const tn_diagnostic *d = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1);
    assert_non_null(strstr(d->message, "modes of device 's' switch in a circle"));
    assert_int_equal(d->span.line, 3);
    machine_close(&m);
}

static void test_circles(void **state)
{
    (void)state;
    check_circle("{ from: a, to: b, when: 1 }, { from: b, to: a, when: 1 }");
    check_circle("{ from: a, to: b, after: 0 s }, { from: b, to: a, after: 0 s }");
}

/* One mistake in a network is one message: nothing follows from the part that has it. */
static void check_told_once(const char *text)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "m.yaml", NULL), TN_OK);
    assert_true(tn_model_check(model) < 0);
    assert_int_equal(tn_diagnostics_count(context), 1);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_one_mistake_one_message(void **state)
{
    (void)state;
    check_told_once("tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: a, n: ground }, value: 1 V }\n"
                    "  C: { type: capacitor, at: { p: a, n: ground }, capacitance: 1 F }\noutputs: [C.u]\n");
    check_told_once("tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: a, n: ground }, value: 1 V + foo }\n"
                    "  R: { type: resistor, at: { p: a, n: ground }, resistance: 1 ohm }\noutputs: [R.i]\n");
}

/* q = cd A lift sqrt(2 / density) dp / (dp^2 + critical^2)^(1/4), lift from 0 at 'opening' to 1 at 'opening' + 'range'. */
static void test_relief_valve_by_area(void **state)
{
    (void)state;
    static const double bar[] = { 95, 105, 119, 140 };
    for (size_t k = 0; k < sizeof bar / sizeof *bar; k++) {
        char text[600];
        snprintf(text, sizeof text, "tenon: 1\nmedia: { hydraulic: { density: 860 kg/m^3 } }\ndevices:\n"
                 "  S: { type: pressure-source, at: { a: P }, value: %g bar }\n"
                 "  r: { type: relief-valve, at: { a: P, b: ground }, opening: 100 bar, area: 20 mm^2, range: 20 bar,\n"
                 "       critical: 1 bar, leak: 1e-14 m^3/s/Pa }\nsolve: { until: 1 s }\n", bar[k]);
        machine m = machine_text(text);
        machine_start(&m, accurate(1));
        const double dp = 1e5 * bar[k], lift = fmin(fmax((bar[k] - 100) / 20, 0), 1);
        const double q = 0.7 * 20e-6 * lift * sqrt(2 / 860.0) * dp / pow(dp * dp + 1e10, 0.25) + 1e-14 * dp;
        assert_near(value(&m, "r.q"), q, 1e-14 * (1 + 1e3 * q));
        assert_near(value(&m, "r.lift"), lift, 1e-12);
        machine_close(&m);
    }
    check_refused("devices: { r: { type: relief-valve, at: { a: P, b: ground }, opening: 1 bar, area: 1 mm^2 }, v: { type: volume, at: { a: P }, volume: 1 L } }\n",
                  "positive 'range'");
    check_refused("devices: { r: { type: relief-valve, at: { a: P, b: ground }, opening: 1 bar }, v: { type: volume, at: { a: P }, volume: 1 L } }\n",
                  "give 'gradient', or 'area'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series_circuit),
        cmocka_unit_test(test_bridge_and_amplifier),
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_orifices_in_series),
        cmocka_unit_test(test_servo_cylinder),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_gas),
        cmocka_unit_test(test_sampled_controller),
        cmocka_unit_test(test_rectifier),
        cmocka_unit_test(test_order_across_saturation),
        cmocka_unit_test(test_thermostat),
        cmocka_unit_test(test_own_type),
        cmocka_unit_test(test_algebraic_loop),
        cmocka_unit_test(test_voice_coil), cmocka_unit_test(test_wrong_networks),
        cmocka_unit_test(test_circles), cmocka_unit_test(test_one_mistake_one_message),
        cmocka_unit_test(test_relief_valve_by_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
