/* Taking samples of the recorded channels. */
#include <math.h>
#include <string.h>
#include "channels.h"
#include "diag.h"
#include "multiple.h"

/* The span of the expression that a channel stands for. */
static tn_span output_span(const tn_session *s, const char *channel)
{
    for (size_t k = 0; k < s->model->output_count; k++)
        if (strcmp(s->model->outputs[k].channel, channel) == 0)
            return s->model->outputs[k].span;
    return TN_NOWHERE;
}

/* Counts values that are not finite, and warns once for each channel. Expressions may divide by zero or take the root
 * of a negative number. */
static void tell_not_finite(tn_session *s, size_t k)
{
    const tn_probe *probe = &s->channels->recorded.items[k];
    if (!probe->formula || isfinite(s->channels->values[k]))
        return;
    s->summary.not_finite++;
    if (s->channels->told[k])
        return;
    s->channels->told[k] = true;
    tn_warn(s->context, output_span(s, probe->name), "output '%s' is %s at t = %.9g s", probe->name,
            isnan(s->channels->values[k]) ? "not a number" : "infinite", s->stepper->eval->t);
}

/* The value of a recorded channel. There is one NaN: processors make one with a sign, which would be written as "-nan". */
static double recorded_value(tn_session *s, size_t k)
{
    const double x = tn_probe_value(s, &s->channels->recorded.items[k]);
    return isnan(x) ? (double)NAN : x;
}

static int write_sample(tn_session *s)
{
    if (s->silent)
        return TN_OK;
    for (size_t k = 0; k < s->channels->recorded.count; k++)
        s->channels->values[k] = recorded_value(s, k);
    for (size_t k = 0; k < s->channels->recorded.count; k++)
        tell_not_finite(s, k);
    if (s->channels->on_sample) {
        s->channels->sampled = tn_eval_positions(s->stepper->eval, s->system);
        s->channels->on_sample(s->channels->sample_user, s->channels->values, s->channels->recorded.count);
        s->channels->sampled = NULL;
    }
    tn_reference_compare(s, s->stepper->eval->t);
    return tn_record_row(s);
}

/* Evaluates the state at time t, which lies within the last step or at its end. */
static int evaluate_sample(tn_session *s, double t)
{
    tn_stepper *st = s->stepper;
    if (st->step.h == 0 || fabs(t - st->t) <= TN_SAME_STEP * st->step.h) {
        st->eval->latest = INFINITY;                   /* behind a jump at that instant */
        TN_TRY(tn_session_evaluate(s));
    } else {
        TN_TRY(tn_stepper_interpolate(st, t, s->stepper->stage));
        TN_TRY(tn_session_evaluate_at(s, t, s->stepper->stage));
        TN_TRY(tn_laws_share(s, t, s->stepper->stage));
        s->eval_current = false;
    }
    st->eval->t = t;                                   /* without the round-off of summed steps */
    return TN_OK;
}

static int sample_at(tn_session *s, double t)
{
    TN_TRY(evaluate_sample(s, t));
    return write_sample(s);
}

/* Compares the rows of the reference table that lie in the last step, before time t and between samples. */
static int compare_before(tn_session *s, double t)
{
    const tn_stepper *st = s->stepper;
    while (!s->silent && tn_reference_is_due(s, t)) {
        double row = tn_reference_next(s);
        if (!(st->step.h > 0 && row >= st->step.t)) {
            tn_reference_skip(s);
            continue;
        }
        TN_TRY(evaluate_sample(s, row));
        tn_reference_compare(s, row);
    }
    return TN_OK;
}

int tn_samples_take_until(tn_session *s, double until)
{
    while (s->solve.record > 0) {
        double t = tn_multiple((double)s->next_sample, s->solve.record);
        TN_TRY(compare_before(s, fmin(t, until)));
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
    TN_TRY(compare_before(s, s->stepper->t));
    TN_TRY(tn_session_evaluate(s));
    s->next_sample++;
    return write_sample(s);
}

long tn_session_sample_after(const tn_session *s, double record)
{
    return record > 0 ? (long)floor(s->stepper->t / record * (1 + TN_SAME_STEP)) + 1 : 1;
}
