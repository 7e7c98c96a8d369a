/* Two numbers that are computed with at once, as every processor can. */
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

#endif
