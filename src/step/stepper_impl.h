/* Definitions that stepper.c, stepper_create.c and local_error.c share. */
#ifndef TN_STEP_STEPPER_IMPL_H
#define TN_STEP_STEPPER_IMPL_H

#include "stepper.h"

/* A fixed step may be longer by this part, so that no tiny step remains at the end. */
#define TN_WHOLE_STEP 1e-6

/* A step becomes shorter by this factor at most at once. */
#define TN_MOST_SHRINK 0.2

/* first_step.c. moved: rates were asked for elsewhere, so those at the start have to be found again. */
double tn_first_step(tn_stepper *stepper, bool *moved);

/* local_error.c. The error of the step just taken over its tolerance (accepted: at most 1), and the factor for the next step. */
double tn_local_error_judge(tn_stepper *stepper, double *factor);
/* m/s or rad/s, at least 1. */
double tn_fastest_velocity(const tn_stepper *stepper);

/* The integrator in use; NULL: the scheme takes its own steps. */
static inline const tn_integrator_type *tn_stepper_integrator(const tn_stepper *stepper)
{
    return stepper->scheme->step ? NULL : stepper->integrator;
}

#endif
