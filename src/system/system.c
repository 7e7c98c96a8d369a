/* Compiles a model to a system: numbers bodies, joints and states, and finds derived parameters. */
#include "system.h"

#include <math.h>
#include "ports.h"
#include "diag.h"
#include "device_network.h"
#include "numbering.h"
#include "requirement_watch.h"
#include "shared_tapes.h"
#include "tn_assert.h"
#include "vec.h"

const tn_joint *tn_constraint_joint(const tn_system *s, int constraint)
{
    const tn_constraint *c = &s->constraints[constraint];
    return c->attached ? &s->layout.joints[c->source] : &s->model->joints[c->source];
}

tn_id tn_constraint_id(const tn_system *s, int constraint)
{
    const tn_constraint *c = &s->constraints[constraint];
    const tn_joint *joint = tn_constraint_joint(s, constraint);
    if (c->attached && joint->term_count == 0)
        return (tn_id){ 0 };
    uint32_t slot = c->attached ? joint->terms[0].joint : c->source;
    return (tn_id){ .index = slot, .generation = s->model->joints[slot].entity.generation, .kind = TN_KIND_JOINT,
                    .owner = s->model->owner };
}

const char *tn_state_name(const tn_system *s, int k, char *buffer, size_t size)
{
    const tn_sys_state *state = &s->state[k];
    const tn_force *force = state->decl >= 0 ? &s->model->forces[state->source] : NULL;
    snprintf(buffer, size, "%.80s.%.60s", force ? force->entity.name : "a state", force ? force->type->states[state->decl].name : "");
    return buffer;
}

const char *tn_constraint_name(const tn_system *s, int constraint)
{
    return tn_constraint_joint(s, constraint)->entity.name;
}

tn_span tn_constraint_span(const tn_system *s, int constraint)
{
    return tn_constraint_joint(s, constraint)->entity.span;
}

/* ---- bodies ---- */

static void compile_body(tn_system *s, uint32_t source)
{
    const tn_body *from = &s->model->bodies[source];
    tn_sys_body *body = &s->bodies[s->body_count];
    *body = (tn_sys_body){ .source = source, .q = s->positions, .v = s->velocities,
                           .port = tn_body_component(s->model, source) != NULL };
    if (from->kind == TN_BODY_PARTICLE) {
        body->motion = TN_MOTION_PARTICLE;
        s->positions += s->dimension;
        s->velocities += s->dimension;
    } else if (s->dimension == 2) {
        body->motion = TN_MOTION_PLANAR;
        s->positions += 3;
        s->velocities += 3;
    } else {
        body->motion = TN_MOTION_SPATIAL;
        s->positions += 7;
        s->velocities += 6;
    }
    tn_sys_body_take_mass(s, body);
    s->body_of[source] = s->body_count++;
}

static int compile_bodies(tn_system *s, tn_arena *scratch)
{
    const tn_model *m = s->model;
    uint32_t *slots;
    size_t count;
    TN_TRY(tn_number_bodies(&slots, &count, m, s->selection, scratch));
    s->body_of = tn_arena_alloc(s->arena, m->body_count, sizeof(int));
    s->bodies = tn_arena_alloc(s->arena, m->body_count, sizeof(tn_sys_body));
    if (!s->body_of || !s->bodies)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < m->body_count; k++)
        s->body_of[k] = -1;
    for (size_t k = 0; k < count; k++)
        compile_body(s, slots[k]);
    return TN_OK;
}

/* ---- joints ---- */

int tn_slot_body(const tn_system *s, const tn_constraint *c, int slot)
{
    return c->frames[slot] < 0 ? -1 : s->frames[c->frames[slot]].body;
}

static void connect_coupling(tn_system *s, tn_constraint *c, const tn_joint *joint)
{
    for (size_t k = 0; k < joint->term_count; k++) {
        int other = s->constraint_of[joint->terms[k].joint];
        const tn_coordinates *coordinates = &s->coordinates[other];
        c->frames[2 * k] = s->constraints[other].frames[0];
        c->frames[2 * k + 1] = s->constraints[other].frames[1];
        for (int n = 0; n < coordinates->count; n++)
            c->memory[TN_MAX_COORDINATES * (int)k + n] = coordinates->memory + n;
    }
    for (int k = tn_drive_states_begin(s); c->program->has_speed && k < tn_drive_states_end(s); k++)
        if (s->state[k].source == c->source)
            c->frames[2 * joint->term_count] = -1 - k;
}

static int connect_frames(tn_system *s, int index, const tn_joint *joint)
{
    tn_constraint *c = &s->constraints[index];
    tn_coordinates *co = &s->coordinates[index];
    c->frames[0] = tn_system_add_end(s, joint->body1, &joint->frame1, joint->entity.mirrored);
    c->frames[1] = tn_system_add_end(s, joint->body2, &joint->frame2, joint->entity.mirrored);
    *co = (tn_coordinates){ .memory = s->memory, .count = c->program->coordinate_count };
    for (int k = 0; k < co->count; k++)
        c->memory[k] = s->memory++;
    return c->frames[0] < 0 || c->frames[1] < 0 ? TN_ERROR_MEMORY : TN_OK;
}

/* Allocates the joint's parameters and those of the joints a coupling reads (tn_take_coupled_parameters). */
static int copy_parameters(tn_constraint *c, const tn_joint *joint, tn_arena *arena)
{
    size_t count = joint->term_count > 0 ? TN_JOINT_PARAMETERS : (size_t)tn_joint_parameter_count(joint->type);
    c->parameters = tn_arena_alloc(arena, count + joint->term_count * TN_JOINT_PARAMETERS, sizeof(double));
    if (!c->parameters)
        return TN_ERROR_MEMORY;
    memcpy(c->parameters, joint->parameters, count * sizeof(double));
    return TN_OK;
}

void tn_take_coupled_parameters(const tn_system *s, tn_constraint *c, const tn_joint *joint)
{
    for (size_t k = 0; k < joint->term_count; k++)
        memcpy(c->parameters + (k + 1) * TN_JOINT_PARAMETERS,
               s->constraints[s->constraint_of[joint->terms[k].joint]].parameters,
               (size_t)tn_joint_parameter_count(s->model->joints[joint->terms[k].joint].type) * sizeof(double));
}

/* Attached joints have no teeth. */
static void number_separation(tn_system *s, tn_constraint *c, const tn_joint *joint)
{
    c->separation = -1;
    for (int k = 0; c->program->separation >= 0 && !c->attached && k < tn_joint_parameter_count(joint->type); k++)
        if (strcmp(joint->type->parameters[k].name, joint->type->separates_by) == 0 && c->parameters[k] != 0) {
            c->separation = s->separation_count++;
            s->reacts = true;
        }
}

int tn_compile_constraint(tn_system *s, tn_constraint *c, const tn_joint *joint, tn_program_list *programs,
                          tn_arena *arena)
{
    TN_TRY(tn_program_for(&c->program, programs, s->model, joint));
    c->rows = c->program->row_count;
    c->slot_count = c->program->slot_count;
    c->frames = tn_arena_alloc(arena, (size_t)(2 * c->slot_count + c->program->memory_count), sizeof(int));
    if (!c->frames)
        return TN_ERROR_MEMORY;
    c->blocks = c->frames + c->slot_count;
    c->memory = c->blocks + c->slot_count;
    if (joint->type->joints != 0)
        connect_coupling(s, c, joint);
    size_t work = tn_tape_work(c->program->equations);
    if (c->program->coordinates && tn_tape_work(c->program->coordinates) > work)
        work = tn_tape_work(c->program->coordinates);
    s->work_size = work > s->work_size ? work : s->work_size;
    TN_TRY(copy_parameters(c, joint, arena));
    number_separation(s, c, joint);
    return TN_OK;
}

static int compile_joint(tn_system *s, uint32_t source)
{
    const tn_joint *joint = &s->model->joints[source];
    int index = s->constraint_count;
    tn_constraint *c = &s->constraints[index];
    *c = (tn_constraint){ .source = source, .row = s->rows };
    TN_TRY(tn_compile_constraint(s, c, joint, &s->programs, s->arena));
    if (joint->type->joints == 0)
        TN_TRY(connect_frames(s, index, joint));
    s->rows += c->rows;
    s->constraint_of[source] = index;
    s->constraint_count++;
    return TN_OK;
}

static int compile_joints(tn_system *s, tn_arena *scratch)
{
    const tn_model *m = s->model;
    uint32_t *slots;
    size_t count;
    TN_TRY(tn_number_joints(&slots, &count, m, s->selection, s->body_of, scratch));
    s->constraint_of = tn_arena_alloc(s->arena, m->joint_count, sizeof(int));
    s->constraints = tn_arena_alloc(s->arena, m->joint_count, sizeof(tn_constraint));
    s->coordinates = tn_arena_alloc(s->arena, m->joint_count, sizeof(tn_coordinates));
    s->frame_capacity = 2 * (m->joint_count + m->force_count) + 1;     /* formulas may need more */
    s->frame_source_capacity = s->frame_capacity;
    s->frames = tn_alloc(s->context, s->frame_capacity, sizeof *s->frames);
    s->frame_sources = tn_alloc(s->context, s->frame_source_capacity, sizeof *s->frame_sources);
    if (!s->constraint_of || !s->constraints || !s->coordinates || !s->frames || !s->frame_sources)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < m->joint_count; k++)
        s->constraint_of[k] = -1;
    int worst = TN_OK;
    for (size_t k = 0; k < count; k++) {
        if (worst < 0 && m->joints[slots[k]].type->joints != 0)
            break;                                     /* a coupling may read a joint that failed */
        int code = compile_joint(s, slots[k]);
        if (code == TN_ERROR_MEMORY)
            return code;
        worst = code < 0 ? code : worst;
    }
    return worst;
}

/* ---- parameters found from the start ---- */

static int find_as_built(tn_system *s, tn_eval *e, const double *memory, int index)
{
    tn_constraint *c = &s->constraints[index];
    const tn_joint *joint = &s->model->joints[c->source];
    tn_take_coupled_parameters(s, c, joint);
    for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++) {
        if (!isnan(c->parameters[k]))
            continue;
        tn_tape_input input = tn_eval_constraint_input(e, s, index, memory);
        TN_TRY(tn_program_measure(s->model, joint, joint->type->parameters[k].as_built, &input, &c->parameters[k]));
        if (!isfinite(c->parameters[k]))
            return tn_fail(s->context, TN_ERROR_MODEL, joint->entity.span,
                           "joint '%s': %s cannot be found from the given start; give it", joint->entity.name,
                           joint->type->parameters[k].name);
    }
    return TN_OK;
}

static int find_parameters(tn_system *s)
{
    tn_arena *scratch = tn_arena_create(s->context);
    if (!scratch)
        return TN_ERROR_MEMORY;
    tn_eval *e = NULL;
    double *q = tn_arena_alloc(scratch, (size_t)s->positions, sizeof(double));
    double *v = tn_arena_alloc(scratch, (size_t)(s->velocities + s->states), sizeof(double));
    double *memory = tn_arena_alloc(scratch, (size_t)s->memory, sizeof(double));
    int code = q && v && memory ? tn_eval_create(&e, s, scratch, true) : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = tn_system_start(s, q, v);
    if (code == TN_OK) {
        e->place = s->component_count > 0 ? tn_ports_place_at_start : NULL;
        tn_eval_motion(e, s, 0, q, NULL);
    }
    for (int i = 0; i < s->constraint_count && code == TN_OK; i++)
        code = find_as_built(s, e, memory, i);
    if (code == TN_OK) {
        tn_system_find_starts(s, e, memory);
        tn_system_find_works(s, e, q, memory);
    }
    tn_arena_destroy(scratch);
    return code;
}

static int check_conditions(const tn_system *s, tn_eval *e, const double *memory, int index)
{
    const tn_joint *joint = tn_constraint_joint(s, index);
    for (int k = 0; k < TN_JOINT_CONDITIONS && joint->type->conditions[k].number; k++) {
        double value = 0;
        tn_tape_input input = tn_eval_constraint_input(e, s, index, memory);
        TN_TRY(tn_program_measure(s->model, joint, joint->type->conditions[k].number, &input, &value));
        if (!(value >= 0))
            return tn_fail(s->context, TN_ERROR_ASSEMBLY, joint->entity.span, "joint '%s': %s", joint->entity.name,
                           joint->type->conditions[k].message);
    }
    return TN_OK;
}

int tn_system_check_conditions(const tn_system *s, tn_eval *e, const double *memory)
{
    int worst = TN_OK;
    for (int i = 0; i < s->own_constraints && worst != TN_ERROR_MEMORY; i++) {
        int code = check_conditions(s, e, memory, i);
        worst = code < 0 ? code : worst;
    }
    return worst;
}

/* ---- life ---- */

static int compile_system(tn_system *s, tn_arena *scratch)
{
    TN_TRY(tn_ports_create(s));
    TN_TRY(compile_bodies(s, scratch));
    tn_ports_find(s);
    TN_TRY(tn_network_begin(s));
    TN_TRY(tn_system_number_states(s));
    TN_TRY(compile_joints(s, scratch));
    TN_TRY(tn_compile_structure(s, s->arena));
    TN_TRY(tn_system_compile_groups(s));
    TN_TRY(tn_system_compile_forces(s));
    TN_TRY(tn_network_compile(s));
    TN_TRY(tn_requirements_compile(s));
    TN_TRY(tn_ports_place_memory(s));
    s->size = s->positions + s->velocities + s->states;
    s->own_constraints = s->constraint_count;
    return find_parameters(s);
}

static int create_system(tn_system **out, const tn_model *model, const tn_selection *selection, bool *faulty)
{
    TN_ASSERT(tn_model_is_sound(model));
    tn_system *s = tn_alloc(model->context, 1, sizeof *s);
    if (!s)
        return TN_ERROR_MEMORY;
    s->model = model;
    s->selection = selection;
    s->faulty = faulty;
    s->context = model->context;
    s->dimension = model->dimension;
    tn_copy3(s->gravity, model->gravity);
    s->arena = tn_arena_create(model->context);
    tn_arena *scratch = tn_arena_create(model->context);
    int code = s->arena && scratch ? compile_system(s, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    if (code < 0) {
        tn_system_destroy(s);
        return code;
    }
    *out = s;
    return TN_OK;
}

int tn_system_create_part(tn_system **out, const tn_model *model, const tn_selection *selection)
{
    return create_system(out, model, selection, NULL);
}

int tn_system_create(tn_system **out, const tn_model *model)
{
    return create_system(out, model, NULL, NULL);
}

int tn_system_check(const tn_model *model, bool *faulty)
{
    tn_system *s = NULL;
    int code = create_system(&s, model, NULL, faulty);
    tn_system_destroy(s);
    return code;
}

void tn_system_destroy(tn_system *s)
{
    if (!s)
        return;
    tn_ports_destroy(s);
    if (s->field)
        s->field->destroy(s->field);
    tn_layout_free(s, &s->layout);
    tn_program_list_destroy(&s->programs, s->context);
    tn_program_list_destroy(&s->touch_programs, s->context);
    for (size_t k = 0; k < s->formula_count; k++)
        tn_formula_destroy(s->formulas[k]);
    tn_free(s->context, s->formulas);
    tn_free(s->context, s->frames);
    tn_free(s->context, s->frame_sources);
    tn_free(s->context, s->spare_frames);
    tn_network_free(s);
    tn_shared_free(s);
    if (s->arena)
        tn_arena_destroy(s->arena);
    tn_free(s->context, s);
}
