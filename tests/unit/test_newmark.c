/* The Newmark family beyond its orders: the published one-pass rule, and steps that follow an error. */
#include "mechanisms.h"
#include "mem.h"

/* A mass on a spring of 1 N/m times omega^2, pulled by a millimetre. */
static machine oscillator(double omega)
{
    char text[400];
    snprintf(text, sizeof text,
             "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
             "bodies: { bob: { type: particle, mass: 1, position: [1.001, 0] } }\n"
             "forces: { spring: { type: spring, between: [ground, bob], stiffness: %.17g, length: 1 } }\n",
             omega * omega);
    return machine_text(text);
}

static double amplitude_after(double omega_h, int steps)
{
    const double h = 1e-3;
    machine m = oscillator(omega_h / h);
    double most = 0;
    machine_start(&m, fixed_steps("newmark-pec", h, 1e9));
    for (int k = 0; k < steps; k++) {
        machine_must(&m, tn_session_step(m.session));
        if (k >= steps - 10)
            most = fmax(most, fabs(value(&m, "bob.position.x") - 1));
    }
    machine_close(&m);
    return most;
}

/* Central differences: stable to omega h = 2. */
static void test_stability_limit(void **state)
{
    (void)state;
    assert_true(amplitude_after(1.98, 1000) < 0.02);
    assert_true(amplitude_after(2.02, 1000) > 1e3);
}

/* Accelerations go from step to step as evaluated: one evaluation of them decides a step. */
static void test_carried(void **state)
{
    (void)state;
    const double omega = 10, h = 0.01, k = omega * omega;
    machine m = oscillator(omega);
    double q = 1e-3, v = 0, a = -k * q;
    machine_start(&m, fixed_steps("newmark-pec", h, 1));
    for (int n = 0; n < 50; n++) {
        machine_must(&m, tn_session_step(m.session));
        double predicted = q + h * v + h * h / 4 * a, a1 = -k * predicted;
        q = predicted + h * h / 4 * a1;
        v += h / 2 * (a + a1);
        a = a1;
        assert_near(value(&m, "bob.position.x") - 1, q, 1e-14);
        assert_near(value(&m, "bob.velocity.x"), v, 1e-12);
    }
    machine_close(&m);
}

static double adaptive_error(double tolerance, long *steps, double expected)
{
    machine m = double_pendulum(2);
    tn_solve solve = tn_solve_default();
    solve.integrator = "newmark-adaptive";
    solve.tolerance = solve.absolute_tolerance = tolerance;
    solve.until = 1;
    *steps = machine_run(&m, solve).steps;
    double error = fabs(value(&m, "energy.kinetic") - expected);
    machine_close(&m);
    return error;
}

/* A hundredth of the local error takes 4.6 times the steps, and the error falls by their square. */
static void test_adaptive(void **state)
{
    (void)state;
    long coarse_steps, fine_steps;
    machine m = double_pendulum(2);
    machine_run(&m, accurate(1));
    double expected = value(&m, "energy.kinetic");
    machine_close(&m);
    double coarse = adaptive_error(1e-6, &coarse_steps, expected), fine = adaptive_error(1e-8, &fine_steps, expected);
    assert_near((double)fine_steps / (double)coarse_steps, 4.64, 0.5);
    assert_true(fine < coarse / 8);
}

/* The rule of Seguy et al. 2003, Eq. 24: steps grow by half as long as the joints are hardly off; where they are, no
 * step is short enough. */
static void test_published_rule(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    tn_solve solve = fixed_steps("newmark-adaptive", 1e-4, 1);
    solve.scheme = "baumgarte";
    tn_solve_set(&solve, "limit", 1e9);
    machine_start(&m, solve);
    for (int k = 0; k < 5; k++) {
        double t = tn_session_time(m.session);
        machine_must(&m, tn_session_step(m.session));
        assert_near(tn_session_time(m.session) - t, 1e-4 * pow(1.5, k), 1e-12);
    }
    tn_solve_set(&solve, "limit", 1e-6);
    machine_must(&m, tn_session_set_solve(m.session, &solve));
    assert_int_equal(tn_session_step(m.session), TN_ERROR_STEP);
    machine_close(&m);
}

/* Passes that diverge, omega h = 5: the message says so. */
static void test_diverging_passes(void **state)
{
    (void)state;
    machine m = oscillator(5000);
    machine_start(&m, fixed_steps("newmark-iterated", 1e-3, 1));
    assert_int_equal(tn_session_step(m.session), TN_ERROR_STEP);
    assert_non_null(strstr(tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message,
                           "the iteration of integrator 'newmark-iterated' does not converge"));
    machine_close(&m);
}

/* States are iterated with the velocities: at convergence a lag obeys the trapezoidal rule, y1 (1 + k) = y0 (1 - k) + 2 k u. */
static void test_states_converge(void **state)
{
    (void)state;
    const double h = 0.01, T = 0.05, k = h / (2 * T), u = 3;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { bob: { type: particle, mass: 1 } }\n"
                             "devices: { slow: { type: lag, u: 3, time: 50 ms, start: 1 } }\n");
    machine_start(&m, fixed_steps("newmark-iterated", h, 1));
    double y = 1;
    for (int n = 0; n < 10; n++) {
        machine_must(&m, tn_session_step(m.session));
        y = (y * (1 - k) + 2 * k * u) / (1 + k);
        assert_near(value(&m, "slow.y"), y, 1e-12);
    }
    machine_close(&m);
}

/* Velocities and states have an error of their own, which positions do not show: drag on a ball that moves 1 mm, and a lag. Step
 * by step both are off by no more than a few tolerances. */
static void test_errors_of_velocities(void **state)
{
    (void)state;
    const double T = 0.05, tolerance = 1e-6;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
                             "bodies: { bob: { type: particle, mass: 1, velocity: [0.02, 0] } }\n"
                             "forces: { drag: { type: force, on: bob, value: [\"-20 kg/s * bob.velocity.x\", 0] } }\n"
                             "devices: { slow: { type: lag, u: 0, time: 50 ms, start: 1 } }\n");
    tn_solve solve = tn_solve_default();
    solve.integrator = "newmark-adaptive";
    solve.tolerance = solve.absolute_tolerance = tolerance;
    solve.until = 0.5;
    machine_start(&m, solve);
    while (tn_session_time(m.session) < 0.2) {
        double t = tn_session_time(m.session), v = value(&m, "bob.velocity.x"), y = value(&m, "slow.y");
        machine_must(&m, tn_session_step(m.session));
        double fade = exp(-(tn_session_time(m.session) - t) / T);
        assert_near(value(&m, "bob.velocity.x"), v * fade, 5 * tolerance);
        assert_near(value(&m, "slow.y"), y * fade, 5 * tolerance);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stability_limit),
        cmocka_unit_test(test_carried),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_published_rule),
        cmocka_unit_test(test_diverging_passes),
        cmocka_unit_test(test_states_converge),
        cmocka_unit_test(test_errors_of_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
