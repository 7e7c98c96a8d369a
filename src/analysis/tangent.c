/* The exact tangent of the equations of motion at a state (tangent.h). */
#include "tangent.h"

#include <math.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "dense.h"
#include "diag.h"
#include "hybrid.h"
#include "vec.h"

const double tn_stencil[TN_STENCIL] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
/* rad, or part of the size of a body: with this increment, truncation and round-off are both near 1e-14. */
static const double INCREMENT = 0.01;
static const int REACTION_PASSES = 2;          /* friction does not act at rest, so the second pass converges */

/* ---- life ---- */

static int allocate(tn_tangent *n)
{
    const tn_system *s = n->system;
    n->sample_size = s->rows + 2 * s->velocities;
    n->y = tn_numbers(n->arena, s->size);
    n->y_near = tn_numbers(n->arena, s->size);
    n->unbalanced = tn_numbers(n->arena, s->velocities);
    n->sums = tn_numbers(n->arena, n->sample_size);
    n->sample = tn_numbers(n->arena, n->sample_size);
    n->right_f = tn_numbers(n->arena, s->velocities);
    n->right_u = tn_numbers(n->arena, s->rows);
    n->carried = tn_numbers(n->arena, 3 * s->states);
    bool all = n->y && n->y_near && n->unbalanced && n->sums && n->sample && n->right_f && n->right_u && n->carried;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

static int build_tangent(tn_tangent *n, tn_coupling *coupling)
{
    tn_solve solve = tn_solve_default();
    if (!n->arena)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_stepper_create(&n->stepper, n->system, coupling, &solve, TN_NOWHERE));
    n->memory = n->stepper->memory;
    TN_TRY(tn_coupled_eval_create(&n->probe, n->system, coupling, n->arena, false));
    TN_TRY(tn_force_derivatives_create(&n->force, n->system, n->arena));
    TN_TRY(tn_joint_derivatives_create(&n->joint, n->system, n->arena));
    return allocate(n);
}

int tn_tangent_create(tn_tangent **out, const tn_system *system, tn_coupling *coupling)
{
    tn_tangent *n = tn_alloc(system->context, 1, sizeof *n);
    if (!n)
        return TN_ERROR_MEMORY;
    n->system = system;
    n->arena = tn_arena_create(system->context);
    n->by_differences = !tn_system_allows(system, TN_ALLOW_TERMS);
    int code = build_tangent(n, coupling);
    if (code < 0) {
        tn_tangent_destroy(n);
        return code;
    }
    *out = n;
    return TN_OK;
}

void tn_tangent_destroy(tn_tangent *n)
{
    if (!n)
        return;
    tn_stepper_destroy(n->stepper);
    if (n->arena)
        tn_arena_destroy(n->arena);
    tn_free(n->system->context, n);
}

/* ---- the state ---- */

/* out = M x */
static void mass_times(const tn_eval *e, const tn_system *s, const double *x, double *out)
{
    const tn_structure *st = &s->structure;
    for (int b = 0; b < st->bodies; b++) {
        int first = st->body_column[b], w = st->body_column[b + 1] - first;
        const double *M = e->M + st->mass_offset[b];
        for (int i = 0; i < w; i++) {
            out[first + i] = 0;
            for (int j = 0; j < w; j++)
                out[first + i] += M[i * w + j] * x[first + j];
        }
    }
}

/* Solves with time stopped: the joint equations prescribe zero accelerations. */
static int solve_held(tn_tangent *n, const double *y, tn_rank_rule rule)
{
    const tn_system *s = n->system;
    tn_stepper *st = n->stepper;
    tn_eval *e = st->eval;
    tn_component_reaction inside;
    e->failed = NULL;
    e->reactions_known = false;
    tn_eval_motion(e, s, n->t, y, y + s->positions);
    TN_TRY(e->component_code);
    tn_eval_constraints(e, s, n->memory, 2, true);
    memset(n->right_u, 0, (size_t)s->rows * sizeof(double));
    TN_TRY(st->solver->factor(st->saddle, e->M, e->G, rule));
    for (int pass = 0; pass < (s->reacts ? REACTION_PASSES : 1); pass++) {
        const double *u = n->right_u;
        tn_eval_forces(e, s, n->memory);
        if (e->failed)
            return TN_ERROR_STEP;
        TN_TRY(tn_coupling_ask(e, s, &st->structure, e->G, TN_ASK_ACCELERATIONS, &u, st->u));
        TN_TRY(st->solver->solve(st->saddle, e->f, u, e->a, e->lambda));
        tn_coupling_add_free(e, s, e->a);
        e->reactions_known = true;
        TN_TRY(tn_coupling_react(e, s, &st->structure, &inside));
        tn_coupling_ask_again(e, s);
    }
    return TN_OK;
}

int tn_tangent_solve(tn_tangent *n, const double *y, tn_rank_rule rule)
{
    tn_stepper *st = n->stepper;
    st->rule = rule;
    st->with_lambda = true;
    TN_TRY(n->held ? solve_held(n, y, rule) : tn_stepper_evaluate(st, n->t, y));
    tn_eval *e = st->eval;
    TN_TRY(tn_coupling_tell(e, n->system, &st->structure, e->G, TN_ASK_ACCELERATIONS, e->f, e->lambda, e->dz, NULL));
    return tn_coupling_check_rates(e, n->system, e->dz);
}

/* Velocities that leave joints closed while time stands still. */
static int project_held_velocities(tn_tangent *n, double *y)
{
    const tn_system *s = n->system;
    tn_stepper *st = n->stepper;
    tn_eval *e = st->eval;
    double *v = y + s->positions;
    const double *u = n->right_u;
    tn_eval_motion(e, s, n->t, y, v);
    TN_TRY(e->component_code);
    tn_eval_constraints(e, s, n->memory, 1, true);
    TN_TRY(st->solver->factor(st->saddle, e->M, e->G, TN_RANK_KEEP));
    tn_eval_rows_times(e, s, e->v, n->right_u);
    for (int i = 0; i < s->rows; i++)
        n->right_u[i] = -n->right_u[i];
    memset(n->right_f, 0, (size_t)s->velocities * sizeof(double));
    TN_TRY(tn_coupling_ask(e, s, &st->structure, e->G, TN_ASK_VELOCITIES, &u, st->u));
    TN_TRY(st->solver->solve(st->saddle, n->right_f, u, st->delta, e->lambda));
    tn_coupling_add_free(e, s, st->delta);
    for (int k = 0; k < s->velocities; k++)
        v[k] += st->delta[k];
    return tn_coupling_tell(e, s, &st->structure, e->G, TN_ASK_VELOCITIES, n->right_f, e->lambda, v + s->velocities,
                            NULL);
}

int tn_tangent_project(tn_tangent *n, double *y)
{
    TN_TRY(tn_project_positions(n->stepper, n->t, y));
    /* the joints' equations do not see the length of quaternions */
    TN_TRY(tn_coupling_settle(n->stepper->eval, n->system, n->t, y));
    return n->held ? project_held_velocities(n, y)
                   : tn_project_velocities(n->stepper, n->t, y, y + n->system->positions);
}

int tn_tangent_place(tn_tangent *n, double t, const double *y, const double *memory, bool held)
{
    const tn_system *s = n->system;
    tn_stepper *st = n->stepper;
    n->t = t;
    n->held = held;
    memmove(n->y, y, (size_t)s->size * sizeof(double));
    memmove(n->memory, memory, (size_t)s->memory * sizeof(double));
    tn_hybrid_unsettle(s, n->memory);
    TN_TRY(tn_tangent_solve(n, n->y, TN_RANK_DECIDE));
    TN_TRY(tn_coupling_condense(st->eval, s, TN_RANK_DECIDE));
    mass_times(st->eval, s, st->eval->a, n->unbalanced);
    tn_coupling_weigh(st->eval, s, st->eval->a, n->unbalanced);
    for (int k = 0; k < s->velocities; k++)
        if (!isfinite(n->unbalanced[k]))
            return TN_ERROR_STEP;
    return TN_OK;
}

void tn_tangent_weigh(const tn_tangent *n, const double *x, double *out)
{
    mass_times(n->stepper->eval, n->system, x, out);
}

int tn_tangent_freedoms(const tn_tangent *n)
{
    tn_saddle_info info;
    n->stepper->solver->info(n->stepper->saddle, &info);
    return info.columns - info.rank;
}

void tn_tangent_differentiate(tn_tangent *n)
{
    tn_force_derivatives(n->force, n->stepper->eval, n->system, n->memory);
    tn_joint_derivatives(n->joint, n->stepper->eval, n->system, n->memory);
}

void tn_tangent_remember(tn_tangent *n)
{
    const tn_system *s = n->system;
    double values[TN_MAX_COORDINATES];
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_coordinates *c = &s->coordinates[i];
        if (c->count == 0)
            continue;
        tn_eval_coordinates(n->stepper->eval, s, n->memory, i, 0, values);
        memcpy(n->memory + c->memory, values, (size_t)c->count * sizeof(double));
    }
}

int tn_tangent_failed(const tn_tangent *n)
{
    const tn_eval *e = n->stepper->eval;
    if (!e->failed)
        return tn_fail(n->system->context, TN_ERROR_STEP, n->system->model->solve_span,
                       "there are no finite accelerations at t = %.9g s", n->t);
    return tn_fail(n->system->context, TN_ERROR_STEP, e->failed_span, "'%s' gives no finite number%s%s", e->failed,
                   e->trouble[0] ? ": " : "", e->trouble);
}

/* ---- directions ---- */

int tn_direction_new(tn_direction *out, const tn_system *s, tn_arena *arena)
{
    *out = (tn_direction){ .x = tn_numbers(arena, s->velocities), .v = tn_numbers(arena, s->velocities),
                           .z = tn_numbers(arena, s->states), .f = tn_numbers(arena, s->velocities),
                           .dz = tn_numbers(arena, s->states), .a = tn_numbers(arena, s->velocities),
                           .lambda = tn_numbers(arena, s->rows) };
    bool all = out->x && out->v && out->z && out->f && out->dz && out->a && out->lambda;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

void tn_direction_clear(const tn_direction *d, const tn_system *s)
{
    size_t velocities = (size_t)s->velocities * sizeof(double), states = (size_t)s->states * sizeof(double);
    memset(d->x, 0, velocities);
    memset(d->v, 0, velocities);
    memset(d->z, 0, states);
    memset(d->f, 0, velocities);
    memset(d->dz, 0, states);
    memset(d->a, 0, velocities);
    memset(d->lambda, 0, (size_t)s->rows * sizeof(double));
}

/* Evaluates the state moved by h along d, into the probe. */
static void move_along(tn_tangent *n, const tn_direction *d, double h)
{
    const tn_system *s = n->system;
    const tn_eval *e = n->stepper->eval;
    double *v = n->y_near + s->positions;
    for (int k = 0; k < s->velocities; k++)
        v[k] = h * d->x[k];
    tn_position_move(s, n->y, v, n->y_near);
    for (int k = 0; k < s->velocities; k++)
        v[k] = n->y[s->positions + k] + h * d->v[k];
    for (int k = 0; k < s->states; k++) {
        v[s->velocities + k] = n->y[s->positions + s->velocities + k] + h * d->z[k];
        n->probe->dz[k] = e->dz[k] + h * d->dz[k];
    }
    memcpy(n->probe->a, e->a, (size_t)s->velocities * sizeof(double));
    tn_eval_motion(n->probe, s, n->t, n->y_near, v);
}

static double size_along(const tn_system *s, const double *x)
{
    double most = 0;
    for (int k = 0; k < s->velocities; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* The increment along d. Along velocities alone all equations are quadratic: any increment is exact except for
 * round-off. */
static double increment(const tn_tangent *n, const tn_direction *d)
{
    double x = size_along(n->system, d->x), v = size_along(n->system, d->v);
    return x > 0 ? INCREMENT / x : v > 0 ? fmax(1, size_along(n->system, n->y + n->system->positions)) / v : 1;
}

/* Evaluates quantities at the probe and writes n->sample_size numbers to n->sample. */
typedef void (*sampler)(tn_tangent *n, const tn_freedoms *freedoms);

/* n->sums = derivative of the sample along d */
static void difference(tn_tangent *n, const tn_freedoms *freedoms, const tn_direction *d, sampler sample)
{
    double h = increment(n, d);
    memset(n->sums, 0, (size_t)n->sample_size * sizeof(double));
    for (int k = 0; k < TN_STENCIL && !n->held; k++)
        for (int side = -1; side <= 1; side += 2) {
            move_along(n, d, side * (k + 1) * h);
            sample(n, freedoms);
            for (int i = 0; i < n->sample_size; i++)
                n->sums[i] += side * tn_stencil[k] / h * n->sample[i];
        }
}

/* G v, then the rates of independent coordinates. */
static void sample_rates(tn_tangent *n, const tn_freedoms *freedoms)
{
    const tn_system *s = n->system;
    tn_eval_constraints(n->probe, s, n->memory, 1, false);
    memcpy(n->sample, n->probe->gdot, (size_t)s->rows * sizeof(double));
    for (int k = 0; k < freedoms->rates; k++)
        n->sample[s->rows + k] = tn_freedom_value(&freedoms->items[k], n->probe, s, n->memory, 1);
}

/* G a - gamma, then rates and accelerations of independent coordinates. */
static void sample_accelerations(tn_tangent *n, const tn_freedoms *freedoms)
{
    const tn_system *s = n->system;
    double *rates = n->sample + s->rows, *accelerations = rates + s->velocities;
    tn_eval_constraints(n->probe, s, n->memory, 2, true);
    tn_eval_rows_times(n->probe, s, n->probe->a, n->sample);
    for (int i = 0; i < s->rows; i++)
        n->sample[i] -= n->probe->bias[i];
    for (int k = 0; k < freedoms->count; k++)
        rates[k] = tn_freedom_value(&freedoms->items[k], n->probe, s, n->memory, 1);
    for (int k = 0; k < freedoms->rates; k++)
        accelerations[k] = tn_freedom_value(&freedoms->items[k], n->probe, s, n->memory, 2);
}

/* Rates are linear in v: with the change of equations and coordinates by x alone, the rest is linear algebra. */
int tn_tangent_velocity(tn_tangent *n, const tn_freedoms *freedoms, tn_direction *d, const double *rates)
{
    const tn_system *s = n->system;
    tn_stepper *st = n->stepper;
    double *row = n->right_f;
    memset(d->v, 0, (size_t)s->velocities * sizeof(double));
    difference(n, freedoms, d, sample_rates);
    for (int i = 0; i < s->rows; i++)
        n->right_u[i] = -n->sums[i];
    memset(n->right_f, 0, (size_t)s->velocities * sizeof(double));
    TN_TRY(st->solver->solve(st->saddle, n->right_f, n->right_u, n->y_near, NULL));
    memcpy(d->v, n->y_near, (size_t)s->velocities * sizeof(double));
    for (int k = 0; k < freedoms->rates; k++) {
        tn_freedom_row(&freedoms->items[k], st->eval, s, n->memory, row);
        double missing = rates[k] - n->sums[s->rows + k] - tn_dot(s->velocities, row, n->y_near);
        for (int i = 0; i < s->velocities; i++)
            d->v[i] += missing * tn_column(&freedoms->V, k)[i];
    }
    return TN_OK;
}

/* out -= (dM x) a0: of spatial bodies, whose inertia turns with them: d(J w') = x x J w' - J (x x w'). */
static void subtract_turned_mass(const tn_tangent *n, const double *x, double *out)
{
    const tn_system *s = n->system;
    const tn_eval *e = n->stepper->eval;
    for (int b = 0; b < s->body_count; b++) {
        if (s->bodies[b].motion != TN_MOTION_SPATIAL)
            continue;
        int first = s->bodies[b].v + 3;
        const double *J = e->M + s->structure.mass_offset[b] + 6 * 3 + 3;
        double turned[3], part[3];
        tn_cross3(part, x + first, n->unbalanced + first);
        tn_cross3(turned, x + first, e->a + first);
        for (int k = 0; k < 3; k++)
            out[first + k] -= part[k] - tn_dot3(J + 6 * k, turned);
    }
}

/* Adds derivative times (x, v, z) to forces and rates of states. */
static void add_product(const tn_derivatives *d, int velocities, const tn_direction *along, double *f, double *dz)
{
    for (int k = 0; k < d->count; k++) {
        int i = d->row[k], j = d->column[k];
        double change = j < velocities ? d->position[k] * along->x[j] + d->velocity[k] * along->v[j]
                                       : d->position[k] * along->z[j - velocities];
        if (i < velocities)
            f[i] += change;
        else
            dz[i - velocities] += change;
    }
}

/* The rotation components of a spatial body are no coordinates: its small rotation x has the rate w + w0 x x. */
static void correct_turns(const tn_tangent *n, const tn_freedoms *freedoms, const double *x, double *rates)
{
    const tn_system *s = n->system;
    for (int k = 0; k < freedoms->count && s->dimension == 3; k++) {
        const tn_freedom *f = &freedoms->items[k];
        double turn[3];
        if (f->kind != TN_FREEDOM_TURN)
            continue;
        tn_cross3(turn, n->stepper->eval->w[f->index], x + s->bodies[f->index].v + 3);
        rates[k] += turn[f->component];
    }
}

int tn_tangent_response(tn_tangent *n, const tn_freedoms *freedoms, tn_direction *d, const double *extra, double *rates,
                     double *accelerations)
{
    const tn_system *s = n->system;
    tn_stepper *st = n->stepper;
    double *row = n->right_f;
    add_product(n->force, s->velocities, d, d->f, d->dz);
    difference(n, freedoms, d, sample_accelerations);
    memcpy(n->right_f, d->f, (size_t)s->velocities * sizeof(double));
    for (int k = 0; k < n->joint->count; k++)
        n->right_f[n->joint->row[k]] += n->joint->position[k] * d->x[n->joint->column[k]];
    subtract_turned_mass(n, d->x, n->right_f);
    for (int i = 0; i < s->rows; i++)
        n->right_u[i] = (extra ? extra[i] : 0) - n->sums[i];
    TN_TRY(st->solver->solve(st->saddle, n->right_f, n->right_u, d->a, d->lambda));
    for (int k = 0; k < freedoms->count; k++) {
        tn_freedom_row(&freedoms->items[k], st->eval, s, n->memory, row);
        rates[k] = n->held ? tn_dot(s->velocities, row, d->v) : n->sums[s->rows + k];
        if (k < freedoms->rates)
            accelerations[k] = n->sums[s->rows + s->velocities + k] + tn_dot(s->velocities, row, d->a);
    }
    correct_turns(n, freedoms, d->x, rates);
    return TN_OK;
}

/* ---- reduced matrices ---- */

int tn_tangent_mass(tn_matrix *out, const tn_tangent *n, const tn_matrix *Y, const tn_matrix *X, tn_arena *arena)
{
    tn_matrix MX;
    TN_TRY(tn_matrix_new(&MX, arena, X->rows, X->columns));
    for (int j = 0; j < X->columns; j++)
        mass_times(n->stepper->eval, n->system, tn_column(X, j), tn_column(&MX, j));
    return tn_matrix_multiply_transposed(out, arena, Y, &MX);
}

/* Y -= values X for the entries of d in the block of forces by positions, or velocities. */
static void subtract_product(tn_matrix *Y, const tn_derivatives *d, const double *values, const tn_matrix *X)
{
    for (int j = 0; j < X->columns; j++) {
        const double *x = tn_column(X, j);
        double *y = tn_column(Y, j);
        for (int k = 0; k < d->count; k++)
            if (d->row[k] < X->rows && d->column[k] < X->rows)
                y[d->row[k]] -= values[k] * x[d->column[k]];
    }
}

int tn_tangent_stiffness(tn_matrix *out, const tn_tangent *n, const tn_matrix *Y, const tn_matrix *X, tn_arena *arena)
{
    tn_matrix KX;
    TN_TRY(tn_matrix_new(&KX, arena, X->rows, X->columns));
    subtract_product(&KX, n->force, n->force->position, X);
    subtract_product(&KX, n->joint, n->joint->position, X);
    return tn_matrix_multiply_transposed(out, arena, Y, &KX);
}

int tn_tangent_damping(tn_matrix *out, const tn_tangent *n, const tn_matrix *Y, const tn_matrix *X, tn_arena *arena)
{
    tn_matrix CX;
    TN_TRY(tn_matrix_new(&CX, arena, X->rows, X->columns));
    subtract_product(&CX, n->force, n->force->velocity, X);
    return tn_matrix_multiply_transposed(out, arena, Y, &CX);
}

int tn_tangent_force_by_states(tn_matrix *out, const tn_tangent *n, const tn_matrix *Y, tn_arena *arena)
{
    const tn_system *s = n->system;
    const tn_derivatives *d = n->force;
    tn_matrix F;
    TN_TRY(tn_matrix_new(&F, arena, s->velocities, s->states));
    for (int k = 0; k < d->count; k++)
        if (d->row[k] < s->velocities && d->column[k] >= s->velocities)
            tn_column(&F, d->column[k] - s->velocities)[d->row[k]] += d->position[k];
    return tn_matrix_multiply_transposed(out, arena, Y, &F);
}

/* values: those of d->position or d->velocity. */
static int rates_times(tn_matrix *out, const tn_tangent *n, const double *values, const tn_matrix *X, tn_arena *arena)
{
    const tn_system *s = n->system;
    const tn_derivatives *d = n->force;
    TN_TRY(tn_matrix_new(out, arena, s->states, X->columns));
    for (int j = 0; j < X->columns; j++)
        for (int k = 0; k < d->count; k++)
            if (d->row[k] >= s->velocities && d->column[k] < s->velocities)
                tn_column(out, j)[d->row[k] - s->velocities] += values[k] * tn_column(X, j)[d->column[k]];
    return TN_OK;
}

int tn_tangent_rates_by_position(tn_matrix *out, const tn_tangent *n, const tn_matrix *X, tn_arena *arena)
{
    return rates_times(out, n, n->force->position, X, arena);
}

int tn_tangent_rates_by_velocity(tn_matrix *out, const tn_tangent *n, const tn_matrix *X, tn_arena *arena)
{
    return rates_times(out, n, n->force->velocity, X, arena);
}

int tn_tangent_rates_by_states(tn_matrix *out, const tn_tangent *n, tn_arena *arena)
{
    const tn_system *s = n->system;
    const tn_derivatives *d = n->force;
    TN_TRY(tn_matrix_new(out, arena, s->states, s->states));
    for (int k = 0; k < d->count; k++)
        if (d->row[k] >= s->velocities && d->column[k] >= s->velocities)
            tn_column(out, d->column[k] - s->velocities)[d->row[k] - s->velocities] += d->position[k];
    return TN_OK;
}
