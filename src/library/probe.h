/* Runs a trial (trial.h) in a separate process, so that a faulty library cannot harm this process.
 *
 * The process is a fork of this one, so no second program has to be found, whichever program uses this library. The C
 * library keeps memory and the loader usable in the child of a process with threads; the child does not use streams or
 * locks that other threads may have held during the fork. */
#ifndef TN_LIBRARY_PROBE_H
#define TN_LIBRARY_PROBE_H

#include "trial.h"

/* Held while a library is loaded or unloaded: a process forked meanwhile would have an inconsistent loader. */
void tn_loader_lock(void);
void tn_loader_unlock(void);

/* path is absolute. Returns TN_OK and the number of states, or TN_ERROR_ARGUMENT and the reason in trouble. */
int tn_probe(int *states, char trouble[TN_VERDICT_TEXT], const char *path, const tn_component_setting *setting,
             const double *parameters);

#endif
