/* Integrator "cvode" (SUNDIALS; Hindmarsh et al. 2005): backward differentiation formulas of order 1 to 5 with variable
 * step, for y' = rate(t, y) with the accelerations of the constrained system. Newton's matrix comes from implicit.h;
 * CVODE decides when to refresh it. The end of a step is projected before it becomes history. The error estimate is not
 * projected: with the rows of a matrix that is some steps old, errors of fast rotating bodies would seem too large. */
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <math.h>
#include <string.h>
#include "sundials.h"

enum { MAX_ORDER };
/* Shorter steps tried before one is given up, for each cause. */
static const int MOST_FAILURES = 30;
/* Part of the tolerance to which a step is solved. The remaining error is noise, and stiff forces turn it into
 * velocities of the size noise / step: with the usual 0.1 these velocities would limit the step. */
static const double SOLVED = 0.01;

enum { END, WITHIN };              /* vectors that wrap our arrays: end of a step, state within a step */

typedef struct cvode {
    tn_sundials base;
    void *memory;                  /* CVODE's */
    double *projected;             /* like y */
} cvode;

/* ---- callbacks of CVODE ---- */

static int rate(realtype t, N_Vector y, N_Vector dy, void *user)
{
    cvode *w = user;
    return tn_sundials_answer(&w->base, tn_rate(tn_numbers(dy), w->base.stepper, t, tn_numbers(y)));
}

static int weigh(N_Vector y, N_Vector weights, void *user)
{
    cvode *w = user;
    tn_sundials_weights(w->base.stepper, tn_numbers(y), w->base.stepper->system->size, tn_numbers(weights));
    return 0;
}

/* The matrix I - gamma J. */
static int refresh(realtype t, N_Vector y, N_Vector dy, SUNMatrix matrix, booleantype still_good, booleantype *renewed,
                   realtype gamma, void *user, N_Vector unused1, N_Vector unused2, N_Vector unused3)
{
    cvode *w = user;
    tn_iteration_weights weights = { .q = gamma * gamma, .v = gamma, .z = gamma };
    (void)dy, (void)matrix, (void)still_good, (void)unused1, (void)unused2, (void)unused3;
    *renewed = SUNTRUE;
    return tn_sundials_answer(&w->base, tn_iteration_refresh(w->base.matrix, t, tn_numbers(y), weights));
}

static int solve_cvode(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right, realtype tolerance)
{
    cvode *w = solver->content;
    N_Vector now;
    (void)matrix, (void)tolerance;
    if (CVodeGetCurrentState(w->memory, &now) != CV_SUCCESS)
        return -1;
    memcpy(tn_numbers(x), tn_numbers(right), (size_t)w->base.stepper->system->size * sizeof(double));
    return tn_sundials_answer(&w->base, tn_iteration_solve_state(w->base.matrix, tn_numbers(now), tn_numbers(x)));
}

static int project(realtype t, N_Vector y, N_Vector correction, realtype tolerance, N_Vector error, void *user)
{
    cvode *w = user;
    int n = w->base.stepper->system->size;
    (void)tolerance, (void)error;
    memcpy(w->projected, tn_numbers(y), (size_t)n * sizeof(double));
    int code = tn_stepper_finish(w->base.stepper, t, w->projected);
    for (int k = 0; k < n; k++)
        tn_numbers(correction)[k] = w->projected[k] - tn_numbers(y)[k];
    return tn_sundials_answer(&w->base, code);
}

/* ---- life ---- */

static bool configure(cvode *w, int order)
{
    void *c = w->memory;
    double longest = w->base.stepper->max_h;
    return CVodeSetUserData(c, w) == CV_SUCCESS && CVodeWFtolerances(c, weigh) == CV_SUCCESS &&
           CVodeSetLinearSolver(c, w->base.solver, w->base.empty) == CV_SUCCESS &&
           CVodeSetLinSysFn(c, refresh) == CV_SUCCESS && CVodeSetMaxOrd(c, order) == CV_SUCCESS &&
           CVodeSetMaxErrTestFails(c, MOST_FAILURES) == CV_SUCCESS &&
           CVodeSetMaxConvFails(c, MOST_FAILURES) == CV_SUCCESS && CVodeSetMinStep(c, tn_sundials_shortest(w->base.stepper)) == CV_SUCCESS &&
           CVodeSetNonlinConvCoef(c, SOLVED) == CV_SUCCESS &&
           (!isfinite(longest) || CVodeSetMaxStep(c, longest) == CV_SUCCESS) &&
           CVodeSetProjFn(c, project) == CV_SUCCESS && CVodeSetProjErrEst(c, SUNFALSE) == CV_SUCCESS &&
           CVodeSetMaxNumProjFails(c, MOST_FAILURES) == CV_SUCCESS;
}

static int open_cvode(cvode *w, int order, tn_span span)
{
    tn_stepper *st = w->base.stepper;
    TN_TRY(tn_sundials_open(&w->base, span, solve_cvode));
    w->base.vectors[END] = N_VNewEmpty_Serial(st->system->size, w->base.context);
    w->base.vectors[WITHIN] = N_VNewEmpty_Serial(st->system->size, w->base.context);
    w->memory = CVodeCreate(CV_BDF, w->base.context);
    if (!w->base.vectors[END] || !w->base.vectors[WITHIN] || !w->memory)
        return TN_ERROR_MEMORY;
    N_VSetArrayPointer_Serial(st->y1, w->base.vectors[END]);
    if (CVodeSetErrHandlerFn(w->memory, tn_sundials_error, &w->base) != CV_SUCCESS ||
        CVodeInit(w->memory, rate, 0, w->base.vectors[END]) != CV_SUCCESS || !configure(w, order))
        return TN_ERROR_MEMORY;
    return TN_OK;
}

static int create_cvode(void **own, tn_stepper *stepper, tn_span span)
{
    int order = 0;
    cvode *w = tn_arena_alloc(stepper->arena, 1, sizeof *w);
    if (!w)
        return TN_ERROR_MEMORY;
    w->base.stepper = stepper;
    *own = w;
    TN_TRY(tn_sundials_order(&order, stepper, MAX_ORDER, span));
    w->projected = tn_arena_alloc(stepper->arena, (size_t)stepper->system->size, sizeof(double));
    if (!w->projected)
        return TN_ERROR_MEMORY;
    return open_cvode(w, order, span);
}

static void destroy_cvode(void *own)
{
    cvode *w = own;
    if (w->memory)
        CVodeFree(&w->memory);
    tn_sundials_close(&w->base);
}

/* ---- steps ---- */

/* Starts CVODE at y0, which has been copied to y1 already. */
static bool begin_cvode(cvode *w, const tn_step *s)
{
    w->base.refused = 0;
    w->base.fresh = false;
    return CVodeReInit(w->memory, s->t, w->base.vectors[END]) == CV_SUCCESS &&
           CVodeSetInitStep(w->memory, s->h) == CV_SUCCESS;
}

static void count(cvode *w)
{
    long errors = 0, unsolved = 0;
    CVodeGetNumErrTestFails(w->memory, &errors);
    CVodeGetNumStepSolveFails(w->memory, &unsolved);
    tn_sundials_count(&w->base, errors, unsolved);
}

static int advance_cvode(tn_stepper *st, tn_step *s, double t_end)
{
    cvode *w = s->own;
    double t = s->t, next = st->h;
    w->base.code = TN_OK;
    if (tn_sundials_stands(&w->base, s, t_end))
        return TN_OK;
    memcpy(s->y1, s->y0, (size_t)tn_step_length(s) * sizeof(double));
    N_VSetArrayPointer_Serial(s->y1, w->base.vectors[END]);
    if ((w->base.fresh && !begin_cvode(w, s)) || (isfinite(t_end) && CVodeSetStopTime(w->memory, t_end) != CV_SUCCESS))
        return tn_sundials_failure(&w->base, st);
    int flag = CVode(w->memory, isfinite(t_end) ? t_end : s->t + 1, w->base.vectors[END], &t, CV_ONE_STEP);
    count(w);
    if (flag < 0)
        return tn_sundials_failure(&w->base, st);
    CVodeGetCurrentStep(w->memory, &next);
    tn_sundials_end_step(&w->base, s, t, next);
    return TN_OK;
}

static void interpolate(const tn_step *s, double theta, double *y)
{
    cvode *w = s->own;
    if (w->base.small) {
        memcpy(y, s->y1, (size_t)tn_step_length(s) * sizeof(double));
        return;
    }
    N_VSetArrayPointer_Serial(y, w->base.vectors[WITHIN]);
    CVodeGetDky(w->memory, s->t + theta * s->h, 0, w->base.vectors[WITHIN]);
}

const tn_integrator_type tn_integrator_cvode = {
    .name = "cvode",
    .doc = "CVODE of SUNDIALS: backward differentiation, order 1 to 5, adaptive; for stiff models.",
    .parameters = {
        [MAX_ORDER] = { "max_order", "", "Highest order used; up to 2 also fast vibrations are damped", 5, NULL },
    },
    .network_share = 0.01,
    .order = 5,
    .error_order = 2,
    .create = create_cvode,
    .destroy = destroy_cvode,
    .restart = tn_sundials_restart,
    .advance = advance_cvode,
    .interpolate = interpolate,
    .close = tn_sundials_close_joints,
};
