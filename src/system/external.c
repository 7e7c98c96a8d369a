/* External devices: their unknowns in the network, and values from the FMU at a point of the motion. */
#include "external.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "force_scope.h"

static const tn_fmi *fmi_of(const tn_force_type *type)
{
    return type->device ? type->device->external : NULL;
}

/* Are the outputs signals of the network? */
static bool gives_signals(const tn_external *x)
{
    return x->facts->exchange || x->facts->iterates;
}

tn_external *tn_external_of(const tn_system *s, uint32_t source)
{
    for (int k = 0; s->network && k < s->network->external_count; k++)
        if (s->network->externals[k].source == source)
            return &s->network->externals[k];
    return NULL;
}

int tn_external_memory(const tn_force_type *type)
{
    if (!fmi_of(type))
        return 0;
    const tn_fmi_facts *f = tn_fmi_facts_of(fmi_of(type));
    return f->exchange ? TN_EXCHANGE_SIGNS + f->indicators + f->discretes : TN_SIMULATION_VALUES + f->inputs + f->outputs;
}

/* ---- compiling ---- */

int tn_externals_create(tn_system *s)
{
    const tn_model *m = s->model;
    tn_network *n = s->network;
    int count = 0;
    for (uint32_t k = 0; k < m->force_count; k++)
        count += tn_takes_force(m, s->selection, k) && fmi_of(m->forces[k].type);
    n->externals = tn_arena_alloc(s->arena, (size_t)count, sizeof *n->externals);
    return n->externals ? TN_OK : TN_ERROR_MEMORY;
}

/* A signal for each of count names, "PREFIX_K". */
static int add_signals(tn_system *s, uint32_t source, int **out, const char *prefix, int count)
{
    *out = tn_arena_alloc(s->arena, (size_t)count, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < count; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s_%d", prefix, k);
        (*out)[k] = tn_network_signal(s, source, name);
        if ((*out)[k] < 0)
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

int tn_external_add(tn_system *s, uint32_t source)
{
    const tn_device *device = s->model->forces[source].type->device;
    if (!device || !device->external)
        return TN_OK;
    tn_external *x = &s->network->externals[s->network->external_count++];
    *x = (tn_external){ .source = source, .fmi = device->external, .facts = tn_fmi_facts_of(device->external) };
    TN_TRY(add_signals(s, source, &x->inputs, "fmu_in", x->facts->inputs));
    TN_TRY(add_signals(s, source, &x->outputs, "fmu_y", gives_signals(x) ? x->facts->outputs : 0));
    return add_signals(s, source, &x->rates, "fmu_dx", x->facts->states);
}

/* The output or, behind the outputs, the rate that an unknown is; -1: neither. */
static int unknown_of(const tn_external *x, int variable)
{
    for (int k = 0; gives_signals(x) && k < x->facts->outputs; k++)
        if (x->outputs[k] == variable)
            return k;
    for (int k = 0; k < x->facts->states; k++)
        if (x->rates[k] == variable)
            return x->facts->outputs + k;
    return -1;
}

const char *tn_external_name(const tn_system *s, int variable)
{
    const tn_external *x = tn_external_of(s, s->network->variables[variable].source);
    const int unknown = x ? unknown_of(x, variable) : -1;
    for (int k = 0; x && k < x->facts->inputs; k++)
        if (x->inputs[k] == variable)
            return x->facts->input[k].name;
    if (unknown < 0)
        return NULL;
    return unknown < x->facts->outputs ? x->facts->output[unknown].name : x->facts->state_names[unknown - x->facts->outputs];
}

/* The sum of everything that an unknown depends on: its incidence. The value comes from the FMU. */
static int add_dependencies(tn_system *s, tn_formula *formula, const tn_external *x, int unknown)
{
    const tn_force *force = &s->model->forces[x->source];
    const int inputs = x->facts->inputs, knowns = inputs + x->facts->states;
    const size_t size = 16 * (size_t)knowns + 8;
    char *text = tn_arena_alloc(s->arena, size, 1);
    const tn_scope *scope = tn_force_scope_in(formula, x->source);
    if (!text || !scope)
        return TN_ERROR_MEMORY;
    size_t used = (size_t)snprintf(text, size, "0");
    for (int k = 0; k < knowns; k++)
        if (tn_fmi_depends(x->fmi, unknown, k))
            used += (size_t)snprintf(text + used, size - used, " + fmu_%c_%d", k < inputs ? 'u' : 'z', k < inputs ? k : k - inputs);
    return tn_formula_add(formula, text, scope, NULL, force->entity.span, "the FMU of a device", NULL);
}

int tn_external_equation(tn_system *s, int variable, bool *external)
{
    const tn_variable v = s->network->variables[variable];
    const tn_external *x = tn_external_of(s, v.source);
    const int unknown = x && v.kind == TN_VARIABLE_SIGNAL ? unknown_of(x, variable) : -1;
    tn_formula *formula;
    *external = unknown >= 0;
    if (unknown < 0)
        return TN_OK;
    TN_TRY(tn_formula_create(&formula, s, s->model->forces[v.source].entity.name));
    formula->acts = true;
    TN_TRY(add_dependencies(s, formula, x, unknown));
    TN_TRY(tn_formula_finish(formula));
    s->network->variables[variable].formula = formula;
    s->network->variables[variable].external = true;
    return TN_OK;
}

tn_symbol tn_external_symbol(tn_formula *formula, uint32_t source, const char *name, bool *found)
{
    const tn_symbol unknown = { .kind = TN_SYMBOL_UNKNOWN };
    const tn_system *s = formula->system;
    const tn_external *x = tn_external_of(s, source);
    const tn_force_type *type = s->model->forces[source].type;
    int k;
    *found = true;
    if (x && sscanf(name, "fmu_in_%d", &k) == 1 && k >= 0 && k < x->facts->inputs) {
        const tn_scope *scope = tn_force_scope_in(formula, source);
        return scope ? tn_force_parameter_symbol(scope->user, type->parameters[k].name) : unknown;
    }
    if (x && sscanf(name, "fmu_u_%d", &k) == 1 && k >= 0 && k < x->facts->inputs)
        return tn_formula_number(formula, (tn_slot){ TN_SLOT_UNKNOWN, x->inputs[k], 0 }, NULL);
    if (x && sscanf(name, "fmu_z_%d", &k) == 1 && k >= 0 && k < x->facts->states)
        return tn_formula_number(formula, (tn_slot){ TN_SLOT_STATE, s->forces[s->force_of[source]].state + k, 0 }, NULL);
    for (k = 0; x && gives_signals(x) && k < x->facts->outputs; k++)
        if (strcmp(x->facts->output[k].name, name) == 0)
            return tn_formula_number(formula, (tn_slot){ TN_SLOT_UNKNOWN, x->outputs[k], 0 }, x->facts->output[k].unit);
    *found = false;
    return unknown;
}

int tn_external_output(const tn_system *s, uint32_t source, const char *name, const char **unit)
{
    const tn_external *x = tn_external_of(s, source);
    for (int k = 0; x && !gives_signals(x) && k < x->facts->outputs; k++)
        if (strcmp(x->facts->output[k].name, name) == 0) {
            *unit = x->facts->output[k].unit;
            return x->memory + TN_SIMULATION_VALUES + x->facts->inputs + k;
        }
    return -1;
}

/* ---- values ---- */

int tn_external_work_create(struct tn_network_work *w, const tn_system *s, tn_arena *arena)
{
    const tn_network *n = s->network;
    w->externals = tn_arena_alloc(arena, (size_t)n->external_count, sizeof *w->externals);
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < n->external_count; k++) {
        const tn_fmi_facts *f = n->externals[k].facts;
        const size_t inputs = (size_t)f->inputs, outputs = (size_t)f->outputs, states = (size_t)f->states;
        struct tn_external_work *x = &w->externals[k];
        x->u = tn_arena_alloc(arena, inputs, sizeof(double));
        x->x = tn_arena_alloc(arena, states, sizeof(double));
        x->y = tn_arena_alloc(arena, outputs, sizeof(double));
        x->rates = tn_arena_alloc(arena, states, sizeof(double));
        x->indicators = tn_arena_alloc(arena, (size_t)f->indicators, sizeof(double));
        x->D = tn_arena_alloc(arena, (outputs + states) * (inputs + states), sizeof(double));
    }
    return tn_arena_status(arena);
}

struct tn_external_work *tn_external_work_of(const tn_eval *e, const tn_system *s, const tn_external *x)
{
    return &e->network->externals[x - s->network->externals];
}

/* Is the point that of the last values? Takes the point otherwise. */
static bool take_point(const tn_eval *e, const tn_system *s, const tn_external *x, double handle, struct tn_external_work *w)
{
    const double *z = e->z + s->forces[s->force_of[x->source]].state;
    bool same = w->known && w->handle == handle && w->t == e->t;
    for (int k = 0; k < x->facts->inputs; k++) {
        same = same && w->u[k] == e->network->x[x->inputs[k]];
        w->u[k] = e->network->x[x->inputs[k]];
    }
    for (int k = 0; k < x->facts->states; k++) {
        same = same && w->x[k] == z[k];
        w->x[k] = z[k];
    }
    w->handle = handle;
    w->t = e->t;
    return same;
}

/* Before the start: as the FMU says with the start values of its inputs. */
static int evaluate_start(const tn_eval *e, const tn_external *x, struct tn_external_work *w)
{
    tn_fmi_point p = { .t = e->t, .u = w->u, .x = w->x };
    double next;
    for (int k = 0; k < x->facts->inputs; k++)
        w->u[k] = x->facts->input[k].start;
    TN_TRY(tn_fmi_begin(x->fmi, &p, &p.handle, w->x, w->y, &next, w->trouble));
    return x->facts->iterates ? TN_OK : tn_fmi_evaluate(x->fmi, &p, w->y, w->rates, w->indicators, w->trouble);
}

/* The last communication point, with the inputs there. */
static tn_fmi_point last_point(const tn_external *x, const double *memory)
{
    const double *own = memory + x->memory;
    return (tn_fmi_point){ own[TN_EXTERNAL_HANDLE], own[TN_SIMULATION_LAST], own + TN_SIMULATION_VALUES, NULL };
}

int tn_external_evaluate(tn_eval *e, const tn_system *s, const tn_external *x, const double *memory)
{
    struct tn_external_work *w = tn_external_work_of(e, s, x);
    const double handle = memory[x->memory + TN_EXTERNAL_HANDLE];
    if (handle == 0) {
        w->known = w->differentiated = false;
        return evaluate_start(e, x, w);
    }
    if (take_point(e, s, x, handle, w))
        return TN_OK;
    w->differentiated = false;
    const tn_fmi_point here = { handle, e->t, w->u, w->x }, last = last_point(x, memory);
    int code = x->facts->iterates ? tn_fmi_try_step(x->fmi, &last, e->t, w->u, w->y, w->trouble)
                                  : tn_fmi_evaluate(x->fmi, &here, w->y, w->rates, w->indicators, w->trouble);
    w->known = code == TN_OK;
    return code;
}

bool tn_external_value(tn_eval *e, const tn_system *s, const double *memory, int variable, double *value, const char **why)
{
    const tn_external *x = tn_external_of(s, s->network->variables[variable].source);
    const struct tn_external_work *w = tn_external_work_of(e, s, x);
    const int unknown = unknown_of(x, variable);
    if (tn_external_evaluate(e, s, x, memory) < 0) {
        *why = w->trouble;
        *value = NAN;
        return false;
    }
    *value = unknown < x->facts->outputs ? w->y[unknown] : w->rates[unknown - x->facts->outputs];
    return true;
}

/* The input or, behind the inputs, the state that a derivative is by. */
static int known_of(const tn_system *s, const tn_external *x, int unknown, int state)
{
    for (int k = 0; unknown >= 0 && k < x->facts->inputs; k++)
        if (x->inputs[k] == unknown)
            return k;
    const int k = unknown < 0 ? state - s->forces[s->force_of[x->source]].state : -1;
    return k >= 0 && k < x->facts->states ? x->facts->inputs + k : -1;
}

bool tn_external_derivative(tn_eval *e, const tn_system *s, const double *memory, int variable, int unknown, int state,
                            double *value, const char **why)
{
    const tn_external *x = tn_external_of(s, s->network->variables[variable].source);
    struct tn_external_work *w = tn_external_work_of(e, s, x);
    const int known = known_of(s, x, unknown, state), knowns = x->facts->inputs + x->facts->states;
    int code = tn_external_evaluate(e, s, x, memory);
    *value = 0;
    *why = w->trouble;
    if (code == TN_OK && memory[x->memory + TN_EXTERNAL_HANDLE] == 0)
        return true;
    if (code == TN_OK && !w->differentiated) {
        const tn_fmi_point here = { w->handle, w->t, w->u, w->x }, last = last_point(x, memory);
        code = x->facts->iterates ? tn_fmi_differentiate_step(x->fmi, &last, w->t, w->u, w->D, w->trouble)
                                  : tn_fmi_differentiate(x->fmi, &here, w->D, w->trouble);
        w->differentiated = code == TN_OK;
    }
    if (code == TN_OK && known >= 0)
        *value = w->D[unknown_of(x, variable) * knowns + known];
    return code == TN_OK;
}
