/* Unsaved models on disk: a file for each in the folder of the journals, so that a program that is killed loses none. */
#ifndef TN_STUDIO_RECOVERY_H
#define TN_STUDIO_RECOVERY_H

#include "worker.h"
#include <cJSON.h>

/* Writes the file of a document of this program, at the worker. What: name, file, folder, title, text, view; the
 * function takes it. failed, which may be NULL, is called at the worker with the reason where it cannot be written. */
typedef void (*tn_recovery_failed)(void *user, const char *reason);
void tn_recovery_write(tn_worker *worker, const char *state, int number, cJSON *what, tn_recovery_failed failed,
                       void *user);
/* The document is saved or given up: removes its file, after files that are still to be written. */
void tn_recovery_remove(tn_worker *worker, const char *state, int number);

/* Models that programs which have ended left behind, the latest first: id, name, title, folder, when (s since 1970). */
cJSON *tn_recovery_list(const char *state);
/* The whole of one, with its text; NULL: there is no such file. */
cJSON *tn_recovery_load(const char *state, const char *id);
bool tn_recovery_forget(const char *state, const char *id);

#endif
