/* Unsaved models on disk: a file for each in the folder of the journals, so that a program that is killed loses none. */
#ifndef TN_STUDIO_RECOVERY_H
#define TN_STUDIO_RECOVERY_H

#include "folder.h"
#include "worker.h"
#include <cJSON.h>

/* What this run writes. A lock tells others that the run goes on: numbers of processes come again, in containers at every start. */
typedef struct tn_recovery {
    char state[TN_PATH_SIZE];  /* the folder */
    char run[64];              /* begins the names of the run's files */
    int lock;                  /* descriptor; -1: the folder takes no locks, or nothing is open */
} tn_recovery;
void tn_recovery_open(tn_recovery *recovery, const char *state);
void tn_recovery_close(tn_recovery *recovery);

/* Writes the file of a document of this run, at the worker. What: name, file, folder, title, text, view; the
 * function takes it. failed, which may be NULL, is called at the worker with the reason where it cannot be written. */
typedef void (*tn_recovery_failed)(void *user, const char *reason);
void tn_recovery_write(const tn_recovery *recovery, tn_worker *worker, int number, cJSON *what, tn_recovery_failed failed,
                       void *user);
/* The document is saved or given up: removes its file, after files that are still to be written. */
void tn_recovery_remove(const tn_recovery *recovery, tn_worker *worker, int number);

/* Models that runs which have ended left behind, the latest first: id, name, title, folder, when (s since 1970). */
cJSON *tn_recovery_list(const tn_recovery *recovery);
/* The whole of one, with its text; NULL: there is no such file. */
cJSON *tn_recovery_load(const tn_recovery *recovery, const char *id);
bool tn_recovery_forget(const tn_recovery *recovery, const char *id);
/* As forget, after files that are still to be written: the model is one of this run now. */
void tn_recovery_replace(const tn_recovery *recovery, tn_worker *worker, const char *id);

#endif
