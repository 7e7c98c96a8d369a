/* A session: a model being solved. */
#ifndef TENON_SESSION_H
#define TENON_SESSION_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_session tn_session;

/* Compiles the model, assembles it at t = 0 and prepares stepping. solve NULL: the model's own settings. The model must
 * outlive the session; the session does not change it, and others must not change it while the session is open. */
TN_API int tn_session_open(tn_session **out, tn_model *model, const tn_solve *solve);
TN_API void tn_session_close(tn_session *session);
TN_API tn_context *tn_session_context(const tn_session *session);

/* Advances by duration (s). TN_OK, TN_NEWS_INTERRUPTED, TN_NEWS_STOPPED (by an event), or with a diagnostic
 * TN_ERROR_STEP (the state is then the last good one) or TN_ERROR_FILE (a sample cannot be written). */
TN_API int tn_session_advance(tn_session *session, double duration);
/* Advances to a time (s), which tn_session_time then gives to the bit; does nothing when this time has passed already. */
TN_API int tn_session_advance_to(tn_session *session, double time);
/* Advances to the model's end of run; TN_NEWS_END when the end is reached. */
TN_API int tn_session_run(tn_session *session);
/* Takes one step of the integrator, over at most 1000 samples. */
TN_API int tn_session_step(tn_session *session);

/* Changes the settings from now on: scheme, integrator, solver, step, tolerances, record, until. The state does not
 * change, to the bit; equal settings change nothing. Strings are not kept. On an error the old settings stay. */
TN_API int tn_session_set_solve(tn_session *session, const tn_solve *solve);
/* The settings in use. */
TN_API tn_solve tn_session_solve(const tn_session *session);

/* The result of an edit. A command is a text in the language of model files: "{ remove: pin_a }",
 * "{ add: { joints: { ... } } }", "{ set: { spring.stiffness: 200 N/m } }" (docs/live.md). A command takes effect
 * immediately, between two steps, as a whole: on an error nothing has changed, and one undo reverts all of it. */
typedef struct tn_ack {
    double time;               /* s: when it took effect */
    bool changed;              /* false: the model already was in this state, and the motion continues to the bit */
    double energy_change;      /* J of kinetic and potential energy; work of the edit in the energy account */
    double displacement;       /* m: largest displacement of a body to close new joints */
    char text[240];            /* description of the edit, in words */
} tn_ack;
/* ack may be NULL. TN_ERROR_MODEL, TN_ERROR_ASSEMBLY, ... with diagnostics. */
TN_API int tn_session_apply(tn_ack *ack, tn_session *session, const char *command);
/* s: remaining time until a joint that is being drawn together is closed ("closing: { draw: 0.5 s }"); 0 when it is
 * closed or stale. */
TN_API double tn_session_closing(const tn_session *session, tn_id joint);
/* The model as text: the file it was read from, with comments and order kept and all edits applied. The text does not
 * contain the current state: bodies have the start values of the text. After an edit, the text contains the included
 * files. Owned through tn_text_free. TN_ERROR_ARGUMENT when the model was built by calls. */
TN_API int tn_session_text(char **out, tn_session *session);
/* Replaces the model by another text. Entities whose names occur in both keep their state; bodies move to close new
 * joints that are apart; one undo reverts it. TN_ERROR_MODEL, ... with diagnostics (file:line:column of the text); then
 * nothing has changed. */
TN_API int tn_session_set_text(tn_ack *ack, tn_session *session, const char *text);
/* The current model. After an edit this is a copy of the model that the session was opened with. Valid until the next
 * edit. */
TN_API const tn_model *tn_session_model(const tn_session *session);
/* Reverts the last edit, or makes it again. restore: time and state return to the snapshot before the edit (or after
 * it), to the bit; otherwise only the model changes, and the motion continues from now. TN_ERROR_ARGUMENT when there is
 * no such edit. */
TN_API int tn_session_undo(tn_ack *ack, tn_session *session, bool restore);
TN_API int tn_session_redo(tn_ack *ack, tn_session *session, bool restore);
/* Sets the memory for undo, 256 MiB by default; beyond it the oldest edits can no longer be undone. */
TN_API int tn_session_set_history(tn_session *session, size_t bytes);

/* Pulls a point of a body towards a target, as a mouse does. The pull is an acceleration, scaled by the effective mass
 * of the mechanism at the point, so that it feels the same for light and heavy, free and jointed bodies. A second call
 * with the same body and point moves the target. Channels: pull.force.x, pull.distance, pull.power, pull.energy. A pull
 * is not an edit: undo ignores it. */
typedef struct tn_pull {
    tn_id body;
    double at[3];              /* m, in the body's frame */
    double target[3];          /* m, in the world */
    double omega;              /* rad/s: how quickly the point follows; 0: 12 */
    double cap;                /* m/s^2: upper bound of the acceleration; 0: 200 */
} tn_pull;
TN_API int tn_session_pull(tn_session *session, const tn_pull *pull);
TN_API int tn_session_release(tn_session *session);

/* Moves the mechanism while time stands still, so that a point of a body comes as near to a target as joints, limits
 * and drives allow. It finds the least motion (weighted with the masses), in small steps on the current branch: the
 * mechanism never jumps to another branch or to a mirrored position; the drag stops there instead. Rolling constraints
 * do not restrict the pose. Velocities rotate with their bodies and are then projected onto the joints; angles continue
 * to count turns. A drag is an edit: one undo reverts it. Refused when drives alone determine the motion. */
typedef struct tn_drag {
    tn_id body;
    double at[3];              /* m, in the body's frame */
    double target[3];          /* m, in the world */
    bool more;                 /* continues the last drag of this body if nothing happened since: one undo for both */
} tn_drag;
typedef enum tn_drag_end {
    TN_DRAG_REACHED,           /* the point is at the target */
    TN_DRAG_BLOCKED,           /* the point cannot come nearer from here */
    TN_DRAG_SINGULAR,          /* the next step would pass a position where branches meet */
    TN_DRAG_UNFINISHED         /* the target is far away: drag again to continue */
} tn_drag_end;
typedef enum tn_blocker_kind {
    TN_BLOCKER_LIMIT,          /* the joint is at its limit */
    TN_BLOCKER_DRIVE,          /* the drive holds its coordinate */
    TN_BLOCKER_JOINT,          /* the joint carries the pull */
    TN_BLOCKER_CONTACT         /* shapes would overlap */
} tn_blocker_kind;
typedef struct tn_blocker {
    tn_id joint;               /* or contact */
    tn_blocker_kind kind;
} tn_blocker;
enum { TN_DRAG_BLOCKERS = 6 };
typedef struct tn_drag_result {
    tn_drag_end end;
    double distance;           /* m left */
    double displacement;       /* m: of the body that moved farthest */
    double energy_change;      /* J; work of the edit in the energy account */
    tn_blocker blockers[TN_DRAG_BLOCKERS];     /* contact, then limits, drives, joints; each kind by load */
    int blocker_count;         /* 0 when reached */
    char text[240];            /* description of the result, in words */
} tn_drag_result;
/* result may be NULL. */
TN_API int tn_session_drag(tn_drag_result *result, tn_session *session, const tn_drag *drag);

TN_API double tn_session_time(const tn_session *session);
/* The body's frame in the world, now; within a sample callback, at the time of the sample. */
TN_API int tn_session_pose(tn_pose *out, const tn_session *session, tn_id body);
/* Velocity (m/s, of the body's origin) and angular velocity (rad/s), world axes, now. */
TN_API int tn_session_velocity(double linear[3], double angular[3], tn_session *session, tn_id body);
/* The same for accelerations: m/s^2 and rad/s^2. */
TN_API int tn_session_acceleration(double linear[3], double angular[3], tn_session *session, tn_id body);
/* The load of a force element on body 2 at its frame there: force (N) and torque (N m), world axes, now; body 1 gets
 * the opposite. Zero for disabled forces and for forces that act on no body. */
TN_API int tn_session_force(double force[3], double torque[3], tn_session *session, tn_id id);
/* The reaction of a joint on body 2 at its frame there: force (N) and torque (N m), world axes, now. Zero for disabled
 * joints and for couplings. */
TN_API int tn_session_reaction(double force[3], double torque[3], tn_session *session, tn_id joint);
/* A counter of changes of the model: it differs when the model or values in it have changed (by an edit or event). */
TN_API long tn_session_revision(const tn_session *session);
/* Hash of the whole state: same build, same model, same hash. */
TN_API uint64_t tn_session_hash(const tn_session *session);
/* The state as text: a model-file fragment that continues from here (written when a run stops early, too). */
TN_API int tn_session_write_state(const tn_session *session, FILE *out);

/* Called after every step; a non-zero answer ends the run with TN_NEWS_INTERRUPTED. */
typedef int (*tn_step_callback)(void *user, const tn_session *session);
TN_API void tn_session_on_step(tn_session *session, tn_step_callback callback, void *user);

/* Events so far, in the order of their times; docs/events.md. At most TN_EVENTS_KEPT events and as many log lines are
 * kept; the counts continue. */
enum { TN_EVENTS_KEPT = 100000 };
typedef enum tn_fired_kind { TN_FIRED_UP, TN_FIRED_DOWN, TN_FIRED_TOUCH } tn_fired_kind;
typedef struct tn_fired {
    double time;               /* s */
    const char *event;
    tn_fired_kind kind;        /* crossed upwards or downwards, or turned back at zero */
} tn_fired;
TN_API size_t tn_session_fired_count(const tn_session *session);
TN_API tn_fired tn_session_fired(const tn_session *session, size_t index);
/* The entries that "log" actions wrote. */
typedef struct tn_log_entry {
    double time;               /* s */
    const char *event, *text;
} tn_log_entry;
TN_API size_t tn_session_log_count(const tn_session *session);
TN_API tn_log_entry tn_session_log_entry(const tn_session *session, size_t index);

/* Impacts so far, in the order of their times; docs/contact.md. An impact has an entry for every limit or contact with
 * an impulse. At most TN_EVENTS_KEPT are kept. */
typedef struct tn_impact {
    double time;               /* s */
    const char *name;          /* "hip.angle.low", or of the contact */
    double speed;              /* approach before, m/s or rad/s; negative: it was parting */
    double impulse;            /* normal, N s or N m s */
    double loss;               /* J of kinetic energy, all entries of the impact together; only in its first entry */
} tn_impact;
TN_API size_t tn_session_impact_count(const tn_session *session);
TN_API tn_impact tn_session_impact(const tn_session *session, size_t index);

/* The touches of all contacts at the present state. Writes at most capacity of them; returns how many there are, or a
 * negative code. Vectors are in world axes. */
typedef struct tn_contact_touch {
    const char *contact, *body1, *body2;       /* names, while the session lives */
    const char *state;         /* "sticks", "slides", "rests" (others bear the load) or "pressed" (by time stepping) */
    double point[3];           /* m */
    double normal[3];          /* unit vector from body 1 to body 2 */
    double force;              /* N: normal force */
    double friction[3];        /* N, on body 2 */
    double slip[3];            /* m/s: velocity of body 2 at the point, relative to the surface of body 1 */
} tn_contact_touch;
TN_API int tn_session_touches(tn_contact_touch *out, size_t capacity, tn_session *session);

/* Channels: every quantity by its name, "crank.position.x", "pivot.angle", "elbow.reaction.force.y", "energy.total". */
typedef struct tn_channel {
    const char *name;
    const char *unit;          /* "m", "rad/s", "" */
} tn_channel;
/* The current value of a channel or of an expression, "2 * crank.angle.rate". TN_ERROR_ARGUMENT with a diagnostic (and
 * the nearest name) when there is no such channel. */
TN_API int tn_session_value(double *value, tn_session *session, const char *channel);
/* A list of channels, or expressions of channels, for repeated reading: names are looked up once, reading does not
 * allocate. After edits the names are looked up again; a channel that no longer exists reads as NaN. Closed with the
 * session at the latest. TN_ERROR_ARGUMENT or TN_ERROR_MODEL with a diagnostic. */
typedef struct tn_readout tn_readout;
TN_API int tn_readout_open(tn_readout **out, tn_session *session, const char *const *channels, size_t count);
TN_API void tn_readout_close(tn_readout *readout);
TN_API const char *tn_readout_unit(const tn_readout *readout, size_t index);
/* The current values, one for each channel. */
TN_API int tn_readout_values(double *values, tn_readout *readout);
/* The available kinds of channels, for lists that people read (docs/channels.md); force types declare their own states
 * and channels. */
typedef struct tn_channel_kind {
    const char *group;         /* "bodies and frames" */
    const char *unit;
    const char *angle_unit;    /* the unit for a coordinate that is an angle; NULL: no difference */
    const char *doc;
    const char *level;         /* "motion", "solved", "dynamics", "reactions": the solution that the channel needs */
} tn_channel_kind;
TN_API size_t tn_channel_kind_count(void);
TN_API tn_channel_kind tn_channel_kind_at(size_t index);
/* "NAME.position.x ..."; returns the buffer. */
TN_API const char *tn_channel_kind_name(size_t index, char *buffer, size_t size);
/* All single channels of the session; call the count first, it makes the list. Valid until the next edit. */
TN_API size_t tn_session_channel_count(tn_session *session);
TN_API tn_channel tn_session_channel(const tn_session *session, size_t index);

/* Recorded channels: the model's outputs, one row every tn_solve.record seconds, from t = 0 on; "t" comes first. */
TN_API size_t tn_session_recorded_count(const tn_session *session);
TN_API tn_channel tn_session_recorded(const tn_session *session, size_t index);
/* True: the expression follows how redundant joints share a load, which the motion does not determine. False for channels that are no
 * expressions; of reactions tn_session_report tells. */
TN_API bool tn_session_recorded_is_shared(tn_session *session, size_t index);
typedef void (*tn_sample_callback)(void *user, const double *values, size_t count);
TN_API void tn_session_on_sample(tn_session *session, tn_sample_callback callback, void *user);
/* Records the samples from now on in a file; several files at a time are possible. TN_ERROR_FILE with a diagnostic when
 * the file cannot be written. CSV: a stream that the caller keeps and closes; the header is written at once. HDF5: a
 * file that is replaced; docs/results.md describes its layout. */
TN_API int tn_session_record_csv(tn_session *session, FILE *out);
TN_API int tn_session_record_hdf5(tn_session *session, const char *path);
/* Writes the buffers and ends all recording. tn_session_close does this, too, but cannot report an error. */
TN_API int tn_session_record_end(tn_session *session);

/* An equation of a joint at the present state. */
typedef struct tn_row {
    double residual, rate;     /* m or rad, and per second; at velocity level the rate only */
    double multiplier;         /* constraint force of the equation, as it acts on the bodies */
    double step_multiplier;    /* schemes with steps of their own: mean over the last step */
} tn_row;
/* Fills at most max rows; returns how many the joint has, or a negative code. */
TN_API int tn_session_rows(tn_row *rows, int max, tn_session *session, tn_id joint);

/* The gap of each joint at the given start, and the gap that assembly left. */
typedef struct tn_gap {
    tn_id joint;
    double before, after;      /* largest residual of the joint's equations: m or rad */
} tn_gap;
TN_API size_t tn_session_gap_count(const tn_session *session);        /* joints with a gap above round-off */
TN_API tn_gap tn_session_gap(const tn_session *session, size_t index);/* largest first */

/* A start value that assembly changed. given NaN: a coordinate that assembly chose for a joint of a body without a
 * pose, which shows the chosen branch. */
typedef struct tn_start_value {
    tn_id entity;              /* body, or joint */
    const char *what;          /* "position.x", "rotation.w" (of a quaternion), "angular_velocity.z", "angle" */
    const char *unit;
    double given, found;
} tn_start_value;
TN_API size_t tn_session_start_value_count(const tn_session *session);
TN_API tn_start_value tn_session_start_value(const tn_session *session, size_t index);

/* Quantities that the judge of a run looks at (solve.trust). */
typedef enum tn_doubt {
    TN_DOUBT_ENERGY, TN_DOUBT_DRIFT, TN_DOUBT_FORCES, TN_DOUBT_STEP, TN_DOUBT_NETWORK, TN_DOUBT_TIME, TN_DOUBT_MOTION,
    TN_DOUBT_REQUIREMENT, TN_DOUBT_SIZE, TN_DOUBT_SHARED,
    TN_DOUBTS
} tn_doubt;

typedef struct tn_summary {
    double time;               /* s simulated */
    double wall;               /* s spent in stepping */
    long steps, rejected, evaluations;
    long iterations;           /* of the solver, all solves; 0: it does not iterate */
    double max_drift;          /* largest residual of position equations after a step, m or rad */
    double max_velocity_drift; /* same of velocity equations, m/s or rad/s */
    tn_id drift_joint;         /* where max_drift was */
    double energy_start, energy_end;   /* J, kinetic + potential */
    double energy_work;        /* J put in by forces without potential, since the start */
    double energy_error;       /* largest |energy - start - work|, J */
    double energy_peak;        /* largest kinetic energy, J: what energy_error is compared with */
    long events;               /* fired so far */
    long impacts;              /* instants with impacts so far, including instants without a kept entry */
    long holds;                /* number of switches to first-order time stepping because contact changes crowded */
    long unsolved;             /* decisions about contacts for which no exact solution was found */
    const char *stopped_by;    /* event that ended the last call that advanced time; NULL: none */
    long not_finite;           /* recorded values of expressions that were not finite numbers */
    unsigned doubts;           /* what the judge of the run has told: bits 1 << tn_doubt */
    int rank_min, rank_max;    /* of the constraint rows, over the run; 0: the solver does not decide it */
    double network_error;      /* largest error of the energy balance of devices, J */
    double network_scale;      /* largest energy that devices exchanged, J; 0: there are none */
} tn_summary;
TN_API tn_summary tn_session_summary(const tn_session *session);
/* The energy error over the largest kinetic energy. NaN where nothing moves: that energy is round-off then. */
TN_API double tn_summary_energy_error(const tn_summary *summary);
/* The last rejected step since the model was last compiled. Integrators with their own step control (cvode, ida) only
 * count theirs. */
typedef struct tn_refused {
    double time, step;         /* s: where it began, and its length; step 0: there was none */
    const char *why;           /* owned by the session, valid until it advances */
} tn_refused;
TN_API tn_refused tn_session_refused(const tn_session *session);

/* A part of the model that takes its own steps within the session's steps (integrator 'modular'). */
typedef struct tn_part_info {
    const char *path;          /* of the subsystem; NULL: the rest, outside of subsystems with their own settings */
    const char *scheme, *integrator, *solver;
    size_t bodies, joints;
    long steps, rejected, evaluations;     /* since the model was last compiled; repeated passes count */
} tn_part_info;
TN_API size_t tn_session_part_count(const tn_session *session);       /* 0: the model is solved as a whole */
TN_API tn_part_info tn_session_part(const tn_session *session, size_t index);

/* Expectations the model states about itself ("expect:"), judged over the run so far. None is ok after an event has stopped the
 * run that the model does not expect to stop it. */
typedef struct tn_verdict {
    const char *what;          /* "energy", "drift", the channel compared with the reference, or why there is no judgement */
    double error, tolerance;
    bool ok;
} tn_verdict;
TN_API size_t tn_session_verdict_count(const tn_session *session);
TN_API tn_verdict tn_session_verdict(const tn_session *session, size_t index);

#ifdef __cplusplus
}
#endif
#endif
