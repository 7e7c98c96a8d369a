/* Random saddle problems on given graphs, and their dense solution. */
#ifndef TEST_SADDLE_PROBLEM_H
#define TEST_SADDLE_PROBLEM_H

#include "dense_rows.h"
#include "near.h"
#include "random.h"
#include <lapacke.h>
#include <stdlib.h>

enum { BODIES = 400, CONSTRAINTS = 900, BLOCKS = 4 * CONSTRAINTS, DOUBLES = 150000 };

typedef struct problem {
    uint32_t random;
    int bodies, constraints;
    int body_column[BODIES + 1], constraint_row[CONSTRAINTS + 1], block_begin[CONSTRAINTS + 1], block_body[BLOCKS];
    size_t mass_offset[BODIES], block_offset[BLOCKS];
    double column_scale[6 * BODIES];
    double M[36 * BODIES], G[DOUBLES];
    size_t used;
    tn_structure structure;
    double f[6 * BODIES], wish[6 * BODIES], u[6 * CONSTRAINTS], a[6 * BODIES], lambda[6 * CONSTRAINTS];
} problem;

static inline int columns_of(const problem *p, int body)
{
    return p->body_column[body + 1] - p->body_column[body];
}

static inline int rows_of(const problem *p, int constraint)
{
    return p->constraint_row[constraint + 1] - p->constraint_row[constraint];
}

/* Positive definite block: random symmetric part on a dominant diagonal. */
static inline void add_mass(problem *p, int body, int n)
{
    double *M = p->M + p->mass_offset[body];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            M[i * n + j] = M[j * n + i] = i == j ? between(&p->random, 1, 4) : between(&p->random, -0.15, 0.15);
}

/* Bodies of 2, 3 and 6 columns in turn, or all of the given number. */
static inline problem *problem_open(uint32_t seed, int bodies, int columns)
{
    static const int mixed[] = { 6, 3, 2, 6, 3 };
    problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_true(bodies <= BODIES);
    p->random = seed;
    p->bodies = bodies;
    for (int b = 0; b < bodies; b++) {
        int n = columns ? columns : mixed[b % 5];
        p->body_column[b + 1] = p->body_column[b] + n;
        p->mass_offset[b] = (size_t)(36 * b);
        add_mass(p, b, n);
        for (int j = 0; j < n; j++)
            p->column_scale[p->body_column[b] + j] = n > 2 && j >= n / 2 ? between(&p->random, 0.3, 2) : 1;
    }
    return p;
}

/* A constraint with one random block per body; its first block's place in G. */
static inline double *add_rows(problem *p, int rows, int count, const int *bodies)
{
    int c = p->constraints++, b = p->block_begin[c];
    assert_true(p->constraints <= CONSTRAINTS && b + count <= BLOCKS);
    double *first = p->G + p->used;
    for (int n = 0; n < count; n++, b++) {
        size_t size = (size_t)(rows * columns_of(p, bodies[n]));
        assert_true(p->used + size <= DOUBLES);
        p->block_body[b] = bodies[n];
        p->block_offset[b] = p->used;
        random_vector(&p->random, (int)size, 1, p->G + p->used);
        p->used += size;
    }
    p->block_begin[c + 1] = b;
    p->constraint_row[c + 1] = p->constraint_row[c] + rows;
    return first;
}

static inline void add_link(problem *p, int rows, int one, int two)
{
    add_rows(p, rows, 2, (const int[]){ one, two });
}

/* Row r of a constraint, times factor, added to row to of another that has a block for each of its bodies. */
static inline void add_multiple(problem *p, int to_constraint, int to, int from_constraint, int r, double factor)
{
    for (int n = p->block_begin[from_constraint]; n < p->block_begin[from_constraint + 1]; n++) {
        int k = p->block_begin[to_constraint];
        while (p->block_body[k] != p->block_body[n])
            k++;
        int w = columns_of(p, p->block_body[n]);
        for (int j = 0; j < w; j++)
            p->G[p->block_offset[k] + (size_t)(to * w + j)] += factor * p->G[p->block_offset[n] + (size_t)(r * w + j)];
    }
}

static inline void clear_rows(problem *p, int constraint)
{
    for (int n = p->block_begin[constraint]; n < p->block_begin[constraint + 1]; n++)
        memset(p->G + p->block_offset[n], 0,
               (size_t)(rows_of(p, constraint) * columns_of(p, p->block_body[n])) * sizeof(double));
}

/* f at random, u such that all rows can be satisfied. */
static inline void problem_finish(problem *p)
{
    static double dense[2000 * 700];
    p->structure = (tn_structure){ .bodies = p->bodies, .body_column = p->body_column, .mass_offset = p->mass_offset,
                                   .constraints = p->constraints, .constraint_row = p->constraint_row,
                                   .block_begin = p->block_begin, .block_body = p->block_body,
                                   .block_offset = p->block_offset, .column_scale = p->column_scale };
    int rows = p->constraint_row[p->constraints], columns = p->body_column[p->bodies];
    random_vector(&p->random, columns, 1, p->f);
    random_vector(&p->random, columns, 1, p->wish);
    if (rows * columns <= (int)(sizeof dense / sizeof *dense)) {
        dense_rows(&p->structure, p->G, dense);
        dense_times(dense, rows, columns, p->wish, p->u);
    }
}

/* Lower Cholesky factor L of the whole mass matrix, column-major. */
static inline void mass_factor(const tn_structure *s, const double *M, double *L)
{
    int n = s->body_column[s->bodies];
    memset(L, 0, (size_t)(n * n) * sizeof(double));
    for (int b = 0; b < s->bodies; b++) {
        int first = s->body_column[b], w = s->body_column[b + 1] - first;
        for (int i = 0; i < w; i++)
            for (int j = 0; j <= i; j++)
                L[first + i + (first + j) * n] = M[s->mass_offset[b] + (size_t)(i * w + j)];
    }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, L, n), 0);
}

/* With M = L L', a = L^-T x:  x = y + B^+ (u - B y),  y = L^-1 f,  B = G L^-T.  Returns the rank of B. */
static inline int dense_saddle(const tn_structure *s, const double *M, const double *G, const double *f,
                               const double *u, double *a)
{
    int m = s->constraint_row[s->constraints], n = s->body_column[s->bodies], most = m > n ? m : n, rank = 0;
    double *L = calloc((size_t)(n * n), sizeof *L), *B = calloc((size_t)(m * n), sizeof *B);
    double *rest = calloc((size_t)most, sizeof *rest), *sigma = calloc((size_t)most, sizeof *sigma);
    mass_factor(s, M, L);
    dense_rows(s, G, B);                               /* row-major: G' column-major, so G L^-T is L^-1 G' */
    assert_int_equal(LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, m, L, n, B, n), 0);
    memcpy(a, f, (size_t)n * sizeof(double));
    assert_int_equal(LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, 1, L, n, a, n), 0);
    dense_times(B, m, n, a, rest);
    for (int i = 0; i < m; i++)
        rest[i] = u[i] - rest[i];
    if (m > 0)
        assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, B, n, rest, 1, sigma, 1e-9, &rank), 0);
    for (int j = 0; j < n; j++)
        a[j] += rest[j];
    assert_int_equal(LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'T', 'N', n, 1, L, n, a, n), 0);
    free(sigma);
    free(rest);
    free(B);
    free(L);
    return rank;
}

static inline int dense_solution(const problem *p, double *a)
{
    return dense_saddle(&p->structure, p->M, p->G, p->f, p->u, a);
}

#endif
