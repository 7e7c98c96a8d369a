/* A run: a model, its compiled system, the stepper, the energy account and the summary so far. The layers above this
 * one (nonsmooth, channels, events, history, live, session) keep their own state behind pointers in struct
 * tn_session. */
#ifndef TN_RUN_SESSION_IMPL_H
#define TN_RUN_SESSION_IMPL_H

#include "assemble.h"
#include "device_network.h"
#include "kinematics.h"
#include "overlay.h"
#include "redundancy.h"
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

/* Carries out a command that has a place in a file, as tn_session_apply does for a text. */
typedef int (*tn_apply_command)(tn_session *session, const struct tn_command_text *command, tn_ack *ack);

/* Times closer than this share of a step count as equal. */
static const double TN_SAME_STEP = 1e-9;

/* Efforts of drives and reactions of joints, sampled at the points where the energy account takes power. */
typedef struct tn_loads {
    struct tn_drive_tally { int constraint; tn_drive_load load; double squares, last, last_power; } *drives;
    struct tn_joint_tally { int constraint; tn_joint_load load; } *joints;
    size_t drive_count, joint_count;
} tn_loads;

/* Memory of the samples of the judge (trust_room.c). */
typedef struct tn_trust_room {
    tn_arena *arena;
    tn_eval *rows;                 /* all rows and masses: the run's own workspace keeps what its solver needs */
    double *residual, *largest;    /* over the velocities */
    double *start;                 /* the first judged state, once started */
    bool started;
    double *whole, *halves;        /* states after a step and after two half steps */
    tn_stepper *probes[2];         /* that take the step, and half steps; NULL: the method has no fixed step */
    tn_reporter *reporter;         /* of joints that share loads; NULL: nothing follows reactions */
} tn_trust_room;

/* State of the judge of the run (session/trust.c). */
typedef struct tn_trust_state {
    bool told[TN_DOUBTS];
    uint32_t broken[16];           /* slots of forces whose requirements were told to be broken */
    int broken_count;
    int doubtful;                  /* steps in a row after which the energy balance was off */
    double energy_scale;           /* J: largest energy that was in motion or exchanged */
    double fastest;                /* m/s: largest velocity so far */
    double change;                 /* largest change of a position or velocity, over the error that a step may have */
    bool clear;                    /* that is far above 1, or nothing begins to move */
    tn_trust_room *room;           /* NULL: the next sample makes it */
} tn_trust_state;

/* Energies (J) since the start: put in by sources and surroundings, lost, put into the mechanism; error of the balance; sum of
 * the changes of what is stored. */
typedef struct tn_network_sum {
    double supplied, lost, mechanical, error, gross;
} tn_network_sum;

/* Energy account of the network (network_account.c). */
typedef struct tn_network_account {
    tn_network_sum sum, before;    /* after and before the last step */
    tn_network_power points[5];    /* at the Gauss-Lobatto points of the last step */
    double scale;                  /* J: largest energy that was exchanged */
    bool begun;                    /* the last point is the accepted state before the present change */
} tn_network_account;

/* A part of a step, of which five points show the power well enough. */
typedef struct tn_work_part {
    double begin, end;             /* in parts of the step */
    double work;                   /* J: from the begin of the step to the begin of the part */
    double powers[5];              /* W: at the Gauss-Lobatto points of the part */
} tn_work_part;

enum { TN_WORK_HALVINGS = 5, TN_WORK_PARTS = 1 << TN_WORK_HALVINGS };

struct tn_session {
    tn_model *model;
    tn_model *given;               /* the model with which the session was opened */
    tn_context *context;
    tn_arena *arena;               /* until the session closes */
    tn_arena *scratch;             /* between a mark and its release */
    tn_arena *binding;             /* what leads into the present system: events, channels by expression, lists of channels */
    tn_arena **retired;            /* of earlier systems, while events of theirs are firing */
    size_t retired_count, retired_capacity;
    bool rebinding;                /* not all has been bound to the present system: retired arenas may still be in use */
    tn_system *system;
    tn_coupling *coupling;         /* components of the system, shared by all workspaces of the run */
    tn_stepper *stepper;
    tn_overlay overlay;
    tn_kinematics *kinematics;     /* NULL: the motion is integrated */
    tn_solve solve, solve_given;   /* present settings; settings when the session was opened */
    tn_gap *gaps;
    size_t gap_count;
    tn_shift *shifts;              /* displacements of bodies by assembly */
    size_t shift_count;
    tn_start_value *start_values;  /* start values that assembly changed or chose */
    size_t start_value_count;
    int assembly_steps;
    tn_channels *channels;         /* channels.h */
    tn_input_place *inputs;        /* of linearisations; in binding; NULL: not listed yet */
    size_t input_count;
    bool inputs_changed;           /* inputs were set since the stepper was started or stepped */
    bool eval_current;             /* stepper->eval belongs to the accepted state */
    bool reactions_shared;         /* reactions in stepper->eval are shared by the laws of contact */
    bool at_rest;                  /* the accepted state is an equilibrium with drives held */
    long next_sample;
    double work, work_before;      /* J: work put in so far, after and before the last step */
    double error_before;           /* J: error of the energy balance before the last step */
    double powers[5];              /* W: power at the Gauss-Lobatto points of the last step */
    tn_work_part work_parts[TN_WORK_PARTS];        /* of the last step */
    int work_part_count;           /* 0: the whole step is one part */
    tn_energy energy;              /* at the accepted state */
    tn_network_account network;
    tn_loads *loads;               /* NULL: loads are not recorded */
    tn_events *events;             /* event_list.h */
    tn_unilaterals *unilaterals;             /* unilaterals.h */
    tn_summary summary;
    tn_trust_state trust;
    long iterations_before;        /* iterations of the solvers before the present one */
    struct tn_probe *late_probes;  /* of what sampled devices read after the solution (late_inputs.c); in binding; NULL: not found yet */
    struct tn_network_events *network_events;      /* workspace (network_events.c); NULL: none yet */
    int network_kinks;             /* number of kinks that it has room for */
    tn_step_callback on_step;
    void *step_user;
    bool owns_given;               /* the session owns `given`: it was read for this session */
    bool owns_model;               /* the session owns `model`: an edited copy of the caller's model */
    tn_history *history;           /* undo.h: edits that can be undone or redone; NULL: none */
    tn_log *log;                   /* log.h: record of the run; NULL: no record */
    tn_apply_command apply;        /* carries out the commands of events */
    bool silent;                   /* the run repeats recorded steps: no samples, callbacks or log entries */
    long revision;
};

/* binding.c: begins another arena for objects that point into the system; the old arena retires. release frees the retired arenas, once
 * all objects are bound to the present system; call it when no events are firing. */
int tn_binding_renew(tn_session *session);
void tn_binding_release(tn_session *session);
void tn_binding_close(tn_session *session);

/* Begins to record loads; the record lives in the session's arena. */
int tn_loads_open(tn_session *session);
/* Records the loads at the point in stepper->eval, with the time weight part (s). */
void tn_loads_take(tn_session *session, double part);
/* Adds the last recorded point once more, with the time weight part (s). */
void tn_loads_repeat(tn_session *session, double part);

/* Returns the sum of kinetic and potential energy (J) at the accepted state. Puts its motion into stepper->eval. */
double tn_stepper_energy(tn_stepper *stepper);

/* begin: computes energy and power at the accepted state; ready: call before every step; add: adds the work of the step
 * just taken; at: returns the work (J) since the start at a time t within that step. */
int tn_work_begin(tn_session *session);
void tn_work_ready(tn_session *session);
int tn_work_add(tn_session *session);
double tn_work_at(const tn_session *session, double t);
/* Error (J) of the energy balance at a time in the last step, where the total energy is total: between the ends of the step
 * on the line between the errors there. Dense output would add its own. */
double tn_energy_error_at(const tn_session *session, double t, double total);
/* trust_room.c. halves: also for comparisons with half steps. Whoever replaces stepper or system frees the room. */
int tn_trust_room_make(tn_session *session, bool halves);
void tn_trust_room_free(tn_session *session);
/* Returns the energy (J) that the pull has put in until a time t within the last step. */
double tn_pull_energy_at(const tn_session *session, double t);
/* Before the stepper goes back to t: reduces the work of the last step to its part before t. */
int tn_work_cut(tn_session *session, double t);

/* network_account.c. begin: measures the accepted state; step: a step has been taken; take: measures the state in stepper->eval
 * as a point of the step; add: adds the points of the step; restore: goes on with these sums. */
void tn_network_account_begin(tn_session *session);
void tn_network_account_step(tn_session *session);
void tn_network_take(tn_session *session, int point);
void tn_network_account_add(tn_session *session, const double *weights, double h);
void tn_network_account_restore(tn_session *session, const tn_network_sum *sum);
/* Sums at a time t within the last step. */
tn_network_sum tn_network_sum_at(const tn_session *session, double t);

/* Returns a body's frame in the world, from its positions. */
tn_pose tn_body_pose(const tn_sys_body *body, const double *q, int dimension);

/* Updates the summary after a step. tn_solver_iterations: iterations of the present solver. */
void tn_summary_measure(tn_session *session);
long tn_solver_iterations(const tn_session *session);

/* Evaluates accelerations and reactions at (t, y), into stepper->eval. */
int tn_session_evaluate_at(tn_session *session, double t, const double *y);
/* Evaluates the accepted state into stepper->eval, with the multipliers of the equations in force. Where several
 * contacts share a load, tn_session_evaluate of unilaterals.h gives multipliers that obey the laws of contact. */
int tn_session_evaluate_plainly(tn_session *session);

#endif
