/* Forces of the unilateral constraints that touch at rest. */
#ifndef TN_REST_FORCES_H
#define TN_REST_FORCES_H

#include "delassus.h"

/* A support with a smaller share of the load bears none. */
static const double TN_REST_NO_LOAD = 1e-9;

/* Finds the forces p of the operator's constraints for the gaps, or their accelerations, b. */
int tn_rest_solve(tn_delassus *delassus, const double *b, tn_arena *arena);
/* Finds forces of the constraints that touch at the state y at rest, into delassus->forces, and which of them bear load. Many
 * contacts may share the load in many ways, and then any share within the cones is an answer. */
int tn_rest_decide(tn_delassus *delassus, double t, const double *y, tn_unilateral_mode *modes);

#endif
