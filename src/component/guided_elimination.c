/* Elimination of guided bodies in a nested model: finds them, builds the structure without them, fills its matrices. */
#include "guided_elimination.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* Joints whose rows are independent in every position near closure, and whose free motions are constant in the axes of
 * the body. */
static const char *const REGULAR[] = { "revolute", "prismatic", "cylindrical", "translational" };

static int blocks_of(const tn_structure *st, int constraint)
{
    return st->block_begin[constraint + 1] - st->block_begin[constraint];
}

/* ---- finding guided bodies ---- */

static bool is_regular(const tn_system *s, int constraint)
{
    const char *name = tn_constraint_joint(s, constraint)->type->name;
    for (size_t k = 0; k < TN_LENGTH(REGULAR); k++)
        if (strcmp(name, REGULAR[k]) == 0)
            return true;
    return false;
}

static int block_on(const tn_structure *st, int constraint, int body)
{
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        if (st->block_body[b] == body)
            return b;
    return -1;
}

/* The only constraint on the body besides its guiding joint; -1: none, or several. */
static int only_other(const tn_structure *st, int joint, int body)
{
    int other = -1;
    for (int c = 0; c < st->constraints; c++)
        if (c != joint && block_on(st, c, body) >= 0) {
            if (other >= 0)
                return -1;
            other = c;
        }
    return other;
}

/* Finds the pin of a guided body and its carrier. The carrier has the same group and width, and is not guided. */
static bool find_carrier(const tn_guided_elimination *g, tn_guided_body *guided)
{
    const tn_structure *st = &g->system->structure;
    const int pin = only_other(st, guided->joint, guided->body);
    if (pin < 0 || g->system->pin_kind[pin] == TN_PIN_NONE || blocks_of(st, pin) != 2)
        return false;
    guided->pin = pin;
    guided->pin_rows = tn_rows_of(st, pin);
    guided->pin_block = block_on(st, pin, guided->body);
    guided->carrier_block = 2 * st->block_begin[pin] + 1 - guided->pin_block;
    guided->carrier = st->block_body[guided->carrier_block];
    return guided->free <= guided->pin_rows && g->guided_of[guided->carrier] < 0 &&
           tn_width_of(st, guided->carrier) == guided->width &&
           (st->groups == 0 || st->body_group[guided->carrier] == st->body_group[guided->body]);
}

/* The body is a carrier: then it cannot be guided itself. */
static bool carries(const tn_guided_elimination *g, int body)
{
    for (int k = 0; k < g->count; k++)
        if (g->guided[k].carrier == body)
            return true;
    return false;
}

static bool is_port(const int *port_body, int port_count, int body)
{
    for (int k = 0; k < port_count; k++)
        if (port_body[k] == body)
            return true;
    return false;
}

static void find_guided_bodies(tn_guided_elimination *g, const tn_eval *e, const int *port_body, int port_count)
{
    const tn_structure *st = &g->system->structure;
    for (int c = 0; c < st->constraints; c++) {
        const int block = st->block_begin[c], rows = tn_rows_of(st, c);
        if (blocks_of(st, c) != 1 || !is_regular(g->system, c))
            continue;
        const int body = st->block_body[block], width = tn_width_of(st, body);
        if (is_port(port_body, port_count, body) || g->guided_of[body] >= 0 || carries(g, body))
            continue;
        tn_guided_body *guided = &g->guided[g->count];
        *guided = (tn_guided_body){ .body = body, .joint = c, .joint_block = block, .width = width, .rows = rows,
                                    .free = width - rows };
        if (guided->free < 1 || !find_carrier(g, guided) || !tn_guided_body_begin(guided, g->system, e))
            continue;
        g->guided_of[body] = g->guided_of_pin[guided->pin] = g->count++;
        g->hidden_rows += width;
    }
}

/* ---- structure ---- */

static int build_bodies(tn_guided_elimination *g, tn_arena *arena)
{
    const tn_structure *st = &g->system->structure;
    const size_t bodies = (size_t)st->bodies;
    int *column = tn_arena_alloc(arena, bodies + 1, sizeof(int)), *group = tn_arena_alloc(arena, bodies, sizeof(int));
    size_t *mass = tn_arena_alloc(arena, bodies, sizeof(size_t));
    double *scale = tn_arena_alloc(arena, (size_t)st->body_column[st->bodies], sizeof(double));
    g->body = tn_arena_alloc(arena, bodies, sizeof(int));
    TN_TRY(tn_arena_status(arena));
    int count = 0;
    for (int b = 0; b < st->bodies; b++) {
        const int width = tn_width_of(st, b);
        if (g->guided_of[b] >= 0)
            continue;
        g->body[count] = b;
        group[count] = st->groups > 0 ? st->body_group[b] : -1;
        mass[count] = g->mass_size;
        g->mass_size += (size_t)(width * width);
        memcpy(scale + column[count], st->column_scale + st->body_column[b], (size_t)width * sizeof(double));
        column[count + 1] = column[count] + width;
        count++;
    }
    g->structure.bodies = count;
    g->structure.body_column = column;
    g->structure.body_group = group;
    g->structure.mass_offset = mass;
    g->structure.column_scale = scale;
    return TN_OK;
}

static int number_of(const tn_guided_elimination *g, int body)
{
    int at = 0;
    while (g->body[at] != body)
        at++;
    return at;
}

static bool is_guiding(const tn_guided_elimination *g, int constraint)
{
    for (int k = 0; k < g->count; k++)
        if (g->guided[k].joint == constraint)
            return true;
    return false;
}

typedef struct row_lists {
    int *row, *begin, *body;
    size_t *offset;
    unsigned char *kind;
    int constraints, blocks;
} row_lists;

/* Adds a constraint; of the pin of a guided body only the rows that remain on the carrier. */
static void add_constraint(tn_guided_elimination *g, row_lists *l, int constraint)
{
    const tn_structure *st = &g->system->structure;
    const int index = g->guided_of_pin[constraint];
    const tn_guided_body *guided = index < 0 ? NULL : &g->guided[index];
    const int rows = tn_rows_of(st, constraint) - (guided ? guided->free : 0), at = l->constraints;
    if (guided)
        g->left[index] = rows == 0 ? -1 : at;
    if (rows == 0)
        return;
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++) {
        if (guided && b != guided->carrier_block)
            continue;
        g->block[l->blocks] = b;
        l->body[l->blocks] = number_of(g, st->block_body[b]);
        l->offset[l->blocks++] = g->rows_size;
        g->rows_size += (size_t)(rows * tn_width_of(st, st->block_body[b]));
    }
    g->constraint[at] = constraint;
    l->kind[at] = guided ? TN_PIN_NONE : g->system->pin_kind[constraint];
    l->row[at + 1] = l->row[at] + rows;
    l->begin[at + 1] = l->blocks;
    l->constraints++;
}

static int build_rows(tn_guided_elimination *g, const tn_eval *e, tn_arena *arena)
{
    const tn_structure *st = &g->system->structure;
    const size_t constraints = (size_t)st->constraints, blocks = (size_t)st->block_begin[st->constraints];
    row_lists l = { .row = tn_arena_alloc(arena, constraints + 1, sizeof(int)),
                    .begin = tn_arena_alloc(arena, constraints + 1, sizeof(int)),
                    .body = tn_arena_alloc(arena, blocks, sizeof(int)),
                    .offset = tn_arena_alloc(arena, blocks, sizeof(size_t)),
                    .kind = tn_arena_alloc(arena, constraints, 1) };
    g->constraint = tn_arena_alloc(arena, constraints, sizeof(int));
    g->block = tn_arena_alloc(arena, blocks, sizeof(int));
    g->pins = tn_arena_alloc(arena, constraints, sizeof *g->pins);
    TN_TRY(tn_arena_status(arena));
    for (int c = 0; c < st->constraints; c++)
        if (!is_guiding(g, c))
            add_constraint(g, &l, c);
    for (int c = 0; c < l.constraints; c++)
        if (l.kind[c] != TN_PIN_NONE) {
            const tn_pin *pin = &e->pins[g->constraint[c]];
            g->pins[c].body1 = pin->body1 < 0 ? -1 : number_of(g, pin->body1);
            g->pins[c].body2 = pin->body2 < 0 ? -1 : number_of(g, pin->body2);
        }
    g->structure.constraints = l.constraints;
    g->structure.constraint_row = l.row;
    g->structure.block_begin = l.begin;
    g->structure.block_body = l.body;
    g->structure.block_offset = l.offset;
    g->structure.pin_kind = l.kind;
    g->structure.pins = g->pins;
    return TN_OK;
}

static int build_guided_elimination(tn_guided_elimination *g, const tn_eval *e, const int *port_body, int port_count, tn_arena *arena)
{
    g->structure = g->system->structure;
    TN_TRY(build_bodies(g, arena));
    TN_TRY(build_rows(g, e, arena));
    g->port_body = tn_arena_alloc(arena, (size_t)port_count, sizeof(int));
    g->M = g->own_M = tn_arena_alloc(arena, g->mass_size, sizeof(double));
    g->G = g->own_G = tn_arena_alloc(arena, g->rows_size, sizeof(double));
    g->f = tn_arena_alloc(arena, (size_t)g->structure.body_column[g->structure.bodies], sizeof(double));
    g->u = tn_arena_alloc(arena, (size_t)g->structure.constraint_row[g->structure.constraints], sizeof(double));
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < port_count; k++)
        g->port_body[k] = number_of(g, port_body[k]);
    for (int k = 0; k < g->count; k++)
        g->carrier[k] = number_of(g, g->guided[k].carrier);
    return TN_OK;
}

int tn_guided_elimination_create(tn_guided_elimination **out, const tn_system *s, const tn_eval *e,
                                 const int *port_body, int port_count, tn_arena *arena)
{
    tn_guided_elimination *g = tn_arena_alloc(arena, 1, sizeof *g);
    if (!g)
        return TN_ERROR_MEMORY;
    g->system = s;
    g->guided = tn_arena_alloc(arena, (size_t)s->body_count, sizeof *g->guided);
    g->carrier = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    g->left = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    g->guided_of = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    g->guided_of_pin = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(int));
    TN_TRY(tn_arena_status(arena));
    for (int b = 0; b < s->body_count; b++)
        g->guided_of[b] = -1;
    for (int c = 0; c < s->constraint_count; c++)
        g->guided_of_pin[c] = -1;
    if (!s->works)
        find_guided_bodies(g, e, port_body, port_count);
    if (g->count == 0)
        return TN_OK;
    TN_TRY(build_guided_elimination(g, e, port_body, port_count, arena));
    *out = g;
    return TN_OK;
}

/* ---- matrices ---- */

static void take_masses(const tn_guided_elimination *g, const tn_eval *e)
{
    const tn_structure *st = &g->structure;
    for (int b = 0; b < st->bodies; b++) {
        const int width = tn_width_of(st, b);
        memcpy(g->M + st->mass_offset[b], e->M + g->system->structure.mass_offset[g->body[b]],
               (size_t)(width * width) * sizeof(double));
    }
}

static void take_rows(tn_guided_elimination *g, const tn_eval *e, int constraint)
{
    const tn_structure *st = &g->structure;
    double pin[30];
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        memcpy(g->G + st->block_offset[b], tn_eval_block(e, g->system, g->constraint[constraint], g->block[b], pin),
               (size_t)(tn_rows_of(st, constraint) * tn_width_of(st, st->block_body[b])) * sizeof(double));
}

static void take_pin_of(tn_guided_elimination *g, const tn_eval *e, int constraint)
{
    tn_pin *pin = &g->pins[constraint];
    const int body1 = pin->body1, body2 = pin->body2;
    *pin = e->pins[g->constraint[constraint]];
    pin->body1 = body1;
    pin->body2 = body2;
}

bool tn_guided_elimination_take_matrices(tn_guided_elimination *g, const tn_eval *e, tn_open_extent extent)
{
    take_masses(g, e);
    for (int c = 0; c < g->structure.constraints; c++) {
        const bool is_pin = g->structure.pin_kind[c] != TN_PIN_NONE;
        if (is_pin)
            take_pin_of(g, e, c);
        if (g->guided_of_pin[g->constraint[c]] < 0 && (!is_pin || extent == TN_OPEN_ROWS))
            take_rows(g, e, c);
    }
    for (int k = 0; k < g->count; k++) {
        double *left = g->left[k] < 0 ? NULL : g->G + g->structure.block_offset[g->structure.block_begin[g->left[k]]];
        if (!tn_guided_body_take(&g->guided[k], g->system, e, g->M + g->structure.mass_offset[g->carrier[k]], left))
            return false;
    }
    return true;
}

/* ---- sides and motion ---- */

static void take_side(tn_guided_elimination *g, int index, const double *f, const double *u)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    tn_guided_body *guided = &g->guided[index];
    const double *joint = u + full->constraint_row[guided->joint], *pin = u + full->constraint_row[guided->pin];
    double *left = g->left[index] < 0 ? NULL : g->u + st->constraint_row[g->left[index]];
    tn_guided_body_take_side(guided, f + full->body_column[guided->body], joint, pin,
                             g->f + st->body_column[g->carrier[index]], left);
    g->hidden_gap = fmax(g->hidden_gap, fmax(tn_largest(guided->rows, joint), tn_largest(guided->pin_rows, pin)));
}

void tn_guided_elimination_take_sides(tn_guided_elimination *g, const double *f, const double *u)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    g->hidden_gap = 0;
    for (int b = 0; b < st->bodies; b++)
        memcpy(g->f + st->body_column[b], f + full->body_column[g->body[b]],
               (size_t)tn_width_of(st, b) * sizeof(double));
    for (int c = 0; c < st->constraints; c++)
        if (g->guided_of_pin[g->constraint[c]] < 0)
            memcpy(g->u + st->constraint_row[c], u + full->constraint_row[g->constraint[c]],
                   (size_t)tn_rows_of(st, c) * sizeof(double));
    for (int k = 0; k < g->count; k++)
        take_side(g, k, f, u);
}

void tn_guided_elimination_expand(const tn_guided_elimination *g, const double *x, double *a)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    for (int b = 0; b < st->bodies; b++)
        memcpy(a + full->body_column[g->body[b]], x + st->body_column[b], (size_t)tn_width_of(st, b) * sizeof(double));
    for (int k = 0; k < g->count; k++)
        tn_guided_body_move(&g->guided[k], x + st->body_column[g->carrier[k]],
                            a + full->body_column[g->guided[k].body]);
}
