/* The input of a target as a file: for readers that open files themselves. */
#ifndef TEST_IN_FILE_H
#define TEST_IN_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes the bytes to a file of this process and returns its path, which is used again by the next input. */
static inline const char *input_file(const uint8_t *data, size_t size, const char *ending)
{
    static char path[64];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.20s/tenon-fuzz-%ld%s", folder ? folder : "/tmp", (long)getpid(), ending);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    return path;
}

#endif
