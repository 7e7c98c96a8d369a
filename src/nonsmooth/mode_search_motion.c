/* Gives the motion that is searched for mode changes (mode_search.h). */
#include "mode_search.h"

double tn_search_begin(const tn_session *s)
{
    return s->unilaterals->line.y ? s->stepper->t : s->stepper->step.t;
}

double tn_search_length(const tn_session *s)
{
    return s->unilaterals->line.y ? s->unilaterals->line.t - s->stepper->t : s->stepper->step.h;
}

static double time_at(const tn_session *s, double part)
{
    const double end = s->unilaterals->line.y ? s->unilaterals->line.t : s->stepper->t;
    return part == 1 ? end : tn_search_begin(s) + part * tn_search_length(s);
}

/* Gives the state at a part of the step; *y may be that of stepper->stage. */
static int state_at(tn_session *s, double part, const double **y)
{
    tn_stepper *st = s->stepper;
    const double *end = s->unilaterals->line.y ? s->unilaterals->line.y : st->y;
    *y = part == 1 ? end : st->stage;
    if (part == 1)
        return TN_OK;
    if (!s->unilaterals->line.y)
        return tn_stepper_interpolate(st, time_at(s, part), st->stage);
    for (int k = 0; k < s->system->size; k++)
        st->stage[k] = st->y[k] + part * (end[k] - st->y[k]);
    tn_position_normalize(s->system, st->stage);
    return TN_OK;
}

int tn_search_look(tn_session *s, double part, bool solve, const double **y)
{
    tn_stepper *st = s->stepper;
    const double t = time_at(s, part);
    s->eval_current = false;
    TN_TRY(state_at(s, part, y));
    if (solve)
        return tn_session_evaluate_at(s, t, *y);
    tn_eval_motion(st->eval, s->system, t, *y, *y + s->system->positions);
    return TN_OK;
}
