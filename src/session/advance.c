/* Advancing a session step by step. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compliance.h"
#include "diag.h"
#include "live.h"
#include "network_events.h"
#include "session_parts.h"

/* A single step spans at most this many samples: a step of a model that hardly moves would otherwise never end. */
static const double MOST_SAMPLES = 1000;

/* Fraction of a step: times that differ by less are one instant. An event and the contact change that causes it belong
 * together, such as a velocity that becomes zero when sliding ends. If the step ended at the event alone, the contact
 * would slide back a little before its next check. */
static const double SAME_INSTANT = 1e-10;

/* Time at which the step ends: the first event or contact change; change is INFINITY when contacts do not change. */
static double end_of_step(const tn_session *s, double event, double change)
{
    return event < change && change - event <= SAME_INSTANT * s->stepper->step.h ? change : fmin(event, change);
}

/* Shortens the last step to end at t. Takes the samples and the work up to t first. */
static int shorten_step(tn_session *s, double t)
{
    TN_TRY(tn_samples_take_until(s, t));
    TN_TRY(tn_work_cut(s, t));
    s->eval_current = false;
    int code = tn_stepper_go_back(s->stepper, t);
    if (code == TN_ERROR_STEP)
        return tn_fail(s->context, code, s->model->solve_span, "no accelerations at the event at t = %.9g s", t);
    TN_TRY(code);
    return tn_work_begin(s);
}

/* Takes a step of the integrator, up to the first instant at which a device changes. The step that ends at an instant is
 * searched again: at its length it may show an earlier one. */
static int network_step(tn_session *s, double t_end)
{
    enum { MOST_TRIES = 1000 };
    tn_stepper *st = s->stepper;
    double end = t_end;
    for (int k = 0; k < MOST_TRIES; k++) {
        double instant;
        TN_TRY(tn_stepper_step(st, end));
        if (!s->system->network)
            return TN_OK;
        const double begin = st->step.t;
        TN_TRY(tn_network_search(s, &instant));
        if (!(instant < st->t))
            return TN_OK;
        TN_TRY(tn_stepper_take_back(st));
        st->counts.steps--;
        st->counts.rejected++;
        end = instant;
        if (instant > begin)
            continue;
        TN_TRY(tn_network_act(s));
        st = s->stepper;                               /* devices that begin to hold have another one */
        end = t_end;                                   /* instants that were found before that need not come */
    }
    return tn_network_report_endless(s);
}

/* Takes a step of the integrator, up to the first contact change or event. examined: no step remains that was taken but
 * not searched for contact changes and events. */
static int exact_step(tn_session *s, double t_end, bool *examined)
{
    double t, unilateral, searched, begins;
    *examined = true;
    TN_TRY(tn_compliance_limit_step(s));
    tn_work_ready(s);
    TN_TRY(network_step(s, t_end));
    *examined = false;
    TN_TRY(tn_work_add(s));
    TN_TRY(tn_unilaterals_find(s, &unilateral, &searched));
    TN_TRY(tn_compliance_find(s, &begins));
    begins = fmin(begins, searched);
    TN_TRY(tn_events_find(s, fmin(unilateral, begins), &t));
    double end = end_of_step(s, t, fmin(unilateral, begins));
    TN_TRY(tn_delays_record(s, fmin(end, s->stepper->t)));
    if (end < s->stepper->t)
        TN_TRY(shorten_step(s, end));
    *examined = true;
    tn_summary_measure(s);
    if (tn_network_due(s)) {
        TN_TRY(tn_samples_take_until(s, s->stepper->t - 2 * TN_SAME_STEP * s->stepper->step.h));
        TN_TRY(tn_network_act(s));
    }
    TN_TRY(tn_samples_take(s));
    tn_unilaterals_follow(s);
    tn_log_stepped(s, t_end);                          /* before events, which may edit the model */
    if (isinf(unilateral))
        TN_TRY(tn_laws_due(s, &unilateral));
    if (unilateral <= s->stepper->t) {
        TN_TRY(tn_unilaterals_act(s));
        TN_TRY(tn_events_jumped(s));
        tn_delays_jumped(s);
    }
    return TN_OK;
}

/* Takes a step of the time-stepping method. After the last such step the active contacts are decided exactly again. */
static int time_stepping_step(tn_session *s, double t_end)
{
    bool touch;
    TN_TRY(tn_time_step(s, t_end));
    tn_summary_measure(s);
    TN_TRY(tn_samples_take(s));
    tn_unilaterals_follow(s);
    tn_log_stepped(s, t_end);
    if (!s->unilaterals->held) {
        TN_TRY(tn_unilaterals_touch(s, &touch));
        if (touch)
            TN_TRY(tn_unilaterals_act(s));
    }
    return tn_events_jumped(s);
}

/* Returns to the start of a step that was taken but not searched. */
static int discard_step(tn_session *s)
{
    s->work = s->work_before;
    tn_network_account_restore(s, &s->network.before);
    s->eval_current = false;
    TN_TRY(tn_stepper_take_back(s->stepper));
    return tn_work_begin(s);
}

/* After an exact step failed: takes time-stepping steps if there are contacts. The diagnostic of the failure becomes
 * the reason for time-stepping, and is reported as the error if time-stepping fails, too. */
static int try_time_stepping(tn_session *s, double t_end, bool examined, tn_report_mark mark)
{
    bool helps;
    if (!s->unilaterals->near.touches)                 /* limits alone: the exact method decides */
        return TN_ERROR_STEP;
    if (!examined)
        TN_TRY(discard_step(s));
    TN_TRY(tn_time_step_helps(s, &helps));
    if (!helps)
        return TN_ERROR_STEP;
    char why[400] = "the exact method finds no step";
    tn_span span = s->model->solve_span;
    size_t count = tn_diagnostics_count(s->context);
    if (count > mark.count) {
        span = tn_diagnostics_get(s->context, count - 1)->span;
        snprintf(why, sizeof why, "%s", tn_diagnostics_get(s->context, count - 1)->message);
    }
    tn_report_forget(s->context, mark);
    tn_snapshot before;
    TN_TRY(tn_snapshot_take(&before, s));
    tn_time_steps_begin(s, why, false);
    int code = time_stepping_step(s, t_end);
    if (code == TN_ERROR_STEP && s->stepper->t == before.t) {
        int restored = tn_snapshot_restore(s, &before);
        code = restored < 0 ? restored : code;
    }
    tn_snapshot_free(&before, s->context);
    return code == TN_ERROR_STEP ? tn_fail(s->context, code, span, "%s", why) : code;
}

static int exact_or_time_stepping_step(tn_session *s, double t_end)
{
    bool examined;
    if (s->unilaterals->held || (s->solve.contact == TN_CONTACT_TIME_STEPPING && tn_time_step_possible(s)))
        return time_stepping_step(s, t_end);
    tn_report_mark mark = tn_report_now(s->context);
    int code = exact_step(s, t_end, &examined);
    return code == TN_ERROR_STEP ? try_time_stepping(s, t_end, examined, mark) : code;
}

/* A step that cannot be taken leaves no trace: a replay, which does not repeat the attempt, goes on in the same way. */
static int any_step(tn_session *s, double t_end)
{
    tn_unilaterals *u = s->unilaterals;
    const tn_snapshot before = tn_snapshot_now(s);     /* numbers only: its arrays are those of the session */
    const size_t told = tn_diagnostics_count(s->context);
    int code = exact_or_time_stepping_step(s, t_end);
    tn_stepper *st = s->stepper;
    if (code == TN_ERROR_STEP && tn_diagnostics_count(s->context) == told)
        code = tn_fail(s->context, code, s->model->solve_span, "the step from t = %.9g s cannot be used: the joints cannot be closed at an "
                       "instant within it; try a smaller step or tolerance", st->step.t);
    if (code != TN_ERROR_STEP || st->t != before.t)
        return code;
    st->h = before.h;
    st->turned = before.turned;
    st->approach = before.approach;
    st->usual_rank = before.usual_rank;
    st->smooth_rate = before.smooth_rate;
    s->work = before.work;
    tn_network_account_restore(s, &before.network);
    u->fastest = before.unilaterals.fastest;
    u->last = before.unilaterals.last;
    u->crowd = before.unilaterals.crowd;
    u->held = before.unilaterals.held;
    u->held_until = before.unilaterals.held_until;
    u->pause = before.unilaterals.pause;
    u->rounds = before.unilaterals.rounds;
    s->summary.holds = before.unilaterals.holds;
    s->summary.unsolved = before.unilaterals.unsolved;
    return code;
}

/* A step that is much longer than the time between two samples, as of a body that flies freely, takes some of them at a time:
 * between steps a run can be stopped. */
static double limit_samples(const tn_session *s, double t_end)
{
    const double most = MOST_SAMPLES * s->solve.record;
    return s->solve.record > 0 && s->stepper->h > most ? fmin(t_end, s->stepper->t + most) : t_end;
}

bool tn_session_is_there(const tn_session *s, double t_end)
{
    return !(t_end - s->stepper->t > TN_SAME_STEP * fmin(s->stepper->h, fabs(t_end)));
}

static int one_step(tn_session *s, double t_end)
{
    if (s->stepper->motion_only && !s->kinematics)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a session that was only assembled does not go on");
    if (s->next_sample == 0) {
        TN_TRY(tn_network_begin_run(s));
        TN_TRY(tn_samples_take(s));
    }
    t_end = limit_samples(s, tn_network_limit(s, t_end));
    s->eval_current = s->at_rest = false;
    s->summary.stopped_by = NULL;
    int due = tn_events_fire(s);                       /* events that an edit has triggered */
    if (due != TN_OK)
        return due;
    TN_TRY(tn_pull_follow(s));
    TN_TRY(any_step(s, t_end));
    TN_TRY(tn_laws_check(s));
    TN_TRY(tn_trust_judge(s));
    TN_TRY(tn_closings_watch(s));
    return tn_events_fire(s);
}

/* Takes steps until t_end, at most the given number. */
static int take_steps(tn_session *s, const tn_entry *advance, double t_end, long most)
{
    long before = s->stepper->counts.steps;
    int code = TN_OK;
    while (code == TN_OK && s->stepper->counts.steps - before < most && !tn_session_is_there(s, t_end)) {
        code = one_step(s, t_end);
        if (code == TN_OK)
            code = tn_log_under_way(s, advance, s->stepper->counts.steps - before);
        if (code == TN_OK && s->on_step && !s->silent && s->on_step(s->step_user, s))
            code = TN_NEWS_INTERRUPTED;
    }
    if (!tn_session_is_there(s, t_end))
        return code;
    s->stepper->destination = t_end;
    /* an instant next to the end, less than round-off before, has ended the last step */
    return code == TN_OK && s->next_sample > 0 && s->solve.record > 0 ? tn_samples_take_until(s, t_end) : code;
}

/* The time after a duration. Sums of decimals are decimals, to a nanosecond: ten times 0.1 s is 1 s. */
static double time_after(double t, double duration)
{
    static const double NANOSECOND = 1e9, MOST_EXACT = 9007199254740992.0;
    const double sum = t + duration, whole = round(sum * NANOSECOND), decimal = whole / NANOSECOND;
    return fabs(whole) < MOST_EXACT && fabs(decimal - sum) <= DBL_EPSILON * fabs(sum) ? decimal : sum;
}

static double end_of(const tn_session *s, const tn_entry *advance)
{
    switch (advance->kind) {
    case TN_ENTRY_ADVANCE: return time_after(s->stepper->t, advance->value);
    case TN_ENTRY_RUN: return advance->value;
    default: return s->solve.record > 0 ? s->stepper->t + MOST_SAMPLES * s->solve.record : INFINITY;
    }
}

/* Largest number of steps. An entry that was stopped when recorded stops after the same number of steps. */
static long step_limit_of(const tn_entry *advance)
{
    bool stops = advance->ending == TN_ENDING_STOPPED || advance->ending == TN_ENDING_UNDER_WAY;
    return stops ? advance->taken : advance->kind == TN_ENTRY_STEP ? 1 : LONG_MAX;
}

int tn_session_advance_entry(tn_session *s, const tn_entry *advance)
{
    double begun = tn_clock();
    TN_TRY(tn_inputs_take(s));
    long steps = s->stepper->counts.steps;
    int code = take_steps(s, advance, end_of(s, advance), step_limit_of(advance));
    tn_entry done = *advance;
    done.times = 1;
    done.time = s->stepper->t;
    if (code != TN_OK && code != TN_NEWS_STOPPED) {    /* in a replay, events stop it again */
        done.ending = code == TN_ERROR_STEP ? TN_ENDING_FAILED : TN_ENDING_STOPPED;
        done.taken = s->stepper->counts.steps - steps;
    }
    s->summary.wall += tn_clock() - begun;
    int written = tn_log_advanced(s, &done);
    return code == TN_OK ? written : code;
}

/* The settings were checked for a run to its end; beyond, a time may be one that no number of steps reaches. */
static int check_reach(tn_session *s, double time)
{
    if (time <= s->solve.until)
        return TN_OK;
    tn_solve beyond = s->solve;
    beyond.until = time;
    return tn_solve_check_length(s->context, &beyond, TN_NOWHERE);
}

int tn_session_advance(tn_session *s, double duration)
{
    if (!(duration >= 0) || !isfinite(duration))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a session cannot advance by %g s", duration);
    TN_TRY(check_reach(s, s->stepper->t + duration));
    return tn_session_advance_entry(s, &(tn_entry){ .kind = TN_ENTRY_ADVANCE, .value = duration });
}

int tn_session_advance_to(tn_session *s, double time)
{
    if (!isfinite(time))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a session cannot advance to %g s", time);
    TN_TRY(check_reach(s, time));
    return tn_session_advance_entry(s, &(tn_entry){ .kind = TN_ENTRY_RUN, .value = time });
}

/* A delay that is longer than the whole run gives nothing but what was before. */
static void warn_of_long_delays(const tn_session *s)
{
    for (size_t k = 0; k < s->model->force_count; k++) {
        const tn_force *force = &s->model->forces[k];
        if (!force->entity.alive || !force->type->device || !force->type->device->history)
            continue;
        for (int p = 0; p < TN_FORCE_PARAMETERS && force->type->parameters[p].name; p++)
            if (strcmp(force->type->parameters[p].name, "time") == 0 && force->parameters[p] > s->solve.until)
                tn_warn(s->context, force->entity.span, "device '%s': its delay of %g s is longer than the run of %g s: its "
                        "output is 'before' throughout", force->entity.name, force->parameters[p], s->solve.until);
    }
}

int tn_session_run(tn_session *s)
{
    warn_of_long_delays(s);
    int code = tn_session_advance_entry(s, &(tn_entry){ .kind = TN_ENTRY_RUN, .value = s->solve.until });
    return code == TN_OK ? TN_NEWS_END : code;
}

int tn_session_step(tn_session *s)
{
    return tn_session_advance_entry(s, &(tn_entry){ .kind = TN_ENTRY_STEP });
}
