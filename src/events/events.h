/* Watching events, and firing them; event_list.h has their data. */
#ifndef TN_EVENTS_H
#define TN_EVENTS_H

#include "channels.h"
#include "event_list.h"

int tn_events_open(tn_session *session);
/* Only compiles them, for their mistakes. */
int tn_events_check(tn_session *session);
void tn_events_close(tn_session *session);
/* After the session's model has become another: events of the same name go on as they were. */
int tn_events_rebind(tn_session *session);
/* After the state has become another: what it has jumped over does not fire. */
int tn_events_rearm(tn_session *session);
/* What is known of the events now, to be restored later. */
typedef struct tn_events_snapshot {
    tn_watch *watches;             /* owned */
    size_t count, fired, logged;
    long total;
} tn_events_snapshot;
int tn_events_take(tn_events_snapshot *out, const tn_session *session);
void tn_events_restore(tn_session *session, const tn_events_snapshot *past);
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
