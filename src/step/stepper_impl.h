/* Definitions that stepper.c and stepper_create.c share. */
#ifndef TN_STEP_STEPPER_IMPL_H
#define TN_STEP_STEPPER_IMPL_H

#include "stepper.h"

/* A fixed step may be longer by this part, so that no tiny step remains at the end. */
#define TN_WHOLE_STEP 1e-6

/* The integrator in use; NULL: the scheme takes its own steps. */
static inline const tn_integrator_type *tn_stepper_integrator(const tn_stepper *stepper)
{
    return stepper->scheme->step ? NULL : stepper->integrator;
}

#endif
