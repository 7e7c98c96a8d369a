/* Newmark's trapezoidal rule in one pass with a step that follows the local error of positions,
 *     h^2/12 |a1 - a0| = 1/3 |corrected - predicted|
 * or, with limit, the rule that Seguy et al. 2003 publish (Eq. 24): the stabilizing accelerations d that the scheme
 * asks for at the end of a step halve it when d'd > limit, and lengthen it by half when d'd <= limit / 10. That rule is
 * unstable: d measures how far the joints are open, and a shorter step does not close them. */
#include <math.h>
#include "newmark.h"
#include "stepper.h"

enum { LIMIT };

static double *predicted_of(const tn_step *s)
{
    return s->work + 2 * tn_step_length(s);
}

static int step_newmark_adaptive(tn_stepper *stepper, tn_step *s)
{
    return tn_newmark_step(stepper, s, predicted_of(s));
}

/* The difference of velocities is of order 2 only: positions decide. */
static void error_newmark_adaptive(const tn_step *s, double *e)
{
    const double *predicted = predicted_of(s);
    for (int k = 0; k < tn_step_length(s); k++)
        e[k] = k < s->positions ? (s->y1[k] - predicted[k]) / 3 : 0;
}

static double judge(tn_stepper *stepper, double *factor)
{
    double limit = tn_integrator_parameter(stepper, LIMIT), d = tn_disturbance(stepper);
    if (limit == 0)
        return NAN;
    *factor = d * d <= 0.1 * limit ? 1.5 : d * d > limit ? 0.5 : 1;
    return d * d / limit;
}

const tn_integrator_type tn_integrator_newmark_adaptive = {
    .name = "newmark-adaptive",
    .doc = "Newmark trapezoidal predictor-corrector, one pass, order 2, adaptive step.",
    .parameters = {
        [LIMIT] = { "limit", "", "Published step rule: most squared stabilizing acceleration, SI; 0: local error", 0,
                    NULL },
    },
    .order = 2,
    .vectors = 3,
    .step = step_newmark_adaptive,
    .error = error_newmark_adaptive,
    .error_order = 3,
    .judge = judge,
};
