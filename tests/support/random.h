/* Random numbers that are the same on every machine. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* In [0, 1). */
static inline double uniform(uint32_t *state)
{
    return next_random(state) / (double)(1u << 24);
}

static inline double between(uint32_t *state, double low, double high)
{
    return low + (high - low) * uniform(state);
}

static inline void random_vector(uint32_t *state, int n, double size, double *out)
{
    for (int k = 0; k < n; k++)
        out[k] = between(state, -size, size);
}

#endif
