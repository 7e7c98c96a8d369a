/* LAPACK and BLAS for the program, loaded when they are first used: analyses need them, most runs do not. */
#include <cblas.h>
#include <lapacke.h>
#include "late.h"

/* What LAPACKE returns where memory is missing; its users report that. */
static tn_late lapack = { .file = TENON_LATE_LAPACK, .what = "linear algebra" };
static tn_late blas = { .file = TENON_LATE_BLAS, .what = "linear algebra" };

#define FORWARD(type, name, parameters, arguments) TN_LATE(&lapack, type, LAPACK_WORK_MEMORY_ERROR, name, parameters, arguments)

FORWARD(lapack_int, LAPACKE_dgeev, (int a, char b, char c, lapack_int d, double *e, lapack_int f, double *g, double *h, double *i,
        lapack_int j, double *k, lapack_int l), (a, b, c, d, e, f, g, h, i, j, k, l))
FORWARD(lapack_int, LAPACKE_dgelsd, (int a, lapack_int b, lapack_int c, lapack_int d, double *e, lapack_int f, double *g, lapack_int h,
        double *i, double j, lapack_int *k), (a, b, c, d, e, f, g, h, i, j, k))
FORWARD(lapack_int, LAPACKE_dgeqp3, (int a, lapack_int b, lapack_int c, double *d, lapack_int e, lapack_int *f, double *g), (a, b, c, d, e, f, g))
FORWARD(lapack_int, LAPACKE_dgesv, (int a, lapack_int b, lapack_int c, double *d, lapack_int e, lapack_int *f, double *g, lapack_int h),
        (a, b, c, d, e, f, g, h))
FORWARD(lapack_int, LAPACKE_dgesvd, (int a, char b, char c, lapack_int d, lapack_int e, double *f, lapack_int g, double *h, double *i,
        lapack_int j, double *k, lapack_int l, double *m), (a, b, c, d, e, f, g, h, i, j, k, l, m))
FORWARD(lapack_int, LAPACKE_dgetrf, (int a, lapack_int b, lapack_int c, double *d, lapack_int e, lapack_int *f), (a, b, c, d, e, f))
FORWARD(lapack_int, LAPACKE_dorgqr, (int a, lapack_int b, lapack_int c, lapack_int d, double *e, lapack_int f, const double *g), (a, b, c,
        d, e, f, g))
FORWARD(lapack_int, LAPACKE_dormqr, (int a, char b, char c, lapack_int d, lapack_int e, lapack_int f, const double *g, lapack_int h,
        const double *i, double *j, lapack_int k), (a, b, c, d, e, f, g, h, i, j, k))
FORWARD(lapack_int, LAPACKE_dpotrf, (int a, char b, lapack_int c, double *d, lapack_int e), (a, b, c, d, e))
FORWARD(lapack_int, LAPACKE_dsygv, (int a, lapack_int b, char c, char d, lapack_int e, double *f, lapack_int g, double *h, lapack_int i,
        double *j), (a, b, c, d, e, f, g, h, i, j))

void cblas_dgemm(CBLAS_ORDER a, CBLAS_TRANSPOSE b, CBLAS_TRANSPOSE c, int d, int e, int f, double g, const double *h, int i, const double *j, int k,
                 double l, double *m, int n)
{
    typedef void function(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, double, const double *, int, const double *, int, double,
                          double *, int);
    function *forward = TN_LATE_FUNCTION(function, &blas, "cblas_dgemm");
    if (!forward)
        exit(EXIT_FAILURE);        /* it has no way to say that it failed; the missing library has been named */
    forward(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}
