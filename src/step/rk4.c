/* Integrator "rk4": the classical Runge-Kutta method of order 4. */
#include "runge_kutta.h"

static const double a[] = { 0, 0, 0, 0,  0.5, 0, 0, 0,  0, 0.5, 0, 0,  0, 0, 1, 0 };
static const double b[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
static const double c[] = { 0, 0.5, 0.5, 1 };

static int step_rk4(tn_stepper *stepper, tn_step *s)
{
    return tn_runge_kutta(stepper, s, &(tn_butcher){ 4, a, b, c });
}

const tn_integrator_type tn_integrator_rk4 = {
    .name = "rk4",
    .doc = "Classical Runge-Kutta, order 4, fixed step.",
    .order = 4,
    .vectors = 3,
    .step = step_rk4,
};
