/* Stability of a scheme (stability.h). A step is a map z -> F(z) of disturbances z = (moves / unit, velocities
 * h / unit) of a state; unit is a length for translations and 1 for rotations, so that entries of X = dF/dz compare. X
 * comes from central differences of fourth order: round-off and truncation are then both near 1e-13, and even the
 * double eigenvalues 1 of free motions, which suffer by the square root, are good to 1e-6.
 *
 * Constraints: with C the derivative of the residuals (g, h g') with respect to z, C0 before and C1 after the step,
 * small residuals c become C1 X C0+ c. Motions: X maps the null space of C0 into that of C1, up to the scheme's drift.
 * With bases N0 and N1 of the null spaces, N1 rotated as close to N0 as possible (polar factor), the matrix of motions
 * is N1'X N0. */
#include "stability.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "components.h"
#include "diag.h"
#include "elementary.h"

static const double INCREMENT = 3e-4;          /* of z */
static const double FASTEST = 0.1;             /* unit/s: largest increment of velocities; friction laws may be steep */
static const double RANK_TOLERANCE = 1e-6;     /* of the singular values of C over the largest one */
static const double SAME_STEP = 1e-9;
static const int MOST_COORDINATES = 1500;      /* some minutes and 1 GB */

typedef struct differ {
    const tn_system *system;
    const tn_stepper *base;
    tn_stepper *st;
    tn_arena *arena;
    double h;
    int n, rows;                   /* of X, of C: twice the velocities, twice the equations */
    double *unit, *increment;      /* of every entry of z, in SI units */
    double *y, *y1;                /* disturbed state; end of the undisturbed step */
    double *move;                  /* velocity-like */
    double *sum;                   /* weighted ends of steps */
    double *X, *C0, *C1;           /* column-major */
} differ;

static double *numbers(const differ *d, int count, int times)
{
    return tn_arena_alloc(d->arena, (size_t)count * (size_t)times, sizeof(double));
}

static int allocate(differ *d)
{
    const tn_system *s = d->system;
    d->n = 2 * s->velocities;
    d->rows = 2 * s->rows;
    d->unit = numbers(d, d->n, 1);
    d->increment = numbers(d, d->n, 1);
    d->y = numbers(d, s->size, 1);
    d->y1 = numbers(d, s->size, 1);
    d->move = numbers(d, s->velocities, 1);
    d->sum = numbers(d, s->size, 1);
    d->X = numbers(d, d->n, d->n);
    d->C0 = numbers(d, d->rows, d->n);
    d->C1 = numbers(d, d->rows, d->n);
    bool all = d->unit && d->increment && d->y && d->y1 && d->move && d->sum && d->X && d->C0 && d->C1;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

/* Makes a second stepper, which refuses no step for its error. */
static int prepare(differ *d)
{
    tn_solve solve = d->base->solve;
    if (d->base->step.own)
        return tn_fail(d->system->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "integrator '%s' goes by earlier steps: a "
                       "single one has no spectrum; try integrator 'newmark-iterated'", d->base->integrator->name);
    d->h = isnan(solve.step) ? d->base->h : solve.step;
    TN_TRY(tn_stepper_create(&d->st, d->system, d->base->coupling, &solve, TN_NOWHERE));
    d->st->max_h = INFINITY;
    d->st->tolerance = d->st->absolute_tolerance = INFINITY;
    return allocate(d);
}

static void choose_units(differ *d)
{
    const tn_structure *structure = &d->system->structure;
    int n = d->system->velocities;
    for (int b = 0; b < structure->bodies; b++) {
        int first = structure->body_column[b], end = structure->body_column[b + 1];
        bool turns = d->system->bodies[b].motion != TN_MOTION_PARTICLE;
        for (int k = first; k < end; k++) {
            bool rotation = turns && k - first >= d->system->dimension;
            d->unit[k] = turns && !rotation ? structure->column_scale[end - 1] : 1;
            d->unit[n + k] = d->unit[k] / d->h;
            d->increment[k] = INCREMENT * d->unit[k];
            d->increment[n + k] = fmin(INCREMENT * d->unit[n + k], FASTEST * d->unit[k]);
        }
    }
}

/* ---- derivatives ---- */

/* Central differences of fourth order. */
static const struct { double at, weight; } points[] = {
    { -2, 1.0 / 12 }, { -1, -8.0 / 12 }, { 1, 8.0 / 12 }, { 2, -1.0 / 12 },
};

static int cannot(const differ *d)
{
    return tn_fail(d->system->context, TN_ERROR_STEP, TN_NOWHERE,
                   "a step of %.3g s cannot be taken from states near that at t = %.9g s", d->h, d->base->t);
}

/* Uses the rank of the undisturbed state: where joints are redundant, their equations contradict at disturbed
 * states. */
static int start_stability(differ *d, const double *y)
{
    const tn_system *s = d->system;
    const tn_stepper *base = d->base;
    tn_stepper *st = d->st;
    TN_TRY(tn_stepper_start(st, base->t, base->y, base->y + s->positions, base->memory));
    memcpy(st->y, y, (size_t)s->size * sizeof(double));
    st->rule = TN_RANK_KEEP;
    return tn_rate(st->dy, st, st->t, st->y);
}

/* One step from y, into the stepper's y. */
static int step_stability(differ *d, const double *y)
{
    tn_stepper *st = d->st;
    int code = start_stability(d, y);
    if (code == TN_ERROR_STEP)
        return cannot(d);
    TN_TRY(code);
    st->h = d->h;
    st->approach = 0;
    TN_TRY(tn_stepper_step(st, INFINITY));
    return fabs(st->step.h - d->h) <= SAME_STEP * d->h ? TN_OK : cannot(d);
}

/* y = the state from, with entry k of z changed. */
static void disturb(differ *d, const double *from, int k, double amount)
{
    const tn_system *s = d->system;
    int n = s->velocities;
    memcpy(d->y, from, (size_t)(s->positions + n) * sizeof(double));
    if (k >= n) {
        d->y[s->positions + k - n] += amount;
        return;
    }
    memset(d->move, 0, (size_t)n * sizeof(double));
    d->move[k] = amount;
    tn_position_move(s, from, d->move, d->y);
}

/* Column k of X. */
static int differentiate_step(differ *d, int k)
{
    const tn_system *s = d->system;
    int n = s->velocities;
    double per_z = d->unit[k] / d->increment[k], *x = d->X + (size_t)k * (size_t)d->n;
    memset(d->sum, 0, (size_t)(s->positions + n) * sizeof(double));
    for (size_t p = 0; p < TN_LENGTH(points); p++) {
        disturb(d, d->base->y, k, points[p].at * d->increment[k]);
        TN_TRY(step_stability(d, d->y));
        for (int i = 0; i < s->positions + n; i++)
            d->sum[i] += points[p].weight * per_z * d->st->y[i];
    }
    tn_position_tangent(s, d->y1, d->sum, x);
    memcpy(x + n, d->sum + s->positions, (size_t)n * sizeof(double));
    for (int i = 0; i < d->n; i++)
        x[i] /= d->unit[i];
    return TN_OK;
}

/* C at (t, y). */
static void differentiate_residuals(differ *d, double t, const double *y, double *C)
{
    const tn_system *s = d->system;
    tn_eval *e = d->st->eval;
    for (int k = 0; k < d->n; k++, C += d->rows)
        for (size_t p = 0; p < TN_LENGTH(points); p++) {
            double weight = points[p].weight * d->unit[k] / d->increment[k];
            disturb(d, y, k, points[p].at * d->increment[k]);
            tn_eval_motion(e, s, t, d->y, d->y + s->positions);
            tn_eval_constraints(e, s, d->base->memory, 1, false);
            for (int i = 0; i < s->rows; i++) {
                C[i] += s->velocity_row[i] ? 0 : weight * e->g[i];
                C[s->rows + i] += weight * d->h * e->gdot[i];
            }
        }
}

static int differentiate(differ *d)
{
    const tn_system *s = d->system;
    TN_TRY(step_stability(d, d->base->y));
    memcpy(d->y1, d->st->y, (size_t)s->size * sizeof(double));
    for (int k = 0; k < d->n; k++)
        TN_TRY(differentiate_step(d, k));
    differentiate_residuals(d, d->base->t, d->base->y, d->C0);
    differentiate_residuals(d, d->base->t + d->h, d->y1, d->C1);
    return TN_OK;
}

/* ---- eigenvalues ---- */

static double modulus(const tn_eigenvalue *e)
{
    return tn_hypot(e->re, e->im);
}

static int larger_first(const void *left, const void *right)
{
    const tn_eigenvalue *a = left, *b = right;
    double by_modulus = modulus(b) - modulus(a), by_re = b->re - a->re, by_im = b->im - a->im;
    double order = by_modulus != 0 ? by_modulus : by_re != 0 ? by_re : by_im;
    return (order > 0) - (order < 0);
}

static int no_eigenvalues(const differ *d)
{
    return tn_fail(d->system->context, TN_ERROR_STEP, TN_NOWHERE, "the eigenvalues of the step cannot be found");
}

/* Of the n x n matrix A, which is overwritten. */
static int find_eigenvalues(tn_eigenvalues *out, const differ *d, double *A, int n, tn_arena *arena)
{
    tn_eigenvalue *values = tn_arena_alloc(arena, (size_t)n, sizeof *values);
    double *re = numbers(d, n, 1), *im = numbers(d, n, 1);
    if (!values || !re || !im)
        return TN_ERROR_MEMORY;
    if (n > 0 && LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL, 1) != 0)
        return no_eigenvalues(d);
    for (int k = 0; k < n; k++)
        values[k] = (tn_eigenvalue){ re[k], im[k] };
    qsort(values, (size_t)n, sizeof *values, larger_first);
    *out = (tn_eigenvalues){ values, (size_t)n, n > 0 ? modulus(&values[0]) : 0 };
    return TN_OK;
}

/* A matrix with any strides: entry (i, j) is at[i down + j across]. */
typedef struct matrix {
    double *at;
    int rows, columns;
    size_t down, across;
} matrix;

static matrix transposed(matrix A)
{
    return (matrix){ A.at, A.columns, A.rows, A.across, A.down };
}

/* A matrix of zeros in new memory; at is NULL when out of memory. */
static matrix new_matrix(const differ *d, int rows, int columns)
{
    return (matrix){ numbers(d, rows, columns), rows, columns, 1, (size_t)rows };
}

/* A B in fresh memory. */
static int multiply(matrix *out, const differ *d, matrix A, matrix B)
{
    *out = new_matrix(d, A.rows, B.columns);
    if (!out->at)
        return TN_ERROR_MEMORY;
    for (size_t j = 0; j < (size_t)B.columns; j++)
        for (size_t k = 0; k < (size_t)A.columns; k++) {
            double factor = B.at[k * B.down + j * B.across];
            for (size_t i = 0; i < (size_t)A.rows; i++)
                out->at[i + j * out->across] += A.at[i * A.down + k * A.across] * factor;
        }
    return TN_OK;
}

/* A = U diag(sigma) Vt, U and Vt square. A is overwritten. */
typedef struct factors {
    matrix U, Vt;
    double *sigma;
    int rank;
} factors;

static int factor_stability(factors *out, const differ *d, matrix A)
{
    int least = A.rows < A.columns ? A.rows : A.columns;
    *out = (factors){ .U = new_matrix(d, A.rows, A.rows), .Vt = new_matrix(d, A.columns, A.columns),
                      .sigma = numbers(d, least, 1) };
    double *work = numbers(d, least, 1);
    if (!out->U.at || !out->Vt.at || !out->sigma || !work)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < (size_t)A.columns && least == 0; k++)
        out->Vt.at[k * (out->Vt.across + 1)] = 1;
    if (least > 0 && LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'A', A.rows, A.columns, A.at, A.rows, out->sigma, out->U.at,
                                    A.rows, out->Vt.at, A.columns, work) != 0)
        return no_eigenvalues(d);
    while (out->rank < least && out->sigma[out->rank] > RANK_TOLERANCE * out->sigma[0])
        out->rank++;
    return TN_OK;
}

/* Ur' C1 X Vr / sigma */
static int constraint_map(matrix *out, const differ *d, const factors *f, matrix C1, matrix X)
{
    matrix Ur = f->U, Vr = transposed(f->Vt), XV, CXV;
    Ur.columns = Vr.columns = f->rank;
    TN_TRY(multiply(&XV, d, X, Vr));
    TN_TRY(multiply(&CXV, d, C1, XV));
    TN_TRY(multiply(out, d, transposed(Ur), CXV));
    for (size_t j = 0; j < (size_t)f->rank; j++)
        for (size_t i = 0; i < (size_t)f->rank; i++)
            out->at[i + j * out->across] /= f->sigma[j];
    return TN_OK;
}

/* The last columns of V, as many as there are motions. */
static matrix null_space(const factors *f, int count)
{
    matrix N = transposed(f->Vt);
    N.at += (size_t)(N.columns - count) * N.across;
    N.columns = count;
    return N;
}

/* W'N1'X N0 with the orthogonal W next to N1'N0 */
static int motion_map(matrix *out, const differ *d, matrix N0, matrix N1, matrix X)
{
    factors f;
    matrix near, W, XN, NXN;
    TN_TRY(multiply(&near, d, transposed(N1), N0));
    TN_TRY(factor_stability(&f, d, near));
    TN_TRY(multiply(&W, d, f.U, f.Vt));
    TN_TRY(multiply(&XN, d, X, N0));
    TN_TRY(multiply(&NXN, d, transposed(N1), XN));
    return multiply(out, d, transposed(W), NXN);
}

static int find_parts(tn_spectrum *out, const differ *d, tn_arena *arena)
{
    factors before, after;
    matrix C0 = { d->C0, d->rows, d->n, 1, (size_t)d->rows }, C1 = C0, copy = new_matrix(d, d->rows, d->n);
    matrix X = { d->X, d->n, d->n, 1, (size_t)d->n }, motion, constraints;
    C1.at = d->C1;
    if (!copy.at)
        return TN_ERROR_MEMORY;
    memcpy(copy.at, d->C1, (size_t)d->rows * (size_t)d->n * sizeof(double));
    TN_TRY(factor_stability(&before, d, C0));
    TN_TRY(factor_stability(&after, d, copy));
    int motions = d->n - before.rank;
    TN_TRY(constraint_map(&constraints, d, &before, C1, X));
    TN_TRY(motion_map(&motion, d, null_space(&before, motions), null_space(&after, motions), X));
    TN_TRY(find_eigenvalues(&out->constraints, d, constraints.at, before.rank, arena));
    TN_TRY(find_eigenvalues(&out->motion, d, motion.at, motions, arena));
    return find_eigenvalues(&out->all, d, d->X, d->n, arena);
}

/* ---- the spectrum ---- */

typedef struct owned_spectrum {
    tn_spectrum spectrum;
    tn_arena *arena;
} owned_spectrum;

static int examine(differ *d, owned_spectrum *out)
{
    if (!d->arena || !out->arena)
        return TN_ERROR_MEMORY;
    if (d->system->velocities > MOST_COORDINATES)
        return tn_fail(d->system->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "a spectrum is found for at most %d coordinates; this model has %d", MOST_COORDINATES,
                       d->system->velocities);
    TN_TRY(prepare(d));
    choose_units(d);
    TN_TRY(differentiate(d));
    out->spectrum.time = d->base->t;
    out->spectrum.step = d->h;
    return find_parts(&out->spectrum, d, out->arena);
}

int tn_stability(tn_spectrum **out, const tn_stepper *base)
{
    tn_context *context = base->system->context;
    TN_TRY(tn_refuse_components(base->system->model, "stability of a scheme",
                                "use its file instead, or look at the natural motions ('tenon modes')"));
    owned_spectrum *owned = tn_alloc(context, 1, sizeof *owned);
    if (!owned)
        return TN_ERROR_MEMORY;
    differ d = { .system = base->system, .base = base, .arena = tn_arena_create(context) };
    owned->arena = tn_arena_create(context);
    int code = examine(&d, owned);
    tn_stepper_destroy(d.st);
    if (d.arena)
        tn_arena_destroy(d.arena);
    if (code < 0)
        tn_spectrum_destroy(context, &owned->spectrum);
    else
        *out = &owned->spectrum;
    return code < 0 ? code : TN_OK;
}

void tn_spectrum_destroy(tn_context *context, tn_spectrum *spectrum)
{
    if (!spectrum)
        return;
    owned_spectrum *owned = (owned_spectrum *)spectrum;    /* spectrum is its first member */
    if (owned->arena)
        tn_arena_destroy(owned->arena);
    tn_free(context, owned);
}
