#include "guided.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* Joints whose rows depend on each other nowhere near where the joint is closed. */
static const char *const REGULAR[] = { "revolute", "prismatic", "cylindrical", "spherical", "translational" };
/* Pivots, of rows of unit length, that are round-off. */
static const double NO_PIVOT = 1e-9;

static int width_of(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}

static int rows_of(const tn_structure *st, int constraint)
{
    return st->constraint_row[constraint + 1] - st->constraint_row[constraint];
}

static int blocks_of(const tn_structure *st, int constraint)
{
    return st->block_begin[constraint + 1] - st->block_begin[constraint];
}

/* ---- which bodies ---- */

static bool is_regular(const tn_system *s, int constraint)
{
    const char *name = tn_constraint_joint(s, constraint)->type->name;
    for (size_t k = 0; k < TN_LENGTH(REGULAR); k++)
        if (strcmp(name, REGULAR[k]) == 0)
            return true;
    return false;
}

static bool has_body(const tn_structure *st, int constraint, int body)
{
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        if (st->block_body[b] == body)
            return true;
    return false;
}

/* Whether the body keeps every row on it alive: each has a body on its other side that moves freely. */
static bool leaves_rows(const tn_guided *g, int guide, int body)
{
    const tn_structure *st = &g->system->structure;
    for (int c = 0; c < st->constraints; c++) {
        if (c == guide || !has_body(st, c, body))
            continue;
        if (blocks_of(st, c) != 2 || rows_of(st, c) > TN_GUIDED_COLUMNS)
            return false;
        const int other = st->block_body[st->block_begin[c] + (st->block_body[st->block_begin[c]] == body)];
        if (g->guide_of[other] >= 0)
            return false;
    }
    return true;
}

static void find_guides(tn_guided *g, const bool *is_port)
{
    const tn_structure *st = &g->system->structure;
    for (int c = 0; c < st->constraints; c++) {
        const int block = st->block_begin[c], rows = rows_of(st, c);
        if (blocks_of(st, c) != 1 || !is_regular(g->system, c))
            continue;
        const int body = st->block_body[block], width = width_of(st, body);
        if (is_port[body] || g->guide_of[body] >= 0 || rows >= width || !leaves_rows(g, c, body))
            continue;
        g->guide_of[body] = g->count;
        tn_guide *guide = &g->guides[g->count++];
        *guide = (tn_guide){ .body = body, .constraint = c, .block = block, .width = width, .rows = rows,
                             .free = width - rows };
        g->hidden_rows += rows;
        for (int j = 0; j < width; j++)
            guide->lengths.x[j] = 1 / st->column_scale[st->body_column[body] + j];
    }
}

static bool is_guide(const tn_guided *g, int constraint)
{
    for (int k = 0; k < g->count; k++)
        if (g->guides[k].constraint == constraint)
            return true;
    return false;
}

/* ---- structure ---- */

static int build_columns(tn_guided *g, tn_arena *arena)
{
    const tn_structure *st = &g->system->structure;
    int *column = tn_arena_alloc(arena, (size_t)st->bodies + 1, sizeof(int));
    size_t *mass = tn_arena_alloc(arena, (size_t)st->bodies, sizeof(size_t));
    double *scale = tn_arena_alloc(arena, (size_t)st->body_column[st->bodies], sizeof(double));
    if (!column || !mass || !scale)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < st->bodies; b++) {
        const tn_guide *guide = g->guide_of[b] < 0 ? NULL : &g->guides[g->guide_of[b]];
        const int width = guide ? guide->free : width_of(st, b);
        column[b + 1] = column[b] + width;
        mass[b] = g->mass_size;
        g->mass_size += (size_t)(width * width);
        for (int j = 0; j < width; j++)
            scale[column[b] + j] = guide ? 1 : st->column_scale[st->body_column[b] + j];
    }
    g->structure.body_column = column;
    g->structure.mass_offset = mass;
    g->structure.column_scale = scale;
    return TN_OK;
}

/* Blocks of a constraint. Pins are on bodies that have all columns. */
static void add_blocks(tn_guided *g, int constraint, int *blocks, int *body, size_t *offset, unsigned char *kind)
{
    const tn_structure *st = &g->system->structure;
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++) {
        const int on = st->block_body[b], guide = g->guide_of[on];
        g->blocks[*blocks] = (tn_guided_block){ .block = b, .constraint = constraint, .guide = guide };
        body[*blocks] = on;
        offset[(*blocks)++] = g->rows_size;
        g->rows_size += (size_t)(rows_of(st, constraint) * width_of(&g->structure, on));
        if (guide >= 0)
            *kind = TN_PIN_NONE;
    }
}

static int build_rows(tn_guided *g, tn_arena *arena)
{
    const tn_structure *st = &g->system->structure;
    const size_t constraints = (size_t)st->constraints, blocks = (size_t)st->block_begin[st->constraints];
    int *row = tn_arena_alloc(arena, constraints + 1, sizeof(int)), *begin = tn_arena_alloc(arena, constraints + 1, sizeof(int));
    int *body = tn_arena_alloc(arena, blocks, sizeof(int)), block_count = 0, count = 0;
    size_t *offset = tn_arena_alloc(arena, blocks, sizeof(size_t));
    unsigned char *kind = tn_arena_alloc(arena, constraints, 1);
    g->constraint = tn_arena_alloc(arena, constraints, sizeof(int));
    g->blocks = tn_arena_alloc(arena, blocks, sizeof *g->blocks);
    g->pins = tn_arena_alloc(arena, constraints, sizeof *g->pins);
    if (!row || !begin || !body || !offset || !kind || !g->constraint || !g->blocks || !g->pins)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < st->constraints; c++) {
        if (is_guide(g, c))
            continue;
        g->constraint[count] = c;
        kind[count] = g->system->pin_kind[c];
        add_blocks(g, c, &block_count, body, offset, &kind[count]);
        row[count + 1] = row[count] + rows_of(st, c);
        begin[++count] = block_count;
    }
    g->structure.constraints = count;
    g->structure.constraint_row = row;
    g->structure.block_begin = begin;
    g->structure.block_body = body;
    g->structure.block_offset = offset;
    g->structure.pin_kind = kind;
    g->structure.pins = g->pins;
    return TN_OK;
}

static int build(tn_guided *g, tn_arena *arena)
{
    g->structure = g->system->structure;
    TN_TRY(build_columns(g, arena));
    TN_TRY(build_rows(g, arena));
    g->M = g->own_M = tn_arena_alloc(arena, g->mass_size, sizeof(double));
    g->G = g->own_G = tn_arena_alloc(arena, g->rows_size, sizeof(double));
    g->f = tn_arena_alloc(arena, (size_t)g->structure.body_column[g->structure.bodies], sizeof(double));
    g->u = tn_arena_alloc(arena, (size_t)g->structure.constraint_row[g->structure.constraints], sizeof(double));
    return g->M && g->G && g->f && g->u ? TN_OK : TN_ERROR_MEMORY;
}

int tn_guided_create(tn_guided **out, const tn_system *s, const bool *is_port, tn_arena *arena)
{
    const size_t bodies = (size_t)s->body_count;
    tn_guided *g = tn_arena_alloc(arena, 1, sizeof *g);
    if (!g)
        return TN_ERROR_MEMORY;
    g->system = s;
    g->guides = tn_arena_alloc(arena, bodies, sizeof *g->guides);
    g->guide_of = tn_arena_alloc(arena, bodies, sizeof(int));
    if (!g->guides || !g->guide_of)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        g->guide_of[b] = -1;
    if (!s->works)
        find_guides(g, is_port);
    if (g->count == 0)
        return TN_OK;
    TN_TRY(build(g, arena));
    *out = g;
    return TN_OK;
}

/* ---- rows over the columns of a body ---- */

static double product(const tn_guided_row *a, const tn_guided_row *b)
{
    double even = 0, odd = 0;
    for (int j = 0; j < TN_GUIDED_COLUMNS; j += 2) {
        even += a->x[j] * b->x[j];
        odd += a->x[j + 1] * b->x[j + 1];
    }
    return even + odd;
}

/* The sum of c_i rows_i. */
static tn_guided_row combine(int count, const double *c, const tn_guided_row *rows)
{
    tn_guided_row sum = { { 0 } };
    for (int i = 0; i < count; i++)
        for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
            sum.x[j] += c[i] * rows[i].x[j];
    return sum;
}

static void take(int count, int width, const double *from, tn_guided_row *to)
{
    if (width == TN_GUIDED_COLUMNS) {
        memcpy(to, from, (size_t)count * sizeof(tn_guided_row));
        return;
    }
    memset(to, 0, (size_t)count * sizeof(tn_guided_row));
    for (int i = 0; i < count; i++)
        memcpy(to[i].x, from + i * width, (size_t)width * sizeof(double));
}

/* ---- the rows of a guide ---- */

/* The column of the largest entry in a row. */
static int largest_in(const tn_guided_row *row)
{
    int best = 0;
    for (int j = 1; j < TN_GUIDED_COLUMNS; j++)
        best = fabs(row->x[j]) > fabs(row->x[best]) ? j : best;
    return best;
}

/* A = L U. */
static bool factor(tn_guide *g)
{
    for (int i = 0; i < g->rows; i++) {
        const int column = largest_in(&g->U[i]);
        if (!(fabs(g->U[i].x[column]) > NO_PIVOT))
            return false;
        g->column[i] = column;
        g->inverse[i] = 1 / g->U[i].x[column];
        for (int k = i + 1; k < g->rows; k++) {
            g->L[k][i] = g->U[k].x[column] * g->inverse[i];
            for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
                g->U[k].x[j] -= g->L[k][i] * g->U[i].x[j];
            g->U[k].x[column] = 0;
        }
    }
    return true;
}

/* U a = c: a has its free entries, and zeros for the others. */
static void solve_back(const tn_guide *g, const double *c, tn_guided_row *a)
{
    for (int i = g->rows - 1; i >= 0; i--)
        a->x[g->column[i]] = (c[i] - product(&g->U[i], a)) * g->inverse[i];
}

/* From columns that are lengths to those of the body, of a motion; or back, of a row. */
static tn_guided_row rescaled(const tn_guide *g, tn_guided_row a)
{
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
        a.x[j] *= g->lengths.x[j];
    return a;
}

/* b with A b = u. */
static tn_guided_row close_by(const tn_guide *g, const double *u)
{
    double c[TN_GUIDE_ROWS];
    tn_guided_row b = { { 0 } };
    for (int i = 0; i < g->rows; i++) {
        c[i] = u[i];
        for (int k = 0; k < i; k++)
            c[i] -= g->L[i][k] * c[k];
    }
    solve_back(g, c, &b);
    return rescaled(g, b);
}

/* S: motions of unit length in columns that are lengths, one for each column that no row of U begins in. */
static void find_free(tn_guide *g)
{
    static const double none[TN_GUIDE_ROWS];
    bool bound[TN_GUIDED_COLUMNS] = { 0 };
    int free = 0;
    for (int i = 0; i < g->rows; i++)
        bound[g->column[i]] = true;
    for (int j = 0; j < g->width; j++) {
        if (bound[j])
            continue;
        tn_guided_row a = { { 0 } };
        a.x[j] = 1;
        solve_back(g, none, &a);
        const double inverse = 1 / sqrt(product(&a, &a));
        for (int k = 0; k < TN_GUIDED_COLUMNS; k++)
            a.x[k] *= inverse;
        g->S[free++] = rescaled(g, a);
    }
}

/* ---- matrices ---- */

/* S'M S */
static void reduce_mass(const tn_guide *g, double *out)
{
    for (int k = 0; k < g->free; k++) {
        const tn_guided_row MS = combine(g->width, g->S[k].x, g->M);
        for (int l = 0; l < g->free; l++)
            out[l * g->free + k] = product(&g->S[l], &MS);
    }
}

static void take_masses(const tn_guided *g, const tn_eval *e)
{
    const tn_structure *st = &g->system->structure;
    for (int b = 0; b < st->bodies; b++) {
        const double *M = e->M + st->mass_offset[b];
        double *out = g->M + g->structure.mass_offset[b];
        const int width = width_of(st, b);
        if (g->guide_of[b] < 0) {
            memcpy(out, M, (size_t)(width * width) * sizeof(double));
            continue;
        }
        tn_guide *guide = &g->guides[g->guide_of[b]];
        take(width, width, M, guide->M);
        reduce_mass(guide, out);
    }
}

static void take_rows(tn_guided *g, const tn_eval *e, int constraint)
{
    const tn_structure *st = &g->structure;
    const int rows = rows_of(st, constraint);
    double pin[30];
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++) {
        tn_guided_block *block = &g->blocks[b];
        const double *G = tn_eval_block(e, g->system, block->constraint, block->block, pin);
        double *out = g->G + st->block_offset[b];
        if (block->guide < 0) {
            memcpy(out, G, (size_t)(rows * width_of(st, st->block_body[b])) * sizeof(double));
            continue;
        }
        const tn_guide *guide = &g->guides[block->guide];
        take(rows, guide->width, G, block->rows);
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < guide->free; k++)
                *out++ = product(&block->rows[r], &guide->S[k]);
    }
}

bool tn_guided_take_matrices(tn_guided *g, const tn_eval *e, tn_open_extent extent)
{
    for (tn_guide *guide = g->guides; guide < g->guides + g->count; guide++) {
        double pin[30];
        take(guide->rows, guide->width, tn_eval_block(e, g->system, guide->constraint, guide->block, pin), guide->U);
        for (int i = 0; i < guide->rows; i++)
            guide->U[i] = rescaled(guide, guide->U[i]);
        if (!factor(guide))
            return false;
        find_free(guide);
    }
    take_masses(g, e);
    for (int c = 0; c < g->structure.constraints; c++) {
        const bool is_pin = g->structure.pin_kind[c] != TN_PIN_NONE;
        if (is_pin)
            g->pins[c] = e->pins[g->constraint[c]];
        if (!is_pin || extent == TN_OPEN_ROWS)
            take_rows(g, e, c);
    }
    return true;
}

/* ---- sides and motion ---- */

/* b closes the joint; out = S'(f - M b). */
static void take_force(tn_guide *g, const double *f, const double *u, double *out)
{
    tn_guided_row rest;
    take(1, g->width, f, &rest);
    g->b = close_by(g, u);
    const tn_guided_row inert = combine(g->width, g->b.x, g->M);
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
        rest.x[j] -= inert.x[j];
    for (int k = 0; k < g->free; k++)
        out[k] = product(&g->S[k], &rest);
}

static void take_forces(tn_guided *g, const double *f, const double *u)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    g->hidden_gap = 0;
    for (int b = 0; b < st->bodies; b++) {
        const double *from = f + full->body_column[b];
        double *to = g->f + st->body_column[b];
        if (g->guide_of[b] < 0) {
            memcpy(to, from, (size_t)width_of(st, b) * sizeof(double));
            continue;
        }
        tn_guide *guide = &g->guides[g->guide_of[b]];
        const double *own = u + full->constraint_row[guide->constraint];
        take_force(guide, from, own, to);
        g->hidden_gap = fmax(g->hidden_gap, tn_largest(guide->rows, own));
    }
}

void tn_guided_take_sides(tn_guided *g, const double *f, const double *u)
{
    const tn_structure *st = &g->structure;
    take_forces(g, f, u);
    for (int c = 0; c < st->constraints; c++) {
        const int rows = rows_of(st, c);
        double *out = g->u + st->constraint_row[c];
        memcpy(out, u + g->system->structure.constraint_row[g->constraint[c]], (size_t)rows * sizeof(double));
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++)
            for (int r = 0; g->blocks[b].guide >= 0 && r < rows; r++)
                out[r] -= product(&g->blocks[b].rows[r], &g->guides[g->blocks[b].guide].b);
    }
}

void tn_guided_expand(const tn_guided *g, const double *x, double *a)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    for (int b = 0; b < st->bodies; b++) {
        const double *from = x + st->body_column[b];
        double *to = a + full->body_column[b];
        if (g->guide_of[b] < 0) {
            memcpy(to, from, (size_t)width_of(st, b) * sizeof(double));
            continue;
        }
        const tn_guide *guide = &g->guides[g->guide_of[b]];
        const tn_guided_row free = combine(guide->free, from, guide->S);
        for (int j = 0; j < guide->width; j++)
            to[j] = guide->b.x[j] + free.x[j];
    }
}
