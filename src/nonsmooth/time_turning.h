/* Resistance against rolling and drilling in a time step. Private to this folder. */
#ifndef TN_TIME_TURNING_H
#define TN_TIME_TURNING_H

#include "contact_rows.h"

/* Begins the step: no torques, and the velocities without impulses are those in rows->free. *any: some near contacts
 * resist turning. */
int tn_turning_begin(tn_contact_rows *rows, tn_session *session, bool *any);
/* Finds the torques that belong to rows->v and to the normal impulses, and sets rows->free with them. *settled: they hardly differ
 * from those before. */
int tn_turning_improve(tn_contact_rows *rows, tn_session *session, bool *settled);
/* Adds the work (J) of the torques. */
void tn_turning_work(const tn_contact_rows *rows, const tn_session *session, double *work);

#endif
