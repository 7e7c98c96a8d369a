/* How long time steps of contacts are, and where they end. Private to this folder. */
#ifndef TN_TIME_LENGTHS_H
#define TN_TIME_LENGTHS_H

#include "contact_rows.h"

/* s: longest period of time stepping: where the event-driven method fails again and again, and of large heaps. */
static const double TN_LONGEST_PAUSE = 2e-2;

/* Tells whether the present period is the longest one. */
bool tn_time_is_held_long(const tn_session *session);
/* Tells whether steps are those of large heaps, or those that the model asks for. */
bool tn_time_is_coarse(const tn_session *session);
/* Returns the length (s) of the next step. */
double tn_time_length(const tn_session *session, double t_end);
/* Returns the time at the end of a step; that of a sample without the round-off of many steps, which would leave it out. */
double tn_time_end(const tn_session *session, double h);

#endif
