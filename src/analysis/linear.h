/* First-order form of a mechanism near a state: x = (independent coordinates, their rates, states). */
#ifndef TN_ANALYSIS_LINEAR_H
#define TN_ANALYSIS_LINEAR_H

#include "tangent.h"

/* Largest number of coordinates of all bodies that dense matrices are made for: some minutes and 1 GB. */
enum { TN_MOST_COORDINATES = 3000 };
/* TN_ERROR_ARGUMENT with a diagnostic when there are more. */
int tn_check_size(const tn_system *system, const char *what);

/* An input: a force one of whose parameters is free, or a drive. */
typedef struct tn_linear_input {
    const tn_sys_force *force;     /* NULL: a drive */
    int parameter;
    int drive;                     /* its constraint */
} tn_linear_input;

/* Called for every state (column) and every input (behind the states) with all that changes for a unit of it. */
typedef int (*tn_linear_observer)(void *user, int column, const tn_direction *direction);

typedef struct tn_linear {
    tn_freedoms freedoms;
    int states;                    /* of forces and components; those of drives that hold are not among them */
    int *state;                    /* which of the system's each of them is */
    bool hidden;                   /* some may be inside components */
    int size;                      /* of x */
    tn_matrix A, B;
    double *values;                /* of the inputs; drives: 0 */
} tn_linear;

/* At the state of near, which is differentiated here. Memory is the arena's. */
int tn_linear_find(tn_linear *out, tn_tangent *near, const tn_linear_input *inputs, int input_count,
                   tn_linear_observer observe, void *user, tn_arena *arena);
/* Eigenvalues and vectors of A. */
typedef struct tn_linear_eigen {
    double *re, *im;
    tn_matrix vectors;             /* as LAPACK gives them: of conjugate pairs real and imaginary part, side by side */
} tn_linear_eigen;
int tn_linear_eigenvalues(tn_linear_eigen *out, const tn_linear *linear, tn_arena *arena);
/* How bodies are displaced by a change of all states; not at all where it is inside components but for round-off. */
void tn_linear_displace(const tn_linear *linear, const double *states, double *x);

/* The form by differences of solutions (linear_differences.c), without inputs. */
typedef struct tn_difference_form {
    tn_linear linear;
    tn_matrix directions;          /* by a unit of each state: of x, v, z, a, lambda, dz, one after the other */
    double *rates;                 /* of the states, as they are */
} tn_difference_form;
/* rough: good enough for steps of Newton's method, at a quarter of the price. */
int tn_linear_by_differences(tn_difference_form *out, tn_tangent *near, bool rough, tn_arena *arena);
/* A column of directions. */
tn_direction tn_difference_direction(const tn_difference_form *form, const tn_system *system, int column);

#endif
