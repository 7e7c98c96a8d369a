/* Islands of bodies that stand still are not solved again by time stepping. Private to this folder.
 *
 * An island stands in a step where its bodies had no velocity before, and the impulses of the last step obey the laws: its
 * velocities are then zero and its forces those of the last step, to the bit. So the next step gives the same again, as
 * long as positions, accelerations, the length of the step and the neighbours are the same: the island sleeps, and neither
 * touches between its bodies are searched nor impulses found. What is known here only saves time: forgetting it changes no
 * bit of the motion. */
#ifndef TN_TIME_SLEEP_H
#define TN_TIME_SLEEP_H

#include "contact_rows.h"

/* Before the contacts of a step are searched: makes room, and wakes what differs from the end of the last step. */
int tn_sleep_begin(tn_contact_rows *rows, tn_session *session, double h);
/* Wakes the islands that near contacts join to bodies that are awake. Returns whether there are such islands: contacts have
 * to be searched again. */
bool tn_sleep_disturb(tn_contact_rows *rows, const tn_system *system);
/* Wakes all. rows may be NULL. */
void tn_sleep_wake(tn_contact_rows *rows);
/* tn_contact_shapes_find without touches between bodies that sleep. */
int tn_sleep_find(const tn_touch **list, size_t *count, const tn_contact_rows *rows, tn_session *session, double margin);

/* Forgets which islands stand; tells whether the contacts list[0 .. count-1] join free bodies without velocity; these bodies
 * stand; tells whether the bodies of a contact stand. */
void tn_sleep_clear(tn_contact_rows *rows, const tn_system *system);
bool tn_sleep_possible(const tn_contact_rows *rows, const tn_session *session, const int *list, int count);
void tn_sleep_stand(tn_contact_rows *rows, const tn_system *system, const int *list, int count);
bool tn_sleep_stands(const tn_contact_rows *rows, const tn_system *system, const tn_sweep_contact *contact);
/* Velocities of bodies that sleep become zero. */
void tn_sleep_stop(const tn_contact_rows *rows, const tn_system *system, double *v);
/* Tells whether all bodies of a touch sleep or do not move. */
bool tn_sleep_holds(const tn_contact_rows *rows, const tn_system *system, const tn_touch *touch);

/* Before the step from the stepper's state to rows->y is accepted: what stands, and has not moved, sleeps. */
void tn_sleep_end(tn_contact_rows *rows, const tn_session *session);

#endif
