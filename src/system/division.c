/* Divides a system into parts that have their own solve settings. */
#include "division.h"

/* The part is not known yet. */
enum { NOBODYS = -2 };

static void belongs_to(int *part, int other)
{
    *part = *part == NOBODYS || *part == other ? other : TN_BETWEEN;
}

/* ---- parts ---- */

/* Slot of the innermost subsystem with solve settings that contains the body, plus 1; 0: none. */
static size_t home_of(const tn_model *m, uint32_t body)
{
    tn_id id = { .index = body, .generation = m->bodies[body].entity.generation, .kind = TN_KIND_BODY,
                 .owner = m->owner };
    for (id = tn_model_owner(m, id); id.kind == TN_KIND_SUBSYSTEM; id = tn_model_owner(m, id))
        if (m->subsystems[id.index].solve)
            return (size_t)id.index + 1;
    return 0;
}

static tn_part_source source_of(const tn_model *m, size_t home)
{
    if (home == 0)
        return (tn_part_source){ .span = m->solve_span };
    const tn_subsystem *subsystem = &m->subsystems[home - 1];
    return (tn_part_source){ .subsystem = { .index = (uint32_t)(home - 1), .generation = subsystem->entity.generation,
                                            .kind = TN_KIND_SUBSYSTEM, .owner = m->owner },
                             .solve = subsystem->solve, .span = subsystem->solve_span };
}

/* Numbers the homes that have bodies, in the order of the model. Ports of components belong to no home. */
static int divide_bodies(tn_division *d, const tn_system *s, tn_arena *arena)
{
    const tn_model *m = s->model;
    size_t homes = m->subsystem_count + 1;
    int *number = tn_arena_alloc(arena, homes, sizeof *number);
    d->parts = tn_arena_alloc(arena, homes, sizeof *d->parts);
    if (!number || !d->parts)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        if (!s->bodies[b].port)
            number[home_of(m, s->bodies[b].source)] = 1;
    for (size_t h = 0; h < homes; h++)
        if (number[h]) {
            d->parts[d->count] = source_of(m, h);
            number[h] = d->count++;
        }
    for (int b = 0; b < s->body_count; b++)
        d->body[b] = s->bodies[b].port ? TN_BETWEEN : number[home_of(m, s->bodies[b].source)];
    return TN_OK;
}

/* ---- parts of constraints, forces and states ---- */

static void divide_constraints(tn_division *d, const tn_system *s)
{
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_constraint *c = &s->constraints[i];
        int part = c->attached ? TN_BETWEEN : NOBODYS;
        for (int k = 0; k < c->slot_count; k++)
            if (tn_slot_body(s, c, k) >= 0)
                belongs_to(&part, d->body[tn_slot_body(s, c, k)]);
        d->constraint[i] = part == NOBODYS ? TN_BETWEEN : part;
    }
}

static int part_of_state(const tn_division *d, const tn_system *s, int k)
{
    const tn_sys_state *state = &s->state[k];
    return state->decl < 0 && state->decl > TN_STATE_OF_EXTERNAL ? d->constraint[s->constraint_of[state->source]] : d->force[s->force_of[state->source]];
}

/* The part of everything that the force's expressions read; states: including states of other forces. */
static int part_of_force(const tn_division *d, const tn_system *s, const tn_sys_force *force, bool states)
{
    int part = NOBODYS;
    for (int k = 0; k < force->formula->slot_count; k++) {
        const tn_slot *slot = &force->formula->slots[k];
        int body = slot->kind == TN_SLOT_FRAME ? s->frames[slot->index].body
                   : slot->kind == TN_SLOT_ANGLE ? slot->index : -1;
        if (body >= 0)
            belongs_to(&part, d->body[body]);
        else if (slot->kind == TN_SLOT_REACTION)
            belongs_to(&part, d->constraint[slot->index]);
        else if ((slot->kind == TN_SLOT_STATE || slot->kind == TN_SLOT_INPUT) && states)
            belongs_to(&part, part_of_state(d, s, slot->index));
    }
    return part == NOBODYS ? TN_BETWEEN : part;
}

/* A force that reads a state of another part is between parts; then so are forces that read its own states. */
static void divide_forces(tn_division *d, const tn_system *s)
{
    for (int k = 0; k < s->force_count; k++)
        d->force[k] = part_of_force(d, s, &s->forces[k], false);
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < s->force_count; k++) {
            int part = d->force[k] == TN_BETWEEN ? TN_BETWEEN : part_of_force(d, s, &s->forces[k], true);
            changed |= part != d->force[k];
            d->force[k] = part;
        }
    }
    for (int k = 0; k < s->states; k++)
        d->state[k] = k < s->component_states ? NOBODYS : part_of_state(d, s, k);
}

static int select_part(tn_division *d, const tn_system *s, int part, tn_arena *arena)
{
    const tn_model *m = s->model;
    bool *bodies = tn_arena_alloc(arena, m->body_count, sizeof *bodies);
    bool *joints = tn_arena_alloc(arena, m->joint_count, sizeof *joints);
    bool *forces = tn_arena_alloc(arena, m->force_count, sizeof *forces);
    if (!bodies || !joints || !forces)
        return TN_ERROR_MEMORY;
    bodies[0] = true;
    for (int b = 0; b < s->body_count; b++)
        bodies[s->bodies[b].source] = d->body[b] == part;
    for (int i = 0; i < s->own_constraints; i++)
        joints[s->constraints[i].source] = d->constraint[i] == part;
    for (int k = 0; k < s->force_count; k++)
        forces[s->forces[k].source] = d->force[k] == part;
    d->parts[part].selection = (tn_selection){ bodies, joints, forces };
    return TN_OK;
}

int tn_divide(tn_division *out, const tn_system *s, tn_arena *arena)
{
    *out = (tn_division){ .body = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int)),
                          .constraint = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(int)),
                          .force = tn_arena_alloc(arena, (size_t)s->force_count, sizeof(int)),
                          .state = tn_arena_alloc(arena, (size_t)s->states, sizeof(int)) };
    TN_TRY(tn_arena_status(arena));
    TN_TRY(divide_bodies(out, s, arena));
    divide_constraints(out, s);
    divide_forces(out, s);
    for (int p = 0; p < out->count; p++)
        TN_TRY(select_part(out, s, p, arena));
    return TN_OK;
}

/* ---- numbers of a part ---- */

static int positions_of(const tn_system *s, int body)
{
    return (body + 1 < s->body_count ? s->bodies[body + 1].q : s->positions) - s->bodies[body].q;
}

static void map_bodies(tn_part_map *out, const tn_system *part, const tn_system *whole)
{
    for (int b = 0; b < part->body_count; b++) {
        const tn_sys_body *to = &part->bodies[b], *from = &whole->bodies[whole->body_of[to->source]];
        for (int k = 0; k < positions_of(part, b); k++)
            out->y[to->q + k] = from->q + k;
        for (int k = 0; k < part->structure.body_column[b + 1] - to->v; k++) {
            out->velocity[to->v + k] = from->v + k;
            out->y[part->positions + to->v + k] = whole->positions + from->v + k;
        }
    }
}

static void map_states(tn_part_map *out, const tn_system *part, const tn_system *whole)
{
    for (int k = 0; k < part->states; k++)
        for (int j = 0; j < whole->states; j++)
            if (whole->state[j].source == part->state[k].source && whole->state[j].decl == part->state[k].decl)
                out->y[part->positions + part->velocities + k] = whole->positions + whole->velocities + j;
}

static void map_memory(tn_part_map *out, const tn_system *part, const tn_system *whole)
{
    for (int i = 0; i < part->constraint_count; i++) {
        const tn_coordinates *to = &part->coordinates[i];
        const tn_coordinates *from = &whole->coordinates[whole->constraint_of[part->constraints[i].source]];
        for (int k = 0; k < to->count; k++)
            out->memory[to->memory + k] = from->memory + k;
    }
}

int tn_map_part(tn_part_map *out, const tn_system *part, const tn_system *whole, tn_arena *arena)
{
    *out = (tn_part_map){ .y = tn_arena_alloc(arena, (size_t)part->size, sizeof(int)),
                          .velocity = tn_arena_alloc(arena, (size_t)part->velocities, sizeof(int)),
                          .memory = tn_arena_alloc(arena, (size_t)part->memory, sizeof(int)) };
    if (!out->y || !out->velocity || !out->memory)
        return TN_ERROR_MEMORY;
    map_bodies(out, part, whole);
    map_states(out, part, whole);
    map_memory(out, part, whole);
    return TN_OK;
}
