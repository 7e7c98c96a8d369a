/* The blocks of M and G as operators (blocks.h): products, responses, mobilities. */
#include "blocks.h"

#include <math.h>
#include <string.h>
#include "dense.h"

/* Rows shorter than this (scaled columns, SI) have no direction. */
static const double ROW_FLOOR = 1e-9;

static int width(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static int height(const tn_structure *s, int constraint)
{
    return s->constraint_row[constraint + 1] - s->constraint_row[constraint];
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

int tn_blocks_create(tn_blocks *b, tn_arena *arena, const tn_structure *s)
{
    int widest = 0;
    *b = (tn_blocks){ .structure = s, .rows = s->constraint_row[s->constraints], .columns = s->body_column[s->bodies] };
    for (int i = 0; i < s->bodies; i++) {
        int w = width(s, i);
        widest = w > widest ? w : widest;
        b->mass_size = larger(b->mass_size, s->mass_offset[i] + (size_t)(w * w));
    }
    for (int c = 0; c < s->constraints; c++)
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
            size_t size = (size_t)(height(s, c) * width(s, s->block_body[e]));
            b->jacobian_size = larger(b->jacobian_size, s->block_offset[e] + size);
        }
    b->M = tn_arena_alloc(arena, b->mass_size, sizeof(double));
    b->H = tn_arena_alloc(arena, b->mass_size, sizeof(double));
    b->G = tn_arena_alloc(arena, b->jacobian_size, sizeof(double));
    b->response = tn_arena_alloc(arena, (size_t)widest, sizeof(double));
    return b->M && b->H && b->G && b->response ? TN_OK : TN_ERROR_MEMORY;
}

/* H = A^-1; A becomes its Cholesky factor. */
static int invert(int n, double *A, double *H)
{
    if (tn_cholesky(n, A, n) < 0)
        return TN_ERROR_STEP;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            H[i + j * n] = i == j;
        tn_cholesky_solve(n, A, n, H + j * n);
    }
    return TN_OK;
}

int tn_blocks_load(tn_blocks *b, const double *M, const double *G)
{
    const tn_structure *s = b->structure;
    memcpy(b->M, M, b->mass_size * sizeof(double));
    memcpy(b->G, G, b->jacobian_size * sizeof(double));
    for (int i = 0; i < s->bodies; i++)
        TN_TRY(invert(width(s, i), b->M + s->mass_offset[i], b->H + s->mass_offset[i]));
    memcpy(b->M, M, b->mass_size * sizeof(double));
    return TN_OK;
}

/* y = A x with the symmetric n x n matrix A. */
static void symmetric_product(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

static void body_products(const tn_structure *s, const double *A, const double *x, double *y)
{
    for (int i = 0; i < s->bodies; i++) {
        int first = s->body_column[i];
        symmetric_product(width(s, i), A + s->mass_offset[i], x + first, y + first);
    }
}

void tn_blocks_mass(const tn_blocks *b, const double *a, double *f)
{
    body_products(b->structure, b->M, a, f);
}

void tn_blocks_respond(const tn_blocks *b, const double *f, double *a)
{
    body_products(b->structure, b->H, f, a);
}

void tn_blocks_rows(const tn_blocks *b, const double *a, double *y)
{
    const tn_structure *s = b->structure;
    memset(y, 0, (size_t)b->rows * sizeof(double));
    for (int c = 0; c < s->constraints; c++)
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
            const int w = width(s, s->block_body[e]);
            const double *g = b->G + s->block_offset[e], *x = a + s->body_column[s->block_body[e]];
            for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++, g += w)
                for (int j = 0; j < w; j++)
                    y[r] += g[j] * x[j];
        }
}

void tn_blocks_magnitudes(const tn_blocks *b, const double *a, double *y)
{
    const tn_structure *s = b->structure;
    memset(y, 0, (size_t)b->rows * sizeof(double));
    for (int c = 0; c < s->constraints; c++)
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
            const int w = width(s, s->block_body[e]);
            const double *g = b->G + s->block_offset[e], *x = a + s->body_column[s->block_body[e]];
            for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++, g += w)
                for (int j = 0; j < w; j++)
                    y[r] += fabs(g[j] * x[j]);
        }
}

void tn_blocks_forces(const tn_blocks *b, const double *lambda, double *f)
{
    const tn_structure *s = b->structure;
    memset(f, 0, (size_t)b->columns * sizeof(double));
    for (int c = 0; c < s->constraints; c++)
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
            const int w = width(s, s->block_body[e]);
            const double *g = b->G + s->block_offset[e];
            double *x = f + s->body_column[s->block_body[e]];
            for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++, g += w)
                for (int j = 0; j < w; j++)
                    x[j] += g[j] * lambda[r];
        }
}

void tn_blocks_mobility(const tn_blocks *b, int c, int i, int first, double *k)
{
    const tn_structure *s = b->structure;
    memset(k, 0, (size_t)(i + 1 - first) * sizeof(double));
    for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
        const int body = s->block_body[e], w = width(s, body);
        const double *g = b->G + s->block_offset[e];
        symmetric_product(w, b->H + s->mass_offset[body], g + i * w, b->response);
        for (int r = first; r <= i; r++)
            for (int j = 0; j < w; j++)
                k[r - first] += g[r * w + j] * b->response[j];
    }
}

bool tn_blocks_row_counts(const tn_blocks *b, int c, int i)
{
    const tn_structure *s = b->structure;
    double sum = 0;
    for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
        const int body = s->block_body[e], w = width(s, body);
        const double *g = b->G + s->block_offset[e] + i * w, *scale = s->column_scale + s->body_column[body];
        for (int j = 0; j < w; j++)
            sum += g[j] / scale[j] * (g[j] / scale[j]);
    }
    return sum > ROW_FLOOR * ROW_FLOOR;
}
