/* Open boxes in the solver of a system with components: see boxed.h. */
#include "boxed.h"

#include <math.h>
#include <string.h>
#include "open_check.h"
#include "vec.h"

static const tn_structure *inside_of(const tn_saddle *k, int box)
{
    return k->system->boxes[box].inside.structure;
}

/* ---- analysis ---- */

/* Up to where G of a box has rows that are needed: those of pins may not be. */
static size_t needed_rows(const tn_structure *st, bool pins)
{
    size_t end = 0;
    for (int c = 0; c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            size_t here = st->block_offset[b] + (size_t)(tn_rows_of(st, c) * tn_width_of(st, st->block_body[b]));
            if ((!pins || !st->pin_kind || st->pin_kind[c] == TN_PIN_NONE) && here > end)
                end = here;
        }
    return end;
}

static void place_box(tn_saddle *k, int box)
{
    const tn_structure *st = inside_of(k, box);
    tn_open_place *place = &k->places[box];
    *place = (tn_open_place){ .body = k->bodies, .constraint = k->constraints, .row = k->rows, .group = k->groups,
                              .M = k->mass_size, .G = k->rows_size, .mass_size = tn_open_mass_size(st),
                              .rows_size = needed_rows(st, k->outer->pins != NULL) };
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
    k->places = tn_arena_alloc(arena, (size_t)s->box_count, sizeof *k->places);
    if (!k->number || !k->places)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++) {
        const bool gone = k->box_of[b] >= 0 && s->boxes[k->box_of[b]].open;
        k->number[b] = gone ? -1 : k->bodies++;
    }
    k->constraints = k->outer->constraints;
    k->rows = k->outer->constraint_row[k->outer->constraints];
    k->groups = k->outer->groups;
    k->mass_size = s->mass_size;
    k->rows_size = k->copied;
    for (int n = 0; n < s->box_count; n++)
        if (s->boxes[n].open)
            place_box(k, n);
    return TN_OK;
}

/* Joints at a port have at least its arm on the body that it is on. */
static void scale_by_ports(const tn_saddle *k, int box, const int *column, double *scale)
{
    const tn_open_component *inside = &k->system->boxes[box].inside;
    for (int p = 0; p < k->system->boxes[box].instance.component.type->port_count; p++) {
        const int body = inside->port_body[p] < 0 ? -1 : k->places[box].body + inside->port_body[p];
        const double arm = tn_norm3(inside->port_arm + 3 * p);
        for (int j = k->system->dimension; body >= 0 && j < column[body + 1] - column[body]; j++)
            scale[column[body] + j] = fmax(scale[column[body] + j], arm);
    }
}

void tn_open_columns(const tn_saddle *k, int *column, size_t *mass, double *scale)
{
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_open_place *place = &k->places[n];
        if (!k->system->boxes[n].open)
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

/* The block of the constraint that is being written on a body; -1: there is none. */
static int block_on(const tn_block_writer *w, int constraint, int body)
{
    for (int b = w->begin[constraint]; b < w->blocks; b++)
        if (w->body[b] == body)
            return b;
    return -1;
}

void tn_open_carry_block(tn_block_writer *w, int constraint, int block)
{
    const tn_saddle *k = w->k;
    const tn_structure *st = k->outer;
    const int port = k->port_of[st->block_body[block]], box = k->box_of[st->block_body[block]];
    const tn_open_component *inside = &k->system->boxes[box].inside;
    if (inside->port_body[port] < 0)
        return;
    int body = k->places[box].body + inside->port_body[port], to = block_on(w, constraint, body);
    const bool first = to < 0, pin = w->p->pins && st->pin_kind[constraint] != TN_PIN_NONE;
    const int side = !pin ? 0 : st->pins[constraint].body2 == st->block_body[block] ? 1 : -1;
    if (first) {
        to = w->blocks++;
        w->body[to] = body;
        w->offset[to] = w->size;
        if (!pin)
            w->size += (size_t)(tn_rows_of(st, constraint) *
                                tn_width_of(inside->structure, inside->port_body[port]));
    }
    w->p->carried[w->p->carried_count++] = (tn_carried){ constraint, box, port, side, st->block_offset[block],
                                                         w->offset[to], first };
}

void tn_open_blocks(tn_block_writer *w)
{
    const tn_saddle *k = w->k;
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_open_place *place = &k->places[n];
        if (!k->system->boxes[n].open)
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

/* A body of a pin, with its arm, as they are inside. */
static void carry_pin(const tn_saddle *k, int *body, double arm[3])
{
    if (*body < 0 || k->number[*body] >= 0) {
        *body = *body < 0 ? -1 : k->number[*body];
        return;
    }
    const int box = k->box_of[*body], port = k->port_of[*body];
    const tn_open_component *inside = &k->system->boxes[box].inside;
    *body = inside->port_body[port] < 0 ? -1 : k->places[box].body + inside->port_body[port];
    tn_add3(arm, arm, inside->port_arm + 3 * port);
}

static void take_pins(const tn_saddle *k, const tn_boxed_problem *p)
{
    for (int c = 0; c < k->outer->constraints; c++) {
        if (k->outer->pin_kind[c] == TN_PIN_NONE)
            continue;
        p->pins[c] = k->outer->pins[c];
        carry_pin(k, &p->pins[c].body1, p->pins[c].s1);
        carry_pin(k, &p->pins[c].body2, p->pins[c].s2);
    }
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_open_place *place = &k->places[n];
        const tn_structure *st = k->system->boxes[n].open ? inside_of(k, n) : NULL;
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

static int build_pins(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
{
    unsigned char *kind = tn_arena_alloc(arena, (size_t)k->constraints, 1);
    p->pins = tn_arena_alloc(arena, (size_t)k->constraints, sizeof *p->pins);
    if (!kind || !p->pins)
        return TN_ERROR_MEMORY;
    memcpy(kind, k->outer->pin_kind, (size_t)k->outer->constraints);
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_structure *st = k->system->boxes[n].open ? inside_of(k, n) : NULL;
        if (st && st->pin_kind)
            memcpy(kind + k->places[n].constraint, st->pin_kind, (size_t)st->constraints);
    }
    p->structure.pin_kind = kind;
    p->structure.pins = p->pins;
    take_pins(k, p);
    return TN_OK;
}

/* Groups inside a box are in the group that its ports are in. */
static void group_box(const tn_saddle *k, int box, int *body_group, int *parent, int *rank)
{
    const tn_structure *st = inside_of(k, box), *outer = k->outer;
    const tn_open_place *place = &k->places[box];
    const int around = outer->groups > 0 ? outer->body_group[k->system->boxes[box].body[0]] : -1;
    for (int g = 0; g < st->groups; g++) {
        parent[place->group + g] = st->group_parent[g] < 0 ? around : place->group + st->group_parent[g];
        rank[place->group + g] = -1;
    }
    for (int b = 0; b < st->bodies; b++) {
        const int own = st->groups > 0 ? st->body_group[b] : -1;
        body_group[place->body + b] = own < 0 ? around : place->group + own;
    }
}

static int build_groups(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
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
    for (int n = 0; n < k->system->box_count; n++)
        if (k->system->boxes[n].open)
            group_box(k, n, body_group, parent, rank);
    p->structure.groups = k->groups;
    p->structure.body_group = body_group;
    p->structure.group_parent = parent;
    p->structure.group_rank = outer->group_rank ? rank : NULL;
    return TN_OK;
}

/* Joints inside tell their lambda to nobody but the box, which needs it if they work. */
static int build_silent(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
{
    bool *silent = tn_arena_alloc(arena, (size_t)k->constraints, sizeof *silent);
    if (!silent)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_box *box = &k->system->boxes[n];
        for (int c = 0; box->open && c < box->inside.structure->constraints; c++)
            silent[k->places[n].constraint + c] = !box->inside.works;
    }
    p->structure.silent = silent;
    return TN_OK;
}

int tn_open_rows(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *outer = k->outer;
    int *row = tn_arena_alloc(arena, (size_t)k->constraints + 1, sizeof(int));
    p->u = tn_arena_alloc(arena, (size_t)k->rows, sizeof(double));
    p->lambda = tn_arena_alloc(arena, (size_t)k->rows, sizeof(double));
    if (!row || !p->u || !p->lambda)
        return TN_ERROR_MEMORY;
    memcpy(row, outer->constraint_row, (size_t)(outer->constraints + 1) * sizeof(int));
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_open_place *place = &k->places[n];
        const tn_structure *st = k->system->boxes[n].open ? inside_of(k, n) : NULL;
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

/* One row on a port, times S: a row on its body, in place of what is in to, or added to that. */
static inline void carry_row(int dimension, int width, const double *arm, const double *from, double *to, bool add)
{
    double row[6] = { from[0], from[1], from[2] };
    if (dimension == 2) {
        row[2] += arm[0] * from[1] - arm[1] * from[0];
    } else if (width > 3) {
        tn_cross3(row + 3, arm, from);
        tn_add3(row + 3, row + 3, from + 3);
    }
    for (int j = 0; add && j < width; j++)
        row[j] += to[j];
    for (int j = 0; j < width; j++)
        to[j] = row[j];
}

static void carry(int dimension, int width, int rows, const double *arm, const double *from, double *to, bool add)
{
    for (int r = 0; r < rows; r++, from += dimension == 2 ? 3 : 6, to += width)
        if (width == 6)                /* constants make it quick */
            carry_row(3, 6, arm, from, to, add);
        else
            carry_row(dimension, width, arm, from, to, add);
}

static void carry_rows(const tn_saddle *k, const tn_boxed_problem *p)
{
    for (int n = 0; n < p->carried_count; n++) {
        const tn_carried *c = &p->carried[n];
        const tn_box *box = &k->system->boxes[c->box];
        const double *arm = box->inside.port_arm + 3 * c->port, *from = p->G + c->from;
        if (c->pin != 0)
            continue;
        const int rows = tn_rows_of(k->outer, c->constraint);
        const int width = tn_width_of(box->inside.structure, box->inside.port_body[c->port]);
        carry(k->system->dimension, width, rows, arm, from, p->G + c->to, !c->first);
    }
}

int tn_open_take_matrices(const tn_saddle *k)
{
    const tn_system *s = k->system;
    const tn_boxed_problem *p = k->used;
    for (int n = 0; n < s->box_count; n++) {
        tn_box *box = &s->boxes[n];
        const tn_open_place *place = &k->places[n];
        if (!box->open)
            continue;
        TN_TRY(tn_box_open(k->e, s, box, box->question, p->pins ? TN_OPEN_PINS : TN_OPEN_ROWS));
        memcpy(p->M + place->M, box->inside.M, place->mass_size * sizeof(double));
        memcpy(p->G + place->G, box->inside.G, place->rows_size * sizeof(double));
    }
    if (p->pins)
        take_pins(k, p);
    carry_rows(k, p);
    return TN_OK;
}

/* ---- sides and solutions ---- */

/* What a port accelerates by as its body turns, out of the rows on it. */
static void subtract_centripetal(const tn_saddle *k, const tn_boxed_problem *p)
{
    const int dimension = k->system->dimension;
    for (int n = 0; n < p->carried_count; n++) {
        const tn_carried *c = &p->carried[n];
        const tn_box *box = &k->system->boxes[c->box];
        const double *r = box->inward + 3 * c->port, *row = p->G + c->from;
        double *u = p->u + k->outer->constraint_row[c->constraint];
        if (!box->motion || box->question != TN_ASK_ACCELERATIONS)
            continue;
        for (int i = 0; i < dimension && c->pin != 0; i++)
            u[i] -= c->pin * r[i];
        for (int i = 0; i < tn_rows_of(k->outer, c->constraint) && c->pin == 0; i++, row += box->width)
            u[i] -= tn_dot3(row, r);               /* in the plane r has no third part */
    }
}

void tn_open_sides(const tn_saddle *k, const double *f, bool with_lambda)
{
    const tn_system *s = k->system;
    const tn_boxed_problem *p = k->used;
    for (int n = 0; n < s->box_count; n++) {
        tn_box *box = &s->boxes[n];
        const tn_open_component *inside = &box->inside;
        if (!box->open)
            continue;
        const tn_structure *st = inside->structure;
        const int first = p->structure.body_column[k->places[n].body];
        double *to = p->f + first, *u = p->u + k->places[n].row;
        const size_t columns = (size_t)st->body_column[st->bodies] * sizeof(double);
        const size_t rows = (size_t)st->constraint_row[st->constraints] * sizeof(double);
        if (box->asked) {
            memcpy(to, inside->f, columns);
            memcpy(u, inside->u, rows);
        } else {
            memset(to, 0, columns);
            memset(u, 0, rows);
        }
        box->motion = box->asked ? p->x + first : NULL;
        box->lambda = with_lambda && inside->works ? p->lambda + k->places[n].row : NULL;
        box->asked = false;
        for (int port = 0; port < box->instance.component.type->port_count; port++) {
            const int body = inside->port_body[port];
            if (body >= 0)
                carry(s->dimension, tn_width_of(st, body), 1, inside->port_arm + 3 * port,
                      f + box->column[port * box->width], to + st->body_column[body], true);
        }
    }
    subtract_centripetal(k, p);
}

/* a_p = S a, over all columns of a port; width: of a. */
static inline void move_port(int dimension, int width, const double *arm, const double *a, double *a_p)
{
    for (int j = 0; j < (dimension == 2 ? 3 : 6); j++)
        a_p[j] = j < width ? a[j] : 0;
    if (dimension == 2 && width == 3) {
        a_p[0] -= a[2] * arm[1];
        a_p[1] += a[2] * arm[0];
    } else if (width == 6) {
        double turn[3];
        tn_cross3(turn, a + 3, arm);
        tn_add3(a_p, a_p, turn);
    }
}

static void move_ports(const tn_system *s, const tn_box *box, const double *motion, double *a)
{
    const tn_open_component *inside = &box->inside;
    const bool turning = box->motion && box->question == TN_ASK_ACCELERATIONS;
    for (int port = 0; port < box->instance.component.type->port_count; port++) {
        const int body = inside->port_body[port], width = body < 0 ? 0 : tn_width_of(inside->structure, body);
        const double *from = motion + (body < 0 ? 0 : inside->structure->body_column[body]);
        const double *arm = inside->port_arm + 3 * port, *inward = box->inward + 3 * port;
        double *to = a + box->column[port * box->width];
        if (width == 6)                /* as in carry_rows */
            move_port(3, 6, arm, from, to);
        else
            move_port(s->dimension, width, arm, from, to);
        for (int i = 0; turning && i < s->dimension; i++)
            to[i] += inward[i];
    }
}

void tn_open_finish(const tn_saddle *k, double *a)
{
    const int *column = k->used->structure.body_column;
    for (int n = 0; n < k->system->box_count; n++)
        if (k->system->boxes[n].open)
            move_ports(k->system, &k->system->boxes[n], k->used->x + column[k->places[n].body], a);
}
