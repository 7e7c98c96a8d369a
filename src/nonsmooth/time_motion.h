/* Motion of bodies over a time step: free velocities, and displacements. Private to this folder. */
#ifndef TN_TIME_MOTION_H
#define TN_TIME_MOTION_H

#include "contact_rows.h"

/* Writes the velocities after a step of length h without contacts into v. stepper->eval has the motion at the accepted
 * state. */
void tn_motion_free(tn_session *session, double h, double *v);
/* Moves the positions in rows->y by the step, and writes the velocities at its end. Input: velocities with impulses in
 * rows->v; the motion at the start in stepper->eval. */
void tn_motion_take(tn_session *session, tn_contact_rows *rows, double h);
/* Adds the work (J) that drives do where they resist the impulses of contacts. */
int tn_motion_drive_work(tn_session *session, tn_contact_rows *rows, double *work);

#endif
