#include "guided.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* Joints whose rows depend on each other nowhere near where the joint is closed, and leave the same motions to the body
 * wherever it is along them. */
static const char *const REGULAR[] = { "revolute", "prismatic", "cylindrical", "translational" };
/* Pivots, of rows of unit length, that are round-off; and those that are large enough for good. */
static const double NO_PIVOT = 1e-9, GOOD_PIVOT = 0.05;

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
    double c[TN_GUIDED_ROWS];
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
    static const double none[TN_GUIDED_ROWS];
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

/* ---- a guide at a point ---- */

/* A and S. False: the joint has lost its direction. */
static bool take_joint(tn_guide *g, const tn_system *s, const tn_eval *e)
{
    double rows[30];
    take(g->rows, g->width, tn_eval_block(e, s, g->joint, g->joint_block, rows), g->U);
    for (int i = 0; i < g->rows; i++)
        g->U[i] = rescaled(g, g->U[i]);
    if (!factor(g))
        return false;
    find_free(g);
    return true;
}

/* P S and, behind it, the matrix that turns rows of the pin to axes of the body; while they become [1; 0] and W. */
enum { BEHIND = TN_GUIDED_COLUMNS, ALL = TN_GUIDED_COLUMNS + TN_GUIDED_ROWS + 1 };
typedef double eliminated[TN_GUIDED_ROWS][ALL];

static void turn_rows(const tn_guide *g, const tn_system *s, const tn_eval *e, eliminated B)
{
    const double (*R)[3] = (const double (*)[3])e->R[g->body];
    const tn_pin *pin = &e->pins[g->pin];
    const int d = s->dimension;
    double PS[TN_GUIDED_ROWS][TN_GUIDED_COLUMNS];
    memset(B, 0, sizeof(eliminated));
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            B[i][BEHIND + j] = R[j][i];
    for (int i = d; i < g->pin_rows; i++) {
        double axis[3];
        tn_mul33(axis, R, g->axes[i - d]);
        for (int j = d; j < g->pin_rows; j++)
            B[i][BEHIND + j] = tn_dot3(axis, pin->n[j - d]);
    }
    for (int r = 0; r < g->pin_rows; r++)
        for (int k = 0; k < g->free; k++)
            PS[r][k] = product(&g->P[r], &g->S[k]);
    for (int i = 0; i < g->pin_rows; i++)
        for (int r = i < d ? 0 : d; r < (i < d ? d : g->pin_rows); r++)
            for (int k = 0; k < g->free; k++)
                B[i][k] += B[i][BEHIND + r] * PS[r][k];
}

/* Makes the largest entry of a row, in columns of x, the only one in its column. Returns the column; -1: there is none. */
static int eliminate_by(const tn_guide *g, eliminated B, int row)
{
    int best = 0;
    for (int k = 1; k < g->free; k++)
        best = fabs(B[row][k]) > fabs(B[row][best]) ? k : best;
    if (!(fabs(B[row][best]) > NO_PIVOT))
        return -1;
    const double inverse = 1 / B[row][best];
    for (int j = 0; j < ALL; j++)
        B[row][j] *= inverse;
    for (int i = 0; i < g->pin_rows; i++) {
        const double factor = B[i][best];
        for (int j = 0; i != row && factor != 0 && j < ALL; j++)
            B[i][j] -= factor * B[row][j];
    }
    return best;
}

/* W and X, with the rows of the pin on the body and on its carrier. */
static bool take_pin(tn_guide *g, const tn_system *s, const tn_eval *e, const tn_guided_row *Q)
{
    bool tells[TN_GUIDED_ROWS] = { 0 };
    eliminated B;
    turn_rows(g, s, e, B);
    for (int t = 0; t < g->free; t++) {
        const int row = g->telling[t], k = eliminate_by(g, B, row);
        if (k < 0)
            return false;
        tells[row] = true;
        memcpy(g->W[k], B[row] + BEHIND, sizeof g->W[k]);
    }
    for (int row = 0, at = g->free; row < g->pin_rows; row++)
        if (!tells[row])
            memcpy(g->W[at++], B[row] + BEHIND, sizeof g->W[0]);
    for (int k = 0; k < g->free; k++) {
        g->X[k] = combine(g->pin_rows, g->W[k], Q);
        for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
            g->X[k].x[j] = -g->X[k].x[j];
    }
    return true;
}

static void take_mass(tn_guide *g, const tn_system *s, const tn_eval *e)
{
    take(g->width, g->width, e->M + s->structure.mass_offset[g->body], g->M);
    for (int k = 0; k < g->free; k++) {
        const tn_guided_row MS = combine(g->width, g->S[k].x, g->M);
        for (int l = 0; l <= k; l++)
            g->mass[k][l] = g->mass[l][k] = product(&g->S[l], &MS);
    }
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

static int block_on(const tn_structure *st, int constraint, int body)
{
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        if (st->block_body[b] == body)
            return b;
    return -1;
}

/* The one constraint on the body besides its guide; -1: there is none, or more. */
static int only_other(const tn_structure *st, int guide, int body)
{
    int other = -1;
    for (int c = 0; c < st->constraints; c++)
        if (c != guide && block_on(st, c, body) >= 0) {
            if (other >= 0)
                return -1;
            other = c;
        }
    return other;
}

/* The pin of a guided body, and its carrier: of the same group, as wide, and not guided. */
static bool find_carrier(const tn_guided *g, tn_guide *guide)
{
    const tn_structure *st = &g->system->structure;
    const int pin = only_other(st, guide->joint, guide->body);
    if (pin < 0 || g->system->pin_kind[pin] == TN_PIN_NONE || blocks_of(st, pin) != 2)
        return false;
    guide->pin = pin;
    guide->pin_rows = rows_of(st, pin);
    guide->pin_block = block_on(st, pin, guide->body);
    guide->carrier_block = 2 * st->block_begin[pin] + 1 - guide->pin_block;
    guide->carrier = st->block_body[guide->carrier_block];
    return g->guide_of[guide->carrier] < 0 && width_of(st, guide->carrier) == guide->width &&
           (st->groups == 0 || st->body_group[guide->carrier] == st->body_group[guide->body]);
}

/* Rows of the pin that tell x, the best first. */
static bool choose_rows(tn_guide *g, const tn_system *s, const tn_eval *e)
{
    bool taken[TN_GUIDED_ROWS] = { 0 };
    eliminated B;
    turn_rows(g, s, e, B);
    for (int t = 0; t < g->free; t++) {
        int best = -1;
        double most = GOOD_PIVOT;
        for (int row = 0; row < g->pin_rows; row++)
            for (int k = 0; k < g->free && !taken[row]; k++)
                if (fabs(B[row][k]) > most) {
                    most = fabs(B[row][k]);
                    best = row;
                }
        if (best < 0)
            return false;
        taken[best] = true;
        g->telling[t] = best;
        eliminate_by(g, B, best);
        memset(B[best], 0, TN_GUIDED_COLUMNS * sizeof(double));
    }
    return true;
}

static bool is_guided(const tn_guided *g, const tn_eval *e, tn_guide *guide)
{
    const tn_system *s = g->system;
    double rows[30];
    if (!find_carrier(g, guide) || guide->free > guide->pin_rows || !take_joint(guide, s, e))
        return false;
    for (int i = 0; i < 2; i++)
        tn_mul33t(guide->axes[i], (const double (*)[3])e->R[guide->body], e->pins[guide->pin].n[i]);
    take(guide->pin_rows, guide->width, tn_eval_block(e, s, guide->pin, guide->pin_block, rows), guide->P);
    return choose_rows(guide, s, e);
}

/* A body that carries another cannot be guided itself. */
static bool carries(const tn_guided *g, int body)
{
    for (int k = 0; k < g->count; k++)
        if (g->guides[k].carrier == body)
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

static void find_guides(tn_guided *g, const tn_eval *e, const int *port_body, int port_count)
{
    const tn_structure *st = &g->system->structure;
    for (int c = 0; c < st->constraints; c++) {
        const int block = st->block_begin[c], rows = rows_of(st, c);
        if (blocks_of(st, c) != 1 || !is_regular(g->system, c))
            continue;
        const int body = st->block_body[block], width = width_of(st, body);
        if (is_port(port_body, port_count, body) || g->guide_of[body] >= 0 || carries(g, body))
            continue;
        tn_guide *guide = &g->guides[g->count];
        *guide = (tn_guide){ .body = body, .joint = c, .joint_block = block, .width = width, .rows = rows,
                             .free = width - rows };
        for (int j = 0; j < width; j++)
            guide->lengths.x[j] = 1 / st->column_scale[st->body_column[body] + j];
        if (!is_guided(g, e, guide))
            continue;
        g->guide_of[body] = g->guide_of_pin[guide->pin] = g->count++;
        g->hidden_rows += width;
    }
}

/* ---- structure ---- */

static int build_bodies(tn_guided *g, tn_arena *arena)
{
    const tn_structure *st = &g->system->structure;
    const size_t bodies = (size_t)st->bodies;
    int *column = tn_arena_alloc(arena, bodies + 1, sizeof(int)), *group = tn_arena_alloc(arena, bodies, sizeof(int));
    size_t *mass = tn_arena_alloc(arena, bodies, sizeof(size_t));
    double *scale = tn_arena_alloc(arena, (size_t)st->body_column[st->bodies], sizeof(double));
    g->body = tn_arena_alloc(arena, bodies, sizeof(int));
    if (!column || !group || !mass || !scale || !g->body)
        return TN_ERROR_MEMORY;
    int count = 0;
    for (int b = 0; b < st->bodies; b++) {
        const int width = width_of(st, b);
        if (g->guide_of[b] >= 0)
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

static int number_of(const tn_guided *g, int body)
{
    int at = 0;
    while (g->body[at] != body)
        at++;
    return at;
}

static bool is_joint_of_guide(const tn_guided *g, int constraint)
{
    for (int k = 0; k < g->count; k++)
        if (g->guides[k].joint == constraint)
            return true;
    return false;
}

typedef struct row_lists {
    int *row, *begin, *body;
    size_t *offset;
    unsigned char *kind;
    int constraints, blocks;
} row_lists;

/* A constraint; of the pin of a guided body what is left to the carrier. */
static void add_constraint(tn_guided *g, row_lists *l, int constraint)
{
    const tn_structure *st = &g->system->structure;
    tn_guide *guide = g->guide_of_pin[constraint] < 0 ? NULL : &g->guides[g->guide_of_pin[constraint]];
    const int rows = rows_of(st, constraint) - (guide ? guide->free : 0), at = l->constraints;
    if (guide)
        guide->left = rows == 0 ? -1 : at;
    if (rows == 0)
        return;
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++) {
        if (guide && b != guide->carrier_block)
            continue;
        g->block[l->blocks] = b;
        l->body[l->blocks] = number_of(g, st->block_body[b]);
        l->offset[l->blocks++] = g->rows_size;
        g->rows_size += (size_t)(rows * width_of(st, st->block_body[b]));
    }
    g->constraint[at] = constraint;
    l->kind[at] = guide ? TN_PIN_NONE : g->system->pin_kind[constraint];
    l->row[at + 1] = l->row[at] + rows;
    l->begin[at + 1] = l->blocks;
    l->constraints++;
}

static int build_rows(tn_guided *g, const tn_eval *e, tn_arena *arena)
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
    if (!l.row || !l.begin || !l.body || !l.offset || !l.kind || !g->constraint || !g->block || !g->pins)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < st->constraints; c++)
        if (!is_joint_of_guide(g, c))
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

static int build(tn_guided *g, const tn_eval *e, const int *port_body, int port_count, tn_arena *arena)
{
    g->structure = g->system->structure;
    TN_TRY(build_bodies(g, arena));
    TN_TRY(build_rows(g, e, arena));
    g->port_body = tn_arena_alloc(arena, (size_t)port_count, sizeof(int));
    g->M = g->own_M = tn_arena_alloc(arena, g->mass_size, sizeof(double));
    g->G = g->own_G = tn_arena_alloc(arena, g->rows_size, sizeof(double));
    g->f = tn_arena_alloc(arena, (size_t)g->structure.body_column[g->structure.bodies], sizeof(double));
    g->u = tn_arena_alloc(arena, (size_t)g->structure.constraint_row[g->structure.constraints], sizeof(double));
    if (!g->port_body || !g->M || !g->G || !g->f || !g->u)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < port_count; k++)
        g->port_body[k] = number_of(g, port_body[k]);
    for (int k = 0; k < g->count; k++)
        g->guides[k].place = number_of(g, g->guides[k].carrier);
    return TN_OK;
}

int tn_guided_create(tn_guided **out, const tn_system *s, const tn_eval *e, const int *port_body, int port_count,
                     tn_arena *arena)
{
    tn_guided *g = tn_arena_alloc(arena, 1, sizeof *g);
    if (!g)
        return TN_ERROR_MEMORY;
    g->system = s;
    g->guides = tn_arena_alloc(arena, (size_t)s->body_count, sizeof *g->guides);
    g->guide_of = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    g->guide_of_pin = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(int));
    if (!g->guides || !g->guide_of || !g->guide_of_pin)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        g->guide_of[b] = -1;
    for (int c = 0; c < s->constraint_count; c++)
        g->guide_of_pin[c] = -1;
    if (!s->works)
        find_guides(g, e, port_body, port_count);
    if (g->count == 0)
        return TN_OK;
    TN_TRY(build(g, e, port_body, port_count, arena));
    *out = g;
    return TN_OK;
}

/* ---- matrices ---- */

/* What a guided body weighs, on top of its carrier: X' mass X. */
static void add_mass(const tn_guide *g, double *M)
{
    for (int k = 0; k < g->free; k++) {
        const tn_guided_row moved = combine(g->free, g->mass[k], g->X);
        for (int i = 0; i < g->width; i++)
            for (int j = 0; j < g->width; j++)
                M[i * g->width + j] += g->X[k].x[i] * moved.x[j];
    }
}

static void take_masses(const tn_guided *g, const tn_eval *e)
{
    const tn_structure *st = &g->structure;
    for (int b = 0; b < st->bodies; b++) {
        const int width = width_of(st, b);
        memcpy(g->M + st->mass_offset[b], e->M + g->system->structure.mass_offset[g->body[b]],
               (size_t)(width * width) * sizeof(double));
    }
}

static void take_rows(tn_guided *g, const tn_eval *e, int constraint)
{
    const tn_structure *st = &g->structure;
    double pin[30];
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        memcpy(g->G + st->block_offset[b], tn_eval_block(e, g->system, g->constraint[constraint], g->block[b], pin),
               (size_t)(rows_of(st, constraint) * width_of(st, st->block_body[b])) * sizeof(double));
}

/* A guided body, its carrier's mass and, at a constraint that is its pin, what that leaves to the carrier. */
static bool take_guide(tn_guided *g, tn_guide *guide, const tn_eval *e)
{
    const tn_system *s = g->system;
    double rows[30];
    tn_guided_row Q[TN_GUIDED_ROWS];
    if (!take_joint(guide, s, e))
        return false;
    take(guide->pin_rows, guide->width, tn_eval_block(e, s, guide->pin, guide->pin_block, rows), guide->P);
    take(guide->pin_rows, guide->width, tn_eval_block(e, s, guide->pin, guide->carrier_block, rows), Q);
    if (!take_pin(guide, s, e, Q))
        return false;
    take_mass(guide, s, e);
    add_mass(guide, g->M + g->structure.mass_offset[guide->place]);
    double *out = guide->left < 0 ? NULL : g->G + g->structure.block_offset[g->structure.block_begin[guide->left]];
    for (int r = guide->free; r < guide->pin_rows; r++, out += guide->width) {
        const tn_guided_row left = combine(guide->pin_rows, guide->W[r], Q);
        memcpy(out, left.x, (size_t)guide->width * sizeof(double));
    }
    return true;
}

static void take_pin_of(tn_guided *g, const tn_eval *e, int constraint)
{
    tn_pin *pin = &g->pins[constraint];
    const int body1 = pin->body1, body2 = pin->body2;
    *pin = e->pins[g->constraint[constraint]];
    pin->body1 = body1;
    pin->body2 = body2;
}

bool tn_guided_take_matrices(tn_guided *g, const tn_eval *e, tn_open_extent extent)
{
    take_masses(g, e);
    for (int c = 0; c < g->structure.constraints; c++) {
        const bool is_pin = g->structure.pin_kind[c] != TN_PIN_NONE;
        if (is_pin)
            take_pin_of(g, e, c);
        if (g->guide_of_pin[g->constraint[c]] < 0 && (!is_pin || extent == TN_OPEN_ROWS))
            take_rows(g, e, c);
    }
    for (int k = 0; k < g->count; k++)
        if (!take_guide(g, &g->guides[k], e))
            return false;
    return true;
}

/* ---- sides and motion ---- */

/* b, c, and what they do to the carrier's forces and to rows that are left to it. */
static void take_side(tn_guided *g, tn_guide *guide, const double *f, const double *u)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    const double *own = u + full->constraint_row[guide->joint], *pin = u + full->constraint_row[guide->pin];
    double r[TN_GUIDED_ROWS], *to = g->f + st->body_column[guide->place];
    tn_guided_row rest;
    take(1, guide->width, f + full->body_column[guide->body], &rest);
    guide->b = close_by(guide, own);
    const tn_guided_row inert = combine(guide->width, guide->b.x, guide->M);
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
        rest.x[j] -= inert.x[j];
    for (int i = 0; i < guide->pin_rows; i++)
        r[i] = pin[i] - product(&guide->P[i], &guide->b);
    for (int i = 0; i < guide->pin_rows; i++) {
        double sum = 0;
        for (int j = 0; j < guide->pin_rows; j++)
            sum += guide->W[i][j] * r[j];
        if (i < guide->free)
            guide->c[i] = sum;
        else
            g->u[st->constraint_row[guide->left] + i - guide->free] = sum;
    }
    for (int k = 0; k < guide->free; k++) {
        double force = product(&guide->S[k], &rest);
        for (int l = 0; l < guide->free; l++)
            force -= guide->mass[k][l] * guide->c[l];
        for (int j = 0; j < guide->width; j++)
            to[j] += guide->X[k].x[j] * force;
    }
    g->hidden_gap = fmax(g->hidden_gap, fmax(tn_largest(guide->rows, own), tn_largest(guide->pin_rows, pin)));
}

void tn_guided_take_sides(tn_guided *g, const double *f, const double *u)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    g->hidden_gap = 0;
    for (int b = 0; b < st->bodies; b++)
        memcpy(g->f + st->body_column[b], f + full->body_column[g->body[b]], (size_t)width_of(st, b) * sizeof(double));
    for (int c = 0; c < st->constraints; c++)
        if (g->guide_of_pin[g->constraint[c]] < 0)
            memcpy(g->u + st->constraint_row[c], u + full->constraint_row[g->constraint[c]],
                   (size_t)rows_of(st, c) * sizeof(double));
    for (int k = 0; k < g->count; k++)
        take_side(g, &g->guides[k], f, u);
}

/* S (X q + c) + b */
static void move_guided(const tn_guide *g, const double *carrier, double *a)
{
    double x[TN_GUIDED_COLUMNS];
    tn_guided_row q;
    take(1, g->width, carrier, &q);
    for (int k = 0; k < g->free; k++)
        x[k] = g->c[k] + product(&g->X[k], &q);
    const tn_guided_row free = combine(g->free, x, g->S);
    for (int j = 0; j < g->width; j++)
        a[j] = g->b.x[j] + free.x[j];
}

void tn_guided_expand(const tn_guided *g, const double *x, double *a)
{
    const tn_structure *full = &g->system->structure, *st = &g->structure;
    for (int b = 0; b < st->bodies; b++)
        memcpy(a + full->body_column[g->body[b]], x + st->body_column[b], (size_t)width_of(st, b) * sizeof(double));
    for (int k = 0; k < g->count; k++)
        move_guided(&g->guides[k], x + st->body_column[g->guides[k].place], a + full->body_column[g->guides[k].body]);
}
