/* Cooley and Tukey's method for any factors, decimation in time: with count = p m,
 *     X[k + q m] = sum over r < p of  w^(r (k + q m)) X_r[k],   w = exp(-2 pi i / count),
 * X_r being the transform of every p-th number from the r-th on. Debian has no C library for this in double precision
 * under a licence that fits. */
#include "fourier.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef struct plan {
    size_t count;
    double complex *roots;             /* exp(-2 pi i k / count) */
} plan;

static size_t smallest_factor(size_t n)
{
    size_t p = 2;
    while (p <= TN_FOURIER_FACTOR && n % p != 0)
        p++;
    return p;
}

/* in: n numbers, stride apart, of the count the plan is for. */
static void transform(const plan *f, double complex *out, const double complex *in, size_t n, size_t stride)
{
    double complex part[TN_FOURIER_FACTOR];
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    size_t p = smallest_factor(n), m = n / p;
    for (size_t r = 0; r < p; r++)
        transform(f, out + r * m, in + r * stride, m, stride * p);
    for (size_t k = 0; k < m; k++) {
        for (size_t r = 0; r < p; r++)
            part[r] = out[r * m + k];
        for (size_t q = 0; q < p; q++) {
            double complex sum = 0;
            for (size_t r = 0; r < p; r++)
                sum += f->roots[stride * (r * (k + q * m) % n)] * part[r];
            out[k + q * m] = sum;
        }
    }
}

int tn_fourier(double *out, const double *in, size_t count)
{
    static const double two_pi = 6.28318530717958647693;
    plan f = { count, malloc(count * sizeof *f.roots) };
    if (!f.roots)
        return -1;
    for (size_t k = 0; k < count; k++) {
        double angle = two_pi * (double)k / (double)count;
        ((double *)f.roots)[2 * k] = cos(angle);
        ((double *)f.roots)[2 * k + 1] = -sin(angle);
    }
    transform(&f, (double complex *)out, (const double complex *)in, count, 1);    /* laid out alike (C17, 6.2.5) */
    free(f.roots);
    return 0;
}
