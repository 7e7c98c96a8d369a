/* Discrete Fourier transform in double precision. */
#ifndef TN_CLI_FOURIER_H
#define TN_CLI_FOURIER_H

#include <stddef.h>

enum { TN_FOURIER_FACTOR = 127 };      /* largest prime factor of count */

/* out[2k], out[2k + 1]: real and imaginary part of  sum_j in_j exp(-2 pi i j k / count),  in laid out alike. The work
 * grows with count times the sum of its prime factors. -1 when out of memory. */
int tn_fourier(double *out, const double *in, size_t count);

#endif
