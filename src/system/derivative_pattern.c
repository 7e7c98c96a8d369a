/* The entries of the derivatives of forces and joint forces: which rows and columns they have. */
#include "derivatives.h"

#include "diag.h"
#include "unit_motions.h"

static void clear(tn_unit_motions *w)
{
    w->count = 0;
    w->too_many = false;
}

static void add_body(tn_unit_motions *w, const tn_system *s, int body)
{
    if (body < 0)
        return;
    for (int k = 0; k < w->count; k++)
        if (w->items[k].body == body)
            return;
    if (w->count + 6 > TN_MOST_READ_MOTIONS) {
        w->too_many = true;
        return;
    }
    int first = s->bodies[body].v, n = s->structure.body_column[body + 1] - first;
    for (int k = 0; k < n; k++) {
        tn_unit_motion *item = &w->items[w->count++];
        *item = (tn_unit_motion){ .body = body, .index = first + k };
        if (k < s->dimension)
            item->linear[k] = 1;
        else
            item->omega[s->dimension == 2 ? 2 : k - 3] = 1;
    }
}

static void add_state(tn_unit_motions *w, const tn_system *s, int state)
{
    if (w->count < TN_MOST_READ_MOTIONS)
        w->items[w->count++] = (tn_unit_motion){ .body = -1, .index = s->velocities + state };
    else
        w->too_many = true;
}

int tn_body_of_slot(const tn_system *s, const tn_slot *slot)
{
    return slot->kind == TN_SLOT_FRAME ? s->frames[slot->index].body : slot->kind == TN_SLOT_ANGLE ? slot->index : -1;
}

void tn_motions_of_force(tn_unit_motions *w, const tn_system *s, const tn_sys_force *force)
{
    clear(w);
    const tn_force *from = &s->model->forces[force->source];
    if (force->type->device && force->effort_count > 0)
        for (int k = 0; k < force->formula->slot_count; k++)
            add_body(w, s, tn_body_of_slot(s, &force->formula->slots[k]));
    else if (force->type->place != TN_PLACE_NONE) {
        add_body(w, s, s->body_of[from->body1]);
        add_body(w, s, s->body_of[from->body2]);
    }
    for (int k = 0; k < force->state_count; k++)
        add_state(w, s, force->state + k);
}

void tn_motions_read_by(tn_unit_motions *w, const tn_system *s, const tn_formula *f)
{
    clear(w);
    for (int k = 0; k < f->slot_count; k++)
        add_body(w, s, tn_body_of_slot(s, &f->slots[k]));
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind == TN_SLOT_STATE || f->slots[k].kind == TN_SLOT_INPUT)
            add_state(w, s, f->slots[k].index);
        else if (f->slots[k].kind == TN_SLOT_UNKNOWN)
            add_state(w, s, s->states + f->slots[k].index);
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind == TN_SLOT_INPUT)
            add_state(w, s, f->slots[k].index + 1);
}

const tn_external *tn_force_external(const tn_system *s, const tn_sys_force *force)
{
    return force->type->device && force->type->device->external ? tn_external_of(s, force->source) : NULL;
}

/* The same of a force. The rates of an external device are unknowns of the network, nothing else. */
static void read_by_force(tn_unit_motions *w, const tn_system *s, const tn_sys_force *force)
{
    const tn_external *external = tn_force_external(s, force);
    if (!external) {
        tn_motions_read_by(w, s, force->formula);
        return;
    }
    clear(w);
    for (int k = 0; k < force->state_count; k++)
        add_state(w, s, s->states + external->rates[k]);
}

void tn_motions_of_constraint(tn_unit_motions *w, const tn_system *s, int constraint)
{
    clear(w);
    const tn_structure *st = &s->structure;
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        add_body(w, s, st->block_body[b]);
}

/* ---- patterns ---- */

static int create_derivatives(tn_derivatives **out, const tn_system *s, tn_arena *arena, size_t count)
{
    tn_derivatives *d = tn_arena_alloc(arena, 1, sizeof *d);
    size_t slots = (size_t)(s->slot_max > 2 * TN_MAX_COUPLED + 1 ? s->slot_max : 2 * TN_MAX_COUPLED + 1);
    if (!d)
        return TN_ERROR_MEMORY;
    d->row = tn_arena_alloc(arena, count, sizeof(int));
    d->column = tn_arena_alloc(arena, count, sizeof(int));
    d->position = tn_arena_alloc(arena, count, sizeof(double));
    d->velocity = tn_arena_alloc(arena, count, sizeof(double));
    d->tangents = tn_arena_alloc(arena, slots * TN_LEAVES, sizeof(tn_leaf));
    d->changes = tn_arena_alloc(arena, 2 * TN_MOST_READ_MOTIONS * (TN_FORCE_EFFORTS + TN_FORCE_STATES + 6), sizeof(double));
    *out = d;
    return tn_arena_status(arena);
}

static void add_block(tn_derivatives *d, const tn_unit_motions *rows, const tn_unit_motions *columns)
{
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < columns->count; j++) {
            d->row[d->count] = rows->items[i].index;
            d->column[d->count++] = columns->items[j].index;
        }
}

/* Reports a formula that reads too much. */
static int check_columns(const tn_system *s, uint32_t source, const tn_formula *formula, size_t *count)
{
    const tn_entity *entity = &s->model->forces[source].entity;
    tn_unit_motions columns;
    tn_motions_read_by(&columns, s, formula);
    *count = (size_t)columns.count;
    return !columns.too_many ? TN_OK
           : tn_fail(s->context, TN_ERROR_MODEL, entity->span,
                     "%s '%s': its expressions read more than %d bodies, too many to differentiate",
                     tn_force_word(&s->model->forces[source]), entity->name, TN_MOST_READ_BODIES);
}

/* Rows of the network's equations. */
static int count_network(const tn_system *s, size_t *count)
{
    for (int k = 0; s->network && k < s->network->count; k++) {
        size_t columns;
        TN_TRY(check_columns(s, s->network->variables[k].source, s->network->variables[k].formula, &columns));
        *count += columns + 1;
    }
    return TN_OK;
}

static void add_network(tn_derivatives *d, const tn_system *s)
{
    for (int k = 0; s->network && k < s->network->count; k++) {
        tn_unit_motions columns;
        tn_motions_read_by(&columns, s, s->network->variables[k].formula);
        const int row = s->velocities + s->states + k;
        for (int j = 0; j < columns.count; j++) {
            d->row[d->count] = row;
            d->column[d->count++] = columns.items[j].index;
        }
        d->row[d->count] = d->column[d->count] = row;  /* of the unknown itself, where it is a signal */
        d->count++;
    }
}

int tn_open_derivatives_create(tn_derivatives **out, const tn_system *s, tn_arena *arena)
{
    size_t count = 0, read;
    tn_unit_motions w;
    for (int b = 0; b < s->body_count; b++)
        count += s->bodies[b].motion == TN_MOTION_SPATIAL ? 9 : 0;
    for (int k = 0; k < s->force_count; k++) {
        TN_TRY(check_columns(s, s->forces[k].source, s->forces[k].formula, &read));
        if (tn_force_external(s, &s->forces[k]))
            read = (size_t)s->forces[k].state_count;
        tn_motions_of_force(&w, s, &s->forces[k]);
        count += (size_t)w.count * read;
    }
    count += (size_t)tn_field_entries(s);
    TN_TRY(count_network(s, &count));
    TN_TRY(create_derivatives(out, s, arena, count));
    tn_derivatives *d = *out;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; s->bodies[b].motion == TN_MOTION_SPATIAL && k < 9; k++) {
            d->row[d->count] = s->bodies[b].v + 3 + k / 3;
            d->column[d->count++] = s->bodies[b].v + 3 + k % 3;
        }
    for (int k = 0; k < s->force_count; k++) {
        tn_unit_motions rows, columns;
        tn_motions_of_force(&rows, s, &s->forces[k]);
        read_by_force(&columns, s, &s->forces[k]);
        add_block(d, &rows, &columns);
    }
    tn_field_pattern(d, s);
    add_network(d, s);
    return TN_OK;
}

int tn_joint_derivatives_create(tn_derivatives **out, const tn_system *s, tn_arena *arena)
{
    size_t count = 0;
    tn_unit_motions w;
    for (int i = 0; i < s->constraint_count; i++) {
        tn_motions_of_constraint(&w, s, i);
        count += (size_t)w.count * (size_t)w.count;
    }
    TN_TRY(create_derivatives(out, s, arena, count));
    for (int i = 0; i < s->constraint_count; i++) {
        tn_motions_of_constraint(&w, s, i);
        add_block(*out, &w, &w);
    }
    return TN_OK;
}
