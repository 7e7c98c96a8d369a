/* Pairs of doubles for vector instructions (16 bytes, available on all supported processors). */
#ifndef TN_MATH_PAIR_H
#define TN_MATH_PAIR_H

#include <string.h>

typedef double tn_pair __attribute__((vector_size(16)));

static inline tn_pair tn_pair_load(const double *x)
{
    tn_pair pair;
    memcpy(&pair, x, sizeof pair);
    return pair;
}

static inline void tn_pair_store(double *x, tn_pair pair)
{
    memcpy(x, &pair, sizeof pair);
}

static inline tn_pair tn_pair_of(double x)
{
    return (tn_pair){ x, x };
}

/* Dot product with two partial sums; its round-off differs from tn_dot. */
static inline double tn_pair_dot(int n, const double *x, const double *y)
{
    tn_pair sum = { 0 };
    for (int i = 0; i + 1 < n; i += 2)
        sum += tn_pair_load(x + i) * tn_pair_load(y + i);
    return sum[0] + sum[1] + (n & 1 ? x[n - 1] * y[n - 1] : 0);
}

#endif
