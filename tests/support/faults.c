/* File calls that fail when told to, in place of those of the C library. They go to the system directly. */
#define _GNU_SOURCE
#include "faults.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

faults test_faults;

/* Counts a call; true when it fails. */
static bool fails(fault_call call)
{
    faults *f = &test_faults;
    if (!(f->calls & call))
        return false;
    f->count++;
    if (f->first == 0 || f->count < f->first || f->count > f->last)
        return false;
    errno = f->error;
    return true;
}

ssize_t write(int file, const void *data, size_t size)
{
    bool counted = file > STDERR_FILENO;
    if (counted && test_faults.interrupted) {
        if (++test_faults.count % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        size = size > 7 ? 7 : size;
    }
    if (counted && fails(FAULT_WRITE)) {
        int error = errno;
        if (test_faults.partial && size > 1 && syscall(SYS_write, file, data, size / 2) > 0 && test_faults.first == test_faults.last)
            return (ssize_t)(size / 2);                /* the next write goes on there, and fails */
        errno = error;
        return -1;
    }
    return syscall(SYS_write, file, data, size);
}

static int sync_file(int file, long call)
{
    struct stat is;
    if (fails(FAULT_SYNC))
        return -1;
    if (fstat(file, &is) == 0 && S_ISREG(is.st_mode))
        test_faults.synced = is.st_size;
    return (int)syscall(call, file);
}

int fsync(int file)
{
    return sync_file(file, SYS_fsync);
}

int fdatasync(int file)
{
    return sync_file(file, SYS_fdatasync);
}

int rename(const char *from, const char *to)
{
    return fails(FAULT_RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int ftruncate(int file, off_t length)
{
    return fails(FAULT_CUT) ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails(FAULT_OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
