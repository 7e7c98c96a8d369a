/* States that follow the motion (gas that is compressed): where they rest depends on the way, because they keep
 * something on it, the amount of the gas. They are taken along as they change. */
#ifndef TN_ANALYSIS_FOLLOW_H
#define TN_ANALYSIS_FOLLOW_H

#include "tangent.h"

/* How many combinations of states change with the motion alone, so that something is kept: as many eigenvalues of the
 * linear system are zero and tell nothing about stability. Zx, Zz: rates of states by positions and states, at rest. */
int tn_states_conserved(int *count, const tn_matrix *Zx, const tn_matrix *Zz, int states, tn_arena *arena);
/* The fastest rate at which states change by themselves, 1/s: largest modulus of an eigenvalue of Zz. */
int tn_states_fastest(double *rate, const tn_matrix *Zz, int states, tn_arena *arena);
/* The way of a step: from q0 to q1 in so long a time, or in the time after which all states have come to rest. States
 * that do not follow change by the given amounts. */
typedef struct tn_state_way {
    const double *q0, *q1;
    double duration, fastest;
    const bool *follows;
    const double *changes;
} tn_state_way;
/* States z at q0 become those at q1. */
void tn_states_follow(tn_tangent *near, const tn_state_way *way, double *z);

#endif
