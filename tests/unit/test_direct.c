/* Solver "direct" against the pseudo-inverse, on graphs of all shapes, with redundant and empty rows. */
#include "dense.h"
#include "order.h"
#include "saddle_problem.h"

/* Relative error for pivots of order one. Elimination loses the inverse square of the weakest pivot; blocks of random
 * numbers have pivots down to 1e-4, those of mechanisms seldom below 1e-2. */
static const double SAME = 1e-13;
/* Pivots of single bodies down to this part may be used though the rows have none that is weak. */
static const double USED = 0.06;

/* ---- comparison ---- */

static double largest(int n, const double *x)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* M a - G' lambda = f */
static void check_forces(const problem *p, double tolerance)
{
    int columns = p->body_column[p->bodies];
    double *sum = calloc((size_t)columns, sizeof *sum);
    for (int b = 0; b < p->bodies; b++) {
        int w = columns_of(p, b), first = p->body_column[b];
        for (int i = 0; i < w; i++)
            for (int j = 0; j < w; j++)
                sum[first + i] += p->M[p->mass_offset[b] + (size_t)(i * w + j)] * p->a[first + j];
    }
    for (int c = 0; c < p->constraints; c++)
        for (int n = p->block_begin[c]; n < p->block_begin[c + 1]; n++) {
            int w = columns_of(p, p->block_body[n]), first = p->body_column[p->block_body[n]];
            const double *block = p->G + p->block_offset[n], *lambda = p->lambda + p->constraint_row[c];
            for (int i = 0; i < rows_of(p, c); i++)
                for (int j = 0; j < w; j++)
                    sum[first + j] -= block[i * w + j] * lambda[i];
        }
    double size = largest(p->constraint_row[p->constraints], p->lambda);
    for (int j = 0; j < columns; j++)
        assert_near(sum[j], p->f[j], tolerance * size);
    free(sum);
}

static tn_saddle *analyzed(const problem *p, tn_context *context)
{
    tn_saddle *k = NULL;
    assert_int_equal(tn_solver_types[0]->analyze(&k, context, &p->structure), TN_OK);
    return k;
}

static tn_saddle_info solved(problem *p, tn_saddle *k, tn_rank_rule rule)
{
    tn_saddle_info info;
    assert_int_equal(tn_solver_types[0]->factor(k, p->M, p->G, rule), TN_OK);
    assert_int_equal(tn_solver_types[0]->solve(k, p->f, p->u, p->a, p->lambda), TN_OK);
    tn_solver_types[0]->info(k, &info);
    assert_int_equal(info.rows, p->constraint_row[p->constraints]);
    assert_int_equal(info.columns, p->body_column[p->bodies]);
    return info;
}

static void check_against_dense(problem *p, tn_saddle *k)
{
    int columns = p->body_column[p->bodies];
    double *expected = calloc((size_t)columns, sizeof *expected);
    int rank = dense_solution(p, expected);
    tn_saddle_info info = solved(p, k, TN_RANK_DECIDE);
    double size = largest(columns, expected), pivot = fmin(info.weakest_pivot, USED), tolerance = SAME / (pivot * pivot);
    assert_int_equal(info.rank, rank);
    for (int j = 0; j < columns; j++)
        assert_near(p->a[j], expected[j], tolerance * size);
    check_forces(p, tolerance);
    free(expected);
}

/* Twice with other numbers on the same structure: the analysis must not depend on them. */
static void compare(problem *p)
{
    tn_context *context = tn_context_create(NULL);
    problem_finish(p);
    tn_saddle *k = analyzed(p, context);
    check_against_dense(p, k);
    for (size_t i = 0; i < p->used; i++)
        p->G[i] *= 1.5;
    problem_finish(p);
    check_against_dense(p, k);
    tn_solver_types[0]->destroy(k);
    tn_context_destroy(context);
    free(p);
}

/* ---- graphs ---- */

static problem *chain(uint32_t seed, int bodies, int columns, int rows)
{
    problem *p = problem_open(seed, bodies, columns);
    add_rows(p, rows, 1, (const int[]){ 0 });
    for (int b = 1; b < bodies; b++)
        add_link(p, rows, b - 1, b);
    return p;
}

static problem *ladder(uint32_t seed, int rungs, int columns, int rows)
{
    problem *p = problem_open(seed, 2 * rungs, columns);
    for (int b = 0; b < 2 * rungs; b += 2) {
        add_rows(p, rows, 1, (const int[]){ b });
        add_link(p, rows, b, b + 1);
        if (b > 0)
            add_link(p, rows, b - 1, b);
    }
    return p;
}

static void test_no_constraints(void **state)
{
    (void)state;
    compare(problem_open(1, 4, 0));
}

static void test_chains(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        compare(chain(seed, 12, 0, 1));
        compare(chain(seed, 9, 6, 5));
        compare(chain(seed, 9, 3, 2));
    }
}

static void test_trees_and_stars(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        problem *tree = problem_open(seed, 15, 6), *star = problem_open(seed, 15, 3);
        for (int b = 1; b < 15; b++) {
            add_link(tree, 1 + b % 5, (int)(next_random(&tree->random) % (uint32_t)b), b);
            add_link(star, 1 + b % 2, 0, b);
        }
        compare(tree);
        compare(star);
    }
}

static void test_loops_and_ladders(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        problem *ring = problem_open(seed, 10, 6);
        for (int b = 0; b < 10; b++)
            add_link(ring, 4, b, (b + 1) % 10);
        compare(ring);
        compare(ladder(seed, 8, 6, 3));
        compare(ladder(seed, 8, 3, 1));
    }
}

/* Multipliers of one constraint only: they are those of the whole solution to the bit, and others are left out. */
static void test_silent_constraints(void **state)
{
    problem *p = ladder(3, 8, 6, 3);
    tn_context *context = tn_context_create(NULL);
    double all[6 * CONSTRAINTS];
    int left_out = 0;
    (void)state;
    problem_finish(p);
    tn_saddle *k = analyzed(p, context);
    solved(p, k, TN_RANK_DECIDE);
    tn_solver_types[0]->destroy(k);
    memcpy(all, p->lambda, sizeof all);
    for (int wanted = 0; wanted < p->constraints; wanted++) {
        bool silent[CONSTRAINTS];
        for (int c = 0; c < p->constraints; c++)
            silent[c] = c != wanted;
        for (int i = 0; i < p->constraint_row[p->constraints]; i++)
            p->lambda[i] = NAN;
        p->structure.silent = silent;
        k = analyzed(p, context);
        solved(p, k, TN_RANK_DECIDE);
        for (int i = p->constraint_row[wanted]; i < p->constraint_row[wanted + 1]; i++)
            assert_true(p->lambda[i] == all[i]);
        for (int i = 0; i < p->constraint_row[p->constraints]; i++)
            left_out += isnan(p->lambda[i]);
        tn_solver_types[0]->destroy(k);
    }
    assert_true(left_out > 0);
    tn_context_destroy(context);
    free(p);
}

/* More rows than columns: the rank is what fits. */
static void test_over_determined(void **state)
{
    (void)state;
    compare(ladder(3, 6, 3, 3));
    compare(chain(4, 5, 2, 3));
}

static void test_couplings(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        problem *p = chain(seed, 12, 6, 3);
        add_rows(p, 1, 4, (const int[]){ 0, 11, 5, 3 });
        add_rows(p, 2, 4, (const int[]){ 7, 2, 8, 1 });
        add_rows(p, 1, 3, (const int[]){ 4, 10, 9 });
        compare(p);
    }
}

/* Repeated rows, combinations over several joints, and rows of zeros, at either end of the list. */
static problem *redundant(uint32_t seed)
{
    problem *p = problem_open(seed, 10, 6);
    add_link(p, 2, 3, 4);
    clear_rows(p, 0);
    for (int b = 0; b < 10; b++)
        add_link(p, 3, b, (b + 1) % 10);
    add_link(p, 3, 4, 5);                              /* a door's second hinge: same rows, other combinations */
    clear_rows(p, 11);
    for (int r = 0; r < 3; r++)
        for (int from = 0; from < 3; from++)
            add_multiple(p, 11, r, 5, from, between(&p->random, -1, 1));
    add_rows(p, 2, 4, (const int[]){ 1, 2, 3, 4 });
    clear_rows(p, 12);
    for (int c = 2; c <= 4; c++)
        for (int r = 0; r < 2; r++)
            add_multiple(p, 12, r, c, r, between(&p->random, 0.5, 1));
    add_rows(p, 1, 1, (const int[]){ 9 });
    clear_rows(p, 13);
    return p;
}

static void test_redundant_rows(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 10; seed++)
        compare(redundant(seed));
}

/* Rows that are dependent when the rank is decided stay out when they become a little independent. */
static void test_kept_rank(void **state)
{
    (void)state;
    const double change = 1e-4;
    tn_context *context = tn_context_create(NULL);
    problem *p = redundant(4);
    problem_finish(p);
    tn_saddle *k = analyzed(p, context);
    int rank = solved(p, k, TN_RANK_DECIDE).rank, columns = p->body_column[p->bodies];
    double *before = calloc((size_t)columns, sizeof *before);
    memcpy(before, p->a, (size_t)columns * sizeof *before);
    for (size_t i = p->block_offset[p->block_begin[11]]; i < p->block_offset[p->block_begin[13]]; i++)
        p->G[i] += between(&p->random, -change, change);
    assert_int_equal(solved(p, k, TN_RANK_KEEP).rank, rank);
    for (int j = 0; j < columns; j++)
        assert_near(p->a[j], before[j], 100 * change);
    assert_int_equal(solved(p, k, TN_RANK_DECIDE).rank, rank + 5);
    tn_solver_types[0]->destroy(k);
    tn_context_destroy(context);
    free(before);
    free(p);
}

/* ---- cost ---- */

/* Multiplications of all fronts, to leading order: cubes of their columns. */
static double work(problem *p)
{
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_front_plan *plan = NULL;
    double sum = 0;
    problem_finish(p);
    assert_int_equal(tn_order(&plan, arena, context, &p->structure), TN_OK);
    for (int i = 0; i < p->bodies; i++) {
        double columns = columns_of(p, plan[i].body);
        for (int n = 0; n < plan[i].border_count; n++)
            columns += columns_of(p, plan[i].border[n]);
        sum += columns * columns * columns;
    }
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    free(p);
    return sum;
}

static problem *star(int bodies)
{
    problem *p = problem_open(1, bodies, 6);
    for (int b = 1; b < bodies; b++)
        add_link(p, 5, b, 0);
    return p;
}

static problem *random_tree(int bodies)
{
    problem *p = problem_open(5, bodies, 6);
    for (int b = 1; b < bodies; b++)
        add_link(p, 5, (int)(next_random(&p->random) % (uint32_t)b), b);
    return p;
}

/* Twice the bodies, twice the work; a front of a tree holds two bodies at most. */
static void test_linear_work(void **state)
{
    (void)state;
    assert_true(work(chain(1, 400, 6, 5)) <= 400 * 12 * 12 * 12);
    assert_true(work(star(400)) <= 400 * 12 * 12 * 12);
    assert_true(work(random_tree(400)) <= 400 * 12 * 12 * 12);
    assert_near(work(ladder(1, 200, 3, 2)) / work(ladder(1, 100, 3, 2)), 2, 0.1);
}

/* ---- dense kernels ---- */

static void test_reflector(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (int n = 1; n <= 7; n++) {
        double x[7], v[7], y[7], image[7];
        random_vector(&random, n, 1, x);
        random_vector(&random, n, 1, y);
        memcpy(v, x, sizeof v);
        double tau = tn_reflector(n, v), beta = v[0];
        assert_near(fabs(beta), tn_norm2(n, x), 1e-15);
        tn_reflect(n, v, tau, x);
        for (int i = 0; i < n; i++)
            assert_near(x[i], i == 0 ? beta : 0, 1e-15);
        memcpy(image, y, sizeof image);
        tn_reflect(n, v, tau, image);
        assert_near(tn_norm2(n, image), tn_norm2(n, y), 1e-15);
        tn_reflect(n, v, tau, image);
        for (int i = 0; i < n; i++)
            assert_near(image[i], y[i], 1e-15);
    }
}

static void test_reflector_of_zero(void **state)
{
    (void)state;
    double x[3] = { 0, 0, 0 }, y[3] = { 1, 2, 3 };
    double tau = tn_reflector(3, x);
    tn_reflect(3, x, tau, y);
    assert_near(x[0], 0, 0);
    assert_near(fabs(y[0]), 1, 1e-15);
    assert_near(y[1], 2, 1e-15);
    assert_near(y[2], 3, 1e-15);
}

static void test_cholesky(void **state)
{
    (void)state;
    enum { N = 5, LD = 7 };
    uint32_t random = 9;
    double B[N * N], A[LD * N] = { 0 }, L[LD * N], x[N], b[N];
    random_vector(&random, N * N, 1, B);
    random_vector(&random, N, 1, x);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                A[i + j * LD] += B[i * N + k] * B[j * N + k] + (i == j) * 0.1;
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++)
            b[i] += A[i + j * LD] * x[j];
    }
    memcpy(L, A, sizeof L);
    assert_int_equal(tn_cholesky(N, L, LD), 0);
    tn_cholesky_solve(N, L, LD, b);
    for (int i = 0; i < N; i++)
        assert_near(b[i], x[i], 1e-12);
    A[2 + 2 * LD] = -1;
    assert_int_equal(tn_cholesky(N, A, LD), -1);
}

static void test_triangles(void **state)
{
    (void)state;
    enum { N = 4 };
    uint32_t random = 2;
    double R[N * N], x[N], up[N] = { 0 }, down[N] = { 0 };
    random_vector(&random, N * N, 1, R);
    random_vector(&random, N, 1, x);
    for (int j = 0; j < N; j++) {
        R[j + j * N] += 2;
        for (int i = 0; i <= j; i++) {
            up[i] += R[i + j * N] * x[j];
            down[j] += R[i + j * N] * x[i];
        }
    }
    tn_upper_solve(N, R, N, up);
    tn_upper_solve_transposed(N, R, N, down);
    for (int i = 0; i < N; i++) {
        assert_near(up[i], x[i], 1e-14);
        assert_near(down[i], x[i], 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_constraints),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_trees_and_stars),
        cmocka_unit_test(test_loops_and_ladders),
        cmocka_unit_test(test_silent_constraints),
        cmocka_unit_test(test_over_determined),
        cmocka_unit_test(test_couplings),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_kept_rank),
        cmocka_unit_test(test_linear_work),
        cmocka_unit_test(test_reflector),
        cmocka_unit_test(test_reflector_of_zero),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
