/* Static equilibrium of systems with components (statics.h). Only the response of components is known, so a step uses
 * the first-order form x' = r + A x (linear_differences.c): one linear step of backward Euler from rest,
 *     (1 / h - A) x = r
 * Short steps follow the motion itself, with all velocities set to zero after each step; as h grows they become
 * Newton's method. h stays below the time in which the fastest unstable motion grows, so that steps lead away from
 * unstable equilibria. The last steps are Newton's, of least change where some motion meets no resistance. */
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "coupling.h"
#include "diag.h"
#include "linear.h"
#include "statics.h"

static const int MOST_STEPS = 300, MOST_TRIES = 40;
static const double FIRST_STEP = 0.01, LAST_STEP = 1e3;        /* s: h at first; where Newton's method takes over */
/* Of a step: over the size, or rad; of states over their size. */
static const double LARGEST_MOVE = 0.3, LARGEST_CHANGE = 3;
static const double NEAR = 0.01;               /* the same, of a step after which Newton's method may take over */
static const double GROW = 4, SHRINK = 0.25, BEFORE_GROWTH = 0.9;
static const double SETTLED = 1e-9, ROUND_OFF = 1e-14;         /* of Newton's last steps: the same */
static const double SINGULAR = 1e-12;

typedef struct relaxation {
    tn_tangent *near;
    const tn_system *s;
    double size;
    bool newton;                   /* steps are Newton's by now */
    double h, move;                /* of the step being tried */
    tn_arena *pass;
    tn_difference_form form;
    double *trial, *change;        /* of the state: x, v, z */
} relaxation;

/* ---- a step ---- */

/* Limits h so that steps keep the sign of motions that grow by themselves. */
static int limit_step(relaxation *r)
{
    tn_linear_eigen eigen;
    double fastest = 0;
    int code = tn_linear_eigenvalues(&eigen, &r->form.linear, r->pass);
    TN_TRY(code);
    for (int k = 0; k < r->form.linear.size && code == TN_OK; k++)
        fastest = fmax(fastest, eigen.re[k]);
    if (fastest * r->h > BEFORE_GROWTH)
        r->h = BEFORE_GROWTH / fastest;
    return TN_OK;
}

/* The change of all states of the form: (1 / h - A)^-1 r, or of least size with A x = -r. */
static int solve_step(const relaxation *r, tn_matrix *x)
{
    const int n = r->form.linear.size;
    lapack_int rank;
    tn_matrix M;
    double *sigma = tn_numbers(r->pass, n);
    if (!sigma)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_copy(&M, r->pass, &r->form.linear.A));
    TN_TRY(tn_matrix_new(x, r->pass, n, 1));
    for (int k = 0; k < n * n; k++)
        M.at[k] = -M.at[k];
    for (int k = 0; k < n; k++) {
        M.at[k * (n + 1)] += r->newton ? 0 : 1 / r->h;
        x->at[k] = r->form.rates[k];
    }
    if (n == 0)
        return TN_OK;
    return r->newton ? tn_lapack_code(LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, n, 1, M.at, n, x->at, n, sigma, SINGULAR,
                                                     &rank))
                     : tn_matrix_solve(&M, x, r->pass);
}

/* The size of the change over the allowed size; above 1 is too far. */
static double extent_of(const relaxation *r)
{
    const tn_system *s = r->s;
    const double *z = r->near->y + s->positions + s->velocities, *dz = r->change + 2 * s->velocities;
    double most = 0, states = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int k = s->structure.body_column[b]; k < s->structure.body_column[b + 1]; k++)
            most = fmax(most, fabs(r->change[k]) / (k - s->bodies[b].v < s->dimension ? r->size : 1));
    for (int k = 0; k < s->states; k++)
        states = fmax(states, fabs(dz[k]) / fmax(1, fabs(z[k])));
    return fmax(most / LARGEST_MOVE, states / LARGEST_CHANGE);
}

static int find_change(relaxation *r)
{
    const int width = 2 * r->s->velocities + r->s->states;
    tn_matrix x;
    int code = solve_step(r, &x);
    TN_TRY(code);
    memset(r->change, 0, (size_t)width * sizeof(double));
    for (int k = 0; k < r->form.linear.size && code == TN_OK; k++)
        for (int i = 0; i < width; i++)
            r->change[i] += x.at[k] * tn_column(&r->form.directions, k)[i];
    r->move = code == TN_OK ? extent_of(r) : INFINITY;
    return TN_OK;
}

/* Sets all visible velocities to zero, and velocities inside components as far as they follow from these. */
static int stop(relaxation *r, double *y)
{
    const tn_system *s = r->s;
    tn_eval *e = r->near->stepper->eval;
    double *v = y + s->positions;
    tn_eval_motion(e, s, r->near->t, y, v);
    TN_TRY(e->component_code);
    TN_TRY(tn_coupling_condense(e, s, TN_RANK_KEEP));
    for (int k = 0; k < s->velocities; k++)
        r->change[k] = -e->v[k];
    memset(v, 0, (size_t)s->velocities * sizeof(double));
    return tn_coupling_follow(e, s, TN_ASK_VELOCITIES, r->change, v + s->velocities);
}

/* The state after the change, on the joints and at rest, becomes that of near. */
static int take_step(relaxation *r)
{
    const tn_system *s = r->s;
    double *v = r->trial + s->positions;
    memcpy(r->trial, r->near->y, (size_t)s->size * sizeof(double));
    tn_position_move(s, r->near->y, r->change, r->trial);
    for (int k = 0; k < s->velocities + s->states; k++)
        v[k] += r->change[s->velocities + k];
    TN_TRY(tn_tangent_project(r->near, r->trial));
    TN_TRY(stop(r, r->trial));
    return tn_tangent_place(r->near, r->near->t, r->trial, r->near->memory, true);
}

/* ---- the search ---- */

/* If the state cannot be reached, near stays at its state. */
static int try_step(relaxation *r, bool *taken)
{
    double *before = tn_numbers(r->pass, r->s->size);
    if (!before)
        return TN_ERROR_MEMORY;
    memcpy(before, r->near->y, (size_t)r->s->size * sizeof(double));
    int code = take_step(r);
    *taken = code == TN_OK;
    if (code != TN_ERROR_STEP)
        return code;
    return tn_tangent_place(r->near, r->near->t, before, r->near->memory, true);
}

static int step_on(relaxation *r)
{
    bool taken = false;
    TN_TRY(r->newton ? TN_OK : limit_step(r));
    for (int tries = 0; tries < MOST_TRIES && !taken; tries++) {
        TN_TRY(find_change(r));
        if (r->move <= 1)
            TN_TRY(try_step(r, &taken));
        if (taken)
            break;
        r->h = r->newton ? FIRST_STEP : r->h * SHRINK;
        r->newton = false;
    }
    if (!taken)
        return tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "no step downhill can be taken");
    tn_tangent_remember(r->near);
    return TN_OK;
}

/* Chooses h for the next step from the last step; true: the search is finished. */
static bool is_over(relaxation *r, double before)
{
    if (r->newton)
        return r->move <= ROUND_OFF || (r->move <= SETTLED && r->move > 0.5 * before);
    r->newton = r->h >= LAST_STEP && r->move <= NEAR;
    r->h = fmin(r->h * GROW, 10 * LAST_STEP);
    return false;
}

static int relax_at_length(relaxation *r, long *steps)
{
    double before = INFINITY;
    bool over = false;
    for (int step = 0; step < MOST_STEPS && !over; step++) {
        r->pass = tn_arena_create(r->s->context);
        int code = r->pass ? tn_linear_by_differences(&r->form, r->near, true, r->pass) : TN_ERROR_MEMORY;
        if (code == TN_OK)
            code = step_on(r);
        tn_arena_destroy(r->pass);
        TN_TRY(code);
        (*steps)++;
        over = is_over(r, before);
        before = r->move;
    }
    return over ? TN_OK
                : tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "no equilibrium was found: it moves on by %.3g of "
                          "its size with every step", r->move * LARGEST_MOVE);
}

int tn_statics_flow(tn_tangent *near, double size, bool nearest, long *steps)
{
    const tn_system *s = near->system;
    tn_arena *arena = tn_arena_create(s->context);
    relaxation r = { .near = near, .s = s, .size = size, .newton = nearest, .h = FIRST_STEP,
                     .trial = arena ? tn_numbers(arena, s->size) : NULL,
                     .change = arena ? tn_numbers(arena, 2 * s->velocities + s->states) : NULL };
    int code = r.trial && r.change ? TN_OK : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = stop(&r, near->y);
    if (code == TN_OK)
        code = tn_tangent_place(near, near->t, near->y, near->memory, true);
    if (code == TN_OK)
        code = relax_at_length(&r, steps);
    tn_arena_destroy(arena);
    return code;
}
