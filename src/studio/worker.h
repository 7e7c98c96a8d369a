/* A thread for work that needs neither the session nor the network, so that neither waits for it. */
#ifndef TN_STUDIO_WORKER_H
#define TN_STUDIO_WORKER_H

#include <pthread.h>
#include <stdbool.h>

enum { TN_WORKER_QUEUE = 256 };

typedef struct tn_worker_job {
    void (*run)(void *user);
    void *user;
} tn_worker_job;

typedef struct tn_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    tn_worker_job jobs[TN_WORKER_QUEUE];   /* a ring */
    unsigned first, count;
    bool open, closing;
} tn_worker;

bool tn_worker_open(tn_worker *worker);
/* False when there are too many already; it is not run then. */
bool tn_worker_submit(tn_worker *worker, void (*run)(void *user), void *user);
/* Waits until all are done. */
void tn_worker_close(tn_worker *worker);

#endif
