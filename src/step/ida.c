/* Integrator "ida" (SUNDIALS): backward differentiation formulas of order 1 to 5 for the equations of motion as they
 * stand, with the joint forces lambda among the unknowns, so that no accelerations are solved for within a step:
 *     q' = v,   M v' = f + G' lambda,   z' = d,   G v' = bias - 2 c g' - c^2 g - softness (lambda - lambda0)
 * Joints that errors of the formulas have opened close again with the rate c; for the exact motion these terms are
 * zero. The end of a step is projected onto the constraints; IDA does not see the projected state. lambda has no error
 * control. softness is zero unless rows are redundant. Then lambda0 selects one solution: the solver's lambda at the starts of the
 * last steps, extrapolated. Softness, even 1e-10 of the mobility of a row, lets light bodies give way under forces of heavy ones by
 * what the extrapolation is off; a warning says so.
 * The index-2 formulation, with constraints at velocity level, is not used: it makes v follow every error of q at once,
 * whether or not positions are held by multipliers of their own (Gear, Gupta and Leimkuhler 1985), and steps could not
 * change their length. */
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <math.h>
#include <string.h>
#include "diag.h"
#include "sundials.h"
#include "vec.h"

enum { MAX_ORDER, CLOSING };
/* Shorter steps tried before one is given up, for each cause; passes of Newton's method: friction that depends on
 * lambda is not in the matrix and slows the convergence. */
static const int MOST_FAILURES = 30, MOST_PASSES = 8;
/* Part of the tolerance to which a step is solved. The remaining error is noise, and stiff forces turn it into
 * velocities of the size noise / step: with the usual 0.33 these velocities would limit the step. */
static const double SOLVED = 0.001;
/* Weight of unknowns that have no tolerance; must not be zero. */
static const double NO_WEIGHT = 1e-30;

/* Part of the largest acceleration: a change by softness above this is told. */
static const double NOTICED = 1e-6;

enum { POINTS = 3 };               /* of the extrapolation of lambda */
enum { UNKNOWNS, RATES, WITHIN, IS_RATE, VECTORS };     /* (y, lambda), their rates, within a step; 1: has a rate */

typedef struct ida {
    tn_sundials base;
    void *memory;                  /* IDA's */
    double closing;                /* 1/s */
    double gamma;                  /* of the matrix: 1 / leading coefficient of the formula */
    double *y;                     /* like y, quaternions of unit length */
    double *lambda0;               /* at the time of the residual */
    double *past[POINTS];          /* the solver's lambda at the starts of the last steps, the latest first */
    double past_times[POINTS];
    int points;                    /* how many there are, of the same rank */
    int rank;
    bool soft;                     /* rows are redundant in the step being taken */
    bool warned;                   /* of what softness changes */
} ida;

static int unknowns(const tn_stepper *st)
{
    return st->system->size + st->system->rows;
}

/* ---- residual ---- */

/* Extrapolates the solver's lambda to t. */
static void extrapolate_lambda0(ida *w, double t)
{
    const int rows = w->base.stepper->system->rows;
    memset(w->lambda0, 0, (size_t)rows * sizeof(double));
    for (int k = 0; k < w->points; k++) {
        double weight = 1;
        for (int j = 0; j < w->points; j++)
            weight *= j == k ? 1 : (t - w->past_times[j]) / (w->past_times[k] - w->past_times[j]);
        for (int i = 0; i < rows; i++)
            w->lambda0[i] += weight * w->past[k][i];
    }
}

static int evaluate_ida(ida *w, double t, const double *x)
{
    tn_stepper *st = w->base.stepper;
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    memcpy(w->y, x, (size_t)s->size * sizeof(double));
    tn_position_normalize(s, w->y);
    memcpy(e->lambda, x + s->size, (size_t)s->rows * sizeof(double));
    e->failed = NULL;
    e->reactions_known = s->reacts;
    tn_eval_motion(e, s, t, w->y, w->y + s->positions);
    tn_eval_forces(e, s, st->memory);
    tn_eval_constraints(e, s, st->memory, 2, true);
    st->counts.evaluations++;
    return e->failed ? TN_ERROR_STEP : TN_OK;
}

/* out = M a - f - G' lambda */
static void unbalanced(const tn_stepper *st, const double *a, const double *lambda, double *out)
{
    const tn_structure *k = &st->system->structure;
    memset(out, 0, (size_t)st->system->velocities * sizeof(double));
    tn_add_joint_forces(st, lambda, out);
    for (int b = 0; b < k->bodies; b++) {
        int first = k->body_column[b], n = k->body_column[b + 1] - first;
        const double *M = st->eval->M + k->mass_offset[b];
        for (int i = 0; i < n; i++) {
            double sum = -st->eval->f[first + i] - out[first + i];
            for (int j = 0; j < n; j++)
                sum += M[i * n + j] * a[first + j];
            out[first + i] = sum;
        }
    }
}

/* out = G a - bias + ... */
static void row_residuals(const ida *w, const double *a, const double *lambda, double *out)
{
    const tn_stepper *st = w->base.stepper;
    const tn_eval *e = st->eval;
    double c = w->closing;
    tn_jacobian_times(st, a, out);
    for (int i = 0; i < st->system->rows; i++) {
        double back = st->system->velocity_row[i] ? c * e->gdot[i] : 2 * c * e->gdot[i] + c * c * e->g[i];
        out[i] += back - e->bias[i] + tn_iteration_softness(w->base.matrix)[i] * (lambda[i] - w->lambda0[i]);
    }
}

static void write_residual(const ida *w, const double *x, const double *dx, double *r)
{
    const tn_stepper *st = w->base.stepper;
    const tn_system *s = st->system;
    tn_position_rate(s, x, x + s->positions, r);
    for (int k = 0; k < s->positions; k++)
        r[k] = dx[k] - r[k];
    unbalanced(st, dx + s->positions, x + s->size, r + s->positions);
    for (int k = s->positions + s->velocities; k < s->size; k++)
        r[k] = dx[k] - st->eval->dz[k - s->positions - s->velocities];
    row_residuals(w, dx + s->positions, x + s->size, r + s->size);
}

static int residual(realtype t, N_Vector x, N_Vector dx, N_Vector r, void *user)
{
    ida *w = user;
    int code = evaluate_ida(w, t, tn_numbers(x));
    if (w->soft)
        extrapolate_lambda0(w, t);
    write_residual(w, tn_numbers(x), tn_numbers(dx), tn_numbers(r));
    for (int k = 0; k < unknowns(w->base.stepper) && code == TN_OK; k++)
        if (!isfinite(tn_numbers(r)[k]))
            code = TN_ERROR_STEP;
    return tn_sundials_answer(&w->base, code);
}

static int weigh(N_Vector x, N_Vector weights, void *user)
{
    const tn_stepper *st = ((ida *)user)->base.stepper;
    int n = unknowns(st);
    tn_sundials_weights(st, tn_numbers(x), n, tn_numbers(weights));
    for (int k = st->system->size; k < n; k++)
        tn_numbers(weights)[k] = NO_WEIGHT;
    return 0;
}

/* ---- linear systems ---- */

static int renew(ida *w, double t, const double *x, double gamma)
{
    tn_iteration_weights weights = { .q = gamma * gamma, .v = gamma, .z = gamma };
    memcpy(w->y, x, (size_t)w->base.stepper->system->size * sizeof(double));
    tn_position_normalize(w->base.stepper->system, w->y);
    w->gamma = gamma;
    return tn_iteration_refresh(w->base.matrix, t, w->y, weights);
}

static int refresh(realtype t, realtype leading, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix matrix, void *user,
                   N_Vector unused1, N_Vector unused2, N_Vector unused3)
{
    ida *w = user;
    (void)dx, (void)r, (void)matrix, (void)unused1, (void)unused2, (void)unused3;
    return tn_sundials_answer(&w->base, renew(w, t, tn_numbers(x), 1 / leading));
}

/* With the residuals b, gamma as above and moved = gamma (tangent of b_q):
 *     x_q = moved + gamma x_v,   x_v = gamma a,   x_z = gamma w,   x_lambda = mu
 * from the iteration matrix, with the forces that moved causes and
 *     G a + 2 c G x_v + c^2 G x_q + softness mu = b_lambda */
static int change(ida *w, const double *now, const double *b, double *x)
{
    const tn_system *s = w->base.stepper->system;
    int n = s->velocities;
    double *moved = w->base.stepper->delta, *zeros = w->base.stepper->scratch;
    double *rates = x + s->positions, *rows = x + s->size;
    tn_position_tangent(s, now, b, moved);
    for (int k = 0; k < n; k++)
        moved[k] *= w->gamma;
    memset(zeros, 0, (size_t)s->size * sizeof(double));
    memcpy(rates, b + s->positions, (size_t)(n + s->states) * sizeof(double));
    tn_iteration_add_forces(w->base.matrix, moved, zeros, zeros, rates);
    tn_jacobian_times(w->base.stepper, moved, rows);
    for (int i = 0; i < s->rows; i++) {
        double c = w->closing, part = 1 + c * w->gamma;
        rows[i] = s->velocity_row[i] ? b[s->size + i] / part : (b[s->size + i] - c * c * rows[i]) / (part * part);
    }
    TN_TRY(tn_iteration_rates(w->base.matrix, rates, rows));
    for (int k = 0; k < n + s->states; k++)
        rates[k] *= w->gamma;
    for (int k = 0; k < n; k++)
        moved[k] = w->gamma * rates[k];
    tn_position_rate(s, now, moved, x);
    for (int k = 0; k < s->positions; k++)
        x[k] += w->gamma * b[k];
    return TN_OK;
}

static int solve_ida(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance)
{
    ida *w = solver->content;
    N_Vector now;
    (void)matrix, (void)tolerance;
    if (IDAGetCurrentY(w->memory, &now) != IDA_SUCCESS)
        return -1;
    return tn_sundials_answer(&w->base, change(w, tn_numbers(now), tn_numbers(b), tn_numbers(x)));
}

/* ---- life ---- */

static bool configure(ida *w, int order)
{
    void *m = w->memory;
    double longest = w->base.stepper->max_h;
    return IDASetUserData(m, w) == IDA_SUCCESS && IDAWFtolerances(m, weigh) == IDA_SUCCESS &&
           IDASetId(m, w->base.vectors[IS_RATE]) == IDA_SUCCESS && IDASetSuppressAlg(m, SUNTRUE) == IDA_SUCCESS &&
           IDASetLinearSolver(m, w->base.solver, w->base.empty) == IDA_SUCCESS &&
           IDASetJacFn(m, refresh) == IDA_SUCCESS && IDASetMaxOrd(m, order) == IDA_SUCCESS &&
           IDASetMaxErrTestFails(m, MOST_FAILURES) == IDA_SUCCESS &&
           IDASetMaxConvFails(m, MOST_FAILURES) == IDA_SUCCESS && IDASetMaxNonlinIters(m, MOST_PASSES) == IDA_SUCCESS &&
           IDASetNonlinConvCoef(m, SOLVED) == IDA_SUCCESS && IDASetMinStep(m, tn_sundials_shortest(w->base.stepper)) == IDA_SUCCESS &&
           (!isfinite(longest) || IDASetMaxStep(m, longest) == IDA_SUCCESS);
}

static int open_ida(ida *w, int order, tn_span span)
{
    N_Vector *v = w->base.vectors;
    TN_TRY(tn_sundials_open(&w->base, span, solve_ida));
    for (int k = 0; k < VECTORS; k++) {
        v[k] = N_VNew_Serial(unknowns(w->base.stepper), w->base.context);
        if (!v[k])
            return TN_ERROR_MEMORY;
        N_VConst_Serial(0, v[k]);
    }
    for (int k = 0; k < w->base.stepper->system->size; k++)
        tn_numbers(v[IS_RATE])[k] = 1;
    w->memory = IDACreate(w->base.context);
    if (!w->memory || IDASetErrHandlerFn(w->memory, tn_sundials_error, &w->base) != IDA_SUCCESS ||
        IDAInit(w->memory, residual, 0, v[UNKNOWNS], v[RATES]) != IDA_SUCCESS || !configure(w, order))
        return TN_ERROR_MEMORY;
    return TN_OK;
}

static int create_ida(void **own, tn_stepper *stepper, tn_span span)
{
    const tn_system *s = stepper->system;
    int order = 0;
    ida *w = tn_arena_alloc(stepper->arena, 1, sizeof *w);
    if (!w)
        return TN_ERROR_MEMORY;
    w->base.stepper = stepper;
    *own = w;
    if (!stepper->scheme->finish)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, span, "integrator 'ida' keeps the constraints among its own "
                       "equations, which scheme '%s' would do as well: use scheme 'projection'", stepper->scheme->name);
    TN_TRY(tn_sundials_order(&order, stepper, MAX_ORDER, span));
    w->closing = tn_integrator_parameter(stepper, CLOSING);
    w->y = tn_arena_alloc(stepper->arena, (size_t)s->size, sizeof(double));
    w->lambda0 = tn_arena_alloc(stepper->arena, (size_t)s->rows, sizeof(double));
    for (int k = 0; k < POINTS && w->lambda0; k++)
        if (!(w->past[k] = tn_arena_alloc(stepper->arena, (size_t)s->rows, sizeof(double))))
            return TN_ERROR_MEMORY;
    if (!w->y || !w->lambda0)
        return TN_ERROR_MEMORY;
    return open_ida(w, order, span);
}

static void destroy_ida(void *own)
{
    ida *w = own;
    if (w->memory)
        IDAFree(&w->memory);
    tn_sundials_close(&w->base);
}

/* ---- steps ---- */

/* Says once that softness changes accelerations more than round-off would: light bodies, large forces, redundant rows. */
static void warn_of_softness(ida *w)
{
    const tn_stepper *st = w->base.stepper;
    const tn_system *s = st->system;
    const double *lambda = tn_numbers(w->base.vectors[UNKNOWNS]) + s->size;
    const double *a = tn_numbers(w->base.vectors[RATES]) + s->positions;
    double off = 0, fastest = fmax(tn_largest(s->velocities, a), 1);
    int worst = 0;
    for (int c = 0; c < s->constraint_count && w->soft && !w->warned; c++)
        for (int i = s->structure.constraint_row[c]; i < s->structure.constraint_row[c + 1]; i++) {
            double change = tn_iteration_softness(w->base.matrix)[i] * fabs(lambda[i] - w->lambda0[i]);
            worst = change > off ? c : worst;
            off = fmax(off, change);
        }
    if (off <= NOTICED * fastest)
        return;
    w->warned = true;
    tn_warn(s->context, s->model->solve_span, "t = %.6g s: integrator 'ida' lets joint '%.80s' give way by %.2g m/s^2 or rad/s^2, "
            "because its joints are redundant and bodies beside it are very light; integrators 'cvode' and 'dopri5' do "
            "not", st->t, tn_constraint_name(s, worst), off);
}

/* Makes room for the lambda at t in front of those before, which count while IDA goes on and the rank stays. */
static double *past_at(ida *w, double t)
{
    const int rank = w->base.stepper->rank;
    double *oldest = w->past[POINTS - 1];
    if (w->base.fresh || rank != w->rank)
        w->points = 0;
    w->rank = rank;
    if (w->points > 0 && w->past_times[0] == t)
        return w->past[0];
    for (int k = POINTS - 1; k > 0; k--) {
        w->past[k] = w->past[k - 1];
        w->past_times[k] = w->past_times[k - 1];
    }
    w->past[0] = oldest;
    w->past_times[0] = t;
    w->points += w->points < POINTS;
    return oldest;
}

static int find_lambda0(ida *w, const tn_step *s)
{
    tn_stepper *st = w->base.stepper;
    st->with_lambda = true;
    int code = tn_stepper_evaluate(st, s->t, s->y0);
    st->with_lambda = false;
    const bool soft = st->rank != st->system->rows;
    if (soft != w->soft)
        w->base.fresh = true;              /* the matrix has to be another one */
    w->soft = soft;
    tn_iteration_set_rigid(w->base.matrix, !soft);
    const size_t size = (size_t)st->system->rows * sizeof(double);
    memcpy(w->lambda0, memcpy(past_at(w, s->t), st->eval->lambda, size), size);
    return code;
}

/* Starts IDA at y0 with its rates and joint forces. */
static int begin_ida(ida *w, const tn_step *s)
{
    tn_stepper *st = w->base.stepper;
    double *x = tn_numbers(w->base.vectors[UNKNOWNS]), *dx = tn_numbers(w->base.vectors[RATES]);
    memset(dx, 0, (size_t)unknowns(st) * sizeof(double));
    TN_TRY(renew(w, s->t, s->y0, s->h));
    memcpy(x, s->y0, (size_t)st->system->size * sizeof(double));
    memcpy(x + st->system->size, w->lambda0, (size_t)st->system->rows * sizeof(double));
    memcpy(dx, s->dy0, (size_t)st->system->size * sizeof(double));
    w->base.refused = 0;
    if (IDAReInit(w->memory, s->t, w->base.vectors[UNKNOWNS], w->base.vectors[RATES]) != IDA_SUCCESS ||
        IDASetInitStep(w->memory, s->h) != IDA_SUCCESS)
        return tn_sundials_failure(&w->base, st);
    w->base.fresh = false;
    return TN_OK;
}

static void count(ida *w)
{
    long errors = 0, unsolved = 0;
    IDAGetNumErrTestFails(w->memory, &errors);
    IDAGetNumStepSolveFails(w->memory, &unsolved);
    tn_sundials_count(&w->base, errors, unsolved);
}

static int advance_ida(tn_stepper *st, tn_step *s, double t_end)
{
    ida *w = s->own;
    N_Vector *v = w->base.vectors;
    double t = s->t, next = st->h;
    w->base.code = TN_OK;
    if (tn_sundials_stands(&w->base, s, t_end))
        return TN_OK;
    TN_TRY(find_lambda0(w, s));
    if (w->base.fresh)
        TN_TRY(begin_ida(w, s));
    if (isfinite(t_end) && IDASetStopTime(w->memory, t_end) != IDA_SUCCESS)
        return tn_sundials_failure(&w->base, st);
    int flag = IDASolve(w->memory, isfinite(t_end) ? t_end : s->t + 1, &t, v[UNKNOWNS], v[RATES], IDA_ONE_STEP);
    count(w);
    if (flag < 0)
        return tn_sundials_failure(&w->base, st);
    extrapolate_lambda0(w, t);
    warn_of_softness(w);
    IDAGetCurrentStep(w->memory, &next);
    tn_sundials_end_step(&w->base, s, t, next);
    memcpy(s->y1, tn_numbers(v[UNKNOWNS]), (size_t)tn_step_length(s) * sizeof(double));
    return TN_OK;
}

static void interpolate(const tn_step *s, double theta, double *y)
{
    ida *w = s->own;
    if (w->base.small) {
        memcpy(y, s->y1, (size_t)tn_step_length(s) * sizeof(double));
        return;
    }
    IDAGetDky(w->memory, s->t + theta * s->h, 0, w->base.vectors[WITHIN]);
    memcpy(y, tn_numbers(w->base.vectors[WITHIN]), (size_t)tn_step_length(s) * sizeof(double));
}

const tn_integrator_type tn_integrator_ida = {
    .name = "ida",
    .doc = "IDA of SUNDIALS: joint forces among the unknowns, order 1 to 5, adaptive; for stiff models.",
    .parameters = {
        [MAX_ORDER] = { "max_order", "", "Highest order used; up to 2 also fast vibrations are damped", 5, NULL },
        [CLOSING] = { "closing", "1/s", "Rate at which joints close again that errors opened", 10, NULL },
    },
    .own_reactions = true,
    .network_share = 0.01,
    .order = 5,
    .error_order = 2,
    .create = create_ida,
    .destroy = destroy_ida,
    .restart = tn_sundials_restart,
    .advance = advance_ida,
    .interpolate = interpolate,
    .close = tn_sundials_close_joints,
};
