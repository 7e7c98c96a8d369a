/* Questions about a mechanism at a state: freedoms, redundancy, uniqueness of reactions, stability of a scheme. */
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

/* At the state the session is in. Owned by the caller: tn_report_destroy. */
int tn_session_report(tn_report **out, tn_session *session);
void tn_report_destroy(tn_context *context, tn_report *report);

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
int tn_session_open_assembled(tn_session **out, tn_model *model, const tn_assembly_options *options);
/* How far assembly moved a body from its given place (unplaced ones: from where their joints would have them). */
typedef struct tn_shift {
    tn_id body;
    double distance;           /* m, of the centre of mass */
    double angle;              /* rad */
} tn_shift;
size_t tn_session_shift_count(const tn_session *session);      /* bodies that moved by more than round-off */
tn_shift tn_session_shift(const tn_session *session, size_t index);    /* largest first */
int tn_session_assembly_steps(const tn_session *session);      /* of Newton's method */

/* Kinematics: a session whose motion the drives determine. Positions, velocities and accelerations are solved at every
 * time instead of being integrated, so they are exact whatever the step (solve.step; not given: solve.record); scheme,
 * integrator and solver are not asked. Everything that takes a session takes this one, but its channels are those of
 * motion only: others are left out of the outputs with a warning, and an error when asked for. Bodies need no mass.
 * TN_ERROR_MODEL when the drives leave some freedom: the diagnostic names the joints that can still move. TN_ERROR_STEP
 * later, from tn_session_advance and the like, at a dead point, with its time and joints. */
int tn_session_open_kinematics(tn_session **out, tn_model *model, const tn_solve *solve);
/* Inverse dynamics: the same with masses and forces, so that all channels are there: forces of the drives
 * ("motor.torque", "motor.power"), reactions, energies. Where the drives do not determine the motion, or forces have
 * states of their own, the motion is integrated as in tn_session_open, with a warning that says why. */
int tn_session_open_inverse(tn_session **out, tn_model *model, const tn_solve *solve);
/* What the drives of an inverse session had to do so far, in model order. Means and work are integrals over time. */
typedef struct tn_drive_load {
    tn_id drive;
    const char *unit;          /* of its effort: "N m", or "N" */
    double peak, peak_time;    /* the effort where it was largest by size; s */
    double rms;                /* of the effort, over time */
    double power, power_time;  /* W, where it was largest by size; s */
    double work;               /* J put into the motion */
} tn_drive_load;
size_t tn_session_drive_load_count(const tn_session *session);
tn_drive_load tn_session_drive_load(const tn_session *session, size_t index);
/* What its joints had to bear: largest sizes of force and torque on body 2. Couplings are not among them. */
typedef struct tn_joint_load {
    tn_id joint;
    double force, force_time;  /* N; s */
    double torque, torque_time;/* N m; s */
} tn_joint_load;
size_t tn_session_joint_load_count(const tn_session *session);
tn_joint_load tn_session_joint_load(const tn_session *session, size_t index);
/* Whether the motion is solved from the drives rather than integrated. */
bool tn_session_is_driven(const tn_session *session);

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
int tn_session_spectrum(tn_spectrum **out, const tn_session *session);
void tn_spectrum_destroy(tn_context *context, tn_spectrum *spectrum);

#ifdef __cplusplus
}
#endif
#endif
