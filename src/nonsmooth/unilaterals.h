/* Unilateral constraints: what holds on one side only, stops of joints and touches of shapes. A unilateral is an ordinary joint that is in
 * force while it is closed: attached to the session's system, beside the model.
 *
 * Open, its gap is watched; where it reaches zero with an approach there is an impact. Closed, it is an equation within
 * a step; complementarity of forces and accelerations over all unilaterals that touch says whether it stays so. */
#ifndef TN_UNILATERALS_H
#define TN_UNILATERALS_H

#include "system.h"
#include "session_impl.h"
#include "touch.h"

typedef enum tn_unilateral_mode {
    TN_UNILATERAL_OPEN,
    TN_UNILATERAL_RESTS,                /* touches, but others bear the load already: not in force, for uniqueness */
    TN_UNILATERAL_SLIDES,               /* its normal equation is in force */
    TN_UNILATERAL_STICKS                /* the tangential ones, too */
} tn_unilateral_mode;

typedef struct tn_unilateral {
    const char *name;              /* in the session's arena */
    int limit, side;               /* of the model's limits, -1: a touch; side 1: the lower end, -1: the upper one */
    double bound;                  /* m or rad, of a stop; of a ratchet the last tooth that was passed */
    tn_touch touch;
    tn_unilateral_mode mode;
    double restitution, friction;
    double fastest;                /* approach so far: m/s or rad/s */
    double gap, rate;              /* where it was measured last */
    double gap_before, rate_before;    /* at the beginning of the piece of a step that is looked into */
    double margin, margin_before;      /* N or N m, while a step is looked into: how far from opening or slipping */
    double along[TN_SLIDE_TANGENTS];   /* direction of its slip, while it slides with friction */
    double force[1 + TN_SLIDE_TANGENTS];   /* found last, normal first: where the search for the next ones begins */
    int constraint;                /* of the system while it is closed; -1 */
} tn_unilateral;

/* What contacts need: shapes, and where bodies are. */
typedef struct tn_contact_shapes {
    tn_touches *touches;           /* NULL: the model has no contacts */
    tn_pose *poses;                /* by slot of the model */
    double *reach;                 /* m, by slot: of shapes from the origin of the body's frame */
    const char **names;            /* of contacts, by slot */
    tn_unilateral *seen;                /* touches near each other in a part of a step */
    size_t seen_count, seen_capacity;
} tn_contact_shapes;

struct tn_unilaterals {
    tn_unilateral *items;               /* all stops; of touches those that are not open */
    size_t count, capacity;
    tn_contact_shapes near;
    double fastest;                /* approach of touches so far, m/s */
    double last;                   /* s: when something was decided the last time */
    int rounds;                    /* how often at that time */
    double crowd;                  /* decisions so far, less those that time allows */
    bool held;                     /* contacts are stepped in time (time_stepping.c), */
    double held_until;             /* s, until then at least */
    double pause;                  /* s: for how long the last time */
    bool lawful;                   /* forces of the last tn_laws_share obey the laws of contact */
    const char **names;            /* of stops and contacts so far: impacts remember them */
    size_t name_count, name_capacity;
    tn_impact *impacts;            /* the first TN_EVENTS_KEPT */
    size_t impact_count, impact_capacity;
};

/* What is known of them now, to be restored later. */
typedef struct tn_unilaterals_snapshot {
    tn_unilateral *items;               /* owned */
    size_t count;
    double fastest, last, crowd, held_until, pause;
    int rounds;
    bool held;
    long holds, unsolved;          /* of the summary */
    size_t impacts;
    long total;                    /* impacts, also those not kept */
} tn_unilaterals_snapshot;

/* The unilaterals of a model, which is or will be the session's; all open. out is the caller's to free. */
int tn_unilaterals_list(tn_unilaterals *out, tn_session *session, const tn_model *model);
void tn_unilaterals_free(tn_unilaterals *unilaterals, const tn_session *session);
/* What belongs to the model is exchanged, what belongs to the run stays. */
void tn_unilaterals_exchange(tn_unilaterals *a, tn_unilaterals *b);
/* Decides by the accepted state which of the session's unilaterals are closed. TN_ERROR_ASSEMBLY: a limit is exceeded. */
int tn_unilaterals_begin(tn_session *session);
/* All open, before the state becomes another. */
int tn_unilaterals_let_go(tn_session *session);
/* Both, for a session that has none yet. */
int tn_unilaterals_open(tn_session *session);
void tn_unilaterals_close(tn_session *session);
/* Other settings are about to be used: can they have unilaterals? */
int tn_unilaterals_check_solve(const tn_session *session, const tn_solve *solve, tn_span span);

/* After a step: the time in it of the first change, INFINITY when there is none. */
int tn_unilaterals_find(tn_session *session, double *t);
/* At the accepted state, where tn_unilaterals_find has found a change: impacts, and what is closed from here on. */
int tn_unilaterals_act(tn_session *session);

/* Where changes crowd or the exact method finds no way on (time_stepping.c). Can steps in time help at the accepted state:
 * does something touch? From the next step on they are taken for a while; why is told the first time. A step of them,
 * at most to t_end. */
int tn_time_step_helps(tn_session *session, bool *helps);
void tn_time_steps_begin(tn_session *session, const char *why);
int tn_time_step(tn_session *session, double t_end);
/* Are there shapes or stops that touch at the accepted state? Then what is closed is to be decided. */
int tn_unilaterals_touch(tn_session *session, bool *touch);

/* contact_laws.c. After an evaluation at (t, y): where the multipliers of closed unilaterals break the laws of contact, those of
 * another share of the same load that obeys them take their place. */
int tn_laws_share(tn_session *session, double t, const double *y);
/* Makes stepper->eval belong to the accepted state again, with reactions that obey the laws of contact. */
int tn_session_evaluate(tn_session *session);
/* After a step without a change: the accepted time where the forces there do not obey the laws, as when the direction of
 * a slow slip is taken anew at the end of a step; INFINITY where they do. */
int tn_laws_due(tn_session *session, double *t);
/* The laws at the accepted state: TN_ERROR_STEP with contact, time and amount where one is broken beyond round-off. */
int tn_laws_check(tn_session *session);
/* J: the loss of an impact, of energies of this size, is not negative. */
int tn_laws_check_loss(const tn_session *session, const tn_unilateral *unilateral, double lost, double size);

/* After a step, at the accepted state: ratchets take the teeth that were passed. */
void tn_unilaterals_follow(tn_session *session);

/* N or N m: what the stops of a joint's coordinate, or its ratchet, do to it at the point in stepper->eval. */
double tn_unilaterals_limit_force(const tn_session *session, tn_id joint, int coordinate, bool ratchet);
/* m or rad: the last tooth of a joint's ratchet at the point in stepper->eval; not a number when none is at work. */
double tn_unilaterals_tooth(tn_session *session, tn_id joint);

/* What the touches of a contact do at the point in stepper->eval: force on the bodies that the contact names later (N,
 * world), sum of normal forces (N), how many are closed; smallest gap (m), not a number when there is none. */
typedef struct tn_contact_load {
    double force[3], normal;
    int closed;
} tn_contact_load;
tn_contact_load tn_unilaterals_contact_load(tn_session *session, uint32_t contact);
double tn_unilaterals_contact_gap(tn_session *session, uint32_t contact);

tn_unilaterals_snapshot tn_unilaterals_now(const tn_session *session);
int tn_unilaterals_take(tn_unilaterals_snapshot *out, const tn_session *session);
/* Puts the same unilaterals in force in the session's system, which has a stepper for them then; its state is not set. */
int tn_unilaterals_restore(tn_session *session, const tn_unilaterals_snapshot *past);

/* ---- parts, for unilaterals*.c only ---- */

/* A name that lives as long as the session, once. */
const char *tn_unilaterals_name(tn_session *session, const char *text);
/* unilateral_touches.c: shapes of a model; freeing. */
int tn_contact_shapes_open(tn_contact_shapes *out, tn_session *session, const tn_model *model);
void tn_contact_shapes_close(tn_contact_shapes *near, const tn_session *session);
/* The touches with gaps below margin at the motion in stepper->eval; valid until the next call. */
int tn_contact_shapes_find(const tn_touch **list, size_t *count, tn_session *session, double margin);
/* A touch as an open unilateral. */
tn_unilateral tn_touch_unilateral(const tn_session *session, const tn_touch *touch);
void tn_touch_measure(tn_unilateral *unilateral, tn_session *session);
/* Adds the touches at the accepted state to the unilaterals, open, and drops those that are none any more. */
int tn_touches_update(tn_session *session);
/* Drops open ones. */
void tn_touches_compact(tn_session *session);
/* Does a touch that is not open still have the features that it had, at the motion in stepper->eval? */
int tn_touches_hold(tn_session *session, bool *hold);
/* m/s: no two points of shapes approach faster, at the motion in stepper->eval. */
double tn_touches_speed(const tn_session *session);
/* The unilateral that is not open for these features; NULL: none. */
const tn_unilateral *tn_touch_held(const tn_session *session, const tn_touch_key *key);

/* The joint that a unilateral is; terms has room for one. Returns the number of its equations that may be in force. */
int tn_unilateral_joint(tn_joint *joint, struct tn_joint_term *terms, const tn_session *session, const tn_unilateral *unilateral);
/* Where it stands in the file. */
tn_span tn_unilateral_span(const tn_session *session, const tn_unilateral *unilateral);
/* Gap and rate of a unilateral at the motion in stepper->eval. */
void tn_unilateral_measure(tn_unilateral *unilateral, tn_session *session);
/* Does its bound move on? */
bool tn_unilateral_is_ratchet(const tn_session *session, const tn_unilateral *unilateral);
/* Is it in force? */
bool tn_unilateral_closed(const tn_unilateral *unilateral);
/* Puts the closed unilaterals in force, with a stepper that goes on from y (q, v, z). */
int tn_unilaterals_attach(tn_session *session, const double *y);
/* Speeds at which a unilateral comes to rest, m/s or rad/s. */
double tn_unilateral_resting_speed(const tn_session *session, const tn_unilateral *unilateral);

/* m or rad: gaps that are none; and overlaps that are round-off. */
static const double TN_UNILATERAL_TOUCHES = 1e-9, TN_UNILATERAL_NOISE = 1e-12;
/* m/s: slips that are none. */
static const double TN_UNILATERAL_NO_SLIP = 1e-9;

#endif
