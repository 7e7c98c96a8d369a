/* Inputs of a session: finding, setting and journaling them. */
#include "tenon/inputs.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "log.h"

/* Bounds of this size mean that there is no bound. */
static const double NO_BOUND = 1e300;
enum { DEFAULT, LOW, HIGH };           /* parameters of the type, in the order of declaration */

/* ---- inputs of the model ---- */

size_t tn_model_input_count(const tn_model *m)
{
    size_t count = 0;
    for (size_t k = 0; k < m->force_count; k++)
        count += m->forces[k].entity.alive && m->forces[k].type->input;
    return count;
}

static tn_input describe_input(const tn_model *m, size_t slot)
{
    const tn_force *force = &m->forces[slot];
    const double *p = force->parameters;
    return (tn_input){ .id = { (uint32_t)slot, force->entity.generation, TN_KIND_FORCE, m->owner },
                       .name = force->entity.name, .unit = force->unit ? force->unit : "",
                       .initial = isnan(force->start[0]) ? p[DEFAULT] : force->start[0],
                       .low = p[LOW] <= -NO_BOUND ? -INFINITY : p[LOW], .high = p[HIGH] >= NO_BOUND ? INFINITY : p[HIGH] };
}

tn_input tn_model_input_at(const tn_model *m, size_t index)
{
    for (size_t k = 0; k < m->force_count; k++)
        if (m->forces[k].entity.alive && m->forces[k].type->input && index-- == 0)
            return describe_input(m, k);
    return (tn_input){ .id = { .kind = TN_KIND_NONE } };
}

/* ---- setting ---- */

/* Value and rate of an input in the state of the session; NULL: the id is not that of an input in use. */
static double *find_input(const tn_session *s, tn_id id)
{
    const tn_model *m = s->model;
    const tn_system *sys = s->system;
    if (id.kind != TN_KIND_FORCE || id.owner != m->owner || id.index >= m->force_count)
        return NULL;
    const tn_force *force = &m->forces[id.index];
    if (!force->entity.alive || force->entity.generation != id.generation || !force->type->input ||
        sys->force_of[id.index] < 0)
        return NULL;
    return s->stepper->y + sys->positions + sys->velocities + sys->forces[sys->force_of[id.index]].state;
}

static int refuse_value(const tn_session *s, tn_id id, double value, double rate)
{
    const tn_input input = describe_input(s->model, id.index);
    if (!isfinite(value) || !isfinite(rate))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "input '%s': must be a finite number", input.name);
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "input '%s': %g %s is not between %g and %g", input.name,
                   value, input.unit, input.low, input.high);
}

static int check_input(const tn_session *s, tn_id id, double value, double rate)
{
    if (!find_input(s, id))
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "there is no such input");
    const double *p = s->model->forces[id.index].parameters;
    return value >= p[LOW] && value <= p[HIGH] && isfinite(rate) ? TN_OK : refuse_value(s, id, value, rate);
}

/* Writes the values. Before the first change since the last step, entries that wait for the journal are written: they
 * record the hash of the state. */
static int put_input(tn_session *s, double *place, double value, double rate)
{
    if (place[0] == value && place[1] == rate)
        return TN_OK;
    if (!s->inputs_changed && s->log)
        TN_TRY(tn_log_flush(s));
    place[0] = value;
    place[1] = rate;
    s->inputs_changed = true;
    s->eval_current = s->at_rest = false;
    return TN_OK;
}

int tn_session_input_ramp(tn_session *s, tn_id input, double value, double rate)
{
    int code = check_input(s, input, value, rate);
    return code == TN_OK ? put_input(s, find_input(s, input), value, rate) : code;
}

int tn_session_input(tn_session *s, tn_id input, double value)
{
    return tn_session_input_ramp(s, input, value, 0);
}

int tn_session_inputs(tn_session *s, const tn_id *inputs, const double *values, const double *rates, size_t count)
{
    for (size_t k = 0; k < count; k++)
        TN_TRY(check_input(s, inputs[k], values[k], rates ? rates[k] : 0));
    for (size_t k = 0; k < count; k++)
        TN_TRY(put_input(s, find_input(s, inputs[k]), values[k], rates ? rates[k] : 0));
    return TN_OK;
}

int tn_session_input_now(double *value, double *rate, const tn_session *s, tn_id input)
{
    const double *place = find_input(s, input);
    if (!place)
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "there is no such input");
    if (value)
        *value = place[0];
    if (rate)
        *rate = place[1];
    return TN_OK;
}

/* ---- taking effect ---- */

static double *inputs_of(const tn_session *s)
{
    return s->stepper->y + s->system->size - s->system->input_states;
}

int tn_inputs_take(tn_session *s)
{
    tn_stepper *st = s->stepper;
    if (!s->inputs_changed)
        return TN_OK;
    s->inputs_changed = false;
    if (st->motion_only || s->kinematics)
        return TN_OK;
    TN_TRY(tn_unilaterals_let_go(s));
    TN_TRY(tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory));
    s->eval_current = s->at_rest = false;
    TN_TRY(tn_work_begin(s));
    TN_TRY(tn_unilaterals_begin(s));
    TN_TRY(tn_work_begin(s));
    TN_TRY(tn_events_jumped(s));
    tn_entry entry = { .kind = TN_ENTRY_INPUTS, .inputs = inputs_of(s), .input_count = (size_t)s->system->input_states };
    return s->log ? tn_log_nudged(s, &entry) : TN_OK;
}

int tn_inputs_replay(tn_session *s, const tn_entry *entry, tn_span place)
{
    if (entry->input_count != (size_t)s->system->input_states)
        return tn_fail(s->context, TN_ERROR_MODEL, place, "these inputs belong to another model");
    memcpy(inputs_of(s), entry->inputs, entry->input_count * sizeof(double));
    s->inputs_changed = true;
    s->eval_current = s->at_rest = false;
    return tn_inputs_take(s);
}
