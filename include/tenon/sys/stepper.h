/* For authors of schemes and integrators: how a step is taken.
 *
 * The state is y = (q, v, z): positions (quaternions included), velocities, and the states of controllers, cylinders
 * and the like, which have a rate and nothing else. An integrator turns y at t into y at t + h, a scheme says how the
 * constraints are kept on the way. It may do so in any of four places, all optional:
 *     stabilize    the constraint accelerations that the solver is asked for
 *     accelerate   joint forces of its own in place of the solver's
 *     step         a whole step of its own in place of the integrator's
 *     finish       a last change of y at the end of a step
 * Both take numbers from the model file (solve: { name: value }) when they declare parameters. */
#ifndef TENON_SYS_STEPPER_H
#define TENON_SYS_STEPPER_H

#include "../model.h"
#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_stepper tn_stepper;

/* What an integrator works on. y0 and dy0 (state and its rate at the start of the step) are given; step fills y1. */
typedef struct tn_step {
    double t, h;
    int positions, velocities, states;   /* lengths of q, v and z */
    const double *y0, *dy0;
    double *y1;
    const double *dy1;               /* rate at the finished y1: for error and interpolate */
    double *work;                    /* the vectors asked for; kept from step to interpolate */
    void *own;                       /* what the integrator's create made */
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
    int vectors;                     /* work: how many vectors of the length of y */
    int (*step)(tn_stepper *stepper, tn_step *step);
    /* Puts into dy1, the rate at y1, what the next step shall get as dy0 instead. NULL: the rate at y1. */
    void (*carry)(const tn_step *step, double *dy1);
    /* Local error of the step as a vector like y; NULL: fixed step. */
    void (*error)(const tn_step *step, double *error);
    /* Order of the error estimate + 1: exponent of step control. */
    int error_order;
    /* Step control of its own: more than 1 refuses the step just taken, factor is for the length of the next. NaN or
     * NULL: by the local error. */
    double (*judge)(tn_stepper *stepper, double *factor);
    /* Called once before the first interpolation within a step; NULL: nothing to prepare. */
    int (*prepare)(tn_stepper *stepper, tn_step *step);
    /* y at t + theta h, 0 <= theta <= 1; NULL: cubic Hermite from both ends. */
    void (*interpolate)(const tn_step *step, double theta, double *y);
    /* For methods that remember earlier steps: a workspace of their own, made with the stepper and found in step->own.
     * TN_ERROR_ARGUMENT with a diagnostic at span, where the settings stand, when they make no sense. NULL: none. */
    int (*create)(void **own, tn_stepper *stepper, tn_span span);
    void (*destroy)(void *own);
    /* The state was set from outside: nothing remembered counts any more. */
    void (*restart)(void *own);
    /* The step counts: what it leaves is remembered. NULL: nothing to do. */
    void (*accept)(const tn_step *step);
    /* In place of step, for methods that choose their own length and order: takes a step within the tolerances, at most
     * to t_end; fills y1 and h. NULL: step. */
    int (*advance)(tn_stepper *stepper, tn_step *step, double t_end);
    /* It finds reactions by itself, and so does not know the friction of contacts that slide. */
    bool own_reactions;
    /* Puts y, at t in or at the end of the step, on the constraints in a way that suits the method, before the scheme
     * finishes it. NULL: the scheme does all. */
    int (*close)(const tn_step *step, double t, double *y);
    /* It has components take steps of their own. Other methods with a workspace (create) do not go with components. */
    bool advances_components;
} tn_integrator_type;

typedef struct tn_scheme_type {
    const char *name;
    const char *doc;
    /* A default that is not a number (NaN) is found from the step; as_built says how, in words. */
    tn_parameter_decl parameters[TN_METHOD_PARAMETERS];
    bool joint_parameters;           /* they may be given for single joints: tn_scheme_parameter_for */
    /* Does the scheme need a step length (tn_gain_step) that only the user can give? NULL: no. */
    bool (*needs_step)(const tn_stepper *stepper);
    /* Constraint accelerations asked for: u on entry is the bias of each row, on exit what G a should be. */
    void (*stabilize)(const tn_stepper *stepper, const double *g, const double *gdot, double *u);   /* NULL: bias */
    /* Accelerations and multipliers at the point evaluated last; no solver is used. NULL: the solver finds them. */
    int (*accelerate)(tn_stepper *stepper);
    /* Like the step of an integrator, which is then not asked; of fixed length. NULL: the integrator's. */
    int (*step)(tn_stepper *stepper, tn_step *step);
    int order, vectors;              /* of step; as for integrators */
    int (*finish)(tn_stepper *stepper, double t, double *y);   /* end of a step; NULL: nothing */
} tn_scheme_type;

/* Value of the scheme's and the integrator's parameter, by its place in the declaration. */
TN_API double tn_scheme_parameter(const tn_stepper *stepper, int index);
TN_API double tn_scheme_parameter_for(const tn_stepper *stepper, int index, int constraint);
TN_API double tn_integrator_parameter(const tn_stepper *stepper, int index);
/* The step that gains are tied to: solve.step. With an adaptive integrator it stays that, whatever steps are taken:
 * gains that follow the step would change the equations with every change of it. NaN: not given. */
TN_API double tn_gain_step(const tn_stepper *stepper);

/* All types, ending in NULL. */
extern TN_API const tn_integrator_type *const tn_integrator_types[];
extern TN_API const tn_scheme_type *const tn_scheme_types[];

/* What the scheme, integrator and solver named in solve declare, in this order; returns how many. Names that do not
 * exist declare nothing. */
enum { TN_SOLVE_PARAMETERS = 3 * TN_METHOD_PARAMETERS };
TN_API size_t tn_solve_parameters(tn_parameter_decl out[TN_SOLVE_PARAMETERS], const tn_solve *solve);

#ifdef __cplusplus
}
#endif
#endif
