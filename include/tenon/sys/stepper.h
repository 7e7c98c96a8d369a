/* For authors of schemes and integrators: how a step is taken.
 *
 * The state is y = (q, v): positions (quaternions included) and velocities. An integrator turns y at t into y at t + h,
 * a scheme says what the rate of y is and what is done to y at the end of a step (projection, for instance). */
#ifndef TENON_SYS_STEPPER_H
#define TENON_SYS_STEPPER_H

#include "../context.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_stepper tn_stepper;

/* What an integrator works on. y0 and dy0 (state and its rate at the start of the step) are given; step fills y1. */
typedef struct tn_step {
    double t, h;
    int positions, velocities;       /* lengths of q and v; y has positions + velocities entries */
    const double *y0, *dy0;
    double *y1;
    const double *dy1;               /* rate at the finished y1: for error and interpolate */
    double *work;                    /* what .work asked for; kept from step to interpolate */
} tn_step;

/* dy = rate of y at time t, constraint forces included. Counts as an evaluation. */
int tn_rate(tn_stepper *stepper, double t, const double *y, double *dy);
/* q1 = q0 moved by the velocity-like increment dv (rotations by the exponential map). q1 may be q0. */
void tn_move(const tn_stepper *stepper, const double *q0, const double *dv, double *q1);

typedef struct tn_integrator_type {
    const char *name;
    const char *doc;
    int order;
    int vectors;                     /* work: how many vectors of the length of y */
    int (*step)(tn_stepper *stepper, tn_step *step);
    /* Local error of the step as a vector like y; NULL: fixed step. */
    void (*error)(const tn_step *step, double *error);
    /* Order of the error estimate + 1: exponent of step control. */
    int error_order;
    /* y at t + theta h, 0 <= theta <= 1; NULL: cubic Hermite from both ends. */
    void (*interpolate)(const tn_step *step, double theta, double *y);
} tn_integrator_type;

typedef struct tn_scheme_type {
    const char *name;
    const char *doc;
    /* Constraint accelerations asked for: u on entry is the bias of each row, on exit what G a should be. */
    void (*stabilize)(const tn_stepper *stepper, const double *g, const double *gdot, double *u);   /* NULL: bias */
    int (*finish)(tn_stepper *stepper, double t, double *y);   /* end of a step; NULL: nothing */
} tn_scheme_type;

/* All types, ending in NULL. */
extern const tn_integrator_type *const tn_integrator_types[];
extern const tn_scheme_type *const tn_scheme_types[];

#ifdef __cplusplus
}
#endif
#endif
