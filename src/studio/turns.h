/* Turns: what clients want of one thread, one after the other, so that none of them keeps the others waiting for long.
 *
 * Each client has a line of its own. Lines take turns, those of clients that edit before those of clients that look on. */
#ifndef TN_STUDIO_TURNS_H
#define TN_STUDIO_TURNS_H

#include "access.h"
#include "tenon/runner.h"
#include <pthread.h>

/* Something that waits for its turn. */
typedef struct tn_turn {
    struct tn_turn *next;
    tn_runner_function run;
    void (*refuse)(void *user);    /* in the place of run, when the thread takes nothing more */
    void *user;
} tn_turn;

/* The turns of one client, in their order; to be zero at first. It must stay while it has any. */
typedef struct tn_line {
    struct tn_line *next;
    tn_turn *first, *last;
} tn_line;

typedef struct tn_turns {
    pthread_mutex_t lock;
    tn_line *first[TN_RIGHT_EDIT + 1], *last[TN_RIGHT_EDIT + 1];   /* lines that wait, by right */
    bool served;                   /* the thread was asked to serve, and will find this */
} tn_turns;

bool tn_turns_open(tn_turns *turns);
void tn_turns_close(tn_turns *turns);
/* Puts the turn at the end of the line. True: the caller has to ask the thread to serve. */
bool tn_turns_add(tn_turns *turns, tn_line *line, tn_right right, tn_turn *turn);
/* By the thread that serves: runs the next one. True: more are waiting, the thread has to be asked to serve again. */
bool tn_turns_serve(tn_turns *turns, tn_session *session);
/* Refuses all that wait. */
void tn_turns_refuse(tn_turns *turns);

#endif
