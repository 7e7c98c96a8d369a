/* A team of processes over MPI: messages, and what happens when a process dies. */
#include "mpi_team.h"
#include "output.h"
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Polls between two looks around; after this many the processor is offered to others, too. */
enum { LOOK_EVERY = 64, PATIENCE = 100 };

/* When all are ended by a signal, a process stays for this long: the others look who is left. */
static const struct timespec LINGER = { .tv_nsec = 300000000 };

/* The message of a process that leaves the team. */
typedef struct notice {
    long gathers;                      /* that it has completed */
    bool passed_on;                    /* the reason is another one's */
    char reason[TN_NOTICE_TEXT];
} notice;

typedef struct member {
    bool left;
    notice notice;
} member;

struct tn_mpi_team {
    MPI_Comm work, notices;
    int rank, size;
    bool (*ended)(void);
    MPI_Request *receives;             /* by tag; MPI_REQUEST_NULL: none is expected */
    int receive_count;
    MPI_Request *sends;
    size_t send_count, send_room;
    double *gathered;                  /* a gather that is broken off may still be written to */
    size_t gathered_room;
    long gathers;
    member *members;
    notice own;
    MPI_Request *own_sent;             /* to each member */
    bool broken;
    char trouble[TN_NOTICE_TEXT + 64];
    tn_traffic traffic;
};

/* ---- trouble ---- */

/* Nothing of it may arrive any more: its place in memory is no longer ours. */
static void cancel_receives(tn_mpi_team *t)
{
    for (int tag = 0; tag < t->receive_count; tag++)
        if (t->receives[tag] != MPI_REQUEST_NULL) {
            MPI_Cancel(&t->receives[tag]);
            MPI_Request_free(&t->receives[tag]);
        }
}

static int break_up(tn_mpi_team *t)
{
    t->broken = true;
    cancel_receives(t);
    return TN_ERROR_TEAM;
}

static int fail(tn_mpi_team *t, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error, text, &length);
    snprintf(t->trouble, sizeof t->trouble, "MPI: %.*s", TN_NOTICE_TEXT, text);
    return break_up(t);
}

/* Notices that have come in. */
static void read_notices(tn_mpi_team *t)
{
    MPI_Status status;
    int there = 0;
    while (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->notices, &there, &status) == MPI_SUCCESS && there) {
        member *from = &t->members[status.MPI_SOURCE];
        MPI_Recv(&from->notice, sizeof from->notice, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, t->notices,
                 MPI_STATUS_IGNORE);
        from->notice.reason[TN_NOTICE_TEXT - 1] = '\0';
        from->left = true;
    }
}

/* Whether it makes sense to go on waiting. */
static int look_around(tn_mpi_team *t)
{
    if (t->ended())
        return break_up(t);
    read_notices(t);
    for (int r = 0; r < t->size; r++) {
        const member *m = &t->members[r];
        if (!m->left || m->notice.gathers > t->gathers)
            continue;
        if (m->notice.passed_on)
            snprintf(t->trouble, sizeof t->trouble, "%s", m->notice.reason);
        else if (m->notice.reason[0])
            snprintf(t->trouble, sizeof t->trouble, "rank %d: %s", r, m->notice.reason);
        else
            snprintf(t->trouble, sizeof t->trouble, "rank %d came to its end before the others", r);
        return break_up(t);
    }
    return TN_OK;
}

static int wait_for(tn_mpi_team *t, MPI_Request *request)
{
    double begun = 0;
    for (long turn = 0;; turn++) {
        int done = 0, error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            return fail(t, error);
        if (done) {
            t->traffic.waited += turn > 0 ? MPI_Wtime() - begun : 0;
            return TN_OK;
        }
        begun = turn == 0 ? MPI_Wtime() : begun;
        if (turn % LOOK_EVERY == LOOK_EVERY - 1 && look_around(t) < 0)
            return TN_ERROR_TEAM;
        if (turn >= PATIENCE)
            sched_yield();
    }
}

/* ---- messages ---- */

static void *grown(void *array, size_t count, size_t size)
{
    void *larger = realloc(array, count * size);
    if (!larger)
        exit(tn_out_of_memory());
    return larger;
}

static int expect(void *user, int from, int tag, double *data, size_t count)
{
    tn_mpi_team *t = user;
    if (t->broken)
        return TN_ERROR_TEAM;
    if (tag >= t->receive_count) {
        t->receives = grown(t->receives, (size_t)tag + 1, sizeof *t->receives);
        while (t->receive_count <= tag)
            t->receives[t->receive_count++] = MPI_REQUEST_NULL;
    }
    int error = MPI_Irecv(data, (int)count, MPI_DOUBLE, from, tag, t->work, &t->receives[tag]);
    return error == MPI_SUCCESS ? TN_OK : fail(t, error);
}

static int await(void *user, int tag)
{
    tn_mpi_team *t = user;
    return t->broken ? TN_ERROR_TEAM : wait_for(t, &t->receives[tag]);
}

static int send(void *user, int to, int tag, const double *data, size_t count)
{
    tn_mpi_team *t = user;
    if (t->broken)
        return TN_ERROR_TEAM;
    if (t->send_count == t->send_room) {
        t->send_room = 2 * t->send_room + 16;
        t->sends = grown(t->sends, t->send_room, sizeof *t->sends);
    }
    t->traffic.messages++;
    t->traffic.message_bytes += (double)(count * sizeof(double));
    int error = MPI_Isend(data, (int)count, MPI_DOUBLE, to, tag, t->work, &t->sends[t->send_count++]);
    return error == MPI_SUCCESS ? TN_OK : fail(t, error);
}

static int gather(void *user, double *data, const int *counts, const int *offsets)
{
    tn_mpi_team *t = user;
    const size_t all = (size_t)(offsets[t->size - 1] + counts[t->size - 1]);
    MPI_Request request;
    if (t->broken)
        return TN_ERROR_TEAM;
    if (all > t->gathered_room) {
        t->gathered = grown(t->gathered, all, sizeof *t->gathered);
        t->gathered_room = all;
    }
    t->traffic.gathers++;
    t->traffic.gather_bytes += counts[t->rank] * (double)sizeof(double);
    memcpy(t->gathered + offsets[t->rank], data + offsets[t->rank], (size_t)counts[t->rank] * sizeof(double));
    int error = MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t->gathered, counts, offsets, MPI_DOUBLE, t->work,
                                &request);
    if (error != MPI_SUCCESS)
        return fail(t, error);
    if (wait_for(t, &request) < 0)
        return TN_ERROR_TEAM;
    for (; t->send_count > 0; t->send_count--)
        if (wait_for(t, &t->sends[t->send_count - 1]) < 0)
            return TN_ERROR_TEAM;
    t->gathers++;
    memcpy(data, t->gathered, all * sizeof(double));
    return TN_OK;
}

/* ---- life ---- */

bool tn_mpi_built(void)
{
    return true;
}

tn_mpi_team *tn_mpi_join(bool (*ended)(void))
{
    tn_mpi_team *t = tn_allocate(1, sizeof *t);
    t->ended = ended;
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &t->work);
    MPI_Comm_dup(MPI_COMM_WORLD, &t->notices);
    MPI_Comm_set_errhandler(t->work, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(t->notices, MPI_ERRORS_RETURN);
    MPI_Comm_rank(t->work, &t->rank);
    MPI_Comm_size(t->work, &t->size);
    t->members = tn_allocate((size_t)t->size, sizeof *t->members);
    t->own_sent = tn_allocate((size_t)t->size, sizeof(MPI_Request));
    return t;
}

tn_team tn_mpi_members(tn_mpi_team *t)
{
    return (tn_team){ .rank = t->rank, .size = t->size, .expect = expect, .await = await, .send = send,
                      .gather = gather, .user = t };
}

tn_traffic tn_mpi_traffic(const tn_mpi_team *t)
{
    return t->traffic;
}

const char *tn_mpi_trouble(const tn_mpi_team *t)
{
    return t->trouble[0] ? t->trouble : "the run was ended from outside, or another rank died";
}

void tn_mpi_leave(tn_mpi_team *t, const char *reason)
{
    t->own.gathers = t->gathers;
    t->own.passed_on = t->broken;
    snprintf(t->own.reason, sizeof t->own.reason, "%.*s", TN_NOTICE_TEXT - 1, t->broken ? tn_mpi_trouble(t) : reason);
    for (int r = 0; r < t->size; r++) {
        t->own_sent[r] = MPI_REQUEST_NULL;
        if (r != t->rank)
            MPI_Isend(&t->own, sizeof t->own, MPI_BYTE, r, 0, t->notices, &t->own_sent[r]);
    }
    t->members[t->rank].left = true;
}

static bool all_have_left(tn_mpi_team *t)
{
    read_notices(t);
    for (int r = 0; r < t->size; r++)
        if (!t->members[r].left)
            return false;
    return true;
}

/* Polls until the request is done; false: a signal wants the program to end. */
static bool poll_for(const tn_mpi_team *t, MPI_Request *request)
{
    int done = 0;
    while (!done && !t->ended()) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    return done;
}

/* Rank 0 is the last to come, when all it has to do is done; its status is that of all. */
static bool meet(tn_mpi_team *t, int *status)
{
    MPI_Request told;
    while (!all_have_left(t)) {
        if (t->ended())
            return false;
        sched_yield();
    }
    for (int r = 0; r < t->size; r++)
        if (!poll_for(t, &t->own_sent[r]))
            return false;
    MPI_Ibcast(status, 1, MPI_INT, 0, t->notices, &told);
    return poll_for(t, &told);
}

int tn_mpi_finish(tn_mpi_team *t, int status)
{
    int agreed = status;
    bool met = meet(t, &agreed);
    if (met && !t->broken) {
        MPI_Comm_free(&t->work);
        MPI_Comm_free(&t->notices);
    }
    if (t->ended())
        nanosleep(&LINGER, NULL);
    else
        MPI_Finalize();
    free(t->receives);
    free(t->sends);
    free(t->members);
    free(t->own_sent);
    if (!t->broken)
        free(t->gathered);
    free(t);
    return met ? agreed : status;
}
