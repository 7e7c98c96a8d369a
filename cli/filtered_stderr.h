/* Standard error of the program with control characters escaped. Many messages contain file names and words of the command line,
 * which may hold escape sequences of terminals. */
#ifndef TN_CLI_FILTERED_STDERR_H
#define TN_CLI_FILTERED_STDERR_H

#include <stdio.h>

/* Replaces stderr by a stream that writes control characters as text: "\x1b". */
void tn_filter_stderr(void);
/* The original stream, for progress bars. */
FILE *tn_unfiltered_stderr(void);

#endif
