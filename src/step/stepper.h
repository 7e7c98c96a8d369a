/* The stepper: state, scheme, integrator and solver, and the taking of steps. */
#ifndef TN_STEP_STEPPER_H
#define TN_STEP_STEPPER_H

#include "system.h"
#include "tenon/sys/component.h"
#include "tenon/sys/stepper.h"

/* A parameter of the scheme for one constraint. */
typedef struct tn_joint_value {
    int parameter, constraint;
    double value;
} tn_joint_value;

typedef struct tn_step_counts {
    long steps, rejected, evaluations;
} tn_step_counts;

/* The last step that was tried and not taken. */
typedef struct tn_refusal {
    double t, h;                   /* h 0: there was none */
    char why[200];
} tn_refusal;

/* Finds the states in place of the integrator: where drives determine the motion (analysis/kinematics.h). */
typedef struct tn_state_source {
    int (*step)(void *user, double t_end);                     /* as tn_stepper_step; NULL: there is no source */
    int (*state_at)(void *user, double t, double *y);          /* t within the last step */
    void *user;
} tn_state_source;

struct tn_stepper {
    const tn_system *system;
    tn_coupling *coupling;         /* of eval: the components, which other workspaces may share */
    tn_arena *arena;
    const tn_solver_type *chosen;  /* the solver by its name */
    const tn_solver_type *solver;  /* the same, or what it has become with components */
    const tn_scheme_type *scheme;
    const tn_integrator_type *integrator;
    double scheme_values[TN_METHOD_PARAMETERS], integrator_values[TN_METHOD_PARAMETERS];
    double solver_values[TN_SOLVER_PARAMETERS];
    tn_joint_value joint_values[TN_MAX_SOLVE_SETTINGS];
    size_t joint_value_count;
    tn_solve solve;                /* the settings it was made with; the names in it live as long as the program */
    tn_structure structure;        /* the system's, with the pins of eval where the solver takes them */
    tn_saddle *saddle;
    tn_eval *eval;                 /* at y after a step; f, G, a, lambda included */
    double t;
    double *y, *dy;                /* accepted state and its rate */
    double *memory;                /* joint coordinates of an accepted state not long ago */
    double turned;                 /* rad: how far joints may have turned since */
    double fastest;                /* rad/s: how fast they may turn at the accepted state */
    bool with_lambda;              /* evaluations give lambda, too */
    bool accounts, solves_end;     /* energy at the end of steps is wanted; the power of joints, too */
    tn_energy energy;              /* then: there */
    double *y1, *dy1;              /* of the step being taken; after acceptance: of its start */
    double *scratch, *stage;       /* like y; stage: of an evaluation within a step, or a sample */
    double *error;                 /* of the step: in stage, when its evaluations are done */
    double *u, *delta;             /* right side and solution of projections */
    double *multipliers;           /* of a scheme's own step: mean joint forces over it */
    tn_rank_rule rule;
    tn_step step;                  /* the last step taken: for interpolation */
    bool prepared;                 /* its interpolation is */
    double h;                      /* step to try next */
    double max_h, tolerance, absolute_tolerance;
    tn_step_counts counts;
    tn_refusal refused;
    double *slide_force, *slide_rest, *slide_a, *slide_lambda, *slide_matrix;  /* of slide.c */
    bool factored;                 /* by the last projection of positions */
    int last_pass;                 /* of the last projection of velocities that got to round-off */
    double corrected;              /* largest correction by projection in the step being taken */
    double component_change;       /* largest change of a component's states by putting right, in the last correction */
    double approach;               /* how fast the last step changed the distance, 1/s */
    double distance;               /* weakest pivot at the accepted state: 1 is far from singular */
    double drift, velocity_drift;  /* of the accepted state */
    int drift_constraint;
    tn_state_source source;
    bool motion_only;              /* forces are not looked at: lambda means nothing */
    int lost;                      /* constraint that came apart in the step being tried; -1: none */
    const char *trouble;           /* why the integrator found no step; NULL: it did not say */
};

/* coupling: of the system (coupling.h), NULL where that has no components; the stepper does not own it. TN_ERROR_ARGUMENT
 * with a diagnostic at span, where the settings stand, when a name or value is wrong. */
int tn_stepper_create(tn_stepper **out, const tn_system *system, tn_coupling *coupling, const tn_solve *solve,
                      tn_span span);
void tn_stepper_destroy(tn_stepper *stepper);
/* Sets solver, scheme and integrator, the values of their parameters, and solve: the first stage of create. */
int tn_stepper_choose(tn_stepper *stepper, const tn_solve *solve, tn_span span);
/* Gives the solver the values of its parameters: the last stage of create. */
int tn_stepper_configure(tn_stepper *stepper, tn_span span);
/* Starts at (t, q, v with states behind, memory), which should satisfy the constraints; finds the rank and the
 * accelerations. These may be the stepper's own. */
int tn_stepper_start(tn_stepper *stepper, double t, const double *q, const double *v, const double *memory);
/* Takes one step, at most to t_end. TN_ERROR_STEP with a diagnostic: the state is the last good one. */
int tn_stepper_step(tn_stepper *stepper, double t_end);
/* Says why the step of length h could not be taken; the accepted state is evaluated again. taken: the last try came
 * through, but was not accurate enough. */
int tn_step_failed(tn_stepper *stepper, double h, bool taken);
/* Counts a try that is not accepted and remembers why: taken, its error is too large; landing, it ends next to a
 * singular position. */
void tn_step_refuse(tn_stepper *stepper, double h, bool taken, bool landing);
/* Where projection leaves rates open, drives ask for what joints or other drives do not allow: from here on they would
 * come apart, and this is TN_ERROR_STEP with a diagnostic. */
int tn_check_drives(tn_stepper *stepper);
/* Makes y1, dy1, where step leads to, the accepted state. */
void tn_stepper_accept(tn_stepper *stepper);
/* State at a time within the last step, projected like the end of a step. */
int tn_stepper_interpolate(tn_stepper *stepper, double t, double *y);
/* Makes that state the accepted one. Step length and settings stay; the last step cannot be looked into any more. */
int tn_stepper_go_back(tn_stepper *stepper, double t);
/* State at the part theta (0 to 1) of the last step, as the integrator gives it. */
int tn_stepper_dense(tn_stepper *stepper, double theta, double *y);
/* Puts y on the constraints: the end of a step, or a state within it. Quaternions get unit length. */
int tn_stepper_finish(tn_stepper *stepper, double t, double *y);
/* Forces, constraints and accelerations at (t, y) into stepper->eval. Rates of states inside components are not in dz:
 * tn_coupling_tell gives them. */
int tn_stepper_evaluate(tn_stepper *stepper, double t, const double *y);

/* turns.c. At the state that steps start from, just evaluated. */
void tn_turns_begin(tn_stepper *stepper);
/* The longest step, h at most, in which turns of joints can be counted as fast as they turn at the accepted state. */
double tn_turns_limit(const tn_stepper *stepper, double h);
/* TN_ERROR_STEP: in the step just taken to y1 a joint may have turned too far. */
int tn_turns_check(tn_stepper *stepper);
/* At the accepted state, just evaluated: angles are counted from there, and components saved. */
void tn_turns_remember(tn_stepper *stepper);

/* Mass-weighted projections with the rank last decided, until round-off or no further progress. States behind q and v
 * belong to them: components put themselves right. */
int tn_project_positions(tn_stepper *stepper, double t, double *y);
int tn_project_velocities(tn_stepper *stepper, double t, const double *q, double *v);
/* product = G x, with G as last evaluated. */
void tn_jacobian_times(const tn_stepper *stepper, const double *x, double *product);
/* f += G' lambda, with G as last evaluated. */
void tn_add_joint_forces(const tn_stepper *stepper, const double *lambda, double *f);
/* x = M^-1 x for the block of one body, with M as last evaluated. */
void tn_divide_by_mass(const tn_stepper *stepper, int body, double *x);
/* Size of the accelerations that the scheme asks for beyond the constraints' own, and what part of all that the joints
 * enforce they are; at the point evaluated last. 0 where the scheme does not stabilize. */
double tn_disturbance(tn_stepper *stepper);
double tn_sigma(tn_stepper *stepper);
/* Takes out of a velocity-like vector what the constraints do not allow, with G as last evaluated and factored. */
int tn_project_direction(tn_stepper *stepper, double *direction);

#endif
