/* Dense factorizations against products with what they return. */
#include <string.h>
#include "dense.h"
#include "near.h"
#include "random.h"

enum { N = 6, LD = 8, TRIALS = 50 };

/* A = B B' with B of the rank given: positive semidefinite. */
static void make_gram(double *A, int ld, int rank, uint32_t *state)
{
    double B[N * N];
    random_vector(state, N * N, 1, B);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i + j * ld] = 0;
            for (int k = 0; k < rank; k++)
                A[i + j * ld] += B[i + k * N] * B[j + k * N];
        }
}

static double product(const double *L, int i, int j)
{
    double sum = 0;
    for (int k = 0; k <= (i < j ? i : j); k++)
        sum += L[i + k * LD] * L[j + k * LD];
    return sum;
}

static void test_cholesky_by_rows_is_cholesky(void **unused)
{
    uint32_t state = 1;
    (void)unused;
    for (int trial = 0; trial < TRIALS; trial++) {
        double A[N * LD], L[N * LD], R[N * LD];
        make_gram(A, LD, N, &state);
        memcpy(L, A, sizeof A);
        memcpy(R, A, sizeof A);
        assert_int_equal(tn_cholesky(N, L, LD), 0);
        for (int i = 0; i < N; i++) {
            double left = tn_cholesky_row(i, R, LD, A[i + i * LD]);
            assert_true(left > 0);
            R[i + i * LD] = sqrt(left);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                assert_near(product(L, i, j), A[i + j * LD], 1e-14);
                assert_near(R[i + j * LD], L[i + j * LD], 1e-9);
            }
    }
}

/* The floor makes a singular matrix solvable and leaves others as they are. */
static void test_floor(void **unused)
{
    uint32_t state = 2;
    const double floor = 1e-3;
    double ones[4] = { 1, 1, 1, 1 };
    (void)unused;
    tn_cholesky_floored(2, ones, 2, floor);
    assert_near(ones[0], 1, 0);
    assert_near(ones[1], 1, 0);
    assert_near(ones[3], sqrt(floor), 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        double A[N * LD], L[N * LD], F[N * LD];
        make_gram(A, LD, N - 1, &state);
        memcpy(F, A, sizeof A);
        tn_cholesky_floored(N, F, LD, floor);
        for (int i = 0; i < N; i++)
            assert_true(F[i + i * LD] >= sqrt(floor));
        for (int i = 0; i < N; i++)
            A[i + i * LD] += 10;
        memcpy(F, A, sizeof A);
        memcpy(L, A, sizeof A);
        assert_int_equal(tn_cholesky(N, L, LD), 0);
        tn_cholesky_floored(N, F, LD, floor);
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                assert_near(F[i + j * LD], L[i + j * LD], 0);
    }
}

static void test_gauss_solves(void **unused)
{
    uint32_t state = 3;
    (void)unused;
    for (int trial = 0; trial < TRIALS; trial++) {
        double A[N * (N + 1)], m[N * (N + 1)];
        random_vector(&state, N * (N + 1), 1, A);
        A[0] = 0;                                      /* needs a pivot at once */
        memcpy(m, A, sizeof A);
        assert_int_equal(tn_gauss_solve(N, m, N + 1, m + N, N + 1, 0), N);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += A[i * (N + 1) + j] * m[j * (N + 1) + N];
            assert_near(sum, A[i * (N + 1) + N], 1e-11);
        }
    }
    double none[N * (N + 1)] = { 0 };
    assert_int_equal(tn_gauss_solve(N, none, N + 1, none + N, N + 1, 0), 0);
    double weak[4] = { 1, 2, 1, 2 + 1e-9 }, b[2] = { 1, 1 };
    assert_int_equal(tn_gauss_solve(2, weak, 2, b, 1, 1e-8), 1);      /* the second pivot is 1e-9 */
}

static void test_ranks(void **unused)
{
    uint32_t state = 4;
    (void)unused;
    for (int trial = 0; trial < TRIALS; trial++)
        for (int rank = 0; rank <= N; rank++) {
            double A[N * N], D[N * N], f[N], x[N], right[N];
            int columns[N];
            make_gram(A, N, rank, &state);
            random_vector(&state, N, 1, x);
            for (int i = 0; i < N; i++) {
                right[i] = 0;
                for (int j = 0; j < N; j++)
                    right[i] += A[i + j * N] * x[j];
            }
            memcpy(D, A, sizeof A);
            memcpy(f, right, sizeof f);
            assert_int_equal(tn_gauss_rank(N, D, f, columns, 1e-11), rank);
            tn_upper_solve(rank, D, N, f);
            double solution[N] = { 0 };
            for (int i = 0; i < rank; i++)
                solution[columns[i]] = f[i];
            for (int i = 0; i < N; i++)
                assert_near(tn_dot(N, A + i * N, solution), right[i], 1e-9);
        }
}

static void test_semidefinite(void **unused)
{
    uint32_t state = 5;
    (void)unused;
    for (int trial = 0; trial < TRIALS; trial++)
        for (int rank = 0; rank <= N; rank++) {
            double A[N * N], D[N * N], v[N];
            make_gram(A, N, rank, &state);
            memcpy(D, A, sizeof A);
            assert_true(tn_is_semidefinite(N, D, 1e-12));
            random_vector(&state, N, 1, v);            /* A - large v v' has a negative direction */
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    A[i + j * N] -= 100 * v[i] * v[j];
            assert_false(tn_is_semidefinite(N, A, 1e-12));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky_by_rows_is_cholesky), cmocka_unit_test(test_floor),
        cmocka_unit_test(test_gauss_solves),                 cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_semidefinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
