/* Events of a session: expressions that are watched for zeros, and what is done where they have one.
 *
 * An event is armed while its expression is known to be on one side of zero. It fires when the expression reaches zero
 * from there, and is armed again only after having left zero. */
#ifndef TN_SESSION_EVENTS_H
#define TN_SESSION_EVENTS_H

#include "entities.h"
#include "tenon/session.h"

typedef struct tn_channel_formula tn_channel_formula;
typedef struct tn_event_action tn_event_action;

typedef struct tn_watch {
    const char *name;              /* in the session's arena */
    tn_channel_formula *when;      /* NULL: something in it is gone from the model; not a number then */
    const char *from;              /* the entity whose names its texts use; in the session's arena */
    tn_event_action *actions;
    bool has_rate, solves;         /* of the expression */
    bool off;                      /* fires no more */
    int side;                      /* armed: sign of the values since; 0: not armed */
    double away;                   /* values this near to zero do not arm */
    double value;                  /* at the accepted state */
    double largest;                /* absolute value so far */
    double swing;                  /* per second: its change in the step looked into last; INFINITY: none yet */
    double at;                     /* where in the last step it fires, a part of it; INFINITY: nowhere */
    tn_fired_kind kind;
    double distance;               /* from zero, there: of a touch */
    long count;
    double last;                   /* time it fired; NaN: never */
    double interval, longest;      /* s between the last two times; the longest since intervals get shorter */
    int shrinking;                 /* how many intervals in turn were shorter than the one before */
    long window;                   /* times since window_start */
    double window_start;
} tn_watch;

/* An expression at a time within a step. */
typedef struct tn_event_point {
    double value, rate;
} tn_event_point;

enum { TN_EVENT_PIECES = 4 };      /* of a step, each looked at for a zero and for a turning point */

typedef struct tn_events {
    const tn_event **list;         /* those of the model, then those of its joints */
    tn_watch *watches;             /* in the same order */
    size_t count, watch_count;     /* the second: of watches, which may be those of the model before */
    tn_event_point *points[TN_EVENT_PIECES + 1];   /* at the ends of the pieces, for each event */
    bool firing;
    bool fresh;                    /* the last point is not that of the start of the next step */
    tn_fired *fired;
    size_t fired_count, fired_capacity;
    tn_log_entry *log;
    size_t log_count, log_capacity;
} tn_events;

/* triggers.c: makes the list for the session's model. Before all that looks at events. */
int tn_events_collect(tn_session *session);
/* The entity whose subsystem the names in its texts are those of: the event itself, or its joint. */
const char *tn_event_viewpoint(const tn_session *session, const tn_event *event);
/* Is it in a subsystem that takes no part, or that of a joint's fuse or latch that can do nothing now? */
bool tn_event_waits(const tn_session *session, const tn_event *event);

int tn_events_open(tn_session *session);
void tn_events_close(tn_session *session);
/* After the session's model has become another: events of the same name go on as they were. */
int tn_events_rebind(tn_session *session);
/* After the state has become another: what it has jumped over does not fire. */
int tn_events_rearm(tn_session *session);
/* What is known of the events now, to be restored later. */
typedef struct tn_events_past {
    tn_watch *watches;             /* owned */
    size_t count, fired, logged;
    long total;
} tn_events_past;
int tn_events_take(tn_events_past *out, const tn_session *session);
void tn_events_restore(tn_session *session, const tn_events_past *past);
/* After a step, which counts until the time: time of the first event in it, INFINITY when there is none. Those that
 * fire there are marked. */
int tn_events_find(tn_session *session, double until, double *t);
/* The accepted state has jumped: events whose expressions are at zero or beyond now are marked. */
int tn_events_jumped(tn_session *session);
/* At the accepted state: fires the marked events. TN_NEWS_STOPPED when one of them ends the run. */
int tn_events_fire(tn_session *session);

/* event_search.c: fills at, kind and distance for the last step, up to a part of it. */
int tn_events_search(tn_session *session, double until);
/* Arms or disarms an event whose expression has the value and is not crossing zero there. */
void tn_watch_arm(const tn_session *session, tn_watch *watch, const tn_event *event, double value);
/* Value and rate of its expression at the state in stepper->eval. */
double tn_watch_value(const tn_watch *watch);
double tn_watch_rate(const tn_watch *watch);

/* event_actions.c: reads and compiles the actions of an event; runs them. again: values that are gone are no error. */
int tn_event_actions_open(tn_session *session, size_t event, bool again);
int tn_event_actions_run(tn_session *session, size_t event);
/* Adds a line to the log. */
int tn_event_log(tn_session *session, size_t event, const char *text);

#endif
