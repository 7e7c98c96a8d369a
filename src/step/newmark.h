/* The steps that all forms of Newmark's trapezoidal rule share: predictor and corrector. */
#ifndef TN_STEP_NEWMARK_H
#define TN_STEP_NEWMARK_H

#include "tenon/sys/stepper.h"

/* Computes y1 by the trapezoidal rule with the rate dy1 at the end of the step. Uses one work vector. */
void tn_newmark_correct(tn_stepper *stepper, tn_step *step, const double *dy1);
/* Predicts with the old accelerations, evaluates and corrects. predicted: receives the predicted y; NULL: not
 * wanted. Uses two work vectors. */
int tn_newmark_step(tn_stepper *stepper, tn_step *step, double *predicted);

#endif
