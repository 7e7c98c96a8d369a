/* Dense matrices of the analyses: column-major without gaps, with memory from an arena. */
#ifndef TN_ANALYSIS_MATRIX_H
#define TN_ANALYSIS_MATRIX_H

#include "mem.h"

typedef struct tn_matrix {
    double *at;                    /* entry (i, j) is at[i + j rows] */
    int rows, columns;
} tn_matrix;

static inline double *tn_column(const tn_matrix *A, int j)
{
    return A->at + (size_t)j * (size_t)A->rows;
}

/* A matrix of zeros. */
int tn_matrix_new(tn_matrix *out, tn_arena *arena, int rows, int columns);
int tn_matrix_copy(tn_matrix *out, tn_arena *arena, const tn_matrix *from);
double *tn_numbers(tn_arena *arena, int count);
/* out = A B and out = A'B, in new memory. */
int tn_matrix_multiply(tn_matrix *out, tn_arena *arena, const tn_matrix *A, const tn_matrix *B);
int tn_matrix_multiply_transposed(tn_matrix *out, tn_arena *arena, const tn_matrix *A, const tn_matrix *B);
double tn_matrix_largest(const tn_matrix *A);
/* (A + A') / 2, in place. */
void tn_matrix_symmetrize(tn_matrix *A);
/* Largest |A - A'| over the largest entry; 0 for an empty or zero matrix. */
double tn_matrix_skewness(const tn_matrix *A);

/* Returned by the functions below when the matrix is singular or not finite. */
enum { TN_MATRIX_SINGULAR = 1 };
/* Translates a return value of LAPACKE: out of memory, or TN_MATRIX_SINGULAR (not finite, singular, no convergence). */
int tn_lapack_code(int info);
/* B = A^-1 B; A is overwritten. */
int tn_matrix_solve(tn_matrix *A, tn_matrix *B, tn_arena *arena);
/* Eigenvalues and vectors of the symmetric K x = value M x; ascending; vectors (in K) with x'M x = 1. Overwrites
 * K and M. TN_MATRIX_SINGULAR: M is not positive definite. */
int tn_matrix_eigen(tn_matrix *K, tn_matrix *M, double *values);

#endif
