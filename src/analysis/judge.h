/* Stability of an equilibrium. */
#ifndef TN_ANALYSIS_JUDGE_H
#define TN_ANALYSIS_JUDGE_H

#include "tangent.h"
#include "tenon/analysis.h"

/* Fills freedoms, kind, margin and direction, at the held state of near; x is that direction as a displacement.
 * softness (1/s^2) is what squares of frequencies compare with: load over mass and size. out is the arena's. */
int tn_equilibrium_judge(tn_equilibrium *out, tn_tangent *near, double softness, double *x, tn_arena *arena,
                         tn_arena *scratch);

#endif
