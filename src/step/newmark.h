#ifndef TN_STEP_NEWMARK_H
#define TN_STEP_NEWMARK_H

#include "tenon/sys/stepper.h"

/* y1 by the trapezoidal rule with the rate dy1 at the end of the step. Uses one vector of work. */
void tn_newmark_correct(tn_stepper *stepper, tn_step *step, const double *dy1);
/* Predicts with the old accelerations, evaluates and corrects. predicted: y as predicted, NULL: not wanted. Uses two
 * vectors of work. */
int tn_newmark_step(tn_stepper *stepper, tn_step *step, double *predicted);

#endif
