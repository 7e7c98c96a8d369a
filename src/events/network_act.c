/* Carries out the instants of the network of devices: takes the samples that are due, and changes branches and modes until they stay. */
#include "network_events_impl.h"

#include "delay.h"
#include "diag.h"
#include "external.h"
#include "holds.h"

/* Rounds at one instant before modes count as circular. */
enum { MOST_ROUNDS = 100 };
/* So many changes of branches in a row, each after less than CROWDED of the time since the first, count as chattering. */
enum { MOST_CHANGES = 100 };
static const double CROWDED = 1e-9;

/* Counts changes of branches that follow each other without time between them. */
static bool chatters(tn_network_events *w, double t)
{
    if (w->changes == 0 || t - w->since > CROWDED * fmax(fabs(t), 1e-3) * w->changes) {
        w->changes = 0;
        w->since = t;
    }
    return ++w->changes > MOST_CHANGES;
}

/* Kinks that chatter are evaluated freely from here on, until the next instant. */
static void loosen_branches(tn_session *s)
{
    tn_network_events *w = s->network_events;
    if (w->now.flip_count == 0 || !chatters(w, s->stepper->t))
        return;
    for (int k = 0; k < w->now.flip_count; k++)
        s->stepper->memory[tn_kink_entry(s->system, w->now.flips[k])] = NAN;
    if (!w->told)
        tn_warn(s->context, tn_kink_entity(s->system, w->now.flips[0])->span,
                "the equations of '%s' chatter at t = %.9g s: their kinks are not located there",
                tn_kink_entity(s->system, w->now.flips[0])->name, s->stepper->t);
    w->told = true;
    w->crowded = tn_kink_entity(s->system, w->now.flips[0]);
    w->changes = 0;
}

static bool is_listed(const int *list, int count, int kink)
{
    while (count > 0 && list[count - 1] != kink)
        count--;
    return count > 0;
}

/* A kink that was changed keeps its branch while it is at its zero: its operands alone do not tell the side there, so that kinks
 * which leave their zeros at one instant, one after the other, would undo each other. Samples and modes may move kinks
 * anywhere: all of them are free then. */
static void keep_turned(tn_session *s, bool jumped)
{
    tn_network_events *w = s->network_events;
    const double *memory = s->stepper->memory;
    if (jumped)
        w->turned_count = 0;
    if (w->turned_count > 0)
        tn_kinks_evaluate(s->stepper->eval, s->system, memory, w->violations, w->noise, NULL);
    for (int k = 0; k < w->turned_count; k++) {
        const int kink = w->turned[k];
        const double branch = memory[tn_kink_entry(s->system, kink)];
        if (isnan(branch) || !(fabs(w->violations[kink]) <= w->noise[kink]) || is_listed(w->now.flips, w->now.flip_count, kink))
            continue;
        w->now.flips[w->now.flip_count] = kink;
        w->now.flip_to[w->now.flip_count++] = branch;
    }
    w->turned_count = 0;
    for (int k = 0; k < w->now.flip_count; k++)
        w->turned[w->turned_count++] = w->now.flips[k];
}

static double *states_of(tn_session *s)
{
    return s->stepper->y + s->system->positions + s->system->velocities;
}

/* A device has failed at the instant. */
static int report_failure(const tn_session *s)
{
    const tn_eval *e = s->stepper->eval;
    return e->failed ? tn_fail(s->context, TN_ERROR_STEP, e->failed_span, "%s, at t = %.9g s", e->trouble, s->stepper->t) : TN_OK;
}

/* One round of switches at the instant. Returns the number that switched. except: a device that has just been switched and
 * stands at the zero of its switch, where round-off must not switch it back. */
static int switch_modes(tn_session *s, int except)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_stepper *st = s->stepper;
    int count = 0;
    for (int k = 0; k < h->sampler_count; k++) {
        if (h->samplers[k].external && k != except && tn_external_changed(st->eval, s->system, h->samplers[k].external, st->memory)) {
            tn_switch_take(st->eval, s->system, k, 0, st->memory, states_of(s));
            count++;
            continue;
        }
        for (int n = 0; n < h->samplers[k].switch_count; n++)
            if (k != except && !tn_hold_wanted(&h->samplers[k], st->memory) &&
                tn_switch_value(st->eval, s->system, k, n, st->memory) > 0) {
                tn_switch_take(st->eval, s->system, k, n, st->memory, states_of(s));
                s->network_events->switched = k;
                count++;
                break;
            }
    }
    return count;
}

/* Names a device whose modes follow each other without time between them. */
static int report_circle(tn_session *s, int sampler)
{
    const tn_entity *entity = &s->model->forces[tn_hybrid_of(s)->samplers[sampler].source].entity;
    return tn_fail(s->context, TN_ERROR_STEP, entity->span, "modes of device '%s' switch in a circle at t = %.9g s, more than %d times at one "
                   "instant: what leads from one mode to the next must not lead back at once", entity->name, s->stepper->t, MOST_ROUNDS);
}

static int settle_modes(tn_session *s)
{
    tn_stepper *st = s->stepper;
    tn_network_events *w = s->network_events;
    w->switched = w->now.switching ? w->now.switch_sampler : -1;
    if (w->now.switching)                                  /* round-off may have left it just before its zero */
        tn_switch_take(st->eval, s->system, w->now.switch_sampler, w->now.switch_index, st->memory, states_of(s));
    for (int round = 0; round < MOST_ROUNDS; round++) {
        tn_hybrid_settle(st->eval, s->system, st->memory, w->now.flips, w->now.flip_to, w->now.flip_count);
        if (switch_modes(s, w->now.switching ? w->now.switch_sampler : -1) == 0)
            return TN_OK;
    }
    return report_circle(s, w->switched);
}

int tn_network_report_endless(tn_session *s)
{
    const tn_network_events *w = s->network_events;
    const tn_instant *last = w->now.flip_count > 0 ? &w->now : &w->before;
    if (w->switched >= 0)
        return report_circle(s, w->switched);
    const tn_entity *entity = last->flip_count > 0 ? tn_kink_entity(s->system, last->flips[0]) : w->crowded;
    if (!entity)
        return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span,
                       "devices change without end at t = %.9g s: kinks or modes contradict each other", s->stepper->t);
    return tn_fail(s->context, TN_ERROR_STEP, entity->span, "the equations of '%s' change their branches without end at t = %.9g s: "
                   "each branch leads to the other one; where an output drives itself, as in a comparator with hysteresis, give it as a "
                   "'relay' (tenon describe relay)", entity->name, s->stepper->t);
}

static int start_again(tn_session *s, double t)
{
    tn_stepper *st = s->stepper;
    s->eval_current = false;
    int code = tn_stepper_start(st, t, st->y, st->y + s->system->positions, st->memory);
    if (code == TN_ERROR_STEP)
        TN_TRY(report_failure(s));
    TN_TRY(code);
    return tn_work_begin(s);
}

int tn_network_act(tn_session *s)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    tn_stepper *st = s->stepper;
    tn_network_events *w;
    double t = st->t;
    bool jumped = false;
    TN_TRY(tn_network_events_get(&w, s));
    bool located = isfinite(w->now.at) && tn_same_instant(w->now.at, t);
    st->eval->failed = NULL;
    for (int k = 0; k < s->system->network->delay_count; k++)
        tn_delay_pass(&s->system->network->delays[k], t, st->memory);
    tn_delays_jumped(s);
    if (tn_any_sample_due(s))
        TN_TRY(tn_late_inputs_take(s));
    for (int k = 0; k < h->sampler_count; k++)
        if (tn_sample_is_due(s, k))
            tn_sampler_begin(s->system, k, st->memory);
    st->eval->network->current = false;
    tn_eval_motion(st->eval, s->system, t, st->y, st->y + s->system->positions);
    for (int k = 0; k < h->sampler_count; k++)
        if (tn_sample_is_due(s, h->order[k])) {
            t = tn_sampler_time(st->eval, s->system, h->order[k], st->memory);
            tn_sampler_take(st->eval, s->system, h->order[k], st->memory, states_of(s));
            jumped = true;
        }
    w->now.switching = w->now.switching && located;
    w->now.flip_count = located ? w->now.flip_count : 0;
    keep_turned(s, jumped || w->now.switching);
    TN_TRY(settle_modes(s));
    if (s->system->network->external_count > 0)
        TN_TRY(report_failure(s));
    loosen_branches(s);
    w->now.at = INFINITY;
    w->now.flip_count = 0;
    w->now.switching = false;
    w->early = 0;
    st->eval->network->current = false;
    if (h->hold_count == 0)
        return start_again(s, t);
    TN_TRY(start_again(s, t));
    TN_TRY(tn_holds_settle(s));
    return start_again(s, t);
}

int tn_network_begin_run(tn_session *s)
{
    const tn_hybrid *h = tn_hybrid_of(s);
    if (!h || h->sampler_count == 0)
        return TN_OK;
    tn_network_events *w;
    TN_TRY(tn_network_events_get(&w, s));
    w->now.at = s->stepper->t;
    w->now.flip_count = 0;
    w->now.switching = false;
    return tn_network_act(s);
}
