/* Scheme "taylor1": the predictor of Welch et al. 2007 alone, order 1. */
#include "taylor.h"

enum { V0, DV, VECTORS };

static int step_taylor1(tn_stepper *st, tn_step *s)
{
    int n = tn_step_length(s);
    double *v0 = s->work + V0 * n, *dv = s->work + DV * n, *v1 = s->y1 + s->positions;
    TN_TRY(tn_predict(st, s, v0, dv, s->y1));
    for (int i = 0; i < st->system->rows; i++)
        st->multipliers[i] /= s->h;
    for (int k = 0; k < s->velocities + s->states; k++)
        v1[k] = v0[k] + dv[k];
    tn_eval_motion(st->eval, st->system, s->t + s->h, s->y1, NULL);
    tn_world_axes(st, v1, v1);
    return TN_OK;
}

const tn_scheme_type tn_scheme_taylor1 = {
    .name = "taylor1",
    .doc = "Parameter-free, order 1: velocities that close the joints within the step; brings its own fixed step.",
    .step = step_taylor1,
    .order = 1,
    .vectors = VECTORS,
};
