/* The discrete part of external devices: their start, events of model exchange, communication points of co-simulation. */
#include "external.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* After an event that was found at the zero of an indicator, the indicator counts as zero below this bound. */
static const double AT_ZERO = 1e-9;

static void fail(tn_eval *e, const tn_system *s, const tn_external *x, const char *why)
{
    const tn_force *force = &s->model->forces[x->source];
    if (e->failed)
        return;
    e->failed = force->entity.name;
    e->failed_span = force->entity.span;
    snprintf(e->trouble, sizeof e->trouble, "device '%.60s': FMU: %.150s", force->entity.name, why);
}

/* The inputs at the motion of e, from the network. */
static void read_inputs(tn_eval *e, const tn_system *s, const tn_external *x, const double *memory, double *u)
{
    e->network->current = false;
    tn_network_evaluate(e, s, memory);
    for (int k = 0; k < x->facts->inputs; k++)
        u[k] = e->network->x[x->inputs[k]];
}

static double *state_of(const tn_system *s, const tn_external *x, double *z)
{
    return z + s->forces[s->force_of[x->source]].state;
}

/* Notes on which side of zero each indicator is; one that is no larger than at_zero stays where it was. */
static void note_sides(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double at_zero)
{
    const struct tn_external_work *w = tn_external_work_of(e, s, x);
    double *sides = memory + x->memory + TN_EXCHANGE_SIGNS;
    if (x->facts->indicators == 0)
        return;
    e->network->current = false;
    tn_network_evaluate(e, s, memory);
    if (tn_external_evaluate(e, s, x, memory) < 0) {
        fail(e, s, x, w->trouble);
        return;
    }
    for (int k = 0; k < x->facts->indicators; k++)
        sides[k] = fabs(w->indicators[k]) > at_zero ? copysign(1, w->indicators[k]) : sides[k] != 0 ? sides[k] : 1;
}

/* Notes the discrete inputs that the FMU has got. */
static void note_inputs(const tn_external *x, const double *u, double *memory)
{
    double *held = memory + x->memory + TN_EXCHANGE_SIGNS + x->facts->indicators;
    for (int k = 0; k < x->facts->discretes; k++)
        held[k] = tn_fmi_sent(x->fmi, x->facts->discrete[k], u[x->facts->discrete[k]]);
}

bool tn_external_changed(tn_eval *e, const tn_system *s, const tn_external *x, const double *memory)
{
    const double *own = memory + x->memory, *held = own + TN_EXCHANGE_SIGNS + x->facts->indicators;
    if (x->facts->discretes == 0 || own[TN_EXTERNAL_HANDLE] == 0)
        return false;
    tn_network_evaluate(e, s, memory);
    for (int k = 0; k < x->facts->discretes && !e->network->failed; k++) {
        const int input = x->facts->discrete[k];
        if (tn_fmi_sent(x->fmi, input, e->network->x[x->inputs[input]]) != held[k])
            return true;
    }
    return false;
}

/* Positive where a discrete input that is a whole number or a truth value has changed. Those with fractions follow at instants that
 * others have: a smooth expression would change them all the time. */
static double input_indicator(tn_eval *e, const tn_external *x, int k, const double *memory)
{
    const int input = x->facts->discrete[k];
    const double held = memory[x->memory + TN_EXCHANGE_SIGNS + x->facts->indicators + k], value = e->network->x[x->inputs[input]];
    if (tn_fmi_is_real(x->fmi, input))
        return -1;
    return tn_fmi_sent(x->fmi, input, value) == held ? -fmax(0.5 - fabs(value - held), 1e-3) : fmax(fabs(value - held) - 0.5, 1e-3);
}

void tn_external_start(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double *z)
{
    struct tn_external_work *w = tn_external_work_of(e, s, x);
    double *own = memory + x->memory, handle = 0, next = INFINITY;
    if (own[TN_EXTERNAL_HANDLE] != 0)                  /* carried over from before an edit */
        return;
    read_inputs(e, s, x, memory, w->u);
    const tn_fmi_point p = { 0, e->t, w->u, NULL };
    w->known = false;
    if (tn_fmi_begin(x->fmi, &p, &handle, state_of(s, x, z), w->y, &next, w->trouble) < 0) {
        fail(e, s, x, w->trouble);
        return;
    }
    own[TN_EXTERNAL_HANDLE] = handle;
    if (x->facts->exchange) {
        own[TN_EXCHANGE_NEXT] = next;
        note_inputs(x, w->u, memory);
        note_sides(e, s, x, memory, 0);
        return;
    }
    own[TN_SIMULATION_LAST] = own[TN_SIMULATION_FIRST] = e->t;
    memcpy(own + TN_SIMULATION_VALUES, w->u, (size_t)x->facts->inputs * sizeof(double));
    memcpy(own + TN_SIMULATION_VALUES + x->facts->inputs, w->y, (size_t)x->facts->outputs * sizeof(double));
    if (x->facts->iterates)
        read_inputs(e, s, x, memory, own + TN_SIMULATION_VALUES);      /* with the outputs for these inputs */
}

double tn_external_time(const tn_external *x, const double *memory, double number)
{
    const double *own = memory + x->memory;
    if (own[TN_EXTERNAL_HANDLE] == 0)
        return INFINITY;
    return x->facts->exchange ? own[TN_EXCHANGE_NEXT] : own[TN_SIMULATION_FIRST] + number * x->facts->period;
}

/* ---- model exchange ---- */

/* Whether the event has changed the state. A body rebounds where its indicator is zero, and then returns to the side from
 * which it came. */
static bool changes_state(const tn_external *x, const double *before, const double *after)
{
    return memcmp(before, after, (size_t)x->facts->states * sizeof(double)) != 0;
}

static void take_event(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double *z)
{
    struct tn_external_work *w = tn_external_work_of(e, s, x);
    double *own = memory + x->memory, handle, next;
    bool ends;
    read_inputs(e, s, x, memory, w->u);
    memcpy(w->x, state_of(s, x, z), (size_t)x->facts->states * sizeof(double));
    const tn_fmi_point p = { own[TN_EXTERNAL_HANDLE], e->t, w->u, w->x };
    w->known = false;
    if (tn_fmi_event(x->fmi, &p, &handle, state_of(s, x, z), &next, &ends, w->trouble) < 0) {
        fail(e, s, x, w->trouble);
        return;
    }
    if (ends) {
        fail(e, s, x, "it wants the simulation to end here (terminateSimulation)");
        return;
    }
    own[TN_EXTERNAL_HANDLE] = handle;
    own[TN_EXCHANGE_NEXT] = next > e->t ? next : INFINITY;
    note_inputs(x, p.u, memory);
    note_sides(e, s, x, memory, changes_state(x, w->x, state_of(s, x, z)) ? AT_ZERO : 0);
}

double tn_external_indicator(tn_eval *e, const tn_system *s, const tn_external *x, int index, const double *memory)
{
    const struct tn_external_work *w = tn_external_work_of(e, s, x);
    tn_network_evaluate(e, s, memory);
    if (!e->network->failed && index >= x->facts->indicators)
        return input_indicator(e, x, index - x->facts->indicators, memory);
    if (e->network->failed || tn_external_evaluate(e, s, x, memory) < 0)
        return -1;
    return -memory[x->memory + TN_EXCHANGE_SIGNS + index] * w->indicators[index];
}

void tn_externals_completed(tn_eval *e, const tn_system *s, double *memory)
{
    for (int k = 0; s->network && k < s->network->external_count; k++) {
        const tn_external *x = &s->network->externals[k];
        struct tn_external_work *w = tn_external_work_of(e, s, x);
        bool event = false;
        if (!x->facts->completed || memory[x->memory + TN_EXTERNAL_HANDLE] == 0)
            continue;
        tn_network_evaluate(e, s, memory);
        if (e->network->failed || tn_external_evaluate(e, s, x, memory) < 0)
            continue;                                  /* the next evaluation reports it */
        const tn_fmi_point p = { w->handle, w->t, w->u, w->x };
        if (tn_fmi_completed(x->fmi, &p, &event, w->trouble) < 0)
            fail(e, s, x, w->trouble);
        else if (event)
            memory[x->memory + TN_EXCHANGE_NEXT] = e->t;
    }
}

/* ---- co-simulation ---- */

static void take_step(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double t)
{
    struct tn_external_work *w = tn_external_work_of(e, s, x);
    double *own = memory + x->memory, *inputs = own + TN_SIMULATION_VALUES, *outputs = inputs + x->facts->inputs, handle;
    const double h = t - own[TN_SIMULATION_LAST];
    read_inputs(e, s, x, memory, w->u);
    if (h > 0) {
        for (int k = 0; k < x->facts->inputs; k++)
            w->D[k] = (w->u[k] - inputs[k]) / h;
        const tn_fmi_point p = { own[TN_EXTERNAL_HANDLE], own[TN_SIMULATION_LAST], inputs, NULL };
        if (tn_fmi_step(x->fmi, &p, t, w->D, &handle, outputs, w->trouble) < 0) {
            fail(e, s, x, w->trouble);
            return;
        }
        own[TN_EXTERNAL_HANDLE] = handle;
        own[TN_SIMULATION_LAST] = t;
    }
    read_inputs(e, s, x, memory, inputs);              /* with the new outputs */
}

void tn_external_take(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double *z)
{
    const double number = memory[x->memory + tn_external_memory(s->model->forces[x->source].type) + 2];
    if (x->facts->exchange)
        take_event(e, s, x, memory, z);
    else
        take_step(e, s, x, memory, tn_external_time(x, memory, number));
}
