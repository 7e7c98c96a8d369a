/* Numbers of twice the precision: unevaluated sums of two doubles. Only additions, multiplications, divisions and roots of
 * IEEE 754 are used, which round in the same way on every processor. */
#ifndef TN_BASE_DOUBLE_DOUBLE_H
#define TN_BASE_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct tn_dd {
    double hi, lo;                             /* |lo| <= half a unit in the last place of hi */
} tn_dd;

/* Exact when |a| >= |b|, or a = 0. */
static inline tn_dd tn_dd_quick(double a, double b)
{
    double s = a + b;
    return (tn_dd){ s, b - (s - a) };
}

/* a + b, exact. */
static inline tn_dd tn_dd_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (tn_dd){ s, (a - (s - t)) + (b - t) };
}

/* a b, exact unless it overflows or underflows: factors are cut into halves of 26 bits. */
static inline tn_dd tn_dd_product(double a, double b)
{
    const double cut = 134217729;              /* 2^27 + 1 */
    double p = a * b, a1 = cut * a, b1 = cut * b;
    a1 -= a1 - a;
    b1 -= b1 - b;
    double a2 = a - a1, b2 = b - b1;
    return (tn_dd){ p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2 };
}

static inline tn_dd tn_dd_add(tn_dd a, tn_dd b)
{
    tn_dd s = tn_dd_sum(a.hi, b.hi), t = tn_dd_sum(a.lo, b.lo);
    s = tn_dd_quick(s.hi, s.lo + t.hi);
    return tn_dd_quick(s.hi, s.lo + t.lo);
}

static inline tn_dd tn_dd_subtract(tn_dd a, tn_dd b)
{
    return tn_dd_add(a, (tn_dd){ -b.hi, -b.lo });
}

static inline tn_dd tn_dd_multiply(tn_dd a, tn_dd b)
{
    tn_dd p = tn_dd_product(a.hi, b.hi);
    return tn_dd_quick(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline tn_dd tn_dd_divide(tn_dd a, tn_dd b)
{
    double q = a.hi / b.hi;
    tn_dd p = tn_dd_product(q, b.hi);
    return tn_dd_quick(q, (((a.hi - p.hi) - p.lo) + a.lo - q * b.lo) / b.hi);
}

static inline tn_dd tn_dd_root(tn_dd a)
{
    double s = sqrt(a.hi);
    if (!(s > 0))
        return (tn_dd){ s, 0 };
    tn_dd p = tn_dd_product(s, s);
    return tn_dd_quick(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * s));
}

#endif
