/* Shared by the integrators of SUNDIALS (sundials.h): creation, results of callbacks, errors and counts. */
#include "sundials.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "diag.h"

static SUNLinearSolver_Type direct(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_of_ours(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static SUNMatrix_ID matrix_of_ours(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int zero(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMAT_SUCCESS;
}

/* ---- life ---- */

int tn_sundials_order(int *out, const tn_stepper *stepper, int parameter, tn_span span)
{
    static const int highest = 5;
    double order = tn_integrator_parameter(stepper, parameter);
    if (!(order >= 1 && order <= highest))
        return tn_fail(stepper->system->context, TN_ERROR_ARGUMENT, span, "%s: max_order %g must be from 1 to %d",
                       stepper->integrator->name, order, highest);
    *out = (int)order;
    return TN_OK;
}

/* Circuits settle within picoseconds where a diode blocks the current of an inductor. */
double tn_sundials_shortest(const tn_stepper *stepper)
{
    static const double of_mechanisms = 1e-12, of_networks = 1e-20;
    return stepper->system->network ? of_networks : of_mechanisms;
}

int tn_sundials_open(tn_sundials *s, tn_span span,
                     int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, realtype))
{
    TN_TRY(tn_iteration_create(&s->matrix, s->stepper, span));
    if (SUNContext_Create(NULL, &s->context) != 0)
        return TN_ERROR_MEMORY;
    s->empty = SUNMatNewEmpty(s->context);
    s->solver = SUNLinSolNewEmpty(s->context);
    if (!s->empty || !s->solver)
        return TN_ERROR_MEMORY;
    s->empty->ops->getid = matrix_of_ours;
    s->empty->ops->zero = zero;
    s->solver->ops->gettype = direct;
    s->solver->ops->getid = solver_of_ours;
    s->solver->ops->solve = solve;
    s->solver->content = s;
    return TN_OK;
}

void tn_sundials_close(tn_sundials *s)
{
    for (int k = 0; k < TN_SUNDIALS_VECTORS; k++)
        if (s->vectors[k])
            N_VDestroy(s->vectors[k]);
    if (s->solver)
        SUNLinSolFreeEmpty(s->solver);
    if (s->empty)
        SUNMatFreeEmpty(s->empty);
    if (s->context)
        SUNContext_Free(&s->context);
    tn_iteration_destroy(s->matrix);
}

void tn_sundials_restart(void *own)
{
    ((tn_sundials *)own)->fresh = true;
}

/* ---- steps ---- */

int tn_sundials_close_joints(const tn_step *step, double t, double *y)
{
    return tn_iteration_close(((tn_sundials *)step->own)->matrix, t, y);
}

void tn_sundials_count(tn_sundials *s, long errors, long unsolved)
{
    s->stepper->counts.rejected += errors + unsolved - s->refused;
    s->refused = errors + unsolved;
}

void tn_sundials_end_step(tn_sundials *s, tn_step *step, double t, double next)
{
    step->h = t - step->t;
    s->stepper->h = next;
}

bool tn_sundials_stands(tn_sundials *s, tn_step *step, double t_end)
{
    const double few_bits = 16 * DBL_EPSILON;          /* the solvers refuse to start for less than 4 */
    s->small = isfinite(t_end) && t_end - step->t <= few_bits * fabs(t_end);
    if (s->stepper->system->size > 0 && !s->small)
        return false;
    const double end = fmin(step->t + step->h, t_end), h = end - step->t;
    memcpy(step->y1, step->y0, (size_t)tn_step_length(step) * sizeof(double));
    for (int k = 0; k < s->stepper->system->size; k++)
        step->y1[k] += h * step->dy0[k];
    s->fresh = s->fresh || s->small;
    tn_sundials_end_step(s, step, end, s->stepper->h);
    return true;
}

int tn_sundials_answer(tn_sundials *s, int code)
{
    s->code = code;
    return code == TN_OK ? 0 : code == TN_ERROR_STEP ? 1 : -1;
}

int tn_sundials_failure(tn_sundials *s, tn_stepper *stepper)
{
    stepper->trouble = s->message;
    return s->code < 0 ? s->code : TN_ERROR_STEP;
}

void tn_sundials_error(int code, const char *module, const char *function, char *message, void *user)
{
    tn_sundials *s = user;
    (void)code;
    (void)function;
    message[strcspn(message, "\n")] = '\0';
    snprintf(s->message, sizeof s->message, "%s: %.120s", module, message);
}

void tn_sundials_weights(const tn_stepper *st, const double *y, int length, double *weights)
{
    double mean = sqrt((double)length);
    for (int k = 0; k < st->system->size; k++)
        weights[k] = mean / (st->absolute_tolerance + st->tolerance * fabs(y[k]));
}
