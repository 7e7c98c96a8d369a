/* Builds the structure for the solvers; attaches joints to a compiled system and detaches them. */
#include <math.h>
#include "ports.h"
#include "vec.h"

/* ---- structure ---- */

static void scale_by(const tn_system *s, const tn_sys_frame *frame, double *scale)
{
    double arm = tn_norm3(frame->p);
    for (int j = s->bodies[frame->body].v + s->dimension; j < s->structure.body_column[frame->body + 1]; j++)
        scale[j] = fmax(scale[j], arm);
}

/* The scale compares rotations with displacements: distance of the farthest attachment, or radius of gyration. */
static void scale_columns(tn_system *s, double *scale)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        double moment = fmax(body->moments[0], fmax(body->moments[1], body->moments[2]));
        if (s->model->bodies[body->source].missing)
            moment = 0;
        for (int k = 0; k < s->structure.body_column[b + 1] - body->v; k++)
            scale[body->v + k] = k < s->dimension ? 1 : body->port ? 0 : sqrt(moment / body->mass);
    }
    for (int i = 0; i < s->constraint_count; i++)
        for (int k = 0; k < s->constraints[i].slot_count; k++)
            if (tn_slot_body(s, &s->constraints[i], k) >= 0)
                scale_by(s, &s->frames[s->constraints[i].frames[k]], scale);
}

/* A body without mass gets moments of inertia of 1 kg at the distance of its scale: for assembly and kinematics, where
 * any mass works but a balanced one works best. */
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

/* Rotations of a port without an arm get the scale 1 m. */
static void scale_ports(const tn_system *s, double *scale)
{
    for (int b = 0; s->component_count > 0 && b < s->body_count; b++)
        for (int j = s->bodies[b].v + s->dimension; s->bodies[b].port && j < s->structure.body_column[b + 1]; j++)
            scale[j] = scale[j] > 0 ? scale[j] : 1;
}

static void compute_scales(tn_system *s, double *scale)
{
    scale_columns(s, scale);
    replace_missing_masses(s, scale);
    scale_ports(s, scale);
}

/* Adds the blocks of a constraint: one for each different body of its slots. */
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

/* body -1: ground */
static bool turns(const tn_system *s, int body)
{
    return body < 0 || s->bodies[body].motion != TN_MOTION_PARTICLE;
}

/* Particles have no angular part: a ball joint on a particle is not a pin. Nor is a joint on a port whose columns are
 * coupled with those of other ports. */
static tn_pin_kind pin_kind_of(const tn_system *s, const tn_constraint *c)
{
    if (c->program->pin == TN_PIN_NONE)
        return TN_PIN_NONE;
    return tn_ports_take_pin(s, tn_slot_body(s, c, 0), tn_slot_body(s, c, 1)) ? c->program->pin : TN_PIN_NONE;
}

/* Places the blocks in G: blocks of pins come last. */
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

int tn_compile_structure(tn_system *s, tn_arena *arena)
{
    size_t slots = 0;
    s->jacobian_size = s->tape_jacobian_size = s->mass_size = 0;
    s->has_velocity_rows = false;
    for (int i = 0; i < s->constraint_count; i++)
        slots += (size_t)s->constraints[i].slot_count;
    int *body_column = tn_arena_alloc(arena, (size_t)s->body_count + 1, sizeof(int));
    size_t *mass_offset = tn_arena_alloc(arena, (size_t)s->body_count + 1, sizeof(size_t));
    int *constraint_row = tn_arena_alloc(arena, (size_t)s->constraint_count + 1, sizeof(int));
    int *block_begin = tn_arena_alloc(arena, (size_t)s->constraint_count + 1, sizeof(int));
    int *block_body = tn_arena_alloc(arena, slots, sizeof(int));
    size_t *block_offset = tn_arena_alloc(arena, slots, sizeof(size_t));
    double *scale = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double));
    s->velocity_row = tn_arena_alloc(arena, (size_t)s->rows, sizeof(bool));
    s->pin_kind = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(unsigned char));
    TN_TRY(tn_arena_status(arena));
    s->structure = (tn_structure){ .bodies = s->body_count, .body_column = body_column,
                                   .mass_offset = mass_offset,
                                   .constraints = s->constraint_count, .constraint_row = constraint_row,
                                   .block_begin = block_begin, .block_body = block_body,
                                   .block_offset = block_offset, .column_scale = scale,
                                   .groups = s->structure.groups, .body_group = s->structure.body_group,
                                   .group_parent = s->structure.group_parent,
                                   .group_rank = s->structure.group_rank };
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
        c->by_kernel = c->program->pin != TN_PIN_NONE && turns(s, tn_slot_body(s, c, 0)) &&
                       turns(s, tn_slot_body(s, c, 1));
        blocks += add_blocks(s, c, blocks, block_body);
        for (int r = 0; r < c->rows; r++)
            s->velocity_row[c->row + r] = c->program->rows[r].velocity;
        for (int r = 0; r < c->rows; r++)
            s->has_velocity_rows |= c->program->rows[r].velocity;
    }
    constraint_row[s->constraint_count] = s->rows;
    block_begin[s->constraint_count] = blocks;
    place_blocks(s, block_offset);
    compute_scales(s, scale);
    return TN_OK;
}

void tn_system_rescale(tn_system *s)
{
    compute_scales(s, (double *)(uintptr_t)s->structure.column_scale);         /* the system's own array */
}

/* ---- attached joints ---- */

tn_layout tn_layout_of(const tn_system *s)
{
    tn_layout l = s->layout;
    l.constraints = s->constraints;
    l.coordinates = s->coordinates;
    l.constraint_count = s->constraint_count;
    l.rows = s->rows;
    l.pin_kind = s->pin_kind;
    l.velocity_row = s->velocity_row;
    l.has_velocity_rows = s->has_velocity_rows;
    l.structure = s->structure;
    l.jacobian_size = s->jacobian_size;
    l.tape_jacobian_size = s->tape_jacobian_size;
    l.mass_size = s->mass_size;
    return l;
}

void tn_layout_place_frames(tn_system *s)
{
    for (int k = 0; k < s->layout.joint_count; k++) {
        const tn_joint *joint = &s->layout.joints[k];
        const int *frames = s->constraints[s->own_constraints + k].frames;
        if (joint->type->joints != 0)
            continue;
        s->frames[frames[0]] = tn_system_frame(s, joint->body1, &joint->frame1);
        s->frames[frames[1]] = tn_system_frame(s, joint->body2, &joint->frame2);
    }
}

void tn_layout_restore(tn_system *s, const tn_layout *l)
{
    s->layout = *l;
    s->constraints = l->constraints;
    s->coordinates = l->coordinates;
    s->constraint_count = l->constraint_count;
    s->rows = l->rows;
    s->pin_kind = l->pin_kind;
    s->velocity_row = l->velocity_row;
    s->has_velocity_rows = l->has_velocity_rows;
    s->structure = l->structure;
    s->jacobian_size = l->jacobian_size;
    s->tape_jacobian_size = l->tape_jacobian_size;
    s->mass_size = l->mass_size;
    tn_layout_place_frames(s);
}

void tn_layout_free(const tn_system *s, tn_layout *l)
{
    tn_program_list_destroy(&l->programs, s->context);
    if (l->arena)
        tn_arena_destroy(l->arena);
    *l = (tn_layout){ 0 };
}

/* Frames of the k-th attached joint: their indices are the same in all layouts. */
static int take_spare_frames(tn_system *s, int k, int frames[2])
{
    const tn_pose identity = tn_pose_identity();
    while (s->spare_count < 2 * ((size_t)k + 1)) {
        TN_TRY(tn_grow(s->context, &s->spare_frames, &s->spare_capacity, s->spare_count + 1, sizeof(int)));
        int frame = tn_system_add_frame(s, 0, &identity);
        if (frame < 0)
            return TN_ERROR_MEMORY;
        s->spare_frames[s->spare_count++] = frame;
    }
    frames[0] = s->spare_frames[2 * k];
    frames[1] = s->spare_frames[2 * k + 1];
    return TN_OK;
}

static int attach_joint(tn_system *s, const tn_attached *from)
{
    tn_layout *l = &s->layout;
    int k = l->joint_count++, index = s->constraint_count;
    tn_joint *joint = &l->joints[k];
    tn_constraint *c = &s->constraints[index];
    *joint = *from->joint;
    if (from->holder > 0)
        l->holders[l->hold_count++] = from->holder - 1;
    joint->terms = tn_arena_alloc(l->arena, joint->term_count, sizeof *joint->terms);
    if (!joint->terms)
        return TN_ERROR_MEMORY;
    if (joint->term_count > 0)
        memcpy(joint->terms, from->joint->terms, joint->term_count * sizeof *joint->terms);
    *c = (tn_constraint){ .source = (uint32_t)k, .attached = true, .row = s->rows };
    TN_TRY(tn_compile_constraint(s, c, joint, joint->type->internal ? &s->touch_programs : &l->programs, l->arena));
    tn_take_coupled_parameters(s, c, joint);
    if (joint->type->joints == 0)
        TN_TRY(take_spare_frames(s, k, c->frames));
    c->rows = from->rows < c->rows ? from->rows : c->rows;
    c->works = from->law.carries;
    s->works |= c->works;
    if ((from->law.sticking > 0 && c->rows < c->program->row_count) || from->law.rolling > 0 || from->law.drilling > 0) {
        tn_slide *slide = &l->slides[l->slide_count++];
        *slide = (tn_slide){ .constraint = index, .law = from->law };
        memcpy(slide->along, from->along, sizeof slide->along);
    }
    s->coordinates[index] = (tn_coordinates){ 0 };
    s->rows += c->rows;
    s->constraint_count++;
    return TN_OK;
}

static int attach_all(tn_system *s, const tn_attached *joints, int count)
{
    const tn_layout *l = &s->layout;
    size_t own = (size_t)s->own_constraints, all = own + (size_t)count;
    tn_constraint *constraints = tn_arena_alloc(l->arena, all, sizeof *constraints);
    tn_coordinates *coordinates = tn_arena_alloc(l->arena, all, sizeof *coordinates);
    s->layout.joints = tn_arena_alloc(l->arena, (size_t)count, sizeof *l->joints);
    s->layout.slides = tn_arena_alloc(l->arena, (size_t)count, sizeof *l->slides);
    s->layout.holders = tn_arena_alloc(l->arena, (size_t)count, sizeof *l->holders);
    TN_TRY(tn_arena_status(l->arena));
    memcpy(constraints, s->constraints, own * sizeof *constraints);
    memcpy(coordinates, s->coordinates, own * sizeof *coordinates);
    s->constraints = constraints;
    s->coordinates = coordinates;
    s->constraint_count = s->own_constraints;
    s->rows = own > 0 ? constraints[own - 1].row + constraints[own - 1].rows : 0;
    for (int k = 0; k < count; k++)
        TN_TRY(attach_joint(s, &joints[k]));
    tn_layout_place_frames(s);
    return tn_compile_structure(s, l->arena);
}

int tn_system_attach(tn_system *s, const tn_attached *joints, int count, tn_layout *before)
{
    *before = tn_layout_of(s);
    s->layout = (tn_layout){ .arena = tn_arena_create(s->context) };
    int code = s->layout.arena ? attach_all(s, joints, count) : TN_ERROR_MEMORY;
    if (code == TN_OK)
        return TN_OK;
    tn_layout failed = s->layout;
    tn_layout_restore(s, before);
    tn_layout_free(s, &failed);
    return code;
}
