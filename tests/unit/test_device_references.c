/* Reference problems with devices: implicit integrators within ten tolerances, samples exact over long runs, orders across
 * kinks that switch. */
#include "mechanisms.h"

static const char RLC[] = "tenon: 1\ndevices:\n"
    "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
    "  R: { type: resistor, at: { p: s, n: a }, resistance: 2 ohm }\n"
    "  L: { type: inductor, at: { p: a, n: b }, inductance: 0.1 H }\n"
    "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 mF }\n";

static const char GRAETZ[] = "tenon: 1\ndevices:\n"
    "  V: { type: voltage-source, at: { p: s1, n: n }, value: \"24 V * sin(2 * pi * 50 / 1 s * t)\" }\n"
    "  R: { type: resistor, at: { p: s1, n: p }, resistance: 0.5 ohm }\n"
    "  D1: { type: diode, at: { p: p, n: plus }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
    "  D2: { type: diode, at: { p: n, n: plus }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
    "  D3: { type: diode, at: { p: ground, n: p }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
    "  D4: { type: diode, at: { p: ground, n: n }, knee: 0.7 V, on_resistance: 0.02 ohm }\n"
    "  C: { type: capacitor, at: { p: plus, n: ground }, capacitance: 2.2 mF }\n"
    "  L: { type: resistor, at: { p: plus, n: ground }, resistance: 50 ohm }\n";

static const char HELD[] = "tenon: 1\ndimension: 2\nbodies: { r: { mass: 1, inertia: 2e-3 } }\n"
    "joints: { pin: { type: revolute, between: [ground, r] } }\ndevices:\n"
    "  c: { type: discrete-pid, period: 10 ms, target: 1, measured: pin.angle / 1 rad, kp: 0.8, ki: 1.5, kd: 0.06, low: -0.5,\n"
    "       high: 0.5, tracking: 0.05 s }\n"
    "  m: { type: torque-source, shaft: pin.angle, value: c.y * 1 N m }\n";

/* A pump against a relief valve that opens at 5.748 ms; a chamber that is filled through an orifice, choked until 0.470 s; a resistor that
 * grows with its temperature and cools by convection and radiation. Values by extrapolation with 25 digits, apart from this program. */
static const char RELIEF[] = "tenon: 1\nmedia: { hydraulic: { density: 860 kg/m^3, bulk_modulus: 1.4 GPa } }\ndevices:\n"
    "  pump: { type: flow-source, at: { a: ground, b: P }, value: 2e-4 m^3/s }\n  vol: { type: volume, at: { a: P }, volume: 1e-4 m^3 }\n"
    "  rel: { type: relief-valve, at: { a: P, b: ground }, opening: 100 bar, gradient: 2e-10 m^3/s/Pa }\n"
    "  load: { type: orifice, at: { a: P, b: ground }, area: 1e-6 m^2, critical: 0.5 bar }\n";

static const char FILLING[] = "tenon: 1\nmedia: { pneumatic: { ambient_temperature: 293.15 K } }\ndevices:\n"
    "  s: { type: reservoir, at: { a: S }, pressure: 6 bar, temperature: 293.15 K }\n"
    "  o: { type: iso-orifice, at: { a: S, b: C }, conductance: 2e-9 m^3/s/Pa }\n"
    "  c: { type: chamber, at: { a: C }, volume: 1e-3 m^3, pressure: 101325 Pa, temperature: 293.15 K }\n";

static const char HEATER[] = "tenon: 1\nmedia: { thermal: { ambient: 293.15 K } }\ndevices:\n"
    "  V: { type: voltage-source, at: { p: a, n: ground }, value: 12 V }\n"
    "  R: { type: resistor, at: { p: a, n: ground, heat: H }, resistance: 2 ohm * (1 + 0.004 1/K * (H.temperature - 293.15 K)) }\n"
    "  C: { type: heat-capacity, at: { a: H }, capacity: 50 J/K, temperature: 293.15 K }\n"
    "  G: { type: convection, at: { a: H, b: ground }, coefficient: 5 W/m^2/K, area: 0.02 m^2 }\n"
    "  r: { type: radiation, at: { a: H, b: ground }, emissivity: 0.8, area: 0.02 m^2 }\n";

/* A rectifier with an exponential diode; at the end the source is at a trough. A step from the start to there would see no current. */
static const char EXPONENTIAL[] = "tenon: 1\ndevices:\n"
    "  V: { type: voltage-source, at: { p: s, n: ground }, value: \"10 V * sin(2 * pi * 50 / 1 s * t)\" }\n"
    "  S: { type: resistor, at: { p: s, n: x }, resistance: 10 ohm }\n"
    "  D: { type: diode-exponential, at: { p: x, n: o }, saturation: 1e-12 A }\n"
    "  C: { type: capacitor, at: { p: o, n: ground }, capacitance: 10 uF }\n"
    "  R: { type: resistor, at: { p: o, n: ground }, resistance: 1 kohm }\n";

/* A phase-locked loop. At the start and at the end the input of its filter is zero: a step from one to the other would see nothing. */
static const char LOCKED[] = "tenon: 1\ndevices:\n"
    "  mix: { type: signal, value: \"sin(2 * pi * 50 / 1 s * t + 0 * vco.y) * cos(vco.y)\" }\n"
    "  filter: { type: transfer-function, u: mix.value, numerator: [0.02, 1], denominator: [0.0001, 0.02, 0] }\n"
    "  vco: { type: integrator, u: \"2 * pi * 50 rad/s + 60 rad/s * filter.y\", start: 0.3 rad }\n";

static const struct { const char *text, *channel; double t, value, scale; } problems[] = {
    { RELIEF, "P.pressure", 0.006, 10233993.332044118, 1e7 }, { RELIEF, "P.pressure", 0.02, 10454269.558398503, 1e7 },
    { FILLING, "C.pressure", 1.5, 347791.73859518584, 3.5e5 }, { FILLING, "C.temperature", 1.5, 367.57459923110208, 368 },
    { HEATER, "H.temperature", 100, 387.62573156426129, 388 }, { HEATER, "H.temperature", 1000, 446.36858686328102, 446 },
    { RLC, "C.u", 0.1, 13.368516805904134, 17.2 }, { RLC, "L.i", 0.1, -0.1853457069846059, 0.76 },
    { GRAETZ, "C.u", 0.025, 21.303584249026542, 21.6 }, { EXPONENTIAL, "C.u", 0.035, 3.647537382186037, 10 }, { HELD, "pin.rate", 1, -0.017332725180061528, 9.4 },
    { HELD, "pin.angle", 1, 1.0076936995821362, 1 }, { LOCKED, "filter.y", 0.1, -0.0771816766378695, 0.4 },
};

static void test_implicit_integrators(void **state)
{
    (void)state;
    static const struct { const char *name; double tolerance; } integrators[] = {
        { "cvode", 1e-7 }, { "ida", 1e-7 }, { "generalized-alpha", 1e-6 },
    };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
            machine m = machine_text(problems[k].text);
            tn_solve solve = accurate(problems[k].t);
            solve.integrator = integrators[i].name;
            solve.tolerance = solve.absolute_tolerance = integrators[i].tolerance;
            machine_start(&m, solve);
            run_to(&m, problems[k].t);
            assert_near((value(&m, problems[k].channel) - problems[k].value) / problems[k].scale, 0,
                        10 * integrators[i].tolerance);
            assert_int_equal(tn_session_summary(m.session).doubts, 0);
            machine_close(&m);
        }
}

/* The filter sees sin(3 t) at k times the period, whatever the length of the run. */
static void test_long_sampling(void **state)
{
    (void)state;
    enum { SAMPLES = 100000 };
    machine m = machine_text("tenon: 1\ndevices:\n"
        "  f: { type: discrete-lag, u: sin(3 rad/s * t), period: 0.0013 s, factor: 0.01 }\n");
    double y = 0;
    machine_start(&m, accurate(0.0013 * SAMPLES));
    run_to(&m, 0.0013 * SAMPLES);
    for (int k = 0; k <= SAMPLES; k++)
        y += 0.01 * (sin(3 * (k * 0.0013)) - y);
    assert_near(value(&m, "f.y"), y, 1e-13);
    machine_close(&m);
}

/* The bridge switches six times in the run: rk4 keeps its order. */
static void test_order_across_diodes(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        machine m = machine_text(GRAETZ);
        machine_start(&m, fixed_steps("rk4", k == 0 ? 5e-5 : 2.5e-5, 0.025));
        run_to(&m, 0.025);
        error[k] = fabs(value(&m, "C.u") - 21.303584249026542);
        machine_close(&m);
    }
    assert_near(log2(error[0] / error[1]), 4, 0.2);
}

/* The same with tight tolerances. */
static void test_explicit_integrators(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        machine m = machine_text(problems[k].text);
        tn_solve solve = accurate(problems[k].t);
        solve.tolerance = solve.absolute_tolerance = 1e-12;
        machine_start(&m, solve);
        run_to(&m, problems[k].t);
        assert_near(value(&m, problems[k].channel), problems[k].value, 1e-9 * problems[k].scale);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_implicit_integrators),
        cmocka_unit_test(test_explicit_integrators),
        cmocka_unit_test(test_long_sampling),
        cmocka_unit_test(test_order_across_diodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
