#include "system.h"

#include <math.h>
#include "diag.h"
#include "numbering.h"
#include "vec.h"

const char *tn_constraint_name(const tn_system *s, int constraint)
{
    return s->model->joints[s->constraints[constraint].source].entity.name;
}

tn_span tn_constraint_span(const tn_system *s, int constraint)
{
    return s->model->joints[s->constraints[constraint].source].entity.span;
}

/* ---- bodies ---- */

static void compile_body(tn_system *s, uint32_t source)
{
    const tn_body *from = &s->model->bodies[source];
    tn_sys_body *body = &s->bodies[s->body_count];
    *body = (tn_sys_body){ .source = source, .q = s->positions, .v = s->velocities,
                           .mass = from->missing ? 1 : from->mass,
                           .offset = tn_pose_identity() };
    tn_copy3(body->offset.p, from->com);
    if (from->kind == TN_BODY_PARTICLE) {
        body->motion = TN_MOTION_PARTICLE;
        s->positions += s->dimension;
        s->velocities += s->dimension;
    } else if (s->dimension == 2) {
        body->motion = TN_MOTION_PLANAR;
        body->moments[2] = from->inertia[2];
        s->positions += 3;
        s->velocities += 3;
    } else {
        double axes[3][3];
        body->motion = TN_MOTION_SPATIAL;
        if (!from->missing) {
            tn_principal_axes(body->moments, axes, from->inertia);
            tn_quat_from_matrix(body->offset.q, (const double (*)[3])axes);
        }
        s->positions += 7;
        s->velocities += 6;
    }
    s->body_of[source] = s->body_count++;
}

static int compile_bodies(tn_system *s, tn_arena *scratch)
{
    const tn_model *m = s->model;
    uint32_t *slots;
    size_t count;
    TN_TRY(tn_number_bodies(&slots, &count, m, scratch));
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

tn_sys_frame tn_system_frame(const tn_system *s, uint32_t body_slot, const tn_pose *pose)
{
    tn_sys_frame frame = { .body = s->body_of[body_slot] };
    tn_pose local = frame.body >= 0 ? tn_pose_relative(&s->bodies[frame.body].offset, pose) : *pose;
    double R[3][3];
    tn_quat_matrix(R, local.q);
    tn_copy3(frame.p, local.p);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            frame.axes[k][i] = R[i][k];
    return frame;
}

int tn_system_add_frame(tn_system *s, uint32_t body_slot, const tn_pose *pose)
{
    TN_TRY(tn_grow(s->context, &s->frames, &s->frame_capacity, (size_t)s->frame_count + 1, sizeof *s->frames));
    s->frames[s->frame_count] = tn_system_frame(s, body_slot, pose);
    return s->frame_count++;
}

/* ---- joints ---- */

int tn_slot_body(const tn_system *s, const tn_constraint *c, int slot)
{
    return c->frames[slot] < 0 ? -1 : s->frames[c->frames[slot]].body;
}

static int connect_slots(tn_system *s, tn_constraint *c, const tn_joint *joint)
{
    if (joint->type->joints == 0) {
        c->frames[0] = tn_system_add_frame(s, joint->body1, &joint->frame1);
        c->frames[1] = tn_system_add_frame(s, joint->body2, &joint->frame2);
        return c->frames[0] < 0 || c->frames[1] < 0 ? TN_ERROR_MEMORY : TN_OK;
    }
    for (size_t k = 0; k < joint->term_count; k++) {
        const tn_constraint *other = &s->constraints[s->constraint_of[joint->terms[k].joint]];
        c->frames[2 * k] = other->frames[0];
        c->frames[2 * k + 1] = other->frames[1];
    }
    for (int k = s->states - s->drive_states; c->program->has_speed && k < s->states; k++)
        if (s->state[k].source == c->source)
            c->frames[2 * joint->term_count] = -1 - k;
    return TN_OK;
}

static void connect_memory(tn_system *s, int index, const tn_joint *joint)
{
    tn_constraint *c = &s->constraints[index];
    if (joint->type->joints == 0) {
        tn_coordinates *co = &s->coordinates[index];
        *co = (tn_coordinates){ .memory = s->memory, .count = c->program->coordinate_count };
        for (int k = 0; k < co->count; k++)
            c->memory[k] = s->memory++;
        return;
    }
    for (size_t k = 0; k < joint->term_count; k++) {
        const tn_coordinates *other = &s->coordinates[s->constraint_of[joint->terms[k].joint]];
        for (int n = 0; n < other->count; n++)
            c->memory[TN_MAX_COORDINATES * (int)k + n] = other->memory + n;
    }
}

static int parameter_count(const tn_joint_type *type)
{
    int count = 0;
    while (count < TN_JOINT_PARAMETERS && type->parameters[count].name)
        count++;
    return count;
}

/* Room for own parameters and for those of the joints a coupling reads; find_parameters fills the latter. */
static int copy_parameters(tn_system *s, tn_constraint *c, const tn_joint *joint)
{
    size_t count = joint->term_count > 0 ? TN_JOINT_PARAMETERS : (size_t)parameter_count(joint->type);
    c->parameters = tn_arena_alloc(s->arena, count + joint->term_count * TN_JOINT_PARAMETERS, sizeof(double));
    if (!c->parameters)
        return TN_ERROR_MEMORY;
    memcpy(c->parameters, joint->parameters, count * sizeof(double));
    return TN_OK;
}

static int compile_joint(tn_system *s, uint32_t source)
{
    const tn_joint *joint = &s->model->joints[source];
    int index = s->constraint_count;
    tn_constraint *c = &s->constraints[index];
    *c = (tn_constraint){ .source = source, .row = s->rows };
    TN_TRY(tn_program_for(&c->program, &s->programs, s->model, joint));
    c->rows = c->program->row_count;
    c->slot_count = c->program->slot_count;
    c->frames = tn_arena_alloc(s->arena, (size_t)(2 * c->slot_count + c->program->memory_count), sizeof(int));
    if (!c->frames)
        return TN_ERROR_MEMORY;
    c->blocks = c->frames + c->slot_count;
    c->memory = c->blocks + c->slot_count;
    TN_TRY(connect_slots(s, c, joint));
    connect_memory(s, index, joint);
    TN_TRY(copy_parameters(s, c, joint));
    size_t work = tn_tape_work(c->program->equations);
    if (c->program->coordinates && tn_tape_work(c->program->coordinates) > work)
        work = tn_tape_work(c->program->coordinates);
    s->work_size = work > s->work_size ? work : s->work_size;
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
    TN_TRY(tn_number_joints(&slots, &count, m, s->body_of, scratch));
    s->constraint_of = tn_arena_alloc(s->arena, m->joint_count, sizeof(int));
    s->constraints = tn_arena_alloc(s->arena, m->joint_count, sizeof(tn_constraint));
    s->coordinates = tn_arena_alloc(s->arena, m->joint_count, sizeof(tn_coordinates));
    s->frame_capacity = 2 * (m->joint_count + m->force_count) + 1;     /* formulas may need more */
    s->frames = tn_alloc(s->context, s->frame_capacity, sizeof *s->frames);
    if (!s->constraint_of || !s->constraints || !s->coordinates || !s->frames)
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

/* ---- structure for the solvers ---- */

/* Rotations compare with displacements at this distance: the farthest attachment, or the radius of gyration. */
static void scale_columns(tn_system *s, double *scale)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        double moment = fmax(body->moments[0], fmax(body->moments[1], body->moments[2]));
        if (s->model->bodies[body->source].missing)
            moment = 0;
        for (int k = 0; k < s->structure.body_column[b + 1] - body->v; k++)
            scale[body->v + k] = k < s->dimension ? 1 : sqrt(moment / body->mass);
    }
    for (int k = 0; k < s->frame_count; k++) {
        const tn_sys_frame *frame = &s->frames[k];
        if (frame->body < 0)
            continue;
        double arm = tn_norm3(frame->p);
        for (int j = s->bodies[frame->body].v + s->dimension; j < s->structure.body_column[frame->body + 1]; j++)
            scale[j] = fmax(scale[j], arm);
    }
}

/* A body without mass gets 1 kg at the distance that its rotations are compared at: for assembly and kinematics, where
 * any weight will do but a balanced one is best. */
static void replace_missing_masses(tn_system *s, double *scale)
{
    for (int b = 0; b < s->body_count; b++) {
        tn_sys_body *body = &s->bodies[b];
        if (!s->model->bodies[body->source].missing)
            continue;
        for (int j = body->v + s->dimension; j < s->structure.body_column[b + 1]; j++) {
            scale[j] = scale[j] > 0 ? scale[j] : 1;
            body->moments[0] = body->moments[1] = body->moments[2] = scale[j] * scale[j];
        }
    }
}

/* Blocks of a constraint: one per different body of its slots. */
static int add_blocks(tn_system *s, tn_constraint *c, int first, int *block_body)
{
    int count = 0;
    for (int k = 0; k < c->slot_count; k++) {
        int body = tn_slot_body(s, c, k);
        c->blocks[k] = -1;
        for (int n = 0; n < count; n++)
            if (block_body[first + n] == body)
                c->blocks[k] = n;
        if (body < 0 || c->blocks[k] >= 0)
            continue;
        block_body[first + count] = body;
        c->blocks[k] = count++;
    }
    return count;
}

/* Particles have no angular part: a ball on one is not a pin. */
static tn_pin_kind pin_kind_of(const tn_system *s, const tn_constraint *c)
{
    for (int k = 0; k < c->slot_count; k++) {
        int body = tn_slot_body(s, c, k);
        if (body >= 0 && s->bodies[body].motion == TN_MOTION_PARTICLE)
            return TN_PIN_NONE;
    }
    return c->program->pin;
}

/* Where blocks lie in G: those of pins last. */
static void place_blocks(tn_system *s, size_t *block_offset)
{
    const tn_structure *st = &s->structure;
    for (int pins = 0; pins < 2; pins++) {
        for (int i = 0; i < s->constraint_count; i++)
            for (int b = st->block_begin[i]; b < st->block_begin[i + 1]; b++) {
                if ((s->pin_kind[i] != TN_PIN_NONE) != (pins == 1))
                    continue;
                int body = st->block_body[b], w = st->body_column[body + 1] - st->body_column[body];
                block_offset[b] = s->jacobian_size;
                s->jacobian_size += (size_t)(s->constraints[i].rows * w);
            }
        if (pins == 0)
            s->tape_jacobian_size = s->jacobian_size;
    }
}

static int compile_structure(tn_system *s)
{
    size_t slots = 0;
    for (int i = 0; i < s->constraint_count; i++)
        slots += (size_t)s->constraints[i].slot_count;
    int *body_column = tn_arena_alloc(s->arena, (size_t)s->body_count + 1, sizeof(int));
    size_t *mass_offset = tn_arena_alloc(s->arena, (size_t)s->body_count + 1, sizeof(size_t));
    int *constraint_row = tn_arena_alloc(s->arena, (size_t)s->constraint_count + 1, sizeof(int));
    int *block_begin = tn_arena_alloc(s->arena, (size_t)s->constraint_count + 1, sizeof(int));
    int *block_body = tn_arena_alloc(s->arena, slots, sizeof(int));
    size_t *block_offset = tn_arena_alloc(s->arena, slots, sizeof(size_t));
    double *scale = tn_arena_alloc(s->arena, (size_t)s->velocities, sizeof(double));
    s->velocity_row = tn_arena_alloc(s->arena, (size_t)s->rows, sizeof(bool));
    s->pin_kind = tn_arena_alloc(s->arena, (size_t)s->constraint_count, sizeof(unsigned char));
    if (!body_column || !mass_offset || !constraint_row || !block_begin || !block_body || !block_offset || !scale ||
        !s->velocity_row || !s->pin_kind)
        return TN_ERROR_MEMORY;
    s->structure = (tn_structure){ .bodies = s->body_count, .body_column = body_column,
                                   .mass_offset = mass_offset,
                                   .constraints = s->constraint_count, .constraint_row = constraint_row,
                                   .block_begin = block_begin, .block_body = block_body,
                                   .block_offset = block_offset, .column_scale = scale };
    for (int b = 0; b < s->body_count; b++)
        body_column[b] = s->bodies[b].v;
    body_column[s->body_count] = s->velocities;
    for (int b = 0; b < s->body_count; b++) {
        int n = body_column[b + 1] - body_column[b];
        mass_offset[b] = s->mass_size;
        s->mass_size += (size_t)(n * n);
    }
    int blocks = 0;
    for (int i = 0; i < s->constraint_count; i++) {
        tn_constraint *c = &s->constraints[i];
        constraint_row[i] = c->row;
        block_begin[i] = blocks;
        s->pin_kind[i] = (unsigned char)pin_kind_of(s, c);
        blocks += add_blocks(s, c, blocks, block_body);
        for (int r = 0; r < c->rows; r++)
            s->velocity_row[c->row + r] = c->program->rows[r].velocity;
        for (int r = 0; r < c->rows; r++)
            s->has_velocity_rows |= c->program->rows[r].velocity;
    }
    constraint_row[s->constraint_count] = s->rows;
    block_begin[s->constraint_count] = blocks;
    place_blocks(s, block_offset);
    scale_columns(s, scale);
    replace_missing_masses(s, scale);
    return TN_OK;
}

/* ---- parameters found from the start ---- */

static int find_as_built(tn_system *s, tn_eval *e, const double *memory, int index)
{
    tn_constraint *c = &s->constraints[index];
    const tn_joint *joint = &s->model->joints[c->source];
    for (size_t k = 0; k < joint->term_count; k++)
        memcpy(c->parameters + (k + 1) * TN_JOINT_PARAMETERS,
               s->constraints[s->constraint_of[joint->terms[k].joint]].parameters,
               (size_t)parameter_count(s->model->joints[joint->terms[k].joint].type) * sizeof(double));
    for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++) {
        if (!isnan(c->parameters[k]))
            continue;
        tn_tape_input input = tn_eval_constraint_input(e, s, index, memory);
        TN_TRY(tn_program_as_built(s->model, joint, k, &input, &c->parameters[k]));
        if (!isfinite(c->parameters[k]))
            return tn_fail(s->context, TN_ERROR_MODEL, joint->entity.span,
                           "joint '%s': %s cannot be found from the given start; give it", joint->entity.name,
                           joint->type->parameters[k].name);
    }
    return TN_OK;
}

/* Joints that do work have time in their equations, or ask for velocities of bodies at rest. */
static void find_workers(tn_system *s, tn_eval *e, const double *memory)
{
    tn_eval_constraints(e, s, memory, 1, false);
    for (int i = 0; i < s->constraint_count; i++) {
        tn_constraint *c = &s->constraints[i];
        c->works = c->program->timed || tn_joint_motion(&s->model->joints[c->source]) ||
                   tn_eval_velocity_gap(e, s, i) != 0 || tn_model_closing(s->model, c->source);
        s->works |= c->works;
    }
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
    if (code == TN_OK)
        tn_eval_motion(e, s, 0, q, NULL);
    for (int i = 0; i < s->constraint_count && code == TN_OK; i++)
        code = find_as_built(s, e, memory, i);
    if (code == TN_OK) {
        tn_system_find_starts(s, e, memory);
        find_workers(s, e, memory);
    }
    tn_arena_destroy(scratch);
    return code;
}

/* ---- life ---- */

static int compile(tn_system *s, tn_arena *scratch)
{
    TN_TRY(compile_bodies(s, scratch));
    TN_TRY(tn_system_number_states(s));
    TN_TRY(compile_joints(s, scratch));
    TN_TRY(compile_structure(s));
    TN_TRY(tn_system_compile_groups(s));
    TN_TRY(tn_system_compile_forces(s));
    s->size = s->positions + s->velocities + s->states;
    return find_parameters(s);
}

int tn_system_create(tn_system **out, const tn_model *model)
{
    tn_system *s = tn_alloc(model->context, 1, sizeof *s);
    if (!s)
        return TN_ERROR_MEMORY;
    s->model = model;
    s->context = model->context;
    s->dimension = model->dimension;
    tn_copy3(s->gravity, model->gravity);
    s->arena = tn_arena_create(model->context);
    tn_arena *scratch = tn_arena_create(model->context);
    int code = s->arena && scratch ? compile(s, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    if (code < 0) {
        tn_system_destroy(s);
        return code;
    }
    *out = s;
    return TN_OK;
}

void tn_system_destroy(tn_system *s)
{
    if (!s)
        return;
    tn_program_list_destroy(&s->programs, s->context);
    for (size_t k = 0; k < s->formula_count; k++)
        tn_formula_destroy(s->formulas[k]);
    tn_free(s->context, s->formulas);
    tn_free(s->context, s->frames);
    if (s->arena)
        tn_arena_destroy(s->arena);
    tn_free(s->context, s);
}
