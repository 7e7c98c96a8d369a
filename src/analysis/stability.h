/* Stability of a scheme at a state: the spectrum of one step. */
#ifndef TN_ANALYSIS_STABILITY_H
#define TN_ANALYSIS_STABILITY_H

#include "stepper.h"
#include "tenon/analysis.h"

/* Analyzes the state of the stepper, without changing the stepper: a second stepper with the same settings takes the
 * steps. */
int tn_stability(tn_spectrum **out, const tn_stepper *stepper);

#endif
