/* Spectra of steps against the closed forms of the methods. */
#include "mechanisms.h"
#include <complex.h>

/* A mass on a spring along x: x'' = -w^2 x. */
static const double STIFFNESS = 8, MASS = 2, FREQUENCY = 2;    /* N/m, kg, rad/s */
static const char oscillator_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { bob: { type: particle, mass: 2, position: [1, 0] } }\n"
    "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
    "forces: { coil: { type: spring, between: [ground, bob], stiffness: 8, length: 1 } }\n";

static const double TOLERANCE = 1e-9;

static tn_spectrum *spectrum_of(machine *m)
{
    tn_spectrum *found = NULL;
    machine_must(m, tn_session_spectrum(&found, m->session));
    return found;
}

static double complex at(const tn_eigenvalues *e, size_t k)
{
    return e->values[k].re + I * e->values[k].im;
}

/* Every expected value is there, in whatever order. */
static void check_values(const tn_eigenvalues *found, const double complex *expected, size_t count, double tolerance)
{
    assert_int_equal(found->count, count);
    for (size_t i = 0; i < count; i++) {
        double nearest = INFINITY;
        for (size_t k = 0; k < count; k++)
            nearest = fmin(nearest, cabs(at(found, k) - expected[i]));
        assert_near(nearest, 0, tolerance);
    }
}

static tn_spectrum *oscillator(machine *m, const char *integrator, double h)
{
    *m = machine_text(oscillator_text);
    machine_start(m, fixed_steps(integrator, h, 1));
    return spectrum_of(m);
}

/* Stability function of an explicit method of order p with p stages: the exponential series. */
static double complex series(double complex z, int order)
{
    double complex sum = 1, term = 1;
    for (int k = 1; k <= order; k++)
        sum += term *= z / k;
    return sum;
}

static void test_runge_kutta(void **state)
{
    (void)state;
    static const struct { const char *integrator; int order; } methods[] = {
        { "rk4", 4 }, { "heun", 2 }, { "midpoint", 2 },
    };
    static const double steps[] = { 0.01, 0.3, 1.45 };
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++) {
            machine m;
            tn_spectrum *found = oscillator(&m, methods[k].integrator, steps[i]);
            double complex r = series(I * FREQUENCY * steps[i], methods[k].order);
            check_values(&found->motion, (double complex[]){ r, conj(r) }, 2, TOLERANCE);
            assert_near(found->motion.radius, cabs(r), TOLERANCE);
            tn_spectrum_destroy(m.context, found);
            machine_close(&m);
        }
}

/* Adaptive integrators: the step is the given one, whatever its error. */
static void test_adaptive(void **state)
{
    (void)state;
    machine m;
    tn_spectrum *found = oscillator(&m, "dopri5", 0.5);
    double complex z = I * FREQUENCY * 0.5, r = series(z, 5) + cpow(z, 6) / 600;
    assert_near(found->step, 0.5, 0);
    check_values(&found->motion, (double complex[]){ r, conj(r) }, 2, TOLERANCE);
    tn_spectrum_destroy(m.context, found);
    machine_close(&m);
}

/* Semi-implicit Euler: on the unit circle for w h < 2, -1 / x and x beyond. */
static void test_semi_implicit_euler(void **state)
{
    (void)state;
    static const double steps[] = { 0.1, 0.9, 1.2 };
    assert_near(FREQUENCY, sqrt(STIFFNESS / MASS), 0);
    for (size_t i = 0; i < 3; i++) {
        machine m;
        tn_spectrum *found = oscillator(&m, "semi-implicit-euler", steps[i]);
        double s = FREQUENCY * steps[i], half = 1 - s * s / 2;
        double complex root = csqrt(half * half - 1);
        check_values(&found->motion, (double complex[]){ half + root, half - root }, 2, TOLERANCE);
        assert_true(s > 2 ? found->motion.radius > 1.5 : fabs(found->motion.radius - 1) < TOLERANCE);
        tn_spectrum_destroy(m.context, found);
        machine_close(&m);
    }
}

/* Constraints: projection leaves nothing, Baumgarte with given gains follows the integrator's stability function. */
static void test_constraints(void **state)
{
    (void)state;
    const double alpha = 3, beta = 5, h = 0.2;
    double complex z = h * (-alpha + csqrt(alpha * alpha - beta * beta)), r = series(z, 4);
    for (int spatial = 0; spatial < 2; spatial++) {
        machine m = spatial ? spatial_pendulum() : double_pendulum(2);
        tn_solve solve = fixed_steps("rk4", 1e-3, 1);
        machine_start(&m, solve);
        tn_spectrum *found = spectrum_of(&m);
        assert_int_equal(found->motion.count, 4);
        assert_int_equal(found->constraints.count, spatial ? 20 : 8);
        assert_int_equal(found->all.count, spatial ? 24 : 12);
        assert_near(found->constraints.radius, 0, 1e-5);
        tn_spectrum_destroy(m.context, found);
        machine_close(&m);
    }
    machine m = machine_text(oscillator_text);
    tn_solve solve = fixed_steps("rk4", h, 1);
    solve.scheme = "baumgarte";
    tn_solve_set(&solve, "alpha", alpha);
    tn_solve_set(&solve, "beta", beta);
    machine_start(&m, solve);
    tn_spectrum *found = spectrum_of(&m);
    check_values(&found->constraints, (double complex[]){ r, conj(r) }, 2, TOLERANCE);
    tn_spectrum_destroy(m.context, found);
    machine_close(&m);
}

/* Sorted, and the parts make up the whole, at an equilibrium. */
static void test_parts(void **state)
{
    (void)state;
    machine m;
    tn_spectrum *found = oscillator(&m, "rk4", 0.3);
    assert_int_equal(found->all.count, found->motion.count + found->constraints.count);
    for (size_t k = 1; k < found->all.count; k++)
        assert_true(cabs(at(&found->all, k - 1)) >= cabs(at(&found->all, k)));
    assert_near(found->all.radius, fmax(found->motion.radius, found->constraints.radius), TOLERANCE);
    tn_spectrum_destroy(m.context, found);
    machine_close(&m);
}

/* The session goes on as if nothing had been asked. */
static void test_session_untouched(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    uint64_t before = tn_session_hash(m.session);
    tn_summary summary = tn_session_summary(m.session);
    tn_spectrum *found = spectrum_of(&m);
    assert_near(found->time, 0.1, 1e-12);
    assert_true(tn_session_hash(m.session) == before);
    assert_int_equal(tn_session_summary(m.session).steps, summary.steps);
    tn_spectrum_destroy(m.context, found);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runge_kutta),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_semi_implicit_euler),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_session_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
