/* A sweep: the model run from its start with other values of one number, beside the session, which is not touched. */
#ifndef TN_STUDIO_SWEEPER_H
#define TN_STUDIO_SWEEPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* At most one at a time, in a thread of its own. */
typedef struct tn_sweeper {
    pthread_t thread;
    bool started;              /* there is a thread to be joined; the runner's thread alone has this */
    atomic_bool done, cancelled;
} tn_sweeper;

/* After the runner has stopped: cancels what is under way, and waits. */
void tn_sweeper_close(tn_sweeper *sweeper);

#endif
