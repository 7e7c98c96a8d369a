/* How long time steps of contacts are, and where they end. */
#include "time_lengths.h"

#include <math.h>
#include "multiple.h"

/* s: length of a step where the method helps out; where the model asks for it; longest step of large heaps. */
static const double SHORT_STEP = 1e-4, CHOSEN_STEP = 1e-3, HEAP_STEP = 4e-3;
/* Share of the smallest shape that bodies move in a step of a large heap, at the speeds at its start. */
static const double WAY = 0.2;

bool tn_time_is_held_long(const tn_session *s)
{
    return s->unilaterals->pause >= TN_LONGEST_PAUSE;
}

static bool is_large(const tn_session *s)
{
    return s->unilaterals->count > (tn_time_is_held_long(s) ? TN_LARGE_HEAP / 2 : TN_LARGE_HEAP);
}

bool tn_time_is_coarse(const tn_session *s)
{
    return s->solve.contact == TN_CONTACT_TIME_STEPPING || is_large(s);
}

static double next_sample(const tn_session *s)
{
    return s->solve.record > 0 ? tn_multiple((double)s->next_sample, s->solve.record) : INFINITY;
}

/* Returns the length of a step where the model has not chosen one. In large heaps it is as long as bodies take to move by WAY of the
 * smallest shape, within bounds. */
static double coarse_step(const tn_session *s)
{
    if (!is_large(s) || !s->unilaterals->near.touches)
        return CHOSEN_STEP;
    double way = WAY * tn_touches_length(s->unilaterals->near.touches);
    return fmax(CHOSEN_STEP, fmin(HEAP_STEP, way / tn_touches_speed(s)));
}

/* Steps end at sample times, because there is no dense output. */
double tn_time_length(const tn_session *s, double t_end)
{
    double given = s->solve.contact_step, t = s->stepper->t;
    double step = !isnan(given) ? given : tn_time_is_coarse(s) ? coarse_step(s) : SHORT_STEP;
    double h = fmin(step, t_end - t);
    double sample = next_sample(s) - t;
    return sample > TN_SAME_STEP * h ? fmin(h, sample) : h;
}

double tn_time_end(const tn_session *s, double h)
{
    double end = tn_stepper_end(s->stepper, h), sample = next_sample(s);
    return fabs(end - sample) <= TN_SAME_STEP * h ? sample : end;
}
