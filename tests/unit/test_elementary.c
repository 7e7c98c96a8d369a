/* The elementary functions against those of the C library for long double, which have eleven bits more. */
#include <math.h>
#include "elementary.h"
#include "near.h"
#include "random.h"

typedef double (*function)(double);
typedef long double (*reference)(long double);

/* The error in units of the last place of the true value. */
static double error_of(double value, long double truth)
{
    double size = fabs((double)truth);
    return (double)(fabsl((long double)value - truth) / (nextafter(size, INFINITY) - size));
}

static void must_be_near(const char *name, double value, long double truth, double x, double y)
{
    double error = error_of(value, truth);
    if (!(error < 1))
        fail_msg("%s(%.17g, %.17g) = %.17g is wrong by %.3g units in the last place", name, x, y, value, error);
}

static uint32_t numbers = 1;

static double pick(double low, double high)
{
    return between(&numbers, low, high);
}

enum { TRIES = 20000 };

static void try_one(const char *name, function f, reference truth, double low, double high)
{
    for (int i = 0; i < TRIES; i++) {
        double x = pick(low, high);
        must_be_near(name, f(x), truth(x), x, 0);
    }
}

/* Arguments of all sizes between exp(low) and exp(high). */
static void try_sizes(const char *name, function f, reference truth, double low, double high)
{
    for (int i = 0; i < TRIES; i++) {
        double x = exp(pick(low, high));
        must_be_near(name, f(x), truth(x), x, 0);
    }
}

static void test_exponentials(void **unused)
{
    (void)unused;
    try_one("exp", tn_exp, expl, -700, 700);
    try_one("exp", tn_exp, expl, -1, 1);
    try_one("exp2", tn_exp2, exp2l, -1000, 1000);
    try_one("ln", tn_ln, logl, 0.5, 2);
    try_sizes("ln", tn_ln, logl, -700, 700);
    try_sizes("log2", tn_log2, log2l, -30, 30);
    try_sizes("log10", tn_log10, log10l, -30, 30);
    try_one("sinh", tn_sinh, sinhl, -1, 1);
    try_one("sinh", tn_sinh, sinhl, -30, 30);
    try_one("cosh", tn_cosh, coshl, -30, 30);
    try_one("tanh", tn_tanh, tanhl, -3, 3);
    for (int i = 0; i < TRIES; i++) {
        double x = exp(pick(-10, 10)), y = pick(-30, 30), near = pick(0.9, 1.1), many = pick(-3000, 3000);
        must_be_near("pow", tn_pow(x, y), powl(x, y), x, y);
        must_be_near("pow", tn_pow(near, many), powl(near, many), near, many);
    }
}

static void test_angles(void **unused)
{
    (void)unused;
    try_one("sin", tn_sin, sinl, -10, 10);
    try_one("cos", tn_cos, cosl, -10, 10);
    try_one("tan", tn_tan, tanl, -10, 10);
    try_one("sin", tn_sin, sinl, -1e6, 1e6);
    try_sizes("sin", tn_sin, sinl, -30, 700);
    try_sizes("cos", tn_cos, cosl, -30, 700);
    try_sizes("tan", tn_tan, tanl, -30, 700);
    try_one("asin", tn_asin, asinl, -1, 1);
    try_one("acos", tn_acos, acosl, -1, 1);
    try_one("atan", tn_atan, atanl, -3, 3);
    try_sizes("atan", tn_atan, atanl, -30, 60);
    for (int i = 0; i < TRIES; i++) {
        double x = pick(-1, 1), y = pick(-1, 1), small = 1 - exp(pick(-36, -5)), wide = exp(pick(-600, 600));
        must_be_near("atan2", tn_atan2(y, x), atan2l(y, x), y, x);
        must_be_near("atan2", tn_atan2(wide, x), atan2l(wide, x), wide, x);
        must_be_near("acos", tn_acos(small), acosl(small), small, 0);
        must_be_near("hypot", tn_hypot(x, y), hypotl(x, y), x, y);
        must_be_near("hypot", tn_hypot(wide, wide * y), hypotl(wide, wide * y), wide, wide * y);
    }
}

/* Near multiples of a quarter turn nearly all bits of the argument cancel. */
static void test_near_quarter_turns(void **unused)
{
    (void)unused;
    const double half_pi = acos(0);
    for (int i = 0; i < TRIES; i++) {
        double x = floor(pick(1, 1e6)) * half_pi, far = floor(pick(1, 1e15)) * half_pi, s, c;
        must_be_near("sin", tn_sin(x), sinl(x), x, 0);
        must_be_near("cos", tn_cos(x), cosl(x), x, 0);
        must_be_near("tan", tn_tan(x), tanl(x), x, 0);
        must_be_near("sin", tn_sin(far), sinl(far), far, 0);
        tn_sin_cos(x, &s, &c);
        assert_true(s == tn_sin(x) && c == tn_cos(x));
    }
    const double worst = 6381956970095103.0 * 0x1p797;     /* of all doubles the nearest to a multiple of pi/2 */
    must_be_near("cos", tn_cos(worst), cosl(worst), worst, 0);
}

static void test_exact_values(void **unused)
{
    (void)unused;
    for (int k = -300; k <= 300; k++) {
        assert_true(tn_exp2(k) == ldexp(1, k) && tn_log2(ldexp(1, k)) == k && tn_pow(2, k) == ldexp(1, k));
        if (k >= 0 && k <= 22)
            assert_true(tn_log10(tn_pow(10, k)) == k);
    }
    for (int k = 1; k < 1000; k++)
        assert_true(tn_pow(k, 2) == (double)k * k && tn_pow(-k, 3) == -(double)k * k * k && tn_hypot(3 * k, 4 * k) == 5 * k);
    assert_true(tn_acos(-1) == acos(-1) && tn_atan2(1, -1) == atan2(1, -1) && tn_exp(0) == 1 && tn_ln(1) == 0);
}

static void test_borders(void **unused)
{
    (void)unused;
    assert_true(isnan(tn_sin(INFINITY)) && isnan(tn_cos(NAN)) && isnan(tn_asin(1.1)) && isnan(tn_ln(-1)) && isnan(tn_pow(-2, 0.5)));
    assert_true(isinf(tn_exp(800)) && tn_exp(-800) == 0 && tn_exp(-INFINITY) == 0 && isinf(tn_ln(0)) && isinf(tn_ln(INFINITY)));
    assert_true(signbit(tn_sin(-0.0)) && signbit(tn_tan(-0.0)) && signbit(tn_atan(-0.0)) && signbit(tn_sinh(-0.0)) &&
                signbit(tn_tanh(-0.0)) && signbit(tn_asin(-0.0)) && signbit(tn_atan2(-0.0, 1)));
    assert_true(tn_tanh(1e9) == 1 && isinf(tn_sinh(-800)) && isinf(tn_cosh(800)) && tn_atan(INFINITY) == acos(0));
    assert_true(tn_pow(2, -1074) == 0x1p-1074 && tn_pow(0, 0) == 1 && isinf(tn_pow(10, 400)) && tn_pow(10, -400) == 0);
    assert_true(isinf(tn_hypot(INFINITY, NAN)) && isnan(tn_hypot(1, NAN)) && tn_hypot(0, -2) == 2);
    assert_true(tn_hypot(1e308, 1e-308) == 1e308 && fabs(tn_hypot(3e-320, 4e-320) - 5e-320) <= 5e-324);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_near_quarter_turns),
        cmocka_unit_test(test_exact_values),
        cmocka_unit_test(test_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
