/* Friction of attached joints that slide. */
#ifndef TN_STEP_SLIDE_H
#define TN_STEP_SLIDE_H

#include "stepper.h"

int tn_slides_allocate(tn_stepper *stepper);
/* Adds to a and lambda, which are known without it, what friction does. */
int tn_slides_add(tn_stepper *stepper);

#endif
