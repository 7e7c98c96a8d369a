/* Solver "uzawa": iteration on the multipliers (Joli, Seguy, Feng 2008). It uses only the response of each
 * body to forces and the rows of each constraint, and never builds a matrix of the whole system.
 *
 *     a(lambda) = M^-1 (f + G'lambda),   r = u - G a(lambda),   wanted: r = 0, that is K lambda = r(0), K = G M^-1 G'
 *
 * Method 0, conjugate gradients. P is block diagonal: the mobility K_cc of every constraint by itself, rows that depend
 * on others of the same constraint left out. The iteration minimises r'P^-1 r over the same spaces as conjugate
 * gradients on K lambda = r(0), in the form for least squares:
 *     z = P^-1 r,  s = G'z,  gamma = s'M^-1 s
 *     v = M^-1 s + beta v,  w = z + beta w,  beta = gamma / last gamma
 *     q = G v,  step = gamma / q'P^-1 q,  a += step v,  lambda += step w,  r -= step q
 * The plain form needs r(0) in the range of K; where redundant rows contradict each other by drift or round-off it
 * breaks down, this one finds the least residual.
 *
 * Method 1, as published: lambda += rho r with one rho for all rows (rho_absolute), or lambda += rho r / K_ii (rho);
 * single constraints may have their own. Converges only for rho < 2 / lambda_max, lambda_max the largest eigenvalue of
 * K (of K scaled by its diagonal). It stops on the residual, or as published on the change of lambda (increment), of all joints together or
 * of each joint that has an increment of its own.
 *
 * Bodies without a mass matrix (tn_responder) compute their response by a callback, once per iteration.
 *
 * Internal constraints belong to the bodies they connect and are not iterated on: M^-1 above is then the response of
 * the bodies with these constraints kept, found by "direct" within each group of bodies. */
#include "dense.h"
#include "uzawa_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A residual whose force G'z on the bodies is smaller than this part of it lies in dependent rows: no motion can remove
 * it. The same scaled singular value below which "direct" calls rows dependent. */
static const double DEPENDENT_RESIDUAL = 1e-6;
/* Residuals below this many units of round-off of the terms they are made of are zero. */
static const double ROUND_OFF = 8 * DBL_EPSILON;
/* A residual that has grown by this factor means divergence. */
static const double DIVERGED = 1e6;
/* Conjugate gradients end after rows + 1 iterations but for round-off, near a singular position after some times that;
 * fixed rho may take tens of thousands. */
enum { CG_PER_ROW = 10, CG_EXTRA = 50, FIXED_MOST = 100000 };
/* The fractional parts of its multiples never repeat. */
static const double GOLDEN = 0.6180339887498949;
enum { POWER_ITERATIONS = 200 };

/* ---- iteration ---- */

/* Computes a, the response of the bodies to f, with internal constraints kept and their right side inner_u. */
static int respond(tn_saddle *k, const double *f, const double *inner_u, double *a, double *inner_lambda)
{
    const tn_responder *responder = k->structure->responder;
    if (k->inner)
        TN_TRY(tn_solver_direct.solve(k->inner, f, inner_u, a, inner_lambda));
    else
        tn_blocks_respond(&k->blocks, f, a);
    return responder ? responder->respond(responder->user, f, a) : TN_OK;
}

/* h = M^-1 G'x; returns h'M h = x'K x, NaN when a body cannot respond. */
static double respond_to(tn_saddle *k, const double *x)
{
    tn_blocks_forces(&k->blocks, x, k->s);
    k->code = respond(k, k->s, k->inner_zero, k->h, NULL);
    if (k->code < 0)
        return NAN;
    return tn_dot(k->blocks.columns, k->s, k->h);
}

/* Computes z, the correction of the multipliers for the residual. Returns the squared residual, weighted by the
 * mobility of constraints or rows. */
static double answer(tn_saddle *k)
{
    double sum = 0;
    if (k->parameters[METHOD] == CONJUGATE_GRADIENTS) {
        tn_uzawa_precondition(k, k->r, k->z);
        return tn_dot(k->blocks.rows, k->r, k->z);
    }
    for (int i = 0; i < k->blocks.rows; i++) {
        k->z[i] = k->weight[i] * k->r[i];
        sum += k->diagonal[i] * k->r[i] * k->r[i];
    }
    return sum;
}

/* Squared residual that is round-off of u - G a. */
static double round_off(tn_saddle *k, const double *u, const double *a)
{
    double sum = 0;
    tn_blocks_magnitudes(&k->blocks, a, k->q);
    for (int i = 0; i < k->blocks.rows; i++) {
        double size = ROUND_OFF * (fabs(u[i]) + k->q[i]);
        sum += size * size * k->diagonal[i];
    }
    return sum;
}

static long most_iterations(const tn_saddle *k)
{
    if (k->parameters[ITERATIONS] > 0)
        return (long)k->parameters[ITERATIONS];
    return k->parameters[METHOD] == FIXED_RHO ? FIXED_MOST : CG_PER_ROW * k->blocks.rows + CG_EXTRA;
}

/* True when the residual lies in dependent rows: its correction z hardly moves the bodies, gamma = z'K z. size is z'z
 * in the metric in which K has eigenvalues about 1. */
static bool only_dependent(double gamma, double size)
{
    return gamma <= DEPENDENT_RESIDUAL * DEPENDENT_RESIDUAL * size;
}

/* Iterates, with either method. Takes the squared residual at the start and returns the one at the end; at most target
 * when converged. */
static double conjugate_gradients(tn_saddle *k, double *a, double residual, double target)
{
    const int rows = k->blocks.rows, columns = k->blocks.columns;
    double last = INFINITY;
    memset(k->v, 0, (size_t)columns * sizeof(double));
    memset(k->w, 0, (size_t)rows * sizeof(double));
    for (long most = most_iterations(k); residual > target && k->iterations < most; k->iterations++) {
        double gamma = respond_to(k, k->z), beta = gamma / last;
        if (only_dependent(gamma, residual))
            return target;
        for (int j = 0; j < columns; j++)
            k->v[j] = k->h[j] + beta * k->v[j];
        for (int i = 0; i < rows; i++)
            k->w[i] = k->z[i] + beta * k->w[i];
        tn_blocks_rows(&k->blocks, k->v, k->q);
        tn_uzawa_precondition(k, k->q, k->y);
        double step = gamma / tn_dot(rows, k->q, k->y);
        tn_add(columns, step, k->v, a);
        tn_add(rows, step, k->w, k->lambda);
        tn_add(rows, -step, k->q, k->r);
        tn_add(rows, -step, k->y, k->z);
        residual = tn_dot(rows, k->r, k->z);
        last = gamma;
    }
    return residual;
}

/* True: the change z of lambda is below the given part of it (Joli, Seguy, Feng 2008, Eq. 28): over all rows, or, where joints
 * have an increment of their own, over the rows of each of them. */
static bool changes_little(const tn_saddle *k)
{
    const tn_structure *s = k->blocks.structure;
    const int rows = k->blocks.rows;
    const double part = k->parameters[INCREMENT];
    if (part > 0 && !(tn_norm2(rows, k->z) <= part * tn_norm2(rows, k->lambda)))
        return false;
    for (int c = 0; k->own_increments && c < s->constraints; c++) {
        const double own = k->own[k->iterated.constraint[c]].increment;
        const int first = s->constraint_row[c], m = tn_uzawa_height(s, c);
        if (own > 0 && !(tn_norm2(m, k->z + first) <= own * tn_norm2(m, k->lambda + first)))
            return false;
    }
    return part > 0 || k->own_increments;
}

static double fixed_rho(tn_saddle *k, double *a, double residual, double target)
{
    const int rows = k->blocks.rows;
    const double hopeless = DIVERGED * residual;
    for (long most = most_iterations(k); residual > target && k->iterations < most; k->iterations++) {
        double gamma = respond_to(k, k->z), size = 0;
        for (int i = 0; i < rows; i++)
            size += k->diagonal[i] > 0 ? k->z[i] * k->z[i] / k->diagonal[i] : 0;
        if (only_dependent(gamma, size))
            return target;
        tn_add(k->blocks.columns, 1, k->h, a);
        tn_add(rows, 1, k->z, k->lambda);
        tn_blocks_rows(&k->blocks, k->h, k->q);
        tn_add(rows, -1, k->q, k->r);
        bool enough = changes_little(k);
        residual = answer(k);
        if (enough) {
            k->iterations++;
            return target;
        }
        if (!(residual <= hopeless))
            break;
    }
    return residual;
}

/* ---- trouble ---- */

/* Largest eigenvalue of diag(weight) K by power iteration. The start vector has no symmetry: the mechanism's own
 * residual may be orthogonal to the eigenvector. */
static double largest_eigenvalue(tn_saddle *k)
{
    const int rows = k->blocks.rows;
    double eigenvalue = 0;
    for (int i = 0; i < rows; i++)
        k->w[i] = 1 + fmod(GOLDEN * i, 1);
    for (int n = 0; n < POWER_ITERATIONS; n++) {
        double size = tn_norm2(rows, k->w);
        if (!(size > 0 && isfinite(size)))
            break;
        for (int i = 0; i < rows; i++)
            k->w[i] /= size;
        respond_to(k, k->w);
        tn_blocks_rows(&k->blocks, k->h, k->q);
        for (int i = 0; i < rows; i++)
            k->w[i] = k->weight[i] * k->q[i];
        eigenvalue = tn_norm2(rows, k->w);
    }
    return eigenvalue;
}

static bool has_own(const tn_saddle *k)
{
    for (int c = 0; c < k->structure->constraints; c++)
        if (k->own[c].relative > 0 || k->own[c].absolute > 0)
            return true;
    return false;
}

static int explain(tn_saddle *k, double part)
{
    const double *p = k->parameters;
    char *text = k->trouble;
    const size_t size = sizeof k->trouble;
    if (p[METHOD] == CONJUGATE_GRADIENTS) {
        snprintf(text, size, "conjugate gradients leave %.2g of the residual after %ld iterations (wanted %g): allow "
                 "more iterations or a larger residual, or use solver direct", part, k->iterations, p[RESIDUAL]);
        return TN_ERROR_STEP;
    }
    const char *name = p[RHO_ABSOLUTE] > 0 ? "rho_absolute" : "rho";
    const double largest = largest_eigenvalue(k);
    const double rho = p[RHO_ABSOLUTE] > 0 ? p[RHO_ABSOLUTE] : p[RHO], limit = 2 * rho / largest;
    if (largest > 2 && has_own(k))
        snprintf(text, size, "fixed-rho Uzawa diverges: the joints' own rho are %.3g times too large (eigenvalue %.3g "
                 "of 2); use the default conjugate gradients (method: 0) or smaller ones", largest / 2, largest);
    else if (rho > limit)
        snprintf(text, size, "fixed-rho Uzawa diverges: %s = %.3g exceeds 2/lambda_max = %.3g; use the default "
                 "conjugate gradients (method: 0) or a smaller %s", name, rho, limit, name);
    else
        snprintf(text, size, "fixed-rho Uzawa leaves %.2g of the residual after %ld iterations (%s = %.3g, "
                 "2/lambda_max = %.3g); use the default conjugate gradients (method: 0)", part, k->iterations,
                 name, rho, limit);
    return TN_ERROR_STEP;
}

/* ---- solution ---- */

/* Starts r and a from the multipliers of the last solve if their residual is smaller than the residual with zero
 * multipliers. Returns the squared residual; z is its correction. */
static double start_warm(tn_saddle *k, double *a, double cold)
{
    const int rows = k->blocks.rows;
    respond_to(k, k->last_lambda);
    memcpy(k->v, k->h, (size_t)k->blocks.columns * sizeof(double));
    tn_blocks_rows(&k->blocks, k->v, k->y);
    tn_add(rows, -1, k->y, k->r);
    double warm = answer(k);
    if (warm < cold) {
        tn_add(k->blocks.columns, 1, k->v, a);
        memcpy(k->lambda, k->last_lambda, (size_t)rows * sizeof(double));
        return warm;
    }
    tn_add(rows, 1, k->y, k->r);
    return answer(k);
}

/* A solve without forces is a projection; its multipliers are no start values for accelerations. */
static bool has_forces(const tn_saddle *k, const double *f)
{
    for (int j = 0; j < k->blocks.columns; j++)
        if (f[j] != 0)
            return true;
    return false;
}

/* Writes all multipliers. The multipliers of internal constraints follow from the forces of the other constraints. */
static int give_multipliers(tn_saddle *k, const double *f, double *a, double *lambda)
{
    tn_part_put(&k->iterated, k->lambda, lambda);
    if (!k->inner)
        return TN_OK;
    tn_blocks_forces(&k->blocks, k->lambda, k->s);
    tn_add(k->blocks.columns, 1, f, k->s);
    TN_TRY(respond(k, k->s, k->inner_u, a, k->inner_lambda));
    tn_part_put(&k->kept_inside, k->inner_lambda, lambda);
    return TN_OK;
}

static int solve_uzawa(tn_saddle *k, const double *f, const double *all_u, double *a, double *lambda)
{
    const int rows = k->blocks.rows;
    const double *u = k->u;
    const bool warm = k->parameters[WARM] != 0 && has_forces(k, f);
    k->trouble[0] = 0;
    k->iterations = 0;
    k->code = TN_OK;
    if (!k->loaded)
        return TN_ERROR_STEP;
    tn_part_take(&k->iterated, all_u, k->u);
    if (k->inner)
        tn_part_take(&k->kept_inside, all_u, k->inner_u);
    TN_TRY(respond(k, f, k->inner_u, a, NULL));
    tn_blocks_rows(&k->blocks, a, k->r);
    for (int i = 0; i < rows; i++)
        k->r[i] = u[i] - k->r[i];
    memset(k->lambda, 0, (size_t)rows * sizeof(double));
    double cold = answer(k), start = cold;
    double target = fmax(k->parameters[RESIDUAL] * k->parameters[RESIDUAL] * cold, round_off(k, u, a));
    if (warm && k->has_last)
        start = start_warm(k, a, cold);
    double end = k->parameters[METHOD] == CONJUGATE_GRADIENTS ? conjugate_gradients(k, a, start, target)
                                                              : fixed_rho(k, a, start, target);
    k->total += k->iterations;
    k->has_last = k->has_last && end <= target;
    TN_TRY(k->code);
    if (!(end <= target))
        return explain(k, sqrt(end / cold));
    if (warm) {
        memcpy(k->last_lambda, k->lambda, (size_t)rows * sizeof(double));
        k->has_last = true;
    }
    return lambda ? give_multipliers(k, f, a, lambda) : TN_OK;
}

static void remember_uzawa(tn_saddle *k, tn_memory_action action)
{
    const size_t bytes = (size_t)k->blocks.rows * sizeof(double);
    switch (action) {
    case TN_MEMORY_DROP:
        k->has_last = false;
        break;
    case TN_MEMORY_KEEP:
        k->has_kept = k->has_last;
        memcpy(k->kept_lambda, k->last_lambda, bytes);
        break;
    case TN_MEMORY_RECALL:
        k->has_last = k->has_kept;
        memcpy(k->last_lambda, k->kept_lambda, bytes);
    }
}

static void info_uzawa(const tn_saddle *k, tn_saddle_info *out)
{
    *out = (tn_saddle_info){ .rows = k->structure->constraint_row[k->structure->constraints],
                             .columns = k->blocks.columns, .rank = k->selection.info.rank,
                             .weakest_pivot = k->selection.info.weakest_pivot,
                             .largest_drop = k->selection.info.largest_drop,
                             .iterations = k->iterations, .total_iterations = k->total,
                             .trouble = k->trouble[0] ? k->trouble : NULL };
}

const tn_solver_type tn_solver_uzawa = {
    .name = "uzawa",
    .doc = "Iteration on the multipliers that only asks bodies for accelerations; no matrix of the whole exists.",
    .asks = true,
    .parameters = {
        [METHOD] = { "method", "", "0: conjugate gradients, 1: fixed rho as published", CONJUGATE_GRADIENTS, NULL },
        [RESIDUAL] = { "residual", "", "stop at this part of the residual without multipliers", 1e-10, NULL },
        [ITERATIONS] = { "iterations", "", "most iterations of a solve; 0: chosen from the size", 0, NULL },
        [WARM] = { "warm", "", "1: start from the last multipliers, 0: from zero", 1, NULL },
        [RHO] = { "rho", "", "fixed rho: step over the inverse mobility of each row", 0.5, NULL },
        [RHO_ABSOLUTE] = { "rho_absolute", "", "fixed rho: one step for all rows, SI; 0: use rho", 0, NULL },
        [INCREMENT] = { "increment", "", "fixed rho from zero: stop at this part of change of the multipliers; 0: on "
                        "the residual", 0, NULL },
        [INTERNAL] = { "internal", "", "single joints: 1: within its bodies, which answer with it closed", 0, NULL },
    },
    .analyze = tn_uzawa_analyze,
    .configure = tn_uzawa_configure,
    .configure_constraint = tn_uzawa_configure_constraint,
    .factor = tn_uzawa_factor,
    .solve = solve_uzawa,
    .info = info_uzawa,
    .remember = remember_uzawa,
    .destroy = tn_uzawa_destroy,
};
