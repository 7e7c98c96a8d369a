/* Standard error with control characters escaped. */
#define _GNU_SOURCE            /* fopencookie */
#include "filtered_stderr.h"
#include "tenon/sys/control_characters.h"
#include <sys/types.h>

static FILE *terminal;         /* stderr as the program found it */

FILE *tn_unfiltered_stderr(void)
{
    return terminal ? terminal : stderr;
}

static ssize_t write_filtered(void *user, const char *text, size_t length)
{
    tn_write_escaped(user, text, length);
    return fflush(user) == 0 ? (ssize_t)length : -1;
}

void tn_filter_stderr(void)
{
    static char room[BUFSIZ];
    FILE *filtered = fopencookie(stderr, "w", (cookie_io_functions_t){ .write = write_filtered });
    if (!filtered)
        return;                                        /* out of memory: the program goes on with plain stderr */
    setvbuf(filtered, NULL, _IONBF, 0);
    setvbuf(stderr, room, _IOFBF, sizeof room);        /* write_filtered flushes: one system call a message */
    terminal = stderr;
    stderr = filtered;
}
