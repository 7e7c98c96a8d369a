/* First-order form of a mechanism near a state: x = (independent coordinates, their rates, states). */
#ifndef TN_ANALYSIS_LINEAR_H
#define TN_ANALYSIS_LINEAR_H

#include "tangent.h"

/* The largest number of body coordinates for which dense matrices are made: some minutes and 1 GB. */
enum { TN_MOST_COORDINATES = 3000 };
/* TN_ERROR_ARGUMENT with a diagnostic when there are more. */
int tn_check_size(const tn_system *system, const char *what);

/* An input: an input of the model, a force one of whose parameters is free, or a drive. */
typedef struct tn_linear_input {
    int state;                     /* of the system: the value of an input of the model; -1: another kind */
    const tn_sys_force *force;     /* NULL: a drive */
    int parameter;
    int drive;                     /* its constraint */
} tn_linear_input;

/* Called for every state and every input with the change of the mechanism for a unit of it. column: index of the state;
 * inputs follow the states. */
typedef int (*tn_linear_observer)(void *user, int column, const tn_direction *direction);

typedef struct tn_linear {
    tn_freedoms freedoms;
    int states;                    /* of forces and components, without the states of drives that hold */
    int *state;                    /* index of each in the system's states */
    bool hidden;                   /* components may contain further states */
    int size;                      /* of x */
    tn_matrix A, B;
    double *values;                /* of the inputs; drives: 0 */
} tn_linear;

/* Linearizes at the state of near, and differentiates near there. The arena owns the memory of out. */
int tn_linear_find(tn_linear *out, tn_tangent *near, const tn_linear_input *inputs, int input_count,
                   tn_linear_observer observe, void *user, tn_arena *arena);
/* Eigenvalues and vectors of A. */
typedef struct tn_linear_eigen {
    double *re, *im;
    tn_matrix vectors;             /* as LAPACK returns them: a conjugate pair as real and imaginary column */
} tn_linear_eigen;
int tn_linear_eigenvalues(tn_linear_eigen *out, const tn_linear *linear, tn_arena *arena);
/* Computes the displacement x of bodies for a change of all states; zero if only components move, except for
 * round-off. */
void tn_linear_displace(const tn_linear *linear, const double *states, double *x);

/* The first-order form by finite differences of solutions (linear_differences.c), without inputs. */
typedef struct tn_difference_form {
    tn_linear linear;
    tn_matrix directions;          /* a column per state: change of x, v, z, a, lambda, dz for a unit of the state */
    double *rates;                 /* rates of the states at the state itself */
} tn_difference_form;
/* rough: accurate enough for Newton steps, at a quarter of the cost. */
int tn_linear_by_differences(tn_difference_form *out, tn_tangent *near, bool rough, tn_arena *arena);
/* Returns one column of form->directions as a direction. */
tn_direction tn_difference_direction(const tn_difference_form *form, const tn_system *system, int column);

#endif
