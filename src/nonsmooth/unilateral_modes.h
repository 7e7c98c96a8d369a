/* Modes of guards that touch; for guard*.c. */
#ifndef TN_SESSION_GUARD_MODES_H
#define TN_SESSION_GUARD_MODES_H

#include "delassus.h"

/* The modes of the guards on the bench, by forces and accelerations at the state that is loaded. solved: false where no
 * forces go with what slides; modes are then those of the nearest that was found. */
int tn_guards_decide(tn_bench *bench, tn_guard_mode *modes, bool *solved);

/* Modes for a while of h seconds in which they are not looked at again, and impulses that go with them (guard_hold.c);
 * lost: J, added to. solved: false where these are only the nearest that were found. */
int tn_guards_hold(tn_bench *bench, tn_guard_mode *modes, double h, double *lost, bool *solved);

/* Velocities below this are none, of the velocities w. */
double tn_bench_still(const tn_bench *bench, const double *w);
/* The smallest impulse p that stops the rows in numbers, from velocities b. */
void tn_bench_find_stop(tn_bench *bench, int rows);
/* J: what the impulse p takes from velocities b. */
double tn_bench_loss(const tn_bench *bench);
/* The velocities in the bench's state become those after the impulse p; lost: J, added to. */
int tn_bench_strike(tn_bench *bench, double *lost);

/* Forces and sliding accelerations below this part of the largest are none. */
static const double TN_GUARD_NOTHING = 1e-11;

#endif
