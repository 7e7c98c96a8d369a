/* Removing the overlaps that a time step leaves. Private to this folder. */
#ifndef TN_TIME_OVERLAPS_H
#define TN_TIME_OVERLAPS_H

#include "contact_rows.h"

/* m or rad: smaller overlaps stay. */
static const double TN_SMALL_OVERLAP = 1e-10;

/* Moves the bodies in rows->y, the state at the time t, by the smallest shifts after which nothing overlaps. bounded: shifts are
 * small corrections of a step; where they are not, the step has to be shorter (TN_ERROR_STEP). */
int tn_overlaps_remove(tn_session *session, tn_contact_rows *rows, double t, bool bounded);

#endif
