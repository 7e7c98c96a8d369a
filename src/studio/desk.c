#include "desk.h"

static bool next_job(tn_desk *d, tn_desk_job *job)
{
    pthread_mutex_lock(&d->lock);
    while (d->count == 0 && !d->closing)
        pthread_cond_wait(&d->wake, &d->lock);
    bool some = d->count > 0;
    if (some) {
        *job = d->jobs[d->first];
        d->first = (d->first + 1) % TN_DESK_QUEUE;
        d->count--;
    }
    pthread_mutex_unlock(&d->lock);
    return some;
}

static void *work(void *user)
{
    tn_desk_job job;
    while (next_job(user, &job))
        job.run(job.user);
    return NULL;
}

bool tn_desk_open(tn_desk *d)
{
    *d = (tn_desk){ 0 };
    d->open = pthread_mutex_init(&d->lock, NULL) == 0 && pthread_cond_init(&d->wake, NULL) == 0 &&
              pthread_create(&d->thread, NULL, work, d) == 0;
    return d->open;
}

bool tn_desk_put(tn_desk *d, void (*run)(void *user), void *user)
{
    pthread_mutex_lock(&d->lock);
    bool room = d->count < TN_DESK_QUEUE && !d->closing;
    if (room)
        d->jobs[(d->first + d->count++) % TN_DESK_QUEUE] = (tn_desk_job){ run, user };
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    return room;
}

void tn_desk_close(tn_desk *d)
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
