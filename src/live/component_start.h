/* Components that begin in the middle of a run. */
#ifndef TN_SESSION_FITTING_H
#define TN_SESSION_FITTING_H

#include "boxes.h"
#include "stepper.h"

/* Finds states of a box, behind v, with which its ports are as near as it can bring them to where they are in q and v.
 * From where its states are; those of others stay. gap: what positions are off at most, m or rad. */
int tn_fit_box(tn_stepper *stepper, const tn_box *box, double t, double *q, double *v, tn_arena *arena, double *gap);

#endif
