/* Dense matrices of the analyses (matrix.h): products, linear systems, eigenvalues. */
#include "matrix.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

int tn_matrix_new(tn_matrix *out, tn_arena *arena, int rows, int columns)
{
    *out = (tn_matrix){ tn_arena_alloc(arena, (size_t)rows * (size_t)columns, sizeof(double)), rows, columns };
    return out->at ? TN_OK : TN_ERROR_MEMORY;
}

int tn_matrix_copy(tn_matrix *out, tn_arena *arena, const tn_matrix *from)
{
    TN_TRY(tn_matrix_new(out, arena, from->rows, from->columns));
    memcpy(out->at, from->at, (size_t)from->rows * (size_t)from->columns * sizeof(double));
    return TN_OK;
}

double *tn_numbers(tn_arena *arena, int count)
{
    return tn_arena_alloc(arena, (size_t)count, sizeof(double));
}

static int multiply(tn_matrix *out, tn_arena *arena, const tn_matrix *A, bool transposed, const tn_matrix *B)
{
    int rows = transposed ? A->columns : A->rows, inner = transposed ? A->rows : A->columns;
    TN_TRY(tn_matrix_new(out, arena, rows, B->columns));
    if (rows > 0 && inner > 0 && B->columns > 0)
        cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, rows, B->columns, inner, 1,
                    A->at, A->rows, B->at, B->rows, 0, out->at, rows);
    return TN_OK;
}

int tn_matrix_multiply(tn_matrix *out, tn_arena *arena, const tn_matrix *A, const tn_matrix *B)
{
    return multiply(out, arena, A, false, B);
}

int tn_matrix_multiply_transposed(tn_matrix *out, tn_arena *arena, const tn_matrix *A, const tn_matrix *B)
{
    return multiply(out, arena, A, true, B);
}

double tn_matrix_largest(const tn_matrix *A)
{
    double most = 0;
    for (size_t k = 0; k < (size_t)A->rows * (size_t)A->columns; k++)
        most = fmax(most, fabs(A->at[k]));
    return most;
}

void tn_matrix_symmetrize(tn_matrix *A)
{
    for (int j = 0; j < A->columns; j++)
        for (int i = 0; i < j; i++)
            tn_column(A, j)[i] = tn_column(A, i)[j] = (tn_column(A, j)[i] + tn_column(A, i)[j]) / 2;
}

double tn_matrix_skewness(const tn_matrix *A)
{
    double most = 0, largest = tn_matrix_largest(A);
    for (int j = 0; j < A->columns; j++)
        for (int i = 0; i < j; i++)
            most = fmax(most, fabs(tn_column(A, j)[i] - tn_column(A, i)[j]));
    return largest > 0 ? most / largest : 0;
}

int tn_lapack_code(int info)
{
    bool memory = info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR;
    return info == 0 ? TN_OK : memory ? TN_ERROR_MEMORY : TN_MATRIX_SINGULAR;
}

int tn_matrix_solve(tn_matrix *A, tn_matrix *B, tn_arena *arena)
{
    lapack_int *pivots = tn_arena_alloc(arena, (size_t)A->rows, sizeof *pivots);
    if (!pivots)
        return TN_ERROR_MEMORY;
    if (A->rows == 0 || B->columns == 0)
        return TN_OK;
    return tn_lapack_code(LAPACKE_dgesv(LAPACK_COL_MAJOR, A->rows, B->columns, A->at, A->rows, pivots, B->at,
                                        B->rows));
}

int tn_matrix_eigen(tn_matrix *K, tn_matrix *M, double *values)
{
    int n = K->rows;
    if (n == 0)
        return TN_OK;
    return tn_lapack_code(LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', n, K->at, n, M->at, n, values));
}
