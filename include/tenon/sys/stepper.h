/* The interface for authors of schemes and integrators: how a step is taken.
 *
 * The state is y = (q, v, z): positions (quaternions included), velocities, and the states of controllers, hydraulic
 * cylinders and similar elements, which only have a rate. An integrator computes y at t + h from y at t; a scheme
 * keeps the constraints satisfied. A scheme may act in any of four places, all optional:
 *     stabilize    changes the constraint accelerations that the solver has to reach
 *     accelerate   computes joint forces in place of the solver
 *     step         takes a whole step in place of the integrator
 *     finish       changes y at the end of a step
 * Schemes and integrators may declare parameters; the model file gives their values (solve: { name: value }). */
#ifndef TENON_SYS_STEPPER_H
#define TENON_SYS_STEPPER_H

#include "../model.h"
#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_stepper tn_stepper;

/* The data of one step. y0 and dy0 (state and its rate at the start of the step) are inputs; step fills y1. */
typedef struct tn_step {
    double t, h;
    int positions, velocities, states;   /* lengths of q, v and z */
    const double *y0, *dy0;
    double *y1;
    const double *dy1;               /* rate at the finished y1: for error and interpolate */
    double *work;                    /* the declared number of vectors; kept from step to interpolate */
    void *own;                       /* the workspace that the integrator's create made */
} tn_step;
/* Length of y. */
static inline int tn_step_length(const tn_step *step)
{
    return step->positions + step->velocities + step->states;
}

/* dy = rate of y at time t, constraint forces included. Counts as an evaluation. */
TN_API int tn_rate(double *dy, tn_stepper *stepper, double t, const double *y);
/* q1 = q0 moved by the velocity-like increment dv (rotations by the exponential map). q1 may be q0. */
TN_API void tn_move(double *q1, const tn_stepper *stepper, const double *q0, const double *dv);

enum { TN_METHOD_PARAMETERS = 8 };

typedef struct tn_integrator_type {
    const char *name;
    const char *doc;
    tn_parameter_decl parameters[TN_METHOD_PARAMETERS];
    int order;
    int vectors;                     /* in work: number of vectors of the length of y */
    int (*step)(tn_stepper *stepper, tn_step *step);
    /* Replaces dy1, the rate at y1, by the vector that the next step gets as dy0. NULL: dy0 is the rate at y1. */
    void (*carry)(const tn_step *step, double *dy1);
    /* Local error of the step as a vector like y; NULL: fixed step. */
    void (*error)(const tn_step *step, double *error);
    /* Order of the error estimate + 1: exponent of step control. */
    int error_order;
    /* The method's own step control. A result above 1 rejects the step just taken; factor scales the length of the next
     * step. A result of NaN, or NULL: the local error controls the step. */
    double (*judge)(tn_stepper *stepper, double *factor);
    /* Called once before the first interpolation within a step; NULL: nothing to prepare. */
    int (*prepare)(tn_stepper *stepper, tn_step *step);
    /* y at t + theta h, 0 <= theta <= 1; NULL: cubic Hermite from both ends. */
    void (*interpolate)(const tn_step *step, double theta, double *y);
    /* For methods that remember earlier steps: makes a workspace together with the stepper; steps find it in step->own.
     * TN_ERROR_ARGUMENT with a diagnostic at span, the place of the settings, when these are invalid. NULL: none. */
    int (*create)(void **own, tn_stepper *stepper, tn_span span);
    void (*destroy)(void *own);
    /* The state was set from outside: the method forgets all earlier steps. */
    void (*restart)(void *own);
    /* The step is accepted: the method may remember it. NULL: nothing to do. */
    void (*accept)(const tn_step *step);
    /* In place of step, for methods that choose their own length and order: takes a step within the tolerances, at most
     * to t_end; fills y1 and h. NULL: step is used. */
    int (*advance)(tn_stepper *stepper, tn_step *step, double t_end);
    /* The method computes reactions itself and therefore does not know the friction of sliding contacts. */
    bool own_reactions;
    /* Projects y, at a time t within or at the end of the step, onto the constraints in a way that suits the method,
     * before the scheme's finish. NULL: only the scheme does this. */
    int (*close)(const tn_step *step, double t, double *y);
    /* The method lets components take their own steps. Other methods with a workspace (create) reject components. */
    bool advances_components;
    /* Part of the tolerance that local errors may have where there are devices, so that results are within ten tolerances:
     * circuits oscillate with little damping, and samples make the method begin again. 0: all of it. */
    double network_share;
} tn_integrator_type;

typedef struct tn_scheme_type {
    const char *name;
    const char *doc;
    /* A default of NaN is computed from the step; as_built says how, in words. */
    tn_parameter_decl parameters[TN_METHOD_PARAMETERS];
    bool joint_parameters;           /* parameters may be given for single joints: tn_scheme_parameter_for */
    /* Does the scheme need a step length (tn_gain_step) that only the user can give? NULL: no. */
    bool (*needs_step)(const tn_stepper *stepper);
    /* Sets the required constraint accelerations: u on entry is the bias of each row, on exit the wanted G a. */
    void (*stabilize)(const tn_stepper *stepper, const double *g, const double *gdot, double *u);   /* NULL: bias */
    /* Computes accelerations and multipliers at the point evaluated last. NULL: the solver computes them. */
    int (*accelerate)(tn_stepper *stepper);
    /* Takes a step of fixed length in place of the integrator. NULL: the integrator takes the step. */
    int (*step)(tn_stepper *stepper, tn_step *step);
    int order, vectors;              /* of step; as for integrators */
    int (*finish)(tn_stepper *stepper, double t, double *y);   /* end of a step; NULL: nothing */
    /* For schemes with accelerate: how the multipliers of a constraint follow its residuals, at the point evaluated last,
     *     mobility lambda = -(stiffness g + viscosity gdot)          stiffness, viscosity: one number a row
     * mobility: rows x rows, by rows. Implicit integrators need it; NULL: they refuse the scheme. */
    void (*springs)(const tn_stepper *stepper, int constraint, double *mobility, double *stiffness, double *viscosity);
} tn_scheme_type;

/* The value of a parameter of the scheme or the integrator, by its index in the declaration. */
TN_API double tn_scheme_parameter(const tn_stepper *stepper, int index);
TN_API double tn_scheme_parameter_for(const tn_stepper *stepper, int index, int constraint);
TN_API double tn_integrator_parameter(const tn_stepper *stepper, int index);
/* The step length that gains depend on: solve.step. It stays constant with an adaptive integrator: if gains followed
 * the current step, every change of the step would change the equations. NaN: not given. */
TN_API double tn_gain_step(const tn_stepper *stepper);

/* All types, ending in NULL. */
extern TN_API const tn_integrator_type *const tn_integrator_types[];
extern TN_API const tn_scheme_type *const tn_scheme_types[];

/* The parameters that the scheme, integrator and solver named in solve declare, in this order; returns their number.
 * Unknown names declare no parameters. */
enum { TN_SOLVE_PARAMETERS = 3 * TN_METHOD_PARAMETERS };
TN_API size_t tn_solve_parameters(tn_parameter_decl out[TN_SOLVE_PARAMETERS], const tn_solve *solve);

#ifdef __cplusplus
}
#endif
#endif
