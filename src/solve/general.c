/* General fronts: any rows, any border. With a carrier the body's columns are first exchanged for the pin's freedoms,
 *     a_c = Xc a_n + xc + Sc z,
 * which leaves few columns to factorize; without a carrier z is a_c. Then, as described in direct.c,
 *     Q' A_z Pi = [ R11 R12 ; 0 ],   z = X a_n + x0 + S zeta. */
#include "dense.h"
#include "front.h"
#include "mem.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* Scaled pivots below this are dependent rows. Genuine ratios in mechanisms are 1e-2 and above; rows that depend on
 * each other at a projected state differ by the drift, 1e-12, over their lever arms. */
static const double RANK_TOLERANCE = 1e-6;
/* Rows shorter than this (scaled columns, SI) have no direction: they are dropped. */
static const double ROW_FLOOR = 1e-9;

/* C (rows x columns) += sign A'B, A (inner x rows), B (inner x columns). */
static inline void add_product(double *C, int ldc, const double *A, int lda, const double *B, int ldb, int rows,
                               int columns, int inner, double sign)
{
    if (inner == 1 && lda == 1) {                      /* the hinge's one freedom: a rank-one update */
        for (int j = 0; j < columns; j++) {
            double b = sign * B[j * ldb];
            for (int i = 0; i < rows; i++)
                C[i + j * ldc] += A[i] * b;
        }
        return;
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += A[k + i * lda] * B[k + j * ldb];
            C[i + j * ldc] += sign * sum;
        }
}

/* ---- loading ---- */

static int columns_of(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static void load_rows(const tn_general *g, int row, int place, int rows, int columns, const double *G)
{
    double *to = g->Ac + row + place * g->max_rows;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            to[i + j * g->max_rows] = G[i * columns + j];
}

static void load_own_rows(const tn_saddle *k, const tn_general *g, const double *G)
{
    const tn_structure *s = k->structure;
    double pin[5 * TN_BODY_COLUMNS];
    int row = 0, block = 0;
    for (int n = 0; n < g->constraint_count; n++) {
        int c = g->constraints[n], m = s->constraint_row[c + 1] - s->constraint_row[c];
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++, block++) {
            int body = s->block_body[e], w = columns_of(s, body);
            const double *rows = G + s->block_offset[e];
            if (s->pins && s->pin_kind && s->pin_kind[c] != TN_PIN_NONE) {
                tn_pin_write(pin, &s->pins[c], (tn_pin_kind)s->pin_kind[c], w == 3, s->pins[c].body2 == body ? 1 : -1);
                rows = pin;
            }
            load_rows(g, row, g->body_place[block], m, w, rows);
        }
        row += m;
    }
}

/* Scales that give own rows unit length, with columns measured as lengths. Computed when ranks are decided, then
 * kept. */
static void find_scales(const tn_front *f)
{
    const tn_general *g = f->general;
    const int columns = f->nc + g->nz + f->nn;
    memset(g->scale, 0, (size_t)g->own_rows * sizeof(double));
    for (int j = 0; j < columns; j++) {
        double weight = 1 / (g->unreduced_scale[j] * g->unreduced_scale[j]);
        for (int i = 0; i < g->own_rows; i++)
            g->scale[i] += weight * g->Ac[i + j * g->max_rows] * g->Ac[i + j * g->max_rows];
    }
    for (int i = 0; i < g->own_rows; i++) {
        double norm = sqrt(g->scale[i]);
        g->scale[i] = norm > ROW_FLOOR ? 1 / norm : norm >= 0 ? 0 : norm;  /* NaN stays; the pivots detect it */
    }
}

static void scale_own_rows(const tn_front *f)
{
    const tn_general *g = f->general;
    for (int j = 0; j < f->nc + g->nz + f->nn; j++)
        for (int i = 0; i < g->own_rows; i++)
            g->Ac[i + j * g->max_rows] *= g->scale[i];
}

/* Adds the border form and the leftover rows of a general front below. Its first border columns are this body's. */
static void add_child(const tn_front *f, const tn_front *below)
{
    const tn_general *child = below->general;
    tn_general *g = f->general;
    const int cf = child->nz + below->nn, nf = g->nz + f->nn, nc = f->nc;
    const int *to = child->to_parent;
    for (int j = 0; j < below->nn; j++) {
        const double *p = child->P + (child->nz + j) * cf + child->nz;
        double *Pc = g->Pc + (j < nc ? to[j] : to[j] - g->nz) * nc, *Pn = g->P + (to[j] - nc) * nf - nc;
        for (int i = 0; i < nc; i++)
            Pc[i] += p[i];
        for (int i = nc; i < below->nn && j >= nc; i++)
            Pn[to[i]] += p[i];
        const double *rows = child->A + (child->nz + j) * child->max_rows + child->rank;
        double *A = g->Ac + g->rows + to[j] * g->max_rows;
        for (int i = 0; i < child->stair[j]; i++)
            A[i] = rows[i];
    }
    g->rows += child->left;
}

static void assemble(const tn_saddle *k, tn_front *f, const double *M, const double *G, bool decide)
{
    tn_general *g = f->general;
    const int nf = g->nz + f->nn;
    memset(g->Ac, 0, (size_t)(g->max_rows * (f->nc + nf)) * sizeof(double));
    memset(g->P, 0, (size_t)(nf * nf) * sizeof(double));
    memset(g->Pc, 0, (size_t)(f->nc * (f->nc + f->nn)) * sizeof(double));
    memcpy(g->Pc, M + k->structure->mass_offset[f->body], (size_t)(f->nc * f->nc) * sizeof(double));
    if (f->pinned)
        tn_form_add_mass(f, g->Pc, f->nc);
    load_own_rows(k, g, G);
    if (decide)
        find_scales(f);
    scale_own_rows(f);
    g->rows = g->own_rows;
    for (int n = 0; n < g->child_count; n++)
        add_child(f, &k->fronts[g->children[n]]);
}

/* ---- the carrier ---- */

/* to += row X for the rigid shift X by d: linear part as it is, angular part + d x linear. Rows are the columns of
 * matrices, count of them at a time: element k of row i is from[i + k * stride]. */
static void add_shifted_rows(const tn_front *f, int count, const double *from, int from_stride, double *to,
                             int to_stride)
{
    const double *d = f->carrier.d;
    for (int k = 0; k < f->nc; k++)
        for (int i = 0; i < count; i++)
            to[i + k * to_stride] += from[i + k * from_stride];
    if (f->planar) {
        for (int i = 0; i < count; i++)
            to[i + 2 * to_stride] += d[0] * from[i + from_stride] - d[1] * from[i];
        return;
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        for (int i = 0; i < count; i++)
            to[i + (3 + k) * to_stride] += d[a] * from[i + b * from_stride] - d[b] * from[i + a * from_stride];
    }
}

/* Rows and columns of P over the carrying body p: with V = P_cc X and P_cn,
 *     P_zp += S'V,  P_np += P_nc X,  P_pn += X'P_cn,  P_pp += X'V. */
static void reduce_to_parent(tn_front *f)
{
    tn_general *g = f->general;
    const int nc = f->nc, nz = g->nz, nn = f->nn, nf = nz + nn, p = nz + f->carrier.parent_column;
    double V[TN_BODY_COLUMNS * TN_BODY_COLUMNS] = { 0 }, Pnc[TN_BODY_COLUMNS];
    add_shifted_rows(f, nc, g->Pc, nc, V, nc);
    add_product(g->P + p * nf, nf, g->Sc, nc, V, nc, nz, nc, nc, 1);
    for (int j = 0; j < nn; j++) {
        double shifted[TN_BODY_COLUMNS] = { 0 };
        memcpy(Pnc, g->Pc + (nc + j) * nc, (size_t)nc * sizeof(double));
        add_shifted_rows(f, 1, Pnc, 1, shifted, 1);
        for (int i = 0; i < nc; i++) {
            g->P[p + i + (nz + j) * nf] += shifted[i];
            g->P[nz + j + (p + i) * nf] += shifted[i];
        }
    }
    for (int j = 0; j < nc; j++)
        add_shifted_rows(f, 1, V + j * nc, 1, g->P + p + (p + j) * nf, 1);
    add_shifted_rows(f, g->rows, g->Ac, g->max_rows, g->A + p * g->max_rows, g->max_rows);
}

static void copy_unreduced(tn_front *f)
{
    tn_general *g = f->general;
    const int nc = f->nc, nn = f->nn, nf = nc + nn, ld = g->max_rows;
    for (int j = 0; j < nc; j++) {
        memcpy(g->P + j * nf, g->Pc + j * nc, (size_t)nc * sizeof(double));
        memcpy(g->A + j * ld, g->Ac + j * ld, (size_t)g->rows * sizeof(double));
    }
    for (int j = 0; j < nn; j++)
        for (int i = 0; i < nc; i++)
            g->P[i + (nc + j) * nf] = g->Pc[i + (nc + j) * nc];
}

/* Transforms P and the rows from (c, n) to (z, n). */
static void reduce_to_freedoms(const tn_saddle *k, tn_front *f)
{
    tn_general *g = f->general;
    const int nc = f->nc, nz = g->nz, nn = f->nn, nf = nz + nn, ld = g->max_rows;
    if (f->carrier.constraint < 0) {
        copy_unreduced(f);
        return;
    }
    double W[TN_BODY_COLUMNS * TN_BODY_COLUMNS] = { 0 };
    tn_carrier_load(&f->carrier, &k->structure->pins[f->carrier.constraint]);
    tn_carrier_subspace(&f->carrier, f->planar, g->Sc);
    add_product(W, nc, g->Pc, nc, g->Sc, nc, nc, nz, nc, 1);
    add_product(g->P, nf, g->Sc, nc, W, nc, nz, nz, nc, 1);
    add_product(g->P + nz * nf, nf, g->Sc, nc, g->Pc + nc * nc, nc, nz, nn, nc, 1);
    for (int j = 0; j < nz; j++)
        for (int c = 0; c < nc; c++)
            for (int i = 0; i < g->rows; i++)
                g->A[i + j * ld] += g->Ac[i + c * ld] * g->Sc[c + j * nc];
    if (f->carrier.parent_column >= 0)
        reduce_to_parent(f);
}

/* ---- factorization ---- */

static void swap_pivot(int *order, int a, int b)
{
    int kept = order[a];
    order[a] = order[b];
    order[b] = kept;
}

/* Finds the column with the largest scaled norm from p on, and this norm. */
static int best_pivot(const tn_general *g, int row, int first, int p, int count, const int *order, double *largest)
{
    int best = p;
    *largest = -1;
    for (int j = p; j < count; j++) {
        int column = first + order[j];
        double norm = tn_norm2(g->rows - row, g->A + row + column * g->max_rows) / g->column_scale[column];
        if (!(norm <= *largest)) {
            *largest = norm;
            best = j;
        }
    }
    return best;
}

/* QR of rows row0.. over count columns starting at first, applied to all columns from there on; order[k] is
 * the column of pivot k. With decide, chooses the pivots (largest first) and returns the rank; otherwise repeats rank
 * pivots. */
static int factor_phase(tn_general *g, int nf, int row0, int first, int count, int *order, int rank, bool decide)
{
    const int ld = g->max_rows;
    int limit = decide ? (g->rows - row0 < count ? g->rows - row0 : count) : rank;
    for (int j = 0; j < count && decide; j++)
        order[j] = j;
    for (int p = 0; p < limit; p++) {
        int row = row0 + p, m = g->rows - row;
        if (decide) {
            double largest;
            int best = best_pivot(g, row, first, p, count, order, &largest);
            if (largest <= RANK_TOLERANCE) {
                g->dropped = fmax(g->dropped, largest);
                return p;
            }
            swap_pivot(order, p, best);
        }
        double *column = g->A + row + (first + order[p]) * ld;
        double tau = tn_reflector(m, column);
        g->tau[row] = tau;
        for (int j = p + 1; j < count; j++)
            tn_reflect(m, column, tau, g->A + row + (first + order[j]) * ld);
        for (int j = first + count; j < nf; j++)
            tn_reflect(m, column, tau, g->A + row + j * ld);
    }
    return limit;
}

/* R11, as a dense rank x rank matrix. */
static void copy_triangle(const tn_general *g, double *R)
{
    for (int j = 0; j < g->rank; j++)
        for (int i = 0; i <= j; i++)
            R[i + j * g->rank] = g->A[i + g->pivot_z[j] * g->max_rows];
}

/* X, S from R11, R12 and the transformed rows: z = X a_n + x0 + S zeta. */
static void solve_rows(const tn_front *f)
{
    tn_general *g = f->general;
    const int ld = g->max_rows, r = g->rank, nz = g->nz, free = nz - r;
    double R[TN_BODY_COLUMNS * TN_BODY_COLUMNS], column[TN_BODY_COLUMNS];
    copy_triangle(g, R);
    memset(g->X, 0, (size_t)(nz * f->nn) * sizeof(double));
    memset(g->S, 0, (size_t)(nz * free) * sizeof(double));
    for (int j = 0; j < f->nn && r > 0; j++) {
        for (int i = 0; i < r; i++)
            column[i] = -g->A[i + (nz + j) * ld];
        tn_upper_solve(r, R, r, column);
        for (int i = 0; i < r; i++)
            g->X[g->pivot_z[i] + j * nz] = column[i];
    }
    for (int j = 0; j < free; j++) {
        for (int i = 0; i < r; i++)
            column[i] = -g->A[i + g->pivot_z[r + j] * ld];
        tn_upper_solve(r, R, r, column);
        for (int i = 0; i < r; i++)
            g->S[g->pivot_z[i] + j * nz] = column[i];
        g->S[g->pivot_z[r + j] + j * nz] = 1;
    }
}

/* Computes D, and X as the response of z of least energy: X - S D^-1 S'(P_zn + P_zz X). With a basic solution of the
 * rows instead, the Schur complement would be a small difference of large numbers, and chains would lose digits at
 * every link. */
static int settle_freedoms(const tn_front *f)
{
    tn_general *g = f->general;
    const int nz = g->nz, nn = f->nn, nf = nz + nn, free = nz - g->rank;
    double PS[TN_BODY_COLUMNS * TN_BODY_COLUMNS] = { 0 }, T[TN_BODY_COLUMNS];
    add_product(PS, nz, g->P, nf, g->S, nz, nz, free, nz, 1);
    memset(g->D, 0, (size_t)(free * free) * sizeof(double));
    add_product(g->D, free, g->S, nz, PS, nz, free, free, nz, 1);
    if (tn_cholesky(free, g->D, free) < 0)
        return TN_ERROR_STEP;
    for (int j = 0; j < nn; j++) {
        memset(T, 0, sizeof T);
        add_product(T, free, g->S, nz, g->W + j * nz, nz, free, 1, nz, 1);
        tn_cholesky_solve(free, g->D, free, T);
        for (int k = 0; k < free; k++)
            for (int i = 0; i < nz; i++) {
                g->X[i + j * nz] -= g->S[i + k * nz] * T[k];
                g->W[i + j * nz] -= PS[i + k * nz] * T[k];
            }
    }
    return TN_OK;
}

/* W = P_zn + P_zz X and the quadratic form left over the border: P_nn + X'P_zn + W'X. */
static int condense(const tn_front *f)
{
    tn_general *g = f->general;
    const int nz = g->nz, nn = f->nn, nf = nz + nn;
    double *Pzn = g->P + nz * nf, *Pnn = Pzn + nz;
    for (int j = 0; j < nn; j++)
        memcpy(g->W + j * nz, Pzn + j * nf, (size_t)nz * sizeof(double));
    if (g->rank > 0)
        add_product(g->W, nz, g->P, nf, g->X, nz, nz, nn, nz, 1);
    if (g->rank < nz)
        TN_TRY(settle_freedoms(f));
    add_product(Pnn, nf, g->X, nz, Pzn, nf, nn, nn, nz, 1);
    add_product(Pnn, nf, g->W, nz, g->X, nz, nn, nn, nz, 1);
    return TN_OK;
}

/* The parent reads the leftover rows only down to their staircase, so the reflectors may stay below it. */
static void find_stairs(tn_general *g, int nn)
{
    for (int p = 0; p < nn; p++)
        g->stair[g->pivot_n[p]] = p < g->left ? p + 1 : g->left;
}

int tn_general_factor(tn_saddle *k, tn_front *f, const double *M, const double *G, bool decide)
{
    tn_general *g = f->general;
    const int nf = g->nz + f->nn;
    assemble(k, f, M, G, decide);
    reduce_to_freedoms(k, f);
    g->dropped = 0;
    g->rank = factor_phase(g, nf, 0, 0, g->nz, g->pivot_z, g->rank, decide);
    g->partial = g->rank < g->nz && g->rank < g->rows;
    g->weakest = INFINITY;
    for (int p = 0; p < g->rank; p++) {
        double pivot = fabs(g->A[p + g->pivot_z[p] * g->max_rows]) / g->column_scale[g->pivot_z[p]];
        if (!(pivot > 0))
            return TN_ERROR_STEP;
        g->weakest = fmin(g->weakest, pivot);
    }
    g->left = factor_phase(g, nf, g->rank, g->nz, f->nn, g->pivot_n, g->left, decide);
    find_stairs(g, f->nn);
    solve_rows(f);
    return condense(f);
}

/* ---- solution ---- */

/* Reflector p acts on rows p.. of the front. */
static const double *reflector_of(const tn_general *g, int p)
{
    int column = p < g->rank ? g->pivot_z[p] : g->nz + g->pivot_n[p - g->rank];
    return g->A + p + column * g->max_rows;
}

static void load_right_side(const tn_saddle *k, tn_front *f, const double *force, const double *u)
{
    const tn_structure *s = k->structure;
    tn_general *g = f->general;
    memcpy(g->bc, force + f->column, (size_t)f->nc * sizeof(double));
    if (f->pinned)
        tn_form_add_force(f, g->bc);
    memset(g->b, 0, (size_t)(g->nz + f->nn) * sizeof(double));
    int row = 0;
    for (int n = 0; n < g->constraint_count; n++)
        for (int i = s->constraint_row[g->constraints[n]]; i < s->constraint_row[g->constraints[n] + 1]; i++, row++)
            g->u[row] = u[i] * g->scale[row];
    for (int n = 0; n < g->child_count; n++) {
        const tn_front *below = &k->fronts[g->children[n]];
        const tn_general *child = below->general;
        for (int j = 0; j < f->nc; j++)
            g->bc[j] += child->b[child->nz + j];
        for (int j = f->nc; j < below->nn; j++)
            g->b[child->to_parent[j] - f->nc] += child->b[child->nz + j];
        for (int i = 0; i < child->left; i++)
            g->u[row++] = child->u[child->rank + i];
    }
}

/* Transforms b and u from (c, n) to (z, n): r = b_c - P_cc xc, b_z = S'r, b_n += X'r - P_nc xc, u -= A_c xc. */
static void reduce_right_side(tn_front *f, const double *u)
{
    tn_general *g = f->general;
    const int nc = f->nc;
    if (f->carrier.constraint < 0) {
        memcpy(g->b, g->bc, (size_t)nc * sizeof(double));
        return;
    }
    double r[TN_BODY_COLUMNS];
    tn_carrier_offset(&f->carrier, f->planar, u + f->carrier.row, g->xc);
    memcpy(r, g->bc, (size_t)nc * sizeof(double));
    for (int j = 0; j < nc; j++) {
        for (int i = 0; i < nc; i++)
            r[i] -= g->Pc[i + j * nc] * g->xc[j];
        for (int i = 0; i < g->rows; i++)
            g->u[i] -= g->Ac[i + j * g->max_rows] * g->xc[j];
    }
    add_product(g->b, g->nz, g->Sc, nc, r, nc, g->nz, 1, nc, 1);
    add_product(g->b + g->nz, f->nn, g->Pc + nc * nc, nc, g->xc, nc, f->nn, 1, nc, -1);
    if (f->carrier.parent_column < 0)
        return;
    double *b = g->b + g->nz + f->carrier.parent_column;
    const double *d = f->carrier.d;
    if (f->planar) {
        b[0] += r[0];
        b[1] += r[1];
        b[2] += r[2] - d[1] * r[0] + d[0] * r[1];
        return;
    }
    double turn[3];
    tn_cross3(turn, d, r);
    for (int i = 0; i < 3; i++) {
        b[i] += r[i];
        b[3 + i] += r[3 + i] + turn[i];
    }
}

void tn_general_forward(tn_saddle *k, tn_front *f, const double *force, const double *u)
{
    tn_general *g = f->general;
    const int nz = g->nz, nn = f->nn, nf = nz + nn, free = nz - g->rank;
    double R[TN_BODY_COLUMNS * TN_BODY_COLUMNS], r[TN_BODY_COLUMNS];
    load_right_side(k, f, force, u);
    reduce_right_side(f, u);
    for (int p = 0; p < g->rank + g->left; p++)
        tn_reflect(g->rows - p, reflector_of(g, p), g->tau[p], g->u + p);
    copy_triangle(g, R);
    memcpy(r, g->u, (size_t)g->rank * sizeof(double));
    tn_upper_solve(g->rank, R, g->rank, r);
    memset(g->x0, 0, (size_t)nz * sizeof(double));
    for (int i = 0; i < g->rank; i++)
        g->x0[g->pivot_z[i]] = r[i];
    memcpy(r, g->b, (size_t)nz * sizeof(double));
    add_product(r, nz, g->P, nf, g->x0, nz, nz, 1, nz, -1);
    memset(g->z0, 0, (size_t)nz * sizeof(double));
    add_product(g->z0, nz, g->S, nz, r, nz, free, 1, nz, 1);
    tn_cholesky_solve(free, g->D, free, g->z0);
    add_product(g->b + nz, nn, g->X, nz, r, nz, nn, 1, nz, 1);
    add_product(g->b + nz, nn, g->P + nz * nf, nf, g->x0, nz, nn, 1, nz, -1);
}

/* a_c = Xc a_n + xc + Sc z */
static void expand_solution(tn_front *f, const double *z)
{
    tn_general *g = f->general;
    const double *n = g->y + f->nc;
    double *a = g->y;
    if (f->carrier.constraint < 0) {
        memcpy(a, z, (size_t)f->nc * sizeof(double));
        return;
    }
    memcpy(a, g->xc, (size_t)f->nc * sizeof(double));
    for (int j = 0; j < g->nz; j++)
        for (int i = 0; i < f->nc; i++)
            a[i] += g->Sc[i + j * f->nc] * z[j];
    if (f->carrier.parent_column < 0)
        return;
    const double *p = n + f->carrier.parent_column, *d = f->carrier.d;
    if (f->planar) {
        a[0] += p[0] - p[2] * d[1];
        a[1] += p[1] + p[2] * d[0];
        a[2] += p[2];
        return;
    }
    double turn[3];
    tn_cross3(turn, p + 3, d);
    for (int i = 0; i < 3; i++) {
        a[i] += p[i] + turn[i];
        a[3 + i] += p[3 + i];
    }
}

/* z = X a_n + x0 + S z0 */
void tn_general_backward(tn_saddle *k, tn_front *f)
{
    tn_general *g = f->general;
    const int nz = g->nz, nn = f->nn, free = nz - g->rank;
    double *n = g->y + f->nc, z[TN_BODY_COLUMNS];
    if (f->parent >= 0) {
        const tn_general *parent = k->fronts[f->parent].general;
        int own = k->fronts[f->parent].nc;
        for (int j = 0; j < nn; j++)
            n[j] = parent->y[j < own ? j : g->to_parent[j] - parent->nz];
    }
    memcpy(z, g->x0, (size_t)nz * sizeof(double));
    for (int j = 0; j < nn; j++)
        for (int i = 0; i < nz; i++)
            z[i] += g->X[i + j * nz] * n[j];
    for (int j = 0; j < free; j++)
        for (int i = 0; i < nz; i++)
            z[i] += g->S[i + j * nz] * g->z0[j];
    expand_solution(f, z);
    memcpy(f->a, g->y, (size_t)f->nc * sizeof(double));
}

/* Wrench left on the body, P_cc a_c + P_cn a_n - b_c. */
static void unbalanced(const tn_front *f, double *w)
{
    const tn_general *g = f->general;
    for (int i = 0; i < f->nc; i++) {
        w[i] = -g->bc[i];
        for (int j = 0; j < f->nc + f->nn; j++)
            w[i] += g->Pc[i + j * f->nc] * g->y[j];
    }
}

/* Multipliers from  S'w = R11'mu1 + ...,  mu = Q (mu1, mu of leftover rows, 0); the carrier takes the rest of w. */
void tn_general_multipliers(tn_saddle *k, tn_front *f, double *lambda)
{
    const tn_structure *s = k->structure;
    tn_general *g = f->general;
    double R[TN_BODY_COLUMNS * TN_BODY_COLUMNS], w[TN_BODY_COLUMNS], wz[TN_BODY_COLUMNS] = { 0 };
    unbalanced(f, w);
    if (f->carrier.constraint < 0)
        memcpy(wz, w, (size_t)f->nc * sizeof(double));
    else
        add_product(wz, g->nz, g->Sc, f->nc, w, f->nc, g->nz, 1, f->nc, 1);
    /* the parent, which comes first, has written mu of the leftover rows */
    for (int p = 0; p < g->rank; p++)
        g->mu[p] = wz[g->pivot_z[p]];
    copy_triangle(g, R);
    tn_upper_solve_transposed(g->rank, R, g->rank, g->mu);
    for (int i = g->rank + g->left; i < g->rows; i++)
        g->mu[i] = 0;
    for (int p = g->rank + g->left - 1; p >= 0; p--)
        tn_reflect(g->rows - p, reflector_of(g, p), g->tau[p], g->mu + p);
    int row = 0;
    for (int n = 0; n < g->constraint_count; n++)
        for (int i = s->constraint_row[g->constraints[n]]; i < s->constraint_row[g->constraints[n] + 1]; i++, row++)
            lambda[i] = g->mu[row] * g->scale[row];
    for (int n = 0; n < g->child_count; n++) {
        const tn_general *child = k->fronts[g->children[n]].general;
        memcpy(child->mu + child->rank, g->mu + row, (size_t)child->left * sizeof(double));
        row += child->left;
    }
    if (f->carrier.constraint < 0)
        return;
    for (int j = 0; j < f->nc; j++)
        for (int i = 0; i < g->rows; i++)
            w[j] -= g->Ac[i + j * g->max_rows] * g->mu[i];
    tn_carrier_multipliers(&f->carrier, f->planar, w, lambda + f->carrier.row);
}
