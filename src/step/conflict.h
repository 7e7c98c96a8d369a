/* Equations that contradict each other: drives and joints that ask for different things of the same motion. */
#ifndef TN_STEP_CONFLICT_H
#define TN_STEP_CONFLICT_H

#include "stepper.h"

enum { TN_CONFLICT_TEXT = 400 };

enum { TN_CONFLICT_NONE, TN_CONFLICT_OF_JOINTS, TN_CONFLICT_OF_DRIVES };

/* A residual r of the rows (of g, g' or G a - u) falls into a part G x, which some motion takes away, and a rest that
 * none does. There is a conflict when the rest is larger than floor and more than half of r; text then says who
 * contradicts whom, a drive first ("drive 'b' asks for something that drive 'a' and joint 'slide' do not allow"), and
 * span is where the first of them stands. G as last evaluated in e. One of the above, or a negative code. */
int tn_conflict_find(const tn_system *system, const tn_eval *e, const double *residual, double floor,
                     char text[TN_CONFLICT_TEXT], tn_span *span);

/* The same for the point evaluated last, at the levels of accelerations, velocities and positions in turn. */
int tn_conflict_here(tn_stepper *stepper, char text[TN_CONFLICT_TEXT], tn_span *span);

#endif
