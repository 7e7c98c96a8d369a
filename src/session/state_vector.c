/* The state of a session as a vector: reading it, its rate, setting it, its directional derivatives; and controllers
 * with a sample time. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "diag.h"
#include "hybrid.h"
#include "log.h"
#include "multiple.h"
#include "session_parts.h"
#include "tenon/inputs.h"

size_t tn_session_state_size(const tn_session *s)
{
    return (size_t)s->system->size;
}

int tn_session_state(double *state, const tn_session *s)
{
    memcpy(state, s->stepper->y, (size_t)s->system->size * sizeof(double));
    return TN_OK;
}

/* Rates at the motion in stepper->eval, whose accelerations and rates of states are known. */
static void take_rate(double *rate, const tn_session *s, const double *y)
{
    const tn_system *sys = s->system;
    const tn_eval *e = s->stepper->eval;
    tn_position_rate(sys, y, y + sys->positions, rate);
    memcpy(rate + sys->positions, e->a, (size_t)sys->velocities * sizeof(double));
    memcpy(rate + sys->positions + sys->velocities, e->dz, (size_t)sys->states * sizeof(double));
}

static int check_vector(const tn_session *s, double time, const double *state)
{
    bool finite = isfinite(time);
    for (int k = 0; k < s->system->size && finite; k++)
        finite = isfinite(state[k]);
    return finite ? TN_OK : tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "time and state must be finite numbers");
}

static int refuse_components(const tn_session *s)
{
    if (s->stepper->motion_only || s->kinematics)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the motion follows from the drives: it has no state");
    if (!tn_system_allows(s->system, TN_ALLOW_STATE_VECTOR) || tn_session_part_count(s) > 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "a model with components or parts with steps of their own has no state that could be set");
    return TN_OK;
}

int tn_state_vector_check(const tn_session *s, double time, const double *state)
{
    TN_TRY(refuse_components(s));
    return check_vector(s, time, state);
}

void tn_session_recall_motion(tn_session *s)
{
    tn_stepper *st = s->stepper;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
}

static int rate_at(double *rate, tn_session *s, double time, const double *state)
{
    s->eval_current = false;
    TN_TRY(tn_session_evaluate_at(s, time, state));
    take_rate(rate, s, state);
    return TN_OK;
}

int tn_session_rate_at(double *rate, tn_session *s, double time, const double *state)
{
    TN_TRY(tn_state_vector_check(s, time, state));
    int code = rate_at(rate, s, time, state);
    tn_session_recall_motion(s);
    return code;
}

int tn_session_state_rate(double *rate, tn_session *s)
{
    TN_TRY(refuse_components(s));
    TN_TRY(tn_inputs_take(s));
    TN_TRY(tn_session_evaluate(s));
    take_rate(rate, s, s->stepper->y);
    return TN_OK;
}

int tn_state_vector_project(double *y, tn_session *s, double time)
{
    tn_stepper *st = s->stepper;
    tn_position_normalize(s->system, y);
    st->rule = TN_RANK_DECIDE;
    s->eval_current = false;
    int code = tn_project_positions(st, time, y);
    if (code == TN_OK)
        code = tn_project_velocities(st, time, y, y + s->system->positions);
    if (code == TN_ERROR_STEP)
        return tn_fail(s->context, code, TN_NOWHERE, "the state cannot be put on the constraints at t = %.9g s", time);
    return code;
}

/* The state is another one, with modes of its own. */
static int decide_modes(tn_session *s)
{
    TN_TRY(tn_unilaterals_place(s));
    return tn_events_rearm(s);
}

/* The state continues the motion, with the same modes. */
static int keep_modes(tn_session *s)
{
    tn_unilaterals_accepted(s);
    return tn_events_follow(s);
}

static int move_to(tn_session *s, double time, const double *y, bool follow)
{
    tn_stepper *st = s->stepper;
    if (!follow && time != st->t)
        tn_hybrid_move(st->eval, s->system, st->t, time, st->memory);
    TN_TRY(tn_stepper_start(st, time, y, y + s->system->positions, st->memory));
    st->turned = INFINITY;                             /* turns are counted from here on */
    tn_turns_remember(st);
    s->eval_current = s->at_rest = s->inputs_changed = false;
    TN_TRY(tn_work_begin(s));
    s->summary.time = time;
    if (s->solve.record > 0)                           /* the next sample is the first one after this time */
        s->next_sample = (long)fmax(0, floor(time / s->solve.record * (1 + 1e-12)) + 1);
    TN_TRY(follow ? keep_modes(s) : decide_modes(s));
    return tn_work_begin(s);
}

int tn_state_vector_move(tn_session *s, double time, const double *state, bool follow)
{
    tn_snapshot before;
    const size_t size = (size_t)s->system->size;
    TN_TRY(tn_state_vector_check(s, time, state));
    TN_TRY(tn_inputs_take(s));
    TN_TRY(tn_log_flush(s));
    TN_TRY(tn_snapshot_take(&before, s));
    double *y = tn_alloc(s->context, size, sizeof *y);
    int code = y ? TN_OK : TN_ERROR_MEMORY;
    if (code == TN_OK && !follow)
        code = tn_unilaterals_let_go(s);
    if (code == TN_OK) {
        memcpy(y, state, size * sizeof *y);
        code = tn_state_vector_project(y, s, time);
    }
    if (code == TN_OK)
        code = move_to(s, time, y, follow);
    if (code < 0)
        tn_snapshot_restore(s, &before);               /* it was valid before; code keeps the error */
    tn_snapshot_free(&before, s->context);
    tn_free(s->context, y);
    return code < 0 ? code : tn_log_moved(s);
}

int tn_session_set_state(tn_session *s, double time, const double *state)
{
    return tn_state_vector_move(s, time, state, false);
}

/* ---- values elsewhere ---- */

int tn_readout_values_at(double *values, tn_readout *readout, double time, const double *state)
{
    tn_session *s = readout->session;
    tn_stepper *st = s->stepper;
    double *accepted = st->y, now = st->t;
    const size_t size = (size_t)s->system->size;
    TN_TRY(refuse_components(s));
    TN_TRY(check_vector(s, time, state));
    double *y = tn_alloc(s->context, size, sizeof *y);
    if (!y)
        return TN_ERROR_MEMORY;
    memcpy(y, state, size * sizeof *y);
    s->eval_current = false;
    int code = tn_session_evaluate_at(s, time, y);
    if (code == TN_OK)
        code = tn_laws_share(s, time, y);
    st->y = y;                                         /* channels read the motion of the accepted state */
    st->t = time;
    for (size_t k = 0; k < readout->probes.count && code == TN_OK; k++)
        values[k] = tn_probe_value(s, &readout->probes.items[k]);
    st->y = accepted;
    st->t = now;
    tn_session_recall_motion(s);
    tn_free(s->context, y);
    return code;
}

/* ---- directional derivatives ---- */

typedef struct differ {
    tn_session *s;
    tn_readout *outputs;
    size_t output_count;
    const double *direction;           /* over the whole state */
    double *y, *rate;                  /* of a moved state */
} differ;

/* Adds weight times rates and outputs at the state moved by h along the direction. */
static int add_moved(differ *d, double h, double weight, double *rate_change, double *output_change)
{
    tn_session *s = d->s;
    tn_stepper *st = s->stepper;
    double *accepted = st->y;
    for (int k = 0; k < s->system->size; k++)
        d->y[k] = accepted[k] + h * d->direction[k];
    TN_TRY(rate_at(d->rate, s, st->t, d->y));
    for (int k = 0; k < s->system->size && rate_change; k++)
        rate_change[k] += weight * d->rate[k];
    if (!d->outputs)
        return TN_OK;
    st->y = d->y;                                      /* channels read the motion of the accepted state */
    for (size_t k = 0; k < d->output_count; k++)
        output_change[k] += weight * tn_probe_value(s, &d->outputs->probes.items[k]);
    st->y = accepted;
    return TN_OK;
}

static int differentiate(differ *d, double *rate_change, double *output_change)
{
    const double increment = 1e-3;     /* of the state, relative to its size: eighth-order differences */
    const tn_system *sys = d->s->system;
    double most = 0;
    for (int k = 0; k < sys->size; k++)
        most = fmax(most, fabs(d->direction[k]) / fmax(1, fabs(d->s->stepper->y[k])));
    double h = most > 0 ? increment / most : 1;
    if (rate_change)
        memset(rate_change, 0, (size_t)sys->size * sizeof(double));
    if (output_change)
        memset(output_change, 0, d->output_count * sizeof(double));
    for (int k = 0; k < TN_STENCIL; k++)
        for (int side = -1; side <= 1; side += 2)
            TN_TRY(add_moved(d, side * (k + 1) * h, side * tn_stencil[k] / h, rate_change, output_change));
    return TN_OK;
}

/* Puts the directions of state and inputs together. */
static int make_direction(double *direction, const tn_session *s, const double *state, const double *inputs)
{
    const tn_system *sys = s->system;
    if (state)
        memcpy(direction, state, (size_t)sys->size * sizeof(double));
    for (size_t k = 0; inputs && k < tn_model_input_count(s->model); k++) {
        int force = sys->force_of[tn_model_input_at(s->model, k).id.index];
        if (force >= 0)
            direction[sys->positions + sys->velocities + sys->forces[force].state] += inputs[k];
    }
    return check_vector(s, 0, direction);
}

int tn_session_derivative(double *rate_change, double *output_change, tn_session *s, tn_readout *outputs,
                          const double *state_direction, const double *input_direction)
{
    const size_t size = (size_t)s->system->size, count = outputs ? outputs->probes.count : 0;
    if (outputs && !output_change)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "derivatives of outputs need room for them");
    TN_TRY(refuse_components(s));
    TN_TRY(tn_inputs_take(s));
    double *direction = tn_alloc(s->context, 3 * size, sizeof *direction);
    if (!direction)
        return TN_ERROR_MEMORY;
    differ d = { s, outputs, count, direction, direction + size, direction + 2 * size };
    int code = make_direction(direction, s, state_direction, input_direction);
    if (code == TN_OK)
        code = differentiate(&d, rate_change, output_change);
    tn_session_recall_motion(s);
    tn_free(s->context, direction);
    return code;
}

/* ---- controllers ---- */

int tn_session_control(tn_session *s, double until, double period, tn_controller controller, void *user)
{
    if (!isfinite(until) || !(period > 0) || !isfinite(period) || !controller)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a controller needs a function, a positive period and "
                       "an end");
    const double same = 1e-12, now = tn_session_time(s) / period;      /* of the time; a sample that is now belongs to this call */
    for (double k = ceil(now - same * fabs(now)); tn_multiple(k, period) < until - same * fabs(until); k++) {
        int code = tn_session_advance_to(s, tn_multiple(k, period));
        if (code != TN_OK)
            return code;
        const double sample = s->stepper->t;
        if (controller(user, s, tn_multiple(k, period)))
            return TN_NEWS_INTERRUPTED;
        if (s->stepper->t != sample)
            return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the controller has moved the session from t = %.9g s to %.9g s: "
                           "it reads channels and sets inputs, nothing else", sample, s->stepper->t);
    }
    return tn_session_advance_to(s, until);
}
