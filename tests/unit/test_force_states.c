/* Forces with states of their own: gas, oil, controllers; and states that are written down and read again. */
#include "mechanisms.h"

#define PLANE "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
#define PISTON "bodies: { piston: { mass: 3, inertia: 1, position: [0.5, 0], velocity: [%g, 0] } }\n" \
               "joints: { slide: { type: translational, between: [ground, piston], axis: x } }\n"

/* ---- gas ---- */

static double gas_content(const machine *m)
{
    return value(m, "gas.pressure") * value(m, "gas.volume") / value(m, "gas.temperature");
}

/* p V^n stays, the temperature follows p V; the piston's energy and that of the gas exchange. */
static void test_adiabatic_gas(void **state)
{
    (void)state;
    static const double exponents[] = { 1, 1.25, 1.4 };
    for (size_t k = 0; k < 3; k++) {
        machine m = machine_format(PLANE PISTON
            "forces: { gas: { type: gas-cylinder, between: [ground, piston], area: 10 cm^2, filling_pressure: 3 bar,\n"
            "                 dead_volume: 0.02 m^3, closed_length: 0.3 m, ambient: 1 bar, exponent: %g } }\n",
            2.0, exponents[k]);
        machine_start(&m, accurate(0.5));
        double V0 = value(&m, "gas.volume");
        assert_near(V0, 0.02 + 1e-3 * 0.2, 1e-15);
        for (int n = 1; n <= 10; n++) {
            run_to(&m, 0.05 * n);
            double V = value(&m, "gas.volume"), p = 3e5 * pow(V0 / V, exponents[k]);
            assert_near(value(&m, "gas.pressure") / p, 1, 1e-12);
            assert_near(value(&m, "gas.temperature"), p * V / (3e5 * V0), 1e-12);
            assert_near(value(&m, "gas.force"), 1e-3 * (p - 1e5), 1e-8);
        }
        check_energy(&m, 1e-10);
        machine_close(&m);
    }
}

/* A fast stroke, then heat flows until the gas is as cold as outside; its content stays. */
static void test_heat_exchange(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { piston: { mass: 3, inertia: 1, position: [0.5, 0] } }\n"
        "joints: { slide: { type: translational, between: [ground, piston], axis: x } }\n"
        "drives: { push: { joint: slide, position: 'step(t, 0 s, 0.1 s, 0.5 m, 0.3 m)' } }\n"
        "forces: { gas: { type: gas-cylinder, between: [ground, piston], area: 10 cm^2, filling_pressure: 2 bar,\n"
        "                 heat_time: 0.5 s } }\n");
    machine_start(&m, accurate(10));
    double content = gas_content(&m);
    run_to(&m, 0.1);
    double hot = value(&m, "gas.temperature") - 1;
    assert_true(hot > 0.15);
    assert_near(gas_content(&m) / content, 1, 1e-11);
    run_to(&m, 1.1);                           /* at constant volume the difference decays by its time constant */
    assert_near(value(&m, "gas.temperature") - 1, hot * exp(-2), 1e-9);
    run_to(&m, 10);
    assert_near(value(&m, "gas.pressure") / (2e5 * 0.5 / 0.3), 1, 1e-8);
    machine_close(&m);
}

/* What leaks out is missing inside; in the end the pressure is that outside. */
static void test_leaking_gas(void **state)
{
    (void)state;
    machine m = machine_format(PLANE PISTON
        "forces: { gas: { type: gas-cylinder, between: [ground, piston], area: 10 cm^2, filling_pressure: 3 bar,\n"
        "                 ambient: 1 bar, leak: 1e-8 m^3/s/Pa, heat_time: 0.05 s },\n"
        "          hold: { type: torsion-spring, joint: slide, stiffness: 5000, rest: 0.6, damping: 50 } }\n"
        "states: { gone: { initial: 0 J, rate: -gas.inflow } }\n", 1.0);
    machine_start(&m, accurate(12));
    double content = gas_content(&m);
    run_to(&m, 0.2);
    assert_near((gas_content(&m) + value(&m, "gone.value")) / content, 1, 1e-10);
    assert_true(value(&m, "gone.value") > 0.1 * content);
    run_to(&m, 12);
    assert_near(value(&m, "gas.pressure") / 1e5, 1, 1e-6);
    assert_near(value(&m, "gas.temperature"), 1, 1e-6);
    check_energy(&m, 1e-8);
    machine_close(&m);
}

/* ---- oil ---- */

#define CYLINDER "forces: { ram: { type: hydraulic-cylinder, between: [ground, piston], area_a: 20 cm^2,\n" \
                 "  area_b: 12 cm^2, stroke: 0.5 m, closed_length: 0.3 m,\n" \
                 "  pressure_a: 60 bar, pressure_b: 100 bar%s }%s }\n"

/* Valves shut: V exp(p / E) of each chamber stays. */
static void test_locked_cylinder(void **state)
{
    (void)state;
    machine m = machine_format(PLANE PISTON CYLINDER, 2.0, "", "");
    machine_start(&m, accurate(0.05));
    const double E = 1.4e9;
    double a = value(&m, "ram.volume_a") * exp(60e5 / E), b = value(&m, "ram.volume_b") * exp(100e5 / E), most = 0;
    assert_near(value(&m, "ram.volume_a"), 2e-3 * (0.05 * 0.5 + 0.2), 1e-15);
    assert_near(value(&m, "ram.volume_b"), 1.2e-3 * (0.05 * 0.5 + 0.3), 1e-15);
    for (int n = 1; n <= 20; n++) {
        run_to(&m, 0.0025 * n);
        assert_near(value(&m, "ram.volume_a") * exp(value(&m, "ram.pa") / E) / a, 1, 1e-12);
        assert_near(value(&m, "ram.volume_b") * exp(value(&m, "ram.pb") / E) / b, 1, 1e-12);
        assert_near(value(&m, "ram.force"), 2e-3 * value(&m, "ram.pa") - 1.2e-3 * value(&m, "ram.pb"), 1e-6);
        most = fmax(most, fabs(value(&m, "ram.extension") - 0.2));
    }
    assert_true(most > 5e-4 && most < 2e-3);
    check_energy(&m, 1e-9);
    machine_close(&m);
}

/* Flow in at a, out at b: after the start the piston moves at flow / area, against a brake. */
static void test_driven_cylinder(void **state)
{
    (void)state;
    machine m = machine_format(PLANE PISTON CYLINDER, 0.0,
        ", flow_a: '2e-4 m^3/s * step(t, 0 s, 0.1 s)', flow_b: '-1.2e-4 m^3/s * step(t, 0 s, 0.1 s)'",
        ",\n  brake: { type: torsion-spring, joint: slide, stiffness: 0, damping: 4000 }");
    machine_start(&m, accurate(0.3));
    for (int n = 1; n <= 3; n++) {
        run_to(&m, 0.2 + 0.03 * n);
        assert_near(value(&m, "slide.rate"), 0.1, 1e-9);
        assert_near(value(&m, "ram.force"), 400, 1e-5);
    }
    assert_near(value(&m, "ram.extension"), 0.2 + 0.1 * (0.29 - 0.05), 1e-4);
    check_energy(&m, 1e-6);
    machine_close(&m);
}

/* Through a leaking piston oil goes from one chamber to the other. */
static void test_leaking_cylinder(void **state)
{
    (void)state;
    machine m = machine_format(PLANE PISTON CYLINDER
        "states: { lost: { initial: 0 m^3, rate: 'exp(ram.pa / 1.4e9 Pa) * 1e-11 m^3/s/Pa * (ram.pa - ram.pb)' } }\n",
        0.0, ", leakage: 1e-11 m^3/s/Pa", ",\n  load: { type: force, on: piston, value: [-4000, 0] },\n"
        "  brake: { type: torsion-spring, joint: slide, stiffness: 0, damping: 4000 }");
    machine_start(&m, accurate(0.5));
    double before = value(&m, "ram.volume_a") * exp(60e5 / 1.4e9);
    run_to(&m, 0.5);
    double after = value(&m, "ram.volume_a") * exp(value(&m, "ram.pa") / 1.4e9);
    assert_near(after + value(&m, "lost.value"), before, 1e-14);
    assert_true(fabs(value(&m, "lost.value")) > 1e-6);
    machine_close(&m);
}

/* ---- controllers ---- */

#define CART "bodies: { cart: { mass: 1, inertia: 1, position: [0, 0] } }\n" \
             "joints: { rail: { type: translational, between: [ground, cart], axis: x } }\n"

/* Poles at -1, -2 and -3:  x = 1 + 5/2 e^-t - 8 e^-2t + 9/2 e^-3t. */
static void test_pid_step(void **state)
{
    (void)state;
    machine m = machine_text(PLANE CART
        "forces: { ctl: { type: pid, joint: rail, target: 1 m, kp: 11, ki: 6, kd: 6 } }\n");
    machine_start(&m, accurate(4));
    for (int n = 1; n <= 8; n++) {
        double t = 0.5 * n, x = 1 + 2.5 * exp(-t) - 8 * exp(-2 * t) + 4.5 * exp(-3 * t);
        double a = 2.5 * exp(-t) - 32 * exp(-2 * t) + 40.5 * exp(-3 * t);
        run_to(&m, t);
        assert_near(value(&m, "rail.position"), x, 1e-10);
        assert_near(value(&m, "ctl.error"), 1 - x, 1e-10);
        assert_near(value(&m, "ctl.effort"), a, 1e-9);
    }
    check_energy(&m, 1e-9);
    machine_close(&m);
}

/* Of a target that moves, the derivative part sees the error's rate: exact tracking with the start it needs. */
static void test_pid_tracking(void **state)
{
    (void)state;
    machine m = machine_text(PLANE CART "initial: { rail: { rate: 2 m/s } }\n"
        "forces: { ctl: { type: pid, joint: rail, target: 2 m/s * t, kp: 5, kd: 1 } }\n");
    machine_run(&m, accurate(3));
    assert_near(value(&m, "rail.position"), 6, 1e-11);
    machine_close(&m);
}

/* Any channel may be measured, a rate too:  v' = kp (1 - v) + ki integral of it, double pole at -2. */
static void test_speed_control(void **state)
{
    (void)state;
    machine m = machine_text(PLANE CART "initial: { rail: { rate: 0 } }\n"
        "forces: { ctl: { type: pid, joint: rail, target: 1 m/s, measured: rail.rate, kp: 4, ki: 4 } }\n");
    machine_run(&m, accurate(1.5));
    assert_near(value(&m, "rail.rate"), 1 - (1 - 2 * 1.5) * exp(-2 * 1.5), 1e-10);     /* zero at -1 */
    machine_close(&m);
}

static double overshoot(double reset_time)
{
    machine m = machine_format(PLANE CART
        "forces: { ctl: { type: pid, joint: rail, target: 1 m, kp: 11, ki: 6, kd: 6, limit: 0.5, reset_time: %g } }\n",
        reset_time);
    double most = 0;
    machine_start(&m, accurate(12));
    for (int n = 1; n <= 240; n++) {
        run_to(&m, 0.05 * n);
        most = fmax(most, value(&m, "rail.position"));
        assert_true(fabs(value(&m, "ctl.effort")) <= 0.5);
    }
    check_energy(&m, 1e-6);
    machine_close(&m);
    return most - 1;
}

static void test_wind_up(void **state)
{
    (void)state;
    double with = overshoot(1e9), without = overshoot(0.1);
    assert_true(with > 0.5 && without < 0.2 * with);
}

/* ---- written states ---- */

static const char all_states[] = "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: { mass: 1, inertia: 0.1, com: [0.3, 0], position: [0, 0] }\n"
    "  wheel: { mass: 2, inertia: 0.2, position: [2, 0], frames: { rim: { at: [0.1, 0] } } }\n"
    "  disc: { mass: 1, inertia: 0.1, position: [4, 0] }\n"
    "joints:\n"
    "  shoulder: { type: revolute, between: [ground, arm], at: [0, 0] }\n"
    "  axle: { type: revolute, between: [ground, wheel], at: [2, 0] }\n"
    "  shaft: { type: revolute, between: [ground, disc], at: [4, 0] }\n"
    "drives: { spin: { joint: shaft, acceleration: 3 rad/s^2 } }\n"
    "forces:\n"
    "  ctl: { type: pid, joint: shoulder, target: 1 rad, kp: 30, ki: 20, kd: 5 }\n"
    "  coil: { type: torsion-spring, joint: axle, stiffness: 0.3, rest: 20 rad }\n"
    "  gas: { type: gas-cylinder, between: [ground, wheel.rim], area: 1 cm^2, filling_pressure: 5 bar,\n"
    "         heat_time: 1 s }\n"
    "states: { x: { initial: 1 m, rate: -0.5 * x.value } }\n";

/* A run that is interrupted and taken up again ends where the whole run does. */
static void test_written_state(void **state)
{
    (void)state;
    static const char *const channels[] = { "shoulder.angle", "axle.angle", "axle.rate", "shaft.rate", "ctl.integral",
                                            "gas.pressure", "gas.temperature", "x.value", "wheel.velocity.y" };
    double whole[sizeof channels / sizeof channels[0]];
    char text[8000];
    machine m = machine_text(all_states);
    machine_start(&m, accurate(4));
    run_to(&m, 2.5);
    assert_true(value(&m, "axle.angle") > 7);          /* more than a turn */
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    fputs(all_states, out);
    machine_must(&m, tn_session_write_state(m.session, out));
    fclose(out);
    run_to(&m, 4);
    for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++)
        whole[k] = value(&m, channels[k]);
    machine_close(&m);
    m = machine_text(text);
    machine_run(&m, accurate(1.5));
    for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++)
        assert_near(value(&m, channels[k]), whole[k], 1e-8 * fmax(1, fabs(whole[k])));
    machine_close(&m);
}

/* A start given in the file goes before the type's own. */
static void test_given_start(void **state)
{
    (void)state;
    machine m = machine_format(PLANE PISTON
        "forces: { gas: { type: gas-cylinder, between: [ground, piston], area: 10 cm^2, filling_pressure: 3 bar } }\n"
        "initial: { gas: { pressure: 2 bar, temperature: 1.1 } }\n", 0.0);
    machine_start(&m, accurate(1));
    assert_near(value(&m, "gas.pressure"), 2e5, 0);
    assert_near(value(&m, "gas.temperature"), 1.1, 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adiabatic_gas),
        cmocka_unit_test(test_heat_exchange),
        cmocka_unit_test(test_leaking_gas),
        cmocka_unit_test(test_locked_cylinder),
        cmocka_unit_test(test_driven_cylinder),
        cmocka_unit_test(test_leaking_cylinder),
        cmocka_unit_test(test_pid_step),
        cmocka_unit_test(test_pid_tracking),
        cmocka_unit_test(test_speed_control),
        cmocka_unit_test(test_wind_up),
        cmocka_unit_test(test_written_state),
        cmocka_unit_test(test_given_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
