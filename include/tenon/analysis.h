/* Questions about a mechanism at a state: freedoms, redundancy, uniqueness of reactions, stability of a scheme,
 * equilibrium, natural motions, linearisation. */
#ifndef TENON_ANALYSIS_H
#define TENON_ANALYSIS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joints whose equations depend on each other: excess equations more than the motion needs. */
typedef struct tn_redundancy_group {
    const tn_id *joints;
    size_t joint_count;
    int excess;
} tn_redundancy_group;

/* Which parts of a joint's reaction are determined by the motion: x, y, z of force and torque, world axes. A part the
 * joint cannot transmit counts as unique (it is zero). */
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

/* Compiles and assembles a copy of the model, and goes on after a mistake: expressions, outputs, events, start values and
 * limits are all looked at. TN_OK, or the code of a mistake; the diagnostics have all of them, with a warning for joints
 * that leave no freedom. */
TN_API int tn_model_check(tn_model *model);

/* At the state the session is in. Owned by the caller: tn_report_destroy. */
TN_API int tn_session_report(tn_report **out, tn_session *session);
TN_API void tn_report_destroy(tn_context *context, tn_report *report);

/* Assembly with wishes. Weights are factors on the masses by which bodies resist being moved (a body without mass
 * counts as 1 kg); held bodies stay where they are. */
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
    const tn_fixed_coordinate *fixed;  /* beside those that the model's start gives, or instead of them */
    size_t fixed_count;
    const tn_body_weight *weights;
    size_t weight_count;
    const tn_id *held;
    size_t held_count;
} tn_assembly_options;
/* A session at the assembled start, for looking at it: tn_session_gap, tn_session_shift, tn_session_write_state and
 * channels of motion. No masses are needed. options NULL: none. TN_ERROR_ASSEMBLY with a diagnostic that names the
 * joints that cannot be closed, by how much, and what was fixed and held. */
TN_API int tn_session_open_assembled(tn_session **out, tn_model *model, const tn_assembly_options *options);
/* How far assembly moved a body from its given place (unplaced ones: from where their joints would have them). */
typedef struct tn_shift {
    tn_id body;
    double distance;           /* m, of the centre of mass */
    double angle;              /* rad */
} tn_shift;
TN_API size_t tn_session_shift_count(const tn_session *session);      /* bodies that moved by more than round-off */
TN_API tn_shift tn_session_shift(const tn_session *session, size_t index);    /* largest first */
TN_API int tn_session_assembly_steps(const tn_session *session);      /* of Newton's method */

/* Kinematics: a session whose motion the drives determine. Positions, velocities and accelerations are solved at every
 * time instead of being integrated, so they are exact whatever the step (solve.step; not given: solve.record); scheme,
 * integrator and solver are not asked. Everything that takes a session takes this one, but its channels are those of
 * motion only: others are left out of the outputs with a warning, and an error when asked for. Bodies need no mass.
 * TN_ERROR_MODEL when the drives leave some freedom: the diagnostic names the joints that can still move. TN_ERROR_STEP
 * later, from tn_session_advance and the like, at a dead point, with its time and joints. */
TN_API int tn_session_open_kinematics(tn_session **out, tn_model *model, const tn_solve *solve);
/* Inverse dynamics: the same with masses and forces, so that all channels are there: forces of the drives
 * ("motor.torque", "motor.power"), reactions, energies. Where the drives do not determine the motion, or forces have
 * states of their own, the motion is integrated as in tn_session_open, with a warning that says why. */
TN_API int tn_session_open_inverse(tn_session **out, tn_model *model, const tn_solve *solve);
/* What the drives of an inverse session had to do so far, in model order. Means and work are integrals over time. */
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
/* What its joints had to bear: largest sizes of force and torque on body 2. Couplings are not among them. */
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

/* What one step of the scheme makes of small disturbances of a state: eigenvalues of the derivative of the step with
 * respect to positions and velocities of all bodies, in world axes. A modulus above 1 grows from step to step.
 * Motions leave the joints closed, in position and velocity; constraints are what the step makes of open ones. At an
 * equilibrium both together are all of it. In motion there is no preferred way to compare directions before and after
 * the step; the parts then are those of the joints' equations and of nearest motions, and mean more than the whole. */
typedef struct tn_spectrum {
    double time, step;                 /* s */
    tn_eigenvalues all, motion, constraints;
} tn_spectrum;

/* At the state the session is in, with its settings and a step of solve.step (not given: the step it would try next);
 * the step begins anew, without what integrators carry over from the last one. The session is not changed. Owned by
 * the caller: tn_spectrum_destroy. */
TN_API int tn_session_spectrum(tn_spectrum **out, const tn_session *session);
TN_API void tn_spectrum_destroy(tn_context *context, tn_spectrum *spectrum);

/* ---- equilibrium ---- */

/* How much a coordinate has of a motion. */
typedef struct tn_motion_part {
    const char *coordinate;            /* "pivot.angle", "bob.position.y"; in space also "top.rotation.x", a small turn */
    const char *unit;                  /* "m" or "rad" */
    double amount;                     /* the largest of a motion is 1 */
    double phase;                      /* rad, against the largest: 0 or pi where the motion is in step */
} tn_motion_part;

typedef enum tn_equilibrium_kind {
    TN_EQUILIBRIUM_STABLE,             /* every small displacement is driven back */
    TN_EQUILIBRIUM_INDIFFERENT,        /* some displacement meets no resistance, none runs away */
    TN_EQUILIBRIUM_UNSTABLE
} tn_equilibrium_kind;

typedef struct tn_equilibrium {
    double time;                       /* s: of loads and drives */
    int freedoms;
    long iterations;
    double residual;                   /* largest force that nothing balances, N (torques over a length of their body) */
    double load;                       /* largest force that something balances, N: what residual is compared with */
    tn_equilibrium_kind kind;
    bool by_stiffness;                 /* kind follows from stiffness: it is symmetric, and there are no states */
    /* Then the square of the lowest natural frequency, 1/s^2; otherwise the largest real part of an eigenvalue with its
     * sign reversed, 1/s. Negative: unstable. */
    double margin;
    const tn_motion_part *direction;   /* the motion that margin belongs to, largest part first */
    size_t direction_count;
} tn_equilibrium;

typedef struct tn_statics_options {
    double time;                       /* s: loads and drives as they are at this time; NaN: the session's */
    double tolerance;                  /* residual over load */
    bool nearest;                      /* the equilibrium next to the start, stable or not */
} tn_statics_options;
TN_API tn_statics_options tn_statics_default(void);

/* Puts the session into static equilibrium, from the state it is in: velocities zero, drives held, states at rest.
 * Without nearest it is one that is not unstable, reached downhill. TN_ERROR_STEP with a diagnostic that says what
 * keeps
 * moving; the session is then as it was. Channels are those of the equilibrium until the next step. options NULL: the
 * defaults. Owned by the caller: tn_equilibrium_destroy. */
TN_API int tn_session_statics(tn_equilibrium **out, tn_session *session, const tn_statics_options *options);
TN_API void tn_equilibrium_destroy(tn_context *context, tn_equilibrium *equilibrium);

/* ---- natural motions ---- */

/* A motion exp(value t) of the linearised mechanism; of a conjugate pair that with im > 0 stands for both. */
/* How a body moves: displacement of its centre of mass (m), then small turn (rad), in world axes. At phase p of the
 * motion it is re cos p - im sin p; the scale is that of the parts, m and rad alike. */
typedef struct tn_body_motion {
    const char *body;
    double re[6], im[6];
} tn_body_motion;

typedef struct tn_mode {
    tn_eigenvalue value;               /* 1/s */
    double frequency;                  /* Hz: |value| / 2 pi when it oscillates; 0: it does not */
    double damping;                    /* -re / |value|: 1 and more than that would be: it does not oscillate */
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

/* About the state the session is in; after tn_session_statics with drives held. Owned by the caller. */
TN_API int tn_session_modes(tn_modes **out, tn_session *session);
TN_API void tn_modes_destroy(tn_context *context, tn_modes *modes);

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

/* What may be an input: "load.value.x", any parameter of a force that is a number or an expression; "motor", a drive.
 * */
typedef struct tn_input {
    const char *name, *unit;           /* name NULL: out of range */
    bool by_expression;                /* a drive, or a parameter of what acts on bodies that the model gives as an
                                          expression: an input by default */
} tn_input;
/* Call the count first, it makes the list. */
TN_API size_t tn_session_input_count(tn_session *session);
TN_API tn_input tn_session_input(const tn_session *session, size_t index);

typedef struct tn_linear_request {
    const char *const *inputs;         /* NULL: drives, and parameters given as expressions */
    size_t input_count;
    const char *const *outputs;        /* channels, groups of channels, expressions; NULL: the model's outputs */
    size_t output_count;
} tn_linear_request;

/* About the state the session is in. Input of a parameter: a change of its value in the force itself; channels and
 * other
 * forces that name the parameter do not see it. Input of a drive: an
 * acceleration on top of its motion; its coordinate and rate are states then. request NULL: the defaults. Owned by the
 * caller: tn_linear_system_destroy. */
TN_API int tn_session_linearize(tn_linear_system **out, tn_session *session, const tn_linear_request *request);
TN_API void tn_linear_system_destroy(tn_context *context, tn_linear_system *system);

#ifdef __cplusplus
}
#endif
#endif
