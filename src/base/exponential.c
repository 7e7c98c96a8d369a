/* Exponential, logarithm, power and hyperbolic functions. */
#include "double_double.h"
#include "elementary.h"

/* ln 2 in three parts; the first has 33 bits, so that its multiples by up to 2^20 are exact. */
static const double LN2[3] = { 0x1.62e42fefp-1, 0x1.473de6af278edp-34, -0x1.9ff0342542fc3p-90 };
static const double INVERSE_LN2 = 0x1.71547652b82fep+0;
static const double OVERFLOWS = 709.79, VANISHES = -745.2;     /* arguments of exp beyond which it is infinite or 0 */

/* ---- exponential ---- */

/* exp(a) = 2^k (hi + lo), with |a| < 750. */
static tn_dd exp_parts(tn_dd a, int *k)
{
    double n = floor(a.hi * INVERSE_LN2 + 0.5);
    tn_dd r = tn_dd_sum(a.hi - n * LN2[0], -(n * LN2[1]));
    r = tn_dd_quick(r.hi, r.lo + a.lo);
    double x = r.hi, sum = 1.0 / 6227020800.0;                 /* 1 / 13! */
    static const double terms[] = { 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                    1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5 };
    for (int i = 0; i < 11; i++)
        sum = terms[i] + x * sum;
    tn_dd one = tn_dd_quick(1, x);
    *k = (int)n;
    return tn_dd_quick(one.hi, one.lo + (r.lo + x * x * sum));
}

static double exp_of(tn_dd a)
{
    if (a.hi > OVERFLOWS)
        return INFINITY;
    if (a.hi < VANISHES)
        return 0;
    int k;
    tn_dd e = exp_parts(a, &k);
    return ldexp(e.hi + e.lo, k);
}

double tn_exp(double x)
{
    return isnan(x) ? x : exp_of((tn_dd){ x, 0 });
}

double tn_exp2(double x)
{
    if (!(fabs(x) < 1100))
        return isnan(x) ? x : x > 0 ? INFINITY : 0;
    if (x == floor(x))
        return ldexp(1, (int)x);
    return exp_of(tn_dd_multiply((tn_dd){ x, 0 }, (tn_dd){ 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 }));
}

/* ---- logarithm ---- */

/* Of a finite x > 0, by ln x = k ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), x = 2^k m. */
static tn_dd log_of(double x)
{
    static const tn_dd third = { 0x1.5555555555555p-1, 0x1.5555555555555p-55 },
                       fifth = { 0x1.999999999999ap-2, -0x1.999999999999ap-56 },
                       seventh = { 0x1.2492492492492p-2, 0x1.2492492492492p-56 };   /* of 2 */
    static const double terms[] = { 2.0 / 29, 2.0 / 27, 2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                                    2.0 / 11, 2.0 / 9 };
    int k;
    double m = frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    tn_dd s = tn_dd_divide((tn_dd){ m - 1, 0 }, tn_dd_sum(m, 1)), z = tn_dd_multiply(s, s);
    double tail = 0;
    for (int i = 0; i < 11; i++)
        tail = terms[i] + z.hi * tail;
    tn_dd sum = tn_dd_add(seventh, tn_dd_multiply(z, (tn_dd){ tail, 0 }));
    sum = tn_dd_add(fifth, tn_dd_multiply(z, sum));
    sum = tn_dd_add(third, tn_dd_multiply(z, sum));
    sum = tn_dd_add((tn_dd){ 2 * s.hi, 2 * s.lo }, tn_dd_multiply(tn_dd_multiply(s, z), sum));
    if (k == 0)
        return sum;
    tn_dd low = tn_dd_product(k, LN2[1]);
    low.lo += k * LN2[2];
    return tn_dd_add(tn_dd_add((tn_dd){ k * LN2[0], 0 }, low), sum);
}

static double log_times(double x, tn_dd factor)
{
    if (!(x > 0) || isinf(x))
        return x == 0 ? -INFINITY : x > 0 ? x : NAN;
    tn_dd l = tn_dd_multiply(log_of(x), factor);
    return l.hi + l.lo;
}

double tn_ln(double x)
{
    return log_times(x, (tn_dd){ 1, 0 });
}

double tn_log2(double x)
{
    return log_times(x, (tn_dd){ INVERSE_LN2, 0x1.777d0ffda0d24p-56 });
}

double tn_log10(double x)
{
    return log_times(x, (tn_dd){ 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 });
}

/* ---- powers ---- */

/* Cases in which the result is exact, or none: zeros, infinities, NaN, roots of negative numbers. */
static int is_special_power(double x, double y)
{
    return !isfinite(x) || !isfinite(y) || x == 0 || y == 0 || (x < 0 && y != floor(y));
}

double tn_pow(double x, double y)
{
    if (is_special_power(x, y))
        return pow(x, y);
    tn_dd l = log_of(fabs(x));
    double sign = x < 0 && fmod(y, 2) != 0 ? -1 : 1, size = y * l.hi;
    if (size > OVERFLOWS || size < VANISHES)
        return sign * (size > 0 ? INFINITY : 0);
    return sign * exp_of(tn_dd_multiply(l, (tn_dd){ y, 0 }));
}

/* ---- hyperbolic functions ---- */

static const double NEAR_ZERO = 0.3;           /* below it sums of exponentials cancel, and a short series serves */

static tn_dd sinh_series(double x)
{
    static const double terms[] = { 1.0 / 6227020800.0, 1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6 };
    double z = x * x, sum = 0;
    for (int i = 0; i < 6; i++)
        sum = terms[i] + z * sum;
    return tn_dd_quick(x, x * z * sum);
}

static tn_dd exp_in_range(double x)
{
    int k;
    tn_dd e = exp_parts((tn_dd){ x, 0 }, &k);
    return (tn_dd){ ldexp(e.hi, k), ldexp(e.lo, k) };
}

/* (exp(x) + sign exp(-x)) / 2 for x >= 0. */
static tn_dd half_sum(double x, double sign)
{
    if (x > 700) {
        double root = tn_exp(0.5 * x);
        return (tn_dd){ 0.5 * root * root, 0 };
    }
    tn_dd up = exp_in_range(x), sum = tn_dd_add(up, tn_dd_divide((tn_dd){ sign, 0 }, up));
    return (tn_dd){ 0.5 * sum.hi, 0.5 * sum.lo };
}

double tn_sinh(double x)
{
    if (!isfinite(x) || x == 0)
        return x;
    tn_dd s = fabs(x) < NEAR_ZERO ? sinh_series(fabs(x)) : half_sum(fabs(x), -1);
    return copysign(s.hi + s.lo, x);
}

double tn_cosh(double x)
{
    if (!isfinite(x))
        return fabs(x);
    tn_dd c = half_sum(fabs(x), 1);
    return c.hi + c.lo;
}

double tn_tanh(double x)
{
    double size = fabs(x);
    if (isnan(x) || x == 0 || size > 20)
        return size > 20 ? copysign(1, x) : x;
    tn_dd t, one = { 1, 0 };
    if (size < NEAR_ZERO) {
        t = tn_dd_divide(sinh_series(size), half_sum(size, 1));
    } else {
        tn_dd square = exp_in_range(2 * size);
        t = tn_dd_divide(tn_dd_subtract(square, one), tn_dd_add(square, one));
    }
    return copysign(t.hi + t.lo, x);
}
