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

/* Value and derivatives of an input in the state of the session; NULL: the id is not that of an input in use. */
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

static int refuse_value(const tn_session *s, tn_id id, double value, bool finite)
{
    const tn_input input = describe_input(s->model, id.index);
    if (!isfinite(value) || !finite)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "input '%s': must be a finite number", input.name);
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "input '%s': %g %s is not between %g and %g", input.name,
                   value, input.unit, input.low, input.high);
}

/* numbers: value and derivatives. */
static int check_input(const tn_session *s, tn_id id, const double *numbers, size_t count)
{
    bool finite = true;
    if (!find_input(s, id))
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "there is no such input");
    for (size_t k = 1; k < count; k++)
        finite = finite && isfinite(numbers[k]);
    const double *p = s->model->forces[id.index].parameters;
    return numbers[0] >= p[LOW] && numbers[0] <= p[HIGH] && finite ? TN_OK : refuse_value(s, id, numbers[0], finite);
}

/* Writes the numbers. Before the first change since the last step, entries that wait for the journal are written: they
 * record the hash of the state. */
static int put_input(tn_session *s, double *place, const double *numbers, size_t count)
{
    double all[TN_INPUT_NUMBERS] = { 0 };
    memcpy(all, numbers, count * sizeof *all);
    bool same = true;
    for (int k = 0; k < TN_INPUT_NUMBERS; k++)
        same = same && place[k] == all[k];
    if (same)
        return TN_OK;
    if (!s->inputs_changed && s->log)
        TN_TRY(tn_log_flush(s));
    memcpy(place, all, sizeof all);
    s->inputs_changed = true;
    s->eval_current = s->at_rest = false;
    return TN_OK;
}

int tn_session_input_curve(tn_session *s, tn_id input, const double *derivatives, size_t count)
{
    if (!derivatives || count < 1 || count > TN_INPUT_NUMBERS)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "an input has 1 to %d numbers", TN_INPUT_NUMBERS);
    TN_TRY(check_input(s, input, derivatives, count));
    return put_input(s, find_input(s, input), derivatives, count);
}

int tn_session_input_ramp(tn_session *s, tn_id input, double value, double rate)
{
    return tn_session_input_curve(s, input, (const double[]){ value, rate }, 2);
}

int tn_session_input(tn_session *s, tn_id input, double value)
{
    return tn_session_input_curve(s, input, &value, 1);
}

int tn_session_input_reach(tn_session *s, tn_id input, double value, double rate, double step)
{
    const double *now = find_input(s, input), end[] = { value, rate };
    TN_TRY(check_input(s, input, end, 2));
    if (!(step > 0) || !isfinite(step))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a communication step must be a positive number");
    const double rise = (value - now[0]) / step;
    const double curve[TN_INPUT_NUMBERS] = { now[0], now[1], (6 * rise - 4 * now[1] - 2 * rate) / step,
                                             6 * (now[1] + rate - 2 * rise) / (step * step) };
    return tn_session_input_curve(s, input, curve, TN_INPUT_NUMBERS);
}

int tn_session_inputs(tn_session *s, const tn_id *inputs, const double *values, const double *rates, size_t count)
{
    for (size_t k = 0; k < count; k++)
        TN_TRY(check_input(s, inputs[k], (const double[]){ values[k], rates ? rates[k] : 0 }, 2));
    for (size_t k = 0; k < count; k++)
        TN_TRY(put_input(s, find_input(s, inputs[k]), (const double[]){ values[k], rates ? rates[k] : 0 }, 2));
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
    if (!s->inputs_changed)
        return TN_OK;
    s->inputs_changed = false;
    if (s->stepper->motion_only || s->kinematics)
        return TN_OK;
    TN_TRY(tn_unilaterals_let_go(s));
    tn_stepper *st = s->stepper;                       /* letting go has made another one */
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
