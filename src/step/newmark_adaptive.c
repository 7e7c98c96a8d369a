/* Newmark's trapezoidal rule in one pass with a step that follows the local errors,
 *     positions   h^2/12 |a1 - a0| = 1/3 |corrected - predicted|
 *     velocities, states   |v1 - v0 - h/6 (a0 + 4 am + a1)|      Simpson's rule, am: rates at the middle, between both ends
 * (positions alone would pass over most of the error: forces that depend on velocities were found with the predicted ones),
 * or, with limit, the rule that Seguy et al. 2003 publish (Eq. 24): the stabilizing accelerations d that the scheme
 * asks for at the end of a step halve it when d'd > limit, and lengthen it by half when d'd <= limit / 10. That rule is
 * unstable: d measures how far the joints are open, and a shorter step does not close them. */
#include <math.h>
#include "mem.h"
#include "newmark.h"
#include "stepper.h"

enum { LIMIT };
enum { SCRATCH, RATE, PREDICTED, MIDDLE, MIDDLE_RATE, VECTORS };

static double *work_of(const tn_step *s, int vector)
{
    return s->work + vector * tn_step_length(s);
}

static double limit_of(const tn_stepper *stepper)
{
    return tn_integrator_parameter(stepper, LIMIT);
}

/* The rates at the middle of the step, from those at its start and at its predicted end. */
static int find_middle(tn_stepper *stepper, tn_step *s)
{
    const double *y0 = s->y0 + s->positions, *a0 = s->dy0 + s->positions, *a1 = work_of(s, RATE) + s->positions;
    double *move = work_of(s, SCRATCH), *middle = work_of(s, MIDDLE), h = s->h;
    for (int k = 0; k < s->velocities + s->states; k++)
        middle[s->positions + k] = y0[k] + h / 8 * (3 * a0[k] + a1[k]);
    for (int k = 0; k < s->velocities; k++)
        move[k] = h / 2 * y0[k] + h * h / 48 * (5 * a0[k] + a1[k]);
    tn_move(middle, stepper, s->y0, move);
    return tn_rate(work_of(s, MIDDLE_RATE), stepper, s->t + h / 2, middle);
}

static int step_newmark_adaptive(tn_stepper *stepper, tn_step *s)
{
    TN_TRY(tn_newmark_step(stepper, s, work_of(s, PREDICTED)));
    return limit_of(stepper) == 0 ? find_middle(stepper, s) : TN_OK;
}

static void error_newmark_adaptive(const tn_step *s, double *e)
{
    const double *predicted = work_of(s, PREDICTED), *middle = work_of(s, MIDDLE_RATE);
    for (int k = 0; k < s->positions; k++)
        e[k] = (s->y1[k] - predicted[k]) / 3;
    for (int k = s->positions; k < tn_step_length(s); k++)
        e[k] = s->y1[k] - s->y0[k] - s->h / 6 * (s->dy0[k] + 4 * middle[k] + s->dy1[k]);
}

static double judge(tn_stepper *stepper, double *factor)
{
    double limit = limit_of(stepper), d = tn_disturbance(stepper);
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
    .vectors = VECTORS,
    .step = step_newmark_adaptive,
    .error = error_newmark_adaptive,
    .error_order = 3,
    .judge = judge,
};
