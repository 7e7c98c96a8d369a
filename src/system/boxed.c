/* Any solver, for a system with components. At a point the columns of a component's ports answer to forces on them by
 * D, and D = w W W' (boxes.h). With unknowns x for them, a_p = W x, the equations
 *     a_p = D (f_p + G_p' lambda),          G a = u
 * become
 *     x / w - (G_p W)' lambda = W' f_p,     (G_p W) x + ... = u
 * which is a saddle problem again, with 1/w as the mass of every column. W has as many columns as D; where D is
 * singular some are zero. A row on one port touches all ports of its component then, so blocks are added for these.
 * What a ports' motion has beyond D tau is the caller's: solutions here are linear in f and u. */
#include <math.h>
#include <string.h>
#include "boxes.h"

/* A row on ports that do not move along it is zero but for round-off, against what its terms add up to. */
static const double STILL_ROW = 1e-10;

/* The blocks of one constraint on the ports of one box. */
typedef struct widened {
    int constraint, box;
    int first;                     /* of its blocks, one for each port */
} widened;

struct tn_saddle {
    const tn_solver_type *inner;
    tn_saddle *saddle;
    tn_solver_type type;
    tn_eval *e;
    const tn_system *system;
    const tn_structure *outer;
    tn_structure structure;
    size_t copied;                 /* doubles of G that stay as they are, in front */
    widened *wide;
    int wide_count;
    double *G, *M, *f, *x;
};

static int width_of(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}

/* ---- analysis ---- */

/* The box that a body is a port of, -1: none. */
static int *boxes_of_bodies(const tn_system *s, tn_arena *arena)
{
    int *box = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    for (int b = 0; box && b < s->body_count; b++)
        box[b] = -1;
    for (int k = 0; box && k < s->box_count; k++)
        for (int p = 0; p < s->boxes[k].instance.component.type->port_count; p++)
            box[tn_box_body(s, &s->boxes[k], p)] = k;
    return box;
}

/* Where the inner structure is written to. */
typedef struct writer {
    tn_saddle *k;
    const int *box_of;
    int *begin, *body;
    size_t *offset, size;          /* of G */
    int blocks;
} writer;

static bool is_new(const writer *w, int constraint, int box)
{
    const tn_saddle *k = w->k;
    for (int n = k->wide_count - 1; n >= 0 && k->wide[n].constraint == constraint; n--)
        if (k->wide[n].box == box)
            return false;
    return true;
}

static void widen(writer *w, int constraint, int index)
{
    const tn_system *s = w->k->system;
    const tn_structure *st = w->k->outer;
    const tn_box *box = &s->boxes[index];
    int rows = st->constraint_row[constraint + 1] - st->constraint_row[constraint];
    w->k->wide[w->k->wide_count++] = (widened){ constraint, index, w->blocks };
    for (int p = 0; p < box->instance.component.type->port_count; p++) {
        w->body[w->blocks] = tn_box_body(s, box, p);
        w->offset[w->blocks] = w->size;
        w->size += (size_t)(rows * width_of(st, w->body[w->blocks++]));
    }
}

static void write_blocks(writer *w)
{
    const tn_structure *st = w->k->outer;
    for (int c = 0; c < st->constraints; c++) {
        w->begin[c] = w->blocks;
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            int box = w->box_of[st->block_body[b]];
            if (box >= 0 && is_new(w, c, box))
                widen(w, c, box);
            if (box >= 0)
                continue;
            w->body[w->blocks] = st->block_body[b];
            w->offset[w->blocks++] = st->block_offset[b];
        }
    }
    w->begin[st->constraints] = w->blocks;
}

/* Unknowns of ports are lengths, by the weight of their box. */
static const double *scale_columns(const tn_saddle *k, const int *box_of, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    double *scale = tn_arena_alloc(arena, (size_t)k->system->velocities, sizeof(double));
    for (int b = 0; scale && b < st->bodies; b++)
        for (int j = st->body_column[b]; j < st->body_column[b + 1]; j++)
            scale[j] = box_of[b] >= 0 ? 1 : st->column_scale[j];
    return scale;
}

static int build_structure(tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    const tn_system *s = k->system;
    int most = st->block_begin[st->constraints], ports = 0;
    for (int n = 0; n < s->box_count; n++)
        ports += s->boxes[n].instance.component.type->port_count;
    const int *box_of = boxes_of_bodies(s, arena);
    size_t blocks = (size_t)most * (size_t)(1 + ports);
    writer w = { .k = k, .box_of = box_of, .size = k->copied,
                 .begin = tn_arena_alloc(arena, (size_t)st->constraints + 1, sizeof(int)),
                 .body = tn_arena_alloc(arena, blocks, sizeof(int)),
                 .offset = tn_arena_alloc(arena, blocks, sizeof(size_t)) };
    k->wide = tn_arena_alloc(arena, (size_t)most, sizeof *k->wide);
    if (!box_of || !w.begin || !w.body || !w.offset || !k->wide)
        return TN_ERROR_MEMORY;
    write_blocks(&w);
    k->structure = *st;
    k->structure.block_begin = w.begin;
    k->structure.block_body = w.body;
    k->structure.block_offset = w.offset;
    k->structure.column_scale = scale_columns(k, box_of, arena);
    k->G = tn_arena_alloc(arena, w.size, sizeof(double));
    k->M = tn_arena_alloc(arena, s->mass_size, sizeof(double));
    k->f = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double));
    k->x = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double));
    return k->structure.column_scale && k->G && k->M && k->f && k->x ? TN_OK : TN_ERROR_MEMORY;
}

/* ---- factor ---- */

/* The blocks that a constraint has on ports of a box, times W. */
static void multiply(tn_saddle *k, const widened *wide)
{
    const tn_structure *st = k->outer;
    const tn_box *box = &k->system->boxes[wide->box];
    const int rows = st->constraint_row[wide->constraint + 1] - st->constraint_row[wide->constraint];
    const int n = box->columns, ports = box->instance.component.type->port_count, w = n / ports;
    double *out = k->G + k->structure.block_offset[wide->first];
    memset(out, 0, (size_t)(rows * n) * sizeof(double));
    for (int b = st->block_begin[wide->constraint]; b < st->block_begin[wide->constraint + 1]; b++) {
        int port = 0;
        while (port < ports && tn_box_body(k->system, box, port) != st->block_body[b])
            port++;
        if (port == ports)
            continue;
        for (int c = 0; c < box->rank; c++) {
            const double *W = box->W + port * w + c * n, *G = k->G + st->block_offset[b];
            double *to = out + (c / w) * rows * w + c % w;
            for (int r = 0; r < rows; r++, G += w)
                for (int j = 0; j < w; j++)
                    to[r * w] += G[j] * W[j];
        }
    }
}

/* Sum of the sizes of the terms in a row of G_p W. */
static double row_terms(const tn_saddle *k, const widened *wide, int r)
{
    const tn_structure *st = k->outer;
    const tn_box *box = &k->system->boxes[wide->box];
    const int n = box->columns, ports = box->instance.component.type->port_count, w = n / ports;
    double sum = 0;
    for (int b = st->block_begin[wide->constraint]; b < st->block_begin[wide->constraint + 1]; b++)
        for (int p = 0; p < ports; p++)
            for (int j = 0; j < w && tn_box_body(k->system, box, p) == st->block_body[b]; j++)
                sum += fabs(k->G[st->block_offset[b] + (size_t)(r * w + j)]) *
                       sqrt(box->D[(p * w + j) * (n + 1)] / box->weight);
    return sum;
}

/* Rows of unit length is what ranks are decided by: what is round-off must not become one. */
static void clear_still_rows(tn_saddle *k, const widened *wide)
{
    const tn_structure *st = k->outer;
    const tn_box *box = &k->system->boxes[wide->box];
    const int rows = st->constraint_row[wide->constraint + 1] - st->constraint_row[wide->constraint];
    const int w = box->columns / box->instance.component.type->port_count;
    double *out = k->G + k->structure.block_offset[wide->first];
    for (int r = 0; r < rows; r++) {
        double square = 0, terms = row_terms(k, wide, r);
        for (int c = 0; c < box->rank; c++)
            square += pow(out[(c / w) * rows * w + r * w + c % w], 2);
        for (int c = 0; c < box->rank && sqrt(square) <= STILL_ROW * terms; c++)
            out[(c / w) * rows * w + r * w + c % w] = 0;
    }
}

static int take_matrices(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    const tn_system *s = k->system;
    const tn_structure *st = k->outer;
    TN_TRY(tn_boxes_condense(k->e, s, rule));
    memcpy(k->M, M, s->mass_size * sizeof(double));
    memcpy(k->G, G, k->copied * sizeof(double));
    for (int n = 0; n < s->box_count; n++) {
        const tn_box *box = &s->boxes[n];
        for (int p = 0; p < box->instance.component.type->port_count; p++) {
            int body = tn_box_body(s, box, p), w = width_of(st, body);
            for (int j = 0; j < w; j++)
                k->M[st->mass_offset[body] + (size_t)(j * (w + 1))] = 1 / box->weight;
        }
    }
    for (int n = 0; n < k->wide_count; n++) {
        multiply(k, &k->wide[n]);
        clear_still_rows(k, &k->wide[n]);
    }
    return TN_OK;
}

static int factor(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    TN_TRY(take_matrices(k, M, G, rule));
    return k->inner->factor(k->saddle, k->M, k->G, rule);
}

/* ---- solve ---- */

/* f with W' f_p at ports. */
static const double *force(tn_saddle *k, const double *f)
{
    const tn_system *s = k->system;
    memcpy(k->f, f, (size_t)s->velocities * sizeof(double));
    for (int n = 0; n < s->box_count; n++) {
        const tn_box *box = &s->boxes[n];
        for (int c = 0; c < box->columns; c++) {
            double sum = 0;
            for (int j = 0; j < box->columns && c < box->rank; j++)
                sum += box->W[j + c * box->columns] * f[box->column[j]];
            k->f[box->column[c]] = sum;
        }
    }
    return k->f;
}

/* a from x: W x at ports. */
static int finish(const tn_saddle *k, int code, double *a)
{
    const tn_system *s = k->system;
    if (code < 0)
        return code;
    memcpy(a, k->x, (size_t)s->velocities * sizeof(double));
    for (int n = 0; n < s->box_count; n++) {
        const tn_box *box = &s->boxes[n];
        for (int j = 0; j < box->columns; j++) {
            double sum = 0;
            for (int c = 0; c < box->rank; c++)
                sum += box->W[j + c * box->columns] * k->x[box->column[c]];
            a[box->column[j]] = sum;
        }
    }
    return TN_OK;
}

static int solve(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    return finish(k, k->inner->solve(k->saddle, force(k, f), u, k->x, lambda), a);
}

static int factor_solve(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                        const double *u, double *a, double *lambda)
{
    TN_TRY(take_matrices(k, M, G, rule));
    return finish(k, k->inner->factor_solve(k->saddle, k->M, k->G, rule, force(k, f), u, k->x, lambda), a);
}

/* ---- the rest is the inner solver's ---- */

static int configure(tn_saddle *k, const double *parameters)
{
    return k->inner->configure(k->saddle, parameters);
}

static int configure_constraint(tn_saddle *k, int parameter, int constraint, double value)
{
    return k->inner->configure_constraint(k->saddle, parameter, constraint, value);
}

/* Of all: components have rows, columns and a rank of their own. One that does not tell is as free as its ports. */
static void info(const tn_saddle *k, tn_saddle_info *out)
{
    k->inner->info(k->saddle, out);
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_box *box = &k->system->boxes[n];
        const tn_component *c = &box->instance.component;
        tn_saddle_info inside = { .columns = box->rank, .weakest_pivot = 1 };
        if (c->type->info)
            c->type->info(c->self, &inside);
        out->rows += inside.rows;
        out->columns += inside.columns - box->columns;
        out->rank = out->rank < 0 || inside.rank < 0 ? -1 : out->rank + inside.rank;
        out->weakest_pivot = fmin(out->weakest_pivot, inside.weakest_pivot);
        out->largest_drop = fmax(out->largest_drop, inside.largest_drop);
    }
}

static void destroy(tn_saddle *k)
{
    if (k && k->saddle)
        k->inner->destroy(k->saddle);
}

static tn_solver_type wrapped(const tn_solver_type *inner)
{
    tn_solver_type type = *inner;
    type.analyze = NULL;
    type.configure = inner->configure ? configure : NULL;
    type.configure_constraint = inner->configure_constraint ? configure_constraint : NULL;
    type.factor = factor;
    type.solve = solve;
    type.factor_solve = inner->factor_solve ? factor_solve : NULL;
    type.info = info;
    type.destroy = destroy;
    return type;
}

int tn_system_analyze(tn_saddle **out, const tn_solver_type **type, tn_eval *e, const tn_system *s,
                      const tn_structure *structure, size_t jacobian_size, tn_arena *arena)
{
    if (s->box_count == 0)
        return (*type)->analyze(out, s->context, structure);
    tn_saddle *k = tn_arena_alloc(arena, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    *k = (tn_saddle){ .inner = *type, .type = wrapped(*type), .e = e, .system = s, .outer = structure,
                      .copied = jacobian_size };
    TN_TRY(build_structure(k, arena));
    TN_TRY(k->inner->analyze(&k->saddle, s->context, &k->structure));
    *type = &k->type;
    *out = k;
    return TN_OK;
}
