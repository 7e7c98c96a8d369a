/* Shared by the parameter-free schemes of Welch, Hong, Trapp and Choi (2007).
 *
 * Their velocities are those of bodies in body axes; ours are in world axes. body velocity = world velocity with the
 * angular part turned into the axes of the body at some position; increments are added in body axes. */
#ifndef TN_STEP_TAYLOR_H
#define TN_STEP_TAYLOR_H

#include "stepper.h"

/* Angular parts of a velocity-like vector from world axes into the bodies' axes at the position evaluated last, and
 * back. out may be in. */
void tn_body_axes(const tn_stepper *stepper, const double *in, double *out);
void tn_world_axes(const tn_stepper *stepper, const double *in, double *out);
/* q1 = q0 + h (rate of q0 with body velocity v), quaternions normalised. q1 may be q0. */
void tn_drift(const tn_stepper *stepper, const double *q0, double h, const double *v, double *q1);

/* Fills the entries of the states, which follow the velocities: v0 at the start of the step, dv from the rate evaluated
 * last. */
void tn_state_increment(const tn_stepper *stepper, const tn_step *step, double *v0, double *dv);

/* Predictor, Eq. 44a: forces and constraints at the start, velocities that bring the constraints to zero in one step.
 *     M dv - G' h lambda = h f,    G dv = - g / h - g'        (velocity level: - g')
 *     q1 = q0 moved by h (v0 + dv)
 * v0, dv: body velocities, followed by the states. */
int tn_predict(tn_stepper *stepper, const tn_step *step, double *v0, double *dv, double *q1);

#endif
