/* What the integrators of SUNDIALS share: its objects, and the answer to its errors. */
#ifndef TN_STEP_SUNDIALS_H
#define TN_STEP_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include "stepper.h"

typedef struct tn_sundials {
    SUNContext context;
    SUNMatrix matrix;              /* empty: what is factored is our own (implicit.h) */
    SUNLinearSolver solver;
    char message[220];             /* of the last error, in the words of SUNDIALS */
    int code;                      /* error of ours on which a callback stopped; TN_OK: none */
} tn_sundials;

/* solve: with the matrix refreshed last; content: what it finds in SUNLinearSolver->content. */
int tn_sundials_open(tn_sundials *s, int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, realtype),
                     void *content);
void tn_sundials_close(tn_sundials *s);
/* For a callback: 0, 1 where a shorter step may help, -1 where nothing does. Keeps the code. */
int tn_sundials_answer(tn_sundials *s, int code);
/* What the error of a step means to the stepper: the code that a callback stopped on, or TN_ERROR_STEP with trouble. */
int tn_sundials_failure(tn_sundials *s, tn_stepper *stepper);
/* A vector over numbers that are set later; NULL: no memory. */
N_Vector tn_sundials_vector(tn_sundials *s, int length);
/* Instead of printing: user is the tn_sundials. */
void tn_sundials_error(int code, const char *module, const char *function, char *message, void *user);
/* Memory of the vector's numbers. */
static inline double *tn_numbers(N_Vector vector)
{
    return N_VGetArrayPointer_Serial(vector);
}
/* Weights for y such that the norm of SUNDIALS, a mean over length entries, is at most 1 only where every entry is
 * within its tolerance, as with all other integrators. */
void tn_sundials_weights(const tn_stepper *stepper, const double *y, int length, double *weights);

#endif
