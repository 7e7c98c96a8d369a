/* Life in the process of an FMU: loads its library, calls the FMU, answers. */
#include "fmi_guest.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the size of a value: step of differences. */
static const double DIFFERENCE = 6e-6;                 /* third root of the precision */
/* Rounds of an event iteration before it counts as endless. */
enum { MOST_ROUNDS = 1000, PATH_SIZE = 700 };

/* ---- calls and their status ---- */

void tn_guest_stage(tn_guest *g, const char *function)
{
    snprintf(g->board->function, sizeof g->board->function, "fmi%d%s", g->fmi->description.version, function);
}

void tn_guest_say(tn_guest *g, int status, const char *message)
{
    if (status >= GUEST_DISCARD && g->board->message[0] == '\0')
        snprintf(g->board->message, sizeof g->board->message, "%s", message);
}

/* Turns a status into the answer. True: go on. */
static bool good(tn_guest *g, int status)
{
    static const char *const words[] = { "OK", "Warning", "Discard", "Error", "Fatal", "Pending" };
    char text[TN_FMI_TROUBLE];
    if (status == GUEST_OK || status == GUEST_WARNING)
        return true;
    snprintf(text, sizeof text, "%s returns %s%s%.100s", g->board->function, status >= 0 && status <= 5 ? words[status] : "nonsense",
             g->board->message[0] ? ": " : "", g->board->message);
    memcpy(g->board->message, text, sizeof text);
    g->board->code = TN_ERROR_STEP;
    g->board->lost = status != GUEST_DISCARD;
    if (status == GUEST_FATAL)
        g->instance = g->instances[g->board->instance] = NULL;     /* not even to be freed */
    return false;
}

static void fail(tn_guest *g, const char *message)
{
    snprintf(g->board->message, sizeof g->board->message, "%s", message);
    g->board->code = TN_ERROR_STEP;
}

bool tn_guest_look_up(tn_guest *g, const char *prefix, const char *const *names, size_t count, size_t needed)
{
    g->functions = calloc(count, sizeof *g->functions);
    for (size_t k = 0; g->functions && k < count; k++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", prefix, names[k]);
        g->functions[k] = dlsym(g->library, name);
        if (!g->functions[k] && k < needed) {
            snprintf(g->why, sizeof g->why, "its library has no function %s", name);
            return false;
        }
    }
    return g->functions != NULL;
}

/* ---- values ---- */

static double to_guest(const tn_fmi_variable *v, double value)
{
    return (value - v->offset) / v->factor;
}

/* all: also those that change at events alone. */
static bool set_inputs(tn_guest *g, bool all)
{
    const tn_fmi *f = g->fmi;
    const size_t n = (size_t)f->facts.inputs;
    for (size_t k = 0; k < n; k++)
        g->values[k] = to_guest(&f->description.variables[f->input[k]], g->at.u[k]);
    if (g->real_inputs)
        return n == 0 || good(g, g->calls->set_reals(g, g->input_references, n, g->values));
    for (size_t k = 0; k < n; k += (size_t)f->description.variables[f->input[k]].size) {   /* elements of arrays stand together */
        const tn_fmi_variable *v = &f->description.variables[f->input[k]];
        if ((all || v->continuous || !f->facts.exchange) && !good(g, g->calls->set(g, v, &g->values[k])))
            return false;
    }
    return true;
}

static bool get_outputs(tn_guest *g, double *y)
{
    const tn_fmi *f = g->fmi;
    const size_t n = (size_t)f->facts.outputs;
    if (g->real_outputs) {
        if (n > 0 && !good(g, g->calls->get_reals(g, g->output_references, n, y)))
            return false;
    } else {
        for (size_t k = 0; k < n; k++) {
            const tn_fmi_variable *v = &f->description.variables[f->output[k]];
            if (!good(g, g->calls->get(g, v, g->array)))
                return false;
            y[k] = g->array[v->element];
        }
    }
    for (size_t k = 0; k < n; k++) {
        const tn_fmi_variable *v = &f->description.variables[f->output[k]];
        y[k] = v->factor * y[k] + v->offset;
        if (!isfinite(y[k])) {
            char text[TN_FMI_TROUBLE];
            snprintf(text, sizeof text, "its output '%.100s' is not a finite number", v->name);
            fail(g, text);
            return false;
        }
    }
    return true;
}

static bool get_exchange_values(tn_guest *g, double *y, double *rates)
{
    const size_t n = (size_t)g->fmi->facts.states;
    if (n > 0 && !good(g, g->calls->get_rates(g, rates, n)))
        return false;
    for (size_t k = 0; k < n; k++)
        if (!isfinite(rates[k])) {
            fail(g, "the rate of one of its states is not a finite number");
            return false;
        }
    return get_outputs(g, y);
}

static bool go_to_point(tn_guest *g)
{
    const size_t n = (size_t)g->fmi->facts.states;
    return good(g, g->calls->set_time(g, g->board->t)) && (n == 0 || good(g, g->calls->set_states(g, g->at.x, n))) &&
           set_inputs(g, false);
}

/* ---- instances ---- */

static void drop_instance(tn_guest *g, int instance)
{
    for (int k = 0; k < g->saved_count; k++)
        if (g->saved[k].state && g->saved[k].instance == instance) {
            g->instance = g->instances[instance];
            if (g->instance)
                g->calls->forget(g, &g->saved[k].state);
            g->saved[k].state = NULL;
        }
    g->instance = g->instances[instance];
    if (g->instance)
        g->calls->destroy(g);
    g->instance = g->instances[instance] = NULL;
}

/* Event iteration from event mode, then on to continuous time. */
static bool iterate_event(tn_guest *g)
{
    bool again = true, ends = false;
    const size_t n = (size_t)g->fmi->facts.states;
    g->board->next = INFINITY;
    g->board->ends = false;
    for (int round = 0; again; round++) {
        if (!good(g, g->calls->update(g, &again, &ends, &g->board->next)))
            return false;
        g->board->ends |= ends;
        if (round == MOST_ROUNDS) {
            fail(g, "its events do not come to an end");
            return false;
        }
    }
    return good(g, g->calls->enter_continuous(g)) && (n == 0 || good(g, g->calls->get_states(g, g->at.x, n)));
}

static bool set_parameters(tn_guest *g)
{
    const tn_fmi *f = g->fmi;
    for (int k = 0; k < f->parameter_count; k++) {
        const tn_fmi_variable *v = &f->description.variables[f->parameter[k]];
        if (f->parameter_text[k]) {
            if (!good(g, g->calls->set_text(g, v, f->parameter_text[k])))
                return false;
            continue;
        }
        if (v->size > 1 && !good(g, g->calls->get(g, v, g->array)))        /* the other elements stay */
            return false;
        g->array[v->element] = to_guest(v, f->parameter_value[k]);
        if (!good(g, g->calls->set(g, v, g->array)))
            return false;
    }
    return true;
}

static void begin_answer(tn_guest *g)
{
    char resources[PATH_SIZE];
    drop_instance(g, g->board->instance);
    snprintf(resources, sizeof resources, "%s/resources", g->fmi->folder);
    if (!g->calls->instantiate(g, resources)) {
        char text[TN_FMI_TROUBLE];
        snprintf(text, sizeof text, "%s gives no instance%s%.100s", g->board->function, g->board->message[0] ? ": " : "",
                 g->board->message);
        fail(g, text);
        g->board->lost = true;
        return;
    }
    g->instances[g->board->instance] = g->instance;
    g->board->next = INFINITY;
    if (!set_parameters(g) || !good(g, g->calls->enter_initialization(g, g->board->t)) || !set_inputs(g, true) ||
        !good(g, g->calls->exit_initialization(g)))
        return;
    if (g->fmi->facts.exchange && !iterate_event(g))
        return;
    get_outputs(g, g->at.y);
}

/* ---- questions ---- */

static void read_values(tn_guest *g)
{
    const size_t n = (size_t)g->fmi->facts.states;
    if (g->fmi->facts.exchange && n > 0 && !good(g, g->calls->get_states(g, g->at.x, n)))
        return;
    get_outputs(g, g->at.y);
}

static void evaluate(tn_guest *g)
{
    const size_t n = (size_t)g->fmi->facts.indicators;
    if (go_to_point(g) && get_exchange_values(g, g->at.y, g->at.rates) && n > 0)
        good(g, g->calls->get_indicators(g, g->at.indicators, n));
}

/* One column of D by central differences of input or state k. scratch: outputs, then rates, twice. */
static bool difference(tn_guest *g, int k, double *low, double *high)
{
    const tn_fmi_facts *f = &g->fmi->facts;
    double *value = k < f->inputs ? &g->at.u[k] : &g->at.x[k - f->inputs];
    const double middle = *value, h = DIFFERENCE * fmax(1, fabs(middle));
    *value = middle - h;
    bool fine = go_to_point(g) && get_exchange_values(g, low, low + f->outputs);
    *value = middle + h;
    fine = fine && go_to_point(g) && get_exchange_values(g, high, high + f->outputs);
    *value = middle;
    for (int i = 0; fine && i < f->outputs + f->states; i++)
        g->at.D[i * (f->inputs + f->states) + k] = (high[i] - low[i]) / (2 * h);
    return fine;
}

/* The same by the FMU's own derivatives. */
static bool own_derivative(tn_guest *g, int k, double *change)
{
    const tn_fmi *f = g->fmi;
    const int outputs = f->facts.outputs, states = f->facts.states, inputs = f->facts.inputs;
    const uint32_t known = k < inputs ? g->input_references[k] : g->state_references[k - inputs];
    const double in = k < inputs ? f->description.variables[f->input[k]].factor : 1;
    if (outputs > 0 && !good(g, g->calls->directional(g, g->output_references, (size_t)outputs, known, change)))
        return false;
    if (states > 0 && !good(g, g->calls->directional(g, g->rate_references, (size_t)states, known, change + outputs)))
        return false;
    for (int i = 0; i < outputs + states; i++)
        g->at.D[i * (inputs + states) + k] =
            change[i] * (i < outputs ? f->description.variables[f->output[i]].factor : 1) / in;
    return true;
}

static void differentiate(tn_guest *g)
{
    const tn_fmi_facts *f = &g->fmi->facts;
    const int count = f->inputs + f->states;
    double *low = g->values + count, *high = low + f->outputs + f->states;
    bool fine = go_to_point(g);
    for (int k = 0; k < count && fine; k++)
        if (k < f->inputs && f->exchange && !g->fmi->description.variables[g->fmi->input[k]].continuous)
            for (int i = 0; i < f->outputs + f->states; i++)
                g->at.D[i * count + k] = 0;            /* changes at events alone */
        else
            fine = f->directional ? own_derivative(g, k, low) : difference(g, k, low, high);
    if (fine)
        go_to_point(g);
}

static void event(tn_guest *g)
{
    if (go_to_point(g) && good(g, g->calls->enter_event(g)) && set_inputs(g, true) && iterate_event(g))
        get_outputs(g, g->at.y);
}

static void completed(tn_guest *g)
{
    if (go_to_point(g))
        good(g, g->calls->completed(g, &g->board->event, &g->board->ends));
}

/* The inputs a time after the point. */
static void move_inputs(tn_guest *g, double time)
{
    for (int k = 0; k < g->fmi->facts.inputs; k++)
        g->at.u[k] += time * g->at.u_rates[k];
}

/* A step whose inputs go from their values to others. An FMU that cannot follow them gets their mean; the outputs are those with
 * the values at the end. */
static void answer_step(tn_guest *g)
{
    double reached = 0;
    const tn_fmi_board *b = g->board;
    const bool iterates = g->fmi->facts.iterates, mean = iterates && !b->interpolate;
    if (mean)
        move_inputs(g, b->h / 2);
    if (!set_inputs(g, true))
        return;
    if (iterates && b->h == 0) {
        get_outputs(g, g->at.y);
        return;
    }
    for (int k = 0; b->interpolate && k < g->fmi->facts.inputs; k++)
        g->values[k] = g->at.u_rates[k] / g->fmi->description.variables[g->fmi->input[k]].factor;
    if (b->interpolate && !good(g, g->calls->set_input_rates(g, g->input_references, (size_t)g->fmi->facts.inputs, g->values)))
        return;
    int status = g->calls->step(g, b->t, b->h, &g->board->ends, &reached);
    if (!good(g, status)) {
        g->board->lost = true;                         /* it may have gone a part of the way */
        return;
    }
    if (fabs(reached - b->t - b->h) > 1e-9 * b->h) {
        fail(g, "its step ends before the communication point, which is not supported");
        g->board->lost = true;
        return;
    }
    if (g->board->ends) {
        fail(g, "it wants the simulation to end here (terminateSimulation)");
        return;
    }
    if (iterates) {
        move_inputs(g, mean ? b->h / 2 : b->h);
        if (!set_inputs(g, true))
            return;
    }
    get_outputs(g, g->at.y);
}

static void save(tn_guest *g)
{
    const int slot = g->board->slot;
    if (slot >= g->saved_count) {
        const int more = 2 * slot + 16;
        struct tn_guest_state *saved = realloc(g->saved, (size_t)more * sizeof *saved);
        if (!saved) {
            fail(g, "no memory for its states");
            return;
        }
        memset(saved + g->saved_count, 0, (size_t)(more - g->saved_count) * sizeof *saved);
        g->saved = saved;
        g->saved_count = more;
    }
    g->saved[slot].instance = g->board->instance;
    good(g, g->calls->save(g, &g->saved[slot].state));
}

static void answer(tn_guest *g)
{
    const int slot = g->board->slot;
    g->instance = g->instances[g->board->instance];
    switch (g->board->call) {
    case TN_FMI_BEGIN: begin_answer(g); break;
    case TN_FMI_READ: read_values(g); break;
    case TN_FMI_EVALUATE: evaluate(g); break;
    case TN_FMI_DIFFERENTIATE: differentiate(g); break;
    case TN_FMI_EVENT: event(g); break;
    case TN_FMI_COMPLETED: completed(g); break;
    case TN_FMI_STEP: answer_step(g); break;
    case TN_FMI_SAVE: save(g); break;
    case TN_FMI_RESTORE: good(g, g->calls->restore(g, g->saved[slot].state)); break;
    case TN_FMI_FORGET:
        g->instance = g->instances[g->saved[slot].instance];
        if (g->instance && g->saved[slot].state)
            good(g, g->calls->forget(g, &g->saved[slot].state));
        g->saved[slot].state = NULL;
        break;
    case TN_FMI_END:
        for (int k = 0; k < TN_FMI_INSTANCES; k++) {
            g->instance = g->instances[k];
            if (g->instance)
                g->calls->terminate(g);
            drop_instance(g, k);
        }
        break;
    }
}

/* ---- the process ---- */

static uint32_t *references(const tn_fmi_description *d, const int *variables, int count, bool *real)
{
    uint32_t *list = calloc((size_t)count + 1, sizeof *list);
    *real = true;
    for (int k = 0; list && k < count; k++) {
        list[k] = d->variables[variables[k]].reference;
        *real = *real && d->variables[variables[k]].type == TN_FMI_FLOAT64 && d->variables[variables[k]].size == 1;
    }
    return list;
}

static bool prepare(tn_guest *g)
{
    const tn_fmi *f = g->fmi;
    const tn_fmi_description *d = &f->description;
    char path[PATH_SIZE];
    bool real;
    g->at = tn_fmi_arrays_of(f, g->board);
    g->calls = d->version == 2 ? &tn_guest_calls_2 : &tn_guest_calls_3;
    g->input_references = references(d, f->input, f->facts.inputs, &g->real_inputs);
    g->real_inputs = g->real_inputs && f->facts.discretes == 0;
    g->output_references = references(d, f->output, f->facts.outputs, &g->real_outputs);
    g->state_references = references(d, d->states, f->facts.states, &real);
    g->rate_references = calloc((size_t)f->facts.states + 1, sizeof *g->rate_references);
    g->values = calloc((size_t)(f->facts.inputs + 2 * (f->facts.outputs + f->facts.states) + f->facts.states) + 1, sizeof(double));
    size_t longest = 1;
    for (int k = 0; k < d->variable_count; k++)
        longest = (size_t)d->variables[k].size > longest ? (size_t)d->variables[k].size : longest;
    g->array = calloc(longest, sizeof *g->array);
    g->bytes = calloc(longest, sizeof(double));
    if (!g->input_references || !g->output_references || !g->state_references || !g->rate_references || !g->values || !g->array ||
        !g->bytes)
        return false;
    for (int k = 0; k < f->facts.states; k++)
        g->rate_references[k] = d->variables[d->rates[k].variable].reference;
    tn_fmi_library_path(f, path, sizeof path);
    g->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!g->library) {
        snprintf(g->why, sizeof g->why, "its library cannot be loaded: %.150s", dlerror());
        return false;
    }
    return g->calls->load(g);
}

int tn_guest_serve(void *user, int request, void *room)
{
    tn_guest *g = user;
    if (!g->board) {
        g->board = room;
        g->ready = prepare(g);
    }
    g->board->call = (tn_fmi_call)request;
    if (g->ready)
        answer(g);
    else
        fail(g, g->why[0] ? g->why : "there is no memory for it");
    return g->board->code;
}
