/* A trial (trial.h) in a process of its own, so that whatever a library does in it is over there.
 *
 * The process is a fork of this one: there is no second program that would have to be found, in whatever program this
 * library is. The C library makes memory and the loader usable in the child of a process with threads; what other
 * threads held at that moment (streams, the host's own locks) is not touched there. */
#ifndef TN_LIBRARY_PROBE_H
#define TN_LIBRARY_PROBE_H

#include "trial.h"

/* Held while a library is loaded or unloaded here: a process that is forked meanwhile has a loader in disorder. */
void tn_loader_lock(void);
void tn_loader_unlock(void);

/* path is absolute. TN_OK and the number of states; TN_ERROR_ARGUMENT and why in trouble. */
int tn_probe(int *states, char trouble[TN_VERDICT_TEXT], const char *path, const tn_component_setting *setting,
             const double *parameters);

#endif
