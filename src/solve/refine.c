/* Iterative refinement (refine.h). */
#include "refine.h"

#include <math.h>

/* Part of the terms of a row: more is left of it where digits are lost. */
static const double ROUND_OFF = 1e-13;

int tn_refinement_create(tn_refinement *out, const tn_structure *s, tn_arena *arena)
{
    const size_t rows = (size_t)s->constraint_row[s->constraints], columns = (size_t)s->body_column[s->bodies];
    out->structure = s;
    out->left = tn_arena_alloc(arena, rows, sizeof(double));
    out->more = tn_arena_alloc(arena, rows, sizeof(double));
    out->no_force = tn_arena_alloc(arena, columns, sizeof(double));
    out->change = tn_arena_alloc(arena, columns, sizeof(double));
    return tn_arena_status(arena);
}

/* left = u - G a of one row; returns how large its terms are. */
static double find_left(const tn_structure *s, int constraint, int row, const double *G, const double *u, const double *a, double *left)
{
    const int r = s->constraint_row[constraint] + row;
    double size = fabs(u[r]);
    *left = u[r];
    for (int b = s->block_begin[constraint]; b < s->block_begin[constraint + 1]; b++) {
        const int *column = s->body_column + s->block_body[b], n = column[1] - column[0];
        for (int j = 0; j < n; j++) {
            const double term = G[s->block_offset[b] + (size_t)(row * n + j)] * a[column[0] + j];
            *left -= term;
            size += fabs(term);
        }
    }
    return size;
}

int tn_refine(const tn_refinement *x, tn_condenser *condenser, const double *G, const double *u, double *a, double *lambda)
{
    const tn_structure *s = x->structure;
    bool lossy = false;
    for (int c = 0; c < s->constraints; c++)
        for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++) {
            const double size = find_left(s, c, r - s->constraint_row[c], G, u, a, &x->left[r]);
            lossy = lossy || fabs(x->left[r]) > ROUND_OFF * size;
        }
    if (!lossy)
        return TN_OK;
    TN_TRY(tn_condenser_free(NULL, condenser, x->no_force, x->left));
    TN_TRY(tn_condenser_back_substitute(x->change, x->more, condenser, NULL));
    for (int j = 0; j < s->body_column[s->bodies]; j++)
        a[j] += x->change[j];
    for (int r = 0; lambda && r < s->constraint_row[s->constraints]; r++)
        lambda[r] += x->more[r];
    return TN_OK;
}
