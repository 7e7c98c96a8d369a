/* Curves against closed forms, orders of convergence and quadrature. */
#include "alloc.h"
#include "curve.h"
#include "near.h"
#include "random.h"
#include <float.h>
#include <string.h>

static tn_curve *open_curve(tn_context *context, const double *x, const double *y, int count, tn_curve_kind kind,
                            tn_curve_outside outside)
{
    tn_curve *curve;
    tn_curve_error error;
    const tn_curve_def def = { .x = x, .y = y, .count = count, .kind = kind, .outside = outside };
    if (tn_curve_create(&curve, context, &def, &error) < 0)
        fail_msg("%s", error.message);
    return curve;
}

static double value_of(const tn_curve *curve, double x, int derivative)
{
    double value[3];
    tn_curve_value(curve, x, value);
    return value[derivative];
}

/* A natural spline itself, so that interpolation must give it back: y'' is straight from 0 at x = 0 to 1 at x = 1 and
 * back to 0 at x = 3. */
static double hat(double x, int derivative)
{
    double s = x - 1;
    if (x <= 1)
        return derivative == 0 ? x * x * x / 6 : derivative == 1 ? x * x / 2 : x;
    return derivative == 0 ? 1.0 / 6 + s / 2 + s * s / 2 - s * s * s / 12
         : derivative == 1 ? 0.5 + s - s * s / 4 : 1 - s / 2;
}

static void test_spline_reproduces_natural_cubics(void **state)
{
    (void)state;
    static const double x[] = { 0, 0.25, 1, 1.3, 2.5, 3 };
    double y[6];
    for (int i = 0; i < 6; i++)
        y[i] = hat(x[i], 0);
    tn_context *context = tn_context_create(NULL);
    tn_curve *curve = open_curve(context, x, y, 6, TN_CURVE_SMOOTH, TN_CURVE_HOLD);
    for (int i = 0; i <= 300; i++)
        for (int derivative = 0; derivative < 3; derivative++)
            assert_near(value_of(curve, 0.01 * i, derivative), hat(0.01 * i, derivative), 2e-14);
    tn_curve_destroy(curve);
    tn_context_destroy(context);
}

/* Largest error of the spline through n + 1 points of sin over [0, pi], where the curvature vanishes at the ends. */
static double spline_error(int n)
{
    enum { MOST = 64 };
    double x[MOST + 1], y[MOST + 1], worst = 0;
    for (int i = 0; i <= n; i++) {
        x[i] = 3.14159265358979323846 * (i + 0.3 * sin(7.0 * i) * (i > 0 && i < n)) / n;
        y[i] = sin(x[i]);
    }
    tn_context *context = tn_context_create(NULL);
    tn_curve *curve = open_curve(context, x, y, n + 1, TN_CURVE_SMOOTH, TN_CURVE_HOLD);
    for (int i = 0; i <= 2000; i++) {
        double at = 3.14159265358979323846 * i / 2000;
        worst = fmax(worst, fabs(value_of(curve, at, 0) - sin(at)));
    }
    tn_curve_destroy(curve);
    tn_context_destroy(context);
    return worst;
}

static void test_spline_has_order_four(void **state)
{
    (void)state;
    double order = log2(spline_error(16) / spline_error(64)) / 2;
    assert_near(order, 4, 0.35);
}

/* Random points, with plateaus and spikes: never outside its two points, and slopes agree from both sides. */
static void test_monotone_never_overshoots(void **state)
{
    (void)state;
    enum { POINTS = 12 };
    uint32_t seed = 3;
    for (int round = 0; round < 200; round++) {
        double x[POINTS], y[POINTS];
        for (int i = 0; i < POINTS; i++) {
            x[i] = (i > 0 ? x[i - 1] : 0) + pow(10, between(&seed, -3, 1));
            y[i] = next_random(&seed) % 4 == 0 && i > 0 ? y[i - 1] : pow(10, between(&seed, -2, 3));
        }
        tn_context *context = tn_context_create(NULL);
        tn_curve *curve = open_curve(context, x, y, POINTS, TN_CURVE_MONOTONE, TN_CURVE_HOLD);
        for (int i = 0; i + 1 < POINTS; i++) {
            double low = fmin(y[i], y[i + 1]), high = fmax(y[i], y[i + 1]), last = y[i], round_off = 1e-13 * high;
            for (int k = 0; k <= 100; k++) {
                double value = value_of(curve, x[i] + (x[i + 1] - x[i]) * k / 100, 0);
                assert_true(value >= low - round_off && value <= high + round_off);
                assert_true((value - last) * (y[i + 1] - y[i]) >= -round_off * high);
                last = value;
            }
            if (i > 0) {
                double left = value_of(curve, nextafter(x[i], 0), 1), right = value_of(curve, x[i], 1);
                double h = x[i] - x[i - 1], curvature = 6 * fabs(y[i] - y[i - 1]) / (h * h);
                assert_near(left, right, 2 * DBL_EPSILON * x[i] * curvature);
            }
        }
        tn_curve_destroy(curve);
        tn_context_destroy(context);
    }
}

static void test_linear(void **state)
{
    (void)state;
    static const double x[] = { 1, 2, 4 }, y[] = { 3, 5, 1 };
    tn_context *context = tn_context_create(NULL);
    tn_curve *curve = open_curve(context, x, y, 3, TN_CURVE_LINEAR, TN_CURVE_HOLD);
    assert_near(value_of(curve, 1.5, 0), 4, 1e-15);
    assert_near(value_of(curve, 3, 0), 3, 1e-15);
    assert_near(value_of(curve, 2, 1), -2, 1e-15);     /* right side of the kink */
    assert_near(value_of(curve, 4, 1), -2, 1e-15);     /* left side at the end */
    assert_true(value_of(curve, 1.5, 2) == 0);
    assert_near(tn_curve_integral(curve, 2), 4, 1e-15);
    assert_near(tn_curve_integral(curve, 4), 10, 1e-14);
    tn_curve_destroy(curve);
    tn_context_destroy(context);
}

static void test_outside(void **state)
{
    (void)state;
    static const double x[] = { 1, 2, 4 }, y[] = { 3, 5, 1 };
    for (int kind = TN_CURVE_SMOOTH; kind <= TN_CURVE_LINEAR; kind++) {
        tn_context *context = tn_context_create(NULL);
        tn_curve *hold = open_curve(context, x, y, 3, (tn_curve_kind)kind, TN_CURVE_HOLD);
        tn_curve *extend = open_curve(context, x, y, 3, (tn_curve_kind)kind, TN_CURVE_EXTEND);
        double first = value_of(hold, 1, 1), last = value_of(hold, 4, 1), whole = tn_curve_integral(hold, 4);
        for (int derivative = 1; derivative < 3; derivative++)
            assert_true(value_of(hold, 0.5, derivative) == 0 && value_of(hold, 4.5, derivative) == 0);
        assert_true(value_of(hold, -3, 0) == 3 && value_of(hold, 9, 0) == 1);
        assert_near(tn_curve_integral(hold, -1), -6, 1e-14);
        assert_near(tn_curve_integral(hold, 6), whole + 2, 1e-14);
        assert_near(value_of(extend, 0, 0), 3 - first, 1e-14);
        assert_near(value_of(extend, 6, 0), 1 + 2 * last, 1e-14);
        assert_near(value_of(extend, 0, 1), first, 1e-14);
        assert_near(value_of(extend, 6, 1), last, 1e-14);
        assert_near(tn_curve_integral(extend, 6), whole + 2 + 2 * last, 1e-13);
        assert_near(tn_curve_integral(extend, 0), -3 + first / 2, 1e-14);
        assert_true(isnan(value_of(hold, NAN, 0)) && isnan(tn_curve_integral(hold, NAN)));
        assert_true(value_of(hold, INFINITY, 1) == 0 || isnan(value_of(hold, INFINITY, 1)));
        tn_curve_destroy(extend);
        tn_curve_destroy(hold);
        tn_context_destroy(context);
    }
}

/* Gauss's rule of three points is exact for cubics: piece by piece it gives the integral. */
static double quadrature(const tn_curve *curve, const double *x, int count)
{
    static const double place[] = { -0.77459666924148337704, 0, 0.77459666924148337704 };
    static const double weight[] = { 5.0 / 9, 8.0 / 9, 5.0 / 9 };
    double sum = 0;
    for (int i = 0; i + 1 < count; i++)
        for (int k = 0; k < 3; k++)
            sum += weight[k] * (x[i + 1] - x[i]) / 2
                 * value_of(curve, (x[i] + x[i + 1]) / 2 + place[k] * (x[i + 1] - x[i]) / 2, 0);
    return sum;
}

static void test_integral(void **state)
{
    (void)state;
    static const double x[] = { -1, -0.4, 0.1, 1.7, 2, 3.5 }, y[] = { 2, -1, 0.5, 4, 4, -3 };
    for (int kind = TN_CURVE_SMOOTH; kind <= TN_CURVE_LINEAR; kind++) {
        tn_context *context = tn_context_create(NULL);
        tn_curve *curve = open_curve(context, x, y, 6, (tn_curve_kind)kind, TN_CURVE_HOLD);
        for (int i = 1; i <= 6; i++)
            assert_near(tn_curve_integral(curve, x[i - 1]), quadrature(curve, x, i), 1e-13);
        for (int i = 0; i < 60; i++) {
            double at = -1.49 + 0.1 * i, h = 1e-4;
            double slope = (tn_curve_integral(curve, at + h) - tn_curve_integral(curve, at - h)) / (2 * h);
            assert_near(slope, value_of(curve, at, 0), 1e-5);
        }
        assert_true(tn_curve_integral(curve, -1) == 0);
        tn_curve_destroy(curve);
        tn_context_destroy(context);
    }
}

/* Largest error of the closed spline through n points of exp(sin x), over several turns, in value, slope and curvature. */
static double periodic_error(int n, int derivative)
{
    enum { MOST = 64 };
    const double turn = 6.283185307179586;
    double x[MOST + 1], y[MOST + 1], worst = 0;
    for (int i = 0; i <= n; i++) {
        x[i] = turn * (i + 0.3 * sin(7.0 * i) * (i > 0 && i < n)) / n;
        y[i] = i < n ? exp(sin(x[i])) : y[0];
    }
    tn_context *context = tn_context_create(NULL);
    tn_curve *curve = open_curve(context, x, y, n + 1, TN_CURVE_PERIODIC, TN_CURVE_HOLD);
    for (double at = -15; at < 15; at += 0.0137) {
        double f = exp(sin(at)), c = cos(at);
        double exact = derivative == 0 ? f : derivative == 1 ? f * c : f * (c * c - sin(at));
        worst = fmax(worst, fabs(value_of(curve, at, derivative) - exact));
    }
    tn_curve_destroy(curve);
    tn_context_destroy(context);
    return worst;
}

static void test_periodic(void **state)
{
    (void)state;
    static const double least[] = { 10, 6, 3 }, most[] = { 40, 14, 7 };        /* orders 4, 3, 2: 16, 8, 4 */
    for (int derivative = 0; derivative < 3; derivative++) {
        double ratio = periodic_error(32, derivative) / periodic_error(64, derivative);
        if (!(ratio > least[derivative] && ratio < most[derivative]))
            fail_msg("derivative %d: twice the points, %g times the accuracy", derivative, ratio);
    }
}

/* The curvature has no jump where the curve closes; integral and bounds count whole periods. */
static void test_periodic_closes(void **state)
{
    (void)state;
    static const double x[] = { -1, 0, 0.5, 2, 2.25, 3 }, y[] = { 2, -1, 0.5, 4, 1, 2 };
    tn_context *context = tn_context_create(NULL);
    tn_curve *curve = open_curve(context, x, y, 6, TN_CURVE_PERIODIC, TN_CURVE_HOLD);
    for (int derivative = 0; derivative < 3; derivative++) {
        assert_near(value_of(curve, 3 - 1e-13, derivative), value_of(curve, 3, derivative), 1e-10);
        assert_near(value_of(curve, 0.7 - 12, derivative), value_of(curve, 0.7, derivative), 1e-12);
    }
    double whole = tn_curve_integral(curve, 3 - 1e-15), low, high, all_low, all_high;
    assert_near(tn_curve_integral(curve, 0.7 + 8), tn_curve_integral(curve, 0.7) + 2 * whole, 1e-12);
    assert_near(tn_curve_integral(curve, 0.7 - 4), tn_curve_integral(curve, 0.7) - whole, 1e-12);
    tn_curve_bounds(curve, 20, 40, &all_low, &all_high);
    for (double from = -7; from < 7; from += 0.31)
        for (double length = 0; length < 4.5; length += 0.4) {
            tn_curve_bounds(curve, from, from + length, &low, &high);
            assert_true(low >= all_low && high <= all_high);
            for (int k = 0; k <= 20; k++) {
                double value = value_of(curve, from + length * k / 20, 0);
                assert_true(value >= low - 1e-12 && value <= high + 1e-12);
            }
        }
    tn_curve_destroy(curve);
    tn_context_destroy(context);
}

static void test_two_points_are_a_line(void **state)
{
    (void)state;
    static const double x[] = { 2, 6 }, y[] = { 1, -7 };
    for (int kind = TN_CURVE_SMOOTH; kind <= TN_CURVE_LINEAR; kind++) {
        tn_context *context = tn_context_create(NULL);
        tn_curve *curve = open_curve(context, x, y, 2, (tn_curve_kind)kind, TN_CURVE_EXTEND);
        for (int i = 0; i < 9; i++) {
            assert_near(value_of(curve, i, 0), 5 - 2.0 * i, 1e-14);
            assert_near(value_of(curve, i, 1), -2, 1e-15);
            assert_near(value_of(curve, i, 2), 0, 1e-15);
        }
        tn_curve_destroy(curve);
        tn_context_destroy(context);
    }
}

static void test_messages(void **state)
{
    (void)state;
    static const struct { int count; double x[3], y[3]; int point; const char *message; } cases[] = {
        { 0, { 0 }, { 0 }, -1, "a curve needs at least 2 points, not 0" },
        { 1, { 0 }, { 0 }, -1, "a curve needs at least 2 points, not 1" },
        { -5, { 0 }, { 0 }, -1, "a curve needs at least 2 points, not -5" },
        { 3, { 0, 1, 1 }, { 0 }, 2, "point 3: x = 1 must be greater than 1 of point 2" },
        { 3, { 0, -1, 1 }, { 0 }, 1, "point 2: x = -1 must be greater than 0 of point 1" },
        { 3, { 0, 1, NAN }, { 0 }, 2, "point 3 is not finite" },
        { 3, { 0, 1, 2 }, { 0, INFINITY, 0 }, 1, "point 2 is not finite" },
        { 3, { 0, 1e-300, 2 }, { 0, 1e9, 0 }, 0, "the curve is too steep or too large near point 1" },
        { 2, { -1e308, 1e308, 0 }, { 0, 1, 0 }, 1, "the curve is too steep or too large near point 2" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        tn_context *context = tn_context_create(NULL);
        tn_curve *curve;
        tn_curve_error error;
        const tn_curve_def def = { .x = cases[i].x, .y = cases[i].y, .count = cases[i].count };
        assert_int_equal(tn_curve_create(&curve, context, &def, &error), TN_ERROR_MODEL);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.point, cases[i].point);
        assert_null(curve);
        tn_context_destroy(context);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static const double x[] = { 1, 2, 4 }, y[] = { 3, 5, 1 };
    const tn_curve_def def = { .x = x, .y = y, .count = 3 };
    int status = TN_ERROR_MEMORY;
    for (long n = 1; status == TN_ERROR_MEMORY; n++) {
        test_alloc memory = { .fail_at = n };
        tn_context *context = test_context(&memory);
        tn_curve *curve = NULL;
        tn_curve_error error;
        if (context)
            status = tn_curve_create(&curve, context, &def, &error);
        assert_true(status == TN_OK || status == TN_ERROR_MEMORY);
        tn_curve_destroy(curve);
        tn_context_destroy(context);
        assert_int_equal(memory.alive, 0);
    }
    assert_int_equal(status, TN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spline_reproduces_natural_cubics),
        cmocka_unit_test(test_spline_has_order_four),
        cmocka_unit_test(test_monotone_never_overshoots),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_integral),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_periodic_closes),
        cmocka_unit_test(test_two_points_are_a_line),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
