#include "sundials.h"

#include <math.h>
#include <string.h>

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

int tn_sundials_open(tn_sundials *s, int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, realtype),
                     void *content)
{
    if (SUNContext_Create(NULL, &s->context) != 0)
        return TN_ERROR_MEMORY;
    s->matrix = SUNMatNewEmpty(s->context);
    s->solver = SUNLinSolNewEmpty(s->context);
    if (!s->matrix || !s->solver)
        return TN_ERROR_MEMORY;
    s->matrix->ops->getid = matrix_of_ours;
    s->matrix->ops->zero = zero;
    s->solver->ops->gettype = direct;
    s->solver->ops->getid = solver_of_ours;
    s->solver->ops->solve = solve;
    s->solver->content = content;
    return TN_OK;
}

void tn_sundials_close(tn_sundials *s)
{
    if (s->solver)
        SUNLinSolFreeEmpty(s->solver);
    if (s->matrix)
        SUNMatFreeEmpty(s->matrix);
    if (s->context)
        SUNContext_Free(&s->context);
}

N_Vector tn_sundials_vector(tn_sundials *s, int length)
{
    return N_VNewEmpty_Serial(length, s->context);
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
    snprintf(s->message, sizeof s->message, "%s: %.120s (at a singular position, integrator 'dopri5' comes further)",
             module, message);
}

void tn_sundials_weights(const tn_stepper *st, const double *y, int length, double *weights)
{
    double mean = sqrt((double)length);
    for (int k = 0; k < st->system->size; k++)
        weights[k] = mean / (st->absolute_tolerance + st->tolerance * fabs(y[k]));
}
