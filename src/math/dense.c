/* The dense factorizations that are too long to be inline. */
#include "dense.h"

void tn_cholesky_floored(int n, double *A, int ld, double least)
{
    TN_ASSERT(n >= 0 && ld >= n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A[i + j * ld];
            for (int k = 0; k < j; k++)
                sum -= A[i + k * ld] * A[j + k * ld];
            A[i + j * ld] = i == j ? sqrt(fmax(sum, least)) : sum / A[j + j * ld];
        }
}

static void swap(double *a, double *b)
{
    double x = *a;
    *a = *b;
    *b = x;
}

int tn_gauss_solve(int n, double *A, int ld, double *b, int step, double least)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(A[i * ld + k]) > fabs(A[pivot * ld + k]) ? i : pivot;
        if (!(fabs(A[pivot * ld + k]) > least))
            return k;
        for (int j = k; j < n && pivot != k; j++)
            swap(&A[k * ld + j], &A[pivot * ld + j]);
        swap(&b[k * step], &b[pivot * step]);
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * ld + k] / A[k * ld + k];
            for (int j = k + 1; j < n && factor != 0; j++)
                A[i * ld + j] -= factor * A[k * ld + j];
            b[i * step] -= factor * b[k * step];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k * step] -= A[k * ld + j] * b[j * step];
        b[k * step] /= A[k * ld + k];
    }
    return n;
}

/* Finds the largest entry of A in rows and columns s .. m-1. */
static void find_largest(int m, const double *A, int s, int *row, int *column)
{
    *row = *column = s;
    for (int j = s; j < m; j++)
        for (int i = s; i < m; i++)
            if (fabs(A[i + j * m]) > fabs(A[*row + *column * m])) {
                *row = i;
                *column = j;
            }
}

/* Moves the entry (row, column) to the diagonal place s. */
static void exchange(int m, double *A, double *f, int *columns, int s, int row, int column)
{
    for (int i = 0; i < m; i++)
        swap(&A[s + i * m], &A[row + i * m]);
    for (int i = 0; i < m; i++)
        swap(&A[i + s * m], &A[i + column * m]);
    swap(&f[s], &f[row]);
    int unknown = columns[s];
    columns[s] = columns[column];
    columns[column] = unknown;
}

int tn_gauss_rank(int m, double *A, double *f, int *columns, double tolerance)
{
    double first = 0;
    for (int i = 0; i < m; i++)
        columns[i] = i;
    for (int s = 0; s < m; s++) {
        int row, column;
        find_largest(m, A, s, &row, &column);
        double pivot = A[row + column * m], *factors = &A[s * m];
        if (s == 0)
            first = fabs(pivot);
        if (!(fabs(pivot) > tolerance * first))
            return s;
        exchange(m, A, f, columns, s, row, column);
        for (int i = s + 1; i < m; i++) {
            factors[i] /= pivot;
            f[i] -= factors[i] * f[s];
        }
        for (int j = s + 1; j < m; j++)
            for (int i = s + 1; i < m; i++)
                A[i + j * m] -= factors[i] * A[s + j * m];
    }
    return m;
}

bool tn_is_semidefinite(int n, double *A, double floor)
{
    for (int step = 0; step < n; step++) {
        int p = 0;
        for (int k = 1; k < n; k++)
            p = A[k + k * n] > A[p + p * n] ? k : p;
        double pivot = A[p + p * n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if ((i == j && A[i + j * n] < -floor) || (pivot <= floor && fabs(A[i + j * n]) > 2 * floor))
                    return false;
        if (pivot <= floor)
            return true;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && i != p; j++)
                if (j != p)
                    A[i + j * n] -= A[i + p * n] * A[p + j * n] / pivot;
        for (int k = 0; k < n; k++)
            A[k + p * n] = A[p + k * n] = 0;
    }
    return true;
}
