/* The process of an FMU: a fork of this one, so no second program has to be found. Both share a board with two semaphores; a call
 * that does not come back, and a process that ends, become messages. */
#define _GNU_SOURCE                /* close_range */
#include "fmi_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "probe.h"

static size_t value_count(const tn_fmi *fmi)
{
    const tn_fmi_facts *f = &fmi->facts;
    const size_t unknowns = (size_t)(f->outputs + f->states), knowns = (size_t)(f->inputs + f->states);
    return (size_t)(2 * f->inputs + 2 * f->states + f->outputs + f->indicators) + unknowns * knowns;
}

size_t tn_fmi_board_size(const tn_fmi *fmi)
{
    return sizeof(tn_fmi_board) + value_count(fmi) * sizeof(double);
}

tn_fmi_arrays tn_fmi_arrays_of(const tn_fmi *fmi, tn_fmi_board *board)
{
    const tn_fmi_facts *f = &fmi->facts;
    tn_fmi_arrays a = { .u = (double *)(void *)(board + 1) };
    a.u_rates = a.u + f->inputs;
    a.x = a.u_rates + f->inputs;
    a.rates = a.x + f->states;
    a.y = a.rates + f->states;
    a.indicators = a.y + f->outputs;
    a.D = a.indicators + f->indicators;
    return a;
}

/* In the child: silent, without core files, signal handlers and open files of the host. */
static void isolate(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGALRM, SIGPIPE };
    const struct rlimit no_core = { 0, 0 };
    sigset_t none;
    for (size_t k = 0; k < TN_LENGTH(signals); k++)
        signal(signals[k], SIG_DFL);
    signal(SIGINT, SIG_IGN);                           /* Ctrl-C is for the host, which ends this process */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
    int nowhere = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3 && nowhere >= 0; file++)
        dup2(nowhere, file);
    close_range(3, ~0U, 0);
}

static int start_process(tn_fmi *fmi, char *trouble)
{
    TN_TRY(tn_fmi_package_unpack(fmi, trouble));
    fmi->board_size = tn_fmi_board_size(fmi);
    void *memory = mmap(NULL, fmi->board_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        snprintf(trouble, TN_FMI_TROUBLE, "no memory for the process of '%.100s'", fmi->path);
        return TN_ERROR_STEP;
    }
    fmi->board = memory;
    fmi->at = tn_fmi_arrays_of(fmi, fmi->board);
    sem_init(&fmi->board->ask, 1, 0);
    sem_init(&fmi->board->answer, 1, 0);
    snprintf(fmi->board->function, sizeof fmi->board->function, "loading");
    tn_loader_lock();
    pid_t child = fork();
    if (child != 0)
        tn_loader_unlock();
    if (child == 0) {
        isolate();
        tn_fmi_guest(fmi, fmi->board);
    }
    if (child < 0) {
        munmap(fmi->board, fmi->board_size);
        fmi->board = NULL;
        snprintf(trouble, TN_FMI_TROUBLE, "no process can be started for '%.100s'", fmi->path);
        return TN_ERROR_STEP;
    }
    fmi->process = child;
    return TN_OK;
}

/* The process is gone: nothing in it is left. */
static void forget_process(tn_fmi *fmi)
{
    memset(fmi->live, 0, sizeof fmi->live);
    for (size_t k = 0; k < fmi->snapshot_count; k++)
        fmi->snapshots[k].slot = -1;
    fmi->slots_used = 0;
    fmi->process = 0;
    if (fmi->board)
        munmap(fmi->board, fmi->board_size);
    fmi->board = NULL;
}

static void kill_process(tn_fmi *fmi)
{
    int status;
    kill(fmi->process, SIGKILL);
    while (waitpid(fmi->process, &status, 0) < 0 && errno == EINTR)
        continue;
    forget_process(fmi);
}

/* Waits for the answer. Returns TN_OK, or TN_ERROR_STEP with the reason: no answer in time, or the process has ended. */
static int wait_answer(tn_fmi *fmi, double limit, char *trouble)
{
    enum { SLICE = 20 };                               /* ms between two looks at the process */
    const double end = tn_clock() + limit;
    for (;;) {
        struct timespec until;
        int status;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += SLICE * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (sem_clockwait(&fmi->board->answer, CLOCK_MONOTONIC, &until) == 0)
            return TN_OK;
        if (waitpid(fmi->process, &status, WNOHANG) == fmi->process) {
            if (sem_trywait(&fmi->board->answer) == 0 && fmi->board->call == TN_FMI_END)
                status = 0;
            snprintf(trouble, TN_FMI_TROUBLE, WIFSIGNALED(status) ? "crashes in %s (%s)" : "ends its process in %s%s",
                     fmi->board->function, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
            forget_process(fmi);
            memcpy(fmi->dead, trouble, sizeof fmi->dead);
            return TN_ERROR_STEP;
        }
        if (tn_clock() > end) {
            snprintf(trouble, TN_FMI_TROUBLE, "does not come back within %g s from %s", limit, fmi->board->function);
            kill_process(fmi);
            memcpy(fmi->dead, trouble, sizeof fmi->dead);
            return TN_ERROR_STEP;
        }
    }
}

int tn_fmi_ask(tn_fmi *fmi, tn_fmi_call call, char *trouble)
{
    if (!fmi->process)
        return TN_ERROR_STEP;
    fmi->board->call = call;
    fmi->board->code = TN_OK;
    fmi->board->lost = false;
    fmi->board->message[0] = '\0';
    sem_post(&fmi->board->ask);
    TN_TRY(wait_answer(fmi, fmi->limit, trouble));
    if (fmi->board->lost)
        fmi->live[fmi->board->instance] = (tn_fmi_live){ 0 };
    if (fmi->board->code < 0)
        snprintf(trouble, TN_FMI_TROUBLE, "%s", fmi->board->message);
    return fmi->board->code;
}

int tn_fmi_process_begin(tn_fmi *fmi, char *trouble)
{
    if (fmi->dead[0]) {
        snprintf(trouble, TN_FMI_TROUBLE, "%s", fmi->dead);
        return TN_ERROR_STEP;
    }
    return fmi->process ? TN_OK : start_process(fmi, trouble);
}

void tn_fmi_process_end(tn_fmi *fmi)
{
    static const double patience = 2;                  /* s: for an FMU that is told to end */
    char trouble[TN_FMI_TROUBLE];
    if (!fmi->process)
        return;
    fmi->board->call = TN_FMI_END;
    sem_post(&fmi->board->ask);
    if (wait_answer(fmi, patience < fmi->limit ? patience : fmi->limit, trouble) == TN_OK)
        kill_process(fmi);
}
