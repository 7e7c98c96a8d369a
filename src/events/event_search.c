/* Event location: finds the times in the last step at which events fire.
 *
 * The step is divided into pieces. The expression g and its rate g' are evaluated on the projected dense output at the
 * ends of the pieces. In a piece where |g| falls at the left end and rises at the right end, |g| has a minimum at the
 * zero of g'. The value there distinguishes a touch (double root), a pair of roots, and no root. Any other piece with a
 * change of sign has a root. Rates are exact where the expression depends on positions and time only; otherwise they
 * are differences on the dense output. All zeros are bracketed. */
#include <float.h>
#include <math.h>
#include "events.h"
#include "zero.h"

/* Fractions of a step: accuracy of located zeros; distance below which two events are simultaneous; increment of
 * differences, at which truncation errors (third derivatives) and round-off errors are about equal. */
static const double LOCATED = 1e-13, SAME_INSTANT = 1e-10, DIFFERENCE = 1e-4;
/* A value counts as round-off below the largest of: NOISE times the largest value, ROUND_OFF in SI units, and DRIFTS
 * times the drift of the joints, by which a frame that joints hold seems to move. */
static const double NOISE = 1e-13, ROUND_OFF = 1e-14, DRIFTS = 4;
/* A turning point nearer to zero than this counts as a touch. Unit: the integrator's tolerance times the largest value;
 * the bound covers the local errors of a few steps. */
static const double HAIRLINE = 10;

/* The step is not searched when all expressions are farther from zero than this many times their change. */
static const double FAR = 4;

/* Evaluates the state at a fraction of the last step in stepper->eval. */
static int evaluate_at(tn_session *s, double part, bool solve)
{
    tn_stepper *st = s->stepper;
    double t = part == 1 ? st->t : st->step.t + part * st->step.h;
    const double *y = st->y;
    s->eval_current = false;
    if (part != 1) {
        TN_TRY(tn_stepper_interpolate(st, t, st->stage));
        y = st->stage;
    }
    if (solve)
        return tn_session_evaluate_at(s, t, y);
    tn_eval_motion(st->eval, s->system, t, y, y + s->system->positions);
    return TN_OK;
}

static int value_at(tn_session *s, const tn_watch *w, double part, double *value)
{
    TN_TRY(evaluate_at(s, part, w->solves));
    *value = tn_watch_value(w);
    return TN_OK;
}

static int rate_at(tn_session *s, const tn_watch *w, double part, double *rate)
{
    double before, after;
    if (w->has_rate) {
        TN_TRY(evaluate_at(s, part, w->solves));
        *rate = tn_watch_rate(w);
        return TN_OK;
    }
    TN_TRY(value_at(s, w, part - DIFFERENCE, &before));
    TN_TRY(value_at(s, w, part + DIFFERENCE, &after));
    *rate = (after - before) / (2 * DIFFERENCE * s->stepper->step.h);
    return TN_OK;
}

/* ---- points ---- */

/* Computes the rates of all expressions without an exact rate by differences. */
static int take_differences(tn_session *s, double part, tn_event_point *points)
{
    tn_events *events = s->events;
    bool needed = false, solve = false;
    for (size_t k = 0; k < events->count; k++) {
        const tn_watch *w = &events->watches[k];
        needed = needed || (!w->has_rate && !w->off);
        solve = solve || (!w->has_rate && !w->off && w->solves);
    }
    for (int way = -1; way <= 1 && needed; way += 2) {
        TN_TRY(evaluate_at(s, part + way * DIFFERENCE, solve));
        for (size_t k = 0; k < events->count; k++)
            if (!events->watches[k].has_rate && !events->watches[k].off)
                points[k].rate += way * tn_watch_value(&events->watches[k]) /
                                  (2 * DIFFERENCE * s->stepper->step.h);
    }
    return TN_OK;
}

static int take_point(tn_session *s, double part, tn_event_point *points)
{
    tn_events *events = s->events;
    bool solve = false;
    for (size_t k = 0; k < events->count; k++)
        solve = solve || (events->watches[k].solves && !events->watches[k].off);
    TN_TRY(evaluate_at(s, part, solve));
    for (size_t k = 0; k < events->count; k++) {
        tn_watch *w = &events->watches[k];
        if (w->off)
            continue;
        points[k].value = tn_watch_value(w);
        points[k].rate = w->has_rate ? tn_watch_rate(w) : 0;
    }
    return take_differences(s, part, points);
}

static double piece_end(int k)
{
    return (double)k / TN_EVENT_PIECES;
}

/* Finds the fastest change of each expression from its points. */
static void measure_swing(tn_session *s)
{
    for (size_t k = 0; k < s->events->count; k++) {
        double fastest = 0;
        for (int i = 0; i < TN_EVENT_PIECES; i++)
            fastest = fmax(fastest, fabs(s->events->points[i + 1][k].value - s->events->points[i][k].value));
        s->events->watches[k].swing = fastest * TN_EVENT_PIECES / s->stepper->step.h;
    }
}

static int take_points(tn_session *s)
{
    tn_events *events = s->events;
    if (events->fresh) {
        TN_TRY(take_point(s, 0, events->points[0]));
    } else {                                           /* this step starts where the last one ended */
        tn_event_point *last = events->points[TN_EVENT_PIECES];
        events->points[TN_EVENT_PIECES] = events->points[0];
        events->points[0] = last;
    }
    events->fresh = false;
    for (int k = 1; k <= TN_EVENT_PIECES; k++)
        TN_TRY(take_point(s, piece_end(k), events->points[k]));
    measure_swing(s);
    return TN_OK;
}

/* Is the expression so far from zero, compared with its change, that it cannot have reached zero in the step? */
static bool stays_far(const tn_watch *w, double end, double end_rate, double h)
{
    double change = fmax(fabs(end - w->value), h * fmax(w->swing, fabs(end_rate)));
    if (isnan(end) && isnan(w->value))
        return true;
    return end * w->value > 0 && fmin(fabs(end), fabs(w->value)) > FAR * change;
}

/* Decides whether an expression may have reached zero in the step. Only such steps are searched, because a search costs
 * as much as the step. */
static int decide_search(tn_session *s, bool *needed)
{
    tn_events *events = s->events;
    bool solve = false;
    *needed = false;
    for (size_t k = 0; k < events->count; k++)
        solve = solve || (events->watches[k].solves && !events->watches[k].off);
    TN_TRY(evaluate_at(s, 1, solve));
    for (size_t k = 0; k < events->count; k++) {
        tn_watch *w = &events->watches[k];
        if (w->off)
            continue;
        double end = tn_watch_value(w), rate = w->has_rate ? tn_watch_rate(w) : 0;
        *needed = *needed || !stays_far(w, end, rate, s->stepper->step.h);
        w->value = end;
    }
    return TN_OK;
}

/* ---- zeros ---- */

/* The function whose zero is located: the value or the rate of an expression, times factor. */
typedef struct function {
    tn_session *session;
    const tn_watch *watch;
    int (*at)(tn_session *session, const tn_watch *watch, double part, double *out);
    double factor;
} function;

static int function_at(void *user, double part, double *out)
{
    const function *f = user;
    TN_TRY(f->at(f->session, f->watch, part, out));
    *out *= f->factor;
    return TN_OK;
}

static int locate(double *zero, const function *f, double a, double b, double ya, double yb)
{
    const tn_step *step = &f->session->stepper->step;
    double width = fmax(LOCATED, 4 * DBL_EPSILON * fabs(step->t) / step->h);
    return tn_zero_find(zero, function_at, (void *)(uintptr_t)f, a, b, ya, yb, width);
}

/* ---- events ---- */

static double hairline(const tn_session *s, const tn_watch *w)
{
    return fmax(HAIRLINE * s->solve.tolerance, NOISE) * w->largest;
}

static void mark_event_search(tn_watch *w, double part, tn_fired_kind kind, double distance)
{
    w->at = part;
    w->kind = kind;
    w->distance = distance;
}

/* Locates and marks the zero of an expression that is on the armed side at a and no longer at b. */
static int mark_crossing(tn_session *s, tn_watch *w, int side, double a, double b, double ya, double yb)
{
    double zero;
    TN_TRY(locate(&zero, &(function){ s, w, value_at, side }, a, b, ya, yb));
    mark_event_search(w, zero, side < 0 ? TN_FIRED_UP : TN_FIRED_DOWN, 0);
    return TN_OK;
}

/* Locates the turning point between a and b. Marks a crossing if it is beyond zero, and a touch if it is at zero. */
static int mark_turn(tn_session *s, tn_watch *w, const tn_event *event, int side, double a, double b,
                     const tn_event_point *pa, const tn_event_point *pb)
{
    double turn, value, near = hairline(s, w);
    TN_TRY(locate(&turn, &(function){ s, w, rate_at, -side }, a, b, -side * pa->rate, -side * pb->rate));
    TN_TRY(value_at(s, w, turn, &value));
    if (side * value < -near)
        return mark_crossing(s, w, side, a, turn, side * pa->value, side * value);
    if (side * value <= (isnan(event->def.touch) ? near : event->def.touch))
        mark_event_search(w, turn, TN_FIRED_TOUCH, fabs(value));
    return TN_OK;
}

static double noise(const tn_session *s, const tn_watch *w)
{
    double drift = fmax(s->summary.max_drift, s->stepper->drift);
    return fmax(NOISE * w->largest, fmax(ROUND_OFF, DRIFTS * drift));
}

void tn_watch_arm(const tn_session *s, tn_watch *w, const tn_event *event, double value)
{
    int side = value > 0 ? 1 : -1;
    bool wrong_side = event->def.crosses == (side > 0 ? TN_CROSSES_UP : TN_CROSSES_DOWN);
    if (isfinite(value))
        w->largest = fmax(w->largest, fabs(value));
    if (isnan(value))
        w->side = 0;
    else if (fabs(value) > fmax(w->away, noise(s, w)))
        w->side = wrong_side ? 0 : side;
}

/* For an event that is not armed at a: arms it at the turning point before b, if the value there is large enough, and
 * marks the crossing on the way back to zero. */
static int mark_excursion(tn_session *s, tn_watch *w, const tn_event *event, double a, double b,
                          const tn_event_point *pa, const tn_event_point *pb)
{
    double turn, value;
    int way = pa->rate > 0 ? 1 : -1;
    TN_TRY(locate(&turn, &(function){ s, w, rate_at, way }, a, b, way * pa->rate, way * pb->rate));
    TN_TRY(value_at(s, w, turn, &value));
    tn_watch_arm(s, w, event, value);
    if (w->side == 0 || w->side * pb->value > 0)
        return TN_OK;
    return mark_crossing(s, w, w->side, turn, b, w->side * value, w->side * pb->value);
}

/* Finds the first zero of one event in the step. */
static int search_event(tn_session *s, size_t event)
{
    tn_watch w = s->events->watches[event];             /* a copy: the search arms it */
    const tn_event *e = s->events->list[event];
    w.at = INFINITY;
    for (int k = 0; k < TN_EVENT_PIECES && isinf(w.at) && !w.off; k++) {
        const tn_event_point *pa = &s->events->points[k][event], *pb = &s->events->points[k + 1][event];
        double a = piece_end(k), b = piece_end(k + 1);
        tn_watch_arm(s, &w, e, pa->value);
        int side = w.side;
        if (side == 0 && pa->rate * pb->rate < 0)
            TN_TRY(mark_excursion(s, &w, e, a, b, pa, pb));
        else if (side * pa->rate < 0 && side * pb->rate >= 0)
            TN_TRY(mark_turn(s, &w, e, side, a, b, pa, pb));
        else if (side != 0 && side * pb->value <= 0)
            TN_TRY(mark_crossing(s, &w, side, a, b, side * pa->value, side * pb->value));
    }
    mark_event_search(&s->events->watches[event], w.at, w.kind, w.distance);
    return TN_OK;
}

/* Arms the events by their values at the points before the first event. */
static void arm_until(tn_session *s, double part)
{
    for (size_t i = 0; i < s->events->count; i++) {
        tn_watch *w = &s->events->watches[i];
        for (int k = 0; k <= TN_EVENT_PIECES && piece_end(k) < part && !w->off; k++)
            tn_watch_arm(s, w, s->events->list[i], s->events->points[k][i].value);
    }
}

/* Arms the events after a step that was not searched. */
static void arm_at_end(tn_session *s)
{
    for (size_t k = 0; k < s->events->count; k++) {
        tn_watch *w = &s->events->watches[k];
        tn_watch_arm(s, w, s->events->list[k], w->value);
    }
    s->events->fresh = true;
}

int tn_events_search(tn_session *s, double until)
{
    double first = until + SAME_INSTANT;
    bool needed;
    TN_TRY(decide_search(s, &needed));
    if (!needed) {
        arm_at_end(s);
        return TN_OK;
    }
    TN_TRY(take_points(s));
    for (size_t k = 0; k < s->events->count; k++) {
        TN_TRY(search_event(s, k));
        first = fmin(first, s->events->watches[k].at);
    }
    arm_until(s, first);
    for (size_t k = 0; k < s->events->count; k++)
        if (s->events->watches[k].at > fmin(first, until) + SAME_INSTANT)
            s->events->watches[k].at = INFINITY;
    return TN_OK;
}
