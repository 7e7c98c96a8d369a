/* Solver "direct": sparse block elimination over the graph of bodies and joints.
 *
 * The saddle problem is the minimum of  1/2 a'P a - b'a  (P = M, b = f) under  G a = u.  Bodies are eliminated one by one
 * in a fill-reducing order. The front of body c holds what concerns it: quadratic form P, b over (c, border) and rows
 * (A_c, A_n | u), its own and those left over by the fronts below. With an orthogonal factorization of the rows,
 *     Q' A_c Pi = [ R11 R12 ; 0 ],    so that    a_c = X a_n + x0 + S z,
 * z free, S the null space of A_c. Minimising over z leaves a quadratic form over the border (Schur complement)
 *     W = P_cc X + P_cn,  T = S'W,  D = (S'P_cc S)^-1,  r = b_c - P_cc x0
 *     P_n' = P_nn + X'P_cn + P_nc X + X'P_cc X - T'D T
 *     b_n' = b_n + X'r - P_nc x0 - T'D S'r
 * and the rows below R11 become rows over the border alone. For a leaf of a tree this is the articulated-body
 * recursion in absolute coordinates, and nothing is left over.
 *
 * Redundancy shows where loops close, as rows that vanish. The leftover rows are factorized over the border as well,
 * and what is dependent is dropped there and then. Rank decisions are made on orthogonally transformed, scaled rows
 * (unit norm, rotations as lengths), so the condition number is not squared. TN_RANK_KEEP repeats the pivots of the
 * last decision. */
#include "dense.h"
#include "order.h"

#include <math.h>
#include <string.h>

/* Scaled pivots below this are dependent rows. Genuine ratios in mechanisms are 1e-2 and above; rows that depend on each
 * other at a projected state differ by the drift, 1e-12, over their lever arms. */
static const double RANK_TOLERANCE = 1e-6;
/* Most columns a body may have. */
enum { BODY_COLUMNS = 6 };
/* Rows shorter than this (scaled columns, SI) have no direction: they are dropped. */
static const double ROW_FLOOR = 1e-9;

typedef struct front {
    int body, parent;
    int nc, nn;                    /* columns of the body and of the border */
    int column;                    /* first column of the body in the whole problem */
    int own_rows, rows, max_rows;  /* rows: own and left over from below, in this factorization */
    int constraint_count;
    const int *constraints;
    int child_count;
    int *children;
    int *to_parent;                /* column of the parent's front for every border column */
    int *body_place;               /* own constraints, block by block: first column in this front */

    int rank, left;                /* pivots in A_c; independent rows left over */
    int *pivot_c, *pivot_n;        /* column orders of the two phases */
    int *stair;                    /* leftover rows that reach into each border column */
    double *A;                     /* max_rows x (nc + nn): Householder vectors below, R and leftover rows above */
    double *tau;
    double *P;                     /* (nc + nn)^2 */
    double *X;                     /* nc x nn */
    double *S;                     /* nc x free */
    double *T;                     /* free x nn */
    double *D;                     /* free x free: Cholesky factor of S'P_cc S */
    double *W;                     /* nc x nn */
    double *scale;                 /* of own rows */
    double *b, *u, *x0, *z0, *y, *mu;
    double weakest, dropped;
} front;

struct tn_saddle {
    tn_context *context;
    tn_arena *arena;
    const tn_structure *structure;
    front *fronts;
    bool decided;
};

/* ---- analysis ---- */

static int columns_of(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static double *doubles(tn_arena *arena, int rows, int columns)
{
    return tn_arena_alloc(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

/* Column in front f where the columns of a body start. */
static int place_in(const front *f, const tn_front_plan *plan, const tn_structure *s, int body)
{
    if (body == f->body)
        return 0;
    int at = f->nc;
    for (int n = 0; plan->border[n] != body; n++)
        at += columns_of(s, plan->border[n]);
    return at;
}

static int prepare_front(front *f, const tn_front_plan *plan, const tn_structure *s, tn_arena *arena)
{
    f->body = plan->body;
    f->parent = plan->parent;
    f->nc = columns_of(s, plan->body);
    f->column = s->body_column[plan->body];
    f->constraint_count = plan->constraint_count;
    f->constraints = plan->constraints;
    for (int n = 0; n < plan->border_count; n++)
        f->nn += columns_of(s, plan->border[n]);
    int blocks = 0;
    for (int k = 0; k < f->constraint_count; k++) {
        int c = f->constraints[k];
        f->own_rows += s->constraint_row[c + 1] - s->constraint_row[c];
        blocks += s->block_begin[c + 1] - s->block_begin[c];
    }
    f->body_place = tn_arena_alloc(arena, (size_t)blocks, sizeof(int));
    f->to_parent = tn_arena_alloc(arena, (size_t)f->nn, sizeof(int));
    f->children = tn_arena_alloc(arena, (size_t)f->child_count, sizeof(int));
    if (!f->body_place || !f->to_parent || !f->children)
        return TN_ERROR_MEMORY;
    int at = 0;
    for (int k = 0; k < f->constraint_count; k++)
        for (int n = s->block_begin[f->constraints[k]]; n < s->block_begin[f->constraints[k] + 1]; n++)
            f->body_place[at++] = place_in(f, plan, s, s->block_body[n]);
    f->child_count = 0;
    return TN_OK;
}

static void link_to_parent(const tn_saddle *k, int index, const tn_front_plan *plan)
{
    front *f = &k->fronts[index];
    if (f->parent < 0)
        return;
    front *p = &k->fronts[f->parent];
    p->children[p->child_count++] = index;
    int at = 0;
    for (int n = 0; n < plan[index].border_count; n++) {
        int body = plan[index].border[n];
        int first = place_in(p, &plan[f->parent], k->structure, body);
        for (int j = 0; j < columns_of(k->structure, body); j++)
            f->to_parent[at++] = first + j;
    }
}

static int allocate_front(front *f, const tn_saddle *k, tn_arena *arena)
{
    f->max_rows = f->own_rows;
    for (int n = 0; n < f->child_count; n++) {
        const front *child = &k->fronts[f->children[n]];
        f->max_rows += child->max_rows < child->nn ? child->max_rows : child->nn;
    }
    int nf = f->nc + f->nn, m = f->max_rows, pivots = m < nf ? m : nf;
    f->pivot_c = tn_arena_alloc(arena, (size_t)f->nc, sizeof(int));
    f->pivot_n = tn_arena_alloc(arena, (size_t)f->nn, sizeof(int));
    f->stair = tn_arena_alloc(arena, (size_t)f->nn, sizeof(int));
    f->A = doubles(arena, m, nf);
    f->tau = doubles(arena, pivots, 1);
    f->P = doubles(arena, nf, nf);
    f->X = doubles(arena, f->nc, f->nn);
    f->W = doubles(arena, f->nc, f->nn);
    f->T = doubles(arena, f->nc, f->nn);
    f->S = doubles(arena, f->nc, f->nc);
    f->D = doubles(arena, f->nc, f->nc);
    f->scale = doubles(arena, f->own_rows, 1);
    f->b = doubles(arena, nf, 1);
    f->y = doubles(arena, nf, 1);
    f->u = doubles(arena, m, 1);
    f->mu = doubles(arena, m, 1);
    f->x0 = doubles(arena, f->nc, 1);
    f->z0 = doubles(arena, f->nc, 1);
    bool ok = f->pivot_c && f->pivot_n && f->stair && f->A && f->tau && f->P && f->X && f->W && f->T && f->S && f->D && f->scale &&
              f->b && f->y && f->u && f->mu && f->x0 && f->z0;
    return ok ? TN_OK : TN_ERROR_MEMORY;
}

static int build(tn_saddle *k)
{
    const tn_structure *s = k->structure;
    for (int b = 0; b < s->bodies; b++)
        if (columns_of(s, b) > BODY_COLUMNS)
            return TN_ERROR_ARGUMENT;
    tn_front_plan *plan = NULL;
    TN_TRY(tn_order(&plan, k->arena, k->context, s));
    k->fronts = tn_arena_alloc(k->arena, (size_t)s->bodies, sizeof(front));
    if (!k->fronts)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < s->bodies; i++)
        if (plan[i].parent >= 0)
            k->fronts[plan[i].parent].child_count++;
    for (int i = 0; i < s->bodies; i++)
        TN_TRY(prepare_front(&k->fronts[i], &plan[i], s, k->arena));
    for (int i = 0; i < s->bodies; i++)
        link_to_parent(k, i, plan);
    for (int i = 0; i < s->bodies; i++)
        TN_TRY(allocate_front(&k->fronts[i], k, k->arena));
    return TN_OK;
}

static void destroy(tn_saddle *k)
{
    if (!k)
        return;
    tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

static int analyze(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->structure = structure;
    k->arena = tn_arena_create(context);
    int result = k->arena ? build(k) : TN_ERROR_MEMORY;
    if (result < 0) {
        if (k->arena)
            tn_arena_destroy(k->arena);
        tn_free(context, k);
        return result;
    }
    *out = k;
    return TN_OK;
}

/* ---- factorization ---- */

static void load_own_rows(const tn_saddle *k, front *f, const double *G)
{
    const tn_structure *s = k->structure;
    const int ld = f->max_rows;
    int row = 0, block = 0;
    for (int n = 0; n < f->constraint_count; n++) {
        int c = f->constraints[n], m = s->constraint_row[c + 1] - s->constraint_row[c];
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++, block++) {
            int body = s->block_body[e], w = columns_of(s, body);
            const double *g = G + s->block_offset[e], *scale = s->column_scale + s->body_column[body];
            double *a = f->A + row + f->body_place[block] * ld;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < w; j++)
                    a[i + j * ld] = g[i * w + j] / scale[j];
        }
        row += m;
    }
}

static void scale_own_rows(front *f)
{
    const int ld = f->max_rows, nf = f->nc + f->nn;
    for (int i = 0; i < f->own_rows; i++) {
        double sum = 0;
        for (int j = 0; j < nf; j++)
            sum += f->A[i + j * ld] * f->A[i + j * ld];
        double norm = sqrt(sum);
        f->scale[i] = norm > ROW_FLOOR ? 1 / norm : norm >= 0 ? 0 : norm;   /* NaN stays and is found by the pivots */
        for (int j = 0; j < nf; j++)
            f->A[i + j * ld] *= f->scale[i];
    }
}

static void add_child(front *f, const front *child)
{
    const int ld = f->max_rows, nf = f->nc + f->nn, cf = child->nc + child->nn;
    for (int j = 0; j < child->nn; j++) {
        int to = child->to_parent[j];
        const double *p = child->P + (child->nc + j) * cf + child->nc;
        for (int i = 0; i < child->nn; i++)
            f->P[child->to_parent[i] + to * nf] += p[i];
        const double *rows = child->A + (child->nc + j) * child->max_rows + child->rank;
        for (int i = 0; i < child->stair[j]; i++)
            f->A[f->rows + i + to * ld] = rows[i];
    }
    f->rows += child->left;
}

static void assemble(const tn_saddle *k, front *f, const double *M, const double *G)
{
    const int nf = f->nc + f->nn;
    const double *scale = k->structure->column_scale + f->column;
    memset(f->A, 0, (size_t)f->max_rows * (size_t)nf * sizeof(double));
    memset(f->P, 0, (size_t)nf * (size_t)nf * sizeof(double));
    const double *mass = M + k->structure->mass_offset[f->body];
    for (int j = 0; j < f->nc; j++)
        for (int i = 0; i < f->nc; i++)
            f->P[i + j * nf] = mass[i + j * f->nc] / (scale[i] * scale[j]);
    load_own_rows(k, f, G);
    scale_own_rows(f);
    f->rows = f->own_rows;
    for (int n = 0; n < f->child_count; n++)
        add_child(f, &k->fronts[f->children[n]]);
}

static void swap_pivot(int *order, int a, int b)
{
    int kept = order[a];
    order[a] = order[b];
    order[b] = kept;
}

/* QR of rows row0.. over count columns starting at first, applied to all columns from there on; order is the pivot
 * order. With decide the pivots are chosen (largest column first) and the rank returned, else rank pivots are repeated.
 * pivoted columns stay where they are: order says which column is pivot k. */
static int factor_phase(front *f, int row0, int first, int count, int *order, int rank, bool decide)
{
    const int ld = f->max_rows, nf = f->nc + f->nn, most = f->rows - row0 < count ? f->rows - row0 : count;
    if (decide)
        for (int j = 0; j < count; j++)
            order[j] = j;
    int limit = decide ? most : rank;
    for (int p = 0; p < limit; p++) {
        int row = row0 + p, m = f->rows - row;
        if (decide) {
            int best = p;
            double largest = -1;
            for (int j = p; j < count; j++) {
                double norm = tn_norm2(m, f->A + row + (first + order[j]) * ld);
                if (norm > largest) {
                    largest = norm;
                    best = j;
                }
            }
            if (largest <= RANK_TOLERANCE) {
                f->dropped = fmax(f->dropped, largest);
                return p;
            }
            swap_pivot(order, p, best);
        }
        double *column = f->A + row + (first + order[p]) * ld;
        double tau = tn_reflector(m, column);
        f->tau[row] = tau;
        for (int j = p + 1; j < count; j++)
            tn_reflect(m, column, tau, f->A + row + (first + order[j]) * ld);
        for (int j = first + count; j < nf; j++)
            tn_reflect(m, column, tau, f->A + row + j * ld);
    }
    return limit;
}

/* R11, as a dense rank x rank matrix. */
static void copy_triangle(const front *f, double *R)
{
    for (int j = 0; j < f->rank; j++)
        for (int i = 0; i <= j; i++)
            R[i + j * f->rank] = f->A[i + f->pivot_c[j] * f->max_rows];
}

/* X, S from R11, R12 and the transformed rows: a_c = X a_n + x0 + S z. */
static void solve_rows(front *f)
{
    const int ld = f->max_rows, r = f->rank, free = f->nc - f->rank;
    double R[BODY_COLUMNS * BODY_COLUMNS], column[BODY_COLUMNS];
    copy_triangle(f, R);
    memset(f->X, 0, (size_t)f->nc * (size_t)f->nn * sizeof(double));
    memset(f->S, 0, (size_t)f->nc * (size_t)free * sizeof(double));
    for (int j = 0; j < f->nn && r > 0; j++) {
        for (int i = 0; i < r; i++)
            column[i] = -f->A[i + (f->nc + j) * ld];
        tn_upper_solve(r, R, r, column);
        for (int i = 0; i < r; i++)
            f->X[f->pivot_c[i] + j * f->nc] = column[i];
    }
    for (int j = 0; j < free; j++) {
        for (int i = 0; i < r; i++)
            column[i] = -f->A[i + f->pivot_c[r + j] * ld];
        tn_upper_solve(r, R, r, column);
        for (int i = 0; i < r; i++)
            f->S[f->pivot_c[i] + j * f->nc] = column[i];
        f->S[f->pivot_c[r + j] + j * f->nc] = 1;
    }
}

/* C (rows x columns) += A' B with A (inner x rows), B (inner x columns). */
static void add_transposed_product(double *C, int ldc, const double *A, int lda, const double *B, int ldb, int rows,
                                   int columns, int inner, double sign)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += A[k + i * lda] * B[k + j * ldb];
            C[i + j * ldc] += sign * sum;
        }
}

/* W, T, D and the quadratic form left over the border. */
static int condense(front *f)
{
    const int nc = f->nc, nn = f->nn, nf = nc + nn, free = nc - f->rank;
    double *Pcn = f->P + nc * nf, *Pnn = Pcn + nc;
    for (int j = 0; j < nn; j++)
        memcpy(f->W + j * nc, Pcn + j * nf, (size_t)nc * sizeof(double));
    add_transposed_product(Pnn, nf, f->X, nc, f->W, nc, nn, nn, nc, 1);            /* X'P_cn */
    add_transposed_product(f->W, nc, f->P, nf, f->X, nc, nc, nn, nc, 1);           /* W = P_cn + P_cc X */
    add_transposed_product(Pnn, nf, f->W, nc, f->X, nc, nn, nn, nc, 1);            /* W'X */
    if (free == 0)
        return TN_OK;
    double PS[BODY_COLUMNS * BODY_COLUMNS] = { 0 };
    add_transposed_product(PS, nc, f->P, nf, f->S, nc, nc, free, nc, 1);
    memset(f->D, 0, (size_t)free * (size_t)free * sizeof(double));
    add_transposed_product(f->D, free, f->S, nc, PS, nc, free, free, nc, 1);
    if (tn_cholesky(free, f->D, free) < 0)
        return TN_ERROR_STEP;
    memset(f->T, 0, (size_t)free * (size_t)nn * sizeof(double));
    add_transposed_product(f->T, free, f->S, nc, f->W, nc, free, nn, nc, 1);
    double DT[BODY_COLUMNS];
    for (int j = 0; j < nn; j++) {
        memcpy(DT, f->T + j * free, (size_t)free * sizeof(double));
        tn_cholesky_solve(free, f->D, free, DT);
        for (int i = 0; i < nn; i++) {
            double sum = 0;
            for (int k = 0; k < free; k++)
                sum += f->T[k + i * free] * DT[k];
            Pnn[i + j * nf] -= sum;
        }
    }
    return TN_OK;
}

/* Reflectors stay below the staircase of the leftover rows: what the parent takes ends at the stair. */
static void find_stairs(front *f)
{
    for (int p = 0; p < f->nn; p++)
        f->stair[f->pivot_n[p]] = p < f->left ? p + 1 : f->left;
}

static int factor_front(const tn_saddle *k, front *f, const double *M, const double *G, bool decide)
{
    assemble(k, f, M, G);
    f->dropped = 0;
    f->rank = factor_phase(f, 0, 0, f->nc, f->pivot_c, f->rank, decide);
    f->weakest = INFINITY;
    for (int p = 0; p < f->rank; p++) {
        double pivot = fabs(f->A[p + f->pivot_c[p] * f->max_rows]);
        if (!(pivot > 0))
            return TN_ERROR_STEP;
        f->weakest = fmin(f->weakest, pivot);
    }
    f->left = factor_phase(f, f->rank, f->nc, f->nn, f->pivot_n, f->left, decide);
    find_stairs(f);
    solve_rows(f);
    return condense(f);
}

static int factor(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    bool decide = rule == TN_RANK_DECIDE || !k->decided;
    k->decided = false;
    for (int i = 0; i < k->structure->bodies; i++)
        TN_TRY(factor_front(k, &k->fronts[i], M, G, decide));
    k->decided = true;
    return TN_OK;
}

/* ---- solution ---- */

/* Reflector p acts on rows p.. of the front. */
static const double *reflector_of(const front *f, int p)
{
    int column = p < f->rank ? f->pivot_c[p] : f->nc + f->pivot_n[p - f->rank];
    return f->A + p + column * f->max_rows;
}

static void load_right_side(const tn_saddle *k, front *f, const double *fin, const double *u)
{
    const tn_structure *s = k->structure;
    memset(f->b, 0, (size_t)(f->nc + f->nn) * sizeof(double));
    for (int j = 0; j < f->nc; j++)
        f->b[j] = fin[f->column + j] / s->column_scale[f->column + j];
    int row = 0;
    for (int n = 0; n < f->constraint_count; n++)
        for (int i = s->constraint_row[f->constraints[n]]; i < s->constraint_row[f->constraints[n] + 1]; i++, row++)
            f->u[row] = u[i] * f->scale[row];
    for (int n = 0; n < f->child_count; n++) {
        const front *child = &k->fronts[f->children[n]];
        for (int j = 0; j < child->nn; j++)
            f->b[child->to_parent[j]] += child->b[child->nc + j];
        for (int i = 0; i < child->left; i++)
            f->u[row++] = child->u[child->rank + i];
    }
}

/* x0, z0 and the right side left over the border. */
static void forward(const tn_saddle *k, front *f, const double *fin, const double *u)
{
    const int nc = f->nc, nn = f->nn, nf = nc + nn, free = nc - f->rank;
    double R[BODY_COLUMNS * BODY_COLUMNS], r[BODY_COLUMNS];
    load_right_side(k, f, fin, u);
    for (int p = 0; p < f->rank + f->left; p++)
        tn_reflect(f->rows - p, reflector_of(f, p), f->tau[p], f->u + p);
    copy_triangle(f, R);
    memcpy(r, f->u, (size_t)f->rank * sizeof(double));
    tn_upper_solve(f->rank, R, f->rank, r);
    memset(f->x0, 0, (size_t)nc * sizeof(double));
    for (int i = 0; i < f->rank; i++)
        f->x0[f->pivot_c[i]] = r[i];
    memcpy(r, f->b, (size_t)nc * sizeof(double));
    for (int j = 0; j < nc; j++)
        for (int i = 0; i < nc; i++)
            r[i] -= f->P[i + j * nf] * f->x0[j];
    for (int j = 0; j < free; j++) {
        f->z0[j] = 0;
        for (int i = 0; i < nc; i++)
            f->z0[j] += f->S[i + j * nc] * r[i];
    }
    tn_cholesky_solve(free, f->D, free, f->z0);
    for (int j = 0; j < nn; j++) {
        double sum = 0;
        for (int i = 0; i < nc; i++)
            sum += f->X[i + j * nc] * r[i] - f->P[i + (nc + j) * nf] * f->x0[i];
        for (int i = 0; i < free; i++)
            sum -= f->T[i + j * free] * f->z0[i];
        f->b[nc + j] += sum;
    }
}

/* a_c = X a_n + x0 + S (z0 - D T a_n); y holds (a_c, a_n). */
static void backward(const tn_saddle *k, front *f)
{
    const int nc = f->nc, nn = f->nn, free = nc - f->rank;
    double *y = f->y, z[BODY_COLUMNS] = { 0 };
    if (f->parent >= 0)
        for (int j = 0; j < nn; j++)
            y[nc + j] = k->fronts[f->parent].y[f->to_parent[j]];
    for (int j = 0; j < nn; j++)
        for (int i = 0; i < free; i++)
            z[i] += f->T[i + j * free] * y[nc + j];
    tn_cholesky_solve(free, f->D, free, z);
    memcpy(y, f->x0, (size_t)nc * sizeof(double));
    for (int j = 0; j < nn; j++)
        for (int i = 0; i < nc; i++)
            y[i] += f->X[i + j * nc] * y[nc + j];
    for (int j = 0; j < free; j++)
        for (int i = 0; i < nc; i++)
            y[i] += f->S[i + j * nc] * (f->z0[j] - z[j]);
}

/* Multipliers of the front's rows from  P_cc a_c + P_cn a_n - b_c = R11' mu1, mu = Q (mu1, mu of leftover rows, 0). */
static void multipliers(const tn_saddle *k, front *f, double *lambda)
{
    const tn_structure *s = k->structure;
    const int nf = f->nc + f->nn;
    double R[BODY_COLUMNS * BODY_COLUMNS], residual[BODY_COLUMNS];
    for (int i = 0; i < f->nc; i++) {
        residual[i] = -f->b[i];
        for (int j = 0; j < nf; j++)
            residual[i] += f->P[i + j * nf] * f->y[j];
    }
    /* mu of the leftover rows was put there by the parent, which comes first */
    for (int p = 0; p < f->rank; p++)
        f->mu[p] = residual[f->pivot_c[p]];
    copy_triangle(f, R);
    tn_upper_solve_transposed(f->rank, R, f->rank, f->mu);
    for (int i = f->rank + f->left; i < f->rows; i++)
        f->mu[i] = 0;
    for (int p = f->rank + f->left - 1; p >= 0; p--)
        tn_reflect(f->rows - p, reflector_of(f, p), f->tau[p], f->mu + p);
    int row = 0;
    for (int n = 0; n < f->constraint_count; n++)
        for (int i = s->constraint_row[f->constraints[n]]; i < s->constraint_row[f->constraints[n] + 1]; i++, row++)
            lambda[i] = f->mu[row] * f->scale[row];
    for (int n = 0; n < f->child_count; n++) {
        const front *child = &k->fronts[f->children[n]];
        memcpy(child->mu + child->rank, f->mu + row, (size_t)child->left * sizeof(double));
        row += child->left;
    }
}

static int solve(tn_saddle *k, const double *fin, const double *u, double *a, double *lambda)
{
    const tn_structure *s = k->structure;
    if (!k->decided)
        return TN_ERROR_STEP;
    for (int i = 0; i < s->bodies; i++)
        forward(k, &k->fronts[i], fin, u);
    for (int i = s->bodies - 1; i >= 0; i--) {
        front *f = &k->fronts[i];
        backward(k, f);
        for (int j = 0; j < f->nc; j++)
            a[f->column + j] = f->y[j] / s->column_scale[f->column + j];
        if (lambda)
            multipliers(k, f, lambda);
    }
    return TN_OK;
}

static void info(const tn_saddle *k, tn_saddle_info *out)
{
    const tn_structure *s = k->structure;
    *out = (tn_saddle_info){ .rows = s->constraint_row[s->constraints], .columns = s->body_column[s->bodies],
                             .weakest_pivot = 1 };
    for (int i = 0; i < s->bodies; i++) {
        out->rank += k->fronts[i].rank;
        out->weakest_pivot = fmin(out->weakest_pivot, k->fronts[i].weakest);
        out->largest_drop = fmax(out->largest_drop, k->fronts[i].dropped);
    }
}

const tn_solver_type tn_solver_direct = {
    .name = "direct",
    .doc = "Sparse block elimination over the graph of bodies and joints; linear cost for trees, near-linear for ladders.",
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .info = info,
    .destroy = destroy,
};
