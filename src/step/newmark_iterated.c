/* Newmark's trapezoidal rule, corrected until the accelerations no longer change: the implicit rule, solved by
 * fixed-point iteration, which converges while h is short against the fastest motion. */
#include <math.h>
#include "mem.h"
#include "newmark.h"
#include "stepper.h"

/* Change of velocities and states that counts as converged, relative to the largest. */
static const double CONVERGED = 1e-13;
/* A change below this that no longer falls is as good as converged: round-off, or, next to a singular position, motion off the
 * constraints, which the passes amplify and projection takes away. */
static const double STAGNANT = 1e-9;
/* m/s or rad/s: slower motion counts as this. Where nothing moves, velocities are round-off and do not converge. */
static const double REST = 1e-3;
static const int MOST_PASSES = 50;

static double largest_change(const tn_step *s, const double *v_before)
{
    double change = 0, size = REST;
    for (int k = 0; k < s->velocities + s->states; k++) {
        change = fmax(change, fabs(s->y1[s->positions + k] - v_before[k]));
        size = fmax(size, fabs(s->y1[s->positions + k]));
    }
    return change / size;
}

static int step_newmark_iterated(tn_stepper *stepper, tn_step *s)
{
    int n = tn_step_length(s);
    double *dy = s->work + n, *before = s->work + 2 * n;
    double last = INFINITY;
    tn_newmark_correct(stepper, s, s->dy0);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        for (int k = 0; k < s->velocities + s->states; k++)
            before[k] = s->y1[s->positions + k];
        TN_TRY(tn_rate(dy, stepper, s->t + s->h, s->y1));
        tn_newmark_correct(stepper, s, dy);
        double change = largest_change(s, before);
        if (change <= CONVERGED || (change >= last && last < STAGNANT))
            return TN_OK;
        last = change;
    }
    stepper->unconverged = true;
    return TN_ERROR_STEP;
}

const tn_integrator_type tn_integrator_newmark_iterated = {
    .name = "newmark-iterated",
    .doc = "Newmark trapezoidal rule iterated to convergence, order 2, fixed step.",
    .order = 2,
    .vectors = 3,
    .step = step_newmark_iterated,
};
