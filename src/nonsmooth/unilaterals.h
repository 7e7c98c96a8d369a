/* Unilateral constraints gap >= 0: limits of joint coordinates, and contacts between shapes. A closed unilateral
 * constraint is an ordinary joint that is attached to the session's system, beside the joints of the model.
 *
 * While the constraint is open, the run watches its gap; an approach with gap zero is an impact. While the constraint
 * is closed, it is an equation within a step; complementarity of forces and accelerations over all unilateral
 * constraints that touch decides whether it stays closed. A "touch" is a pair of shape features at a contact
 * (touch.h). */
#ifndef TN_UNILATERALS_H
#define TN_UNILATERALS_H

#include "system.h"
#include "session_impl.h"
#include "touch_set.h"

typedef enum tn_unilateral_mode {
    TN_UNILATERAL_OPEN,
    TN_UNILATERAL_RESTS,                /* gap zero, not in force: others bear the load, so that forces are unique */
    TN_UNILATERAL_SLIDES,               /* the normal equation is in force */
    TN_UNILATERAL_STICKS,               /* the normal and the tangential equations are in force */
    TN_UNILATERAL_PRESSED               /* had an impulse in the last time step; no equation is in force */
} tn_unilateral_mode;

typedef struct tn_unilateral {
    const char *name;              /* in the session's arena */
    int limit, side;               /* index of the model's limit, -1: contact; side 1: lower end, -1: upper end */
    double bound;                  /* m or rad: bound of a limit; of a ratchet: the last tooth that was passed */
    double pitch;                  /* m or rad: of a ratchet */
    tn_touch touch;
    tn_unilateral_mode mode;
    double restitution;
    double friction;               /* coefficient while it sticks: law.sticking */
    tn_slide_law law;
    double fastest;                /* fastest approach so far: m/s or rad/s */
    double gap, rate;              /* at the last measurement */
    double gap_before, rate_before;    /* at the beginning of the searched piece of a step */
    double margin, margin_before;      /* N or N m: distance from opening or slipping, while a step is searched */
    double along[TN_SLIDE_TANGENTS];   /* slip direction, while sliding with friction */
    double force[1 + TN_SLIDE_TANGENTS];   /* last solution, normal first: start of the next search; pressed: impulse
                                              over the length of the step, along the axes of tn_contact_tangents */
    int constraint;                /* index of the system's constraint while closed; else -1 */
    bool ended;                    /* its touch is not found any more, or elsewhere on the shapes; it is about to be removed */
    tn_unilateral_mode renewed;    /* mode before its touch was found again elsewhere on the shapes; open: it was not */
} tn_unilateral;

typedef struct tn_contact_rows tn_contact_rows;     /* contact_rows.h */

/* Data of all contacts: shapes, and poses of the bodies. */
typedef struct tn_contact_shapes {
    tn_touches *touches;           /* NULL: the model has no contacts */
    tn_pose *poses;                /* by slot of the model */
    double *reach;                 /* m, by slot: largest distance of a shape point from the body's origin */
    const char **names;            /* names of contacts, by slot */
    tn_unilateral *seen;                /* touches with a small gap in the searched piece of a step */
    size_t seen_count, seen_capacity;
    bool *done;                    /* of each of them: the search for its closing has ended */
    size_t done_capacity;
    tn_touch_set seen_keys;
} tn_contact_shapes;

/* A state of another tool, to which it has gone from the accepted one. */
typedef struct tn_state_line {
    double t;                      /* s */
    const double *y;               /* NULL: there is none */
} tn_state_line;

struct tn_unilaterals {
    tn_unilateral *items;               /* all limits, and the touches that are not open */
    size_t count, capacity;
    tn_contact_shapes near;
    double fastest;                /* fastest approach of contacts so far, m/s */
    double last;                   /* s: time of the last mode decision */
    int rounds;                    /* number of decisions at that time */
    double crowd;                  /* decisions so far, minus a number that grows with time (impacts.c) */
    bool held;                     /* contacts are solved by time stepping (time_stepping.c) */
    double held_until;             /* s: time stepping lasts at least until this time */
    double pause;                  /* s: length of the last period of time stepping */
    tn_contact_rows *rows;         /* workspace of time stepping; NULL: none yet */
    double residual;               /* of the last time step: violation of the laws as a share of the largest velocity */
    long sweeps;                   /* of the cone solver, in all time steps */
    tn_state_line line;            /* while a line to such a state is searched */
    bool noted;                    /* an integrator of another tool has found a change (mode_indicators.c) */
    bool lawful;                   /* the forces of the last tn_laws_share obey the laws of contact */
    const char **names;            /* names of limits and contacts so far; the entries of impacts refer to them */
    size_t name_count, name_capacity;
    tn_impact *impacts;            /* the first TN_EVENTS_KEPT */
    size_t impact_count, impact_capacity;
};

/* Snapshot of the unilateral constraints. */
typedef struct tn_unilaterals_snapshot {
    tn_unilateral *items;               /* owned */
    size_t count;
    double fastest, last, crowd, held_until, pause;
    int rounds;
    bool held;
    long holds, unsolved;          /* counters of the summary */
    size_t impacts;
    long total;                    /* number of impacts, also of those without an entry */
} tn_unilaterals_snapshot;

/* Lists the unilateral constraints of a model, which is or will be the session's model; all are open. The caller frees
 * out. */
int tn_unilaterals_list(tn_unilaterals *out, tn_session *session, const tn_model *model);
void tn_unilaterals_free(tn_unilaterals *unilaterals, const tn_session *session);
/* Exchanges the data that belong to the model; the data that belong to the run stay. */
void tn_unilaterals_exchange(tn_unilaterals *a, tn_unilaterals *b);
/* Decides at the accepted state which of the session's unilateral constraints are closed. TN_ERROR_ASSEMBLY: a limit is
 * exceeded or shapes overlap. */
int tn_unilaterals_begin(tn_session *session);
/* The same where positions are new: also looks for overlaps that no touch tells of. */
int tn_unilaterals_place(tn_session *session);
/* Opens all unilateral constraints, before the state is replaced. */
int tn_unilaterals_let_go(tn_session *session);
/* Calls tn_unilaterals_list and tn_unilaterals_place, for a new session. */
int tn_unilaterals_open(tn_session *session);
void tn_unilaterals_close(tn_session *session);
/* Checks that the settings can handle the model's unilateral constraints; otherwise reports an error at span. */
int tn_unilaterals_check_solve(const tn_session *session, const tn_solve *solve, tn_span span);

/* After a step: finds the time of the first mode change in the step; INFINITY: no change. searched: the step has to end there,
 * because it is too long to be searched as a whole; INFINITY: it was. */
int tn_unilaterals_find(tn_session *session, double *t, double *searched);
/* At the accepted state, where tn_unilaterals_find has found a change: solves impacts and decides the new modes. */
int tn_unilaterals_act(tn_session *session);

/* mode_indicators.c, for integrators of other tools. indicators: values at (t, y), which satisfies the equations in force;
 * positive while no mode changes. note: notes by these values that a change is due. accepted: the tool has accepted the step to
 * the session's state. handle: solves impacts and decides modes where that is due; acted tells whether it was. */
size_t tn_unilaterals_indicator_count(const tn_session *session);
int tn_unilaterals_indicators(double *values, tn_session *session, double t, const double *y);
void tn_unilaterals_note(tn_session *session, const double *values);
void tn_unilaterals_accepted(tn_session *session);
int tn_unilaterals_handle(tn_session *session, bool *acted);

/* Time stepping (time_stepping.c) replaces the event-driven method where mode changes are too frequent or no modes are
 * found. tn_time_step_possible: can time stepping be used with this model and these settings? tn_time_step_helps: does
 * anything touch at the accepted state, too?
 * tn_time_steps_begin: uses time stepping for a while from the next step on; the first time gives a warning with why. large:
 *     very many contacts touch, so that it takes longer.
 * tn_time_step: takes one step, at most to t_end. */
bool tn_time_step_possible(const tn_session *session);
int tn_time_step_helps(tn_session *session, bool *helps);
void tn_time_steps_begin(tn_session *session, const char *why, bool large);
int tn_time_step(tn_session *session, double t_end);
/* Moves bodies apart by the least motion, so that nothing overlaps at the accepted state. */
int tn_overlaps_resolve(tn_session *session);
/* Tells whether shapes or limits touch at the accepted state; the caller then has to decide modes. */
int tn_unilaterals_touch(tn_session *session, bool *touch);

/* contact_laws.c. After an evaluation at (t, y): where the multipliers of the closed unilateral constraints break the
 * laws of contact, replaces them by multipliers that carry the same load and obey the laws. */
int tn_laws_share(tn_session *session, double t, const double *y);
/* Makes stepper->eval belong to the accepted state again, with reactions that obey the laws of contact. */
int tn_session_evaluate(tn_session *session);
/* After a step without a change: *t is INFINITY where the forces at the accepted state obey the laws, else the accepted
 * time (for example when the direction of a slow slip is updated at the end of the step). */
int tn_laws_due(tn_session *session, double *t);
/* Checks the laws at the accepted state: TN_ERROR_STEP, with contact, time and amount, where a law is broken beyond
 * round-off. */
int tn_laws_check(tn_session *session);
/* Checks that an impact does not gain energy. lost: energy (J) that the impact takes; size: scale (J) for round-off. */
int tn_laws_check_loss(const tn_session *session, const tn_unilateral *unilateral, double lost, double size);

/* After a step, at the accepted state: moves the bounds of ratchets to the last tooth that was passed. */
void tn_unilaterals_follow(tn_session *session);

/* Returns the effort (N or N m) of a coordinate's limits, or of its ratchet, at the point in stepper->eval. */
double tn_unilaterals_limit_force(const tn_session *session, tn_id joint, int coordinate, bool ratchet);
/* Returns the last tooth (m or rad) of a joint's ratchet at the point in stepper->eval; NaN: no ratchet. */
double tn_unilaterals_tooth(tn_session *session, tn_id joint);

/* Load of a contact at the point in stepper->eval: force (N, world) on the body that the contact names later, and the part
 * of it that is friction; sum of the normal forces (N), centre of pressure (m, world), fastest slip (m/s), number of
 * closed touches; state 0: open, 1: slides, 2: sticks somewhere. tn_unilaterals_contact_gap: smallest gap (m), and the
 * point where it is; NaN without touches. */
typedef struct tn_contact_load {
    double force[3], friction[3], point[3], normal, slip;
    int closed, state;
} tn_contact_load;
tn_contact_load tn_unilaterals_contact_load(tn_session *session, uint32_t contact);
double tn_unilaterals_contact_gap(tn_session *session, uint32_t contact, double point[3]);

/* now: a snapshot that borrows the session's items; take: a snapshot with a copy of the items. */
tn_unilaterals_snapshot tn_unilaterals_now(const tn_session *session);
int tn_unilaterals_take(tn_unilaterals_snapshot *out, const tn_session *session);
/* Restores the modes of a snapshot and attaches the closed constraints to the session's system, with a new stepper.
 * Does not set the stepper's state. */
int tn_unilaterals_restore(tn_session *session, const tn_unilaterals_snapshot *snapshot);

/* ---- private to this folder ---- */

/* Adds an entry to the list of impacts. */
int tn_impact_remember(tn_session *session, const tn_impact *impact);

/* Returns a copy of text that lives as long as the session; equal texts share one copy. NULL: out of memory. */
const char *tn_unilaterals_name(tn_session *session, const char *text);
/* contact_points.c: creates and frees the contact data of a model. */
int tn_contact_shapes_open(tn_contact_shapes *out, tn_session *session, const tn_model *model);
void tn_contact_shapes_close(tn_contact_shapes *near, const tn_session *session);
/* Finds the touches with gaps below margin (m) at the motion in stepper->eval; valid until the next call. */
int tn_contact_shapes_find(const tn_touch **list, size_t *count, tn_session *session, double margin);
/* Finds overlaps by more than `least` (m) there that no touch tells of (tn_touches_find_hidden). */
int tn_contact_shapes_find_hidden(const tn_touch **list, size_t *count, tn_session *session, double least, bool inside);
/* The same for those so deep that touches have ended, within steps. */
int tn_contact_shapes_find_deep(const tn_touch **list, size_t *count, tn_session *session);
/* friction_laws.c. tn_touch_law: how surfaces of a contact rub; tn_touch_law_parameters: the parameters of the sticking
 * joint types that describe belt and grain (touching.h). tn_unilateral_rebound: restitution at a speed of approach (m/s or
 * rad/s). tn_unilateral_step_friction: coefficient of friction for a time step that begins at the motion in
 * stepper->eval. tn_touch_stretch: the tangents u1, u2 (world) of a touch, stretched along its grain.
 * tn_laws_need_events: the contact whose law only the event-driven method has; NULL: none. */
tn_slide_law tn_touch_law(const tn_contact_def *def);
/* The law of a touch: that of the materials of its shapes, or that of its contact. */
const tn_contact_def *tn_touch_def(const tn_session *session, const tn_touch *touch);
/* Tells whether some touches of a contact have friction. */
bool tn_contact_rubs(const tn_contact *contact);
void tn_touch_law_parameters(const tn_session *session, const tn_touch *touch, double out[]);
double tn_unilateral_rebound(const tn_session *session, const tn_unilateral *unilateral, double speed);
double tn_unilateral_step_friction(tn_session *session, const tn_unilateral *unilateral);
void tn_touch_stretch(const tn_session *session, const tn_touch *touch, double u1[3], double u2[3]);
/* Velocity (m/s, world) that the belt of a touch adds to that of body 2 relative to body 1. */
void tn_touch_belt(const tn_session *session, const tn_touch *touch, double out[3]);
const tn_contact *tn_laws_need_events(const tn_model *model);
/* Motion of the surfaces of a touch against each other at the motion in stepper->eval: velocity (m/s) of body 2 at the
 * point relative to body 1, with belts and without the part along the normal; angular velocity (rad/s). */
void tn_touch_motion(const tn_session *session, const tn_touch *touch, double slip[3], double turn[3]);
/* tn_touch_unilateral makes an open unilateral constraint from a touch; tn_touch_measure measures gap and rate. */
tn_unilateral tn_touch_unilateral(const tn_session *session, const tn_touch *touch);
void tn_touch_measure(tn_unilateral *unilateral, tn_session *session);
/* Adds the touches at the motion in stepper->eval to the unilateral constraints, as open ones, and removes touches that
 * have ended. */
int tn_touches_update(tn_session *session);
/* Removes open touches. */
void tn_touches_compact(tn_session *session);
/* Orders touches by their keys (Shell): sums over them must not depend on which of them sleep. */
void tn_touches_sort(tn_unilateral *items, size_t count);
/* Tells whether all listed touches still have the same shape features, at the motion in stepper->eval. */
int tn_touches_hold(tn_session *session, bool *hold);
/* Returns an upper bound (m/s) of the approach speed of any two shape points, at the motion in stepper->eval. */
double tn_touches_speed(const tn_session *session);
/* Returns the unilateral constraint between these features that is not open; NULL: none. */
const tn_unilateral *tn_touch_held(const tn_session *session, const tn_touch_key *key);

/* Moves the bounds of ratchets to the last tooth that was passed at the motion in stepper->eval. */
void tn_unilaterals_pass_teeth(tn_session *session);
/* Makes the joint of a unilateral constraint; terms has room for one term. Returns its number of equations. */
int tn_unilateral_joint(tn_joint *joint, struct tn_joint_term *terms, const tn_session *session, const tn_unilateral *unilateral);
/* Returns the place of the joint or contact in the model file. */
tn_span tn_unilateral_span(const tn_session *session, const tn_unilateral *unilateral);
/* Measures gap and rate of a unilateral constraint at the motion in stepper->eval. */
void tn_unilateral_measure(tn_unilateral *unilateral, tn_session *session);
/* Tells whether the unilateral constraint is a ratchet, whose bound moves. */
/* Takes the numbers of the limit; the last tooth of a ratchet stays. */
void tn_unilateral_take_numbers(tn_unilateral *unilateral, const tn_model_limit *limit);
bool tn_unilateral_is_ratchet(const tn_session *session, const tn_unilateral *unilateral);
/* Tells whether equations of the unilateral constraint are in force. */
bool tn_unilateral_closed(const tn_unilateral *unilateral);
/* Attaches the closed unilateral constraints to the system, and creates a stepper that continues from y (q, v, z). */
int tn_unilaterals_attach(tn_session *session, const double *y);
/* Returns the approach speed (m/s or rad/s) below which a unilateral constraint does not rebound. */
double tn_unilateral_resting_speed(const tn_session *session, const tn_unilateral *unilateral);

/* m or rad: gaps below the first count as zero; overlaps below the second are round-off. */
static const double TN_UNILATERAL_TOUCHES = 1e-9, TN_UNILATERAL_NOISE = 1e-12;
/* More touches than this are stepped in time. */
enum { TN_LARGE_HEAP = 60 };
/* m/s: slips below this count as zero. */
static const double TN_UNILATERAL_NO_SLIP = 1e-9;

#endif
