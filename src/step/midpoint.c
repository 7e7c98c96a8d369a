/* Integrator "midpoint": the explicit midpoint rule, order 2. */
#include "runge_kutta.h"

static const double a[] = { 0, 0,  0.5, 0 };
static const double b[] = { 0, 1 };
static const double c[] = { 0, 0.5 };

static int step_midpoint(tn_stepper *stepper, tn_step *s)
{
    return tn_runge_kutta(stepper, s, &(tn_butcher){ 2, a, b, c });
}

const tn_integrator_type tn_integrator_midpoint = {
    .name = "midpoint",
    .doc = "Runge-Kutta of order 2 (explicit midpoint), fixed step.",
    .order = 2,
    .vectors = 1,
    .step = step_midpoint,
};
