/* Code that runs elsewhere: processes with shared memory, and links; starting, calls, and how they end. */
#define _GNU_SOURCE                /* sem_clockwait, MAP_NORESERVE */
#include "remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "link.h"
#include "mem.h"
#include "probe.h"

/* s: how often the process looks whether this one is still there, and this one whether the process is. */
static const double PARENT_CHECK = 1, CHILD_CHECK = 0.01;
/* Attempts to get an answer before this thread sleeps: some microseconds, the time of a short answer. */
enum { SPINS = 400 };

typedef struct tn_remote_board {
    sem_t asked, answered;
    int request, code;
    _Alignas(max_align_t) unsigned char room[];
} tn_remote_board;

/* False: no post within that time (s). */
static bool wait_for(sem_t *semaphore, double time)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long nanoseconds = until.tv_nsec + (long)(1e9 * time);
    until.tv_sec += nanoseconds / 1000000000L;
    until.tv_nsec = nanoseconds % 1000000000L;
    int code;
    while ((code = sem_clockwait(semaphore, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR)
        continue;
    return code == 0;
}

static bool spin_for(sem_t *semaphore)
{
    for (int k = 0; k < SPINS; k++)
        if (sem_trywait(semaphore) == 0)
            return true;
    return false;
}

/* ---- in the process ---- */

/* Files, sockets and locks of the parent are not for the process. */
static void close_files(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3 && nowhere >= 0; file++)
        dup2(nowhere, file);
    DIR *all = opendir("/proc/self/fd");
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        int file = atoi(entry->d_name);
        if (file > 2 && file != dirfd(all))
            close(file);
    }
    if (all)
        closedir(all);
}

static void forget_signals(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGALRM, SIGPIPE, SIGHUP };
    const struct rlimit no_core = { 0, 0 };
    sigset_t none;
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        signal(signals[k], SIG_DFL);
    signal(SIGINT, SIG_IGN);                           /* Ctrl+C is for the parent, which ends this process */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
}

static _Noreturn void serve_requests(tn_remote_board *board, pid_t parent, tn_remote_serve serve, void *user)
{
    forget_signals();
    close_files();
    for (;;) {
        while (!spin_for(&board->asked) && !wait_for(&board->asked, PARENT_CHECK))
            if (getppid() != parent)
                _exit(0);
        board->code = serve(user, board->request, board->room);
        sem_post(&board->answered);
    }
}

/* ---- in this process ---- */

static int make_board(tn_remote *r, size_t room)
{
    *r = (tn_remote){ .size = sizeof(tn_remote_board) + room };
    void *shared = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED)
        return TN_ERROR_MEMORY;
    r->board = shared;
    sem_init(&r->board->asked, 1, 0);
    sem_init(&r->board->answered, 1, 0);
    return TN_OK;
}

int tn_remote_join(tn_remote *r, size_t room, tn_link *link)
{
    int code = make_board(r, room);
    if (code < 0)
        tn_link_close(link);
    else
        r->link = link;
    return code;
}

int tn_remote_start(tn_remote *r, size_t room, tn_remote_serve serve, void *user)
{
    TN_TRY(make_board(r, room));
    pid_t parent = getpid();
    tn_loader_lock();
    pid_t process = fork();
    if (process != 0)
        tn_loader_unlock();
    if (process == 0) {
        tn_loader_unlock();
        serve_requests(r->board, parent, serve, user);
    }
    r->process = process > 0 ? process : 0;
    if (process > 0)
        return TN_OK;
    tn_remote_stop(r);
    return TN_ERROR_FILE;
}

void *tn_remote_room(const tn_remote *r)
{
    return r->board->room;
}

bool tn_remote_runs(const tn_remote *r)
{
    return r->process > 0 || r->link;
}

/* Has the process ended? A host that ignores SIGCHLD gets no status. */
static bool has_ended(const tn_remote *r, int *status)
{
    *status = 0;
    pid_t ended = waitpid(r->process, status, WNOHANG);
    return ended == r->process || (ended < 0 && errno == ECHILD && kill(r->process, 0) != 0);
}

static void end_process(tn_remote *r)
{
    if (r->process <= 0)
        return;
    kill(r->process, SIGKILL);
    while (waitpid(r->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    r->process = 0;
}

static void explain_end(tn_remote *r, const char *name, int status)
{
    if (WIFSIGNALED(status))
        snprintf(r->trouble, sizeof r->trouble, "crashes in '%.60s' (%s)", name, strsignal(WTERMSIG(status)));
    else
        snprintf(r->trouble, sizeof r->trouble, "ends its process in '%.60s'", name);
    r->process = 0;
}

static int lose_link(tn_remote *r, const char *name)
{
    snprintf(r->trouble, sizeof r->trouble, "has lost the connection to its server in '%s'", name);
    tn_link_close(r->link);
    r->link = NULL;
    return TN_ERROR_ARGUMENT;
}

int tn_remote_send(tn_remote *r, int request, const char *name, double limit)
{
    if (r->link)
        return tn_link_send(r->link, request, r->board->room, r->length, limit) < 0 ? lose_link(r, name) : TN_OK;
    if (r->process <= 0)
        return TN_ERROR_ARGUMENT;
    r->board->request = request;
    sem_post(&r->board->asked);
    return TN_OK;
}

int tn_remote_call(tn_remote *r, int request, const char *name, double limit)
{
    TN_TRY(tn_remote_send(r, request, name, limit));
    return tn_remote_receive(r, name, limit);
}

int tn_remote_receive(tn_remote *r, const char *name, double limit)
{
    if (r->link) {
        int code = tn_link_wait(r->link, r->board->room, &r->length, r->size - sizeof *r->board, limit);
        return code == TN_ERROR_FILE ? lose_link(r, name) : code;
    }
    if (r->process <= 0)
        return TN_ERROR_ARGUMENT;
    tn_remote_board *board = r->board;
    double begin = tn_clock();
    if (spin_for(&board->answered))
        return board->code;
    while (!wait_for(&board->answered, CHILD_CHECK)) {
        int status;
        if (has_ended(r, &status)) {
            if (sem_trywait(&board->answered) == 0)
                return board->code;                    /* it has answered before it ended; the next call tells */
            explain_end(r, name, status);
            return TN_ERROR_ARGUMENT;
        }
        if (tn_clock() - begin > limit) {
            snprintf(r->trouble, sizeof r->trouble, "does not come back within %g s in '%.60s'", limit, name);
            end_process(r);
            return TN_ERROR_ARGUMENT;
        }
    }
    return board->code;
}

void tn_remote_stop(tn_remote *r)
{
    end_process(r);
    tn_link_close(r->link);
    r->link = NULL;
    if (r->board) {
        sem_destroy(&r->board->asked);
        sem_destroy(&r->board->answered);
        munmap(r->board, r->size);
    }
    r->board = NULL;
}
