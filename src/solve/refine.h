/* One pass of iterative refinement of what a condenser solved. Multipliers of light bodies between heavy ones have round-off of the
 * heavy ones' forces, which accelerates the light ones off their joints: with masses 1e12 apart by 0.01 rad/s^2, which step control
 * takes for motion. */
#ifndef TN_SOLVE_REFINE_H
#define TN_SOLVE_REFINE_H

#include "mem.h"
#include "tenon/sys/condense.h"

typedef struct tn_refinement {
    const tn_structure *structure;
    double *left, *no_force, *change, *more;
} tn_refinement;

int tn_refinement_create(tn_refinement *out, const tn_structure *structure, tn_arena *arena);
/* a and lambda (or NULL) as the condenser found them, which then is where it was: rows G, all of them, right sides u. What is left
 * of the rows is solved for, unless it is round-off. */
int tn_refine(const tn_refinement *refinement, tn_condenser *condenser, const double *G, const double *u, double *a, double *lambda);

#endif
