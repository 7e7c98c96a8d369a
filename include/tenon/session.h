/* A session: a model being solved. */
#ifndef TENON_SESSION_H
#define TENON_SESSION_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_session tn_session;

/* Compiles the model, assembles it at t = 0 and gets ready to step. solve NULL: the model's own settings.
 * The model must outlive the session; it is not changed, and must not be changed by others while the session is open.
 * */
TN_API int tn_session_open(tn_session **out, tn_model *model, const tn_solve *solve);
TN_API void tn_session_close(tn_session *session);
TN_API tn_context *tn_session_context(const tn_session *session);

/* Goes on by duration (s). TN_OK, TN_NEWS_INTERRUPTED, TN_NEWS_STOPPED (by an event), or with a diagnostic
 * TN_ERROR_STEP
 * (the state is then the last good one) or TN_ERROR_FILE (a sample cannot be written). */
TN_API int tn_session_advance(tn_session *session, double duration);
/* Goes on to a time (s); is there already when it is past. */
TN_API int tn_session_advance_to(tn_session *session, double time);
/* Goes on to the model's end of run: TN_NEWS_END when there. */
TN_API int tn_session_run(tn_session *session);
/* One step of the integrator, over 1000 samples at most. */
TN_API int tn_session_step(tn_session *session);

/* Other settings from here on: scheme, integrator, solver, step, tolerances, record, until. The state stays, to the
 * bit; the same settings change nothing. Strings are not kept. On an error the old settings stay. */
TN_API int tn_session_set_solve(tn_session *session, const tn_solve *solve);
/* The settings in use. */
TN_API tn_solve tn_session_solve(const tn_session *session);

/* Edits. A command is a text in the language of model files: "{ remove: pin_a }", "{ add: { joints: { ... } } }",
 * "{ set: { spring.stiffness: 200 N/m } }" (docs/live.md). It takes effect at once, between two steps, as a whole: on
 * an
 * error nothing has changed, and one undo takes all of it back. */
typedef struct tn_ack {
    double time;               /* s: when it took effect */
    bool changed;              /* false: everything was so already, and the motion goes on to the bit */
    double energy_change;      /* J of kinetic and potential energy; work of the edit in the energy account */
    double displacement;       /* m: how far a body had to move to close new joints, at most */
    char text[240];            /* what it did, in words */
} tn_ack;
/* ack may be NULL. TN_ERROR_MODEL, TN_ERROR_ASSEMBLY, ... with diagnostics. */
TN_API int tn_session_apply(tn_ack *ack, tn_session *session, const char *command);
/* s: how long a joint is still being drawn together ("closing: { draw: 0.5 s }"); 0 when it is closed or stale. */
TN_API double tn_session_closing(const tn_session *session, tn_id joint);
/* The model as text: the file it was read from, comments and order kept, with all edits written into it. The state is
 * no part of it: bodies stand where the text says at the start. Once there are edits, included files are part of the
 * text. Owned through tn_text_free. TN_ERROR_ARGUMENT when the model was built by calls. */
TN_API int tn_session_text(char **out, tn_session *session);
/* Another text becomes the model: names it shares with the one so far keep their state, new joints that are apart are
 * closed by moving bodies, and one undo takes it back. TN_ERROR_MODEL, ... with diagnostics (file:line:column of the
 * text); nothing has changed then. */
TN_API int tn_session_set_text(tn_ack *ack, tn_session *session, const char *text);
/* The model as it is now: a copy of the one the session was opened with once there was an edit. Valid until the next.
 * */
TN_API const tn_model *tn_session_model(const tn_session *session);
/* Takes the last edit back, or makes it again. restore: time and state go back to the moment before it (or after it),
 * to
 * the bit; otherwise only the model changes, and the motion goes on from now. TN_ERROR_ARGUMENT when there is none. */
TN_API int tn_session_undo(tn_ack *ack, tn_session *session, bool restore);
TN_API int tn_session_redo(tn_ack *ack, tn_session *session, bool restore);
/* Memory for what undo needs, 256 MiB by default; beyond it the oldest edits can no longer be taken back. */
TN_API int tn_session_set_history(tn_session *session, size_t bytes);

/* Pulls a point of a body towards a target, as a mouse does: as an acceleration, scaled by the effective mass of the
 * mechanism at the point, so that light and heavy, free and jointed bodies feel the same. Called again with the same
 * body and point, it moves the target. Channels: pull.force.x, pull.distance, pull.power, pull.energy. Not an edit:
 * undo
 * does not see it. */
typedef struct tn_pull {
    tn_id body;
    double at[3];              /* m, in the body's frame */
    double target[3];          /* m, in the world */
    double omega;              /* rad/s: how quickly the point follows; 0: 12 */
    double cap;                /* m/s^2: largest acceleration asked for; 0: 200 */
} tn_pull;
TN_API int tn_session_pull(tn_session *session, const tn_pull *pull);
TN_API int tn_session_release(tn_session *session);

/* Moves the mechanism while it stands still: along joints, limits and drives as they are, so that a point of a body
 * comes as near to a target as they allow. The least motion (with the masses) that does it, in small steps on the
 * branch it is on: nothing snaps over or mirrors, and what would is where it stops. Rolling does not hold back a pose.
 * Time stays; velocities turn with their bodies, then what joints do not allow is taken out; angles count on. An edit:
 * one undo takes it back. Refused where the motion follows drives only. */
typedef struct tn_drag {
    tn_id body;
    double at[3];              /* m, in the body's frame */
    double target[3];          /* m, in the world */
    bool more;                 /* goes on with the last drag of this body, if nothing happened since: one undo */
} tn_drag;
typedef enum tn_drag_end {
    TN_DRAG_REACHED,           /* the point is at the target */
    TN_DRAG_BLOCKED,           /* nearer is not possible from here */
    TN_DRAG_SINGULAR,          /* further would lead through a position where branches meet */
    TN_DRAG_UNFINISHED         /* a long way: drag again to go on */
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
    tn_blocker blockers[TN_DRAG_BLOCKERS];     /* a contact, then limits, drives, joints; each by what it carries */
    int blocker_count;         /* 0 when reached */
    char text[240];            /* what happened, in words */
} tn_drag_result;
/* result may be NULL. */
TN_API int tn_session_drag(tn_drag_result *result, tn_session *session, const tn_drag *drag);

TN_API double tn_session_time(const tn_session *session);
/* The body's frame in the world, now; within a sample callback, at the time of the sample. */
TN_API int tn_session_pose(tn_pose *out, const tn_session *session, tn_id body);
/* Velocity (m/s, of the body's origin) and angular velocity (rad/s), world axes, now. */
TN_API int tn_session_velocity(double linear[3], double angular[3], tn_session *session, tn_id body);
/* Same of accelerations: m/s^2 and rad/s^2. */
TN_API int tn_session_acceleration(double linear[3], double angular[3], tn_session *session, tn_id body);
/* What a force does to body 2 at its frame there: force (N) and torque (N m), world axes, now; body 1 feels the
 * opposite. Zero for forces that take no part, and for those that act nowhere. */
TN_API int tn_session_force(double force[3], double torque[3], tn_session *session, tn_id id);
/* What the joint does to body 2 at its frame there: force (N) and torque (N m), world axes, now. Zero for joints
 * that take no part, and for couplings. */
TN_API int tn_session_reaction(double force[3], double torque[3], tn_session *session, tn_id joint);
/* Counts changes of the model: another number, another model or other numbers in it (by an edit or an event). */
TN_API long tn_session_revision(const tn_session *session);
/* Hash of the whole state: same build, same model, same hash. */
TN_API uint64_t tn_session_hash(const tn_session *session);
/* The state as text: a model-file fragment that continues from here (written when a run stops early, too). */
TN_API int tn_session_write_state(const tn_session *session, FILE *out);

/* Called after every step; a non-zero answer ends the run with TN_NEWS_INTERRUPTED. */
typedef int (*tn_step_callback)(void *user, const tn_session *session);
TN_API void tn_session_on_step(tn_session *session, tn_step_callback callback, void *user);

/* Events so far, in the order of their times; docs/events.md. At most TN_EVENTS_KEPT are kept, and as many lines of the
 * log; counts go on. */
enum { TN_EVENTS_KEPT = 100000 };
typedef enum tn_fired_kind { TN_FIRED_UP, TN_FIRED_DOWN, TN_FIRED_TOUCH } tn_fired_kind;
typedef struct tn_fired {
    double time;               /* s */
    const char *event;
    tn_fired_kind kind;        /* crossed upwards or downwards, or turned back at zero */
} tn_fired;
TN_API size_t tn_session_fired_count(const tn_session *session);
TN_API tn_fired tn_session_fired(const tn_session *session, size_t index);
/* What the actions "log" wrote. */
typedef struct tn_log_entry {
    double time;               /* s */
    const char *event, *text;
} tn_log_entry;
TN_API size_t tn_session_log_count(const tn_session *session);
TN_API tn_log_entry tn_session_log_entry(const tn_session *session, size_t index);

/* Impacts so far, in the order of their times; docs/contact.md. An impact has an entry for every stop or contact that
 * was pressed in it. At most TN_EVENTS_KEPT are kept. */
typedef struct tn_impact {
    double time;               /* s */
    const char *name;          /* "hip.angle.low", or of the contact */
    double speed;              /* approach before, m/s or rad/s; negative: it was parting */
    double impulse;            /* normal, N s or N m s */
    double loss;               /* J of kinetic energy, of all entries of the impact together: told by the first one */
} tn_impact;
TN_API size_t tn_session_impact_count(const tn_session *session);
TN_API tn_impact tn_session_impact(const tn_session *session, size_t index);

/* Channels: every quantity by its name, "crank.position.x", "pivot.angle", "elbow.reaction.force.y", "energy.total". */
typedef struct tn_channel {
    const char *name;
    const char *unit;          /* "m", "rad/s", "" */
} tn_channel;
/* Value now; also of an expression, "2 * crank.angle.rate". TN_ERROR_ARGUMENT with a diagnostic (and the nearest
 * name) when there is no such channel. */
TN_API int tn_session_value(double *value, tn_session *session, const char *channel);
/* Channels, or expressions of them, to be read again and again: looked up once, read without allocating. After edits
 * they are looked up anew by name; one that is gone is worth NaN. Closed with the session at the latest.
 * TN_ERROR_ARGUMENT or TN_ERROR_MODEL with a diagnostic. */
typedef struct tn_readout tn_readout;
TN_API int tn_readout_open(tn_readout **out, tn_session *session, const char *const *channels, size_t count);
TN_API void tn_readout_close(tn_readout *readout);
TN_API const char *tn_readout_unit(const tn_readout *readout, size_t index);
/* Values now, one a channel. */
TN_API int tn_readout_values(double *values, tn_readout *readout);
/* The kinds of channels there are, for lists that people read (docs/channels.md); types of forces tell their states and
 * channels. */
typedef struct tn_channel_kind {
    const char *group;         /* "bodies and frames" */
    const char *unit;
    const char *angle_unit;    /* where it is that of a coordinate which is an angle; NULL: no difference */
    const char *doc;
    const char *level;         /* "motion", "solved", "dynamics", "reactions": what has to be known */
} tn_channel_kind;
TN_API size_t tn_channel_kind_count(void);
TN_API tn_channel_kind tn_channel_kind_at(size_t index);
/* "NAME.position.x ..."; returns the buffer. */
TN_API const char *tn_channel_kind_name(size_t index, char *buffer, size_t size);
/* All single channels of the session; call the count first, it makes the list. */
TN_API size_t tn_session_channel_count(tn_session *session);
TN_API tn_channel tn_session_channel(const tn_session *session, size_t index);

/* Recorded channels: the model's outputs, one row every tn_solve.record seconds, from t = 0 on; "t" comes first. */
TN_API size_t tn_session_recorded_count(const tn_session *session);
TN_API tn_channel tn_session_recorded(const tn_session *session, size_t index);
typedef void (*tn_sample_callback)(void *user, const double *values, size_t count);
TN_API void tn_session_on_sample(tn_session *session, tn_sample_callback callback, void *user);
/* Files of the samples from here on; any number at a time. TN_ERROR_FILE with a diagnostic when one cannot be written.
 * CSV: to a stream that stays the caller's; writes the header at once. HDF5: to a file that is replaced; its layout is
 * in docs/results.md. */
TN_API int tn_session_record_csv(tn_session *session, FILE *out);
TN_API int tn_session_record_hdf5(tn_session *session, const char *path);
/* Writes what is left in buffers and ends all recording; tn_session_close does, too, but cannot tell of an error. */
TN_API int tn_session_record_end(tn_session *session);

/* An equation of a joint at the present state. */
typedef struct tn_row {
    double residual, rate;     /* m or rad, and per second; at velocity level the rate only */
    double multiplier;         /* what holds it, as it acts on the bodies */
    double step_multiplier;    /* schemes with steps of their own: mean over the last step */
} tn_row;
/* Fills at most max rows; returns how many the joint has, or a negative code. */
TN_API int tn_session_rows(tn_row *rows, int max, tn_session *session, tn_id joint);

/* How far apart the given start left each joint, and what assembly did about it. */
typedef struct tn_gap {
    tn_id joint;
    double before, after;      /* largest residual of the joint's equations: m or rad */
} tn_gap;
TN_API size_t tn_session_gap_count(const tn_session *session);        /* joints that were off by more than round-off */
TN_API tn_gap tn_session_gap(const tn_session *session, size_t index);/* largest first */

/* A start value that assembly changed; or, with given NaN, a coordinate that it chose for a joint of a body without a
 * pose: the branch that was taken. */
typedef struct tn_start_value {
    tn_id entity;              /* body, or joint */
    const char *what;          /* "position.x", "rotation.w" (of a quaternion), "angular_velocity.z", "angle" */
    const char *unit;
    double given, found;
} tn_start_value;
TN_API size_t tn_session_start_value_count(const tn_session *session);
TN_API tn_start_value tn_session_start_value(const tn_session *session, size_t index);

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
    long impacts;              /* instants with impacts so far, also those that have no entry */
    long holds;                /* times that contacts were stepped in time, to first order: their changes crowded */
    long unsolved;             /* decisions about contacts for which no exact solution was found */
    const char *stopped_by;    /* event that ended the last call that went on; NULL: none */
    long not_finite;           /* recorded values of expressions that were not finite numbers */
    int rank_min, rank_max;    /* of the constraint rows, over the run; 0: the solver does not decide it */
} tn_summary;
TN_API tn_summary tn_session_summary(const tn_session *session);
/* The energy error over the largest kinetic energy. NaN where nothing moves: that energy is round-off then. */
TN_API double tn_summary_energy_error(const tn_summary *summary);
/* The last step that was tried and not taken, since the model was last compiled. Integrators with a step control of
 * their own (cvode, ida) count theirs only. */
typedef struct tn_refused {
    double time, step;         /* s: where it began, and its length; step 0: there was none */
    const char *why;           /* the session's, until it goes on */
} tn_refused;
TN_API tn_refused tn_session_refused(const tn_session *session);

/* A part of the model that takes steps of its own within the session's (integrator 'modular'). */
typedef struct tn_part_info {
    const char *path;          /* of the subsystem; NULL: what is in none that has settings of its own */
    const char *scheme, *integrator, *solver;
    size_t bodies, joints;
    long steps, rejected, evaluations;     /* since the model was last compiled; repeated passes count */
} tn_part_info;
TN_API size_t tn_session_part_count(const tn_session *session);       /* 0: the model is solved as a whole */
TN_API tn_part_info tn_session_part(const tn_session *session, size_t index);

/* Expectations the model states about itself ("expect:"), judged over the samples so far. */
typedef struct tn_verdict {
    const char *what;          /* "energy", "drift", or the channel compared with the reference */
    double error, tolerance;
    bool ok;
} tn_verdict;
TN_API size_t tn_session_verdict_count(const tn_session *session);
TN_API tn_verdict tn_session_verdict(const tn_session *session, size_t index);

#ifdef __cplusplus
}
#endif
#endif
