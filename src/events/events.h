/* Detecting and firing the events of a session; event_list.h declares their data. */
#ifndef TN_EVENTS_H
#define TN_EVENTS_H

#include "channels.h"
#include "event_list.h"

int tn_events_open(tn_session *session);
/* Only compiles the events, to report their errors. */
int tn_events_check(tn_session *session);
void tn_events_close(tn_session *session);
/* After a recompile: events that both models have by name keep their state. */
int tn_events_rebind(tn_session *session);
/* After the state was replaced: arms the events at the new state. Zeros that the state jumped over do not fire. */
int tn_events_rearm(tn_session *session);
/* The state of all events, for snapshots. */
typedef struct tn_events_snapshot {
    tn_watch *watches;             /* owned */
    size_t count, fired, logged;
    long total;
} tn_events_snapshot;
int tn_events_take(tn_events_snapshot *out, const tn_session *session);
void tn_events_restore(tn_session *session, const tn_events_snapshot *snapshot);
/* After a step: finds the time of the first event in the step, up to the time until; INFINITY when there is none. Marks
 * the events that fire at that time. */
int tn_events_find(tn_session *session, double until, double *t);
/* After a jump of the accepted state: marks the armed events whose expressions have reached or crossed zero. */
int tn_events_jumped(tn_session *session);
/* For integrators of other tools. Arms events at the accepted state; those that have passed zero stay armed as they were. */
int tn_events_follow(tn_session *session);
/* A value for each event at the motion in stepper->eval: positive while the event is not due. */
void tn_events_indicators(const tn_session *session, double *values);
/* Notes by these values which events are due: a projection of the state afterwards does not change that. */
void tn_events_note(tn_session *session, const double *values);
/* Marks the events that are due at the accepted state, or were noted. */
int tn_events_due(tn_session *session, bool *due);
/* Whether a value of an indicator needs the solved system. */
bool tn_events_solve(const tn_session *session);
/* Fires the marked events at the accepted state. TN_NEWS_STOPPED when an event ends the run. */
int tn_events_fire(tn_session *session);

/* event_search.c: fills at, kind and distance of each watch for the last step, up to the fraction until of the step. */
int tn_events_search(tn_session *session, double until);
/* Arms or disarms an event by a value of its expression. */
void tn_watch_arm(const tn_session *session, tn_watch *watch, const tn_event *event, double value);
/* Value and rate of the expression of a watch at the state in stepper->eval. */
double tn_watch_value(const tn_watch *watch);
double tn_watch_rate(const tn_watch *watch);

/* event_actions.c: reads and compiles the actions of an event; runs them. again: after a recompile, when values that
 * the model no longer has are not an error. */
int tn_event_actions_open(tn_session *session, size_t event, bool again);
int tn_event_actions_run(tn_session *session, size_t event);
/* Adds a line of an event to the session's log. */
int tn_event_log(tn_session *session, size_t event, const char *text);

#endif
