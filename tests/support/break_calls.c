/* Runs a program in which the n-th system call of a kind fails: a tracer, so that calls of all libraries count, also those
 * inside the C library.
 *
 *     break_calls KIND N ERROR FILE PROGRAM [ARGUMENT...]
 *
 * KIND is write, sync, rename, map, fork, open, read, cut, remove, close, file (writes, syncs, renames, openings, cuts, removals
 * and closings) or any. N: 5 the fifth call, 5+ that one and all later, 0 none.
 * ERROR is the name of an errno, "short": the call transfers seven bytes at most, or the signal SIGKILL, SIGTERM or SIGHUP, which the
 * program gets in place of the call. Calls count from the moment on
 * that the program opens a file whose path ends in FILE, before which the loader works. Reads, writes and closings count for
 * files on disks only, not for standard streams, sockets and pipes. At the end the number of calls so far goes to the file
 * that BREAK_CALLS_COUNT names. The status is that of the program; 128 + n: a signal ended it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = 4096, SHORT = -1, SHORT_LENGTH = 7, SIGNALS = 1000 /* error SIGNALS + n: the signal n */ };

typedef struct plan {
    const char *kind, *file;
    long first;
    bool later;                /* all later calls fail, too */
    int error;
    pid_t program;
    long count;
    bool counting;
} plan;

/* Threads and children of the program, and what the call they are in shall return; 0: what the system says. */
static struct {
    pid_t id;
    bool inside;
    long result;
} threads[MOST_THREADS];

static int thread_index(pid_t id)
{
    for (int k = 0; k < MOST_THREADS; k++)
        if (threads[k].id == id || threads[k].id == 0) {
            threads[k].id = id;
            return k;
        }
    fprintf(stderr, "break_calls: too many threads\n");
    exit(125);
}

static int error_number(const char *name)
{
    static const struct { const char *name; int number; } errors[] = {
        { "ENOSPC", ENOSPC }, { "EIO", EIO }, { "EINTR", EINTR }, { "ENOMEM", ENOMEM }, { "EAGAIN", EAGAIN },
        { "EACCES", EACCES }, { "EMFILE", EMFILE }, { "EDQUOT", EDQUOT }, { "short", SHORT },
        { "SIGKILL", SIGNALS + SIGKILL }, { "SIGTERM", SIGNALS + SIGTERM }, { "SIGHUP", SIGNALS + SIGHUP } };
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
        if (strcmp(errors[k].name, name) == 0)
            return errors[k].number;
    fprintf(stderr, "break_calls: unknown error '%s'\n", name);
    exit(125);
}

/* Tells whether a descriptor is of a file on a disk, and none of the standard ones. */
static bool on_disk(pid_t id, unsigned long long descriptor)
{
    char link[64], path[16];
    snprintf(link, sizeof link, "/proc/%d/fd/%llu", (int)id, descriptor);
    ssize_t size = readlink(link, path, sizeof path);
    return descriptor > 2 && size > 1 && path[0] == '/' && memcmp(path, "/dev/", size < 5 ? (size_t)size : 5) != 0;
}

static const char *kind_of(pid_t id, const struct user_regs_struct *r)
{
    switch (r->orig_rax) {
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev:
        return on_disk(id, r->rdi) ? "write" : "";
    case SYS_read: case SYS_readv: case SYS_pread64:
        return on_disk(id, r->rdi) ? "read" : "";
    case SYS_fsync: case SYS_fdatasync: case SYS_sync_file_range:
        return "sync";
    case SYS_rename: case SYS_renameat: case SYS_renameat2: case SYS_link: case SYS_linkat:
        return "rename";
    case SYS_mmap: case SYS_mremap:
        return "map";
    case SYS_fork: case SYS_vfork: case SYS_clone3:
        return "fork";
    case SYS_clone:
        return "fork";
    case SYS_open: case SYS_openat: case SYS_creat: case SYS_mkdir: case SYS_mkdirat:
        return "open";
    case SYS_ftruncate: case SYS_fallocate:
        return "cut";
    case SYS_unlink: case SYS_unlinkat: case SYS_rmdir:
        return "remove";
    case SYS_close:
        return on_disk(id, r->rdi) ? "close" : "";
    default:
        return "";
    }
}

/* Tells whether the path at that address ends in the file's name. */
static bool opens(pid_t id, unsigned long long address, const char *file)
{
    char path[4096];
    const struct iovec here = { path, sizeof path - 1 }, there = { (void *)(uintptr_t)address, sizeof path - 1 };
    ssize_t size = process_vm_readv(id, &here, 1, &there, 1, 0);
    for (size_t room = sizeof path - 1; size <= 0 && room > 16; room /= 2) {       /* the page may end earlier */
        const struct iovec less = { path, room }, source = { (void *)(uintptr_t)address, room };
        size = process_vm_readv(id, &less, 1, &source, 1, 0);
    }
    if (size <= 0)
        return false;
    path[size] = '\0';
    size_t length = strlen(path), tail = strlen(file);
    return length >= tail && strcmp(path + length - tail, file) == 0;
}

static bool counts(const plan *p, const char *kind)
{
    static const char *const files[] = { "write", "sync", "rename", "open", "cut", "remove", "close" };
    bool file = false;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
        file |= strcmp(kind, files[k]) == 0;
    return strcmp(p->kind, "any") == 0 || strcmp(kind, p->kind) == 0 || (file && strcmp(p->kind, "file") == 0);
}

static bool fails_now(plan *p, const char *kind)
{
    if (!counts(p, kind))
        return false;
    p->count++;
    return p->first > 0 && (p->count == p->first || (p->later && p->count > p->first));
}

static void enter_call(plan *p, pid_t id, int thread)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, id, NULL, &r) < 0)
        return;
    if (!p->counting && r.orig_rax == SYS_openat)
        p->counting = opens(id, r.rsi, p->file);
    if (!p->counting || !fails_now(p, kind_of(id, &r)))
        return;
    if (p->error > SIGNALS) {
        kill(p->program, p->error - SIGNALS);
        return;
    }
    if (p->error == SHORT) {
        if (r.rdx > SHORT_LENGTH && (r.orig_rax == SYS_read || r.orig_rax == SYS_write || r.orig_rax == SYS_pread64 ||
                                     r.orig_rax == SYS_pwrite64))
            r.rdx = SHORT_LENGTH;
    } else {
        r.orig_rax = (unsigned long long)-1;           /* no call */
        threads[thread].result = -p->error;
    }
    ptrace(PTRACE_SETREGS, id, NULL, &r);
}

static void leave_call(pid_t id, int thread)
{
    struct user_regs_struct r;
    if (threads[thread].result == 0 || ptrace(PTRACE_GETREGS, id, NULL, &r) < 0)
        return;
    r.rax = (unsigned long long)threads[thread].result;
    threads[thread].result = 0;
    ptrace(PTRACE_SETREGS, id, NULL, &r);
}

/* Handles one stop; returns the signal to deliver. */
static int handle_stop(plan *p, pid_t id, int status)
{
    int thread = thread_index(id), signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
        threads[thread].inside = !threads[thread].inside;
        if (threads[thread].inside)
            enter_call(p, id, thread);
        else
            leave_call(id, thread);
        return 0;
    }
    return signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

static int trace(plan *p, pid_t child)
{
    int status, result = 125;
    if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
        return 125;
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                                    PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
    ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    for (pid_t id; (id = waitpid(-1, &status, __WALL)) > 0;) {
        if (WIFSTOPPED(status)) {
            int signal = handle_stop(p, id, status);
            ptrace(PTRACE_SYSCALL, id, NULL, (void *)(intptr_t)signal);
            continue;
        }
        threads[thread_index(id)].inside = false;
        if (id == child)
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 125;
    plan p = { .kind = argv[1], .first = atol(argv[2]), .later = strchr(argv[2], '+') != NULL,
               .error = error_number(argv[3]), .file = argv[4] };
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(argv[5], argv + 5);
        _exit(126);
    }
    p.program = child;
    int result = child > 0 ? trace(&p, child) : 125;
    const char *counted = getenv("BREAK_CALLS_COUNT");
    FILE *file = counted ? fopen(counted, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", p.count);
        fclose(file);
    }
    return result;
}
