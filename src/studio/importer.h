/* An import: files of other formats in the served folder become a model folder there, in a thread of its own. */
#ifndef TN_STUDIO_IMPORTER_H
#define TN_STUDIO_IMPORTER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* At most one at a time. */
typedef struct tn_importer_thread {
    pthread_t thread;
    bool started;              /* there is a thread to be joined; the runner's thread alone has this */
    atomic_bool done, cancelled;
} tn_importer_thread;

/* After the runner has stopped: cancels what is under way, and waits. */
void tn_importer_close(tn_importer_thread *importer);

#endif
