/* Any solver, for a system with components. At a point the columns of a component's ports answer to forces on them by
 * D, and D = w W W' (boxes.h). With unknowns x for them, a_p = W x, the equations
 *     a_p = D (f_p + G_p' lambda),          G a = u
 * become
 *     x / w - (G_p W)' lambda = W' f_p,     (G_p W) x + ... = u
 * which is a saddle problem again, with 1/w as the mass of every column. There are as many x as D has rank: fewer than
 * columns, where ports share bodies or joints inside tie them. They are turned to suit the rows (turned.h); what no
 * row touches is known without a solver. Room is made for the rank at the component's start; where it is larger, in
 * singular positions, a second problem takes over that has room for all columns.
 * What a port's motion has beyond D tau is the caller's: solutions here are linear in f and u. Boxes that show bodies
 * and rows are part of the problem (boxed.h); with what they have of f and u themselves when they were asked for it.
 * Components that only respond keep their columns where the solver asks (tn_responder): there is no D then. */
#include <math.h>
#include <string.h>
#include "boxed.h"

/* A row on ports that do not move along it is zero but for round-off, against what its terms add up to. */
static const double STILL_ROW = 1e-10;
/* Unknowns are given to bodies of the inner problem, which stand where the ports were, up to so many each. */
enum { MOST_COLUMNS = TN_PART_COLUMNS };

static int port_count(const tn_box *box)
{
    return box->instance.component.type->port_count;
}

/* ---- analysis ---- */

static bool shows_D(const tn_saddle *k, const tn_box *box)
{
    return !box->open && !tn_is_asked(k, box);
}

static int find_ports(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->box_of = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    k->port_of = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    if (!k->box_of || !k->port_of)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        k->box_of[b] = -1;
    for (int n = 0; n < s->box_count; n++)
        for (int p = 0; p < port_count(&s->boxes[n]); p++) {
            const int body = s->boxes[n].body[p];
            k->box_of[body] = tn_is_asked(k, &s->boxes[n]) ? -1 : n;
            k->port_of[body] = p;
        }
    return TN_OK;
}

static bool is_on(const tn_saddle *k, int constraint, int box)
{
    for (int b = k->outer->block_begin[constraint]; b < k->outer->block_begin[constraint + 1]; b++)
        if (k->box_of[k->outer->block_body[b]] == box)
            return true;
    return false;
}

static int prepare_rows(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->turned = tn_arena_alloc(arena, (size_t)s->box_count, sizeof *k->turned);
    if (!k->turned)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < s->box_count; n++) {
        int rows = 0;
        for (int c = 0; c < k->outer->constraints; c++)
            rows += is_on(k, c, n) ? tn_rows_of(k->outer, c) : 0;
        if (shows_D(k, &s->boxes[n]))
            TN_TRY(tn_turned_create(&k->turned[n], rows, s->boxes[n].columns, arena));
    }
    return TN_OK;
}

/* Unknowns that the body in place of a port has. */
static int columns_at(const tn_boxed_problem *p, int box, int port)
{
    const int left = p->room[box] - port * MOST_COLUMNS;
    return left < 0 ? 0 : left < MOST_COLUMNS ? left : MOST_COLUMNS;
}

/* Bodies of ports that show D get other columns. Unknowns of boxes are lengths, by their weight. */
static int build_columns(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    const size_t bodies = (size_t)k->bodies;
    int *column = tn_arena_alloc(arena, bodies + 1, sizeof(int));
    size_t *mass = tn_arena_alloc(arena, bodies, sizeof(size_t)), masses = k->mass_size;
    double *scale = tn_arena_alloc(arena, bodies * MOST_COLUMNS, sizeof(double));
    if (!column || !mass || !scale)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < st->bodies; b++) {
        const bool port = k->box_of[b] >= 0;
        const int to = k->number[b];
        if (to < 0)
            continue;
        const int width = port ? columns_at(p, k->box_of[b], k->port_of[b]) : tn_width_of(st, b);
        column[to + 1] = column[to] + width;
        mass[to] = port ? masses : st->mass_offset[b];
        masses += port ? (size_t)(width * width) : 0;
        for (int j = 0; j < width; j++)
            scale[column[to] + j] = port ? 1 : st->column_scale[st->body_column[b] + j];
    }
    tn_open_columns(k, column, mass, scale);
    p->structure.bodies = k->bodies;
    p->structure.body_column = column;
    p->structure.mass_offset = mass;
    p->structure.column_scale = scale;
    p->M = tn_arena_alloc(arena, masses, sizeof(double));
    p->f = tn_arena_alloc(arena, (size_t)column[bodies] + 1, sizeof(double));
    p->x = tn_arena_alloc(arena, (size_t)column[bodies] + 1, sizeof(double));
    return p->M && p->f && p->x ? tn_open_link_ports(p, k, arena) : TN_ERROR_MEMORY;
}

static int find_runs(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    p->runs = tn_arena_alloc(arena, (size_t)st->bodies, sizeof *p->runs);
    if (!p->runs)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < st->bodies; b++) {
        if (k->box_of[b] >= 0)
            continue;
        const int outside = st->body_column[b], inside = p->structure.body_column[k->number[b]];
        tn_run *last = p->run_count > 0 ? &p->runs[p->run_count - 1] : NULL;
        if (last && last->outside + last->count == outside && last->inside + last->count == inside)
            last->count += tn_width_of(st, b);
        else
            p->runs[p->run_count++] = (tn_run){ outside, inside, tn_width_of(st, b) };
    }
    return TN_OK;
}

static bool is_new(const tn_block_writer *w, int constraint, int box)
{
    const tn_boxed_problem *p = w->p;
    for (int n = p->wide_count - 1; n >= 0 && p->wide[n].constraint == constraint; n--)
        if (p->wide[n].box == box)
            return false;
    return true;
}

static void widen(tn_block_writer *w, int constraint, int index)
{
    const tn_system *s = w->k->system;
    const tn_box *box = &s->boxes[index];
    w->p->wide[w->p->wide_count++] = (tn_widened){ constraint, index, w->blocks, w->rows[index] };
    w->rows[index] += tn_rows_of(w->k->outer, constraint);
    for (int port = 0; port < port_count(box) && columns_at(w->p, index, port) > 0; port++) {
        w->body[w->blocks] = w->k->number[box->body[port]];
        w->offset[w->blocks++] = w->size;
        w->size += (size_t)(tn_rows_of(w->k->outer, constraint) * columns_at(w->p, index, port));
    }
}

static void write_block(tn_block_writer *w, int constraint, int block)
{
    const tn_structure *st = w->k->outer;
    const int body = st->block_body[block], box = w->k->box_of[body];
    if (w->k->number[body] < 0) {
        tn_open_carry_block(w, constraint, block);
    } else if (box >= 0) {
        if (is_new(w, constraint, box))
            widen(w, constraint, box);
    } else {
        w->body[w->blocks] = w->k->number[body];
        w->offset[w->blocks++] = st->block_offset[block];
    }
}

/* Blocks of the system's constraints, and of open boxes. */
static size_t count_blocks(const tn_saddle *k)
{
    size_t ports = 0, inside = 0;
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_box *box = &k->system->boxes[n];
        ports += (size_t)port_count(box);
        if (box->open)
            inside += (size_t)box->inside.structure->block_begin[box->inside.structure->constraints];
    }
    return (size_t)k->outer->block_begin[k->outer->constraints] * (1 + ports) + inside;
}

static int build_blocks(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    const size_t most = (size_t)st->block_begin[st->constraints], blocks = count_blocks(k);
    tn_block_writer w = { .k = k, .p = p, .size = k->rows_size,
                          .begin = tn_arena_alloc(arena, (size_t)k->constraints + 1, sizeof(int)),
                          .body = tn_arena_alloc(arena, blocks, sizeof(int)),
                          .offset = tn_arena_alloc(arena, blocks, sizeof(size_t)),
                          .rows = tn_arena_alloc(arena, (size_t)k->system->box_count, sizeof(int)) };
    p->wide = tn_arena_alloc(arena, most, sizeof *p->wide);
    p->carried = tn_arena_alloc(arena, most, sizeof *p->carried);
    if (!w.begin || !w.body || !w.offset || !w.rows || !p->wide || !p->carried)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < st->constraints; c++) {
        w.begin[c] = w.blocks;
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++)
            write_block(&w, c, b);
    }
    w.begin[st->constraints] = w.blocks;
    tn_open_blocks(&w);
    p->structure.block_begin = w.begin;
    p->structure.block_body = w.body;
    p->structure.block_offset = w.offset;
    p->G = tn_arena_alloc(arena, w.size, sizeof(double));
    return p->G ? TN_OK : TN_ERROR_MEMORY;
}

/* all: room for all columns, not just for the freedoms at the start. */
static int add_problem(tn_saddle *k, bool all, tn_arena *arena)
{
    const tn_system *s = k->system;
    tn_boxed_problem *p = &k->problems[k->problem_count];
    p->structure = *k->outer;
    p->room = tn_arena_alloc(arena, (size_t)s->box_count, sizeof(int));
    if (!p->room)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < s->box_count; n++) {
        const int most = all ? s->boxes[n].columns : s->boxes[n].freedoms, rows = k->turned[n].rows;
        p->room[n] = !shows_D(k, &s->boxes[n]) ? 0 : most < rows ? most : rows;
    }
    p->structure.responder = tn_asked_any(k) ? &k->responder : NULL;
    TN_TRY(build_columns(p, k, arena));
    TN_TRY(find_runs(p, k, arena));
    TN_TRY(tn_open_rows(p, k, arena));
    TN_TRY(build_blocks(p, k, arena));
    TN_TRY(k->inner->analyze(&p->saddle, s->context, &p->structure));
    k->problem_count++;
    return TN_OK;
}

/* ---- factor ---- */

/* Where the c-th unknown of a box has its column in the rows of a constraint, and how far rows are apart. */
static double *column_of(const tn_boxed_problem *p, const tn_widened *wide, int c, int *stride)
{
    const int port = c / MOST_COLUMNS;
    *stride = columns_at(p, wide->box, port);
    return p->G + p->structure.block_offset[wide->first + port] + c % MOST_COLUMNS;
}

/* out = G W of one row at a port, for all unknowns; returns what its terms add up to. */
static double multiply_row(const tn_box *box, int port, const double *G, double *out)
{
    const int n = box->columns, w = box->width;
    double terms = 0;
    for (int j = 0; j < w; j++) {
        const double *W = box->W + port * w + j;
        terms += fabs(G[j]) * box->reach[port * w + j];
        for (int c = 0; c < box->rank && G[j] != 0; c++)
            out[c] += G[j] * W[c * n];
    }
    return terms;
}

/* A row that a constraint has on ports of a box, times W. Rows of unit length is what ranks are decided by: what is
 * round-off must not become one. */
static void multiply(const tn_saddle *k, const tn_widened *wide, int r)
{
    const tn_structure *st = k->outer;
    const tn_box *box = &k->system->boxes[wide->box];
    double *row = tn_turned_row(&k->turned[wide->box], wide->row + r), terms = 0, square = 0;
    memset(row, 0, (size_t)box->columns * sizeof(double));
    for (int b = st->block_begin[wide->constraint]; b < st->block_begin[wide->constraint + 1]; b++) {
        const int body = st->block_body[b];
        if (k->box_of[body] == wide->box)
            terms += multiply_row(box, k->port_of[body], k->used->G + st->block_offset[b] + r * box->width, row);
    }
    for (int c = 0; c < box->rank; c++)
        square += row[c] * row[c];
    if (square <= STILL_ROW * STILL_ROW * terms * terms)
        memset(row, 0, (size_t)box->columns * sizeof(double));
}

static void write_rows(const tn_saddle *k, const tn_widened *wide)
{
    const tn_boxed_problem *p = k->used;
    for (int c = 0; c < p->room[wide->box]; c++) {
        int stride;
        double *to = column_of(p, wide, c, &stride);
        for (int r = 0; r < tn_rows_of(k->outer, wide->constraint); r++)
            to[r * stride] = tn_turned_row(&k->turned[wide->box], wide->row + r)[c];
    }
}

/* The mass of its unknowns. */
static void weigh(const tn_saddle *k, const tn_box *box)
{
    const tn_structure *st = &k->used->structure;
    for (int j = 0; j < port_count(box); j++) {
        const int body = k->number[box->body[j]], w = tn_width_of(st, body);
        for (int i = 0; i < w; i++)
            k->used->M[st->mass_offset[body] + (size_t)(i * (w + 1))] = 1 / box->weight;
    }
}

static void take_rows(const tn_saddle *k, bool decide)
{
    const tn_boxed_problem *p = k->used;
    for (int n = 0; n < p->wide_count; n++)
        for (int r = 0; r < tn_rows_of(k->outer, p->wide[n].constraint); r++)
            multiply(k, &p->wide[n], r);
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_box *box = &k->system->boxes[n];
        if (!shows_D(k, box))
            continue;
        weigh(k, box);
        tn_turn(&k->turned[n], box->rank, p->room[n], decide);
    }
    for (int n = 0; n < p->wide_count; n++)
        write_rows(k, &p->wide[n]);
}

/* The first problem with room for all boxes. True: another one than before. */
static bool choose_problem(tn_saddle *k)
{
    const tn_boxed_problem *before = k->used;
    const int *room = k->problems[0].room;
    k->used = k->problems;
    for (int n = 0; n < k->system->box_count; n++)
        if (shows_D(k, &k->system->boxes[n]) && k->system->boxes[n].rank > room[n] && k->turned[n].rows > room[n])
            k->used = &k->problems[k->problem_count - 1];
    return k->used != before;
}

/* Ranks that another problem decided on say nothing. */
static int take_matrices(tn_saddle *k, const double *M, const double *G, tn_rank_rule *rule)
{
    const tn_system *s = k->system;
    TN_TRY(tn_boxes_condense_levels(k->e, s, *rule, k->inner->asks ? TN_DISCLOSE_CONDENSED : TN_DISCLOSE_RESPONSE,
                                    TN_DISCLOSE_CONDENSED));
    if (choose_problem(k))
        *rule = TN_RANK_DECIDE;
    const tn_boxed_problem *p = k->used;
    if (M != p->M)
        memcpy(p->M, M, s->mass_size * sizeof(double));
    if (G != p->G)
        memcpy(p->G, G, k->copied * sizeof(double));
    take_rows(k, *rule == TN_RANK_DECIDE);
    TN_TRY(tn_asked_estimate_masses(k));
    return tn_open_take_matrices(k);
}

static int factor_boxed(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    TN_TRY(take_matrices(k, M, G, &rule));
    return k->inner->factor(k->used->saddle, k->used->M, k->used->G, rule);
}

/* ---- solve ---- */

/* Place of the c-th unknown of a box in f and x. */
static int place_of(const tn_saddle *k, const tn_box *box, int c)
{
    return k->used->structure.body_column[k->number[box->body[c / MOST_COLUMNS]]] + c % MOST_COLUMNS;
}

/* f with W' f_p for the unknowns of a box, turned. Those that no row touches follow at once. */
static void push_ports(const tn_saddle *k, int index, const double *f)
{
    const tn_boxed_problem *p = k->used;
    const tn_box *box = &k->system->boxes[index];
    double *x = k->turned[index].x;
    memset(x, 0, (size_t)box->columns * sizeof(double));
    for (int c = 0; c < box->rank; c++)
        for (int j = 0; j < box->columns; j++)
            x[c] += box->W[j + c * box->columns] * f[box->column[j]];
    tn_turn_to(&k->turned[index], x);
    for (int c = 0; c < p->room[index]; c++)
        p->f[place_of(k, box, c)] = x[c];
    for (int c = p->room[index]; c < box->rank; c++)
        x[c] *= box->weight;
}

/* f with what the unknowns of boxes have of it, and u with what follows it. */
static void take_sides(const tn_saddle *k, const double *f, const double *u, bool with_lambda)
{
    const tn_system *s = k->system;
    const tn_boxed_problem *p = k->used;
    for (const tn_run *r = p->runs; r < p->runs + p->run_count; r++)
        memcpy(p->f + r->inside, f + r->outside, (size_t)r->count * sizeof(double));
    for (int n = 0; n < s->box_count; n++)
        if (shows_D(k, &s->boxes[n]))
            push_ports(k, n, f);
    memcpy(p->u, u, (size_t)k->outer->constraint_row[k->outer->constraints] * sizeof(double));
    tn_open_sides(k, f, with_lambda);
}

/* a from x: W x at ports of a box that shows D. */
static void move_ports(const tn_saddle *k, int index, double *a)
{
    const tn_box *box = &k->system->boxes[index];
    double *x = k->turned[index].x;
    for (int c = 0; c < k->used->room[index]; c++)
        x[c] = k->used->x[place_of(k, box, c)];
    tn_turn_back(&k->turned[index], x);
    for (int j = 0; j < box->columns; j++)
        a[box->column[j]] = 0;
    for (int c = 0; c < box->rank; c++)
        for (int j = 0; j < box->columns; j++)
            a[box->column[j]] += box->W[j + c * box->columns] * x[c];
}

static int finish(const tn_saddle *k, int code, double *a, double *lambda)
{
    const tn_boxed_problem *p = k->used;
    if (code < 0)
        return code;
    for (const tn_run *r = p->runs; r < p->runs + p->run_count; r++)
        memcpy(a + r->outside, p->x + r->inside, (size_t)r->count * sizeof(double));
    for (int n = 0; n < k->system->box_count; n++)
        if (shows_D(k, &k->system->boxes[n]))
            move_ports(k, n, a);
    tn_open_finish(k, a);
    if (lambda)
        memcpy(lambda, p->lambda, (size_t)k->outer->constraint_row[k->outer->constraints] * sizeof(double));
    return TN_OK;
}

static int solve_boxed(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    const tn_boxed_problem *p = k->used;
    take_sides(k, f, u, lambda != NULL);
    return finish(k, k->inner->solve(p->saddle, p->f, p->u, p->x, lambda ? p->lambda : NULL), a, lambda);
}

static int factor_solve(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                        const double *u, double *a, double *lambda)
{
    TN_TRY(take_matrices(k, M, G, &rule));
    const tn_boxed_problem *p = k->used;
    take_sides(k, f, u, lambda != NULL);
    int code = k->inner->factor_solve(p->saddle, p->M, p->G, rule, p->f, p->u, p->x, lambda ? p->lambda : NULL);
    return finish(k, code, a, lambda);
}

/* ---- the rest is the inner solver's ---- */

static int configure(tn_saddle *k, const double *parameters)
{
    for (int n = 0; n < k->problem_count; n++)
        TN_TRY(k->inner->configure(k->problems[n].saddle, parameters));
    return TN_OK;
}

static int configure_constraint(tn_saddle *k, int parameter, int constraint, double value)
{
    for (int n = 0; n < k->problem_count; n++)
        TN_TRY(k->inner->configure_constraint(k->problems[n].saddle, parameter, constraint, value));
    return TN_OK;
}

/* Of all: components that show D have rows, columns and a rank of their own. One that does not tell is as free as its
 * ports. */
static void info_boxed(const tn_saddle *k, tn_saddle_info *out)
{
    k->inner->info(k->used->saddle, out);
    for (int n = 0; n < k->system->box_count; n++) {
        const tn_box *box = &k->system->boxes[n];
        const tn_component *c = &box->instance.component;
        tn_saddle_info inside = { .columns = box->rank, .weakest_pivot = 1 };
        if (box->open) {
            out->rows += box->inside.hidden_rows;
            out->columns += box->inside.hidden_rows;
            out->rank += out->rank < 0 ? 0 : box->inside.hidden_rows;
            continue;
        }
        if (c->type->info)
            c->type->info(c->self, &inside);
        out->rows += inside.rows;
        out->columns += inside.columns - (tn_is_asked(k, box) ? box->columns : k->used->room[n]);
        out->rank = out->rank < 0 || inside.rank < 0 ? -1 : out->rank + inside.rank;
        out->weakest_pivot = fmin(out->weakest_pivot, inside.weakest_pivot);
        out->largest_drop = fmax(out->largest_drop, inside.largest_drop);
    }
}

static void destroy_boxed(tn_saddle *k)
{
    if (!k)
        return;
    tn_open_release(k);
    for (int n = 0; n < k->problem_count; n++)
        k->inner->destroy(k->problems[n].saddle);
}

static tn_solver_type wrapped(const tn_solver_type *inner)
{
    tn_solver_type type = *inner;
    type.analyze = NULL;
    type.configure = inner->configure ? configure : NULL;
    type.configure_constraint = inner->configure_constraint ? configure_constraint : NULL;
    type.factor = factor_boxed;
    type.solve = solve_boxed;
    type.factor_solve = inner->factor_solve ? factor_solve : NULL;
    type.info = info_boxed;
    type.destroy = destroy_boxed;
    return type;
}

static bool has_room_for_all(const tn_saddle *k)
{
    for (int n = 0; n < k->system->box_count; n++)
        if (shows_D(k, &k->system->boxes[n]) && k->problems[0].room[n] < k->system->boxes[n].columns &&
            k->problems[0].room[n] < k->turned[n].rows)
            return false;
    return true;
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
                      .copied = jacobian_size, .used = k->problems };
    k->responder = (tn_responder){ .respond = tn_asked_respond, .user = k };
    TN_TRY(find_ports(k, arena));
    TN_TRY(prepare_rows(k, arena));
    TN_TRY(tn_open_number(k, arena));
    TN_TRY(tn_asked_find(k, arena));
    int code = add_problem(k, false, arena);
    if (code == TN_OK && !has_room_for_all(k))
        code = add_problem(k, true, arena);
    if (code < 0) {
        destroy_boxed(k);
        return code;
    }
    *type = &k->type;
    *out = k;
    return TN_OK;
}
