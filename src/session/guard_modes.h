/* Modes of guards that touch; for guard*.c. */
#ifndef TN_SESSION_GUARD_MODES_H
#define TN_SESSION_GUARD_MODES_H

#include "bench.h"

/* The modes of the guards on the bench, by forces and accelerations at the state that is loaded. solved: false where no
 * forces go with what slides; modes are then those of the nearest that was found. */
int tn_guards_decide(tn_bench *bench, tn_guard_mode *modes, bool *solved);

#endif
