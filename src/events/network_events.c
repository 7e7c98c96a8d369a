/* Locates the instants of the network of devices; network_act.c carries them out.
 *
 * Within a step all kinks keep their branches. At the end of the step each kink is compared with its branch; where one is on
 * the wrong side, the zero is located on the dense output, the step is taken again up to there, and the branch changes. A
 * switch of modes is located in the same way. Samples are at offset + k period, by one multiplication: a step ends there. */
#include "network_events_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "diag.h"
#include "external.h"
#include "holds.h"
#include "hybrid.h"
#include "delay.h"
#include "zero.h"

/* Fractions of a step: accuracy of located zeros; where the search begins when a kink is at its zero at the start. */
static const double LOCATED = 1e-14, JUST_AFTER = 1e-7;
/* Points of a step at which kinks are compared with their branches. */
enum { PIECES = 4 };

int tn_network_events_get(tn_network_events **out, tn_session *s)
{
    const int count = tn_hybrid_of(s)->kink_count;
    if (s->network_events && s->network_kinks == count) {
        *out = s->network_events;
        return TN_OK;
    }
    const size_t n = (size_t)count;
    tn_network_events *w = tn_arena_alloc(s->arena, 1, sizeof *w);
    double *values = tn_arena_alloc(s->arena, 6 * n, sizeof *values);
    int *kinks = tn_arena_alloc(s->arena, 4 * n, sizeof *kinks);
    if (!w || !values || !kinks)
        return TN_ERROR_MEMORY;
    *w = (tn_network_events){ .violations = values, .noise = values + n, .branches = values + 2 * n, .turned = kinks,
                              .now = { .at = INFINITY, .flips = kinks + n, .flip_to = values + 3 * n },
                              .before = { .at = INFINITY, .flips = kinks + 2 * n, .flip_to = values + 4 * n },
                              .noted = { .at = INFINITY, .flips = kinks + 3 * n, .flip_to = values + 5 * n } };
    s->network_events = *out = w;
    s->network_kinks = count;
    return TN_OK;
}

/* ---- samples ---- */

double tn_network_limit(tn_session *s, double t_end)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    const tn_stepper *st = s->stepper;
    for (int k = 0; h && k < h->sampler_count; k++) {
        double t = tn_sampler_time(st->eval, s->system, k, st->memory);
        if (t < t_end && t > st->t)
            t_end = t;
    }
    if (h && h->sampler_count > 0)
        s->eval_current = false;
    for (int k = 0; h && k < s->system->network->delay_count; k++)
        t_end = fmin(t_end, tn_delay_limit(&s->system->network->delays[k], st->t, st->memory));
    return t_end;
}

bool tn_sample_is_due(const tn_session *s, int sampler)
{
    double t = tn_sampler_time(s->stepper->eval, s->system, sampler, s->stepper->memory);
    return t <= s->stepper->t || tn_same_instant(t, s->stepper->t);
}

bool tn_any_sample_due(const tn_session *s)
{
    for (int k = 0; k < tn_hybrid_of(s)->sampler_count; k++)
        if (tn_sample_is_due(s, k))
            return true;
    return false;
}

/* Tells FMUs that the step is accepted. */
static void hear_accepted(tn_session *s)
{
    tn_stepper *st = s->stepper;
    s->eval_current = false;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    tn_externals_completed(st->eval, s->system, st->memory);
}

bool tn_network_due(tn_session *s)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    if (!h)
        return false;
    const tn_network_events *w = s->network_events;
    if (s->system->network->external_count > 0)
        hear_accepted(s);
    if (w && isfinite(w->now.at) && tn_same_instant(w->now.at, s->stepper->t))
        return true;
    if (tn_any_sample_due(s))
        return true;
    for (int k = 0; k < s->system->network->delay_count; k++)
        if (tn_delay_due(&s->system->network->delays[k], s->stepper->t, s->stepper->memory))
            return true;
    return false;
}

/* ---- search ---- */

static int go_to(tn_session *s, double part)
{
    tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    double t = part == 1 ? st->t : st->step.t + part * st->step.h;
    const double *y = st->y;
    s->eval_current = false;
    if (part != 1) {
        TN_TRY(tn_stepper_interpolate(st, t, st->stage));
        y = st->stage;
    }
    st->eval->failed = NULL;
    tn_eval_motion(st->eval, sys, t, y, y + sys->positions);
    return TN_OK;
}

/* The event to locate: a kink, or a switch of a sampler. */
typedef struct target {
    tn_session *session;
    int kink;                      /* -1: the switch */
    int sampler, index;
} target;

/* Value of a switch at a part of the step. What a device holds with follows from the solution there. */
static int switch_at(tn_session *s, double part, int sampler, int index, double *value)
{
    tn_stepper *st = s->stepper;
    TN_TRY(go_to(s, part));
    if (tn_hold_wanted(&tn_hybrid_of(s)->samplers[sampler], st->memory))
        TN_TRY(tn_session_evaluate_at(s, part == 1 ? st->t : st->step.t + part * st->step.h, part == 1 ? st->y : st->stage));
    *value = tn_switch_value(st->eval, s->system, sampler, index, st->memory);
    return TN_OK;
}

/* Positive before the instant. */
static int distance_at(void *user, double part, double *out)
{
    const target *w = user;
    tn_stepper *st = w->session->stepper;
    if (w->kink < 0) {
        TN_TRY(switch_at(w->session, part, w->sampler, w->index, out));
        *out = -*out;
        return TN_OK;
    }
    TN_TRY(go_to(w->session, part));
    *out = -tn_kink_violation(st->eval, w->session->system, st->memory, w->kink);
    return TN_OK;
}

/* Models with FMUs have a further point right after the beginning of the step. An FMU changes states at events: a ball that
 * leaves the floor may be on the floor again before the first piece ends, and then the end of the piece does not show its
 * flight. */
static int first_piece(const tn_session *s)
{
    return s->system->network->external_count > 0 ? 0 : 1;
}

static double end_of_piece(int piece)
{
    return piece == 0 ? JUST_AFTER : (double)piece / PIECES;
}

static bool is_external(const target *w)
{
    return w->kink < 0 && tn_hybrid_of(w->session)->samplers[w->sampler].external;
}

/* Moves a located instant on until the indicator has changed its sign: an FMU acts only then. */
static int pass_zero(double *part, const target *w, double end, double width)
{
    double distance = 1;
    for (; *part < end; width *= 2) {
        TN_TRY(distance_at((void *)(uintptr_t)w, *part, &distance));
        if (distance < 0)
            break;
        *part = fmin(end, *part + width);
    }
    return TN_OK;
}

/* The first part of the step at which the target is reached, when it is reached at the end. */
static int locate(double *part, const target *w, double end)
{
    const tn_step *step = &w->session->stepper->step;
    double begin = 0, before, after;
    TN_TRY(distance_at((void *)(uintptr_t)w, begin, &before));
    if (!(before > 0) && end > JUST_AFTER) {
        begin = JUST_AFTER;
        TN_TRY(distance_at((void *)(uintptr_t)w, begin, &before));
    }
    TN_TRY(distance_at((void *)(uintptr_t)w, end, &after));
    *part = before > 0 ? end : is_external(w) ? begin : 0;     /* time moves on between two rebounds */
    if (!(before > 0) || after > 0)
        return TN_OK;
    double width = fmax(LOCATED, 2 * DBL_EPSILON * fabs(step->t) / step->h);
    TN_TRY(tn_zero_find(part, distance_at, (void *)(uintptr_t)w, begin, end, before, after, width));
    return is_external(w) ? pass_zero(part, w, end, width) : TN_OK;
}

/* Locates the earliest of the switches that are positive at a point, before that point. */
static int search_switches(tn_session *s, double end, double *part)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_network_events *w = s->network_events;
    for (int k = 0; k < h->sampler_count; k++)
        for (int n = 0; n < h->samplers[k].switch_count; n++) {
            double here, value;
            TN_TRY(switch_at(s, end, k, n, &value));
            if (!(value > 0))
                continue;
            TN_TRY(locate(&here, &(target){ s, -1, k, n }, end));
            if (w->now.switching && !(here < *part))
                continue;
            *part = here;
            w->now.switching = true;
            w->now.switch_sampler = k;
            w->now.switch_index = n;
        }
    return TN_OK;
}

/* A kink changes to the branch that it has by its operands. */
static void note_flip(const tn_session *s, tn_instant *list, int kink)
{
    double old = s->stepper->memory[tn_kink_entry(s->system, kink)], new = s->network_events->branches[kink];
    list->flips[list->flip_count] = kink;
    /* whole numbers change one by one; the point may be farther */
    list->flip_to[list->flip_count++] = new > old + 1 ? old + 1 : new < old - 1 && new < -1 ? old - 1 : new;
}

/* Lists the kinks that are on the wrong side at a point of the step, with the branches that they have there. */
static int list_violated(tn_session *s, double end)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_network_events *w = s->network_events;
    tn_stepper *st = s->stepper;
    TN_TRY(go_to(s, end));
    tn_kinks_evaluate(st->eval, s->system, st->memory, w->violations, w->noise, w->branches);
    w->now.flip_count = 0;
    for (int k = 0; k < h->kink_count; k++)
        if (w->violations[k] > w->noise[k])
            note_flip(s, &w->now, k);
    return TN_OK;
}

/* Locates the earliest of the listed kinks, before a point of the step. */
static int search_kinks(tn_session *s, double end, double *part)
{
    const tn_network_events *w = s->network_events;
    for (int k = 0; k < w->now.flip_count; k++) {
        const target kink = { s, w->now.flips[k], 0, 0 };
        double here, last;
        if (*part < end) {
            TN_TRY(distance_at((void *)(uintptr_t)&kink, *part, &last));
            if (last > 0)                              /* another one comes before */
                continue;
        }
        TN_TRY(locate(&here, &kink, fmin(*part, end)));
        *part = fmin(*part, here);
    }
    return TN_OK;
}

/* Whether the switch of the instant is reached at the end of the step, but for round-off. */
static int switch_reached(tn_session *s, bool *reached)
{
    static const double part_of_way = 1e-10, round_off = 1e-13;
    const tn_network_events *w = s->network_events;
    double begin, end;
    TN_TRY(switch_at(s, 0, w->now.switch_sampler, w->now.switch_index, &begin));
    TN_TRY(switch_at(s, 1, w->now.switch_sampler, w->now.switch_index, &end));
    *reached = !(end < -(round_off + part_of_way * fabs(begin)));
    return TN_OK;
}

/* Keeps of the listed kinks those that have reached their zero at the instant. */
static int keep_reached(tn_session *s, double part)
{
    tn_network_events *w = s->network_events;
    tn_stepper *st = s->stepper;
    int kept = 0;
    TN_TRY(go_to(s, part));
    tn_kinks_evaluate(st->eval, s->system, st->memory, w->violations, w->noise, NULL);
    for (int k = 0; k < w->now.flip_count; k++)
        if (w->violations[w->now.flips[k]] >= -w->noise[w->now.flips[k]]) {
            w->now.flips[kept] = w->now.flips[k];
            w->now.flip_to[kept++] = w->now.flip_to[k];
        }
    w->now.flip_count = kept;
    return TN_OK;
}

/* A step that ends at the instant that a longer step has shown may end a little before it: the polynomial of the longer one was less accurate
 * than the step. What is not reached is left to the next step, which is close to it and shows it exactly. What a device holds with follows from
 * the solution, which is not known to round-off: its switches are taken as they were found. */
static int leave_early(tn_session *s)
{
    enum { MOST = 4 };             /* in a row: an instant comes in the end */
    tn_network_events *w = s->network_events;
    bool reached = true;
    if (w->early == MOST || is_external(&(target){ s, w->now.switching ? -1 : 0, w->now.switch_sampler, 0 }))
        return TN_OK;
    TN_TRY(keep_reached(s, 1));
    if (w->now.switching && !tn_hold_wanted(&tn_hybrid_of(s)->samplers[w->now.switch_sampler], s->stepper->memory))
        TN_TRY(switch_reached(s, &reached));
    w->now.switching = w->now.switching && reached;
    if (w->now.flip_count > 0 || w->now.switching)
        return TN_OK;
    w->now.at = INFINITY;
    w->early++;
    return TN_OK;
}

int tn_network_search(tn_session *s, double *t)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_network_events *w;
    tn_stepper *st = s->stepper;
    double part = 2;
    *t = INFINITY;
    if (!h || (h->kink_count == 0 && h->switch_count == 0))
        return TN_OK;
    TN_TRY(tn_network_events_get(&w, s));
    const tn_instant held = w->before;
    w->before = w->now;
    w->now = (tn_instant){ .at = INFINITY, .flips = held.flips, .flip_to = held.flip_to };
    for (int k = first_piece(s); k <= PIECES && part > 1; k++) {
        const double end = end_of_piece(k);
        if (h->switch_count > 0)
            TN_TRY(search_switches(s, end, &part));
        TN_TRY(list_violated(s, end));
        const double switched = part;
        TN_TRY(search_kinks(s, end, &part));
        w->now.switching = w->now.switching && switched <= part;
    }
    if (part <= 1 && w->now.flip_count > 0)
        TN_TRY(keep_reached(s, part));
    if (part <= 1)
        *t = w->now.at = part == 1 ? st->t : st->step.t + part * st->step.h;
    if (part > 1 && isfinite(w->before.at) && tn_same_instant(w->before.at, st->t)) {
        const tn_instant nothing = w->now;             /* the step ends at the instant that the last search has found */
        w->now = w->before;
        w->before = nothing;
        TN_TRY(leave_early(s));
        *t = isfinite(w->now.at) ? st->t : INFINITY;
    }
    return go_to(s, 1);
}

/* ---- integrators of other tools ---- */

int tn_network_indicator_count(const tn_session *s)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    return h ? h->kink_count + h->switch_count : 0;
}

/* The zeros are a little beyond those of kinks and switches, so that the change is due where a tool finds the zero. */
int tn_network_indicators(tn_session *s, double *values)
{
    const double beyond = 1e-12;
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_network_events *w;
    tn_stepper *st = s->stepper;
    if (!h || h->kink_count + h->switch_count == 0)
        return TN_OK;
    TN_TRY(tn_network_events_get(&w, s));
    tn_kinks_evaluate(st->eval, s->system, st->memory, w->violations, w->noise, NULL);
    for (int k = 0; k < h->kink_count; k++)
        *values++ = isnan(w->violations[k]) ? 1 : 2 * w->noise[k] - w->violations[k];
    for (int k = 0; k < h->sampler_count; k++)
        for (int n = 0; n < h->samplers[k].switch_count; n++)
            *values++ = beyond - tn_switch_value(st->eval, s->system, k, n, st->memory);
    return TN_OK;
}

int tn_network_note(tn_session *s, const double *values)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_network_events *w;
    tn_stepper *st = s->stepper;
    if (!h || h->kink_count + h->switch_count == 0)
        return TN_OK;
    TN_TRY(tn_network_events_get(&w, s));
    w->noted.flip_count = 0;
    w->noted.switching = false;
    tn_kinks_evaluate(st->eval, s->system, st->memory, NULL, NULL, w->branches);
    for (int k = 0; k < h->kink_count; k++)
        if (!(values[k] > 0))
            note_flip(s, &w->noted, k);
    values += h->kink_count;
    for (int k = 0; k < h->sampler_count; k++)
        for (int n = 0; n < h->samplers[k].switch_count; n++)
            if (!(*values++ > 0) && !w->noted.switching) {
                w->noted.switching = true;
                w->noted.switch_sampler = k;
                w->noted.switch_index = n;
            }
    return TN_OK;
}

/* Adds what was noted to what the search has found. */
static void take_noted(tn_network_events *w)
{
    tn_instant *now = &w->now, *noted = &w->noted;
    for (int k = 0; k < noted->flip_count; k++) {
        int i = 0;
        while (i < now->flip_count && now->flips[i] != noted->flips[k])
            i++;
        if (i == now->flip_count) {
            now->flips[now->flip_count] = noted->flips[k];
            now->flip_to[now->flip_count++] = noted->flip_to[k];
        }
    }
    now->switching = noted->switching;
    now->switch_sampler = noted->switch_sampler;
    now->switch_index = noted->switch_index;
    noted->flip_count = 0;
    noted->switching = false;
}

int tn_network_reached(tn_session *s, bool *due)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_network_events *w;
    tn_stepper *st = s->stepper;
    *due = false;
    if (!h)
        return TN_OK;
    TN_TRY(tn_network_events_get(&w, s));
    TN_TRY(list_violated(s, 1));
    take_noted(w);
    *due = w->now.flip_count > 0 || w->now.switching;
    w->now.at = *due ? st->t : INFINITY;
    *due = *due || tn_any_sample_due(s);
    TN_TRY(go_to(s, 1));
    if (tn_holds_count(s) > 0)                         /* what a device holds with follows from the solution */
        TN_TRY(tn_session_evaluate_at(s, st->t, st->y));
    for (int k = 0; k < h->sampler_count && !*due; k++)
        for (int n = 0; n < h->samplers[k].switch_count && !*due; n++)
            *due = tn_switch_value(st->eval, s->system, k, n, st->memory) > 0;
    return TN_OK;
}
