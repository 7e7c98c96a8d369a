/* Trigonometric functions and their inverses, and the length of a plane vector. */
#include "double_double.h"
#include "elementary.h"

#include <stdint.h>

static const tn_dd PI = { 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53 };
static const tn_dd HALF_PI = { 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54 };
static const double TINY = 0x1p-27;            /* for |x| below it, sin x = tan x = atan x = x to the last bit */

/* ---- reduction to within 45 degrees ---- */

enum { WORDS = 8 };                            /* of 2/pi: their product with 53 bits is right to 2^-169 */

/* 2/pi, 32 bits a word. */
static const uint32_t TWO_OVER_PI[] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
    0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4,
    0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
};

/* product = m times the words of 2/pi from `first` on; the word of the lowest bits is the first. */
static void multiply_words(uint32_t product[WORDS + 2], int first, uint64_t m)
{
    uint64_t low = m & 0xFFFFFFFF, high = m >> 32, carry = 0;
    for (int i = 0; i < WORDS + 2; i++) {
        uint64_t a = i < WORDS ? TWO_OVER_PI[first + WORDS - 1 - i] : 0;
        uint64_t b = i > 0 && i <= WORDS ? TWO_OVER_PI[first + WORDS - i] : 0;
        uint64_t p = a * low, q = b * high, sum = (carry & 0xFFFFFFFF) + (p & 0xFFFFFFFF) + (q & 0xFFFFFFFF);
        product[i] = (uint32_t)sum;
        carry = (carry >> 32) + (sum >> 32) + (p >> 32) + (q >> 32);
    }
}

/* For any finite x > pi/4: all bits of x 2/pi that are not multiples of 4 and reach the result. */
static tn_dd reduce_exactly(double x, int *quadrant)
{
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
    e -= 53;
    int first = e >= 34 ? (e - 34) / 32 + 1 : 0, point = 32 * (first + WORDS) - e, top = point / 32, part = point % 32;
    uint32_t p[WORDS + 2];
    multiply_words(p, first, m);
    uint64_t above = (top + 1 < WORDS + 2 ? (uint64_t)p[top + 1] << 32 : 0) | p[top];
    *quadrant = (int)(above >> part & 3);
    p[top] &= (uint32_t)((UINT64_C(1) << part) - 1);
    int negative = part > 0 ? (int)(p[top] >> (part - 1) & 1) : (int)(p[top - 1] >> 31);
    if (negative) {                            /* the fraction is 1/2 or more: 1 minus it, from the next quadrant back */
        uint64_t carry = 1;
        for (int i = 0; i <= top; i++) {
            carry += (uint32_t)~p[i];
            p[i] = (uint32_t)carry;
            carry >>= 32;
        }
        p[top] &= (uint32_t)((UINT64_C(1) << part) - 1);
        *quadrant = (*quadrant + 1) & 3;
    }
    tn_dd sum = { 0, 0 };
    for (int i = top; i >= 0; i--)
        sum = tn_dd_add(sum, (tn_dd){ ldexp(p[i], 32 * i - point), 0 });
    sum = tn_dd_multiply(sum, HALF_PI);
    return negative ? (tn_dd){ -sum.hi, -sum.lo } : sum;
}

/* x = quadrant pi/2 + result. Up to 2^20 quarter turns three parts of pi/2 serve, the first two with 33 bits, unless x is so
 * near to a multiple of pi/2 that too few bits are left. */
static tn_dd reduce_angle(double x, int *quadrant)
{
    static const double part[3] = { 0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69 };
    double size = fabs(x);
    *quadrant = 0;
    if (size <= 0.78539816339744828)
        return (tn_dd){ x, 0 };
    tn_dd r = { 0, 0 };
    if (size < 0x1p20) {
        double n = floor(size * 0x1.45f306dc9c883p-1 + 0.5);
        r = tn_dd_sum(size - n * part[0], -(n * part[1]));
        r = tn_dd_add(r, (tn_dd){ -(n * part[2]), 0 });
        *quadrant = (int)n & 3;
    }
    if (fabs(r.hi) < 0x1p-20)
        r = reduce_exactly(size, quadrant);
    if (x > 0)
        return r;
    *quadrant = -*quadrant & 3;
    return (tn_dd){ -r.hi, -r.lo };
}

/* ---- sine, cosine, tangent ---- */

static tn_dd sine_within(tn_dd r)
{
    static const double terms[] = { 1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800,
                                    1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6 };
    double z = r.hi * r.hi, sum = -1.0 / 121645100408832000.0;
    for (int i = 0; i < 8; i++)
        sum = terms[i] + z * sum;
    return tn_dd_quick(r.hi, r.lo * (1 - 0.5 * z) + r.hi * z * sum);
}

static tn_dd cosine_within(tn_dd r)
{
    static const double terms[] = { 1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
                                    -1.0 / 720, 1.0 / 24 };
    double z = r.hi * r.hi, sum = -1.0 / 6402373705728000.0;
    for (int i = 0; i < 7; i++)
        sum = terms[i] + z * sum;
    tn_dd one = tn_dd_quick(1, -0.5 * z);
    return tn_dd_quick(one.hi, one.lo + (z * z * sum - r.hi * r.lo));
}

static double sine_from(double x, int quadrants)
{
    int quadrant;
    tn_dd r = reduce_angle(x, &quadrant);
    quadrant += quadrants;
    tn_dd v = quadrant & 1 ? cosine_within(r) : sine_within(r);
    return quadrant & 2 ? -(v.hi + v.lo) : v.hi + v.lo;
}

double tn_sin(double x)
{
    if (fabs(x) < TINY || !isfinite(x))
        return isfinite(x) ? x : NAN;
    return sine_from(x, 0);
}

double tn_cos(double x)
{
    return isfinite(x) ? sine_from(x, 1) : NAN;
}

void tn_sin_cos(double x, double *sine, double *cosine)
{
    *sine = *cosine = NAN;
    if (!isfinite(x))
        return;
    int quadrant;
    tn_dd r = reduce_angle(x, &quadrant), s = sine_within(r), c = cosine_within(r);
    double up = s.hi + s.lo, along = c.hi + c.lo;
    if (fabs(x) < TINY)
        up = x;
    *sine = quadrant & 1 ? along : up;
    *cosine = quadrant & 1 ? up : along;
    if (quadrant & 2)
        *sine = -*sine;
    if ((quadrant + 1) & 2)
        *cosine = -*cosine;
}

double tn_tan(double x)
{
    if (fabs(x) < TINY || !isfinite(x))
        return isfinite(x) ? x : NAN;
    int quadrant;
    tn_dd r = reduce_angle(x, &quadrant), s = sine_within(r), c = cosine_within(r);
    tn_dd t = quadrant & 1 ? tn_dd_divide((tn_dd){ -c.hi, -c.lo }, s) : tn_dd_divide(s, c);
    return t.hi + t.lo;
}

/* ---- inverse functions ---- */

/* atan q for 0 <= q <= 1, from the nearest eighth c by t = (q - c) / (1 + c q). */
static tn_dd arc_tangent(tn_dd q)
{
    static const tn_dd eighths[9] = {
        { 0, 0 },
        { 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59 },
        { 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 },
        { 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56 },
        { 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
        { 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58 },
        { 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 },
        { 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56 },
        { 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
    };
    static const double terms[] = { 1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3 };
    int k = q.hi < 0.09 ? 0 : (int)(8 * q.hi + 0.5);
    tn_dd t = q;
    if (k > 0) {
        double c = 0.125 * k;
        tn_dd below = tn_dd_quick(1, c * q.hi);
        t.hi = (q.hi - c) / below.hi;
        t.lo = (q.lo - t.hi * below.lo) / below.hi;
    }
    double z = t.hi * t.hi, sum = 0;
    for (int i = 0; i < 8; i++)
        sum = terms[i] + z * sum;
    t.lo += t.hi * z * sum;
    if (k == 0)
        return tn_dd_quick(t.hi, t.lo);
    tn_dd whole = tn_dd_quick(eighths[k].hi, t.hi);
    return tn_dd_quick(whole.hi, whole.lo + (eighths[k].lo + t.lo));
}

/* The angle from the x axis to (x, y), both positive or zero, not both zero. */
static tn_dd first_quadrant(tn_dd y, tn_dd x)
{
    if (y.hi <= x.hi)
        return arc_tangent(tn_dd_divide(y, x));
    return tn_dd_subtract(HALF_PI, arc_tangent(tn_dd_divide(x, y)));
}

static double with_signs(tn_dd angle, double y, double x)
{
    double size = angle.hi + angle.lo;
    if (x < 0) {
        tn_dd rest = tn_dd_quick(PI.hi, -angle.hi);
        size = rest.hi + (rest.lo + (PI.lo - angle.lo));
    }
    return copysign(size, y);
}

double tn_atan(double x)
{
    double size = fabs(x);
    if (isnan(x) || size < TINY)
        return x;
    if (size > 0x1p60)
        return copysign(HALF_PI.hi, x);
    return with_signs(first_quadrant((tn_dd){ size, 0 }, (tn_dd){ 1, 0 }), x, 1);
}

double tn_atan2(double y, double x)
{
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
        return atan2(y, x);                    /* multiples of 45 degrees: rounded correctly by every library */
    double u = fabs(x), v = fabs(y), most = fmax(u, v), least = fmin(u, v);
    if (least < 0x1p-60 * most)
        return v > u ? copysign(HALF_PI.hi, y) : x > 0 ? y / x : copysign(PI.hi, y);
    if (most > 0x1p400 || least < 0x1p-400) {  /* products of their parts must neither overflow nor vanish */
        int e;
        frexp(most, &e);
        u = ldexp(u, -e);
        v = ldexp(v, -e);
    }
    return with_signs(first_quadrant((tn_dd){ v, 0 }, (tn_dd){ u, 0 }), y, x);
}

/* sqrt(1 - x^2) */
static tn_dd other_side(double x)
{
    tn_dd square = tn_dd_product(x, x);
    return tn_dd_root(tn_dd_subtract((tn_dd){ 1, 0 }, square));
}

double tn_asin(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    return fabs(x) < TINY ? x : with_signs(first_quadrant((tn_dd){ fabs(x), 0 }, other_side(x)), x, 1);
}

double tn_acos(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    return with_signs(first_quadrant(other_side(x), (tn_dd){ fabs(x), 0 }), 1, x);
}

double tn_hypot(double x, double y)
{
    double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    if (!isfinite(x) || !isfinite(y) || b == 0)
        return isinf(x) || isinf(y) ? INFINITY : fabs(x) + fabs(y);
    int e, eb;
    a = frexp(a, &e);
    b = frexp(b, &eb);
    if (e - eb > 60)
        return ldexp(a, e);
    b = ldexp(b, eb - e);
    tn_dd root = tn_dd_root(tn_dd_add(tn_dd_product(a, a), tn_dd_product(b, b)));
    return ldexp(root.hi + root.lo, e);
}
