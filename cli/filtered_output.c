/* Standard error, and standard output at a terminal, with control characters escaped. */
#define _GNU_SOURCE            /* fopencookie */
#include "filtered_output.h"
#include "tenon/sys/control_characters.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static FILE *plain_stderr;     /* stderr as the program found it */

FILE *tn_unfiltered_stderr(void)
{
    return plain_stderr ? plain_stderr : stderr;
}

void tn_reserve_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)           /* open takes the lowest number that is free */
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
            abort();
}

static ssize_t write_filtered(void *user, const char *text, size_t length)
{
    tn_write_escaped(user, text, length);
    return fflush(user) == 0 ? (ssize_t)length : -1;
}

/* NULL: out of memory. room has BUFSIZ bytes: write_filtered flushes, so that a message is one system call. */
static FILE *filter(FILE *stream, char *room, int buffering)
{
    FILE *filtered = fopencookie(stream, "w", (cookie_io_functions_t){ .write = write_filtered });
    if (!filtered)
        return NULL;
    setvbuf(filtered, NULL, buffering, BUFSIZ);
    setvbuf(stream, room, _IOFBF, BUFSIZ);
    return filtered;
}

void tn_filter_output(void)
{
    static char room[2][BUFSIZ];
    FILE *errors = filter(stderr, room[0], _IONBF);
    if (errors) {
        plain_stderr = stderr;
        stderr = errors;
    }
    FILE *answers = isatty(STDOUT_FILENO) ? filter(stdout, room[1], _IOLBF) : NULL;
    if (answers)
        stdout = answers;
}
