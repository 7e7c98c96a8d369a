/* A run: a model, its compiled system, the stepper, the energy account and the summary so far. The rooms above (nonsmooth,
 * channels, events, history, live, session) keep their own state behind a pointer in struct tn_session. */
#ifndef TN_RUN_SESSION_IMPL_H
#define TN_RUN_SESSION_IMPL_H

#include "assemble.h"
#include "kinematics.h"
#include "overlay.h"
#include "stepper.h"
#include "tenon/analysis.h"
#include "tenon/session.h"

typedef struct tn_channels tn_channels;
typedef struct tn_events tn_events;
typedef struct tn_unilaterals tn_unilaterals;
typedef struct tn_history tn_history;
typedef struct tn_input_place tn_input_place;
typedef struct tn_log tn_log;
struct tn_command_text;

/* Carries out a command that stands somewhere, as tn_session_apply does for a text. */
typedef int (*tn_apply_command)(tn_session *session, const struct tn_command_text *command, tn_ack *ack);

/* Times closer than this part of a step are the same. */
static const double TN_SAME_STEP = 1e-9;

/* Efforts of drives and reactions of joints, taken where the work is. */
typedef struct tn_loads {
    struct tn_drive_tally { int constraint; tn_drive_load load; double squares, last, last_power; } *drives;
    struct tn_joint_tally { int constraint; tn_joint_load load; } *joints;
    size_t drive_count, joint_count;
} tn_loads;

struct tn_session {
    tn_model *model;
    tn_model *given;               /* the one it was opened with */
    tn_context *context;
    tn_arena *arena;
    tn_system *system;
    tn_coupling *coupling;         /* components of the system, for all workspaces of the run */
    tn_stepper *stepper;
    tn_overlay overlay;
    tn_kinematics *kinematics;     /* NULL: the motion is integrated */
    tn_solve solve, solve_given;   /* in use; when it was opened */
    tn_gap *gaps;
    size_t gap_count;
    tn_shift *shifts;              /* of bodies, by assembly */
    size_t shift_count;
    tn_start_value *start_values;  /* what assembly changed or chose */
    size_t start_value_count;
    int assembly_steps;
    tn_channels *channels;         /* channels.h */
    tn_input_place *inputs;        /* in the arena; NULL: not listed yet */
    size_t input_count;
    bool eval_current;             /* stepper->eval belongs to the accepted state */
    bool reactions_shared;         /* reactions in stepper->eval are shared by the laws of contact */
    bool at_rest;                  /* the accepted state is an equilibrium with drives held */
    long next_sample;
    double work, work_before;      /* J put in so far: after and before the last step */
    double powers[5];              /* W within the last step */
    tn_energy energy;              /* at the accepted state */
    tn_loads *loads;               /* NULL: not asked for */
    tn_events *events;             /* event_list.h */
    tn_unilaterals *unilaterals;             /* unilaterals.h */
    tn_summary summary;
    long iterations_before;        /* of the solvers before the present one */
    tn_step_callback on_step;
    void *step_user;
    bool owns_given;               /* it was read for this session */
    bool owns_model;               /* it is a copy of the caller's, with edits */
    tn_history *history;           /* undo.h: edits that can be taken back, and those that were; NULL: none */
    tn_log *log;                   /* log.h: what happened; NULL: nothing that has to be remembered */
    tn_apply_command apply;        /* carries out the commands of events */
    bool silent;                   /* what was is gone through again: no samples, no callbacks, no entries */
    long revision;
};

int tn_loads_open(tn_session *session);
/* At the point in stepper->eval, for a part (s) of time that it stands for. */
void tn_loads_take(tn_session *session, double part);
/* The same for the point taken last, once more. */
void tn_loads_repeat(tn_session *session, double part);

/* J: kinetic and potential energy at the accepted state, whose motion is in stepper->eval then. */
double tn_stepper_energy(tn_stepper *stepper);

/* Power at the start; before a step; work of the step just taken; work since the start at a time within that. */
int tn_work_begin(tn_session *session);
void tn_work_ready(tn_session *session);
int tn_work_add(tn_session *session);
double tn_work_at(const tn_session *session, double t);
/* J that the pull has put in at a time within the last step. */
double tn_pull_energy_at(const tn_session *session, double t);
/* Before the stepper goes back to t: the last step's work ends there. */
int tn_work_cut(tn_session *session, double t);

/* A body's frame in the world, from its positions. */
tn_pose tn_body_pose(const tn_sys_body *body, const double *q, int dimension);

/* The summary after a step; iterations of the present solver. */
void tn_summary_measure(tn_session *session);
long tn_solver_iterations(const tn_session *session);

/* Everything at (t, y), reactions included, into stepper->eval. */
int tn_session_evaluate_at(tn_session *session, double t, const double *y);
/* Makes stepper->eval belong to the accepted state again, with the reactions of the equations in force. Where several
 * contacts share a load, tn_session_evaluate of unilaterals.h gives the share that obeys the laws of contact. */
int tn_session_evaluate_plainly(tn_session *session);

#endif
