/* Static equilibrium (statics.h). Downhill: steps of backward Euler with the real masses, each from rest. With V the
 * velocities that the joints allow, r = V'f, K and M the reduced stiffness and mass, a step of length h displaces by
 * V p with
 *     (M / h^2 + K) p - f_z dz = r,       (1 / h - r_z) dz - r_x p = z'
 * and then closes the joints. h is kept so short that M / h^2 + K is positive definite: forces do positive work on the
 * way. It grows while that work, by the trapezoid rule, is what K predicts; as it grows, steps become Newton's, and the
 * last ones converge quadratically. At an unstable equilibrium the search continues along the unstable direction.
 * States that follow the motion (follow.h) are not taken from the linear problem, but integrated; they depend on
 * velocities.
 *
 * Nearest: Newton's method (1 / h = 0; least squares where K is singular), halved while the residual grows. */
#include "statics.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "diag.h"
#include "follow.h"
#include "judge.h"
#include "linear.h"
#include "shape.h"

static const int MOST_STEPS = 600, MOST_TRIES = 60, MOST_ESCAPES = 20, MOST_HALVINGS = 30;
static const double FIRST_MOVE = 0.05;         /* of the size, or rad: first step, and step off an unstable point */
static const double LARGEST_MOVE = 0.5;        /* the same: of any step */
static const double LOST = 1e4;                /* sizes travelled: there is no equilibrium */
static const double GOOD = 0.75, PERFECT = 0.99, POOR = 0.1;   /* work over what was predicted */
static const double GROW = 3, GROW_FAST = 30, SHRINK = 0.25;   /* of h */
static const double SOFTEST = 1e-12;           /* 1 / h^2 over the largest K / M: the matrix stays regular */
static const double ENOUGH = 1e-4;             /* least relative decrease of the residual for a Newton step */
static const double ROUND_OFF = 1e-15, SINGULAR = 1e-12;
static const double PLACE_ROUND_OFF = 4e-15;   /* of positions, over the size; stiffness turns it into forces */

tn_statics_options tn_statics_default(void)
{
    return (tn_statics_options){ .time = NAN, .tolerance = 1e-10 };
}

typedef struct relaxer {
    tn_tangent *near;
    const tn_system *s;
    const tn_statics_options *options;
    tn_arena *arena;               /* of the whole search */
    tn_arena *pass;                /* of one step */
    int states;                    /* without the states of drives, which are held */
    bool *follows, some_follow;    /* which of them follow the motion */
    double fastest;                /* 1/s: of their changes, if some do */
    double size, mass, travelled;
    double h;
    long iterations;
    double residual, before;       /* at the accepted point, and at the one before */
    double load;
    double *y, *unbalanced;        /* accepted */
    double *x, *dz;                /* the step */
    double *part, *changes;        /* the part of the step that is tried */
    double *trial;                 /* the point it leads to */
    tn_freedoms freedoms;          /* at the accepted point, like the matrices below */
    tn_matrix K, M, Fz, Zx, Zz;
    double *r, *rates;
    double stiffest;               /* largest K / M, 1/s^2 */
    double noise;                  /* N: force that round-off of positions makes */
} relaxer;

/* ---- measures ---- */

static double length_of(const relaxer *r, int column)
{
    double scale = r->s->structure.column_scale[column];
    return scale > 0 ? scale : 1;
}

/* Largest force; torques over a length of their body. b NULL: of a alone. */
static double largest_force(const relaxer *r, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < r->s->velocities; k++)
        most = fmax(most, fabs(a[k] - (b ? b[k] : 0)) / length_of(r, k));
    return most;
}

/* The largest shift of a body by a displacement, over the size, and the largest rotation, rad. */
static void measure_statics(const relaxer *r, const double *x, double *shift, double *turn)
{
    *shift = *turn = 0;
    for (int b = 0; b < r->s->body_count; b++) {
        int first = r->s->bodies[b].v, end = r->s->structure.body_column[b + 1];
        for (int k = first; k < end; k++) {
            bool shifts = k - first < r->s->dimension;
            double *most = shifts ? shift : turn;
            *most = fmax(*most, fabs(x[k]) / (shifts ? r->size : 1));
        }
    }
}

static double distance(const relaxer *r, const double *x)
{
    double shift, turn;
    measure_statics(r, x, &shift, &turn);
    return fmax(shift, turn);
}

/* The length of a step over the longest allowed one. Falling bodies may move farther with each step; rotations stay
 * small, so that turns can be counted. */
static double excess(const relaxer *r)
{
    double shift, turn;
    measure_statics(r, r->x, &shift, &turn);
    return fmax(turn, shift / fmax(1, r->travelled)) / LARGEST_MOVE;
}

static double find_size(const relaxer *r)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, most = 0;
    for (int b = 0; b < r->s->body_count; b++)
        for (int k = 0; k < r->s->dimension; k++) {
            low[k] = fmin(low[k], r->near->y[r->s->bodies[b].q + k]);
            high[k] = fmax(high[k], r->near->y[r->s->bodies[b].q + k]);
        }
    for (int k = 0; k < r->s->dimension && r->s->body_count > 0; k++)
        most = fmax(most, high[k] - low[k]);
    for (int k = 0; k < r->s->velocities; k++)
        most = fmax(most, r->s->structure.column_scale[k] == 1 ? 0 : r->s->structure.column_scale[k]);
    return most > 0 ? most : 1;
}

/* Rates of states are measured relative to the size of the states. */
static double restlessness(const relaxer *r)
{
    const double *z = r->near->y + r->s->positions + r->s->velocities;
    double most = 0;
    for (int k = 0; k < r->states; k++)
        most = fmax(most, fabs(r->near->stepper->eval->dz[k]) / fmax(1, fabs(z[k])));
    return most;
}

/* The larger of residual over load and rate of states. */
static double imbalance(const relaxer *r, double *residual, double *load)
{
    const double *f = r->near->stepper->eval->f;
    *residual = largest_force(r, r->near->unbalanced, NULL);
    *load = fmax(largest_force(r, f, NULL), largest_force(r, f, r->near->unbalanced));
    return fmax(*load > 0 ? *residual / *load : 0, restlessness(r));
}

/* ---- the linear problem ---- */

static double find_noise(const relaxer *r)
{
    const tn_derivatives *d = r->near->force;
    double most = 0;
    for (int k = 0; k < d->count; k++)
        if (d->row[k] < r->s->velocities && d->column[k] < r->s->velocities)
            most = fmax(most, fabs(d->position[k]) / (length_of(r, d->row[k]) * length_of(r, d->column[k])));
    return PLACE_ROUND_OFF * r->size * most;
}

/* States that depend on velocities: dz is then the change beyond r_v p, and K and r_x include the effect of r_v p. */
static int follow_velocities(relaxer *r)
{
    tn_matrix Zv, stiffness, rates;
    TN_TRY(tn_tangent_rates_by_velocity(&Zv, r->near, &r->freedoms.V, r->pass));
    r->some_follow = false;
    for (int i = 0; i < r->s->states; i++) {
        r->follows[i] = false;
        for (int j = 0; j < Zv.columns; j++)
            r->follows[i] |= i < r->states && tn_column(&Zv, j)[i] != 0;
        r->some_follow |= r->follows[i];
    }
    if (!r->some_follow)
        return TN_OK;
    TN_TRY(tn_states_fastest(&r->fastest, &r->Zz, r->states, r->pass));
    TN_TRY(tn_matrix_multiply(&stiffness, r->pass, &r->Fz, &Zv));
    TN_TRY(tn_matrix_multiply(&rates, r->pass, &r->Zz, &Zv));
    for (int k = 0; k < r->K.rows * r->K.columns; k++)
        r->K.at[k] -= stiffness.at[k];
    for (int k = 0; k < r->Zx.rows * r->Zx.columns; k++)
        r->Zx.at[k] += rates.at[k];
    return TN_OK;
}

static int reduce(relaxer *r)
{
    const tn_matrix *V = &r->freedoms.V;
    tn_tangent_differentiate(r->near);
    TN_TRY(tn_freedoms_find(&r->freedoms, r->near->stepper->eval, r->s, r->near->memory, NULL, r->pass));
    TN_TRY(tn_tangent_stiffness(&r->K, r->near, V, V, r->pass));
    TN_TRY(tn_tangent_mass(&r->M, r->near, V, V, r->pass));
    TN_TRY(tn_tangent_force_by_states(&r->Fz, r->near, V, r->pass));
    TN_TRY(tn_tangent_rates_by_position(&r->Zx, r->near, V, r->pass));
    TN_TRY(tn_tangent_rates_by_states(&r->Zz, r->near, r->pass));
    TN_TRY(follow_velocities(r));
    int n = r->freedoms.rates;
    r->r = tn_numbers(r->pass, n);
    r->rates = tn_numbers(r->pass, r->s->states);
    if (!r->r || !r->rates)
        return TN_ERROR_MEMORY;
    r->stiffest = 0;
    r->noise = find_noise(r);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < r->s->velocities; i++)
            r->r[k] += tn_column(V, k)[i] * r->near->unbalanced[i];
        r->stiffest = fmax(r->stiffest, fabs(tn_column(&r->K, k)[k]) / tn_column(&r->M, k)[k]);
    }
    memcpy(r->rates, r->near->stepper->eval->dz, (size_t)r->s->states * sizeof(double));
    return TN_OK;
}

/* True: the symmetric part of s M + K is positive definite. */
static int is_definite(const relaxer *r, double s, bool *definite)
{
    tn_matrix A;
    TN_TRY(tn_matrix_copy(&A, r->pass, &r->K));
    int n = A.rows;
    for (int k = 0; k < n * n; k++)
        A.at[k] += s * r->M.at[k];
    tn_matrix_symmetrize(&A);
    int code = n == 0 ? TN_OK : tn_lapack_code(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, A.at, n));
    *definite = code == TN_OK;
    return code < 0 ? code : TN_OK;
}

/* The system of both equations, right side included; s = 1 / h^2. */
static int build_system(tn_matrix *A, tn_matrix *b, const relaxer *r, double s)
{
    int n = r->freedoms.rates, m = r->states;
    TN_TRY(tn_matrix_new(A, r->pass, n + m, n + m));
    TN_TRY(tn_matrix_new(b, r->pass, n + m, 1));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            tn_column(A, j)[i] = s * tn_column(&r->M, j)[i] + tn_column(&r->K, j)[i];
        for (int i = 0; i < m; i++)
            tn_column(A, j)[n + i] = -tn_column(&r->Zx, j)[i];
        b->at[j] = r->r[j];
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++)
            tn_column(A, n + j)[i] = -tn_column(&r->Fz, j)[i];
        for (int i = 0; i < m; i++)
            tn_column(A, n + j)[n + i] = (i == j ? sqrt(s) : 0) - tn_column(&r->Zz, j)[i];
        b->at[n + j] = r->rates[j];
    }
    return TN_OK;
}

/* The step for a solution (p, dz): x and dz; returns the work of the forces that K predicts. */
static double take_solution(relaxer *r, const double *solution)
{
    int n = r->freedoms.rates;
    double work = 0;
    memset(r->x, 0, (size_t)r->s->velocities * sizeof(double));
    for (int j = 0; j < n; j++) {
        work += solution[j] * r->r[j];
        for (int i = 0; i < r->s->velocities; i++)
            r->x[i] += solution[j] * tn_column(&r->freedoms.V, j)[i];
        for (int i = 0; i < n; i++)
            work -= 0.5 * solution[i] * tn_column(&r->K, j)[i] * solution[j];
        for (int i = 0; i < r->states; i++)
            work += 0.5 * solution[j] * tn_column(&r->Fz, i)[j] * solution[n + i];
    }
    memcpy(r->dz, solution + n, (size_t)r->states * sizeof(double));
    return work;
}

/* ---- moving ---- */

/* Moves near from the accepted point by part of the step, and closes the joints. TN_ERROR_STEP: there is no such
 * state. */
static int try_move(relaxer *r, double part)
{
    const tn_system *s = r->s;
    double *z = r->trial + s->positions + s->velocities;
    tn_state_way way = { r->y, r->trial, r->h, r->fastest, r->follows, r->changes };
    for (int k = 0; k < s->velocities; k++)
        r->part[k] = part * r->x[k];
    for (int k = 0; k < r->states; k++)
        r->changes[k] = part * r->dz[k];
    memcpy(r->trial, r->y, (size_t)s->size * sizeof(double));
    tn_position_move(s, r->y, r->part, r->trial);
    TN_TRY(tn_project_positions(r->near->stepper, r->near->t, r->trial));
    for (int k = 0; k < r->states && !r->some_follow; k++)
        z[k] += r->changes[k];
    if (r->some_follow)
        tn_states_follow(r->near, &way, z);
    return tn_tangent_place(r->near, r->near->t, r->trial, r->near->memory, true);
}

/* Accepts the point of near. */
static void accept(relaxer *r)
{
    r->before = r->residual;
    tn_tangent_remember(r->near);
    memcpy(r->y, r->near->y, (size_t)r->s->size * sizeof(double));
    memcpy(r->unbalanced, r->near->unbalanced, (size_t)r->s->velocities * sizeof(double));
    r->travelled += distance(r, r->x);
    r->residual = imbalance(r, &(double){ 0 }, &r->load);
}

/* The work of the forces from the accepted point to the point of near, by the trapezoid rule. */
static double work_done(const relaxer *r)
{
    double work = 0;
    for (int k = 0; k < r->s->velocities; k++)
        work += 0.5 * (r->unbalanced[k] + r->near->unbalanced[k]) * r->x[k];
    return work;
}

/* Tries a step with the present h. Returns a positive value when the step is taken, TN_OK when h was changed
 * instead. */
static int try_downhill(relaxer *r)
{
    tn_matrix A, b;
    double s = fmax(1 / (r->h * r->h), SOFTEST * r->stiffest), load, force;
    bool definite;
    TN_TRY(is_definite(r, s, &definite));
    TN_TRY(build_system(&A, &b, r, s));
    int code = definite ? tn_matrix_solve(&A, &b, r->pass) : TN_MATRIX_SINGULAR;
    TN_TRY(code);
    r->h = 1 / sqrt(s);
    if (code == TN_MATRIX_SINGULAR) {
        r->h *= SHRINK;
        return TN_OK;
    }
    double predicted = take_solution(r, b.at), too_far = excess(r);
    if (!(too_far <= 1)) {
        r->h *= fmax(SHRINK, 0.8 / sqrt(too_far));
        return TN_OK;
    }
    code = try_move(r, 1);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    double ratio = code < 0 ? -1 : predicted > 0 ? work_done(r) / predicted : 0;
    bool better = code == TN_OK && imbalance(r, &force, &load) < 0.5 * r->residual;
    if (ratio < POOR && !better) {
        r->h *= SHRINK;
        return TN_OK;
    }
    r->h *= fabs(ratio - 1) < 1 - PERFECT || better ? GROW_FAST : fabs(ratio - 1) < 1 - GOOD ? GROW : 1;
    return 1;
}

static int step_downhill(relaxer *r)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int code = try_downhill(r);
        if (code != TN_OK)
            return code < 0 ? code : TN_OK;
    }
    return TN_ERROR_STEP;
}

static int step_newton(relaxer *r)
{
    tn_matrix A, b;
    lapack_int rank;
    double residual, load;
    TN_TRY(build_system(&A, &b, r, 0));
    double *sigma = tn_numbers(r->pass, A.rows);
    if (!sigma)
        return TN_ERROR_MEMORY;
    int solved = A.rows == 0 ? TN_OK : tn_lapack_code(LAPACKE_dgelsd(LAPACK_COL_MAJOR, A.rows, A.rows, 1, A.at, A.rows,
                                                                     b.at, A.rows, sigma, SINGULAR, &rank));
    if (solved != TN_OK)
        return solved < 0 ? solved : TN_ERROR_STEP;
    take_solution(r, b.at);
    double part = 1 / fmax(1, excess(r));
    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++, part /= 2) {
        int code = try_move(r, part);
        if (code < 0 && code != TN_ERROR_STEP)
            return code;
        if (code == TN_OK && imbalance(r, &residual, &load) <= fmax((1 - ENOUGH * part) * r->residual, ROUND_OFF))
            return TN_OK;
    }
    return TN_ERROR_STEP;
}

/* ---- the search ---- */

static bool is_settled(const relaxer *r)
{
    bool rests = r->residual * r->load <= r->noise && restlessness(r) <= r->options->tolerance;
    return r->residual <= ROUND_OFF || rests ||
           (r->residual <= r->options->tolerance && r->residual > 0.5 * r->before);
}

/* Describes the bodies that still move. */
static int still_moves(relaxer *r, const char *why)
{
    tn_shapes shapes;
    const tn_motion_part *parts;
    size_t count;
    char what[600] = "";
    TN_TRY(tn_shapes_prepare(&shapes, r->near, &r->freedoms, r->pass));
    TN_TRY(tn_shape_describe(&parts, &count, &shapes, r->x, NULL, r->pass));
    if (count > 0)
        snprintf(what, sizeof what, "what moves most is '%.200s'%s%.200s%s, ", parts[0].coordinate,
                 count > 1 ? ", then '" : "", count > 1 ? parts[1].coordinate : "", count > 1 ? "'" : "");
    return tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "%s: %s%.3g of the load is not balanced", why, what,
                   r->residual);
}

static int one_pass(relaxer *r)
{
    TN_TRY(reduce(r));
    int code = r->options->nearest ? step_newton(r) : step_downhill(r);
    if (code == TN_ERROR_STEP && r->residual <= r->options->tolerance)
        r->before = 0;                                 /* no further progress is expected */
    else if (code == TN_ERROR_STEP)
        return still_moves(r, r->options->nearest ? "Newton's method does not converge from here"
                                                  : "no step downhill can be taken");
    else if (code < 0)
        return code;
    else
        accept(r);
    if (r->travelled > LOST)
        return still_moves(r, "there is no equilibrium, nothing holds it");
    return TN_OK;
}

static int search(relaxer *r)
{
    for (int pass = 0; pass < MOST_STEPS && !is_settled(r); pass++) {
        r->pass = tn_arena_create(r->s->context);
        int code = r->pass ? one_pass(r) : TN_ERROR_MEMORY;
        bool last = pass + 1 == MOST_STEPS;
        r->iterations++;
        if (code == TN_OK && last && !is_settled(r))
            code = still_moves(r, "no equilibrium was found");
        tn_arena_destroy(r->pass);
        TN_TRY(code);
    }
    return tn_tangent_place(r->near, r->near->t, r->y, r->near->memory, true);
}

static int search_along_flow(relaxer *r)
{
    TN_TRY(tn_statics_flow(r->near, r->size, r->options->nearest, &r->iterations));
    accept(r);
    return TN_OK;
}

static void choose_first_step(relaxer *r)
{
    double acceleration = distance(r, r->near->stepper->eval->a);
    r->h = acceleration > 0 ? sqrt(FIRST_MOVE / acceleration) : 1;
    r->before = INFINITY;
    memset(r->x, 0, (size_t)r->s->velocities * sizeof(double));
}

/* ---- stability ---- */

static int judge_here(relaxer *r, tn_equilibrium *out, tn_arena *arena)
{
    tn_arena *scratch = tn_arena_create(r->s->context);
    int code = scratch ? tn_equilibrium_judge(out, r->near, r->load / (r->mass * r->size), r->x, arena, scratch)
                       : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}

/* Moves away from an unstable point along r->x. */
static int escape(relaxer *r)
{
    double far = distance(r, r->x);
    memset(r->dz, 0, (size_t)r->s->states * sizeof(double));
    int code = far > 0 ? try_move(r, FIRST_MOVE / far) : TN_ERROR_STEP;
    if (code == TN_ERROR_STEP)
        return tn_fail(r->s->context, code, TN_NOWHERE, "the equilibrium on the way is unstable, and there is no step "
                       "off it; 'nearest' takes it as it is");
    TN_TRY(code);
    accept(r);
    r->travelled = 0;
    choose_first_step(r);
    return TN_OK;
}

/* ---- start ---- */

static int allocate(relaxer *r)
{
    r->y = tn_numbers(r->arena, r->s->size);
    r->unbalanced = tn_numbers(r->arena, r->s->velocities);
    r->x = tn_numbers(r->arena, r->s->velocities);
    r->dz = tn_numbers(r->arena, r->s->states);
    r->follows = tn_arena_alloc(r->arena, (size_t)r->s->states, sizeof(bool));
    r->part = tn_numbers(r->arena, r->s->velocities);
    r->changes = tn_numbers(r->arena, r->s->states);
    r->trial = tn_numbers(r->arena, r->s->size);
    bool all = r->y && r->unbalanced && r->x && r->dz && r->follows && r->part && r->changes && r->trial;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

static int cannot_follow(const relaxer *r, double t)
{
    return tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "the joints cannot be closed with the drives at "
                   "t = %.9g s", t);
}

/* Advances near to the time of the loads, drives included; near is at rest there. */
static int follow_drives(relaxer *r)
{
    static const double SHORTEST = 1.0 / 4096;
    const tn_system *s = r->s;
    tn_tangent *n = r->near;
    double from = n->t, to = isnan(r->options->time) ? from : r->options->time, part = 1, done = 0;
    memset(n->y + s->positions, 0, (size_t)s->velocities * sizeof(double));
    for (int k = tn_drive_states_begin(s); k < tn_drive_states_end(s); k++)
        n->y[s->positions + s->velocities + k] = 0;
    while (done < 1) {
        double next = fmin(1, done + part), t = from + next * (to - from);
        memcpy(r->y, n->y, (size_t)s->size * sizeof(double));
        int code = tn_project_positions(n->stepper, t, r->y);
        if (code == TN_OK && (code = tn_tangent_place(n, t, r->y, n->memory, true)) == TN_OK) {
            tn_tangent_remember(n);
            done = next;
            continue;
        }
        part /= 2;
        if (code != TN_ERROR_STEP)
            return code;
        if (n->stepper->eval->failed)
            return tn_tangent_failed(n);
        if (part < SHORTEST)
            return cannot_follow(r, t);
    }
    return TN_OK;
}

static int find_statics(relaxer *r, tn_equilibrium *out, tn_arena *arena)
{
    TN_TRY(allocate(r));
    TN_TRY(follow_drives(r));
    r->size = find_size(r);
    for (int b = 0; b < r->s->body_count; b++)
        r->mass += r->s->bodies[b].mass;
    choose_first_step(r);
    r->residual = INFINITY;
    accept(r);
    r->before = INFINITY;
    for (int escapes = 0;; escapes++) {
        TN_TRY(r->near->by_differences ? search_along_flow(r) : search(r));
        TN_TRY(judge_here(r, out, arena));
        if (out->kind != TN_EQUILIBRIUM_UNSTABLE || r->options->nearest || escapes == MOST_ESCAPES)
            break;
        TN_TRY(escape(r));
    }
    out->time = r->near->t;
    out->iterations = r->iterations;
    imbalance(r, &out->residual, &out->load);
    return TN_OK;
}

int tn_statics_find(tn_equilibrium *out, tn_tangent *near, const tn_statics_options *options, tn_arena *arena)
{
    const tn_system *s = near->system;
    TN_TRY(tn_check_size(s, "the search for an equilibrium"));
    relaxer r = { .near = near, .s = s, .options = options, .arena = tn_arena_create(s->context),
                  .states = tn_drive_states_begin(s) };
    int code = r.arena ? find_statics(&r, out, arena) : TN_ERROR_MEMORY;
    tn_arena_destroy(r.arena);
    return code;
}
