/* The state of solver "uzawa"; private to uzawa.c (iteration) and uzawa_setup.c (settings, preconditioner). */
#ifndef TN_SOLVE_UZAWA_IMPL_H
#define TN_SOLVE_UZAWA_IMPL_H

#include "blocks.h"
#include "row_choice.h"
#include "split.h"

extern const tn_solver_type tn_solver_direct;
extern const tn_solver_type tn_solver_uzawa;       /* the declaration of its parameters holds the defaults */
enum { METHOD, RESIDUAL, ITERATIONS, WARM, RHO, RHO_ABSOLUTE, INCREMENT, INTERNAL, PARAMETERS };
enum { CONJUGATE_GRADIENTS, FIXED_RHO };

struct tn_saddle {
    tn_context *context;
    tn_arena *arena;
    const tn_structure *structure; /* of the whole */
    bool *internal;                /* of each of its constraints */
    bool stale;                    /* the parts must be made again */
    tn_part iterated, kept_inside; /* the two parts of the structure; blocks and all rows below belong to iterated */
    tn_saddle *inner;              /* solver of kept_inside; NULL: there are no internal constraints */
    double *inner_u, *inner_zero, *inner_lambda;
    tn_blocks blocks;
    tn_row_choice selection;        /* of all constraints */
    double parameters[PARAMETERS];
    struct own_values { double relative, absolute, increment; } *own;  /* of each constraint of the whole; 0: as for all */
    bool own_increments;           /* a joint has one */
    double *diagonal;              /* 1 / K_ii, 0 for rows without direction */
    size_t *factor_at;             /* per constraint: Cholesky factor of the mobility of its kept rows */
    double *factor;
    int *kept_count, *kept;        /* per constraint, per row: the kept rows of a constraint first */
    double *weight;                /* rho / K_ii, or rho_absolute */
    double *lambda, *r, *z, *w, *q, *y, *x, *u;   /* rows */
    double *s, *h, *v;             /* columns */
    double *last_lambda;           /* of the last solve with forces */
    double *kept_lambda;           /* of the state at which the step began */
    bool loaded, has_last, has_kept;
    int code;                      /* error of a body that could not respond; 0: none */
    long iterations, total;
    char trouble[200];
};

int tn_uzawa_analyze(tn_saddle **out, tn_context *context, const tn_structure *structure);
int tn_uzawa_configure(tn_saddle *k, const double *parameters);
int tn_uzawa_configure_constraint(tn_saddle *k, int parameter, int constraint, double value);
int tn_uzawa_factor(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule);
/* z = P^-1 r */
void tn_uzawa_precondition(const tn_saddle *k, const double *r, double *z);
void tn_uzawa_destroy(tn_saddle *k);

static inline int tn_uzawa_height(const tn_structure *s, int constraint)
{
    return s->constraint_row[constraint + 1] - s->constraint_row[constraint];
}

#endif
