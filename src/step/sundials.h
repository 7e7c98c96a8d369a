/* Shared by the integrators of SUNDIALS: the objects of SUNDIALS and the handling of its errors. */
#ifndef TN_STEP_SUNDIALS_H
#define TN_STEP_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include "implicit.h"
#include "stepper.h"

enum { TN_SUNDIALS_VECTORS = 4 };

/* First member of every SUNDIALS integrator's own data. */
typedef struct tn_sundials {
    tn_stepper *stepper;
    tn_iteration *matrix;          /* iteration matrix of Newton's method, from implicit.h */
    SUNContext context;
    SUNMatrix empty;               /* placeholder: the matrix is in matrix above */
    SUNLinearSolver solver;
    N_Vector vectors[TN_SUNDIALS_VECTORS];     /* destroyed by tn_sundials_close; NULL: none */
    bool fresh;                    /* the integrator has no history */
    bool small;                    /* the last step was a few units in the last place of time: it was taken without SUNDIALS */
    long refused;                  /* tries that were refused since the history began */
    char message[220];             /* of the last error, in the words of SUNDIALS */
    int code;                      /* tn error code that stopped a callback; TN_OK: none */
} tn_sundials;

/* s: steps are not shortened below this length. */
double tn_sundials_shortest(const tn_stepper *stepper);
/* Reads the highest order, 1 to 5, from a parameter of the integrator. TN_ERROR_ARGUMENT with a diagnostic. */
int tn_sundials_order(int *out, const tn_stepper *stepper, int parameter, tn_span span);
/* Makes the matrix and the objects of SUNDIALS. The caller has set s->stepper. solve solves with the matrix refreshed
 * last; it finds s in SUNLinearSolver->content. */
int tn_sundials_open(tn_sundials *s, tn_span span,
                     int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, realtype));
void tn_sundials_close(tn_sundials *s);
/* The return value of a callback that ended with code: 0: success, 1: a shorter step may help, -1: nothing helps.
 * Stores the code. */
int tn_sundials_answer(tn_sundials *s, int code);
/* Translates the error of a step: returns the code that stopped a callback, or TN_ERROR_STEP and sets
 * stepper->trouble. */
int tn_sundials_failure(tn_sundials *s, tn_stepper *stepper);
/* Functions of tn_integrator_type; own is the integrator's tn_sundials. restart: the state was set from outside.
 * close_joints: closes the joints after a step. */
void tn_sundials_restart(void *own);
int tn_sundials_close_joints(const tn_step *step, double t, double *y);
/* Counts the tries that were refused since the history began. */
void tn_sundials_count(tn_sundials *s, long errors, long unsolved);
/* Stores the end t of the step and the length of the next step. */
void tn_sundials_end_step(tn_sundials *s, tn_step *step, double t, double next);
/* Takes the step without SUNDIALS where nothing moves, because it has no norms then, and where t_end is a few units in the last place
 * away, as between two located instants, because it does not start there. False: it is a step for SUNDIALS. */
bool tn_sundials_stands(tn_sundials *s, tn_step *step, double t_end);
/* Error handler for SUNDIALS: stores the message instead of printing it. user is the tn_sundials. */
void tn_sundials_error(int code, const char *module, const char *function, char *message, void *user);
/* The array of the vector's numbers. */
static inline double *tn_numbers(N_Vector vector)
{
    return N_VGetArrayPointer_Serial(vector);
}
/* Weights for y such that the norm of SUNDIALS, a mean over length entries, is at most 1 only where every entry is
 * within its tolerance, as with all other integrators. */
void tn_sundials_weights(const tn_stepper *stepper, const double *y, int length, double *weights);

#endif
