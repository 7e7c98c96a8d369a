/* Events of a session: expressions that the run watches for zeros, and the actions at these zeros.
 *
 * An event is armed while its expression is known to be on one side of zero. The event fires when the expression
 * reaches zero from that side, and is armed again only after the expression has left zero. */
#ifndef TN_EVENT_LIST_H
#define TN_EVENT_LIST_H

#include "entities.h"
#include "session_impl.h"

typedef struct tn_channel_formula tn_channel_formula;
typedef struct tn_event_action tn_event_action;

typedef struct tn_watch {
    const char *name;              /* in the session's arena, as from is: snapshots keep them */
    tn_channel_formula *when;      /* NULL: refers to an entity that no longer exists; the value is NaN */
    const char *from;              /* the entity in whose scope names are resolved */
    tn_event_action *actions;
    bool has_rate, solves;         /* the expression has a rate; its value needs reactions */
    bool off;                      /* does not fire any more */
    bool reached;                  /* another tool has found its zero, at the state before that was projected */
    int side;                      /* sign of the values since the event was armed; 0: not armed */
    double away;                   /* smaller absolute values do not arm the event */
    double value;                  /* at the accepted state */
    double largest;                /* largest absolute value so far */
    double swing;                  /* change per second in the last searched step; INFINITY: none yet */
    double at;                     /* time of firing as a share of the last step; INFINITY: does not fire */
    tn_fired_kind kind;
    double distance;               /* distance from zero at that time, when the value touches without crossing */
    long count;
    double last;                   /* s: last time of firing; NaN: never */
    double interval, longest;      /* s: between the last two firings; longest since intervals began to shrink */
    double ratio;                  /* last interval over the interval before */
    int shrinking;                 /* number of consecutive intervals that shrank by a steady factor */
    long window;                   /* number of firings since window_start */
    double window_start;
} tn_watch;

/* Value and rate of an expression at a time within a step. */
typedef struct tn_event_point {
    double value, rate;
} tn_event_point;

enum { TN_EVENT_PIECES = 4 };      /* pieces of a step; each is searched for a zero and a turning point */

struct tn_events {
    const tn_event **list;         /* events of the model, then events of its joints */
    tn_watch *watches;             /* in the same order */
    size_t count, watch_count;     /* watch_count: of watches, which may still belong to the previous model */
    tn_event_point *points[TN_EVENT_PIECES + 1];   /* values at the ends of the pieces, for each event */
    bool firing;
    bool fresh;                    /* the last point does not belong to the start of the next step */
    tn_fired *fired;
    size_t fired_count, fired_capacity;
    tn_log_entry *log;
    size_t log_count, log_capacity;
};

/* Makes the list for the session's model. Call before any other function that uses events. */
int tn_events_collect(tn_session *session);
/* Returns the name of the entity in whose subsystem the event's names are resolved: the event itself, or its joint. */
const char *tn_event_viewpoint(const tn_session *session, const tn_event *event);
/* Tells whether the event is inactive: in a disabled subsystem, a fuse of an inactive joint, a latch of an enabled
 * one. */
bool tn_event_waits(const tn_session *session, const tn_event *event);

#endif
