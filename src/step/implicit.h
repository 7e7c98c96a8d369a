/* The iteration matrix of implicit integrators.
 *
 * An implicit method for y = (q, v, z) looks for rates at the end of a step on which the end itself depends: a change
 * of the rates by (a, w) changes positions by c_q a, velocities by c_v a, states by c_z w. Newton's method then needs
 *     (M - c_v f_v - c_q K) a -        c_z f_z  w - G' mu = r_v        K = f_q + d(G' lambda)/dq
 *     (- c_v d_v - c_q d_q) a + (I - c_z d_z) w           = r_z        d: rates of the states
 *      G a                              + softness mu     = r_g
 * over all bodies and states: sparse, factored by KLU. What the turning of M and G adds is left out, and redundant
 * rows are made harmless by a softness far below any effect: residuals are exact, so both cost iterations and no
 * accuracy. */
#ifndef TN_STEP_IMPLICIT_H
#define TN_STEP_IMPLICIT_H

#include "stepper.h"

typedef struct tn_iteration tn_iteration;

typedef struct tn_iteration_weights {
    double q, v, z;
} tn_iteration_weights;

/* TN_ERROR_ARGUMENT with a diagnostic at span when the scheme has no joints of the form above.
 * Allocates from the heap; refreshing does so only when pivots have to be chosen anew (KLU). */
int tn_iteration_create(tn_iteration **out, tn_stepper *stepper, tn_span span);
void tn_iteration_destroy(tn_iteration *matrix);
/* Evaluates at (t, y), lambda included, and factors. TN_ERROR_STEP: no finite matrix, or a singular one. */
int tn_iteration_refresh(tn_iteration *matrix, double t, const double *y, tn_iteration_weights weights);
tn_iteration_weights tn_iteration_weights_of(const tn_iteration *matrix);
/* Softness of each row, in its own units. */
const double *tn_iteration_softness(const tn_iteration *matrix);
/* Solves the system above. rates = (r_v, r_z) becomes (a, w); rows = r_g becomes mu. */
int tn_iteration_rates(tn_iteration *matrix, double *rates, double *rows);
/* rates += change of forces and of the states' rates with velocity-like positions, velocities and states. */
void tn_iteration_add_forces(const tn_iteration *matrix, const double *positions, const double *velocities,
                             const double *states, double *rates);
/* x = (I - weights J)^-1 x with J the derivative of tn_rate; x = (velocity-like positions, velocities, states). */
int tn_iteration_solve(tn_iteration *matrix, double *x);
/* The same for x laid out as y, a change of it: quaternions by their tangent at y, the state now. */
int tn_iteration_solve_state(tn_iteration *matrix, const double *y, double *x);
/* Puts y, quaternions of unit length, on the constraints by the least change in the metric of the matrix, in which
 * stiff forces count as much as masses: the mass metric would stretch stiff springs, and the next step would start with
 * their forces. Goes as far as the rows of the matrix lead; the scheme's finish does the rest. */
int tn_iteration_close(tn_iteration *matrix, double t, double *y);

#endif
