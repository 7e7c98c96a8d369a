/* Solver "direct": sparse block elimination over the graph of bodies and joints.
 *
 * The saddle problem is the minimum of  1/2 a'P a - b'a  (P = M, b = f) under  G a = u.  Bodies are eliminated one by
 * one in a fill-reducing order. The front of body c holds the quadratic form P, b over (c, border) and the rows
 * (A_c, A_n | u): its own rows and the leftover rows of the fronts below. With an orthogonal factorization of the rows,
 *     Q' A_c Pi = [ R11 R12 ; 0 ],    so that    a_c = X a_n + x0 + S z,
 * z free, S the null space of A_c. X is made the response of least energy, S'(P_cc X + P_cn) = 0, by adding multiples
 * of S. Minimising over z then leaves a quadratic form over the border (the Schur complement)
 *     P_n' = P_nn + X'P_cn + P_nc X + X'P_cc X,   b_n' = b_n + X'r - P_nc x0,   r = b_c - P_cc x0
 * and the rows below R11 become rows over the border alone.
 *
 * Where the body hangs on a pin (ball or hinge), X, S and x0 of the pin's rows are known in closed form. A body with
 * no other constraint than this pin is a leaf (leaf.c): the articulated-body recursion in absolute coordinates.
 * Otherwise the pin carries the front (general.c): its rows never appear, and few columns are left for the other rows.
 *
 * Redundancy appears where loops close, as rows that vanish. The leftover rows are factorized over the border as well,
 * and dependent rows are dropped immediately. Rank decisions are made on orthogonally transformed, scaled rows
 * (unit norm, rotations as lengths), so the condition number is not squared. TN_RANK_KEEP repeats the pivots of the
 * last decision. */
#include "front.h"
#include "mem.h"
#include "order.h"

#include <math.h>
#include <string.h>

/* ---- analysis ---- */

static int columns_of(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

/* Border column where the columns of a body start. */
static int border_place(const tn_front_plan *plan, const tn_structure *s, int body)
{
    int at = 0;
    for (int n = 0; plan->border[n] != body; n++)
        at += columns_of(s, plan->border[n]);
    return at;
}

/* Column, in the rows of a general front, where the columns of a body start. */
static int place_in(const tn_front *f, const tn_front_plan *plan, const tn_structure *s, int body)
{
    return body == f->body ? 0 : f->nc + f->general->nz + border_place(plan, s, body);
}

static tn_pin_kind pin_of(const tn_structure *s, int constraint)
{
    return s->pins && s->pin_kind ? (tn_pin_kind)s->pin_kind[constraint] : TN_PIN_NONE;
}

/* Chooses the carrier of the front: the pin with the most rows among its constraints. */
static void choose_carrier(tn_front *f, const tn_front_plan *plan, const tn_structure *s)
{
    tn_carrier *c = &f->carrier;
    c->constraint = -1;
    for (int n = 0; n < plan->constraint_count; n++) {
        int constraint = plan->constraints[n];
        if (pin_of(s, constraint) > c->kind) {
            c->constraint = constraint;
            c->kind = pin_of(s, constraint);
        }
    }
    if (c->constraint < 0)
        return;
    const tn_pin *pin = &s->pins[c->constraint];
    int other = pin->body2 == f->body ? pin->body1 : pin->body2;
    c->sign = pin->body2 == f->body ? 1 : -1;
    c->row = s->constraint_row[c->constraint];
    c->parent_column = other < 0 ? -1 : border_place(plan, s, other);
}

static void prepare_front(tn_front *f, const tn_front_plan *plan, const tn_structure *s)
{
    f->body = plan->body;
    f->parent = plan->parent;
    f->nc = columns_of(s, plan->body);
    f->planar = f->nc == 3;
    f->column = s->body_column[plan->body];
    for (int n = 0; n < plan->border_count; n++)
        f->nn += columns_of(s, plan->border[n]);
    choose_carrier(f, plan, s);
}

/* A leaf hangs on its carrier alone. */
static bool is_leaf(const tn_front *f, const tn_front_plan *plan)
{
    return f->carrier.constraint >= 0 && plan->constraint_count == 1 &&
           plan->border_count == (f->carrier.parent_column < 0 ? 0 : 1);
}

static int prepare_general(tn_front *f, const tn_front_plan *plan, const tn_structure *s, int children, tn_arena *arena)
{
    tn_general *g = f->general = tn_arena_alloc(arena, 1, sizeof *g);
    if (!g)
        return TN_ERROR_MEMORY;
    int *constraints = tn_arena_alloc(arena, (size_t)plan->constraint_count, sizeof(int));
    g->children = tn_arena_alloc(arena, (size_t)children, sizeof(int));
    g->to_parent = tn_arena_alloc(arena, (size_t)f->nn, sizeof(int));
    if (!constraints || !g->children || !g->to_parent)
        return TN_ERROR_MEMORY;
    g->constraints = constraints;
    g->nz = f->carrier.constraint < 0 ? f->nc : tn_pin_freedoms(f->carrier.kind, f->planar);
    int blocks = 0;
    for (int n = 0; n < plan->constraint_count; n++) {
        int c = plan->constraints[n];
        if (c == f->carrier.constraint)
            continue;
        constraints[g->constraint_count++] = c;
        g->own_rows += s->constraint_row[c + 1] - s->constraint_row[c];
        blocks += s->block_begin[c + 1] - s->block_begin[c];
    }
    g->body_place = tn_arena_alloc(arena, (size_t)blocks, sizeof(int));
    if (!g->body_place)
        return TN_ERROR_MEMORY;
    for (int n = 0, at = 0; n < g->constraint_count; n++)
        for (int b = s->block_begin[constraints[n]]; b < s->block_begin[constraints[n] + 1]; b++)
            g->body_place[at++] = place_in(f, plan, s, s->block_body[b]);
    return TN_OK;
}

static void link_to_parent(const tn_saddle *k, int index, const tn_front_plan *plan)
{
    tn_front *f = &k->fronts[index];
    if (f->parent < 0)
        return;
    tn_front *parent = &k->fronts[f->parent];
    if (f->kind != TN_FRONT_GENERAL) {
        f->first = !parent->pinned;
        parent->pinned = true;
        return;
    }
    parent->general->children[parent->general->child_count++] = index;
    int at = 0;
    for (int n = 0; n < plan[index].border_count; n++) {
        int body = plan[index].border[n];
        int first = place_in(parent, &plan[f->parent], k->structure, body);
        for (int j = 0; j < columns_of(k->structure, body); j++)
            f->general->to_parent[at++] = first + j;
    }
}

static double *doubles(tn_arena *arena, int rows, int columns)
{
    return tn_arena_alloc(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

/* Columns of the structure whose lengths scale those of the front: the body's, z (rotations, with a carrier), border. */
static void find_scales(tn_front *f, const tn_front_plan *plan, const tn_structure *s)
{
    tn_general *g = f->general;
    int *to = g->scale_column;
    g->column_scale = g->unreduced_scale + f->nc;
    for (int j = 0; j < f->nc; j++)
        *to++ = f->column + j;
    for (int j = 0; j < g->nz; j++)
        *to++ = f->column + (f->carrier.constraint < 0 ? j : f->nc - 1);
    for (int n = 0; n < plan->border_count; n++)
        for (int j = s->body_column[plan->border[n]]; j < s->body_column[plan->border[n] + 1]; j++)
            *to++ = j;
}

static void fill_scales(tn_front *f, const tn_structure *s)
{
    tn_general *g = f->general;
    for (int j = 0; j < f->nc + g->nz + f->nn; j++)
        g->unreduced_scale[j] = s->column_scale[g->scale_column[j]];
}

static void rescale_direct(tn_saddle *k)
{
    for (int i = 0; i < k->structure->bodies; i++) {
        tn_front *f = &k->fronts[i];
        if (f->general)
            fill_scales(f, k->structure);
        if (f->guided)
            tn_guided_scale(f, k->structure);
    }
}

static int allocate_general(tn_front *f, const tn_saddle *k, const tn_front_plan *plan)
{
    tn_general *g = f->general;
    tn_arena *arena = k->arena;
    g->max_rows = g->own_rows;
    for (int n = 0; n < g->child_count; n++) {
        const tn_front *child = &k->fronts[g->children[n]];
        g->max_rows += child->general->max_rows < child->nn ? child->general->max_rows : child->nn;
    }
    int nc = f->nc, nz = g->nz, nn = f->nn, nf = nz + nn, m = g->max_rows;
    g->pivot_z = tn_arena_alloc(arena, (size_t)nz, sizeof(int));
    g->pivot_n = tn_arena_alloc(arena, (size_t)nn, sizeof(int));
    g->stair = tn_arena_alloc(arena, (size_t)nn, sizeof(int));
    g->scale_column = tn_arena_alloc(arena, (size_t)(nc + nf), sizeof(int));
    double **pieces[] = { &g->unreduced_scale, &g->Pc, &g->Ac, &g->Sc, &g->tau, &g->P, &g->X, &g->W, &g->S,
                          &g->D, &g->scale, &g->b, &g->u, &g->bc, &g->xc, &g->x0, &g->z0, &g->y, &g->mu };
    const int sizes[] = { nc + nf, nc * (nc + nn), m * (nc + nf), nc * nz, m, nf * nf, nz * nn, nz * nn, nz * nz,
                          nz * nz, g->own_rows, nf, m, nc, nc, nz, nz, nc + nn, m };
    bool ok = g->pivot_z && g->pivot_n && g->stair && g->scale_column;
    for (size_t i = 0; i < TN_LENGTH(pieces); i++) {
        *pieces[i] = doubles(arena, sizes[i], 1);
        ok = ok && *pieces[i];
    }
    if (!ok)
        return TN_ERROR_MEMORY;
    g->A = g->Ac + nc * m;
    find_scales(f, plan, k->structure);
    fill_scales(f, k->structure);
    return TN_OK;
}

/* Sets the kinds of fronts from the leaves up: a front above a general front is general, too. */
static int prepare_fronts(tn_saddle *k, const tn_front_plan *plan)
{
    const tn_structure *s = k->structure;
    int *below = tn_alloc(k->context, (size_t)s->bodies, sizeof(int));     /* general fronts below each */
    int code = below ? TN_OK : TN_ERROR_MEMORY;
    for (int i = 0; i < s->bodies && code == TN_OK; i++) {
        tn_front *f = &k->fronts[i];
        prepare_front(f, &plan[i], s);
        if (below[i] == 0 && is_leaf(f, &plan[i])) {
            f->kind = TN_FRONT_LEAF;
            continue;
        }
        if (f->parent >= 0)
            below[f->parent]++;
        code = prepare_general(f, &plan[i], s, below[i], k->arena);
        if (code == TN_OK && below[i] == 0 && plan[i].border_count == 1)
            code = tn_guided_prepare(f, s, plan[i].constraints, plan[i].constraint_count, k->arena);
    }
    tn_free(k->context, below);
    return code;
}

static int build_direct(tn_saddle *k, tn_arena *scratch)
{
    const tn_structure *s = k->structure;
    for (int b = 0; b < s->bodies; b++)
        if (columns_of(s, b) > TN_BODY_COLUMNS)
            return TN_ERROR_ARGUMENT;
    tn_front_plan *plan = NULL;
    TN_TRY(tn_order(&plan, scratch, k->context, s));
    k->fronts = tn_arena_alloc(k->arena, (size_t)s->bodies, sizeof(tn_front));
    k->carried = tn_arena_alloc(k->arena, (size_t)s->bodies, sizeof(double));
    if (!k->fronts || !k->carried)
        return TN_ERROR_MEMORY;
    TN_TRY(prepare_fronts(k, plan));
    for (int i = 0; i < s->bodies; i++)
        link_to_parent(k, i, plan);
    for (int i = 0; i < s->bodies; i++)
        if (k->fronts[i].kind == TN_FRONT_GENERAL)
            TN_TRY(allocate_general(&k->fronts[i], k, &plan[i]));
    return TN_OK;
}

static void destroy_direct(tn_saddle *k)
{
    if (!k)
        return;
    tn_condenser_destroy(k->whole_rows);
    if (k->arena)
        tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

static bool is_wanted(const tn_structure *s, int constraint)
{
    return constraint >= 0 && !(s->silent && s->silent[constraint]);
}

/* The multipliers of leftover rows come from the parent, so a parent must compute its multipliers if a front below
 * needs them. */
static void find_told(const tn_saddle *k)
{
    for (int i = 0; i < k->structure->bodies; i++) {
        tn_front *f = &k->fronts[i];
        f->told |= is_wanted(k->structure, f->carrier.constraint);
        for (int n = 0; f->general && n < f->general->constraint_count; n++)
            f->told |= is_wanted(k->structure, f->general->constraints[n]);
        if (f->parent >= 0)
            k->fronts[f->parent].told |= f->told;
    }
}

static int analyze_direct(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->structure = structure;
    k->arena = tn_arena_create(context);
    tn_arena *scratch = tn_arena_create(context);
    int code = k->arena && scratch ? build_direct(k, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    if (code < 0) {
        destroy_direct(k);
        return code;
    }
    find_told(k);
    *out = k;
    return TN_OK;
}

/* ---- factor and solve ---- */

static tn_front *parent_of(const tn_saddle *k, const tn_front *f)
{
    return f->parent >= 0 ? &k->fronts[f->parent] : NULL;
}

static inline int factor_front(tn_saddle *k, tn_front *f, const double *M, const double *G, bool decide)
{
    const tn_structure *s = k->structure;
    if (f->guided && (decide || tn_guided_used(f))) {
        TN_TRY(tn_guided_factor(k, f, M, G, decide));
        if (tn_guided_used(f))
            return TN_OK;
    }
    if (f->kind == TN_FRONT_GENERAL)
        return tn_general_factor(k, f, M, G, decide);
    tn_form_take_mass(f, M + s->mass_offset[f->body]);
    tn_carrier_load(&f->carrier, &s->pins[f->carrier.constraint]);
    return tn_leaf_factor(f, parent_of(k, f));
}

static inline void forward_front(tn_saddle *k, tn_front *f, const double *force, const double *u)
{
    if (tn_guided_used(f)) {
        tn_guided_forward(f, force, u);
        return;
    }
    if (f->kind == TN_FRONT_GENERAL) {
        tn_general_forward(k, f, force, u);
        return;
    }
    tn_form_take_force(f, force + f->column);
    tn_leaf_forward(f, parent_of(k, f), u);
}

/* With weak pivots the fronts only give multipliers, and may fail. */
static int factor_fronts(tn_saddle *k, const double *M, const double *G, bool decide)
{
    for (int i = 0; i < k->structure->bodies; i++)
        TN_TRY(factor_front(k, &k->fronts[i], M, G, decide));
    return TN_OK;
}

/* Notes how factoring the fronts ended. Fronts that fail, because a weak pivot leaves them no digits, leave the decision to whole
 * rows (weak.c). */
static int end_fronts(tn_saddle *k, int code, bool decide)
{
    k->fronts_ready = code >= 0;
    k->fronts_decided = decide ? k->fronts_ready : k->fronts_decided;
    return code == TN_ERROR_STEP && !(decide && k->structure->combined) ? TN_OK : code;
}

static int factor_direct(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    bool decide = rule == TN_RANK_DECIDE || !k->decided;
    k->decided = false;
    TN_TRY(end_fronts(k, decide || k->fronts_decided ? factor_fronts(k, M, G, decide) : TN_ERROR_STEP, decide));
    TN_TRY(tn_weak_factor(k, M, G, decide));
    k->decided = true;
    return TN_OK;
}

static void leaf_multipliers(const tn_front *f, double *lambda)
{
    double w[TN_BODY_COLUMNS];
    tn_leaf_wrench(f, w);
    tn_carrier_multipliers(&f->carrier, f->planar, w, lambda + f->carrier.row);
}

static void backward(tn_saddle *k, double *a, double *lambda)
{
    for (int i = k->structure->bodies - 1; i >= 0; i--) {
        tn_front *f = &k->fronts[i];
        if (f->kind == TN_FRONT_LEAF)
            tn_leaf_backward(f, f->parent >= 0 ? k->fronts[f->parent].a : NULL);
        else if (tn_guided_used(f))
            tn_guided_backward(k, f);
        else
            tn_general_backward(k, f);
        for (int j = 0; j < f->nc; j++)
            a[f->column + j] = f->a[j];
        if (!lambda || (!f->told && !k->condensed))
            continue;
        if (f->kind == TN_FRONT_LEAF)
            leaf_multipliers(f, lambda);
        else if (tn_guided_used(f))
            tn_guided_multipliers(f, lambda);
        else
            tn_general_multipliers(k, f, lambda);
    }
}

static int solve_direct(tn_saddle *k, const double *force, const double *u, double *a, double *lambda)
{
    if (!k->decided)
        return TN_ERROR_STEP;
    double *all = tn_weak_multipliers(k, lambda);
    if (!k->condensed || (lambda && k->fronts_ready)) {
        for (int i = 0; i < k->structure->bodies; i++)
            forward_front(k, &k->fronts[i], force, u);
        backward(k, a, all);
    }
    return k->condensed ? tn_weak_solve(k, force, u, a, lambda) : TN_OK;
}

/* In large trees, fronts write to memory ahead of the traversal, which defeats the processor's prefetching. */
static inline void fetch_ahead(const tn_saddle *k, int i)
{
    enum { AHEAD = 8, LINE = 64 };
    if (i + AHEAD >= k->structure->bodies)
        return;
    const char *front = (const char *)&k->fronts[i + AHEAD];
    for (size_t line = 0; line < sizeof(tn_front); line += LINE)
        __builtin_prefetch(front + line, 1);
}

/* Factors and solves in one pass, so that every front is used while it is in the cache. */
static int factor_solve(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule, const double *force,
                        const double *u, double *a, double *lambda)
{
    bool decide = rule == TN_RANK_DECIDE || !k->decided;
    if (k->weak && !decide) {
        TN_TRY(factor_direct(k, M, G, rule));
        return solve_direct(k, force, u, a, lambda);
    }
    k->decided = false;
    int code = TN_OK;
    for (int i = 0; i < k->structure->bodies && code >= 0; i++) {
        fetch_ahead(k, i);
        code = factor_front(k, &k->fronts[i], M, G, decide);
        if (code >= 0)
            forward_front(k, &k->fronts[i], force, u);
    }
    TN_TRY(end_fronts(k, code, decide));
    TN_TRY(tn_weak_factor(k, M, G, decide));
    k->decided = true;
    if (k->fronts_ready)
        backward(k, a, tn_weak_multipliers(k, lambda));
    return k->condensed ? tn_weak_solve(k, force, u, a, lambda) : TN_OK;
}

int tn_fronts_rank(const tn_saddle *k)
{
    int rank = 0;
    for (int i = 0; i < k->structure->bodies; i++) {
        const tn_front *f = &k->fronts[i];
        rank += f->carrier.constraint >= 0 ? tn_pin_rows(f->carrier.kind, f->planar) : 0;
        rank += f->kind == TN_FRONT_LEAF ? 0 : f->general->rank;
    }
    return rank;
}

/* A number that changes where parts of the rows gain or lose rank; 0: no part may. */
static unsigned pattern_of_fronts(const tn_saddle *k)
{
    unsigned pattern = 0;
    bool partial = false;
    for (int i = 0; i < k->structure->bodies; i++) {
        const tn_front *f = &k->fronts[i];
        if (f->kind == TN_FRONT_LEAF)
            continue;
        partial |= f->general->partial;
        pattern = 31 * pattern + 8 * (unsigned)f->general->rank + (unsigned)f->general->left;
    }
    return partial ? pattern | 1 : 0;
}

static void info_direct(const tn_saddle *k, tn_saddle_info *out)
{
    const tn_structure *s = k->structure;
    if (k->measured) {
        tn_condenser_info(out, k->whole_rows);
        out->pattern = k->weak ? 0 : pattern_of_fronts(k);
        return;
    }
    *out = (tn_saddle_info){ .rows = s->constraint_row[s->constraints], .columns = s->body_column[s->bodies],
                             .rank = tn_fronts_rank(k), .weakest_pivot = 1, .pattern = pattern_of_fronts(k) };
    for (int i = 0; i < s->bodies; i++) {
        const tn_front *f = &k->fronts[i];
        if (f->kind == TN_FRONT_LEAF)
            continue;
        out->weakest_pivot = fmin(out->weakest_pivot, f->general->weakest);
        out->largest_drop = fmax(out->largest_drop, f->general->dropped);
    }
}

const tn_solver_type tn_solver_direct = {
    .name = "direct",
    .doc = "Sparse block elimination over the graph of bodies and joints; linear cost for trees and ladders.",
    .takes_pins = true,
    .analyze = analyze_direct,
    .factor = factor_direct,
    .solve = solve_direct,
    .factor_solve = factor_solve,
    .info = info_direct,
    .rescale = rescale_direct,
    .destroy = destroy_direct,
};
