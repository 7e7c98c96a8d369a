/* Modes of unilaterals that touch; for unilateral*.c. */
#ifndef TN_SESSION_GUARD_MODES_H
#define TN_SESSION_GUARD_MODES_H

#include "delassus.h"

/* The modes of the unilaterals on the delassus, by forces and accelerations at the state that is loaded. solved: false where no
 * forces go with what slides; modes are then those of the nearest that was found. */
int tn_unilaterals_decide(tn_delassus *delassus, tn_unilateral_mode *modes, bool *solved);

/* Counts what was found; the first forces or impulses that are not exact are told. */
void tn_unilaterals_note_solved(tn_session *session, bool solved);

/* unilateral_laws.c: a delassus with all unilaterals that are not open, at states that the closed ones' equations hold at. Do the
 * forces decided on it give the accelerations in stepper->eval, at all unilaterals, but for this part of the largest? Forces,
 * and so modes, may be shared out in many ways between those that touch. */
int tn_delassus_open_touching(tn_delassus *out, tn_session *session);
bool tn_delassus_moves_alike(const tn_delassus *delassus, double tolerance);

/* Velocities below this are none, of the velocities w. */
double tn_delassus_still(const tn_delassus *delassus, const double *w);
/* The smallest impulse p that stops the rows in numbers, from velocities b. */
void tn_delassus_find_stop(tn_delassus *delassus, int rows);
/* J: what the impulse p takes from velocities b. */
double tn_delassus_loss(const tn_delassus *delassus);
/* The velocities in the delassus's state become those after the impulse p; lost: J, added to. */
int tn_delassus_strike(tn_delassus *delassus, double *lost);

/* Forces and sliding accelerations below this part of the largest are none. */
static const double TN_UNILATERAL_NOTHING = 1e-11;

#endif
