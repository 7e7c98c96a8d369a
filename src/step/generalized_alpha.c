/* Generalized-alpha (Chung and Hulbert 1993) with the accelerations of the constrained system, in the form of Arnold
 * and Bruls 2007: pseudo-accelerations p lag behind the accelerations a = a(t, q, v, z) that the solver finds,
 *     (1 - alpha_m) p1 + alpha_m p0 = (1 - alpha_f) a1 + alpha_f a0
 *     v1 = v0 + h ((1 - gamma) p0 + gamma p1)
 *     q1 = q0 moved by h v0 + h^2 ((1/2 - beta) p0 + beta p1)
 * and states z like velocities, with the coefficients of Jansen, Whiting and Hulbert 2000 for first order. rho_infinity
 * is the factor by which a step scales infinitely fast motions. The method is implicit: Newton's method solves for the
 * rates (a1, z1') with a matrix that is kept while it converges. p0 belongs to the time t + (alpha_m - alpha_f) h, and
 * is moved there when h changes: order 2 with changing steps, too. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "implicit.h"

enum { RHO_INFINITY, HHT, FIXED };

/* Newton's method ends when the correction is this part of the tolerance; the tolerance is capped. With fixed steps,
 * which have no tolerance, the limit is smaller. */
static const double CONVERGED = 0.01, LOOSEST = 1e-3, LOOSEST_FIXED = 1e-8;
static const int MOST_PASSES = 12;
/* Passes must reduce the correction at least by this factor; a matrix with a factor above SLOW is renewed before the
 * next step. */
static const double DIVERGING = 0.9, SLOW = 0.2;
/* A matrix is reused for steps whose length differs by at most this part. */
static const double SAME_LENGTH = 0.25;

typedef struct coefficients {
    double alpha_m, alpha_f, beta, gamma;
    double share;                  /* of a change of rates that reaches p1 */
    double lag;                    /* of p behind the rates, in steps */
    double second, third;          /* local errors over h^3: of positions by the first derivative of rates, of
                                      velocities by the second */
} coefficients;

typedef struct alpha {
    tn_stepper *stepper;
    tn_iteration *matrix;
    coefficients motion, states;
    bool fixed;
    bool started;                  /* the last step is known */
    bool usable;                   /* the matrix is usable */
    double last_h;
    double *p, *p0, *p1;           /* pseudo-rates of velocities and states: accepted, moved to the step, at its end */
    double *before;                /* rates one step back */
    double *rate, *found;          /* rates at the end: assumed; dy found with them */
    double *change;                /* velocity-like positions, velocities, states */
    double *predicted;             /* y */
} alpha;

/* ---- coefficients ---- */

/* Both local errors follow from p_n = rate at t_n + lag h, plus h^2 second derivatives of the rate. */
static coefficients complete(double alpha_m, double alpha_f)
{
    coefficients c = { .alpha_m = alpha_m, .alpha_f = alpha_f, .gamma = 0.5 - alpha_m + alpha_f };
    c.beta = 0.25 * (1 - alpha_m + alpha_f) * (1 - alpha_m + alpha_f);
    c.share = (1 - alpha_f) / (1 - alpha_m);
    c.lag = alpha_m - alpha_f;
    double begin = c.lag * c.lag / 2, end = (1 + c.lag) * (1 + c.lag) / 2;
    double curved = (1 - alpha_f) / 2 - (1 - alpha_m) * end - alpha_m * begin;
    c.second = c.beta + c.lag / 2 - 1.0 / 6;
    c.third = (1 - c.gamma) * begin + c.gamma * end + curved - 1.0 / 6;
    return c;
}

static int choose(alpha *w, tn_span span)
{
    tn_stepper *st = w->stepper;
    tn_context *context = st->system->context;
    double rho = tn_integrator_parameter(st, RHO_INFINITY), least = tn_integrator_parameter(st, HHT) != 0 ? 0.5 : 0;
    if (!(rho >= least && rho <= 1))
        return tn_fail(context, TN_ERROR_ARGUMENT, span, "generalized-alpha: rho_infinity %g must be from %g to 1%s",
                       rho, least, least > 0 ? " with hht" : "");
    w->fixed = tn_integrator_parameter(st, FIXED) != 0;
    if (w->fixed && isnan(st->solve.step))
        return tn_fail(context, TN_ERROR_ARGUMENT, span, "generalized-alpha with fixed steps: give solve.step");
    double alpha_f = rho / (1 + rho);
    w->motion = least > 0 ? complete(0, (1 - rho) / (1 + rho)) : complete((2 * rho - 1) / (1 + rho), alpha_f);
    w->states = complete((3 * rho - 1) / (2 * (1 + rho)), alpha_f);
    return TN_OK;
}

static const coefficients *of(const alpha *w, int k)
{
    return k < w->stepper->system->velocities ? &w->motion : &w->states;
}

/* ---- life ---- */

static int build_generalized_alpha(alpha *w, tn_span span)
{
    tn_stepper *st = w->stepper;
    const tn_system *s = st->system;
    double **const vectors[] = { &w->p, &w->p0, &w->p1, &w->before, &w->rate };
    TN_TRY(choose(w, span));
    for (size_t k = 0; k < TN_LENGTH(vectors); k++) {
        *vectors[k] = tn_arena_alloc(st->arena, (size_t)(s->velocities + s->states), sizeof(double));
        if (!*vectors[k])
            return TN_ERROR_MEMORY;
    }
    w->found = tn_arena_alloc(st->arena, (size_t)s->size, sizeof(double));
    w->predicted = tn_arena_alloc(st->arena, (size_t)s->size, sizeof(double));
    w->change = tn_arena_alloc(st->arena, (size_t)(2 * s->velocities + s->states), sizeof(double));
    if (!w->found || !w->predicted || !w->change)
        return TN_ERROR_MEMORY;
    return tn_iteration_create(&w->matrix, st, span);
}

static int create_generalized_alpha(void **own, tn_stepper *stepper, tn_span span)
{
    alpha *w = tn_arena_alloc(stepper->arena, 1, sizeof *w);
    if (!w)
        return TN_ERROR_MEMORY;
    w->stepper = stepper;
    *own = w;
    return build_generalized_alpha(w, span);
}

static void destroy_generalized_alpha(void *own)
{
    tn_iteration_destroy(((alpha *)own)->matrix);
}

static void restart(void *own)
{
    alpha *w = own;
    w->started = w->usable = false;
}

static void accept(const tn_step *s)
{
    alpha *w = s->own;
    double *p = w->p;
    w->p = w->p1;
    w->p1 = p;
    memcpy(w->before, s->dy0 + s->positions, (size_t)(s->velocities + s->states) * sizeof(double));
    w->last_h = s->h;
    w->started = true;
}

/* ---- a step ---- */

/* Pseudo-rates for this step; rates at its end, extrapolated from the last step. What p lags behind the rates is moved with the
 * length of the step. After a jump p is off by more than that: the rest fades from step to step, and must not be stretched with
 * steps that grow again, which would be faster. */
static void begin_generalized_alpha(alpha *w, const tn_step *s)
{
    const double *rate = s->dy0 + s->positions;
    double stretch = w->started ? s->h / w->last_h : 0;
    for (int k = 0; k < s->velocities + s->states; k++) {
        double lag = of(w, k)->lag * (rate[k] - w->before[k]);
        w->p0[k] = w->started ? rate[k] + stretch * lag + fmin(stretch, 1) * (w->p[k] - rate[k] - lag) : rate[k];
        w->rate[k] = rate[k] + stretch * (rate[k] - w->before[k]);
    }
}

/* y1 from the rates assumed at the end. */
static void place_end(alpha *w, const tn_step *s)
{
    const double *y0 = s->y0 + s->positions, *rate0 = s->dy0 + s->positions;
    double *y1 = s->y1 + s->positions, *move = w->change, h = s->h;
    for (int k = 0; k < s->velocities + s->states; k++) {
        const coefficients *c = of(w, k);
        w->p1[k] = c->share * w->rate[k] + (c->alpha_f * rate0[k] - c->alpha_m * w->p0[k]) / (1 - c->alpha_m);
        y1[k] = y0[k] + h * ((1 - c->gamma) * w->p0[k] + c->gamma * w->p1[k]);
    }
    for (int k = 0; k < s->velocities; k++)
        move[k] = h * (y0[k] + h * ((0.5 - w->motion.beta) * w->p0[k] + w->motion.beta * w->p1[k]));
    tn_move(s->y1, w->stepper, s->y0, move);
}

static int refresh(alpha *w, const tn_step *s)
{
    const coefficients *m = &w->motion, *z = &w->states;
    tn_iteration_weights weights = { .q = s->h * s->h * m->beta * m->share, .v = s->h * m->gamma * m->share,
                                     .z = s->h * z->gamma * z->share };
    TN_TRY(tn_iteration_refresh(w->matrix, s->t + s->h, w->predicted, weights));
    w->usable = true;
    return TN_OK;
}

static bool fits(const alpha *w, const tn_step *s)
{
    double wanted = s->h * w->motion.gamma * w->motion.share;
    return w->usable && fabs(tn_iteration_weights_of(w->matrix).v / wanted - 1) <= SAME_LENGTH;
}

/* One pass; size: its largest correction over the tolerance. */
static int correct(alpha *w, tn_step *s, double *size)
{
    tn_stepper *st = w->stepper;
    tn_iteration_weights weights = tn_iteration_weights_of(w->matrix);
    int n = s->velocities;
    double loosest = w->fixed ? LOOSEST_FIXED : LOOSEST;
    double relative = fmin(st->tolerance, loosest), absolute = fmin(st->absolute_tolerance, loosest);
    TN_TRY(tn_rate(w->found, st, s->t + s->h, s->y1));
    memset(w->change, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < n + s->states; k++)
        w->change[n + k] = (k < n ? weights.v : weights.z) * (w->found[s->positions + k] - w->rate[k]);
    TN_TRY(tn_iteration_solve(w->matrix, w->change));
    *size = 0;
    for (int k = 0; k < n + s->states; k++) {
        double change = w->change[n + k], scale = absolute + relative * fabs(s->y1[s->positions + k]);
        w->rate[k] += change / (k < n ? weights.v : weights.z);
        if (!(fabs(change) <= *size * scale))
            *size = fabs(change) / scale;
    }
    place_end(w, s);
    return TN_OK;
}

static int iterate(alpha *w, tn_step *s)
{
    double last = NAN;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        double size;
        TN_TRY(correct(w, s, &size));
        double gain = size / last;                     /* NaN in the first pass */
        if (!isfinite(size) || gain > DIVERGING)
            return size <= CONVERGED ? TN_OK : TN_ERROR_STEP;
        if (gain > SLOW)
            w->usable = false;
        if (size * (isnan(gain) ? 1 : gain / (1 - gain)) <= CONVERGED)
            return TN_OK;
        last = size;
    }
    return TN_ERROR_STEP;
}

static int from_prediction(alpha *w, tn_step *s)
{
    begin_generalized_alpha(w, s);
    place_end(w, s);
    memcpy(w->predicted, s->y1, (size_t)tn_step_length(s) * sizeof(double));
    if (!fits(w, s))
        TN_TRY(refresh(w, s));
    return iterate(w, s);
}

static int step_generalized_alpha(tn_stepper *st, tn_step *s)
{
    alpha *w = s->own;
    bool old = fits(w, s);
    int code = from_prediction(w, s);
    if (code == TN_ERROR_STEP && old) {
        w->usable = false;
        code = from_prediction(w, s);
    }
    if (code == TN_ERROR_STEP) {
        w->usable = false;
        st->trouble = "Newton's method finds no end of the step";
    }
    return code;
}

static int close_joints(const tn_step *s, double t, double *y)
{
    return tn_iteration_close(((alpha *)s->own)->matrix, t, y);
}

/* Continues with the rates that the step solved for. The rates at y1 contain the effect of closing the joints on stiff
 * forces. */
static void carry(const tn_step *s, double *dy1)
{
    const alpha *w = s->own;
    memcpy(dy1 + s->positions, w->rate, (size_t)(s->velocities + s->states) * sizeof(double));
}

/* ---- step control ---- */

/* Second derivative of rate k, times h^2; if no earlier rate is known, the first derivative replaces it. */
static double curvature(const alpha *w, const tn_step *s, int k)
{
    double now = s->dy1[s->positions + k] - s->dy0[s->positions + k];
    if (!w->started)
        return now;
    double earlier = s->dy0[s->positions + k] - w->before[k];
    return 2 * (now - s->h / w->last_h * earlier) / (1 + w->last_h / s->h);
}

/* The part of the change of velocity k that comes from p off its place, after a jump of forces; p fades slower than steps may grow. */
static double strayed(const alpha *w, const tn_step *s, int k)
{
    const coefficients *c = of(w, k);
    double rate = s->dy0[s->positions + k], lag = c->lag * s->h / w->last_h * (rate - w->before[k]);
    return w->started ? s->h * (1 - c->gamma - c->gamma * c->alpha_m / (1 - c->alpha_m)) * (w->p0[k] - rate - lag) : 0;
}

/* Filters a velocity-like change by the response of stiff forces: x becomes (I - c_v J)^-1 (0, x). */
static void filter(alpha *w, const tn_step *s)
{
    memset(w->change, 0, (size_t)s->velocities * sizeof(double));
    if (tn_iteration_solve(w->matrix, w->change) < 0)
        w->change[s->velocities] = INFINITY;
}

/* The error estimate, filtered separately for positions and velocities. The effect of stiff forces on differences of
 * rates is no error; neither are velocities along stiff directions, which do not affect the next step. */
static void error_generalized_alpha(const tn_step *s, double *e)
{
    alpha *w = s->own;
    int n = s->velocities;
    double *change = w->change + n;
    for (int k = 0; k < n + s->states; k++)
        change[k] = k < n ? w->motion.second * s->h * s->h * (s->dy1[s->positions + k] - s->dy0[s->positions + k]) : 0;
    filter(w, s);
    tn_position_rate(w->stepper->system, s->y1, change, e);
    for (int k = 0; k < n + s->states; k++)
        change[k] = of(w, k)->third * s->h * curvature(w, s, k) + strayed(w, s, k);
    filter(w, s);
    memcpy(e + s->positions, change, (size_t)(n + s->states) * sizeof(double));
}

static double judge(tn_stepper *st, double *factor)
{
    const alpha *w = st->step.own;
    if (!w->fixed)
        return NAN;
    *factor = st->solve.step / st->step.h;
    return 0;
}

const tn_integrator_type tn_integrator_generalized_alpha = {
    .name = "generalized-alpha",
    .doc = "Generalized-alpha: implicit, order 2, for stiff models; damps fast motions; adaptive or fixed step.",
    .parameters = {
        [RHO_INFINITY] = { "rho_infinity", "", "What a step leaves of infinitely fast motions: 1 all, 0 nothing", 0.8,
                           NULL },
        [HHT] = { "hht", "", "1: the method of Hilber, Hughes and Taylor, rho_infinity from 0.5", 0, NULL },
        [FIXED] = { "fixed", "", "1: all steps have the length solve.step", 0, NULL },
    },
    .network_share = 1.0 / 500,
    .order = 2,
    .step = step_generalized_alpha,
    .carry = carry,
    .error = error_generalized_alpha,
    .error_order = 3,
    .judge = judge,
    .create = create_generalized_alpha,
    .destroy = destroy_generalized_alpha,
    .restart = restart,
    .accept = accept,
    .close = close_joints,
};
