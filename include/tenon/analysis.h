/* Analyses of a mechanism at a state: freedoms, redundancy, uniqueness of reactions, stability of a scheme,
 * equilibrium, natural motions, linearisation. */
#ifndef TENON_ANALYSIS_H
#define TENON_ANALYSIS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joints whose equations depend on each other: they have this number of excess equations. */
typedef struct tn_redundancy_group {
    const tn_id *joints;
    size_t joint_count;
    int excess;
} tn_redundancy_group;

/* Which components of a joint's reaction the motion determines uniquely: x, y, z of force and torque, world axes. A
 * component that the joint cannot transmit counts as unique (it is zero). */
typedef struct tn_reaction_uniqueness {
    tn_id joint;
    bool force[3], torque[3];
} tn_reaction_uniqueness;

typedef struct tn_report {
    int bodies, joints, coordinates;   /* coordinates: velocity components of all bodies */
    int equations, rank;
    int freedoms;                      /* coordinates - rank */
    int gruebler;                      /* coordinates - equations */
    const tn_redundancy_group *groups;
    size_t group_count;
    const tn_reaction_uniqueness *reactions;   /* one per joint, in model order */
    size_t reaction_count;
    double smallest_kept, largest_dropped;     /* scaled singular values either side of the rank decision; 0 if none */
} tn_report;

/* Compiles and assembles a copy of the model, and continues after a mistake without what is wrong: it checks all expressions,
 * outputs, events, start values and limits. Of a model that was read with mistakes it checks the texts only, and
 * leaves out what follows from these mistakes. TN_OK, or the code of one mistake; the diagnostics list all mistakes, with a warning
 * when joints leave no freedom. */
TN_API int tn_model_check(tn_model *model);

/* At the state the session is in. Owned by the caller: tn_report_destroy. */
TN_API int tn_session_report(tn_report **out, tn_session *session);
TN_API void tn_report_destroy(tn_context *context, tn_report *report);

/* Options for assembly. Weights are factors on the masses by which bodies resist being moved (a body without mass
 * counts as 1 kg); held bodies do not move. */
typedef struct tn_fixed_coordinate {
    tn_id joint;
    const char *coordinate;    /* NULL: the joint's first */
    double value;              /* m or rad */
} tn_fixed_coordinate;
typedef struct tn_body_weight {
    tn_id body;
    double factor;             /* > 0 */
} tn_body_weight;
typedef struct tn_assembly_options {
    const tn_fixed_coordinate *fixed;  /* added to the values of the model's start, or replacing them */
    size_t fixed_count;
    const tn_body_weight *weights;
    size_t weight_count;
    const tn_id *held;
    size_t held_count;
} tn_assembly_options;
/* Opens a session at the assembled start, for inspection: tn_session_gap, tn_session_shift, tn_session_write_state and
 * channels of motion. No masses are needed. options NULL: none. TN_ERROR_ASSEMBLY with a diagnostic that names the
 * joints that cannot be closed, their gaps, and the fixed coordinates and held bodies. */
TN_API int tn_session_open_assembled(tn_session **out, tn_model *model, const tn_assembly_options *options);
/* The displacement of a body by assembly from its given pose (without a pose: from the place its joints suggest). */
typedef struct tn_shift {
    tn_id body;
    double distance;           /* m, of the centre of mass */
    double angle;              /* rad */
} tn_shift;
TN_API size_t tn_session_shift_count(const tn_session *session);      /* bodies that moved by more than round-off */
TN_API tn_shift tn_session_shift(const tn_session *session, size_t index);    /* largest first */
TN_API int tn_session_assembly_steps(const tn_session *session);      /* of Newton's method */

/* Kinematics: opens a session whose motion the drives determine. Positions, velocities and accelerations are solved at
 * every time instead of being integrated, so they are exact for any step (solve.step; not given: solve.record); scheme,
 * integrator and solver are not used. All functions for sessions work, but only channels of motion exist: other
 * channels are omitted from the outputs with a warning, and reading one is an error. Bodies need no mass.
 * TN_ERROR_MODEL when the drives leave some freedom: the diagnostic names the joints that can still move.
 * tn_session_advance and similar functions return TN_ERROR_STEP at a dead point, with its time and joints. */
TN_API int tn_session_open_kinematics(tn_session **out, tn_model *model, const tn_solve *solve);
/* Inverse dynamics: the same with masses and forces, so that all channels exist: forces of the drives ("motor.torque",
 * "motor.power"), reactions, energies. When the drives do not determine the motion, or forces have states, the motion
 * is integrated as in tn_session_open, with a warning that gives the reason. */
TN_API int tn_session_open_inverse(tn_session **out, tn_model *model, const tn_solve *solve);
/* The loads of the drives of an inverse session so far, in model order. Means and work are integrals over time. */
typedef struct tn_drive_load {
    tn_id drive;
    const char *unit;          /* of its effort: "N m", or "N" */
    double peak, peak_time;    /* the effort where it was largest by size; s */
    double rms;                /* of the effort, over time */
    double power, power_time;  /* W, where it was largest by size; s */
    double work;               /* J put into the motion */
} tn_drive_load;
TN_API size_t tn_session_drive_load_count(const tn_session *session);
TN_API tn_drive_load tn_session_drive_load(const tn_session *session, size_t index);
/* The loads of its joints: largest sizes of force and torque on body 2. Couplings are not included. */
typedef struct tn_joint_load {
    tn_id joint;
    double force, force_time;  /* N; s */
    double torque, torque_time;/* N m; s */
} tn_joint_load;
TN_API size_t tn_session_joint_load_count(const tn_session *session);
TN_API tn_joint_load tn_session_joint_load(const tn_session *session, size_t index);
/* Whether the motion is solved from the drives rather than integrated. */
TN_API bool tn_session_is_driven(const tn_session *session);

typedef struct tn_eigenvalue {
    double re, im;
} tn_eigenvalue;

typedef struct tn_eigenvalues {
    const tn_eigenvalue *values;       /* largest modulus first */
    size_t count;
    double radius;                     /* largest modulus; 0: there are none */
} tn_eigenvalues;

/* The effect of one step of the scheme on small disturbances of a state: eigenvalues of the derivative of the step with
 * respect to positions and velocities of all bodies, in world axes. A disturbance with modulus above 1 grows from step
 * to step. "motion" are disturbances that keep the joints closed, in position and velocity; "constraints" are
 * disturbances that open joints. At an equilibrium both together give all eigenvalues. In motion there is no preferred
 * way to compare directions before and after the step; then the two parts, those of the joints' equations and of the
 * nearest motions, are more meaningful than the whole. */
typedef struct tn_spectrum {
    double time, step;                 /* s */
    tn_eigenvalues all, motion, constraints;
} tn_spectrum;

/* At the current state of the session, with its settings and a step of solve.step (not given: the step it would try
 * next). The step starts without the memory that integrators keep from earlier steps. The session does not change.
 * Owned by the caller: tn_spectrum_destroy. */
TN_API int tn_session_spectrum(tn_spectrum **out, const tn_session *session);
TN_API void tn_spectrum_destroy(tn_context *context, tn_spectrum *spectrum);

/* ---- equilibrium ---- */

/* The share of a coordinate in a motion. */
typedef struct tn_motion_part {
    const char *coordinate;            /* "pivot.angle", "bob.position.y"; in space also "top.rotation.x" (small) */
    const char *unit;                  /* "m" or "rad" */
    double amount;                     /* the largest of a motion is 1 */
    double phase;                      /* rad, relative to the largest part: 0 or pi for a motion in phase */
} tn_motion_part;

typedef enum tn_equilibrium_kind {
    TN_EQUILIBRIUM_STABLE,             /* every small displacement is driven back */
    TN_EQUILIBRIUM_INDIFFERENT,        /* some displacement meets no resistance, but none grows */
    TN_EQUILIBRIUM_UNSTABLE
} tn_equilibrium_kind;

/* A stop or contact that bears load in an equilibrium. */
typedef struct tn_support {
    const char *name;                  /* "hinge.angle.low", or the contact's */
    int points;                        /* number of points that bear load */
    double force;                      /* sum of the normal forces, N; of a stop against rotation: torque, N m */
    double friction;                   /* sum of the friction forces, N */
    bool sticks;                       /* friction keeps it from sliding */
    bool rotation;                     /* a stop against rotation: force is a torque */
} tn_support;

/* A drive, or another joint with time in its equations, that moves at the time of the loads. An equilibrium holds it where it is then:
 * forces of its motion, as those of a shaft that turns, are not in it. */
typedef struct tn_halted_motion {
    const char *name;
    double rate;                       /* largest rate of its equations by time alone, m/s or rad/s; 0: it begins to move */
    double acceleration;               /* with which it begins, m/s^2 or rad/s^2; 0 where rate is given */
} tn_halted_motion;

typedef struct tn_equilibrium {
    double time;                       /* s: of loads and drives */
    int freedoms;
    long iterations;
    double residual;                   /* largest unbalanced force, N (torques over a length of their body) */
    double load;                       /* largest balanced force, N: the reference for residual */
    tn_equilibrium_kind kind;
    bool by_stiffness;                 /* kind follows from the stiffness: it is symmetric, and there are no states */
    /* by_stiffness: the square of the lowest natural frequency, 1/s^2; otherwise the largest real part of an eigenvalue
     * with its sign reversed, 1/s. Negative: unstable. */
    double margin;
    const tn_motion_part *direction;   /* the motion that margin belongs to, largest part first */
    size_t direction_count;
    const tn_support *supports;        /* stops and contacts that bear load */
    size_t support_count;
    const tn_halted_motion *halted;    /* drives that stand still here, but not in the motion */
    size_t halted_count;
} tn_equilibrium;

typedef struct tn_statics_options {
    double time;                       /* s: loads and drives as they are at this time; NaN: the session's */
    double tolerance;                  /* residual over load */
    bool nearest;                      /* find the equilibrium nearest to the start, stable or not */
} tn_statics_options;
TN_API tn_statics_options tn_statics_default(void);

/* Moves the session to a static equilibrium, from its current state: velocities zero, drives held, states at rest.
 * Stops and contacts hold what rests on them, and the friction of contacts what it can hold; stability is judged with
 * those that bear load.
 * Without nearest, the search goes downhill and never returns an unstable equilibrium. TN_ERROR_STEP with a diagnostic
 * that names the parts that keep moving; the session is then unchanged. Channels are those of the equilibrium until
 * the next step. options NULL: the defaults. Owned by the caller: tn_equilibrium_destroy. */
TN_API int tn_session_statics(tn_equilibrium **out, tn_session *session, const tn_statics_options *options);
TN_API void tn_equilibrium_destroy(tn_context *context, tn_equilibrium *equilibrium);

/* ---- networks of devices ---- */

/* The algebraic loop of that number, counted from 0: signals that depend on themselves at the same instant, as "a.y -> b.y -> a.y". They are
 * solved together. TN_NEWS_END: there are no more. */
TN_API int tn_session_loop(char *buffer, size_t size, const tn_session *session, size_t index);

/* ---- natural motions ---- */

/* How a body moves: displacement of its centre of mass (m), then small turn (rad), in world axes. At phase p of the
 * motion it is re cos p - im sin p; the scale is that of the parts, m and rad alike. */
typedef struct tn_body_motion {
    const char *body;
    double re[6], im[6];
} tn_body_motion;

/* A motion exp(value t) of the linearised mechanism; one of a conjugate pair, with im > 0, stands for both. */
typedef struct tn_mode {
    tn_eigenvalue value;               /* 1/s */
    double frequency;                  /* Hz: |value| / 2 pi when it oscillates; 0: it does not */
    double damping;                    /* -re / |value|; 1 or -1: it does not oscillate */
    const tn_motion_part *shape;       /* largest part first */
    size_t shape_count;
    const tn_body_motion *bodies;      /* all that take part in the run */
    size_t body_count;
} tn_mode;

typedef struct tn_modes {
    double time;                       /* s */
    int freedoms;
    bool undamped;                     /* found from stiffness and mass alone: values are exactly imaginary or real */
    const tn_mode *items;              /* by |value|, motions without stiffness first */
    size_t count;
} tn_modes;

/* Modes about the current state of the session; after tn_session_statics, drives are held. Owned by the caller. */
TN_API int tn_session_modes(tn_modes **out, tn_session *session);
TN_API void tn_modes_destroy(tn_context *context, tn_modes *modes);

/* ---- free motions ---- */

/* A motion that the joints leave free at a state: one coordinate moves by 1 (m or rad), the other independent ones stay. The
 * scale of shape and bodies is that of the largest part. */
typedef struct tn_free_motion {
    const char *coordinate, *unit;
    const tn_motion_part *shape;       /* largest part first */
    size_t shape_count;
    const tn_body_motion *bodies;      /* im is 0 */
    size_t body_count;
} tn_free_motion;

typedef struct tn_free_motions {
    const tn_free_motion *items;
    size_t count;                      /* freedoms of velocities */
} tn_free_motions;

/* Free motions at the current state of the session; joint coordinates are preferred to coordinates of bodies. Owned by the
 * caller. */
TN_API int tn_session_free_motions(tn_free_motions **out, tn_session *session);
TN_API void tn_free_motions_destroy(tn_context *context, tn_free_motions *motions);

/* ---- linearisation ---- */

typedef struct tn_linear_variable {
    const char *name, *unit;
    double value;                      /* at the state linearised about */
} tn_linear_variable;

/* x' = A x + B u, y = C x + D u for small changes: x of states (independent coordinates, their rates, states of forces
 * and components), u of inputs, y of outputs. Matrices row by row. */
typedef struct tn_linear_system {
    double time;                       /* s */
    size_t state_count, input_count, output_count;
    const tn_linear_variable *states, *inputs, *outputs;
    const double *A, *B, *C, *D;
} tn_linear_system;

/* A possible input: an input of the model, a drive ("motor"), or a parameter of a force that is a number or an expression ("load.value.x"). */
typedef struct tn_possible_input {
    const char *name, *unit;           /* name NULL: out of range */
    bool by_expression;                /* an input of the model, a drive, or (in models without inputs) a parameter of what acts on bodies that the model gives as an
                                          expression: an input by default */
} tn_possible_input;
/* tn_session_possible_input_count makes the list: call it first. */
TN_API size_t tn_session_possible_input_count(tn_session *session);
TN_API tn_possible_input tn_session_possible_input(const tn_session *session, size_t index);

typedef struct tn_linear_request {
    const char *const *inputs;         /* NULL: drives, and parameters given as expressions */
    size_t input_count;
    const char *const *outputs;        /* channels, groups of channels, expressions; NULL: the model's outputs */
    size_t output_count;
} tn_linear_request;

/* Linearises about the current state of the session. The input of a parameter is a change of its value in the force
 * itself; channels and other forces that name the parameter do not see the change. The input of a drive is an
 * acceleration added to its motion; its coordinate and rate are then states. request NULL: the defaults. Owned by the
 * caller: tn_linear_system_destroy. */
TN_API int tn_session_linearize(tn_linear_system **out, tn_session *session, const tn_linear_request *request);
TN_API void tn_linear_system_destroy(tn_context *context, tn_linear_system *system);

#ifdef __cplusplus
}
#endif
#endif
