/* Integrator "heun", Heun's method: explicit trapezoidal rule, order 2. */
#include "runge_kutta.h"

static const double a[] = { 0, 0,  1, 0 };
static const double b[] = { 0.5, 0.5 };
static const double c[] = { 0, 1 };

static int step_heun(tn_stepper *stepper, tn_step *s)
{
    return tn_runge_kutta(stepper, s, &(tn_butcher){ 2, a, b, c });
}

const tn_integrator_type tn_integrator_heun = {
    .name = "heun",
    .doc = "Runge-Kutta of order 2 (Heun, explicit trapezoidal), fixed step.",
    .order = 2,
    .vectors = 1,
    .step = step_heun,
};
