/* Friction of attached joints that slide: its effect on accelerations and multipliers. */
#ifndef TN_STEP_SLIDE_H
#define TN_STEP_SLIDE_H

#include "stepper.h"

int tn_slides_allocate(tn_stepper *stepper);
/* Adds the effect of friction to a and lambda, which the caller has solved without friction. */
int tn_slides_add(tn_stepper *stepper);

#endif
