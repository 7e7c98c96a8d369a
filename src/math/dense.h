/* Small dense kernels on the caller's memory, inline where small sizes should cost no calls. Matrices are column-major
 * with leading dimension ld: A[i + j ld]. */
#ifndef TN_MATH_DENSE_H
#define TN_MATH_DENSE_H

#include <math.h>
#include <stdbool.h>
#include "tn_assert.h"

static inline double tn_norm2(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

static inline double tn_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y += factor x */
static inline void tn_add(int n, double factor, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += factor * x[i];
}

/* Reflector H = I - tau v v', v[0] = 1, with H x = (beta, 0 ... 0). x becomes (beta, v[1] ...); returns tau. */
static inline double tn_reflector(int n, double *x)
{
    double alpha = x[0], tail = 0;
    for (int i = 1; i < n; i++)
        tail += x[i] * x[i];
    if (tail == 0)
        return 0;
    double beta = -copysign(sqrt(alpha * alpha + tail), alpha);
    double scale = 1 / (alpha - beta);
    for (int i = 1; i < n; i++)
        x[i] *= scale;
    x[0] = beta;
    return (beta - alpha) / beta;
}

/* y = H y, with v as left in x by tn_reflector. */
static inline void tn_reflect(int n, const double *v, double tau, double *y)
{
    if (tau == 0)
        return;
    double s = y[0];
    for (int i = 1; i < n; i++)
        s += v[i] * y[i];
    s *= tau;
    y[0] -= s;
    for (int i = 1; i < n; i++)
        y[i] -= s * v[i];
}

/* Lower Cholesky factor of a symmetric positive definite matrix, in place (lower triangle). 0, or -1: not positive. */
static inline int tn_cholesky(int n, double *A, int ld)
{
    TN_ASSERT(n >= 0 && ld >= n);
    for (int j = 0; j < n; j++) {
        double d = A[j + j * ld];
        for (int k = 0; k < j; k++)
            d -= A[j + k * ld] * A[j + k * ld];
        if (!(d > 0))
            return -1;
        d = sqrt(d);
        A[j + j * ld] = d;
        for (int i = j + 1; i < n; i++) {
            double s = A[i + j * ld];
            for (int k = 0; k < j; k++)
                s -= A[i + k * ld] * A[j + k * ld];
            A[i + j * ld] = s / d;
        }
    }
    return 0;
}

/* Cholesky row by row, for callers that decide whether to keep a row. Row n of L holds the products with the n rows
 * before it, and becomes row n of the factor, except the diagonal entry. square: the product of the row with itself.
 * Returns the square of the diagonal entry; a caller that keeps the row writes its root to L[n + n ld]. */
static inline double tn_cholesky_row(int n, double *L, int ld, double square)
{
    TN_ASSERT(n >= 0 && ld > n);
    for (int j = 0; j < n; j++) {
        double x = L[n + j * ld];
        for (int k = 0; k < j; k++)
            x -= L[j + k * ld] * L[n + k * ld];
        L[n + j * ld] = x / L[j + j * ld];
        square -= L[n + j * ld] * L[n + j * ld];
    }
    return square;
}

/* x = (L L')^-1 x */
static inline void tn_cholesky_solve(int n, const double *L, int ld, double *x)
{
    TN_ASSERT(n >= 0 && ld >= n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i + k * ld] * x[k];
        x[i] /= L[i + i * ld];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k + i * ld] * x[k];
        x[i] /= L[i + i * ld];
    }
}

/* As tn_cholesky, but raises squares of pivots to at least `least`: for nearly singular matrices. */
void tn_cholesky_floored(int n, double *A, int ld, double least);

/* Solves A x = b, n x n, by Gaussian elimination with partial pivoting. The entries of a row of A stand side by side, ld from row to
 * row; those of b, which becomes x, are step apart. Pivots have to be larger than least. Returns n, or the column that has no pivot. */
int tn_gauss_solve(int n, double *A, int ld, double *b, int step, double least);
/* Elimination of A x = f, m x m, with complete pivoting, f alongside: A becomes upper triangular, columns[i] is the
 * unknown in place i. Pivots below the share tolerance of the first pivot count as zero. Returns the rank. */
int tn_gauss_rank(int m, double *A, double *f, int *columns, double tolerance);
/* Tells whether A, n x n and symmetric, is positive semidefinite up to round-off of size floor: symmetric elimination,
 * largest diagonal first; no diagonal entry may become negative. Overwrites A. */
bool tn_is_semidefinite(int n, double *A, double floor);

/* Finds a solution of A x = b, A symmetric positive semidefinite, by elimination with diagonal pivots. Pivots below the
 * share rank of the largest count as zero; x is zero there. Overwrites A and b. */
static inline void tn_semidefinite_solve(int n, double *A, double *b, double *x, double rank)
{
    double least = 0;
    for (int i = 0; i < n; i++) {
        least = fmax(least, rank * A[i + i * n]);
        x[i] = 0;                                      /* 1: already used as pivot */
    }
    for (int k = 0; k < n; k++) {
        int pivot = -1;
        for (int i = 0; i < n; i++)
            if (x[i] == 0 && (pivot < 0 || A[i + i * n] > A[pivot + pivot * n]))
                pivot = i;
        if (!(A[pivot + pivot * n] > least))
            break;
        x[pivot] = 1;
        for (int i = 0; i < n; i++) {
            double factor = i == pivot ? 0 : A[i + pivot * n] / A[pivot + pivot * n];
            b[i] -= factor * b[pivot];
            for (int j = 0; j < n && factor != 0; j++)
                A[i + j * n] -= factor * A[pivot + j * n];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] = x[i] == 1 ? b[i] / A[i + i * n] : 0;
}

/* x = R^-1 x and x = R^-T x for the upper triangle of R. */
static inline void tn_upper_solve(int n, const double *R, int ld, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= R[i + k * ld] * x[k];
        x[i] /= R[i + i * ld];
    }
}

static inline void tn_upper_solve_transposed(int n, const double *R, int ld, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= R[k + i * ld] * x[k];
        x[i] /= R[i + i * ld];
    }
}

#endif
