/* Long work beside the session, which is not touched: sweeps and pages, which run the model from its start. */
#ifndef TN_STUDIO_SWEEPER_H
#define TN_STUDIO_SWEEPER_H

#include "folder.h"
#include "tenon/tenon.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct tn_request;

/* At most one work at a time, in a thread of its own. */
typedef struct tn_sweeper {
    pthread_t thread;
    bool started;              /* there is a thread to be joined; the runner's thread alone has this */
    atomic_bool done, cancelled;
} tn_sweeper;

/* The model of a session as the work needs it: its text, and where its files are. */
typedef struct tn_model_copy {
    char *text;                /* by malloc */
    char name[256], folder[TN_PATH_SIZE];
} tn_model_copy;

/* In the runner's thread. */
int tn_model_copy_take(tn_model_copy *out, const struct tn_request *request, tn_session *session);
/* In the runner's thread. Another work is under way: refuses the request, with an error. */
int tn_sweeper_refuse_busy(struct tn_request *request);
/* Starts work that finishes the request: TN_ANSWERED_LATER, or an error. */
int tn_sweeper_start(struct tn_request *request, void *(*work)(void *), void *user);
/* In the work's thread: its client has disconnected, or it was cancelled. */
bool tn_sweeper_is_cancelled(const struct tn_request *request);
/* The last act of the work, before its answer: the client may ask for the next at once. */
void tn_sweeper_done(const struct tn_request *request);
/* After the runner has stopped: cancels what is under way, and waits. */
void tn_sweeper_close(tn_sweeper *sweeper);

#endif
