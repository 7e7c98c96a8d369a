/* A team of threads: each member has its own context, and messages are copies that wait in one list. A member that
 * leaves breaks the team: whoever waits, or asks for anything afterwards, is told. */
#ifndef TEST_THREAD_TEAM_H
#define TEST_THREAD_TEAM_H

#include "tenon/team.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 4, EXPECTED = 4096 };

typedef struct letter {
    int from, to, tag;
    size_t count;
    struct letter *next;
    double data[];
} letter;

typedef struct post_office {
    pthread_mutex_t lock;
    pthread_cond_t news;
    int size, arrived;
    long gathers;
    bool broken;
    letter *letters;           /* the oldest first */
    double *gathered[2];       /* of the even and the odd gathers */
    long sent, numbers;        /* messages so far, and what was in them */
} post_office;

/* One thread's. */
typedef struct member {
    post_office *office;
    tn_team team;
    struct { int from; double *data; size_t count; } expected[EXPECTED];   /* by tag */
    void *task;
} member;

static inline int member_expect(void *user, int from, int tag, double *data, size_t count)
{
    member *m = user;
    if (tag < 0 || tag >= EXPECTED || m->expected[tag].data)
        return TN_ERROR_ARGUMENT;
    m->expected[tag].from = from;
    m->expected[tag].data = data;
    m->expected[tag].count = count;
    pthread_mutex_lock(&m->office->lock);
    bool broken = m->office->broken;
    pthread_mutex_unlock(&m->office->lock);
    return broken ? TN_ERROR_TEAM : TN_OK;
}

static inline letter **find_letter(post_office *office, int from, int to, int tag)
{
    letter **at = &office->letters;
    while (*at && ((*at)->from != from || (*at)->to != to || (*at)->tag != tag))
        at = &(*at)->next;
    return at;
}

static inline int member_await(void *user, int tag)
{
    member *m = user;
    post_office *office = m->office;
    int from = m->expected[tag].from, code = TN_ERROR_TEAM;
    pthread_mutex_lock(&office->lock);
    letter **at;
    while (!*(at = find_letter(office, from, m->team.rank, tag)) && !office->broken)
        pthread_cond_wait(&office->news, &office->lock);
    letter *found = *at;
    if (found) {
        *at = found->next;
        code = found->count == m->expected[tag].count ? TN_OK : TN_ERROR_ARGUMENT;
        if (code == TN_OK)
            memcpy(m->expected[tag].data, found->data, found->count * sizeof(double));
    }
    pthread_mutex_unlock(&office->lock);
    free(found);
    m->expected[tag].data = NULL;
    return code;
}

static inline int member_send(void *user, int to, int tag, const double *data, size_t count)
{
    member *m = user;
    post_office *office = m->office;
    letter *new = malloc(sizeof *new + count * sizeof(double)), **at = &office->letters;
    *new = (letter){ .from = m->team.rank, .to = to, .tag = tag, .count = count };
    memcpy(new->data, data, count * sizeof(double));
    pthread_mutex_lock(&office->lock);
    while (*at)
        at = &(*at)->next;
    *at = new;
    office->sent++;
    office->numbers += (long)count;
    bool broken = office->broken;
    pthread_cond_broadcast(&office->news);
    pthread_mutex_unlock(&office->lock);
    return broken ? TN_ERROR_TEAM : TN_OK;
}

static inline int member_gather(void *user, double *data, const int *counts, const int *offsets)
{
    member *m = user;
    post_office *office = m->office;
    const int own = m->team.rank, last = office->size - 1;
    pthread_mutex_lock(&office->lock);
    const long turn = office->gathers;
    double **all = &office->gathered[turn % 2];
    if (office->arrived == 0)
        *all = realloc(*all, (size_t)(offsets[last] + counts[last]) * sizeof(double));
    memcpy(*all + offsets[own], data + offsets[own], (size_t)counts[own] * sizeof(double));
    if (++office->arrived == office->size) {
        office->arrived = 0;
        office->gathers++;
        pthread_cond_broadcast(&office->news);
    }
    while (office->gathers == turn && !office->broken)
        pthread_cond_wait(&office->news, &office->lock);
    bool done = office->gathers > turn;
    if (done)
        memcpy(data, *all, (size_t)(offsets[last] + counts[last]) * sizeof(double));
    pthread_mutex_unlock(&office->lock);
    return done ? TN_OK : TN_ERROR_TEAM;
}

static inline void member_leave(member *m)
{
    pthread_mutex_lock(&m->office->lock);
    m->office->broken = true;
    pthread_cond_broadcast(&m->office->news);
    pthread_mutex_unlock(&m->office->lock);
}

/* Runs work for every member in a thread of its own; tasks: one a member, each of so many bytes, found in task. */
static inline post_office team_run(int size, const tn_place *places, size_t place_count, void *tasks, size_t task_size,
                                   void *(*work)(void *member))
{
    post_office office = { .size = size };
    member *members = calloc((size_t)size, sizeof *members);
    pthread_t threads[MEMBERS];
    pthread_mutex_init(&office.lock, NULL);
    pthread_cond_init(&office.news, NULL);
    for (int r = 0; r < size; r++) {
        member *m = &members[r];
        m->office = &office;
        m->task = (char *)tasks + (size_t)r * task_size;
        m->team = (tn_team){ .rank = r, .size = size, .places = places, .place_count = place_count,
                             .expect = member_expect, .await = member_await, .send = member_send,
                             .gather = member_gather, .user = m };
        pthread_create(&threads[r], NULL, work, m);
    }
    for (int r = 0; r < size; r++)
        pthread_join(threads[r], NULL);
    for (letter *l = office.letters, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    free(office.gathered[0]);
    free(office.gathered[1]);
    free(members);
    return office;
}

#endif
