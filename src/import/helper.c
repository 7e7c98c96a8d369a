/* Runs tenon-cad: fork, limits, a pipe for its answer, a deadline. */
#define _XOPEN_SOURCE 700
#include "helper.h"

#include "diag.h"
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t ANSWER_LIMIT = (size_t)512 << 20;      /* bytes */
enum { MOST_ARGUMENTS = 8, MESSAGE = 300 };
enum { TN_HELPER_LATE = 1, TN_HELPER_CANCELLED };          /* why a helper was ended */
static const int LOOK_EVERY = 200;                         /* ms: whether the import is cancelled */

/* The helper's path: as given, beside this program, or its bare name for a search in PATH. */
static void helper_path(char out[PATH_MAX], const tn_machine *machine)
{
    if (machine->options->helper) {
        snprintf(out, PATH_MAX, "%s", machine->options->helper);
        return;
    }
    char own[PATH_MAX - 16];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = 0;
    char *slash = strrchr(own, '/');
    if (slash) {
        slash[1] = 0;
        snprintf(out, PATH_MAX, "%stenon-cad", own);
        if (access(out, X_OK) == 0)
            return;
    }
    snprintf(out, PATH_MAX, "tenon-cad");
}

/* In the new process: limits, then the program. Does not return. */
static void become_helper(const char *path, char *const arguments[], int out, int errors, const tn_import_options *options)
{
    struct rlimit memory = { (rlim_t)options->helper_memory, (rlim_t)options->helper_memory };
    struct rlimit time = { (rlim_t)options->helper_time + 1, (rlim_t)options->helper_time + 2 };
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(errors, 2);
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    execvp(path, arguments);
    _exit(127);
}

/* Takes the answer until its end or the deadline; the last bytes of errors go into message. */
static int take_answer(char **answer, tn_machine *machine, int out, int errors, char message[MESSAGE])
{
    size_t capacity = 0, used = 0, said = 0;
    double deadline = tn_clock() + machine->options->helper_time;
    bool open[2] = { true, true };
    int code = TN_OK;
    message[0] = 0;
    while ((open[0] || open[1]) && code >= 0) {
        struct pollfd list[2] = { { open[0] ? out : -1, POLLIN, 0 }, { open[1] ? errors : -1, POLLIN, 0 } };
        double left = deadline - tn_clock();
        if (left <= 0)
            return TN_HELPER_LATE;
        if (machine->options->cancelled && machine->options->cancelled(machine->options->user))
            return TN_HELPER_CANCELLED;
        if (poll(list, 2, left < 0.001 * LOOK_EVERY ? (int)(1000 * left) + 1 : LOOK_EVERY) < 0 && errno != EINTR)
            return TN_ERROR_FILE;
        if (list[0].revents) {
            code = tn_grow(machine->context, answer, &capacity, used + 65536 + 1, 1);
            ssize_t got = code < 0 ? 0 : read(out, *answer + used, capacity - used - 1);
            open[0] = got > 0;
            used += got > 0 ? (size_t)got : 0;
            if (*answer)
                (*answer)[used] = 0;
            if (used > ANSWER_LIMIT)
                code = TN_ERROR_FILE;
        }
        if (list[1].revents) {
            char text[256];
            ssize_t got = read(errors, text, sizeof text);
            open[1] = got > 0;
            for (ssize_t i = 0; i < got && said + 1 < MESSAGE; i++)
                message[said++] = text[i] == '\n' ? ' ' : text[i];
            message[said] = 0;
        }
    }
    return code;
}

static int judge(tn_machine *machine, tn_span place, int code, int status, const char *answer, const char *message)
{
    size_t length = answer ? strlen(answer) : 0;
    bool whole = length >= 4 && strcmp(answer + length - 4, "end\n") == 0;
    if (code == TN_ERROR_MEMORY)
        return code;
    if (code == TN_HELPER_CANCELLED)
        return tn_fail(machine->context, TN_ERROR_FILE, place, "the import was cancelled");
    if (code > 0)
        return tn_fail(machine->context, TN_ERROR_FILE, place, "tenon-cad was ended after %g s; --time-limit gives it more",
                       machine->options->helper_time);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && whole && code == TN_OK)
        return TN_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return tn_fail(machine->context, TN_ERROR_FILE, place, "needs the program tenon-cad, which is not there: install "
                       "libocct-data-exchange-dev and libocct-ocaf-dev and build again");
    bool memory = strstr(message, "bad_alloc") || strstr(message, "out of memory");
    return tn_fail(machine->context, TN_ERROR_FILE, place, "tenon-cad failed%s%s%s", WIFSIGNALED(status)
                   ? " (it was ended by a signal or ran out of memory; --memory-limit gives it more)" : memory
                   ? " (it ran out of memory; --memory-limit gives it more)" : "", message[0] ? ": " : "", message);
}

int tn_helper_run(char **answer, tn_machine *machine, const char *const *arguments, tn_span place)
{
    char path[PATH_MAX], message[MESSAGE], *words[MOST_ARGUMENTS + 2];
    int out[2], errors[2], status = 0, count = 1;
    helper_path(path, machine);
    words[0] = path;
    for (; arguments[count - 1] && count <= MOST_ARGUMENTS; count++)
        words[count] = (char *)(uintptr_t)arguments[count - 1];
    words[count] = NULL;
    if (pipe(out) != 0)
        return tn_fail(machine->context, TN_ERROR_FILE, place, "tenon-cad cannot be started: %s", strerror(errno));
    if (pipe(errors) != 0) {
        close(out[0]);
        close(out[1]);
        return tn_fail(machine->context, TN_ERROR_FILE, place, "tenon-cad cannot be started: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child == 0)
        become_helper(path, words, out[1], errors[1], machine->options);
    close(out[1]);
    close(errors[1]);
    *answer = NULL;
    int code = child > 0 ? take_answer(answer, machine, out[0], errors[0], message) : TN_ERROR_FILE;
    close(out[0]);
    close(errors[0]);
    if (child > 0) {
        if (code != TN_OK)
            kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    code = judge(machine, place, code, status, *answer, message);
    if (code < 0) {
        tn_free(machine->context, *answer);
        *answer = NULL;
    }
    return code;
}

int tn_helper_folder(char path[64], tn_machine *machine, tn_span place)
{
    snprintf(path, 64, "/tmp/tenon-cad-XXXXXX");
    if (mkdtemp(path))
        return TN_OK;
    return tn_fail(machine->context, TN_ERROR_FILE, place, "no temporary folder can be made: %s", strerror(errno));
}

/* A whole answer of an earlier run; NULL: there is none. */
static char *read_kept(tn_machine *machine, const char *folder)
{
    char path[PATH_MAX], *data = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%.*s/answer", PATH_MAX - 16, folder);
    if (access(path, R_OK) != 0)
        return NULL;
    tn_report_mark mark = tn_report_now(machine->context);
    int code = tn_file_read(&data, &size, machine->context, path, TN_NOWHERE, NULL, ANSWER_LIMIT);
    tn_report_forget(machine->context, mark);
    if (code >= 0 && size >= 4 && strcmp(data + size - 4, "end\n") == 0)
        return data;
    tn_free(machine->context, data);
    return NULL;
}

/* Runs the helper into a folder of the cache, which appears complete or not at all. */
static int run_into_cache(char **answer, tn_machine *machine, const char *folder, const char *word, const char *file, tn_span place)
{
    char work[PATH_MAX], path[PATH_MAX];
    snprintf(work, sizeof work, "%.*s-XXXXXX", PATH_MAX - 16, folder);
    mkdir(machine->options->cache, 0755);
    if (!mkdtemp(work))
        return tn_fail(machine->context, TN_ERROR_FILE, place, "'%s' cannot be written: %s", machine->options->cache,
                       strerror(errno));
    int code = tn_helper_run(answer, machine, (const char *const[]){ word, file, work, NULL }, place);
    snprintf(path, sizeof path, "%.*s/answer", PATH_MAX - 16, work);
    if (code >= 0)
        code = tn_file_replace(machine->context, path, *answer, strlen(*answer));
    if (code < 0 || rename(work, folder) != 0)
        tn_helper_remove(work);
    return code;
}

int tn_helper_ask(char **answer, char folder[PATH_MAX], tn_machine *machine, const char *word, const char *file, tn_span place)
{
    if (!machine->options->cache) {
        TN_TRY(tn_helper_folder(folder, machine, place));
        return tn_helper_run(answer, machine, (const char *const[]){ word, file, folder, NULL }, place);
    }
    snprintf(folder, PATH_MAX, "%.3800s/%s-%016llx", machine->options->cache, word, (unsigned long long)machine->hash);
    *answer = read_kept(machine, folder);
    return *answer ? TN_OK : run_into_cache(answer, machine, folder, word, file, place);
}

void tn_helper_answered(const tn_machine *machine, const char *folder)
{
    if (!machine->options->cache)
        tn_helper_remove(folder);
}

void tn_helper_remove(const char *path)
{
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list)); ) {
        char inside[PATH_MAX];
        snprintf(inside, sizeof inside, "%.*s/%s", PATH_MAX - 300, path, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(inside);
    }
    if (list)
        closedir(list);
    rmdir(path);
}
