/* Interpolates states within the last step. */
#include "passage.h"
#include "stepper.h"

/* The cubic polynomial through both ends and their rates. */
static void hermite(const tn_step *s, double x, double *y)
{
    double a = (1 + 2 * x) * (1 - x) * (1 - x), b = x * x * (3 - 2 * x);
    double c = s->h * x * (1 - x) * (1 - x), d = -s->h * x * x * (1 - x);
    for (int k = 0; k < tn_step_length(s); k++)
        y[k] = a * s->y0[k] + b * s->y1[k] + c * s->dy0[k] + d * s->dy1[k];
}

int tn_stepper_dense(tn_stepper *st, double theta, double *y)
{
    if (st->source.state_at)
        return st->source.state_at(st->source.user, st->step.t + theta * st->step.h, y);
    st->rule = TN_RANK_KEEP;
    if (st->crosses) {
        tn_passage_interpolate(st, theta, y);
        return TN_OK;
    }
    if (!st->integrator->interpolate || st->scheme->step) {
        hermite(&st->step, theta, y);
        return TN_OK;
    }
    if (st->integrator->prepare && !st->prepared)
        TN_TRY(st->integrator->prepare(st, &st->step));
    st->prepared = true;
    st->integrator->interpolate(&st->step, theta, y);
    return TN_OK;
}

int tn_stepper_interpolate(tn_stepper *st, double t, double *y)
{
    bool left;
    TN_TRY(tn_stepper_dense(st, (t - st->step.t) / st->step.h, y));
    if (st->source.state_at)
        return TN_OK;
    return st->crosses ? tn_passage_close(st, t, y, &left) : tn_stepper_finish(st, t, y);
}
