/* What the integrators of SUNDIALS share: its objects, and the answer to its errors. */
#ifndef TN_STEP_SUNDIALS_H
#define TN_STEP_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include "implicit.h"
#include "stepper.h"

enum { TN_SUNDIALS_VECTORS = 4 };

/* The beginning of every integrator of SUNDIALS. */
typedef struct tn_sundials {
    tn_stepper *stepper;
    tn_iteration *matrix;          /* Newton's, ours */
    SUNContext context;
    SUNMatrix empty;               /* stands for ours */
    SUNLinearSolver solver;
    N_Vector vectors[TN_SUNDIALS_VECTORS];     /* destroyed with it; NULL: none */
    bool fresh;                    /* no history */
    long refused;                  /* tries that were refused since the history begins */
    char message[220];             /* of the last error, in the words of SUNDIALS */
    int code;                      /* error of ours on which a callback stopped; TN_OK: none */
} tn_sundials;

/* The highest order to be used, 1 to 5, by a parameter of the integrator; TN_ERROR_ARGUMENT with a diagnostic. */
int tn_sundials_order(int *out, const tn_stepper *stepper, int parameter, tn_span span);
/* Makes the matrix and the objects of SUNDIALS; s->stepper is set. solve: with the matrix refreshed last; it finds s in
 * SUNLinearSolver->content. */
int tn_sundials_open(tn_sundials *s, tn_span span,
                     int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, realtype));
void tn_sundials_close(tn_sundials *s);
/* For a callback: 0, 1 where a shorter step may help, -1 where nothing does. Keeps the code. */
int tn_sundials_answer(tn_sundials *s, int code);
/* What the error of a step means to the stepper: the code that a callback stopped on, or TN_ERROR_STEP with trouble. */
int tn_sundials_failure(tn_sundials *s, tn_stepper *stepper);
/* For integrators: own is their tn_sundials. The state was set from outside; closes joints after a step. */
void tn_sundials_restart(void *own);
int tn_sundials_close_joints(const tn_step *step, double t, double *y);
/* Counts the tries that were refused since the history begins. */
void tn_sundials_count(tn_sundials *s, long errors, long unsolved);
/* The end of the step, t, and the length of the next. */
void tn_sundials_end_step(tn_sundials *s, tn_step *step, double t, double next);
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
