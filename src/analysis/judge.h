/* Judges the stability of an equilibrium. */
#ifndef TN_ANALYSIS_JUDGE_H
#define TN_ANALYSIS_JUDGE_H

#include "tangent.h"
#include "tenon/analysis.h"

/* Fills freedoms, kind, margin and direction of out, at the held state of near. x receives the direction as a
 * displacement. softness (1/s^2): scale for squares of frequencies, load over mass and size. The arena owns the memory
 * of out. */
int tn_equilibrium_judge(tn_equilibrium *out, tn_tangent *near, double softness, double *x, tn_arena *arena,
                         tn_arena *scratch);

#endif
