/* A body on which nothing acts: Euler's equations in closed form. */
#include "mechanisms.h"

/* Frames at the tips of the body's unit vectors show its axes. */
static machine free_body(const double inertia[3], const double spin[3])
{
    return machine_format("tenon: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
        "bodies: { body: { mass: 1, inertia: [%.17g, %.17g, %.17g], position: [0, 0, 0],\n"
        "          angular_velocity: [%.17g, %.17g, %.17g],\n"
        "          frames: { e1: { at: [1, 0, 0] }, e2: { at: [0, 1, 0] }, e3: { at: [0, 0, 1] } } } }\n",
        inertia[0], inertia[1], inertia[2], spin[0], spin[1], spin[2]);
}

static void vector(const machine *m, const char *what, double out[3])
{
    char name[80];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "body.%s.%c", what, "xyz"[k]);
        out[k] = value(m, name);
    }
}

/* Angular velocity along the body's axes. */
static void body_spin(const machine *m, double out[3])
{
    static const char *const tips[] = { "e1.position", "e2.position", "e3.position" };
    double w[3], axis[3];
    vector(m, "angular_velocity", w);
    for (int k = 0; k < 3; k++) {
        vector(m, tips[k], axis);
        out[k] = w[0] * axis[0] + w[1] * axis[1] + w[2] * axis[2];
    }
}

/* Jacobi's elliptic functions by the arithmetic-geometric mean. */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
    enum { MOST = 20 };
    double a[MOST] = { 1 }, c[MOST] = { sqrt(m) }, b = sqrt(1 - m);
    int n = 0;
    while (fabs(c[n]) > 1e-16 && n + 1 < MOST) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = (phi + asin(c[n] * sin(phi) / a[n])) / 2;
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - m * *sn * *sn);
}

/* I1 < I2 < I3, L^2 > 2 E I2, starting without spin about axis 2. */
static void check_asymmetric(const double I[3], double w1, double w3, double until, double tolerance)
{
    double E2 = I[0] * w1 * w1 + I[2] * w3 * w3, L2 = I[0] * I[0] * w1 * w1 + I[2] * I[2] * w3 * w3;
    assert_true(L2 > E2 * I[1]);
    double m = (I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0]));
    double rate = sqrt((I[2] - I[1]) * (L2 - E2 * I[0]) / (I[0] * I[1] * I[2]));
    double w2 = sqrt((E2 * I[2] - L2) / (I[1] * (I[2] - I[1])));
    machine body = free_body(I, (double[3]){ w1, 0, w3 });
    machine_start(&body, accurate(until));
    for (int n = 1; n <= 40; n++) {
        double t = until * n / 40, sn, cn, dn, w[3];
        run_to(&body, t);
        jacobi(rate * t, m, &sn, &cn, &dn);
        body_spin(&body, w);
        assert_near(w[0], w1 * cn, tolerance);
        assert_near(w[1], w2 * sn, tolerance);
        assert_near(w[2], w3 * dn, tolerance);
    }
    assert_near(value(&body, "momentum.angular.x"), I[0] * w1, 1e-11);
    assert_near(value(&body, "momentum.angular.y"), 0, 1e-11);
    assert_near(value(&body, "momentum.angular.z"), I[2] * w3, 1e-11);
    check_energy(&body, 1e-11);
    machine_close(&body);
}

static void test_asymmetric_body(void **state)
{
    (void)state;
    check_asymmetric((const double[3]){ 0.2, 0.3, 0.45 }, 1.5, 3, 8, 1e-9);
}

/* Close to the unstable axis it rests, turns over, and rests the other way round. */
static void test_middle_axis(void **state)
{
    (void)state;
    const double I[3] = { 0.2, 0.3, 0.45 }, w3 = 2;
    double w1 = w3 * sqrt(I[2] * (I[2] - I[1]) / (I[0] * (I[1] - I[0]))) * (1 - 1e-6);
    check_asymmetric(I, w1, w3, 12, 1e-6);     /* errors grow by exp(0.5 * 12 s * rate) near the axis */
}

/* The axis of a symmetric body turns about the angular momentum at L / I1. */
static void test_symmetric_body(void **state)
{
    (void)state;
    const double I1 = 0.3, I3 = 0.5, spin[3] = { 2, 0, 7 };
    double L = hypot(I1 * spin[0], I3 * spin[2]), tilt = atan2(I1 * spin[0], I3 * spin[2]), axis[3], w[3];
    machine m = free_body((const double[3]){ I1, I1, I3 }, spin);
    machine_start(&m, accurate(5));
    for (int n = 1; n <= 10; n++) {
        double t = 0.5 * n, turn = L / I1 * t, nutation = (I3 - I1) / I1 * spin[2] * t;
        run_to(&m, t);
        vector(&m, "e3.position", axis);
        /* e3 starts tilted by -tilt from L in the plane of x and z */
        double across = -sin(tilt) * cos(turn), along = cos(tilt);
        assert_near(axis[0], along * sin(tilt) + across * cos(tilt), 1e-9);
        assert_near(axis[1], -sin(tilt) * sin(turn), 1e-9);
        assert_near(axis[2], along * cos(tilt) - across * sin(tilt), 1e-9);
        body_spin(&m, w);
        assert_near(w[0], spin[0] * cos(nutation), 1e-9);
        assert_near(w[1], spin[0] * sin(nutation), 1e-9);
        assert_near(w[2], spin[2], 1e-9);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asymmetric_body),
        cmocka_unit_test(test_middle_axis),
        cmocka_unit_test(test_symmetric_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
