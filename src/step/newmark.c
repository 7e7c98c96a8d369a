/* Integrator "newmark": Newmark's trapezoidal rule (beta = 1/4, gamma = 1/2), one pass: predict with the old
 * accelerations, evaluate, correct.
 *     v1 = v0 + h/2 (a0 + a1),   q1 = q0 moved by h/2 (v0 + v1),   z1 = z0 + h/2 (z0' + z1')
 * The iterated form uses the same corrector. */
#include "newmark.h"

#include <string.h>
#include "mem.h"

void tn_newmark_correct(tn_stepper *stepper, tn_step *s, const double *dy1)
{
    const double *v0 = s->y0 + s->positions, *a0 = s->dy0 + s->positions, *a1 = dy1 + s->positions;
    double *v1 = s->y1 + s->positions, *move = s->work;
    for (int k = 0; k < s->velocities + s->states; k++)
        v1[k] = v0[k] + 0.5 * s->h * (a0[k] + a1[k]);
    for (int k = 0; k < s->velocities; k++)
        move[k] = 0.5 * s->h * (v0[k] + v1[k]);
    tn_move(s->y1, stepper, s->y0, move);
}

int tn_newmark_step(tn_stepper *stepper, tn_step *s, double *predicted)
{
    int n = tn_step_length(s);
    double *dy = s->work + n;
    tn_newmark_correct(stepper, s, s->dy0);
    if (predicted)
        memcpy(predicted, s->y1, (size_t)n * sizeof(double));
    TN_TRY(tn_rate(dy, stepper, s->t + s->h, s->y1));
    tn_newmark_correct(stepper, s, dy);
    return TN_OK;
}

static int step_newmark(tn_stepper *stepper, tn_step *s)
{
    return tn_newmark_step(stepper, s, NULL);
}

const tn_integrator_type tn_integrator_newmark = {
    .name = "newmark",
    .doc = "Newmark trapezoidal predictor-corrector, one pass, order 2, fixed step.",
    .order = 2,
    .vectors = 2,
    .step = step_newmark,
};
