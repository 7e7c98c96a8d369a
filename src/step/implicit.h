/* The iteration matrix of implicit integrators.
 *
 * An implicit method for y = (q, v, z) solves for the rates at the end of a step, and the end depends on them: a change
 * of the rates by (a, w) changes positions by c_q a, velocities by c_v a, states by c_z w. Newton's method then needs
 *     (M - c_v f_v - c_q K) a -        c_z f_z  w - G' mu = r_v        K = f_q + d(G' lambda)/dq
 *     (- c_v d_v - c_q d_q) a + (I - c_z d_z) w           = r_z        d: rates of the states
 *      G a                              + softness mu     = r_g
 * over all bodies and states: sparse, factored by KLU. With a network of devices n(q, v, z, x) = 0, the changes of its
 * unknowns x are further columns, and its equations further rows, so that long networks stay sparse. The matrix omits the
 * change of M and G with rotation, and a very small softness keeps it regular where rows are redundant. Residuals are exact,
 * so both simplifications cost iterations but no accuracy.
 * Where a scheme has springs for joints, softness is what they give way by, and r_g what their forces change by. */
#ifndef TN_STEP_IMPLICIT_H
#define TN_STEP_IMPLICIT_H

#include "stepper.h"

typedef struct tn_iteration tn_iteration;

typedef struct tn_iteration_weights {
    double q, v, z;
} tn_iteration_weights;

/* TN_ERROR_ARGUMENT with a diagnostic at span when the scheme computes joint forces in a way that this form does not have.
 * Allocates from the heap; tn_iteration_refresh allocates only when KLU must choose new pivots. */
int tn_iteration_create(tn_iteration **out, tn_stepper *stepper, tn_span span);
void tn_iteration_destroy(tn_iteration *matrix);
/* Evaluates at (t, y), lambda included, and factors the matrix. TN_ERROR_STEP: the matrix is singular or not finite. */
int tn_iteration_refresh(tn_iteration *matrix, double t, const double *y, tn_iteration_weights weights);
tn_iteration_weights tn_iteration_weights_of(const tn_iteration *matrix);
/* rigid: from the next refresh on no row is soft, except rows without direction; for rows that are independent. */
void tn_iteration_set_rigid(tn_iteration *matrix, bool rigid);
/* Softness of each row, in its own units. */
const double *tn_iteration_softness(const tn_iteration *matrix);
/* Solves the system above. rates = (r_v, r_z) becomes (a, w); rows = r_g becomes mu. */
int tn_iteration_rates(tn_iteration *matrix, double *rates, double *rows);
/* Adds to rates the change of the forces and of the states' rates caused by small changes of positions (velocity-like),
 * velocities and states. */
void tn_iteration_add_forces(const tn_iteration *matrix, const double *positions, const double *velocities,
                             const double *states, double *rates);
/* x = (I - weights J)^-1 x with J the derivative of tn_rate; x = (velocity-like positions, velocities, states). */
int tn_iteration_solve(tn_iteration *matrix, double *x);
/* The same for x laid out as a change of y, the current state: quaternions change along their tangent at y. */
int tn_iteration_solve_state(tn_iteration *matrix, const double *y, double *x);
/* Puts y, quaternions of unit length, on the constraints by the least change in the metric of the matrix, in which
 * stiff forces count as much as masses: the mass metric would stretch stiff springs, and the next step would start with
 * their forces. Stops where the rows of the matrix, which may be old, give no further progress; the
 * scheme's finish does the rest. */
int tn_iteration_close(tn_iteration *matrix, double t, double *y);

#endif
