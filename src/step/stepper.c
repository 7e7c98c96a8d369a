#include "stepper.h"

#include <math.h>
#include <string.h>
#include "diag.h"

/* Step control: keep this much below the estimate, change by no more than these factors at once. */
static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 5;
/* A step this short against t (or against the first step) cannot advance the run. */
static const double SHORTEST = 1e-14;
static const int MOST_REJECTIONS = 60;
/* A fixed step may be this much longer, so that sums of steps meet the end without a sliver. */
static const double WHOLE_STEP = 1e-6;

/* ---- finding types ---- */

#define DEFINE_FIND(what, table)                                                                                      \
    static const char *what##_candidate(void *user, size_t index)                                                     \
    {                                                                                                                 \
        (void)user;                                                                                                   \
        return table[index] ? table[index]->name : NULL;                                                              \
    }                                                                                                                 \
    static int find_##what(const tn_##what##_type **out, const tn_system *s, const char *name, tn_span span)          \
    {                                                                                                                 \
        char hint[80];                                                                                                \
        for (size_t k = 0; table[k]; k++)                                                                             \
            if (strcmp(table[k]->name, name) == 0) {                                                                  \
                *out = table[k];                                                                                      \
                return TN_OK;                                                                                         \
            }                                                                                                         \
        return tn_fail(s->context, TN_ERROR_ARGUMENT, span, "there is no " #what " '%s'%s", name,                     \
                       tn_did_you_mean(hint, sizeof hint, name, what##_candidate, NULL));                             \
    }
DEFINE_FIND(solver, tn_solver_types)
DEFINE_FIND(scheme, tn_scheme_types)
DEFINE_FIND(integrator, tn_integrator_types)

/* ---- life ---- */

static double *vector(tn_stepper *st, int n)
{
    return tn_arena_alloc(st->arena, (size_t)n, sizeof(double));
}

static int allocate(tn_stepper *st)
{
    const tn_system *s = st->system;
    int n = s->positions + s->velocities;
    TN_TRY(tn_eval_create(&st->eval, s, st->arena));
    st->y = vector(st, n);
    st->dy = vector(st, n);
    st->y1 = vector(st, n);
    st->dy1 = vector(st, n);
    st->error = vector(st, n);
    st->scratch = vector(st, n);
    st->zero = vector(st, s->velocities);
    st->delta = vector(st, s->velocities);
    st->u = vector(st, s->rows);
    st->memory = vector(st, s->memory);
    st->step.work = vector(st, n * st->integrator->vectors);
    if (!st->y || !st->dy || !st->y1 || !st->dy1 || !st->error || !st->scratch || !st->zero || !st->delta || !st->u ||
        !st->memory || !st->step.work)
        return TN_ERROR_MEMORY;
    return st->solver->analyze(&st->saddle, s->context, &s->structure);
}

static int build(tn_stepper *st, const tn_solve *solve, tn_span span)
{
    TN_TRY(find_solver(&st->solver, st->system, solve->solver, span));
    TN_TRY(find_scheme(&st->scheme, st->system, solve->scheme, span));
    TN_TRY(find_integrator(&st->integrator, st->system, solve->integrator, span));
    if (!st->integrator->error && isnan(solve->step))
        return tn_fail(st->system->context, TN_ERROR_ARGUMENT, span,
                       "integrator '%s' has a fixed step: give solve.step", st->integrator->name);
    st->h = solve->step;
    st->max_h = solve->max_step;
    st->tolerance = solve->tolerance;
    st->absolute_tolerance = solve->absolute_tolerance;
    return allocate(st);
}

int tn_stepper_create(tn_stepper **out, const tn_system *system, const tn_solve *solve, tn_span span)
{
    tn_stepper *st = tn_alloc(system->context, 1, sizeof *st);
    if (!st)
        return TN_ERROR_MEMORY;
    st->system = system;
    st->arena = tn_arena_create(system->context);
    int code = st->arena ? build(st, solve, span) : TN_ERROR_MEMORY;
    if (code < 0) {
        tn_stepper_destroy(st);
        return code;
    }
    *out = st;
    return TN_OK;
}

void tn_stepper_destroy(tn_stepper *st)
{
    if (!st)
        return;
    if (st->saddle)
        st->solver->destroy(st->saddle);
    if (st->arena)
        tn_arena_destroy(st->arena);
    tn_free(st->system->context, st);
}

/* ---- evaluation ---- */

int tn_stepper_evaluate(tn_stepper *st, double t, const double *y)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    const double *u = e->bias;
    e->failed = NULL;
    tn_eval_motion(e, s, t, y, y + s->positions);
    tn_eval_forces(e, s);
    tn_eval_constraints(e, s, st->memory, 2, true);
    if (e->failed)
        return TN_ERROR_STEP;
    if (st->scheme->stabilize) {
        memcpy(st->u, e->bias, (size_t)s->rows * sizeof(double));
        st->scheme->stabilize(st, e->g, e->gdot, st->u);
        u = st->u;
    }
    TN_TRY(st->solver->factor(st->saddle, e->M, e->G, st->rule));
    TN_TRY(st->solver->solve(st->saddle, e->f, u, e->a, e->lambda));
    st->counts.evaluations++;
    return TN_OK;
}

int tn_rate(tn_stepper *st, double t, const double *y, double *dy)
{
    const tn_system *s = st->system;
    TN_TRY(tn_stepper_evaluate(st, t, y));
    tn_position_rate(s, y, y + s->positions, dy);
    memcpy(dy + s->positions, st->eval->a, (size_t)s->velocities * sizeof(double));
    for (int k = 0; k < s->velocities; k++)
        if (!isfinite(st->eval->a[k]))
            return TN_ERROR_STEP;
    return TN_OK;
}

void tn_move(const tn_stepper *st, const double *q0, const double *dv, double *q1)
{
    tn_position_move(st->system, q0, dv, q1);
}

static void remember_coordinates(tn_stepper *st)
{
    const tn_system *s = st->system;
    double values[TN_MAX_COORDINATES];
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_coordinates *c = &s->coordinates[i];
        if (c->count == 0)
            continue;
        tn_eval_coordinates(st->eval, s, st->memory, i, 0, values);
        memcpy(st->memory + c->memory, values, (size_t)c->count * sizeof(double));
    }
}

static void measure_drift(tn_stepper *st)
{
    const tn_system *s = st->system;
    st->drift = st->velocity_drift = 0;
    st->drift_constraint = -1;
    for (int i = 0; i < s->constraint_count; i++) {
        double gap = tn_eval_gap(st->eval, s, i);
        if (gap > st->drift) {
            st->drift = gap;
            st->drift_constraint = i;
        }
        st->velocity_drift = fmax(st->velocity_drift, tn_eval_velocity_gap(st->eval, s, i));
    }
}

/* First step of an adaptive integrator: a small part of the time in which the state changes by its own size. */
static double first_step(const tn_stepper *st)
{
    const tn_system *s = st->system;
    double fastest = 0;
    for (int k = 0; k < s->velocities; k++) {
        double v = fabs(st->y[s->positions + k]), a = fabs(st->dy[s->positions + k]);
        double scale = s->structure.column_scale[k] == 1 ? 1 : 1 / s->structure.column_scale[k];
        fastest = fmax(fastest, fmax(v, sqrt(a * scale)));
    }
    double h = pow(st->tolerance, 1.0 / st->integrator->error_order) / fmax(fastest, 1e-3);
    return fmin(h, st->max_h);
}

int tn_stepper_start(tn_stepper *st, double t, const double *q, const double *v, const double *memory)
{
    const tn_system *s = st->system;
    st->t = t;
    memcpy(st->y, q, (size_t)s->positions * sizeof(double));
    memcpy(st->y + s->positions, v, (size_t)s->velocities * sizeof(double));
    memcpy(st->memory, memory, (size_t)s->memory * sizeof(double));
    st->rule = TN_RANK_DECIDE;
    TN_TRY(tn_rate(st, t, st->y, st->dy));
    measure_drift(st);
    if (isnan(st->h))
        st->h = first_step(st);
    st->step.h = 0;
    return TN_OK;
}

/* ---- steps ---- */

/* Integrates and finishes a step of length h into y1, dy1; decides the rank there. */
static int try_step(tn_stepper *st, double h)
{
    const tn_system *s = st->system;
    double *work = st->step.work;
    st->step = (tn_step){ .t = st->t, .h = h, .positions = s->positions, .velocities = s->velocities, .y0 = st->y,
                          .dy0 = st->dy, .y1 = st->y1, .dy1 = st->dy1, .work = work };
    st->rule = TN_RANK_KEEP;
    TN_TRY(st->integrator->step(st, &st->step));
    if (st->scheme->finish)
        TN_TRY(st->scheme->finish(st, st->t + h, st->y1));
    st->rule = TN_RANK_DECIDE;
    return tn_rate(st, st->t + h, st->y1, st->dy1);
}

/* Largest local error over its tolerance; rotations, positions and velocities alike. */
static double worst_ratio(const tn_stepper *st, const double *error, int first, int count)
{
    double worst = 0;
    for (int k = 0; k < count; k++) {
        double size = fmax(fabs(st->y[first + k]), fabs(st->y1[first + k]));
        double ratio = fabs(error[k]) / (st->absolute_tolerance + st->tolerance * size);
        if (!(ratio <= worst))
            worst = ratio;
    }
    return worst;
}

/* The part of the error that projection does not take away anyway. Near a singular position the rest is round-off divided
 * by the distance to it, and would stop every step. */
static double projected_ratio(tn_stepper *st)
{
    const tn_system *s = st->system;
    double *change = st->scratch, *rate = st->error + s->positions;
    tn_position_tangent(s, st->y1, st->error, change);
    if (tn_project_direction(st, change) < 0 || tn_project_direction(st, rate) < 0)
        return INFINITY;
    double velocity = worst_ratio(st, rate, s->positions, s->velocities);
    tn_position_rate(s, st->y1, change, st->error);
    return fmax(velocity, worst_ratio(st, st->error, 0, s->positions));
}

static double error_ratio(tn_stepper *st)
{
    st->integrator->error(&st->step, st->error);
    double ratio = worst_ratio(st, st->error, 0, st->system->positions + st->system->velocities);
    return ratio > 1 && st->scheme->finish ? projected_ratio(st) : ratio;
}

static void accept(tn_stepper *st)
{
    double *y = st->y, *dy = st->dy;
    st->t += st->step.h;
    st->y = st->y1;
    st->dy = st->dy1;
    st->y1 = y;
    st->dy1 = dy;
    st->counts.steps++;
    remember_coordinates(st);
    measure_drift(st);
}

static int step_failed(tn_stepper *st, double h)
{
    const tn_system *s = st->system;
    const char *culprit = st->eval->failed;
    tn_span span = s->model->solve_span;
    if (culprit) {
        tn_id id = tn_model_find(s->model, culprit);
        span = tn_model_entity_span(s->model, id);
    }
    tn_fail(s->context, TN_ERROR_STEP, span, "the step from t = %.9g s (h = %.3g s) cannot be taken: %s%s%s; "
            "the state is kept; try a smaller step or tolerance", st->t, h,
            culprit ? "'" : "", culprit ? culprit : "no finite accelerations", culprit ? "' gives no finite number" : "");
    st->rule = TN_RANK_DECIDE;
    tn_rate(st, st->t, st->y, st->dy);
    return TN_ERROR_STEP;
}

static int fixed_step(tn_stepper *st, double t_end)
{
    double h = t_end - st->t <= st->h * (1 + WHOLE_STEP) ? t_end - st->t : st->h;
    int code = try_step(st, h);
    if (code == TN_ERROR_STEP)
        return step_failed(st, h);
    TN_TRY(code);
    accept(st);
    return TN_OK;
}

static int adaptive_step(tn_stepper *st, double t_end)
{
    double exponent = -1.0 / st->integrator->error_order;
    for (int tries = 0; tries < MOST_REJECTIONS; tries++) {
        double wanted = fmin(st->h, st->max_h), h = fmin(wanted, t_end - st->t);
        int code = try_step(st, h);
        if (code < 0 && code != TN_ERROR_STEP)
            return code;
        double ratio = code < 0 ? INFINITY : error_ratio(st);
        double factor = fmin(GROW, fmax(SHRINK, SAFETY * pow(fmax(ratio, 1e-12), exponent)));
        if (ratio <= 1) {
            /* a step cut by t_end says nothing about a longer one unless it wants to be longer */
            st->h = h < wanted ? fmax(wanted, h * factor) : h * factor;
            accept(st);
            return TN_OK;
        }
        st->counts.rejected++;
        st->h = h * fmin(factor, 0.9);
        if (st->h < SHORTEST * fmax(fabs(st->t), 1))
            break;
        st->rule = TN_RANK_DECIDE;
        TN_TRY(tn_rate(st, st->t, st->y, st->dy));
    }
    return step_failed(st, st->h);
}

int tn_stepper_step(tn_stepper *st, double t_end)
{
    return st->integrator->error ? adaptive_step(st, t_end) : fixed_step(st, t_end);
}

/* Cubic through both ends and their rates. */
static void hermite(const tn_step *s, double x, double *y)
{
    double a = (1 + 2 * x) * (1 - x) * (1 - x), b = x * x * (3 - 2 * x);
    double c = s->h * x * (1 - x) * (1 - x), d = -s->h * x * x * (1 - x);
    for (int k = 0; k < s->positions + s->velocities; k++)
        y[k] = a * s->y0[k] + b * s->y1[k] + c * s->dy0[k] + d * s->dy1[k];
}

void tn_stepper_dense(const tn_stepper *st, double theta, double *y)
{
    if (st->integrator->interpolate)
        st->integrator->interpolate(&st->step, theta, y);
    else
        hermite(&st->step, theta, y);
}

int tn_stepper_interpolate(tn_stepper *st, double t, double *y)
{
    tn_stepper_dense(st, (t - st->step.t) / st->step.h, y);
    st->rule = TN_RANK_KEEP;
    return st->scheme->finish ? st->scheme->finish(st, t, y) : TN_OK;
}
