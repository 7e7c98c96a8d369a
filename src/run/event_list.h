/* Events of a session: expressions that are watched for zeros, and what is done where they have one.
 *
 * An event is armed while its expression is known to be on one side of zero. It fires when the expression reaches zero
 * from there, and is armed again only after having left zero. */
#ifndef TN_EVENT_LIST_H
#define TN_EVENT_LIST_H

#include "entities.h"
#include "session_impl.h"

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
    double ratio;                  /* of the last interval to the one before */
    int shrinking;                 /* how many intervals in turn were shorter, by steady factors, than the one before */
    long window;                   /* times since window_start */
    double window_start;
} tn_watch;

/* An expression at a time within a step. */
typedef struct tn_event_point {
    double value, rate;
} tn_event_point;

enum { TN_EVENT_PIECES = 4 };      /* of a step, each looked at for a zero and for a turning point */

struct tn_events {
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
};

/* Makes the list for the session's model. Before all that looks at events. */
int tn_events_collect(tn_session *session);
/* The entity whose subsystem the names in its texts are those of: the event itself, or its joint. */
const char *tn_event_viewpoint(const tn_session *session, const tn_event *event);
/* Is it in a subsystem that takes no part, or that of a joint's fuse or latch that can do nothing now? */
bool tn_event_waits(const tn_session *session, const tn_event *event);

#endif
