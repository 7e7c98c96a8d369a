/* Forces that change much over a small part of the motion, and steps whose stages miss the change (bumps.c). */
#ifndef TN_STEP_BUMPS_H
#define TN_STEP_BUMPS_H

#include "clocks.h"

/* Finds the forces with expressions that are sharp functions of the motion; none: stepper->bumps stays NULL. */
int tn_bumps_create(tn_stepper *stepper);
/* The part of the step just taken to y1, more than 0 and at most 1, after which the motion meets a force that the step does not show; 1: there
 * is none. */
double tn_bumps_part(tn_stepper *stepper);
/* True: the step just taken and accepted does not show a force that the motion meets. */
bool tn_bumps_missed(tn_stepper *stepper, tn_missed *out);

#endif
