/* Open components in the solver of a system with components (component_solver.h). */
#include "component_solver.h"

#include <math.h>
#include <string.h>
#include "open_check.h"

static const tn_structure *inside_of(const tn_saddle *k, int component)
{
    return tn_component_at(k, component)->shown.inside.structure;
}

/* ---- analysis ---- */

static void place_component(tn_saddle *k, int component)
{
    const tn_structure *st = inside_of(k, component);
    tn_open_place *place = &k->places[component];
    *place = (tn_open_place){ .body = k->bodies, .constraint = k->constraints, .row = k->rows, .group = k->groups,
                              .M = k->mass_size, .G = k->rows_size, .mass_size = tn_open_mass_size(st),
                              .rows_size = tn_open_rows_size(st) };
    k->bodies += st->bodies;
    k->constraints += st->constraints;
    k->rows += st->constraint_row[st->constraints];
    k->groups += st->groups;
    k->mass_size += place->mass_size;
    k->rows_size += place->rows_size;
}

int tn_open_number(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->number = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    k->places = tn_arena_alloc(arena, (size_t)s->component_count, sizeof *k->places);
    if (!k->number || !k->places)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++) {
        const bool gone = k->component_of[b] >= 0 && tn_component_at(k, k->component_of[b])->of->open;
        k->number[b] = gone ? -1 : k->bodies++;
    }
    k->constraints = k->outer->constraints;
    k->rows = k->outer->constraint_row[k->outer->constraints];
    k->groups = k->outer->groups;
    k->mass_size = s->mass_size;
    k->rows_size = k->copied;
    for (int n = 0; n < s->component_count; n++)
        if (tn_component_at(k, n)->of->open)
            place_component(k, n);
    return TN_OK;
}

/* A body and its ports have one common scale: the length of the longest arm to a joint. */
static void scale_by_ports(const tn_saddle *k, int component, const int *column, double *scale)
{
    const tn_sys_component *of = &k->system->components[component];
    for (int p = 0; p < of->type->port_count; p++) {
        const int body = of->inside[p] < 0 ? -1 : k->places[component].body + of->inside[p];
        const double *outside = k->outer->column_scale + of->column[p * of->width];
        for (int j = 0; body >= 0 && j < column[body + 1] - column[body]; j++)
            scale[column[body] + j] = fmax(scale[column[body] + j], outside[j]);
    }
}

void tn_open_columns(const tn_saddle *k, int *column, size_t *mass, double *scale)
{
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_open_place *place = &k->places[n];
        if (!tn_component_at(k, n)->of->open)
            continue;
        const tn_structure *st = inside_of(k, n);
        int *to = column + place->body;
        for (int b = 0; b < st->bodies; b++) {
            to[b + 1] = to[b] + tn_width_of(st, b);
            mass[place->body + b] = place->M + st->mass_offset[b];
        }
        memcpy(scale + to[0], st->column_scale, (size_t)st->body_column[st->bodies] * sizeof(double));
        scale_by_ports(k, n, column, scale);
    }
}

int tn_open_link_ports(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const int *column = p->structure.body_column;
    p->open_columns = tn_arena_alloc(arena, (size_t)k->outer->body_column[k->outer->bodies], sizeof *p->open_columns);
    if (!p->open_columns)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        for (int j = 0; component->of->open && j < component->of->columns; j++) {
            const int inside = component->of->inside[j / component->of->width], body = k->places[n].body + inside;
            const int width = inside < 0 ? 0 : tn_width_of(&p->structure, body), i = j % component->of->width;
            const int to = i < width ? column[body] + i : column[k->bodies];
            p->open_columns[p->open_column_count++] = (tn_open_column){ component->of->column[j], to };
        }
    }
    return TN_OK;
}

/* The block on a body among the blocks already written of the constraint; -1: none. */
static int block_on(const tn_block_writer *w, int constraint, int body)
{
    for (int b = w->begin[constraint]; b < w->blocks; b++)
        if (w->body[b] == body)
            return b;
    return -1;
}

/* The body of the inner problem that carries the given port of an open component; -1: ground. */
static int body_of_port(const tn_saddle *k, int body)
{
    const int component = k->component_of[body];
    const int inside = k->system->components[component].inside[k->port_of[body]];
    return inside < 0 ? -1 : k->places[component].body + inside;
}

/* Another block of the constraint is on the same body inside. */
static bool shares_body(const tn_saddle *k, int constraint, int block)
{
    const tn_structure *st = k->outer;
    const int body = body_of_port(k, st->block_body[block]);
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        if (b != block && k->number[st->block_body[b]] < 0 && body_of_port(k, st->block_body[b]) == body)
            return true;
    return false;
}

void tn_open_carry_block(tn_block_writer *w, int constraint, int block)
{
    const tn_saddle *k = w->k;
    const tn_structure *st = k->outer;
    const int from = st->block_body[block], body = body_of_port(k, from), rows = tn_rows_of(st, constraint);
    if (body < 0)
        return;
    const int width = tn_width_of(st, from), width_inside = tn_width_of(&w->p->structure, body);
    const bool pin = w->p->pins && st->pin_kind[constraint] != TN_PIN_NONE;
    const bool stays = pin || (width_inside == width && !shares_body(k, constraint, block));
    int to = block_on(w, constraint, body);
    const bool first = to < 0;
    if (first) {
        to = w->blocks++;
        w->body[to] = body;
        w->offset[to] = stays ? st->block_offset[block] : w->size;
        w->size += stays ? 0 : (size_t)(rows * width_inside);
    }
    if (!stays)
        w->p->carried[w->p->carried_count++] = (tn_carried){ rows, width, width_inside, st->block_offset[block],
                                                             w->offset[to], first };
}

void tn_open_blocks(tn_block_writer *w)
{
    const tn_saddle *k = w->k;
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_open_place *place = &k->places[n];
        if (!tn_component_at(k, n)->of->open)
            continue;
        const tn_structure *st = inside_of(k, n);
        for (int c = 0; c < st->constraints; c++) {
            w->begin[place->constraint + c] = w->blocks;
            for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
                w->body[w->blocks] = place->body + st->block_body[b];
                w->offset[w->blocks++] = place->G + st->block_offset[b];
            }
        }
    }
    w->begin[k->constraints] = w->blocks;
}

/* The number inside of a body of a pin. */
static int number_of(const tn_saddle *k, int body)
{
    return body < 0 ? -1 : k->number[body] >= 0 ? k->number[body] : body_of_port(k, body);
}

/* Copies the outer pins, but keeps the body numbers of the inner problem. */
static void take_outer_pins(const tn_saddle *k, const tn_component_problem *p)
{
    for (int c = 0; p->pins != k->outer->pins && c < k->outer->constraints; c++) {
        const int body1 = p->pins[c].body1, body2 = p->pins[c].body2;
        if (k->outer->pin_kind[c] == TN_PIN_NONE)
            continue;
        p->pins[c] = k->outer->pins[c];
        p->pins[c].body1 = body1;
        p->pins[c].body2 = body2;
    }
}

static void take_pins(const tn_saddle *k, const tn_component_problem *p)
{
    take_outer_pins(k, p);
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_open_place *place = &k->places[n];
        const tn_structure *st = tn_component_at(k, n)->of->open ? inside_of(k, n) : NULL;
        for (int c = 0; st && st->pin_kind && c < st->constraints; c++) {
            tn_pin *pin = &p->pins[place->constraint + c];
            if (st->pin_kind[c] == TN_PIN_NONE)
                continue;
            *pin = st->pins[c];
            pin->body1 += pin->body1 < 0 ? 0 : place->body;
            pin->body2 += pin->body2 < 0 ? 0 : place->body;
        }
    }
}

static int build_pins(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    unsigned char *kind = tn_arena_alloc(arena, (size_t)k->constraints, 1);
    p->pins = tn_arena_alloc(arena, (size_t)k->constraints, sizeof *p->pins);
    if (!kind || !p->pins)
        return TN_ERROR_MEMORY;
    memcpy(kind, k->outer->pin_kind, (size_t)k->outer->constraints);
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_structure *st = tn_component_at(k, n)->of->open ? inside_of(k, n) : NULL;
        if (st && st->pin_kind)
            memcpy(kind + k->places[n].constraint, st->pin_kind, (size_t)st->constraints);
    }
    /* rows that assembly appends are not pins, and have no entry in the outer table */
    for (int c = 0; c < k->outer->constraints && c < k->system->constraint_count; c++) {
        p->pins[c].body1 = number_of(k, k->outer->pins[c].body1);
        p->pins[c].body2 = number_of(k, k->outer->pins[c].body2);
    }
    p->structure.pin_kind = kind;
    p->structure.pins = p->pins;
    take_pins(k, p);
    return TN_OK;
}

/* The groups inside a component become children of the group of its ports. */
static void group_component(const tn_saddle *k, int component, int *body_group, int *parent, int *rank)
{
    const tn_structure *st = inside_of(k, component), *outer = k->outer;
    const tn_open_place *place = &k->places[component];
    const int around = outer->groups > 0 ? outer->body_group[tn_component_at(k, component)->of->body[0]] : -1;
    for (int g = 0; g < st->groups; g++) {
        parent[place->group + g] = st->group_parent[g] < 0 ? around : place->group + st->group_parent[g];
        rank[place->group + g] = -1;
    }
    for (int b = 0; b < st->bodies; b++) {
        const int own = st->groups > 0 ? st->body_group[b] : -1;
        body_group[place->body + b] = own < 0 ? around : place->group + own;
    }
}

static int build_groups(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *outer = k->outer;
    int *body_group = tn_arena_alloc(arena, (size_t)k->bodies, sizeof(int));
    int *parent = tn_arena_alloc(arena, (size_t)k->groups, sizeof(int));
    int *rank = tn_arena_alloc(arena, (size_t)k->groups, sizeof(int));
    if (!body_group || !parent || !rank)
        return TN_ERROR_MEMORY;
    for (int g = 0; g < outer->groups; g++) {
        parent[g] = outer->group_parent[g];
        rank[g] = outer->group_rank ? outer->group_rank[g] : -1;
    }
    for (int b = 0; b < outer->bodies; b++)
        if (k->number[b] >= 0)
            body_group[k->number[b]] = outer->groups > 0 ? outer->body_group[b] : -1;
    for (int n = 0; n < k->system->component_count; n++)
        if (tn_component_at(k, n)->of->open)
            group_component(k, n, body_group, parent, rank);
    p->structure.groups = k->groups;
    p->structure.body_group = body_group;
    p->structure.group_parent = parent;
    p->structure.group_rank = outer->group_rank ? rank : NULL;
    return TN_OK;
}

/* Only the component reads lambda of the joints inside, and only if these joints do work. */
static int build_silent(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    bool *silent = tn_arena_alloc(arena, (size_t)k->constraints, sizeof *silent);
    if (!silent)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        for (int c = 0; component->of->open && c < component->shown.inside.structure->constraints; c++)
            silent[k->places[n].constraint + c] = !component->shown.inside.works;
    }
    p->structure.silent = silent;
    return TN_OK;
}

int tn_open_rows(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *outer = k->outer;
    int *row = tn_arena_alloc(arena, (size_t)k->constraints + 1, sizeof(int));
    p->u = tn_arena_alloc(arena, (size_t)k->rows, sizeof(double));
    p->lambda = tn_arena_alloc(arena, (size_t)k->rows, sizeof(double));
    if (!row || !p->u || !p->lambda)
        return TN_ERROR_MEMORY;
    memcpy(row, outer->constraint_row, (size_t)(outer->constraints + 1) * sizeof(int));
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_open_place *place = &k->places[n];
        const tn_structure *st = tn_component_at(k, n)->of->open ? inside_of(k, n) : NULL;
        for (int c = 1; st && c <= st->constraints; c++)
            row[place->constraint + c] = place->row + st->constraint_row[c];
    }
    p->structure.constraints = k->constraints;
    p->structure.constraint_row = row;
    if (outer->pins)
        TN_TRY(build_pins(p, k, arena));
    TN_TRY(build_silent(p, k, arena));
    return build_groups(p, k, arena);
}

/* ---- matrices ---- */

static void carry_rows(const tn_component_problem *p)
{
    for (const tn_carried *c = p->carried; c < p->carried + p->carried_count; c++)
        for (int r = 0; r < c->rows; r++) {
            const double *from = p->G + c->from + r * c->width;
            double *to = p->G + c->to + r * c->width_inside;
            for (int j = 0; j < c->width_inside; j++)
                to[j] = from[j] + (c->first ? 0 : to[j]);
        }
}

void tn_coupled_share_matrices(tn_saddle *k, tn_eval *e, const tn_system *s)
{
    if (s->component_count == 0)
        return;
    const tn_component_problem *p = k->problems;
    k->shares = true;
    memcpy(p->M, e->M, s->mass_size * sizeof(double));
    e->M = p->M;
    e->G = p->G;
    if (p->pins)
        e->pins = p->pins;
}

/* Makes the component write M and G directly into the first problem. */
static void claim(const tn_saddle *k, int index)
{
    tn_coupled *component = tn_component_at(k, index);
    const tn_component_problem *p = k->problems;
    if (!k->shares || component->shown.home == k || !component->type->write_to)
        return;
    component->type->write_to(component->self, p->M + k->places[index].M, p->G + k->places[index].G);
    component->shown.home = k;
    tn_coupled_cover(component);
}

void tn_open_release(const tn_saddle *k)
{
    for (int n = 0; n < k->system->component_count; n++) {
        tn_coupled *component = tn_component_at(k, n);
        if (component->shown.home != k)
            continue;
        component->type->write_to(component->self, NULL, NULL);
        component->shown.home = NULL;
        tn_coupled_cover(component);
    }
}

int tn_open_take_matrices(const tn_saddle *k)
{
    const tn_system *s = k->system;
    const tn_component_problem *p = k->used;
    for (int n = 0; n < s->component_count; n++) {
        tn_coupled *component = tn_component_at(k, n);
        const tn_open_place *place = &k->places[n];
        if (!component->of->open)
            continue;
        claim(k, n);
        TN_TRY(tn_coupled_open(k->e, s, component, component->shown.question, p->pins ? TN_OPEN_PINS : TN_OPEN_ROWS));
        const tn_open_component *inside = &component->shown.inside;
        if (inside->M != p->M + place->M)
            memcpy(p->M + place->M, inside->M, place->mass_size * sizeof(double));
        if (inside->G != p->G + place->G)
            memcpy(p->G + place->G, inside->G, place->rows_size * sizeof(double));
    }
    if (p->pins)
        take_pins(k, p);
    carry_rows(p);
    return TN_OK;
}

/* ---- sides and solutions ---- */

static void take_side(const tn_saddle *k, int index, bool with_lambda)
{
    tn_coupled *component = tn_component_at(k, index);
    const tn_component_problem *p = k->used;
    const tn_open_component *inside = &component->shown.inside;
    const tn_open_place *place = &k->places[index];
    const int first = p->structure.body_column[place->body];
    const size_t columns = (size_t)(p->structure.body_column[place->body + inside->structure->bodies] - first);
    const size_t rows = (size_t)inside->structure->constraint_row[inside->structure->constraints];
    const double *lambda = with_lambda && inside->works ? p->lambda + place->row : NULL;
    if (tn_coupled_solving(component, p->x + first, lambda)) {
        memcpy(p->f + first, inside->f, columns * sizeof(double));
        memcpy(p->u + place->row, inside->u, rows * sizeof(double));
    } else {
        memset(p->f + first, 0, columns * sizeof(double));
        memset(p->u + place->row, 0, rows * sizeof(double));
    }
}

void tn_open_sides(const tn_saddle *k, const double *f, bool with_lambda)
{
    const tn_component_problem *p = k->used;
    for (int n = 0; n < k->system->component_count; n++)
        if (tn_component_at(k, n)->of->open)
            take_side(k, n, with_lambda);
    for (const tn_open_column *c = p->open_columns; c < p->open_columns + p->open_column_count; c++)
        p->f[c->inside] += f[c->outside];
}

void tn_open_finish(const tn_saddle *k, double *a)
{
    const tn_component_problem *p = k->used;
    for (const tn_open_column *c = p->open_columns; c < p->open_columns + p->open_column_count; c++)
        a[c->outside] = p->x[c->inside];
}
