/* For authors of solvers: the saddle problem.
 *     M a - G' lambda = f
 *     G a             = u
 * M has one symmetric positive definite block per body, G one dense block per pair (constraint, body). Solvers see blocks, never mechanics.
 * lambda is what acts on the bodies. Redundant rows are normal: a is unique, lambda is one of the solutions. */
#ifndef TENON_SYS_SADDLE_H
#define TENON_SYS_SADDLE_H

#include "../context.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_structure {
    int bodies;
    const int *body_column;          /* bodies + 1: first column of each body; last entry = number of columns */
    const size_t *mass_offset;       /* where the block of each body (columns x columns, full) starts in M */
    int constraints;
    const int *constraint_row;       /* constraints + 1: first row of each constraint; last entry = number of rows */
    const int *block_begin;          /* constraints + 1: blocks of each constraint */
    const int *block_body;           /* body of each block */
    const size_t *block_offset;      /* where the block (rows x columns of the body, row-major) starts in G */
    const double *column_scale;      /* length by which a column's unknown is multiplied before ranks are compared */
} tn_structure;

typedef struct tn_saddle_info {
    int rows, columns, rank;         /* as decided by the last factor that decided */
    double weakest_pivot;            /* smallest pivot kept, scaled rows: 1 is far from singular, 0 is singular */
    double largest_drop;             /* largest pivot dropped */
} tn_saddle_info;

typedef enum tn_rank_rule {
    TN_RANK_DECIDE,                  /* find the independent rows (start of a step) */
    TN_RANK_KEEP                     /* use those found last (other stages of the step) */
} tn_rank_rule;

typedef struct tn_saddle tn_saddle;

typedef struct tn_solver_type {
    const char *name;
    const char *doc;
    int (*analyze)(tn_saddle **out, tn_context *context, const tn_structure *structure);  /* structure outlives it */
    int (*factor)(tn_saddle *s, const double *M, const double *G, tn_rank_rule rule);     /* M, G: not kept */
    int (*solve)(tn_saddle *s, const double *f, const double *u, double *a, double *lambda);  /* lambda may be NULL */
    void (*info)(const tn_saddle *s, tn_saddle_info *out);
    void (*destroy)(tn_saddle *s);
} tn_solver_type;

/* All solvers, ending in NULL. The first is the default. */
extern const tn_solver_type *const tn_solver_types[];

#ifdef __cplusplus
}
#endif
#endif
