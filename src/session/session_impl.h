/* The session's parts; private to this layer. */
#ifndef TN_SESSION_IMPL_H
#define TN_SESSION_IMPL_H

#include "assemble.h"
#include "events.h"
#include "guards.h"
#include "kinematics.h"
#include "nearby.h"
#include "sink.h"
#include "stepper.h"
#include "tenon/analysis.h"
#include "tenon/results.h"

/* What a channel measures; index says of whom. */
typedef enum tn_measure {
    TN_MEASURE_GONE,                                                            /* was there once */
    TN_MEASURE_TIME,
    TN_MEASURE_POSITION, TN_MEASURE_VELOCITY, TN_MEASURE_ACCELERATION, TN_MEASURE_ORIENTATION, TN_MEASURE_ANGLE,
    TN_MEASURE_ANGULAR_VELOCITY, TN_MEASURE_ANGULAR_ACCELERATION,               /* of a frame */
    TN_MEASURE_COORDINATE, TN_MEASURE_COORDINATE_RATE, TN_MEASURE_COORDINATE_ACCELERATION,
    TN_MEASURE_FORCE, TN_MEASURE_TORQUE, TN_MEASURE_LOCAL_FORCE, TN_MEASURE_LOCAL_TORQUE,
    TN_MEASURE_MULTIPLIER, TN_MEASURE_JOINT_POWER, TN_MEASURE_DRIFT,                /* of a joint */
    TN_MEASURE_LIMIT, TN_MEASURE_RATCHET, TN_MEASURE_TOOTH,
    TN_MEASURE_FORCE_POWER,                                                     /* of a force */
    TN_MEASURE_CONTACT_FORCE, TN_MEASURE_CONTACT_NORMAL, TN_MEASURE_CONTACT_GAP, TN_MEASURE_CONTACT_CLOSED,
    TN_MEASURE_FORMULA,
    TN_MEASURE_KINETIC, TN_MEASURE_POTENTIAL, TN_MEASURE_TOTAL, TN_MEASURE_WORK, TN_MEASURE_ENERGY_ERROR,
    TN_MEASURE_LINEAR_MOMENTUM, TN_MEASURE_ANGULAR_MOMENTUM, TN_MEASURE_MAX_DRIFT, TN_MEASURE_SIGMA,
    TN_MEASURE_EVENT_COUNT, TN_MEASURE_EVENT_TIME                               /* of an event */
} tn_measure;

typedef struct tn_probe {
    char *name;                    /* owned by the session's arena */
    const char *unit;
    tn_measure measure;
    int index;                     /* constraint, force, event or slot of a contact */
    int component;
    tn_channel_formula *formula;
    bool of_force;                 /* a channel of a force */
    tn_sys_frame frame;
    tn_pose frame_in_body;         /* frame in internal coordinates, for orientations */
} tn_probe;

typedef struct tn_history tn_history;
typedef struct tn_log tn_log;

/* Times closer than this part of a step are the same. */
static const double TN_SAME_STEP = 1e-9;

typedef struct tn_probe_list {
    tn_probe *items;
    size_t count, capacity;
} tn_probe_list;

/* Channels that somebody reads often; a list by next. */
struct tn_readout {
    tn_session *session;
    tn_probe_list probes;
    tn_arena *arena;               /* of the names */
    tn_readout *next;
};

/* Comparison with a reference table. */
typedef struct tn_reference {
    tn_results *table;
    int time_column;
    size_t next_row, compared;
    struct tn_reference_column { int column; tn_probe probe; double error; } *columns;
    size_t column_count;
} tn_reference;

/* Efforts of drives and reactions of joints, taken where the work is. */
typedef struct tn_loads {
    struct tn_drive_tally { int constraint; tn_drive_load load; double squares, last, last_power; } *drives;
    struct tn_joint_tally { int constraint; tn_joint_load load; } *joints;
    size_t drive_count, joint_count;
} tn_loads;

/* What may be an input of a linearisation: a parameter of a force, or a drive. */
typedef struct tn_input_place {
    tn_input input;
    int force, parameter;          /* of the system, by declaration; force -1: a drive */
    int drive;                     /* its constraint */
} tn_input_place;

struct tn_session {
    tn_model *model;
    tn_model *given;               /* the one it was opened with */
    tn_context *context;
    tn_arena *arena;
    tn_system *system;
    tn_stepper *stepper;
    tn_kinematics *kinematics;     /* NULL: the motion is integrated */
    tn_solve solve, solve_given;   /* in use; when it was opened */
    tn_gap *gaps;
    size_t gap_count;
    tn_shift *shifts;              /* of bodies, by assembly */
    size_t shift_count;
    int assembly_steps;
    tn_probe_list recorded, all;
    tn_channel_formula **formulas; /* in the arena */
    size_t formula_count, formula_capacity;
    tn_input_place *inputs;        /* in the arena; NULL: not listed yet */
    size_t input_count;
    double *values;                /* one recorded sample */
    const double *sampled;         /* positions of the sample that a callback is looking at; NULL: no callback is */
    bool eval_current;             /* stepper->eval belongs to the accepted state */
    bool at_rest;                  /* the accepted state is an equilibrium with drives held */
    long next_sample;
    double work, work_before;      /* J put in so far: after and before the last step */
    double powers[5];              /* W within the last step */
    tn_energy energy;              /* at the accepted state */
    tn_loads *loads;               /* NULL: not asked for */
    tn_events events;
    tn_guards guards;
    tn_summary summary;
    long iterations_before;        /* of the solvers before the present one */
    tn_reference reference;
    tn_step_callback on_step;
    void *step_user;
    tn_sample_callback on_sample;
    void *sample_user;
    bool owns_given;               /* it was read for this session */
    bool owns_model;               /* it is a copy of the caller's, with edits */
    tn_history *history;   /* edits that can be taken back, and those that were; NULL: none */
    tn_log *log;                   /* what happened; NULL: nothing that has to be remembered */
    bool silent;                   /* what was is gone through again: no samples, no callbacks, no entries */
    tn_readout *readouts;          /* the latest first */
    long revision;
    tn_sink *sinks;                /* files the samples go to, the latest first */
};

/* Adds the probes whose name is the given one or lies below it ("crank", "crank.position", "all"); 0 added: unknown.
 * Their names live in the arena. */
int tn_probes_add(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *name, size_t *added);
/* A channel, a group of them, or an expression; a diagnostic when it is none. */
int tn_probes_add_output(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *text);
/* Value at the state in stepper->eval. */
double tn_probe_value(tn_session *session, const tn_probe *probe);
/* Channels by name again, after the system has become another; those that are gone are worth NaN. */
int tn_channels_rebind(tn_session *session);
int tn_readouts_rebind(tn_session *session);
/* Whether it means nothing where only the motion is known. */
bool tn_probe_needs_forces(const tn_probe *probe);
/* Does it need accelerations, reactions or constraints? Without, the motion in stepper->eval is enough. */
bool tn_probe_solves(const tn_probe *probe);
/* Diagnostic for a name that is no channel, with the nearest one. */
int tn_probe_unknown(tn_session *session, const char *name, tn_span span);

/* The channel of that name, which stands for the expression; compiled when it is new. from: path of the entity whose
 * names come first in it; NULL: the model. acts: the motion depends on it, as on the condition of an event. unit NULL:
 * that of the expression. */
int tn_channel_formula_get(tn_channel_formula **out, tn_session *session, const char *name, const char *text,
                           const char *from, bool acts, const char *unit, tn_span span);
bool tn_channel_formula_needs_forces(const tn_channel_formula *channel);
const char *tn_channel_formula_unit(const tn_channel_formula *channel);
double tn_channel_formula_value(tn_channel_formula *channel);
/* As for probes. */
bool tn_channel_formula_solves(const tn_channel_formula *channel);
/* Has it an exact rate, as expressions of positions and time have? */
bool tn_channel_formula_has_rate(const tn_channel_formula *channel);
double tn_channel_formula_rate(tn_channel_formula *channel);
void tn_channel_formulas_close(tn_session *session);

/* Number of the first sample after the accepted time, when samples are record apart. */
long tn_session_sample_after(const tn_session *session, double record);

int tn_loads_open(tn_session *session);
/* At the point in stepper->eval, for a part (s) of time that it stands for. */
void tn_loads_take(tn_session *session, double part);
/* The same for the point taken last, once more. */
void tn_loads_repeat(tn_session *session, double part);

/* Forces need masses: all bodies that lack theirs are reported. */
int tn_model_check_masses(const tn_model *model);

/* How the motion of a session is found. */
typedef enum tn_way { TN_WAY_DYNAMICS, TN_WAY_KINEMATICS, TN_WAY_INVERSE, TN_WAY_ASSEMBLY } tn_way;
/* options NULL: none. */
int tn_session_open_as(tn_session **out, tn_model *model, const tn_solve *solve, tn_way way,
                       const tn_assembly_options *options);
/* The start of the run: assembled, and its accelerations known. */
int tn_session_start(tn_session *session, const tn_assembly_options *options);
/* The settings with which drives are followed: a step, and what else is not chosen freely. */
tn_solve tn_driven_solve(const tn_solve *solve);
/* After the start: the drives take over where they can. */
int tn_session_follow_drives(tn_session *session, tn_way way);
/* Other settings of a session that follows its drives. */
int tn_driven_set_solve(tn_session *session, const tn_solve *solve);

/* The model's reference table, if it has one. */
int tn_reference_open(tn_session *session);
void tn_reference_close(tn_session *session);
void tn_reference_compare(tn_session *session, double t);

/* The sample in values to all files. Each gets it, whatever becomes of another; the first error is returned. */
int tn_record_row(tn_session *session);

/* J: kinetic and potential energy at the accepted state, whose motion is in stepper->eval then. */
double tn_stepper_energy(tn_stepper *stepper);
/* pull.c: the hand at the running model, before a step: in another pose it has another mass to move. */
int tn_pull_follow(tn_session *session);

/* Power at the start; before a step; work of the step just taken; work since the start at a time within that. */
int tn_work_begin(tn_session *session);
void tn_work_ready(tn_session *session);
int tn_work_add(tn_session *session);
double tn_work_at(const tn_session *session, double t);
/* Before the stepper goes back to t: the last step's work ends there. */
int tn_work_cut(tn_session *session, double t);

/* Makes the list of inputs. */
int tn_inputs_list(tn_session *session);
/* The state of the session with its tangent; the caller's to destroy. */
int tn_near_of_session(tn_near **out, tn_session *session);

/* A body's frame in the world, from its positions. */
tn_pose tn_body_pose(const tn_sys_body *body, const double *q, int dimension);

/* The samples that the last step has passed. */
int tn_samples_take(tn_session *session);
/* Only those up to a time within it; none when every step gives one. */
int tn_samples_take_until(tn_session *session, double until);
/* The summary after a step; iterations of the present solver. */
void tn_summary_measure(tn_session *session);
long tn_solver_iterations(const tn_session *session);

/* Everything at (t, y), reactions included, into stepper->eval. */
int tn_session_evaluate_at(tn_session *session, double t, const double *y);
/* Makes stepper->eval belong to the accepted state again, reactions included. */
int tn_session_evaluate(tn_session *session);

#endif
