/* Wraps any solver for a system with components. At a point the columns of a component's ports respond to forces by D,
 * and D = w W W' (coupling_impl.h). With unknowns x of the component, a_p = W x, the equations
 *     a_p = D (f_p + G_p' lambda),          G a = u
 * become
 *     x / w - (G_p W)' lambda = W' f_p,     (G_p W) x + ... = u
 * which is a saddle problem again, with 1/w as the mass of every column. The number of unknowns is the rank of D: less
 * than the columns, where ports share bodies or joints inside connect them. The unknowns are rotated to make the rows
 * triangular (port_basis.h); unknowns that no row touches follow without a solver. The first problem has room for the
 * rank at the component's start; where the rank is larger, in singular positions, a second problem has room for all
 * columns.
 * Solutions are linear in f and u: the caller adds the motion of ports without forces. Components that show bodies and
 * rows are part of the problem (component_solver.h), with their own f and u where there is a question to them.
 * Components that only respond keep their columns where the solver calls tn_responder: they need no D. */
#include <math.h>
#include <string.h>
#include "component_solver.h"
#include "tn_assert.h"

/* A row on ports below this part of the sum of its terms is round-off: the ports do not move along it. */
static const double STILL_ROW = 1e-10;
/* Unknowns belong to the bodies that replace the ports in the inner problem; each has at most this many. */
enum { MOST_COLUMNS = TN_PART_COLUMNS };

static int port_count(const tn_coupled *component)
{
    return component->type->port_count;
}

/* ---- analysis ---- */

static bool shows_D(const tn_saddle *k, const tn_coupled *component)
{
    return !component->of->open && !tn_is_asked(k, component);
}

static int find_ports(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->component_of = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    k->port_of = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int));
    if (!k->component_of || !k->port_of)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        k->component_of[b] = -1;
    for (int n = 0; n < s->component_count; n++)
        for (int p = 0; p < port_count(tn_component_at(k, n)); p++) {
            const int body = tn_component_at(k, n)->of->body[p];
            k->component_of[body] = tn_is_asked(k, tn_component_at(k, n)) ? -1 : n;
            k->port_of[body] = p;
        }
    return TN_OK;
}

static bool is_on(const tn_saddle *k, int constraint, int component)
{
    for (int b = k->outer->block_begin[constraint]; b < k->outer->block_begin[constraint + 1]; b++)
        if (k->component_of[k->outer->block_body[b]] == component)
            return true;
    return false;
}

static int prepare_rows(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->bases = tn_arena_alloc(arena, (size_t)s->component_count, sizeof *k->bases);
    if (!k->bases)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < s->component_count; n++) {
        int rows = 0;
        for (int c = 0; c < k->outer->constraints; c++)
            rows += is_on(k, c, n) ? tn_rows_of(k->outer, c) : 0;
        if (shows_D(k, tn_component_at(k, n)))
            TN_TRY(tn_port_basis_create(&k->bases[n], rows, tn_component_at(k, n)->of->columns, arena));
    }
    return TN_OK;
}

/* Number of unknowns of the body that replaces a port. */
static int columns_at(const tn_component_problem *p, int component, int port)
{
    const int left = p->room[component] - port * MOST_COLUMNS;
    return left < 0 ? 0 : left < MOST_COLUMNS ? left : MOST_COLUMNS;
}

/* Bodies that replace ports of components with D get new columns. Their unknowns are lengths, so their scale is 1. */
static int build_columns(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    const size_t bodies = (size_t)k->bodies;
    int *column = tn_arena_alloc(arena, bodies + 1, sizeof(int));
    size_t *mass = tn_arena_alloc(arena, bodies, sizeof(size_t)), masses = k->mass_size;
    double *scale = tn_arena_alloc(arena, bodies * MOST_COLUMNS, sizeof(double));
    if (!column || !mass || !scale)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < st->bodies; b++) {
        const bool port = k->component_of[b] >= 0;
        const int to = k->number[b];
        if (to < 0)
            continue;
        const int width = port ? columns_at(p, k->component_of[b], k->port_of[b]) : tn_width_of(st, b);
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

static int find_runs(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    p->runs = tn_arena_alloc(arena, (size_t)st->bodies, sizeof *p->runs);
    if (!p->runs)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < st->bodies; b++) {
        if (k->component_of[b] >= 0)
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

static bool is_new(const tn_block_writer *w, int constraint, int component)
{
    const tn_component_problem *p = w->p;
    for (int n = p->wide_count - 1; n >= 0 && p->wide[n].constraint == constraint; n--)
        if (p->wide[n].component == component)
            return false;
    return true;
}

static void widen(tn_block_writer *w, int constraint, int index)
{
    const tn_coupled *component = tn_component_at(w->k, index);
    w->p->wide[w->p->wide_count++] = (tn_widened){ constraint, index, w->blocks, w->rows[index] };
    w->rows[index] += tn_rows_of(w->k->outer, constraint);
    for (int port = 0; port < port_count(component) && columns_at(w->p, index, port) > 0; port++) {
        w->body[w->blocks] = w->k->number[component->of->body[port]];
        w->offset[w->blocks++] = w->size;
        w->size += (size_t)(tn_rows_of(w->k->outer, constraint) * columns_at(w->p, index, port));
    }
}

static void write_block(tn_block_writer *w, int constraint, int block)
{
    const tn_structure *st = w->k->outer;
    const int body = st->block_body[block], component = w->k->component_of[body];
    if (w->k->number[body] < 0) {
        tn_open_carry_block(w, constraint, block);
    } else if (component >= 0) {
        if (is_new(w, constraint, component))
            widen(w, constraint, component);
    } else {
        w->body[w->blocks] = w->k->number[body];
        w->offset[w->blocks++] = st->block_offset[block];
    }
}

/* Upper bound of the blocks of the system's constraints and of open components. */
static size_t count_blocks(const tn_saddle *k)
{
    size_t ports = 0, inside = 0;
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        ports += (size_t)port_count(component);
        const tn_structure *st = component->shown.inside.structure;
        if (component->of->open)
            inside += (size_t)st->block_begin[st->constraints];
    }
    return (size_t)k->outer->block_begin[k->outer->constraints] * (1 + ports) + inside;
}

static int build_blocks(tn_component_problem *p, const tn_saddle *k, tn_arena *arena)
{
    const tn_structure *st = k->outer;
    const size_t most = (size_t)st->block_begin[st->constraints], blocks = count_blocks(k);
    tn_block_writer w = { .k = k, .p = p, .size = k->rows_size,
                          .begin = tn_arena_alloc(arena, (size_t)k->constraints + 1, sizeof(int)),
                          .body = tn_arena_alloc(arena, blocks, sizeof(int)),
                          .offset = tn_arena_alloc(arena, blocks, sizeof(size_t)),
                          .rows = tn_arena_alloc(arena, (size_t)k->system->component_count, sizeof(int)) };
    p->wide = tn_arena_alloc(arena, most, sizeof *p->wide);
    p->carried = tn_arena_alloc(arena, most, sizeof *p->carried);
    TN_TRY(tn_arena_status(arena));
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
    tn_component_problem *p = &k->problems[k->problem_count];
    p->structure = *k->outer;
    p->structure.combined = true;
    p->room = tn_arena_alloc(arena, (size_t)s->component_count, sizeof(int));
    if (!p->room)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < s->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        const int most = all ? component->of->columns : component->freedoms, rows = k->bases[n].rows;
        p->room[n] = !shows_D(k, component) ? 0 : most < rows ? most : rows;
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

/* Column of the c-th unknown of a component in the rows of a constraint; stride: distance between rows. */
static double *column_of(const tn_component_problem *p, const tn_widened *wide, int c, int *stride)
{
    const int port = c / MOST_COLUMNS;
    *stride = columns_at(p, wide->component, port);
    return p->G + p->structure.block_offset[wide->first + port] + c % MOST_COLUMNS;
}

/* out += G W of one row at a port, for all unknowns; returns the sum of the sizes of the terms. */
static double multiply_row(const tn_coupled *component, int port, const double *G, double *out)
{
    const int n = component->of->columns, w = component->of->width;
    double terms = 0;
    for (int j = 0; j < w; j++) {
        const double *W = component->response.W + port * w + j;
        terms += fabs(G[j]) * component->response.reach[port * w + j];
        for (int c = 0; c < component->response.rank && G[j] != 0; c++)
            out[c] += G[j] * W[c * n];
    }
    return terms;
}

/* Multiplies a row of a constraint on ports of a component by W. The rank decision scales rows to unit length, so a row
 * that is round-off is set to zero. */
static void multiply(const tn_saddle *k, const tn_widened *wide, int r)
{
    const tn_structure *st = k->outer;
    const tn_coupled *component = tn_component_at(k, wide->component);
    double *row = tn_port_basis_row(&k->bases[wide->component], wide->row + r), terms = 0, square = 0;
    memset(row, 0, (size_t)component->of->columns * sizeof(double));
    for (int b = st->block_begin[wide->constraint]; b < st->block_begin[wide->constraint + 1]; b++) {
        const int body = st->block_body[b];
        if (k->component_of[body] == wide->component)
            terms += multiply_row(component, k->port_of[body],
                                  k->used->G + st->block_offset[b] + r * component->of->width, row);
    }
    for (int c = 0; c < component->response.rank; c++)
        square += row[c] * row[c];
    if (square <= STILL_ROW * STILL_ROW * terms * terms)
        memset(row, 0, (size_t)component->of->columns * sizeof(double));
}

static void write_rows(const tn_saddle *k, const tn_widened *wide)
{
    const tn_component_problem *p = k->used;
    for (int c = 0; c < p->room[wide->component]; c++) {
        int stride;
        double *to = column_of(p, wide, c, &stride);
        for (int r = 0; r < tn_rows_of(k->outer, wide->constraint); r++)
            to[r * stride] = tn_port_basis_row(&k->bases[wide->component], wide->row + r)[c];
    }
}

/* Writes the mass of the unknowns of a component. */
static void weigh(const tn_saddle *k, const tn_coupled *component)
{
    const tn_structure *st = &k->used->structure;
    for (int j = 0; j < port_count(component); j++) {
        const int body = k->number[component->of->body[j]], w = tn_width_of(st, body);
        for (int i = 0; i < w; i++)
            k->used->M[st->mass_offset[body] + (size_t)(i * (w + 1))] = 1 / component->response.weight;
    }
}

static void take_rows(const tn_saddle *k, bool decide)
{
    const tn_component_problem *p = k->used;
    for (int n = 0; n < p->wide_count; n++)
        for (int r = 0; r < tn_rows_of(k->outer, p->wide[n].constraint); r++)
            multiply(k, &p->wide[n], r);
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        if (!shows_D(k, component))
            continue;
        weigh(k, component);
        tn_port_basis_find(&k->bases[n], component->response.rank, p->room[n], decide);
    }
    for (int n = 0; n < p->wide_count; n++)
        write_rows(k, &p->wide[n]);
}

/* Chooses the first problem with room for the ranks of all components. True: the choice has changed. */
static bool choose_problem(tn_saddle *k)
{
    const tn_component_problem *before = k->used;
    const int *room = k->problems[0].room;
    k->used = k->problems;
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        if (shows_D(k, component) && component->response.rank > room[n] && k->bases[n].rows > room[n])
            k->used = &k->problems[k->problem_count - 1];
    }
    return k->used != before;
}

/* Ranks decided in one problem do not hold in another: after a change of problem they are decided again. */
static int take_matrices(tn_saddle *k, const double *M, const double *G, tn_rank_rule *rule)
{
    const tn_system *s = k->system;
    TN_TRY(tn_coupling_condense_levels(k->e, s, *rule, k->inner->asks ? TN_DISCLOSE_CONDENSED : TN_DISCLOSE_RESPONSE,
                                    TN_DISCLOSE_CONDENSED));
    if (choose_problem(k))
        *rule = TN_RANK_DECIDE;
    const tn_component_problem *p = k->used;
    if (M != p->M)
        memcpy(p->M, M, s->mass_size * sizeof(double));
    if (G != p->G)
        memcpy(p->G, G, k->copied * sizeof(double));
    take_rows(k, *rule == TN_RANK_DECIDE);
    TN_TRY(tn_asked_estimate_masses(k));
    return tn_open_take_matrices(k);
}

static int factor_component_solver(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    TN_TRY(take_matrices(k, M, G, &rule));
    return k->inner->factor(k->used->saddle, k->used->M, k->used->G, rule);
}

/* ---- solve ---- */

/* Index of the c-th unknown of a component in f and x. */
static int place_of(const tn_saddle *k, const tn_coupled *component, int c)
{
    return k->used->structure.body_column[k->number[component->of->body[c / MOST_COLUMNS]]] + c % MOST_COLUMNS;
}

/* Writes Q'W'f_p of a component to f. Solves at once for the unknowns that no row touches. */
static void push_ports(const tn_saddle *k, int index, const double *f)
{
    const tn_component_problem *p = k->used;
    const tn_coupled *component = tn_component_at(k, index);
    double *x = k->bases[index].x;
    memset(x, 0, (size_t)component->of->columns * sizeof(double));
    for (int c = 0; c < component->response.rank; c++)
        for (int j = 0; j < component->of->columns; j++)
            x[c] += component->response.W[j + c * component->of->columns] * f[component->of->column[j]];
    tn_port_basis_to(&k->bases[index], x);
    for (int c = 0; c < p->room[index]; c++)
        p->f[place_of(k, component, c)] = x[c];
    for (int c = p->room[index]; c < component->response.rank; c++)
        x[c] *= component->response.weight;
}

/* Copies f and u into the problem, with the parts of components. */
static void take_sides(const tn_saddle *k, const double *f, const double *u, bool with_lambda)
{
    const tn_system *s = k->system;
    const tn_component_problem *p = k->used;
    for (const tn_run *r = p->runs; r < p->runs + p->run_count; r++)
        memcpy(p->f + r->inside, f + r->outside, (size_t)r->count * sizeof(double));
    for (int n = 0; n < s->component_count; n++)
        if (shows_D(k, tn_component_at(k, n)))
            push_ports(k, n, f);
    memcpy(p->u, u, (size_t)k->outer->constraint_row[k->outer->constraints] * sizeof(double));
    tn_open_sides(k, f, with_lambda);
}

/* Writes the motion W x of the ports of a component that shows D to a. */
static void move_ports(const tn_saddle *k, int index, double *a)
{
    const tn_coupled *component = tn_component_at(k, index);
    double *x = k->bases[index].x;
    for (int c = 0; c < k->used->room[index]; c++)
        x[c] = k->used->x[place_of(k, component, c)];
    tn_port_basis_back(&k->bases[index], x);
    for (int j = 0; j < component->of->columns; j++)
        a[component->of->column[j]] = 0;
    for (int c = 0; c < component->response.rank; c++)
        for (int j = 0; j < component->of->columns; j++)
            a[component->of->column[j]] += component->response.W[j + c * component->of->columns] * x[c];
}

static int finish(const tn_saddle *k, int code, double *a, double *lambda)
{
    const tn_component_problem *p = k->used;
    if (code < 0)
        return code;
    for (const tn_run *r = p->runs; r < p->runs + p->run_count; r++)
        memcpy(a + r->outside, p->x + r->inside, (size_t)r->count * sizeof(double));
    for (int n = 0; n < k->system->component_count; n++)
        if (shows_D(k, tn_component_at(k, n)))
            move_ports(k, n, a);
    tn_open_finish(k, a);
    if (lambda)
        memcpy(lambda, p->lambda, (size_t)k->outer->constraint_row[k->outer->constraints] * sizeof(double));
    return TN_OK;
}

static int solve_component_solver(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    const tn_component_problem *p = k->used;
    take_sides(k, f, u, lambda != NULL);
    return finish(k, k->inner->solve(p->saddle, p->f, p->u, p->x, lambda ? p->lambda : NULL), a, lambda);
}

static int factor_solve(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                        const double *u, double *a, double *lambda)
{
    TN_TRY(take_matrices(k, M, G, &rule));
    const tn_component_problem *p = k->used;
    take_sides(k, f, u, lambda != NULL);
    int code = k->inner->factor_solve(p->saddle, p->M, p->G, rule, p->f, p->u, p->x, lambda ? p->lambda : NULL);
    return finish(k, code, a, lambda);
}

/* ---- functions passed on to the inner solver ---- */

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

/* Sums over the inner problem and the components, which have rows, columns and a rank inside. A component without info
 * counts as free as its ports. */
static void info_component_solver(const tn_saddle *k, tn_saddle_info *out)
{
    k->inner->info(k->used->saddle, out);
    for (int n = 0; n < k->system->component_count; n++) {
        const tn_coupled *component = tn_component_at(k, n);
        tn_saddle_info inside = { .columns = component->response.rank, .weakest_pivot = 1 };
        if (component->of->open) {
            out->rows += component->shown.inside.hidden_rows;
            out->columns += component->shown.inside.hidden_rows;
            out->rank += out->rank < 0 ? 0 : component->shown.inside.hidden_rows;
            continue;
        }
        if (component->type->info)
            component->type->info(component->self, &inside);
        out->rows += inside.rows;
        out->columns += inside.columns - (tn_is_asked(k, component) ? component->of->columns : k->used->room[n]);
        out->rank = out->rank < 0 || inside.rank < 0 ? -1 : out->rank + inside.rank;
        out->weakest_pivot = fmin(out->weakest_pivot, inside.weakest_pivot);
        out->largest_drop = fmax(out->largest_drop, inside.largest_drop);
    }
}

static void remember_component_solver(tn_saddle *k, tn_memory_action action)
{
    for (int n = 0; n < k->problem_count; n++)
        if (k->problems[n].saddle)
            k->inner->remember(k->problems[n].saddle, action);
}

static void destroy_component_solver(tn_saddle *k)
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
    type.factor = factor_component_solver;
    type.solve = solve_component_solver;
    type.factor_solve = inner->factor_solve ? factor_solve : NULL;
    type.info = info_component_solver;
    type.rescale = NULL;           /* numbers of models with components are set by a recompile */
    type.remember = inner->remember ? remember_component_solver : NULL;
    type.destroy = destroy_component_solver;
    return type;
}

static bool has_room_for_all(const tn_saddle *k)
{
    for (int n = 0; n < k->system->component_count; n++)
        if (shows_D(k, tn_component_at(k, n)) && k->problems[0].room[n] < tn_component_at(k, n)->of->columns &&
            k->problems[0].room[n] < k->bases[n].rows)
            return false;
    return true;
}

int tn_coupled_analyze(tn_saddle **out, const tn_solver_type **type, tn_eval *e, const tn_system *s,
                      const tn_structure *structure, size_t jacobian_size, tn_arena *arena)
{
    TN_ASSERT(tn_structure_is_sound(structure));
    if (s->component_count == 0)
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
        destroy_component_solver(k);
        return code;
    }
    *type = &k->type;
    *out = k;
    return TN_OK;
}
