/* Samples of the recorded channels, and the state they are taken at. */
#include <math.h>
#include "diag.h"
#include "session_impl.h"

int tn_session_evaluate_at(tn_session *s, double t, const double *y)
{
    s->stepper->rule = TN_RANK_KEEP;
    s->stepper->with_lambda = true;
    int code = tn_stepper_evaluate(s->stepper, t, y);
    s->stepper->with_lambda = false;
    const tn_eval *e = s->stepper->eval;
    if (code != TN_ERROR_STEP)
        return code;
    return tn_fail(s->context, code, e->failed ? e->failed_span : s->model->solve_span,
                   "no accelerations at t = %.9g s: %s", t,
                   e->failed ? e->trouble : "the equations of motion have no finite solution");
}

int tn_session_evaluate(tn_session *s)
{
    if (!s->eval_current)
        TN_TRY(tn_session_evaluate_at(s, s->stepper->t, s->stepper->y));
    s->eval_current = true;
    return TN_OK;
}

static int write_sample(tn_session *s)
{
    if (s->silent)
        return TN_OK;
    for (size_t k = 0; k < s->recorded.count; k++)
        s->values[k] = tn_probe_value(s, &s->recorded.items[k]);
    if (s->on_sample) {
        s->sampled = tn_eval_positions(s->stepper->eval, s->system);
        s->on_sample(s->sample_user, s->values, s->recorded.count);
        s->sampled = NULL;
    }
    tn_reference_compare(s, s->stepper->eval->t);
    return tn_record_row(s);
}

/* The sample at time t, which lies within the last step or at its end. */
static int sample_at(tn_session *s, double t)
{
    tn_stepper *st = s->stepper;
    if (st->step.h == 0 || fabs(t - st->t) <= TN_SAME_STEP * st->step.h) {
        TN_TRY(tn_session_evaluate(s));
    } else {
        TN_TRY(tn_stepper_interpolate(st, t, s->stepper->stage));
        TN_TRY(tn_session_evaluate_at(s, t, s->stepper->stage));
        s->eval_current = false;
    }
    st->eval->t = t;                                   /* without the round-off of summed steps */
    return write_sample(s);
}

int tn_samples_take_until(tn_session *s, double until)
{
    while (s->solve.record > 0) {
        double t = (double)s->next_sample * s->solve.record;
        if (t > until + TN_SAME_STEP * s->stepper->step.h)
            return TN_OK;
        s->next_sample++;
        TN_TRY(sample_at(s, t));
    }
    return TN_OK;
}

int tn_samples_take(tn_session *s)
{
    if (s->solve.record > 0)
        return tn_samples_take_until(s, s->stepper->t);
    TN_TRY(tn_session_evaluate(s));
    s->next_sample++;
    return write_sample(s);
}
