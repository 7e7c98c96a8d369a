/* The stepper takes time steps. It holds the state, the scheme, the integrator and the solver. */
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
    double t, h;                   /* h = 0: no step was refused */
    char why[200];
} tn_refusal;

/* Expressions that depend on time alone (clocks.h). */
typedef struct tn_clocks tn_clocks;
/* Forces that change much over a small part of the motion (bumps.h). */
typedef struct tn_bumps tn_bumps;
/* Steps across singular positions (passage.h). */
typedef struct tn_passage tn_passage;

/* Computes states in place of the integrator when drives determine the motion (analysis/kinematics.h). */
typedef struct tn_state_source {
    int (*step)(void *user, double t_end);                     /* as tn_stepper_step; NULL: there is no source */
    int (*state_at)(void *user, double t, double *y);          /* t within the last step */
    void *user;
} tn_state_source;

struct tn_stepper {
    const tn_system *system;
    tn_coupling *coupling;         /* of eval: the components; other workspaces may share them */
    tn_arena *arena;
    const tn_solver_type *chosen;  /* the solver by its name */
    const tn_solver_type *solver;  /* the chosen one, or the solver that replaces or wraps it for components */
    const tn_scheme_type *scheme;
    const tn_integrator_type *integrator;
    double scheme_values[TN_METHOD_PARAMETERS], integrator_values[TN_METHOD_PARAMETERS];
    double solver_values[TN_SOLVER_PARAMETERS];
    tn_joint_value joint_values[TN_MAX_SOLVE_SETTINGS];
    size_t joint_value_count;
    tn_solve solve;                /* the settings given at creation; the names in it are static strings */
    tn_structure structure;        /* the system's, with the pins of eval where the solver takes them */
    tn_saddle *saddle;
    tn_saddle *places;             /* of places.c: rows at position level; NULL: not needed so far */
    double *places_rows;
    bool places_used;              /* positions are projected with it, from the accepted state on */
    tn_eval *eval;                 /* at y after a step; f, G, a, lambda included */
    double t;
    double destination;            /* s: the end asked of the last step; steps that are cut there end exactly there */
    double *y, *dy;                /* accepted state and its rate */
    double *memory;                /* joint coordinates of a recent accepted state: angles are counted from them */
    double turned;                 /* rad: bound on how far joints have turned since */
    double fastest;                /* rad/s: bound on how fast joints turn at the accepted state */
    bool with_lambda;              /* evaluations compute lambda, too */
    bool accounts, solves_end;     /* compute the energy at the end of steps; solve for lambda there, too */
    tn_energy energy;              /* at the end of the last step, if accounts */
    double *y1, *dy1;              /* end of the step being taken; after acceptance: start of that step */
    double *scratch, *stage;       /* laid out like y; stage: state of an evaluation within a step, or of a sample */
    double *error;                 /* error of the step; shares memory with stage once the evaluations are done */
    double *u, *delta;             /* right side and solution of projections */
    double *multipliers;           /* of a scheme that steps by itself: mean joint forces over the step */
    tn_rank_rule rule;
    tn_step step;                  /* the last step taken: for interpolation */
    int crawled;                   /* steps in a row that hardly advance the run */
    bool fixed;                    /* the integrator has no error control */
    bool prepared;                 /* the interpolation of that step is ready */
    double h;                      /* step to try next */
    double max_h, tolerance, absolute_tolerance;
    tn_step_counts counts;
    tn_refusal refused;
    double *slide_force, *slide_rest, *slide_a, *slide_lambda, *slide_matrix;  /* of slide.c */
    bool factored;                 /* the last projection of positions factored the matrix */
    int last_pass;                 /* passes of the last projection of velocities that reached round-off */
    bool unconverged;              /* the integrator's iteration found no end of the step being taken */
    double corrected;              /* largest correction by projection in the step being taken, of places and velocities */
    double shifted;                /* m or rad: the same, of places alone */
    double component_change;       /* largest change that the last correction made to a component's states */
    double approach;               /* 1/s: rate of change of distance, where that is small; below 0: it falls */
    double distance;               /* weakest pivot at the accepted state: 1 is far from singular */
    int rank, usual_rank;          /* of the rows at the accepted state; beside it, where that is more; -1: not known */
    tn_clocks *clocks;             /* NULL: nothing depends on time alone */
    double jump;                   /* s: the last step ended in front of this instant, at which such a part switches; NAN: it did not */
    bool anew;                     /* the last step began behind such an instant: rates there are not those before */
    bool off_grid;                 /* fixed steps: the next one goes to a multiple of the length */
    int short_steps;               /* in a row, cut by such instants to a small part */
    tn_bumps *bumps;               /* NULL: no force has sharp parts */
    tn_passage *passage;           /* NULL: the method does not use it */
    bool crosses;                  /* the step being taken, or the last step, crosses a singular position */
    bool uncrossed;                /* crossing was tried from the accepted state, and is not possible */
    bool coincidence;              /* a part of the rows has less rank than beside the accepted state, the whole has not */
    bool warned;                   /* a warning about singular positions was given */
    bool smooth_rate;              /* dy is the rate of a motion through a singular position */
    double drift, velocity_drift;  /* of the accepted state */
    int drift_constraint;
    tn_state_source source;
    bool motion_only;              /* forces are not evaluated: lambda has no meaning */
    int lost;                      /* constraint whose gap became too large in the step being tried; -1: none */
    bool unclosed;                 /* joints stayed open in it, beyond round-off */
    const char *trouble;           /* why the integrator found no step; NULL: no reason given */
};

/* Refuses settings of a run that could not end: more than 1e12 steps or rows. Runs without an end count as one
 * second. */
int tn_solve_check_length(tn_context *context, const tn_solve *solve, tn_span span);
/* coupling: of the system (coupling.h); NULL when the system has no components; the stepper does not own it. span: the
 * place of the settings in the model's text. TN_ERROR_ARGUMENT with a diagnostic at span when a name or value is
 * wrong. */
int tn_stepper_create(tn_stepper **out, const tn_system *system, tn_coupling *coupling, const tn_solve *solve,
                      tn_span span);
void tn_stepper_destroy(tn_stepper *stepper);
/* A run of a multistep method at a loose tolerance: its network and the account of that are not taken to round-off. */
bool tn_stepper_is_coarse(const tn_stepper *stepper);
/* Sets solver, scheme and integrator, the values of their parameters, and solve: the first stage of create. */
int tn_stepper_choose(tn_stepper *stepper, const tn_solve *solve, tn_span span);
/* Gives the solver the values of its parameters: the last stage of create. */
int tn_stepper_configure(tn_stepper *stepper, tn_span span);
/* Starts at (t, q, v, memory), which should satisfy the constraints; finds the rank and the accelerations. The states
 * follow the velocities in v. The arrays may be the stepper's own. */
int tn_stepper_start(tn_stepper *stepper, double t, const double *q, const double *v, const double *memory);
/* Takes one step, at most to t_end. TN_ERROR_STEP with a diagnostic: the state is the last good one. */
int tn_stepper_step(tn_stepper *stepper, double t_end);
/* Reports why the step of length h could not be taken, and evaluates the accepted state again. taken: the last try was
 * completed, but was not accurate enough. */
int tn_step_failed(tn_stepper *stepper, double h, bool taken);
/* Finds rank, accelerations and drift at the accepted state, at time t, where the next step starts. */
int tn_stepper_begin(tn_stepper *stepper, double t);
/* switches.c. Before a step to t_end at most: passes an instant at which something switches, and takes for t_end the next one. After the
 * step. */
int tn_switches_begin(tn_stepper *stepper, double *t_end);
void tn_switches_end(tn_stepper *stepper);
/* True: at the accepted state, which was the end of a step, something has switched: rates of that step are not those of the next. */
bool tn_switches_passed(const tn_stepper *stepper);
/* Counts a try that is not accepted and stores the reason. taken: its error is too large; landing: it ends next to a
 * singular position. */
void tn_step_refuse(tn_stepper *stepper, double h, bool taken, bool landing);
/* Says once, in a warning, that a method without steps across singular positions has come to one. */
void tn_warn_of_singular(tn_stepper *stepper);
/* Checks for velocity residuals that projection cannot remove: then drives prescribe a motion that joints or other
 * drives do not allow. TN_ERROR_STEP with a diagnostic: there is such a conflict. */
int tn_check_drives(tn_stepper *stepper);
/* Makes y1, dy1, the end of the step, the accepted state. */
void tn_stepper_accept(tn_stepper *stepper);
/* State at a time within the last step, projected like the end of a step. */
int tn_stepper_interpolate(tn_stepper *stepper, double t, double *y);
/* Makes the state at time t, within the last step, the accepted state. Step length and settings stay. Afterwards there
 * is no last step to interpolate in. */
int tn_stepper_go_back(tn_stepper *stepper, double t);
/* The time at the end of a step of length h. */
double tn_stepper_end(const tn_stepper *stepper, double h);
/* Takes the whole last step back: state and rate are those before the step, to the bit. */
int tn_stepper_take_back(tn_stepper *stepper);
/* State at the fraction theta (0 to 1) of the last step, as the integrator interpolates it, without projection. */
int tn_stepper_dense(tn_stepper *stepper, double theta, double *y);
/* Projects y, the end of a step or a state within it, onto the constraints. Quaternions get unit length. */
int tn_stepper_finish(tn_stepper *stepper, double t, double *y);
/* Evaluates forces, constraints and accelerations at (t, y) into stepper->eval. dz does not contain the rates of states
 * inside components: tn_coupling_tell returns these. */
int tn_stepper_evaluate(tn_stepper *stepper, double t, const double *y);

/* places.c. Decides, where all ranks are decided, whether positions are projected with the rows at position level alone, and their
 * rank; factors these rows at the point evaluated last; solves as a solver does. */
int tn_places_decide(tn_stepper *stepper);
int tn_places_factor(tn_stepper *stepper);
int tn_places_solve(tn_stepper *stepper, const double *force, const double *u, double *delta);
void tn_places_destroy(tn_stepper *stepper);

/* turns.c. Starts to count turns at the state that steps start from. Call it just after evaluating that state. */
void tn_turns_begin(tn_stepper *stepper);
/* The longest step, at most h, in which turns can be counted if joints keep the speed of the accepted state. */
double tn_turns_limit(const tn_stepper *stepper, double h);
/* TN_ERROR_STEP: a joint may have turned too far for counting in the step just taken to y1. */
int tn_turns_check(tn_stepper *stepper);
/* Counts angles from the accepted state from now on, and saves the components. Call it just after evaluating that
 * state. */
void tn_turns_remember(tn_stepper *stepper);

/* Mass-weighted projections with the rank last decided, repeated until round-off or no further progress. The states
 * that follow v are projected with it: components correct their own states. */
int tn_project_positions(tn_stepper *stepper, double t, double *y);
int tn_project_velocities(tn_stepper *stepper, double t, const double *q, double *v);
/* product = G x, with G as last evaluated. */
void tn_jacobian_times(const tn_stepper *stepper, const double *x, double *product);
/* f += G' lambda, with G as last evaluated. */
void tn_add_joint_forces(const tn_stepper *stepper, const double *lambda, double *f);
/* tn_disturbance: size of the accelerations that the scheme adds to those of the constraints to stabilize them.
 * tn_sigma: their ratio to all accelerations that the joints enforce. Both at the point evaluated last; 0 when the
 * scheme does not stabilize. */
double tn_disturbance(tn_stepper *stepper);
double tn_sigma(tn_stepper *stepper);
/* Removes the part of a velocity-like vector that the constraints do not allow, with G as last evaluated and
 * factored. */
int tn_project_direction(tn_stepper *stepper, double *direction);
/* The same for a small change of positions: removes what tn_project_positions would remove. Rows at velocity level (rolling, driven
 * rates) do not hold positions: a change along them stays. */
int tn_project_shift(tn_stepper *stepper, double *shift);

#endif
