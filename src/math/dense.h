/* Small dense kernels on the caller's memory. Matrices are column-major with leading dimension ld: A[i + j ld]. */
#ifndef TN_MATH_DENSE_H
#define TN_MATH_DENSE_H

/* Reflector H = I - tau v v', v[0] = 1, with H x = (beta, 0 ... 0). x becomes (beta, v[1] ...); returns tau. */
double tn_reflector(int n, double *x);
/* y = H y, with v as left in x by tn_reflector. */
void tn_reflect(int n, const double *v, double tau, double *y);
double tn_norm2(int n, const double *x);

/* Lower Cholesky factor of a symmetric positive definite matrix, in place (lower triangle). 0, or -1: not positive. */
int tn_cholesky(int n, double *A, int ld);
/* x = (L L')^-1 x */
void tn_cholesky_solve(int n, const double *L, int ld, double *x);
/* x = R^-1 x and x = R^-T x for the upper triangle of R. */
void tn_upper_solve(int n, const double *R, int ld, double *x);
void tn_upper_solve_transposed(int n, const double *R, int ld, double *x);

#endif
