/* Finds a static equilibrium. */
#ifndef TN_ANALYSIS_STATICS_H
#define TN_ANALYSIS_STATICS_H

#include "tangent.h"
#include "tenon/analysis.h"

/* Searches from the state of near (positions and states; ignores t and velocities) for the equilibrium at
 * options->time, and leaves near there, held. TN_ERROR_STEP with a diagnostic: none found. The arena owns the memory of
 * out. */
int tn_statics_find(tn_equilibrium *out, tn_tangent *near, const tn_statics_options *options, tn_arena *arena);

/* Searches along the linearized motion (statics_flow.c), for systems whose forces cannot be differentiated, at the time
 * of near. Adds the number of steps to *steps. */
int tn_statics_flow(tn_tangent *near, double size, bool nearest, long *steps);

#endif
