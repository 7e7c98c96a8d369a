/* A session that an integrator of another tool solves: event indicators, instants, and what is done there. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "diag.h"
#include "device_network.h"
#include "events.h"
#include "holds.h"
#include "network_events.h"
#include "session_parts.h"
#include "tenon/inputs.h"

/* Rounds of samples, modes and events at one instant before they count as circular. */
enum { MOST_ROUNDS = 100 };
/* A sample that is due after so small a share of the time is due now: the tool has rounded the time. */
static const double SAME_TIME = 1e-12;

static const char *find_devices_that_refuse(const tn_session *s)
{
    const tn_network *network = s->system->network;
    if (!network)
        return NULL;
    return network->external_count > 0 ? "it has FMUs" : network->delay_count > 0 ? "it has delays of continuous signals" : NULL;
}

const char *tn_session_exchange_refusal(const tn_session *s)
{
    if (!tn_system_allows(s->system, TN_ALLOW_STATE_VECTOR) || tn_session_part_count(s) > 0)
        return "it has components";
    if (s->stepper->motion_only || s->kinematics)
        return "its motion follows from the drives";
    if (s->solve.contact == TN_CONTACT_TIME_STEPPING && tn_unilaterals_indicator_count(s) > 0)
        return "its contacts are stepped in time";
    return find_devices_that_refuse(s);
}

/* ---- indicators ---- */

size_t tn_session_indicator_count(const tn_session *s)
{
    return s->events->count + (size_t)tn_network_indicator_count(s) + tn_unilaterals_indicator_count(s);
}

/* Indicators of limits and contacts, at the state on the constraints. */
static int unilateral_indicators_at(double *values, tn_session *s, double time, const double *state)
{
    const size_t size = (size_t)s->system->size;
    if (tn_unilaterals_indicator_count(s) == 0)
        return TN_OK;
    double *y = tn_alloc(s->context, size, sizeof *y);
    if (!y)
        return TN_ERROR_MEMORY;
    memcpy(y, state, size * sizeof *y);
    int code = tn_state_vector_project(y, s, time);
    if (code == TN_OK)
        code = tn_unilaterals_indicators(values, s, time, y);
    tn_session_recall_motion(s);                       /* nothing leads to y any more */
    tn_free(s->context, y);
    return code;
}

static int indicators_at(double *values, tn_session *s, double time, const double *state)
{
    s->eval_current = false;
    TN_TRY(unilateral_indicators_at(values + s->events->count + tn_network_indicator_count(s), s, time, state));
    if (tn_events_solve(s) || tn_holds_count(s) > 0)
        TN_TRY(tn_session_evaluate_at(s, time, state));
    else
        tn_eval_motion(s->stepper->eval, s->system, time, state, state + s->system->positions);
    tn_events_indicators(s, values);
    return tn_network_indicators(s, values + s->events->count);
}

int tn_session_indicators_at(double *values, tn_session *s, double time, const double *state)
{
    TN_TRY(tn_state_vector_check(s, time, state));
    int code = indicators_at(values, s, time, state);
    tn_session_recall_motion(s);
    return code;
}

double tn_session_next_sample(tn_session *s)
{
    tn_session_recall_motion(s);
    return tn_network_limit(s, INFINITY);
}

int tn_session_follow(tn_session *s, double time, const double *state)
{
    TN_TRY(tn_state_vector_check(s, time, state));
    double next = tn_session_next_sample(s);
    if (fabs(next - time) <= SAME_TIME * fmax(1, fabs(time)))
        time = next;
    const size_t count = tn_session_indicator_count(s);
    double *values = tn_alloc(s->context, count, sizeof *values);
    if (!values)
        return TN_ERROR_MEMORY;
    int code = count > 0 ? indicators_at(values, s, time, state) : TN_OK;
    if (code == TN_OK) {
        tn_events_note(s, values);
        code = tn_network_note(s, values + s->events->count);
        tn_unilaterals_note(s, values + s->events->count + tn_network_indicator_count(s));
    }
    tn_session_recall_motion(s);
    tn_free(s->context, values);
    TN_TRY(code);
    return tn_state_vector_move(s, time, state, true);
}

int tn_session_handle_events(tn_session *s)
{
    TN_TRY(tn_inputs_take(s));
    s->summary.stopped_by = NULL;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool network, modes, events;
        TN_TRY(tn_network_reached(s, &network));
        if (network)
            TN_TRY(tn_network_act(s));
        TN_TRY(tn_unilaterals_handle(s, &modes));
        if (modes)
            TN_TRY(tn_events_jumped(s));
        TN_TRY(tn_events_due(s, &events));
        if (!network && !modes && !events)
            return TN_OK;
        int code = tn_events_fire(s);
        if (code != TN_OK)
            return code;
    }
    return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span,
                   "events and devices set each other off without end at t = %.9g s", s->stepper->t);
}
