/* Runs a trial of a library in a child process and judges the outcome. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* s: TIME_LIMIT is longer than a correct component needs for a few questions. A child whose parent is gone ends after
 * ORPHAN_LIMIT: much later, so that even a slow parent is first to decide. */
enum { TIME_LIMIT = 5, ORPHAN_LIMIT = 2 * TIME_LIMIT };

static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;

void tn_loader_lock(void)
{
    pthread_mutex_lock(&loader);
}

void tn_loader_unlock(void)
{
    pthread_mutex_unlock(&loader);
}

/* ---- in the child ---- */

static void send_verdict(void *user, const tn_verdict *verdict)
{
    const int out = *(const int *)user;
    ssize_t written = write(out, verdict, sizeof *verdict);        /* atomic: less than PIPE_BUF */
    if (written != sizeof *verdict)
        _exit(1);
}

/* Makes the child silent, without core files and signal handlers of the host, and limits its time. */
static void isolate_child(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGALRM, SIGPIPE };
    const struct rlimit no_core = { 0, 0 }, time = { ORPHAN_LIMIT, ORPHAN_LIMIT };
    sigset_t none;
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        signal(signals[k], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &time);
    alarm(ORPHAN_LIMIT);
    int nowhere = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3 && nowhere >= 0; file++)
        dup2(nowhere, file);
}

/* ---- in the parent ---- */

static long milliseconds(void)
{
    return (long)(1000 * tn_clock());
}

/* Reads verdicts up to the last one. False: the time limit passed first. */
static bool receive_verdict(int in, tn_verdict *verdict)
{
    const long end = milliseconds() + 1000L * TIME_LIMIT;
    while (!verdict->done) {
        struct pollfd ready = { .fd = in, .events = POLLIN };
        long left = end - milliseconds();
        int count = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        tn_verdict next;
        if (read(in, &next, sizeof next) != sizeof next)
            return true;                                           /* the child has ended */
        *verdict = next;
    }
    return true;
}

/* Finds the error from the way the child ended, when its last verdict is not final. */
static void explain(tn_verdict *v, bool in_time, int status)
{
    char where[40];
    snprintf(where, sizeof where, strcmp(v->stage, "loading") == 0 ? "while it is loaded" : "in '%s'", v->stage);
    if (!in_time)
        snprintf(v->trouble, sizeof v->trouble, "does not come back within %d s %s", TIME_LIMIT, where);
    else if (WIFSIGNALED(status))
        snprintf(v->trouble, sizeof v->trouble, "crashes %s (%s)", where, strsignal(WTERMSIG(status)));
    else
        snprintf(v->trouble, sizeof v->trouble, "ends the program %s", where);
}

static int judge(int in, pid_t child, tn_verdict *verdict)
{
    bool in_time = receive_verdict(in, verdict);
    int status = 0;
    if (!in_time || verdict->done)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!verdict->done)
        explain(verdict, in_time, status);
    return verdict->trouble[0] ? TN_ERROR_ARGUMENT : TN_OK;
}

int tn_probe(int *states, char trouble[TN_VERDICT_TEXT], const char *path, const tn_component_setting *setting,
             const double *parameters)
{
    int ends[2];
    tn_verdict verdict = { .stage = "loading", .states = -1 };
    snprintf(trouble, TN_VERDICT_TEXT, "cannot be tried in a process of its own");
    if (pipe(ends) < 0)
        return TN_ERROR_FILE;
    tn_loader_lock();
    pid_t child = fork();
    if (child != 0)
        tn_loader_unlock();
    if (child == 0) {
        close(ends[0]);
        isolate_child();
        tn_trial(path, setting, parameters, send_verdict, &ends[1]);
        _exit(0);
    }
    close(ends[1]);
    int code = child < 0 ? TN_ERROR_FILE : judge(ends[0], child, &verdict);
    close(ends[0]);
    if (child < 0)
        return code;
    *states = verdict.states;
    memcpy(trouble, verdict.trouble, TN_VERDICT_TEXT);
    return code;
}
