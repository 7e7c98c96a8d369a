/* Motion of bodies over a time step: free velocities, and displacements. Private to this folder. */
#ifndef TN_TIME_MOTION_H
#define TN_TIME_MOTION_H

#include "contact_rows.h"

/* Evaluates the motion at the state y and the time t in stepper->eval. */
void tn_motion_at(tn_session *session, double t, const double *y);
/* Writes the velocities after a step of length h without contacts into v. stepper->eval has the motion at the accepted
 * state. */
void tn_motion_free(tn_session *session, double h, double *v);
/* Moves the positions in rows->y by the step, and writes the velocities at its end. Input: velocities with impulses in
 * rows->v; the motion at the start in stepper->eval. stopped: some bodies move with the velocity after the step; rows->y_mean is
 * the state in which all move with the mean one. */
void tn_motion_take(tn_session *session, tn_contact_rows *rows, double h, bool *stopped);
/* Writes the positions in the middle of the step into rows->y_middle, after tn_motion_take. */
void tn_motion_middle(const tn_session *session, tn_contact_rows *rows);
/* Adds what contacts do (J) by moving bodies with the velocity after the step instead of the mean one: the difference of the
 * potential energies of rows->y and rows->y_mean, the states at the time t. */
int tn_motion_stop_work(tn_session *session, tn_contact_rows *rows, double t, double *work);
/* Adds the work (J) that drives do where they resist the impulses of contacts. */
int tn_motion_drive_work(tn_session *session, tn_contact_rows *rows, double *work);

#endif
