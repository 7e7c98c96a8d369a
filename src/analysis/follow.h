/* States that follow the motion, for example the pressure of compressed gas. They conserve a quantity (the amount of
 * gas), so their value at rest depends on the path. Statics integrates them along the path of each step. */
#ifndef TN_ANALYSIS_FOLLOW_H
#define TN_ANALYSIS_FOLLOW_H

#include "tangent.h"

/* Counts the conserved combinations of states: combinations that change only with the motion. The linear system has as
 * many zero eigenvalues, which say nothing about stability. Zx, Zz: derivatives of the rates of states by positions and
 * by states, at rest. */
int tn_states_conserved(int *count, const tn_matrix *Zx, const tn_matrix *Zz, int states, tn_arena *arena);
/* The fastest rate at which states change by themselves, 1/s: largest modulus of an eigenvalue of Zz. */
int tn_states_fastest(double *rate, const tn_matrix *Zz, int states, tn_arena *arena);
/* The path of a step: from q0 to q1 within duration, or within the time in which all states come to rest. States that
 * do not follow the motion change by the given changes. */
typedef struct tn_state_way {
    const double *q0, *q1;
    double duration, fastest;
    const bool *follows;
    const double *changes;
} tn_state_way;
/* Integrates the states z from q0 to q1. */
void tn_states_follow(tn_tangent *near, const tn_state_way *way, double *z);

#endif
