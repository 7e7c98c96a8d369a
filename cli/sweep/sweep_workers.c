/* Processes that simulate. Each is told run by run what to do, over a socket of its own, and answers with a row. So a
 * run that crashes takes nothing with it: its row says so, and another process takes its place. */
#include "interrupt.h"
#include "sweep.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_INTERVAL = 100, CHUNK = 4096 };        /* ms between looks at Ctrl-C and the progress bar; bytes */

typedef struct worker {
    pid_t pid;                         /* 0: none */
    int socket;
    size_t run;                        /* what it is at */
    char *text;                        /* what has come of its row */
    size_t length, capacity;
} worker;

typedef struct crew {
    tn_sweep *sweep;
    tn_results *results;
    worker *workers;
    struct pollfd *polled;             /* as many */
    size_t count, busy;
    size_t next;                       /* no earlier run is left to do */
} crew;

/* ---- in the worker's process ---- */

static bool send_all(int socket, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(socket, data, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        data += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static _Noreturn void work(const tn_sweep *sweep, int socket)
{
    size_t run;
    tn_interrupt_leave_to_parent();
    tn_context *context = tn_context_create(NULL);
    bool ok = context != NULL && tn_context_credentials_of_environment(context) >= 0;
    if (ok)
        tn_context_refuse_libraries(context, sweep->arguments->no_plugins);
    while (ok && recv(socket, &run, sizeof run, MSG_WAITALL) == (ssize_t)sizeof run) {
        char *row = tn_sweep_run(sweep, context, run);
        size_t length = row ? strlen(row) : 0;
        if (row)
            row[length] = '\n';            /* in place of its end */
        ok = row && send_all(socket, row, length + 1);
        free(row);
    }
    _exit(ok ? TN_EXIT_OK : TN_EXIT_MEMORY);    /* nothing of the parent's is flushed or ended here */
}

/* ---- in ours ---- */

static size_t next_run(crew *c)
{
    const tn_results *r = c->results;
    while (c->next < r->runs && (r->rows[c->next] || c->next % r->rank.size != r->rank.rank))
        c->next++;
    return c->next < r->runs ? c->next++ : r->runs;
}

/* A worker holds no other worker's socket, or that one would not notice when we are gone. */
static int start_sweep_workers(crew *c, worker *w)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return TN_EXIT_MEMORY;
    w->pid = fork();
    if (w->pid == 0) {
        close(pair[0]);
        for (size_t i = 0; i < c->count; i++)
            if (c->workers[i].socket >= 0)
                close(c->workers[i].socket);
        work(c->sweep, pair[1]);
    }
    close(pair[1]);
    if (w->pid < 0) {
        close(pair[0]);
        w->pid = 0;
        return TN_EXIT_MEMORY;
    }
    w->socket = pair[0];
    return TN_EXIT_OK;
}

static int stop(worker *w)
{
    int how = 0;
    if (w->socket >= 0)
        close(w->socket);
    while (w->pid > 0 && waitpid(w->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    w->socket = -1;
    w->length = 0;
    return how;
}

/* The next run; without one the worker may go. That a worker is dead shows when its answer does not come. */
static int assign(crew *c, worker *w)
{
    w->run = next_run(c);
    w->length = 0;
    if (w->run == c->results->runs) {
        stop(w);
        return TN_EXIT_OK;
    }
    int status = w->pid > 0 ? TN_EXIT_OK : start_sweep_workers(c, w);
    if (status != TN_EXIT_OK) {
        fprintf(stderr, "tenon sweep: cannot start another process: %s\n", strerror(errno));
        return status;
    }
    send_all(w->socket, (const char *)&w->run, sizeof w->run);
    c->busy++;
    return TN_EXIT_OK;
}

static int record(crew *c, worker *w, char *row)
{
    c->busy--;
    if (!row)
        return tn_out_of_memory();
    int status = tn_results_add(c->results, w->run, row);
    return status == TN_EXIT_OK ? assign(c, w) : status;
}

static int record_death(crew *c, worker *w)
{
    char reason[160];
    int how = stop(w);
    if (WIFSIGNALED(how))
        snprintf(reason, sizeof reason, "crashed: %s", strsignal(WTERMSIG(how)));
    else
        snprintf(reason, sizeof reason, "the process ended with status %d", WEXITSTATUS(how));
    return record(c, w, tn_sweep_failed_row(c->sweep, w->run, reason));
}

/* Kinds of input from a worker: part of a row, the end of a row, or the end of the worker. */
static int receive(crew *c, worker *w)
{
    if (w->capacity - w->length < CHUNK) {
        char *more = realloc(w->text, 2 * w->capacity + CHUNK);
        if (!more)
            return tn_out_of_memory();
        w->text = more;
        w->capacity = 2 * w->capacity + CHUNK;
    }
    ssize_t got = recv(w->socket, w->text + w->length, w->capacity - w->length, 0);
    if (got < 0 && errno == EINTR)
        return TN_EXIT_OK;
    if (got <= 0)
        return record_death(c, w);
    w->length += (size_t)got;
    if (w->text[w->length - 1] != '\n')
        return TN_EXIT_OK;
    return record(c, w, strndup(w->text, w->length - 1));
}

static int serve(crew *c, tn_progress *progress)
{
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < c->count && status == TN_EXIT_OK; i++)
        status = assign(c, &c->workers[i]);
    while (status == TN_EXIT_OK && c->busy > 0) {
        if (tn_interrupted())
            return TN_EXIT_INTERRUPTED;
        for (size_t i = 0; i < c->count; i++)
            c->polled[i] = (struct pollfd){ .fd = c->workers[i].socket, .events = POLLIN };
        int ready = poll(c->polled, (nfds_t)c->count, LOOK_INTERVAL);
        for (size_t i = 0; i < c->count && ready > 0 && status == TN_EXIT_OK; i++)
            if (c->polled[i].revents)
                status = receive(c, &c->workers[i]);
        tn_progress_update(progress, (double)c->results->done);
    }
    return status;
}

int tn_workers_run(tn_sweep *sweep, tn_results *results, size_t jobs, tn_progress *progress)
{
    size_t left = results->runs - results->done;
    crew c = { .sweep = sweep, .results = results, .count = jobs < left ? jobs : left };
    c.workers = calloc(c.count + 1, sizeof *c.workers);
    c.polled = calloc(c.count + 1, sizeof *c.polled);
    int status = c.workers && c.polled ? TN_EXIT_OK : tn_out_of_memory();
    for (size_t i = 0; i < c.count && c.workers; i++)
        c.workers[i].socket = -1;
    sweep->parent = getpid();
    tn_interrupt_catch();
    if (status == TN_EXIT_OK)
        status = serve(&c, progress);
    for (size_t i = 0; i < c.count && c.workers; i++) {
        if (status != TN_EXIT_OK && c.workers[i].pid > 0)
            kill(c.workers[i].pid, SIGKILL);
        stop(&c.workers[i]);
        free(c.workers[i].text);
    }
    free(c.workers);
    free(c.polled);
    return status;
}
