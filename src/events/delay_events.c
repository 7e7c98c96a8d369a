/* Adds the steps of a run to the histories of signals that delays read. */
#include "network_events.h"

#include <math.h>
#include "diag.h"
#include "delay.h"

/* A step is halved, at most so often, until the polynomial through its points misses less than this part of the largest value. */
enum { MOST_HALVINGS = 4 };
static const double RESOLVED = 1e-12;
/* Of the tolerance: what one polynomial in place of two may miss, where the past takes more room than there is. */
static const double MERGED = 0.01;

/* Values of the signal at the points of a part of the step. */
static int sample_step(tn_session *s, const tn_delay *p, double begin, double end, double values[TN_DELAY_POINTS])
{
    tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    for (int k = 0; k < TN_DELAY_POINTS; k++) {
        const double t = tn_delay_point(k, begin, end);
        const double *y = st->y;
        if (t < st->t) {
            TN_TRY(tn_stepper_interpolate(st, t, st->stage));
            y = st->stage;
        }
        st->eval->failed = NULL;
        tn_eval_motion(st->eval, sys, t, y, y + sys->positions);
        tn_formula_evaluate(p->formula, st->eval, st->memory, NULL, 0);
        values[k] = tn_formula_value(p->formula, st->eval, 0, 0);
    }
    return TN_OK;
}

/* Whether the last two Chebyshev coefficients are small. */
static bool is_resolved(const double values[TN_DELAY_POINTS])
{
    enum { LAST = TN_DELAY_POINTS - 1 };
    double last = 0, before = 0, largest = 0;
    for (int k = 0; k <= LAST; k++) {
        const double weight = (k == 0 || k == LAST ? 0.5 : 1) / LAST, sign = k % 2 ? -1 : 1;
        last += weight * sign * values[k];
        before += 2 * weight * sign * cos(k * acos(-1.0) / LAST) * values[k];
        largest = fmax(largest, fabs(values[k]));
    }
    return !(fmax(fabs(last), fabs(before)) > RESOLVED * largest);
}

static int record_part(tn_session *s, const tn_delay *p, double begin, double end, int depth)
{
    double values[TN_DELAY_POINTS];
    tn_stepper *st = s->stepper;
    const double middle = begin + 0.5 * (end - begin);
    TN_TRY(sample_step(s, p, begin, end, values));
    if (!is_resolved(values) && depth < MOST_HALVINGS && middle > begin && middle < end) {
        TN_TRY(record_part(s, p, begin, middle, depth + 1));
        return record_part(s, p, middle, end, depth + 1);
    }
    if (tn_delay_add(p, begin, end, begin > st->step.t, fmax(RESOLVED, MERGED * s->solve.tolerance), values, st->memory))
        return TN_OK;
    const tn_entity *entity = &s->model->forces[p->source].entity;
    return tn_fail(s->context, TN_ERROR_STEP, entity->span, "device '%s' keeps %d pieces of the past, and more were needed within its "
                   "delay, at t = %.9g s: raise its 'steps'", entity->name, p->capacity, st->t);
}

int tn_delays_record(tn_session *s, double end)
{
    const tn_network *n = s->system->network;
    if (!n || n->delay_count == 0)
        return TN_OK;
    s->eval_current = false;
    for (int k = 0; k < n->delay_count; k++)
        TN_TRY(record_part(s, &n->delays[k], s->stepper->step.t, end, 0));
    return TN_OK;
}

void tn_delays_jumped(tn_session *s)
{
    const tn_network *n = s->system->network;
    for (int k = 0; n && k < n->delay_count; k++)
        tn_delay_break(&n->delays[k], s->stepper->memory);
}
