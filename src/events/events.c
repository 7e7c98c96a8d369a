/* The events of a session: opening, arming, firing and closing. */
#include "events.h"
#include <math.h>
#include <string.h>
#include "diag.h"
#include "units.h"

/* Zeno behaviour: an event fires infinitely often in finite time. It is detected in two ways.
 * 1. ZENO_RUN intervals in a row were each shorter than the one before, and the sum of all intervals to come,
 *    extrapolated as a geometric series, is below ZENO_REST times the longest interval. From one interval to the next,
 *    the ratio of lengths may not fall below ZENO_STEADY times the last ratio; this excludes a single short interval
 *    after regular ones.
 * 2. ZENO_COUNT firings take less than ZENO_SPAN times the length of the run. */
static const int ZENO_RUN = 4;
static const double ZENO_STEADY = 0.5, ZENO_REST = 1e-4;
static const long ZENO_COUNT = 1000;
static const double ZENO_SPAN = 1e-6;
/* Largest number of rounds in which events trigger each other at one instant. */
static const int MOST_ROUNDS = 100;

/* ---- opening and arming ---- */

/* Checks that hysteresis and touch are in the unit of the expression. */
static int check_unit(const tn_session *s, const tn_event *event, const tn_watch *w)
{
    const char *is = tn_channel_formula_unit(w->when);
    if (!event->def.unit || !is[0] || strcmp(is, event->def.unit) == 0)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_MODEL, event->span,
                   "event '%s': hysteresis and touch are in '%s', 'when' is in '%s'", event->name, event->def.unit, is);
}

/* Compiles the expression of an event. again: the event waits when the model no longer has a name in the expression. */
static int bind_events(tn_session *s, size_t k, bool again)
{
    const tn_event *event = s->events->list[k];
    tn_watch *w = &s->events->watches[k];
    char name[TN_PATH_SIZE], what[TN_PATH_SIZE];
    snprintf(name, sizeof name, "%.200s.value", event->name);
    snprintf(what, sizeof what, "'when' of event '%.200s'", event->name);
    w->when = NULL;
    if (tn_event_waits(s, event))
        return TN_OK;
    tn_report_mark mark = tn_report_now(s->context);
    int code = tn_channel_formula_get(&w->when, s, &(tn_channel_text){ .name = name, .text = event->def.when.text, .from = w->from,
                                                                       .what = what, .acts = true, .span = event->def.when.span });
    if (code == TN_ERROR_MODEL && again) {
        tn_report_forget(s->context, mark);
        w->when = NULL;
        return TN_OK;
    }
    TN_TRY(code);
    w->has_rate = tn_channel_formula_has_rate(w->when);
    w->solves = tn_channel_formula_solves(w->when);
    return check_unit(s, event, w);
}

static int open_watch(tn_session *s, size_t k, bool again)
{
    const tn_event *event = s->events->list[k];
    tn_watch *w = &s->events->watches[k];
    w->away = event->def.hysteresis;
    w->at = INFINITY;
    w->swing = INFINITY;
    w->last = NAN;
    w->name = tn_unilaterals_name(s, event->name);     /* snapshots keep it */
    w->from = tn_unilaterals_name(s, tn_event_viewpoint(s, event));
    if (!w->name || !w->from)
        return TN_ERROR_MEMORY;
    again = again || !tn_path_active(s->model, event->name);       /* waits with its inactive subsystem */
    int code = bind_events(s, k, again), actions = tn_event_actions_open(s, k, again);
    return code < 0 ? code : actions;
}

/* Opens the watches of all events of the model, as at the start of a run. */
static int open_watches(tn_session *s, bool again)
{
    tn_events *events = s->events;
    int worst = TN_OK;
    events->watches = tn_arena_alloc(s->binding, events->count, sizeof *events->watches);
    if (!events->watches)
        return TN_ERROR_MEMORY;
    for (int k = 0; k <= TN_EVENT_PIECES; k++) {
        events->points[k] = tn_arena_alloc(s->binding, events->count, sizeof *events->points[k]);
        if (!events->points[k])
            return TN_ERROR_MEMORY;
    }
    events->watch_count = events->count;
    for (size_t k = 0; k < events->count; k++) {
        int code = open_watch(s, k, again);
        if (code < 0 && code != TN_ERROR_MODEL)
            return code;
        worst = code < 0 ? code : worst;
    }
    return worst;
}

double tn_watch_value(const tn_watch *w)
{
    return w->when ? tn_channel_formula_value(w->when) : NAN;
}

double tn_watch_rate(const tn_watch *w)
{
    return w->when ? tn_channel_formula_rate(w->when) : NAN;
}

static void mark_events(tn_watch *w)
{
    w->kind = w->side < 0 ? TN_FIRED_UP : TN_FIRED_DOWN;
    w->at = 1;
}

/* Evaluates the accepted state in stepper->eval, as far as the expressions need it. */
static int evaluate_accepted_state(tn_session *s)
{
    tn_stepper *st = s->stepper;
    if (tn_events_solve(s))
        return tn_session_evaluate(s);
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    return TN_OK;
}

/* Arms the events at the accepted state. An armed event whose expression has jumped to or across zero is marked when
 * jumps is true, and disarmed otherwise. */
static int arm_at_accepted_state(tn_session *s, bool jumps, bool *marked)
{
    *marked = false;
    s->events->fresh = true;
    TN_TRY(evaluate_accepted_state(s));
    for (size_t k = 0; k < s->events->count; k++) {
        tn_watch *w = &s->events->watches[k];
        w->value = tn_watch_value(w);
        bool jumped = w->side != 0 && !w->off && w->side * w->value <= 0;
        bool overloaded = s->events->list[k]->is_fuse && w->value > 0;     /* fires also without a crossing */
        if ((jumped && jumps) || overloaded) {
            mark_events(w);
            w->kind = overloaded ? TN_FIRED_UP : w->kind;
            *marked = true;
            continue;
        }
        w->side = jumped ? 0 : w->side;
        tn_watch_arm(s, w, s->events->list[k], w->value);
    }
    return TN_OK;
}

int tn_events_open(tn_session *s)
{
    bool marked;
    if (s->events->count == 0)
        return TN_OK;
    TN_TRY(open_watches(s, false));
    return arm_at_accepted_state(s, false, &marked);
}

int tn_events_check(tn_session *s)
{
    return s->events->count > 0 ? open_watches(s, false) : TN_OK;
}

/* Copies the state of a watch, without the parts that belong to the compiled model. */
static void copy_watch_state(tn_watch *to, const tn_watch *from)
{
    tn_watch bound = *to;
    *to = *from;
    to->name = bound.name;
    to->from = bound.from;
    to->when = bound.when;
    to->actions = bound.actions;
    to->has_rate = bound.has_rate;
    to->solves = bound.solves;
}

static void copy_watch_states(tn_session *s, const tn_watch *from, size_t count)
{
    for (size_t k = 0; k < s->events->count; k++)
        for (size_t j = 0; j < count; j++)
            if (strcmp(from[j].name, s->events->watches[k].name) == 0)
                copy_watch_state(&s->events->watches[k], &from[j]);
}

int tn_events_rebind(tn_session *s)
{
    tn_events before = *s->events;
    bool marked;
    if (s->events->count == 0 && s->events->watch_count == 0)
        return TN_OK;
    int code = open_watches(s, true);
    if (code < 0) {
        *s->events = before;
        return code;
    }
    copy_watch_states(s, before.watches, before.watch_count);
    return s->events->firing ? TN_OK : arm_at_accepted_state(s, false, &marked);
}

int tn_events_rearm(tn_session *s)
{
    bool marked;
    return s->events->count > 0 ? arm_at_accepted_state(s, false, &marked) : TN_OK;
}

int tn_events_take(tn_events_snapshot *out, const tn_session *s)
{
    const tn_events *events = s->events;
    *out = (tn_events_snapshot){ .count = events->count, .fired = events->fired_count, .logged = events->log_count,
                             .total = s->summary.events };
    out->watches = tn_alloc(s->context, events->count, sizeof *out->watches);
    if (!out->watches)
        return TN_ERROR_MEMORY;
    if (events->count > 0)
        memcpy(out->watches, events->watches, events->count * sizeof *out->watches);
    return TN_OK;
}

void tn_events_restore(tn_session *s, const tn_events_snapshot *snapshot)
{
    tn_events *events = s->events;
    copy_watch_states(s, snapshot->watches, snapshot->count);
    events->fired_count = snapshot->fired < events->fired_count ? snapshot->fired : events->fired_count;
    events->log_count = snapshot->logged < events->log_count ? snapshot->logged : events->log_count;
    events->fresh = true;
    s->summary.events = snapshot->total;
}

void tn_events_close(tn_session *s)
{
    tn_free(s->context, s->events->fired);
    tn_free(s->context, s->events->log);
}

int tn_events_jumped(tn_session *s)
{
    bool marked;
    return s->events->count > 0 ? arm_at_accepted_state(s, true, &marked) : TN_OK;
}

/* ---- integrators of other tools ---- */

bool tn_events_solve(const tn_session *s)
{
    for (size_t k = 0; k < s->events->count; k++)
        if (s->events->watches[k].solves)
            return true;
    return false;
}

int tn_events_follow(tn_session *s)
{
    if (s->events->count == 0)
        return TN_OK;
    TN_TRY(evaluate_accepted_state(s));
    for (size_t k = 0; k < s->events->count; k++) {
        tn_watch *w = &s->events->watches[k];
        w->value = tn_watch_value(w);
        if (!(w->side * w->value < 0))
            tn_watch_arm(s, w, s->events->list[k], w->value);
    }
    return TN_OK;
}

/* The zero of an indicator is a little beyond that of its expression, so that the event is due where a tool finds the zero. */
void tn_events_indicators(const tn_session *s, double *values)
{
    const double beyond = 1e-12, least = 1e-14;        /* share of the largest value; in SI units */
    for (size_t k = 0; k < s->events->count; k++) {
        const tn_watch *w = &s->events->watches[k];
        const double value = tn_watch_value(w);
        const bool fuse = s->events->list[k]->is_fuse;
        const bool waits = w->off || isnan(value) || (w->side == 0 && !fuse);
        values[k] = waits ? 1 : (fuse ? -value : w->side * value) + beyond * w->largest + least;
    }
}

int tn_events_find(tn_session *s, double until, double *t)
{
    tn_stepper *st = s->stepper;
    double part = INFINITY;
    *t = INFINITY;
    if (s->events->count == 0 || st->source.step || s->loads)       /* only simulations are searched */
        return TN_OK;
    TN_TRY(tn_events_search(s, fmin((until - st->step.t) / st->step.h, 1)));
    for (size_t k = 0; k < s->events->count; k++)
        part = fmin(part, s->events->watches[k].at);
    if (part <= 1)
        *t = part == 1 ? st->t : st->step.t + part * st->step.h;
    /* evaluate the motion at the accepted state again: the energy is measured there next */
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    return TN_OK;
}

void tn_events_note(tn_session *s, const double *values)
{
    for (size_t k = 0; k < s->events->count; k++)
        s->events->watches[k].reached = !(values[k] > 0);
}

int tn_events_due(tn_session *s, bool *due)
{
    *due = false;
    TN_TRY(tn_events_jumped(s));
    for (size_t k = 0; k < s->events->count; k++) {
        tn_watch *w = &s->events->watches[k];
        if (w->reached && !isfinite(w->at)) {
            mark_events(w);
            w->kind = s->events->list[k]->is_fuse ? TN_FIRED_UP : w->kind;
        }
        w->reached = false;
        if (!isfinite(w->at))
            continue;
        w->distance = fabs(w->value);                  /* it is armed again no nearer to zero */
        *due = true;
    }
    return TN_OK;
}

/* ---- firing ---- */

static int record_firing(tn_session *s, const char *name, tn_fired_kind kind)
{
    tn_events *events = s->events;
    s->summary.events++;
    if (events->fired_count == TN_EVENTS_KEPT)
        return TN_OK;
    TN_TRY(tn_grow(s->context, &events->fired, &events->fired_capacity, events->fired_count + 1, sizeof(tn_fired)));
    events->fired[events->fired_count++] = (tn_fired){ s->stepper->t, name, kind };
    return TN_OK;
}

/* Records that the event fires now; does it show Zeno behaviour? */
static bool is_zeno(tn_watch *w, double t, double until)
{
    double interval = t - w->last;                     /* NaN the first time */
    double ratio = interval / w->interval;
    double rest = interval * interval / (w->interval - interval);  /* of a geometric series */
    bool goes_on = ratio < 1 && ratio >= ZENO_STEADY * w->ratio;
    w->shrinking = goes_on ? w->shrinking + 1 : 0;
    w->longest = goes_on ? fmax(w->longest, w->interval) : interval;
    w->interval = interval;
    w->ratio = ratio;
    if (w->window++ % ZENO_COUNT == 0) {
        bool crowded = w->window > 1 && t - w->window_start < ZENO_SPAN * until;
        w->window_start = t;
        if (crowded)
            return true;
    }
    return w->shrinking >= ZENO_RUN && rest < ZENO_REST * w->longest;
}

static int end_zeno(tn_session *s, size_t k)
{
    const tn_event *event = s->events->list[k];
    tn_watch *w = &s->events->watches[k];
    char text[240];
    snprintf(text, sizeof text, "fires without end at t = %.9g s: %ld times so far, the last two %.3g s apart",
             s->stepper->t, w->count, w->interval);
    if (event->def.zeno == TN_ZENO_FAIL)
        return tn_fail(s->context, TN_ERROR_STEP, event->span,
                       "event '%s' %s; the state is kept; 'zeno' of the event says what else to do", event->name, text);
    w->off = w->off || event->def.zeno == TN_ZENO_OFF;
    if (event->def.zeno == TN_ZENO_STOP)
        s->summary.stopped_by = w->name;
    return tn_event_log(s, k, text);
}

static int fire_events(tn_session *s, size_t k)
{
    const tn_event *event = s->events->list[k];
    tn_watch *w = &s->events->watches[k];
    bool zeno = is_zeno(w, s->stepper->t, s->solve.until);
    w->at = INFINITY;
    w->side = 0;
    w->away = fmax(event->def.hysteresis, 2 * w->distance);
    w->distance = 0;
    w->off = event->def.once;
    w->count++;
    w->last = s->stepper->t;
    TN_TRY(record_firing(s, w->name, w->kind));
    if (zeno)
        TN_TRY(end_zeno(s, k));
    return tn_event_actions_run(s, k);
}

static int fire_marked(tn_session *s)
{
    for (size_t k = 0; k < s->events->count; k++)
        if (isfinite(s->events->watches[k].at))
            TN_TRY(fire_events(s, k));
    return TN_OK;
}

static int endless_rounds(const tn_session *s)
{
    size_t k = 0;
    while (!isfinite(s->events->watches[k].at))
        k++;
    return tn_fail(s->context, TN_ERROR_STEP, s->events->list[k]->span,
                   "event '%s' and others set each other off without end at t = %.9g s; the state is kept",
                   s->events->list[k]->name, s->stepper->t);
}

static int fire_rounds(tn_session *s)
{
    bool marked = false;
    for (size_t k = 0; k < s->events->count; k++)
        marked = marked || isfinite(s->events->watches[k].at);
    for (int round = 0; marked; round++) {
        if (round == MOST_ROUNDS)
            return endless_rounds(s);
        TN_TRY(fire_marked(s));
        TN_TRY(arm_at_accepted_state(s, true, &marked));
    }
    return s->summary.stopped_by ? TN_NEWS_STOPPED : TN_OK;
}

int tn_events_fire(tn_session *s)
{
    s->events->firing = true;
    int code = fire_rounds(s);
    s->events->firing = false;
    tn_binding_release(s);
    return code;
}

/* ---- reading the events ---- */

size_t tn_session_fired_count(const tn_session *s)
{
    return s->events->fired_count;
}

tn_fired tn_session_fired(const tn_session *s, size_t index)
{
    return index < s->events->fired_count ? s->events->fired[index] : (tn_fired){ .time = NAN, .event = "" };
}

size_t tn_session_log_count(const tn_session *s)
{
    return s->events->log_count;
}

tn_log_entry tn_session_log_entry(const tn_session *s, size_t index)
{
    return index < s->events->log_count ? s->events->log[index] : (tn_log_entry){ .time = NAN, .event = "", .text = "" };
}
