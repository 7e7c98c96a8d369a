/* A thread for work that needs neither the session nor the network, so that neither waits for it. */
#ifndef TN_STUDIO_DESK_H
#define TN_STUDIO_DESK_H

#include <pthread.h>
#include <stdbool.h>

enum { TN_DESK_QUEUE = 256 };

typedef struct tn_desk_job {
    void (*run)(void *user);
    void *user;
} tn_desk_job;

typedef struct tn_desk {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    tn_desk_job jobs[TN_DESK_QUEUE];   /* a ring */
    unsigned first, count;
    bool open, closing;
} tn_desk;

bool tn_desk_open(tn_desk *desk);
/* False when there are too many already; it is not run then. */
bool tn_desk_put(tn_desk *desk, void (*run)(void *user), void *user);
/* Waits until all are done. */
void tn_desk_close(tn_desk *desk);

#endif
