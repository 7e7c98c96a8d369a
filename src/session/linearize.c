/* Linearisation of a session. A and B come from the tangent of the equations. Outputs are functions of positions,
 * velocities, states, accelerations and joint forces; they are differentiated, by central differences of eighth order,
 * along the exact change of these that belongs to a unit of each state and input. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "linear.h"
#include "session_parts.h"
#include "devices.h"
#include "fmi.h"

static const double INCREMENT = 0.01;          /* of differences: relative to the size; positions: in m and rad */

typedef struct linearizer {
    tn_session *s;
    const tn_linear_request *request;
    tn_arena *arena;               /* of the result */
    tn_arena *scratch;
    tn_linear_system *out;
    tn_tangent *near;
    tn_linear linear;
    tn_linear_input *inputs;
    tn_sys_force *forces;
    const tn_input_place **places;
    int input_count;
    tn_probe_list outputs;
    double *C, *D;                 /* stored by columns */
    double *y;
} linearizer;

typedef struct owned_system {
    tn_linear_system system;
    tn_arena *arena;
} owned_system;

/* ---- inputs ---- */

static const char *input_candidate(void *user, size_t index)
{
    return tn_session_possible_input(user, index).name;
}

static const tn_input_place *find_input(const tn_session *s, const char *name)
{
    for (size_t k = 0; k < s->input_count; k++)
        if (strcmp(s->inputs[k].input.name, name) == 0)
            return &s->inputs[k];
    return NULL;
}

static int unknown_input(tn_session *s, const char *name)
{
    char hint[560];
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no input '%s': inputs are parameters of forces "
                   "and drives%s", name, tn_did_you_mean(hint, sizeof hint, name, input_candidate, s));
}

/* Chooses the inputs of the request; by default all inputs that are given by expressions. */
static int choose_inputs(linearizer *l)
{
    tn_session *s = l->s;
    const tn_linear_request *request = l->request;
    TN_TRY(tn_inputs_list(s));
    size_t most = request->inputs ? request->input_count : s->input_count;
    l->places = tn_arena_alloc(l->scratch, most, sizeof *l->places);
    if (!l->places)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < most; k++) {
        const tn_input_place *place = request->inputs ? find_input(s, request->inputs[k]) : &s->inputs[k];
        if (!place)
            return unknown_input(s, request->inputs[k]);
        if (request->inputs || place->input.by_expression)
            l->places[l->input_count++] = place;
    }
    return TN_OK;
}

/* Compiles the forces whose parameters are inputs, before any workspace is created. */
static int compile_inputs(linearizer *l)
{
    l->inputs = tn_arena_alloc(l->scratch, (size_t)l->input_count, sizeof *l->inputs);
    l->forces = tn_arena_alloc(l->scratch, (size_t)l->input_count, sizeof *l->forces);
    if (!l->inputs || !l->forces)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < l->input_count; k++) {
        const tn_input_place *place = l->places[k];
        l->inputs[k] = (tn_linear_input){ .state = place->state, .parameter = place->parameter, .drive = place->drive };
        if (place->force < 0)
            continue;
        TN_TRY(tn_force_set_free(&l->forces[k], l->s->system, place->force, place->parameter));
        l->inputs[k].force = &l->forces[k];
    }
    return TN_OK;
}

/* ---- outputs ---- */

static int choose_outputs(linearizer *l)
{
    const tn_session *s = l->s;
    size_t kept = 0;
    for (size_t k = 0; k < l->request->output_count && l->request->outputs; k++)
        TN_TRY(tn_probes_add_output(l->s, &l->outputs, l->arena, l->request->outputs[k]));
    for (size_t k = 0; k < s->channels->recorded.count && !l->request->outputs; k++)
        TN_TRY(tn_probes_add_output(l->s, &l->outputs, l->arena, s->channels->recorded.items[k].name));
    for (size_t k = 0; k < l->outputs.count; k++)
        if (!tn_probe_is_time(&l->outputs.items[k]))
            l->outputs.items[kept++] = l->outputs.items[k];
    l->outputs.count = kept;
    return TN_OK;
}

/* Evaluates the session's eval at the state moved by h along d. Accelerations and multipliers are those of near, also
 * moved by h along d. */
static void evaluate_moved_state(linearizer *l, const tn_direction *d, double h)
{
    const tn_system *sys = l->s->system;
    const tn_tangent *n = l->near;
    const tn_eval *base = n->stepper->eval;
    tn_eval *e = l->s->stepper->eval;
    double *v = l->y + sys->positions;
    for (int k = 0; k < sys->velocities; k++)
        v[k] = h * d->x[k];
    tn_position_move(sys, n->y, v, l->y);
    for (int k = 0; k < sys->velocities; k++) {
        v[k] = n->y[sys->positions + k] + h * d->v[k];
        e->a[k] = base->a[k] + h * d->a[k];
    }
    for (int k = 0; k < sys->states; k++)
        v[sys->velocities + k] = n->y[sys->positions + sys->velocities + k] + h * d->z[k];
    for (int i = 0; i < sys->rows; i++)
        e->lambda[i] = base->lambda[i] + h * d->lambda[i];
    e->reactions_known = true;
    tn_eval_motion(e, sys, n->t, l->y, v);
    tn_eval_constraints(e, sys, l->s->stepper->memory, 2, true);
    tn_eval_forces(e, sys, l->s->stepper->memory);
}

/* The largest |d|, relative to the largest size, at least 1. */
static double relative(int n, const double *d, const double *size)
{
    double most = 0, largest = 1;
    for (int k = 0; k < n; k++) {
        most = fmax(most, fabs(d[k]));
        largest = fmax(largest, size ? fabs(size[k]) : 0);
    }
    return most / largest;
}

static double increment(const linearizer *l, const tn_direction *d)
{
    const tn_system *sys = l->s->system;
    const double *v = l->near->y + sys->positions;
    double x = relative(sys->velocities, d->x, NULL), state = relative(sys->states, d->z, v + sys->velocities);
    double most = fmax(fmax(x, state), relative(sys->velocities, d->v, v));
    double solved = fmax(relative(sys->velocities, d->a, l->near->stepper->eval->a),
                         relative(sys->rows, d->lambda, l->near->stepper->eval->lambda));
    return most > 0 ? INCREMENT / most : solved > 0 ? 1 / solved : 1;
}

static int observe(void *user, int column, const tn_direction *d)
{
    linearizer *l = user;
    size_t count = l->outputs.count;
    double h = increment(l, d);
    double *out = column < l->linear.size ? l->C + (size_t)column * count
                                          : l->D + (size_t)(column - l->linear.size) * count;
    for (int k = 0; k < TN_STENCIL; k++)
        for (int side = -1; side <= 1; side += 2) {
            evaluate_moved_state(l, d, side * (k + 1) * h);
            for (size_t i = 0; i < count; i++)
                out[i] += side * tn_stencil[k] / h * tn_probe_value(l->s, &l->outputs.items[i]);
        }
    return TN_OK;
}

/* ---- the result ---- */

/* Copies a matrix stored by columns to one stored by rows. */
static const double *by_rows(linearizer *l, const double *columns, size_t rows, size_t count)
{
    double *out = tn_arena_alloc(l->arena, rows * count, sizeof(double));
    for (size_t i = 0; out && i < rows; i++)
        for (size_t j = 0; j < count; j++)
            out[i * count + j] = columns[i + j * rows];
    return out;
}

/* Name of the entity that has a state. */
static const char *owner_of(const tn_model *model, const tn_sys_state *state)
{
    return state->decl == TN_STATE_OF_COMPONENT     ? model->subsystems[state->source].entity.name
           : state->decl == TN_STATE_OF_DRIVE ? model->joints[state->source].entity.name
                                              : model->forces[state->source].entity.name;
}

/* Describes a state; states of components have no names. */
static tn_linear_variable state_variable(linearizer *l, int k)
{
    const tn_system *sys = l->s->system;
    const tn_sys_state *state = &sys->state[k];
    const char *what = "speed", *unit = "";
    char name[512], number[40];
    if (state->decl == TN_STATE_OF_COMPONENT) {
        int first = k;
        while (first > 0 && sys->state[first - 1].source == state->source)
            first--;
        snprintf(number, sizeof number, "state %d", k - first);
        what = number;
    } else if (state->decl <= TN_STATE_OF_EXTERNAL) {
        const tn_force *force = &sys->model->forces[state->source];
        what = tn_fmi_facts_of(force->type->device->external)->state_names[TN_STATE_OF_EXTERNAL - state->decl];
    } else if (state->decl >= 0) {
        const tn_force *force = &sys->model->forces[state->source];
        what = force->type->states[state->decl].name;
        unit = force->type->states[state->decl].unit ? force->type->states[state->decl].unit
               : force->unit ? force->unit : "";
    }
    snprintf(name, sizeof name, "%s.%s", owner_of(sys->model, state), what);
    return (tn_linear_variable){ tn_arena_strdup(l->arena, name), tn_arena_strdup(l->arena, unit),
                                 l->near->y[sys->positions + sys->velocities + k] };
}

static int name_states(linearizer *l)
{
    const tn_freedoms *freedoms = &l->linear.freedoms;
    tn_linear_variable *states = tn_arena_alloc(l->arena, (size_t)l->linear.size, sizeof *states);
    if (!states)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < l->linear.size; k++) {
        int derivative = k >= freedoms->count, item = derivative ? k - freedoms->count : k;
        if (derivative && item >= freedoms->rates) {
            states[k] = state_variable(l, l->linear.state[item - freedoms->rates]);
        } else {
            const tn_freedom *f = &freedoms->items[item];
            states[k] = (tn_linear_variable){
                tn_freedom_name(f, l->s->system, derivative, l->arena), tn_freedom_unit(f, l->s->system, derivative),
                tn_freedom_value(f, l->near->stepper->eval, l->s->system, l->near->memory, derivative) };
        }
        if (!states[k].name || !states[k].unit)
            return TN_ERROR_MEMORY;
    }
    l->out->states = states;
    l->out->state_count = (size_t)l->linear.size;
    return TN_OK;
}

/* Copies the names of the inputs, because the session may be closed before the result is destroyed. */
static int name_inputs(linearizer *l)
{
    tn_linear_variable *inputs = tn_arena_alloc(l->arena, (size_t)l->input_count, sizeof *inputs);
    if (!inputs)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < l->input_count; k++) {
        inputs[k] = (tn_linear_variable){ tn_arena_strdup(l->arena, l->places[k]->input.name),
                                          tn_arena_strdup(l->arena, l->places[k]->input.unit), l->linear.values[k] };
        if (!inputs[k].name || !inputs[k].unit)
            return TN_ERROR_MEMORY;
    }
    l->out->inputs = inputs;
    l->out->input_count = (size_t)l->input_count;
    return TN_OK;
}

/* Copies the names and values of the outputs. Afterwards the session's eval is at the session's state again. */
static int name_outputs(linearizer *l)
{
    tn_direction none;
    tn_linear_variable *outputs = tn_arena_alloc(l->arena, l->outputs.count, sizeof *outputs);
    if (!outputs)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_direction_new(&none, l->s->system, l->scratch));
    evaluate_moved_state(l, &none, 0);
    for (size_t k = 0; k < l->outputs.count; k++) {
        const tn_probe *probe = &l->outputs.items[k];
        outputs[k] = (tn_linear_variable){ probe->name, tn_arena_strdup(l->arena, probe->unit),
                                           tn_probe_value(l->s, probe) };
        if (!outputs[k].unit)
            return TN_ERROR_MEMORY;
    }
    l->out->outputs = outputs;
    l->out->output_count = l->outputs.count;
    return TN_OK;
}

static int write_answer(linearizer *l)
{
    tn_linear_system *out = l->out;
    TN_TRY(name_states(l));
    TN_TRY(name_inputs(l));
    TN_TRY(name_outputs(l));
    out->time = l->near->t;
    out->A = by_rows(l, l->linear.A.at, out->state_count, out->state_count);
    out->B = by_rows(l, l->linear.B.at, out->state_count, out->input_count);
    out->C = by_rows(l, l->C, out->output_count, out->state_count);
    out->D = by_rows(l, l->D, out->output_count, out->input_count);
    return out->A && out->B && out->C && out->D ? TN_OK : TN_ERROR_MEMORY;
}

static int linearize_near(linearizer *l)
{
    const tn_system *sys = l->s->system;
    size_t most = 2 * (size_t)sys->velocities + (size_t)sys->states;
    l->C = tn_arena_alloc(l->scratch, l->outputs.count * most, sizeof(double));
    l->D = tn_arena_alloc(l->scratch, l->outputs.count * (size_t)l->input_count, sizeof(double));
    l->y = tn_arena_alloc(l->scratch, (size_t)sys->size, sizeof(double));
    if (!l->C || !l->D || !l->y)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_linear_find(&l->linear, l->near, l->inputs, l->input_count, observe, l, l->scratch));
    return write_answer(l);
}

/* Restores the motion in the session's eval. The solution is recomputed on next use, except at an equilibrium, where
 * eval already holds the solution of near. */
static void leave_session(linearizer *l)
{
    tn_session *s = l->s;
    tn_eval *e = s->stepper->eval;
    const tn_system *sys = s->system;
    tn_eval_motion(e, sys, s->stepper->t, s->stepper->y, s->stepper->y + sys->positions);
    s->eval_current = s->at_rest;
}

static int linearize(linearizer *l)
{
    tn_session *s = l->s;
    TN_TRY(tn_check_size(s->system, "a linearisation"));
    TN_TRY(choose_outputs(l));
    TN_TRY(choose_inputs(l));
    size_t formulas = s->system->formula_count;
    int code = compile_inputs(l);
    if (code == TN_OK)
        code = tn_tangent_of_session(&l->near, s);
    if (code == TN_OK) {
        code = linearize_near(l);
        leave_session(l);
        tn_tangent_destroy(l->near);
    }
    tn_formula_drop(s->system, formulas);
    return code;
}

int tn_session_linearize(tn_linear_system **out, tn_session *s, const tn_linear_request *request)
{
    owned_system *owned = tn_alloc(s->context, 1, sizeof *owned);
    if (!owned)
        return TN_ERROR_MEMORY;
    owned->arena = tn_arena_create(s->context);
    linearizer l = { .s = s, .request = request ? request : &(tn_linear_request){ 0 }, .arena = owned->arena,
                     .scratch = tn_arena_create(s->context), .out = &owned->system };
    int code = l.arena && l.scratch ? linearize(&l) : TN_ERROR_MEMORY;
    tn_arena_destroy(l.scratch);
    tn_free(s->context, l.outputs.items);
    if (code < 0)
        tn_linear_system_destroy(s->context, &owned->system);
    else
        *out = &owned->system;
    return code < 0 ? code : TN_OK;
}

void tn_linear_system_destroy(tn_context *context, tn_linear_system *system)
{
    if (!system)
        return;
    owned_system *owned = (owned_system *)system;      /* it is the first member */
    tn_arena_destroy(owned->arena);
    tn_free(context, owned);
}
