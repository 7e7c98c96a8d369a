/* Static equilibrium. */
#ifndef TN_ANALYSIS_STATICS_H
#define TN_ANALYSIS_STATICS_H

#include "tangent.h"
#include "tenon/analysis.h"

/* From the state of near (positions and states; t, velocities are not looked at) to the equilibrium at options->time;
 * near is left there, held. TN_ERROR_STEP with a diagnostic. Memory of out is the arena's. */
int tn_statics_find(tn_equilibrium *out, tn_tangent *near, const tn_statics_options *options, tn_arena *arena);

/* Along the linearized motion (statics_flow.c), where forces cannot be differentiated, at the time that near is at. steps: added to. */
int tn_statics_flow(tn_tangent *near, double size, bool nearest, long *steps);

#endif
