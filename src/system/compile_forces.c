/* Compiles the expressions of forces, of drives' speeds and of gravity to formulas. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "device_network.h"
#include "ports.h"
#include "diag.h"
#include "fmi.h"
#include "shared_tapes.h"

enum { UNIT_SIZE = 40, WHAT_SIZE = 200 };

typedef struct compiler {
    tn_system *system;
    const tn_force *force;
    tn_sys_force *out;
    const tn_scope *scope;
    bool changes;                  /* some parameter is an expression */
} compiler;

static int output(int *index, compiler *c, const char *text, const char *unit)
{
    char what[WHAT_SIZE];
    tn_force_equations(what, sizeof what, c->force);
    *index = tn_tape_outputs(c->out->formula->tape);
    text = tn_force_text(c->system, c->force, text);
    if (!text)
        return TN_ERROR_MEMORY;
    return tn_formula_add(c->out->formula, text, c->scope, unit, c->force->entity.span, what, NULL);
}

/* The unit that an expression must have: that of the parameter; of the rate of a state, that of its start per second. */
static const char *expected_unit(const compiler *c, int parameter, bool angle, char *unit, size_t size)
{
    const tn_force_type *type = c->force->type;
    const char *name = type->parameters[parameter].name, *of_state = c->force->unit;
    for (int k = 0; k < TN_FORCE_STATES && type->states[k].name && of_state && of_state[0]; k++)
        if (!type->states[k].unit && strcmp(type->states[k].rate, name) == 0) {
            snprintf(unit, size, "%.30s/s", of_state);
            return unit;
        }
    return tn_unit_for(type->parameters[parameter].unit, angle, unit, size);
}

/* Compiles each expression by itself first, so that errors are reported at their place in the file. */
static int check_expressions(compiler *c)
{
    char what[WHAT_SIZE], unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(c->system->model, c->force);
    int worst = TN_OK;
    for (int k = 0; c->force->expressions && k < TN_FORCE_PARAMETERS && c->force->type->parameters[k].name; k++) {
        const tn_parameter_decl *decl = &c->force->type->parameters[k];
        const tn_expression *e = c->force->expressions[k];
        if (!e)
            continue;
        c->changes |= strcmp(decl->unit, TN_UNIT_TABLE) != 0;
        snprintf(what, sizeof what, "%s '%.80s': '%.60s'", tn_force_word(c->force), c->force->entity.name, decl->name);
        int code = strcmp(decl->unit, TN_UNIT_TABLE) == 0
                       ? tn_table_check(&c->out->formula->names.from, e, what)
                       : tn_formula_add(c->out->formula, e->text, NULL, expected_unit(c, k, angle, unit, sizeof unit),
                                        e->span, what, NULL);
        worst = code < 0 ? code : worst;
    }
    return worst;
}

/* A condition that depends on what changes in a run is watched there. */
static int check_conditions(compiler *c)
{
    int worst = TN_OK;
    for (int k = 0; k < TN_FORCE_REQUIREMENTS && c->force->type->requirements[k].condition; k++) {
        const tn_requirement *r = &c->force->type->requirements[k];
        const char *condition = tn_force_text(c->system, c->force, r->condition);
        tn_output_info info = { .constant = true };
        tn_expr_error error;
        double holds = 1;
        if (!condition)
            return TN_ERROR_MEMORY;
        int code = tn_expr_number(c->system->context, condition, c->scope, &holds, &info, &error);
        if (code == TN_ERROR_MODEL && !info.constant) {
            c->out->watched |= 1u << k;
            continue;
        }
        if (code == TN_ERROR_MODEL || (code == TN_OK && holds == 0))
            code = tn_fail(c->system->context, TN_ERROR_MODEL, c->force->entity.span, "%s '%.80s': %s",
                           tn_force_word(c->force), c->force->entity.name, code == TN_OK ? r->message : error.message);
        worst = code < 0 ? code : worst;
    }
    return worst;
}

static int check_requirements(compiler *c)
{
    c->out->formula->constants = true;
    c->out->watched = 0;
    int code = check_conditions(c);
    c->out->formula->constants = false;
    return code;
}

int tn_force_take_numbers(tn_system *s, int force)
{
    tn_sys_force *f = &s->forces[force];
    compiler c = { .system = s, .force = &s->model->forces[f->source], .out = f,
                   .scope = tn_force_scope_in(f->formula, f->source) };
    if (!c.scope)
        return TN_ERROR_MEMORY;
    TN_TRY(check_requirements(&c));
    for (size_t k = 0; k < s->formula_count; k++)
        tn_formula_take_force_parameters(s->formulas[k], f->source);
    return TN_OK;
}

/* "PORT.position" of each mechanical port, then the efforts along them. A port that is open takes no effort. */
static int compile_device_efforts(compiler *c)
{
    const tn_force_type *type = c->force->type;
    const int ports = tn_device_port_count(type);
    char text[80];
    int ignored;
    c->out->along = tn_tape_outputs(c->out->formula->tape);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < ports; k++) {
            int effort = tn_port_effort(type, k);
            if (effort < 0 || tn_port_open(c->force, k) || !type->effort[effort])
                continue;
            snprintf(text, sizeof text, "%.60s.position", type->device->ports[k].name);
            const tn_expression *port = c->force->ports[k];
            char what[WHAT_SIZE];
            snprintf(what, sizeof what, "device '%.80s': '%.60s'", c->force->entity.name, type->device->ports[k].name);
            if (pass == 0) {
                const char *unit = strcmp(type->device->ports[k].domain, TN_PORT_ROTARY) == 0 ? "rad" : "m";
                TN_TRY(tn_formula_add(c->out->formula, text, c->scope, unit, port->span, what, NULL));
                c->out->effort_count++;
            } else {
                TN_TRY(output(&ignored, c, type->effort[effort], NULL));
            }
        }
    c->out->effort = c->out->along + c->out->effort_count;
    return TN_OK;
}

static int compile_efforts(compiler *c)
{
    const tn_force_type *type = c->force->type;
    int ignored;
    if (type->device)
        return compile_device_efforts(c);
    while (c->out->effort_count < TN_FORCE_EFFORTS && type->effort[c->out->effort_count])
        c->out->effort_count++;
    c->out->along = tn_tape_outputs(c->out->formula->tape);
    for (int k = 0; k < c->out->effort_count; k++)
        TN_TRY(output(&ignored, c, type->place == TN_PLACE_JOINT ? "q" : type->along[k], NULL));
    c->out->effort = c->out->along + c->out->effort_count;
    for (int k = 0; k < c->out->effort_count; k++)
        TN_TRY(output(&ignored, c, type->effort[k], tn_force_along_angle(c->system->model, c->force) ? "N m" : NULL));
    return TN_OK;
}

static int compile_states(compiler *c)
{
    const tn_force_type *type = c->force->type;
    char unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(c->system->model, c->force);
    int ignored;
    if (type->device && type->device->external)
        return TN_OK;                                  /* the FMU gives rates and starts */
    c->out->state_start = tn_tape_outputs(c->out->formula->tape);
    for (int k = 0; k < c->out->state_count; k++)
        TN_TRY(output(&ignored, c, type->states[k].start, tn_unit_for(type->states[k].unit, angle, unit, sizeof unit)));
    c->out->state_rate = c->out->state_start + c->out->state_count;
    for (int k = 0; k < c->out->state_count; k++)
        TN_TRY(output(&ignored, c, type->states[k].rate, NULL));
    return TN_OK;
}

/* The mirror image of a torque has the opposite sign. NULL: out of memory. */
static const char *torque_text(tn_system *s, const tn_force *force)
{
    size_t size = strlen(force->type->torque) + 4;
    char *text = force->entity.mirrored ? tn_arena_alloc(s->arena, size, 1) : NULL;
    if (text)
        snprintf(text, size, "-(%s)", force->type->torque);
    return force->entity.mirrored ? text : force->type->torque;
}

/* Takes the formula of a device with the same tape. *done is false where there is none. */
static int compile_like(compiler *c, bool *done)
{
    uint32_t like = 0;
    const tn_share share = { TN_SHARE_FORCE, c->out->source, 0 };
    tn_formula *formula;
    TN_TRY(tn_shared_take(&formula, c->system, &share, &like));
    *done = formula != NULL;
    if (!formula)
        return TN_OK;
    const tn_sys_force *from = &c->system->forces[c->system->force_of[like]];
    c->out->formula = formula;
    c->out->effort_count = from->effort_count;
    c->out->along = from->along;
    c->out->effort = from->effort;
    c->out->state_start = from->state_start;
    c->out->state_rate = from->state_rate;
    c->out->potential = from->potential;
    c->out->loss = from->loss;
    c->scope = tn_force_scope_in(formula, c->out->source);
    if (!c->scope)
        return TN_ERROR_MEMORY;
    const size_t numbers = tn_force_parameter_count(c->force->type) * sizeof(double);
    if (memcmp(c->force->parameters, c->system->model->forces[like].parameters, numbers) == 0)
        c->out->watched = from->watched;               /* what holds of these numbers has been checked */
    else
        TN_TRY(check_requirements(c));
    return tn_formula_find_affine(formula);
}

/* free_parameter: by declaration; -1: none. */
static int compile_once(tn_system *s, tn_sys_force *out, int free_parameter)
{
    const tn_force *force = &s->model->forces[out->source];
    const tn_force_type *type = force->type;
    compiler c = { .system = s, .force = force, .out = out };
    bool done = false;
    if (type->device && free_parameter < 0)
        TN_TRY(compile_like(&c, &done));
    if (done)
        return TN_OK;
    TN_TRY(tn_formula_create(&out->formula, s, force->entity.name));
    out->formula->free_force = free_parameter < 0 ? NULL : force;
    out->formula->free_parameter = free_parameter;
    out->formula->parameter_count = free_parameter < 0 ? 0 : 1;
    out->formula->acts = true;
    out->formula->samples = type->device && type->device->period;
    out->formula->sampler = out->source;
    c.scope = tn_force_scope_in(out->formula, out->source);
    if (!c.scope)
        return TN_ERROR_MEMORY;
    if (type->named)                                   /* read where its name is used */
        return tn_formula_finish(out->formula);
    TN_TRY(check_expressions(&c));
    TN_TRY(check_requirements(&c));
    TN_TRY(compile_efforts(&c));
    TN_TRY(compile_states(&c));
    if (type->force)
        TN_TRY(output(&out->force, &c, type->force, "N"));
    const char *torque = type->torque ? torque_text(s, force) : NULL;
    if (type->torque && !torque)
        return TN_ERROR_MEMORY;
    if (torque)
        TN_TRY(output(&out->torque, &c, torque, "N m"));
    if (type->potential && !c.changes) {
        TN_TRY(output(&out->potential, &c, type->potential, "J"));
        if (type->loss)
            TN_TRY(output(&out->loss, &c, type->loss, "W"));
    }
    TN_TRY(tn_formula_finish(out->formula));
    const tn_share share = { TN_SHARE_FORCE, out->source, 0 };
    if (type->device && free_parameter < 0)
        TN_TRY(tn_shared_offer(s, &share, out->formula));
    return type->device ? tn_formula_find_affine(out->formula) : TN_OK;
}

/* Numbers are not compiled as constants, so that they can be set later; unless the expressions are valid with exactly
 * these numbers only. */
static int compile_force(tn_system *s, tn_sys_force *out, int free_parameter)
{
    const tn_sys_force before = *out;
    const size_t formulas = s->formula_count;
    tn_report_mark mark = tn_report_now(s->context);
    int code = compile_once(s, out, free_parameter);
    tn_sys_force *shared = &s->forces[s->force_of[out->source]];
    size_t count = tn_force_parameter_count(out->type), open = 0;
    for (size_t k = 0; k < count; k++)
        open += shared->settable[k];
    if (code != TN_ERROR_MODEL || open == 0)
        return code;
    tn_report_forget(s->context, mark);
    tn_formula_drop(s, formulas);
    *out = before;
    memset(shared->settable, 0, count * sizeof *shared->settable);
    tn_shared_refuse(s, out->source);
    return compile_once(s, out, free_parameter);
}

int tn_force_set_free(tn_sys_force *out, tn_system *s, int force, int parameter)
{
    *out = s->forces[force];
    out->effort_count = 0;
    out->potential = out->loss = -1;
    return compile_force(s, out, parameter);
}

/* States of a force; a node has some where it stores. */
static int state_count_of(const tn_system *s, uint32_t slot)
{
    const tn_force *force = &s->model->forces[slot];
    int count = 0;
    if (tn_force_domain(force) && !tn_node_stores(s, slot))
        return 0;
    if (force->type->device && force->type->device->external)
        return tn_fmi_facts_of(force->type->device->external)->states;
    while (count < TN_FORCE_STATES && force->type->states[count].name)
        count++;
    return count;
}

static void number_force_states(tn_system *s, bool inputs)
{
    const tn_model *m = s->model;
    for (uint32_t k = 0; k < m->force_count; k++) {
        const tn_force_type *type = m->forces[k].type;
        bool counts = tn_takes_force(m, s->selection, k) && type->input == inputs;     /* removed forces have no type */
        const bool external = counts && type->device && type->device->external;
        for (int n = 0; counts && n < state_count_of(s, k); n++)
            s->state[s->states++] = (tn_sys_state){ .source = k, .decl = external ? TN_STATE_OF_EXTERNAL - n : n };
    }
}

/* Numbers the states of forces, drives and inputs, after those of components. All come before compiling, since expressions may
 * name states of other forces. */
int tn_system_number_states(tn_system *s)
{
    const tn_model *m = s->model;
    size_t most = (size_t)s->states + m->force_count * TN_FORCE_STATES;
    for (uint32_t k = 0; k < m->force_count; k++)
        most += tn_takes_force(m, s->selection, k) && m->forces[k].type->device && m->forces[k].type->device->external
                    ? (size_t)state_count_of(s, k) : 0;
    for (uint32_t k = 0; k < m->joint_count; k++)
        most += tn_takes_joint(m, s->selection, k) && tn_joint_motion(&m->joints[k]) != NULL;
    s->state = tn_arena_alloc(s->arena, most, sizeof(tn_sys_state));
    if (!s->state)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < s->component_count; k++)
        tn_ports_name_states(s, &s->components[k]);
    number_force_states(s, false);
    for (uint32_t k = 0; k < m->joint_count; k++) {
        const tn_joint *joint = &m->joints[k];
        if (!tn_takes_joint(m, s->selection, k) || !tn_joint_motion(joint) ||
            !tn_joint_uses_speed(tn_joint_form_of(m, joint->type)))
            continue;
        double own = joint->start_rate[0];
        double rate = isnan(own) ? m->joints[joint->terms[0].joint].start_rate[joint->terms[0].coordinate] : own;
        s->state[s->states++] = (tn_sys_state){ .source = k, .decl = TN_STATE_OF_DRIVE,
                                                .start = isnan(rate) ? 0 : rate, .free = isnan(rate) };
        s->drive_states++;
    }
    int before = s->states;
    number_force_states(s, true);
    s->input_states = s->states - before;
    return TN_OK;
}

/* Lists the numbers of a force that can be set without a recompile. In a type with many numbers, and in a device, zero means
 * an absent term: it is compiled as a constant, so that a stiffness matrix with six nonzero numbers costs no more than six,
 * and no step is searched for kinks that a device does not have. */
static bool *list_settable(tn_system *s, const tn_force *force)
{
    enum { FEW = 20 };
    size_t count = tn_force_parameter_count(force->type);
    bool *settable = tn_arena_alloc(s->arena, count, sizeof *settable);
    for (size_t k = 0; settable && k < count; k++)
        settable[k] = isfinite(force->parameters[k]) && ((count <= FEW && !force->type->device) || force->parameters[k] != 0) &&
                      !(force->expressions && force->expressions[k]);
    return settable;
}

static int number_forces(tn_system *s)
{
    const tn_model *m = s->model;
    int state = s->component_states, input = tn_drive_states_end(s);
    s->forces = tn_arena_alloc(s->arena, m->force_count, sizeof(tn_sys_force));
    s->force_of = tn_arena_alloc(s->arena, m->force_count, sizeof(int));
    if (!s->forces || !s->force_of)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->force_count; k++) {
        const tn_force *from = &m->forces[k];
        s->force_of[k] = -1;
        if (!tn_takes_force(m, s->selection, k))
            continue;
        tn_sys_force *force = &s->forces[s->force_count];
        int *next = from->type->input ? &input : &state;
        *force = (tn_sys_force){ .source = k, .type = from->type, .frame1 = -1, .frame2 = -1, .force = -1,
                                 .torque = -1, .potential = -1, .loss = -1, .state = *next,
                                 .settable = list_settable(s, from) };
        if (!force->settable)
            return TN_ERROR_MEMORY;
        force->state_count = state_count_of(s, k);
        *next += force->state_count;
        if (from->type->place == TN_PLACE_FRAMES) {
            force->frame1 = tn_system_add_end(s, from->body1, &from->frame1, from->entity.mirrored);
            force->frame2 = tn_system_add_end(s, from->body2, &from->frame2, from->entity.mirrored);
            if (force->frame1 < 0 || force->frame2 < 0)
                return TN_ERROR_MEMORY;
        }
        s->force_of[k] = s->force_count++;
    }
    return TN_OK;
}

/* Compiles the rate of a drive's speed. */
static int compile_drive(tn_system *s, tn_sys_state *state)
{
    const tn_joint *drive = &s->model->joints[state->source];
    const tn_expression *motion = tn_joint_motion(drive);
    const tn_viewpoint from = { s->model, drive->entity.name };
    tn_scope constants = tn_constant_scope(&from);
    TN_TRY(tn_formula_create(&state->formula, s, drive->entity.name));
    TN_TRY(tn_formula_add(state->formula, motion->text, &constants, NULL, motion->span, "motion of a drive", NULL));
    return tn_formula_finish(state->formula);
}

static int compile_gravity(tn_system *s)
{
    static const char *const what[] = { "gravity: x", "gravity: y", "gravity: z" };
    const tn_expression *texts = s->model->gravity_text;
    if (!texts[0].text && !texts[1].text && !texts[2].text)
        return TN_OK;
    int worst = TN_OK;
    TN_TRY(tn_formula_create(&s->gravity_formula, s, NULL));
    for (int k = 0; k < 3; k++) {
        char number[32];
        snprintf(number, sizeof number, "%.17g", s->model->gravity[k]);
        int code = tn_formula_add(s->gravity_formula, texts[k].text ? texts[k].text : number, NULL, "m/s^2",
                                  texts[k].span, what[k], NULL);
        worst = code < 0 ? code : worst;
    }
    TN_TRY(worst);
    return tn_formula_finish(s->gravity_formula);
}

int tn_system_compile_forces(tn_system *s)
{
    const tn_pose world = tn_pose_identity();
    s->world_frame = tn_system_add_frame(s, 0, &world);
    if (s->world_frame < 0)
        return s->world_frame;
    TN_TRY(number_forces(s));
    int worst = compile_gravity(s);
    if (worst < 0 && s->faulty)
        s->faulty[s->model->force_count] = true;
    for (int k = 0; k < s->force_count && worst != TN_ERROR_MEMORY; k++) {
        int code = compile_force(s, &s->forces[k], -1);
        worst = code < 0 ? code : worst;
        if (code < 0 && s->faulty)
            s->faulty[s->forces[k].source] = true;
    }
    for (int k = tn_drive_states_begin(s); k < tn_drive_states_end(s) && worst == TN_OK; k++)
        worst = compile_drive(s, &s->state[k]);
    return worst;
}

void tn_system_find_starts(tn_system *s, tn_eval *e, const double *memory)
{
    for (size_t k = 0; k < s->formula_count; k++)
        tn_formula_take_joint_parameters(s->formulas[k]);
    for (int k = 0; k < s->force_count; k++) {
        const tn_sys_force *force = &s->forces[k];
        if (force->state_count == 0 || (force->type->device && force->type->device->external))
            continue;
        tn_formula_evaluate(force->formula, e, memory, NULL, 1);
        for (int n = 0; n < force->state_count; n++) {
            double given = s->model->forces[force->source].start[n];
            s->state[force->state + n].start =
                isnan(given) ? tn_formula_value(force->formula, e, force->state_start + n, 0) : given;
        }
    }
}
