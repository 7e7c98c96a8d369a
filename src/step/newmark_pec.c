/* Newmark's trapezoidal rule as published by Joli, Seguy and Feng 2008 (Eq. 37 and 38, with the velocity predictor put
 * right), one evaluation a step:
 *     predict    q = q0 moved by h v0 + h^2/4 a0,   v = v0 + h/2 a0
 *     evaluate   a1 at (q, v)
 *     correct    v1 = v + h/2 a1,                   q1 = q0 moved by h/2 (v0 + v1)
 * The accelerations are those of a velocity that lags by h/2 a, and go into the next step as they are: order 1 where
 * forces depend on velocities (gyroscopic ones do), order 2 where only the constraints' own accelerations do and
 * projection takes the error away. "newmark" predicts with v0 + h a0 and is of order 2 at the same cost. On a linear
 * oscillator the rule is central differences: stable to omega h = 2, to 1.81 with damping 0.1. */
#include "newmark.h"

#include <string.h>
#include "mem.h"

static double *rate_of(const tn_step *s)
{
    return s->work + tn_step_length(s);
}

static void predict(tn_stepper *stepper, tn_step *s)
{
    const double *v0 = s->y0 + s->positions, *a0 = s->dy0 + s->positions;
    double *v = s->y1 + s->positions, *move = s->work;
    for (int k = 0; k < s->velocities; k++) {
        v[k] = v0[k] + 0.5 * s->h * a0[k];
        move[k] = s->h * (v0[k] + 0.25 * s->h * a0[k]);
    }
    for (int k = s->velocities; k < s->velocities + s->states; k++)
        v[k] = v0[k] + s->h * a0[k];
    tn_move(s->y1, stepper, s->y0, move);
}

static int step_newmark_pec(tn_stepper *stepper, tn_step *s)
{
    predict(stepper, s);
    TN_TRY(tn_rate(rate_of(s), stepper, s->t + s->h, s->y1));
    tn_newmark_correct(stepper, s, rate_of(s));
    return TN_OK;
}

static void carry(const tn_step *s, double *dy1)
{
    memcpy(dy1 + s->positions, rate_of(s) + s->positions, (size_t)s->velocities * sizeof(double));
}

const tn_integrator_type tn_integrator_newmark_pec = {
    .name = "newmark-pec",
    .doc = "Newmark predict-evaluate-correct as published by Joli et al. 2008, order 1, fixed step.",
    .order = 1,
    .vectors = 2,
    .step = step_newmark_pec,
    .carry = carry,
};
