/* The motion that is searched for mode changes: the last step, or a line from the accepted state to one of another tool. "part" is a
 * time within it, from 0 to 1. Private to mode_search.c. */
#ifndef TN_MODE_SEARCH_H
#define TN_MODE_SEARCH_H

#include "unilaterals.h"

/* Return the time (s) at which the motion begins, and its length (s). */
double tn_search_begin(const tn_session *session);
double tn_search_length(const tn_session *session);
/* Gives the state at a part of the motion, and velocities and frames there (with reactions, if solve) in stepper->eval. */
int tn_search_look(tn_session *session, double part, bool solve, const double **y);

#endif
