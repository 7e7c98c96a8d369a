/* Modes of unilaterals that touch; for unilateral*.c. */
#ifndef TN_SESSION_GUARD_MODES_H
#define TN_SESSION_GUARD_MODES_H

#include "delassus.h"

/* The modes of the unilaterals on the delassus, by forces and accelerations at the state that is loaded. solved: false where no
 * forces go with what slides; modes are then those of the nearest that was found. */
int tn_unilaterals_decide(tn_delassus *delassus, tn_unilateral_mode *modes, bool *solved);

/* Modes for a while of h seconds in which they are not looked at again, and impulses that go with them (unilateral_hold.c);
 * lost: J, added to. solved: false where these are only the nearest that were found. */
int tn_unilaterals_hold(tn_delassus *delassus, tn_unilateral_mode *modes, double h, double *lost, bool *solved);

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
