/* The worker thread: a bounded queue of jobs that need neither session nor network. */
#include "worker.h"

static bool next_job(tn_worker *d, tn_worker_job *job)
{
    pthread_mutex_lock(&d->lock);
    while (d->count == 0 && !d->closing)
        pthread_cond_wait(&d->wake, &d->lock);
    bool some = d->count > 0;
    if (some) {
        *job = d->jobs[d->first];
        d->first = (d->first + 1) % TN_WORKER_QUEUE;
        d->count--;
    }
    pthread_mutex_unlock(&d->lock);
    return some;
}

static void *run_worker(void *user)
{
    tn_worker_job job;
    while (next_job(user, &job))
        job.run(job.user);
    return NULL;
}

bool tn_worker_open(tn_worker *d)
{
    *d = (tn_worker){ 0 };
    d->open = pthread_mutex_init(&d->lock, NULL) == 0 && pthread_cond_init(&d->wake, NULL) == 0 &&
              pthread_create(&d->thread, NULL, run_worker, d) == 0;
    return d->open;
}

bool tn_worker_submit(tn_worker *d, void (*run)(void *user), void *user)
{
    pthread_mutex_lock(&d->lock);
    bool room = d->count < TN_WORKER_QUEUE && !d->closing;
    if (room)
        d->jobs[(d->first + d->count++) % TN_WORKER_QUEUE] = (tn_worker_job){ run, user };
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    return room;
}

void tn_worker_close(tn_worker *d)
{
    if (!d->open)
        return;
    pthread_mutex_lock(&d->lock);
    d->closing = true;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->wake);
    pthread_mutex_destroy(&d->lock);
    d->open = false;
}
