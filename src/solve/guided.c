/* Guided fronts: a body that one joint holds to ground and one pin to another body, its only neighbour, as a piston, a
 * valve or a crank. It is eliminated in closed form, with few of the reflections of general fronts:
 *     A a = s                        the rows of the joint,    a = S x + b,   A S = 0,  A b = s
 *     P a + Q q = r                  the rows of the pin,      P S x + Q q = r - P b
 * with the motion q of the neighbour. With W P S = [1; 0] the first rows determine x = X q + c, X = -W Q. The
 * body's inertia, X'S'M S X, is added to the neighbour's form, and the other rows, W Q, are passed on to the neighbour.
 * The passed rows are always independent, because the rows Q of a pin are independent and W is regular. W consists of
 * reflections of rows of unit length, so that the passed rows can be compared with the rows of other fronts when ranks
 * are decided.
 *
 * A front is guided when joint and pin determine x accurately; the rank decision checks this. Otherwise the front is a
 * general front.
 * To the fronts above, a guided front looks like a general front: it fills P, b, the leftover rows and their right
 * side, and reads their multipliers. */
#include "dense.h"
#include "front.h"
#include "mem.h"

#include <math.h>
#include <string.h>

/* Least pivots, relative to the length of their row: for a front to become guided, and for a front to be solvable. */
static const double GOOD_PIVOT = 0.05, NO_PIVOT = 1e-9;

enum { COLUMNS = TN_BODY_COLUMNS, ROWS = 5 };

struct tn_guided_front {
    bool used;                     /* since the last decision */
    int joint, joint_row, joint_rows;
    tn_pin_kind joint_kind;        /* NONE: its rows are in G */
    double joint_sign;             /* of a pin: +1: the body is body 2 */
    int pin, pin_row, pin_rows;
    tn_pin_kind pin_kind;
    double sign;                   /* +1: the body is body 2 */
    int free;
    double lengths[COLUMNS];       /* divisors that turn columns into displacements */
    double U[ROWS][COLUMNS], L[ROWS][ROWS];        /* A = L U in columns that are lengths */
    int column[ROWS];              /* where each row of U begins */
    double S[COLUMNS][COLUMNS];    /* motions x, one after the other */
    double P[ROWS][COLUMNS];
    double scale[ROWS];            /* of the rows of the pin */
    double W[ROWS][ROWS];          /* first the rows that determine x, then the leftover rows */
    double X[COLUMNS][COLUMNS];    /* by rows */
    double T[COLUMNS][COLUMNS];    /* S X, by columns */
    double b[COLUMNS], c[COLUMNS]; /* of the last right side */
};

/* ---- analysis ---- */

static int blocks_of(const tn_structure *s, int constraint)
{
    return s->block_begin[constraint + 1] - s->block_begin[constraint];
}

static tn_pin_kind kind_of(const tn_structure *s, int constraint)
{
    return s->pins && s->pin_kind ? (tn_pin_kind)s->pin_kind[constraint] : TN_PIN_NONE;
}

int tn_guided_prepare(tn_front *f, const tn_structure *s, const int *constraints, int count, tn_arena *arena)
{
    if (count != 2 || f->nn != f->nc || (f->nc != 3 && f->nc != 6))
        return TN_OK;
    const int first = blocks_of(s, constraints[0]) == 1 ? 0 : 1;
    const int joint = constraints[first], pin = constraints[1 - first];
    if (blocks_of(s, joint) != 1 || blocks_of(s, pin) != 2 || kind_of(s, pin) == TN_PIN_NONE)
        return TN_OK;
    const int rows = s->constraint_row[joint + 1] - s->constraint_row[joint];
    const int pin_rows = s->constraint_row[pin + 1] - s->constraint_row[pin], free = f->nc - rows;
    if (rows > ROWS || free < 1 || free > pin_rows)
        return TN_OK;
    tn_guided_front *g = tn_arena_alloc(arena, 1, sizeof *g);
    if (!g)
        return TN_ERROR_MEMORY;
    *g = (tn_guided_front){ .joint = joint, .joint_row = s->constraint_row[joint], .joint_rows = rows,
                            .joint_kind = kind_of(s, joint), .pin = pin, .pin_row = s->constraint_row[pin],
                            .pin_rows = pin_rows, .pin_kind = kind_of(s, pin), .free = free };
    g->joint_sign = g->joint_kind != TN_PIN_NONE && s->pins[joint].body2 == f->body ? 1 : -1;
    g->sign = s->pins[pin].body2 == f->body ? 1 : -1;
    f->guided = g;
    tn_guided_scale(f, s);
    return TN_OK;
}

void tn_guided_scale(tn_front *f, const tn_structure *s)
{
    for (int j = 0; j < f->nc; j++)
        f->guided->lengths[j] = 1 / s->column_scale[f->column + j];
}

bool tn_guided_used(const tn_front *f)
{
    return f->guided && f->guided->used;
}

/* ---- the joint ---- */

static int largest_in(int n, const double *row)
{
    int best = 0;
    for (int j = 1; j < n; j++)
        best = fabs(row[j]) > fabs(row[best]) ? j : best;
    return best;
}

static void load_joint(const tn_saddle *k, const tn_front *f, const double *G)
{
    tn_guided_front *g = f->guided;
    const tn_structure *s = k->structure;
    const int n = f->nc;
    double pin[ROWS * COLUMNS];
    const double *rows = G + s->block_offset[s->block_begin[g->joint]];
    if (g->joint_kind != TN_PIN_NONE) {
        tn_pin_write(pin, &s->pins[g->joint], g->joint_kind, f->planar, g->joint_sign);
        rows = pin;
    }
    for (int i = 0; i < g->joint_rows; i++)
        for (int j = 0; j < n; j++)
            g->U[i][j] = rows[i * n + j] * g->lengths[j];
}

/* Factors A = L U. False: a pivot is smaller than this part of its row. */
static bool factor_joint(tn_guided_front *g, int n, double least)
{
    for (int i = 0; i < g->joint_rows; i++) {
        const double length = sqrt(tn_dot(n, g->U[i], g->U[i]));
        for (int k = 0; k < i; k++) {
            const int column = g->column[k];
            g->L[i][k] = g->U[i][column] / g->U[k][column];
            for (int j = 0; j < n; j++)
                g->U[i][j] -= g->L[i][k] * g->U[k][j];
            g->U[i][column] = 0;
        }
        g->column[i] = largest_in(n, g->U[i]);
        if (!(fabs(g->U[i][g->column[i]]) > least * length))
            return false;
    }
    return true;
}

/* Solves U a = c for given free entries of a, where the other entries are zero; then scales a to the body's columns. */
static void solve_back(const tn_guided_front *g, int n, const double *c, double *a)
{
    for (int i = g->joint_rows - 1; i >= 0; i--) {
        const int column = g->column[i];
        a[column] = (c[i] - tn_dot(n, g->U[i], a)) / g->U[i][column];
    }
    for (int j = 0; j < n; j++)
        a[j] *= g->lengths[j];
}

/* S: one motion for each column that no row of U begins in. */
static void find_motions(tn_guided_front *g, int n)
{
    static const double none[ROWS];
    bool bound[COLUMNS] = { 0 };
    int count = 0;
    for (int i = 0; i < g->joint_rows; i++)
        bound[g->column[i]] = true;
    for (int j = 0; j < n; j++)
        if (!bound[j]) {
            memset(g->S[count], 0, sizeof g->S[count]);
            g->S[count][j] = 1;
            solve_back(g, n, none, g->S[count++]);
        }
}

/* ---- the pin ---- */

/* Scales that give the rows of the pin unit length, with columns measured as lengths. Computed when ranks are decided,
 * then kept, as in general fronts. Q: the pin's rows on the neighbour. */
static void find_scales(tn_front *f, const double *Q)
{
    tn_guided_front *g = f->guided;
    const double *scale = f->general->column_scale + f->general->nz;
    for (int i = 0; i < g->pin_rows; i++) {
        double square = 0;
        for (int j = 0; j < f->nc; j++) {
            const double own = g->P[i][j] * g->lengths[j], other = Q[i * f->nc + j] / scale[j];
            square += own * own + other * other;
        }
        g->scale[i] = 1 / sqrt(square);
    }
}

/* Length of a motion in columns that are lengths. */
static double reach_of(const tn_guided_front *g, int n, int motion)
{
    double square = 0;
    for (int j = 0; j < n; j++)
        square += g->S[motion][j] * g->S[motion][j] / (g->lengths[j] * g->lengths[j]);
    return sqrt(square);
}

/* x_k = R^-1 of the rows that determine x. */
static void solve_determined(tn_guided_front *g, double B[COLUMNS][ROWS])
{
    for (int k = g->free - 1; k >= 0; k--)
        for (int j = 0; j < g->pin_rows; j++) {
            double sum = g->W[k][j];
            for (int l = k + 1; l < g->free; l++)
                sum -= B[l][k] * g->W[l][j];
            g->W[k][j] = sum / B[k][k];
        }
}

/* Computes W by reflections of the scaled rows of P S, which keep the lengths of the leftover rows. False: a
 * pivot, relative to the length of its motion, is not above least. */
static bool find_rows(tn_guided_front *g, int n, double least, double *weakest)
{
    double B[COLUMNS][ROWS], turn[ROWS][ROWS] = { { 0 } };         /* by columns */
    const int m = g->pin_rows;
    *weakest = INFINITY;
    for (int i = 0; i < m; i++) {
        turn[i][i] = g->scale[i];
        for (int k = 0; k < g->free; k++)
            B[k][i] = g->scale[i] * tn_dot(n, g->P[i], g->S[k]);
    }
    for (int k = 0; k < g->free; k++) {
        const double tau = tn_reflector(m - k, B[k] + k), pivot = fabs(B[k][k]) / reach_of(g, n, k);
        *weakest = fmin(*weakest, pivot);
        if (!(pivot > least))
            return false;
        for (int l = k + 1; l < g->free; l++)
            tn_reflect(m - k, B[k] + k, tau, B[l] + k);
        for (int j = 0; j < m; j++)
            tn_reflect(m - k, B[k] + k, tau, turn[j] + k);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            g->W[i][j] = turn[j][i];
    solve_determined(g, B);
    return true;
}

/* ---- factor ---- */

/* Computes W Q: X, and the leftover rows. */
static void carry_over(tn_front *f, const double *Q)
{
    tn_guided_front *g = f->guided;
    tn_general *general = f->general;
    const int n = f->nc, m = g->pin_rows, ld = general->max_rows;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += g->W[i][k] * Q[k * n + j];
            if (i < g->free)
                g->X[i][j] = -sum;
            else
                general->A[general->rank + i - g->free + (general->nz + j) * ld] = sum;
        }
}

/* P over the border: T'M T with T = S X. */
static void carry_mass(tn_front *f)
{
    tn_guided_front *g = f->guided;
    tn_general *general = f->general;
    const int n = f->nc, nz = general->nz, nf = nz + f->nn;
    double moved[COLUMNS];
    for (int j = 0; j < n; j++) {
        memset(g->T[j], 0, sizeof g->T[j]);
        for (int k = 0; k < g->free; k++)
            for (int i = 0; i < n; i++)
                g->T[j][i] += g->X[k][j] * g->S[k][i];
    }
    for (int j = 0; j < n; j++) {
        memset(moved, 0, sizeof moved);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                moved[i] += general->Pc[i + k * n] * g->T[j][k];
        for (int i = 0; i < n; i++)
            general->P[nz + i + (nz + j) * nf] = tn_dot(n, g->T[i], moved);
    }
}

/* The body's own form plus the form of the leaves on it. */
static void load_mass(const tn_saddle *k, tn_front *f, const double *M)
{
    memcpy(f->general->Pc, M + k->structure->mass_offset[f->body], (size_t)(f->nc * f->nc) * sizeof(double));
    if (f->pinned)
        tn_form_add_mass(f, f->general->Pc, f->nc);
}

/* Fills the data that fronts above read. */
static void describe(tn_general *general, int border, double weakest)
{
    general->rows = general->own_rows;
    general->rank = general->nz;
    general->left = general->own_rows - general->nz;
    general->weakest = weakest;
    general->dropped = 0;
    for (int j = 0; j < border; j++)
        general->stair[j] = general->left;
}

int tn_guided_factor(tn_saddle *k, tn_front *f, const double *M, const double *G, bool decide)
{
    tn_guided_front *g = f->guided;
    const tn_pin *pin = &k->structure->pins[g->pin];
    const double least = decide ? GOOD_PIVOT : NO_PIVOT;
    double P[ROWS * COLUMNS], Q[ROWS * COLUMNS], weakest;
    load_joint(k, f, G);
    tn_pin_write(P, pin, g->pin_kind, f->planar, g->sign);
    tn_pin_write(Q, pin, g->pin_kind, f->planar, -g->sign);
    for (int i = 0; i < g->pin_rows; i++)
        memcpy(g->P[i], P + i * f->nc, (size_t)f->nc * sizeof(double));
    if (decide)
        find_scales(f, Q);
    g->used = factor_joint(g, f->nc, least);
    if (g->used) {
        find_motions(g, f->nc);
        g->used = find_rows(g, f->nc, least, &weakest);
    }
    if (!g->used)
        return decide ? TN_OK : TN_ERROR_STEP;
    describe(f->general, f->nn, weakest);
    carry_over(f, Q);
    load_mass(k, f, M);
    carry_mass(f);
    return TN_OK;
}

/* ---- solution ---- */

/* b with A b = u. */
static void close_joint(tn_guided_front *g, int n, const double *u)
{
    double c[ROWS];
    for (int i = 0; i < g->joint_rows; i++) {
        c[i] = u[i];
        for (int k = 0; k < i; k++)
            c[i] -= g->L[i][k] * c[k];
    }
    memset(g->b, 0, sizeof g->b);
    solve_back(g, n, c, g->b);
}

void tn_guided_forward(tn_front *f, const double *force, const double *u)
{
    tn_guided_front *g = f->guided;
    tn_general *general = f->general;
    const int n = f->nc, m = g->pin_rows;
    double r[ROWS], at_rest[COLUMNS], left[COLUMNS];
    memcpy(general->bc, force + f->column, (size_t)n * sizeof(double));
    if (f->pinned)
        tn_form_add_force(f, general->bc);
    close_joint(g, n, u + g->joint_row);
    for (int i = 0; i < m; i++)
        r[i] = u[g->pin_row + i] - tn_dot(n, g->P[i], g->b);
    for (int i = 0; i < m; i++)
        *(i < g->free ? &g->c[i] : &general->u[general->rank + i - g->free]) = tn_dot(m, g->W[i], r);
    memcpy(at_rest, g->b, sizeof at_rest);
    for (int k = 0; k < g->free; k++)
        for (int i = 0; i < n; i++)
            at_rest[i] += g->c[k] * g->S[k][i];
    for (int i = 0; i < n; i++) {
        left[i] = general->bc[i];
        for (int j = 0; j < n; j++)
            left[i] -= general->Pc[i + j * n] * at_rest[j];
    }
    for (int j = 0; j < n; j++)
        general->b[general->nz + j] = tn_dot(n, g->T[j], left);
    memcpy(g->b, at_rest, sizeof g->b);
}

void tn_guided_backward(const tn_saddle *k, tn_front *f)
{
    const tn_guided_front *g = f->guided;
    const double *q = k->fronts[f->parent].general->y;
    memcpy(f->a, g->b, (size_t)f->nc * sizeof(double));
    for (int j = 0; j < f->nn; j++)
        for (int i = 0; i < f->nc; i++)
            f->a[i] += g->T[j][i] * q[j];
}

/* Solves A'lambda = w: the joint carries all of w. */
static void joint_multipliers(const tn_guided_front *g, const double *w, double *lambda)
{
    for (int i = 0; i < g->joint_rows; i++) {
        const int column = g->column[i];
        double sum = w[column] * g->lengths[column];
        for (int k = 0; k < i; k++)
            sum -= g->U[k][column] * lambda[k];
        lambda[i] = sum / g->U[i][column];
    }
    for (int i = g->joint_rows - 1; i >= 0; i--)
        for (int k = i + 1; k < g->joint_rows; k++)
            lambda[i] -= g->L[k][i] * lambda[k];
}

/* With w = M a - f on the body, S'w are the multipliers of the rows that determine x. The multipliers of the leftover
 * rows come from the neighbour. */
void tn_guided_multipliers(const tn_front *f, double *lambda)
{
    const tn_guided_front *g = f->guided;
    const tn_general *general = f->general;
    const int n = f->nc;
    double w[COLUMNS], *pin = lambda + g->pin_row;
    for (int i = 0; i < n; i++) {
        w[i] = -general->bc[i];
        for (int j = 0; j < n; j++)
            w[i] += general->Pc[i + j * n] * f->a[j];
    }
    memset(pin, 0, (size_t)g->pin_rows * sizeof(double));
    for (int i = 0; i < g->pin_rows; i++) {
        const double part = i < g->free ? tn_dot(n, g->S[i], w) : general->mu[general->rank + i - g->free];
        for (int k = 0; k < g->pin_rows; k++)
            pin[k] += part * g->W[i][k];
    }
    for (int i = 0; i < g->pin_rows; i++)
        for (int j = 0; j < n; j++)
            w[j] -= g->P[i][j] * pin[i];
    joint_multipliers(g, w, lambda + g->joint_row);
}
