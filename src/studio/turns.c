/* Lines of clients that wait for one thread. */
#include "turns.h"

bool tn_turns_open(tn_turns *t)
{
    *t = (tn_turns){ .served = false };
    return pthread_mutex_init(&t->lock, NULL) == 0;
}

void tn_turns_close(tn_turns *t)
{
    pthread_mutex_destroy(&t->lock);
}

/* Puts a line behind the others of its right. */
static void append_line(tn_turns *t, tn_line *line, tn_right right)
{
    line->next = NULL;
    if (t->last[right])
        t->last[right]->next = line;
    else
        t->first[right] = line;
    t->last[right] = line;
}

bool tn_turns_add(tn_turns *t, tn_line *line, tn_right right, tn_turn *turn)
{
    turn->next = NULL;
    pthread_mutex_lock(&t->lock);
    if (line->first)
        line->last->next = turn;
    else
        line->first = turn;
    line->last = turn;
    if (line->first == turn)
        append_line(t, line, right);
    bool ask = !t->served;
    t->served = true;
    pthread_mutex_unlock(&t->lock);
    return ask;
}

/* The first turn of the first line, which goes behind the others; NULL: nobody waits. */
static tn_turn *take_turn(tn_turns *t)
{
    tn_right right = t->first[TN_RIGHT_EDIT] ? TN_RIGHT_EDIT : TN_RIGHT_VIEW;
    tn_line *line = t->first[right];
    if (!line)
        return NULL;
    tn_turn *turn = line->first;
    line->first = turn->next;
    t->first[right] = line->next;
    if (!line->next)
        t->last[right] = NULL;
    if (line->first)
        append_line(t, line, right);
    return turn;
}

/* Whether somebody waits; if not, the next one who does has to ask for the thread. */
static bool goes_on(tn_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->served = t->first[TN_RIGHT_EDIT] || t->first[TN_RIGHT_VIEW];
    bool more = t->served;
    pthread_mutex_unlock(&t->lock);
    return more;
}

static tn_turn *next_turn(tn_turns *t)
{
    pthread_mutex_lock(&t->lock);
    tn_turn *turn = take_turn(t);
    pthread_mutex_unlock(&t->lock);
    return turn;
}

bool tn_turns_serve(tn_turns *t, tn_session *session)
{
    tn_turn *turn = next_turn(t);
    if (turn)
        turn->run(turn->user, session);
    return goes_on(t);
}

void tn_turns_refuse(tn_turns *t)
{
    do {
        for (tn_turn *turn; (turn = next_turn(t));)
            turn->refuse(turn->user);
    } while (goes_on(t));
}
