/* Standard error of the program, and standard output where it is a terminal, with control characters escaped. Many messages
 * and answers contain file names and words of the command line, which may hold escape sequences of terminals. */
#ifndef TN_CLI_FILTERED_OUTPUT_H
#define TN_CLI_FILTERED_OUTPUT_H

#include <stdio.h>

/* To be called before any file is opened. A program that is started with closed standard files would get their numbers for its own
 * files, and write its messages into them. Writing to such a stream fails, as it would without this. */
void tn_reserve_standard_files(void);
/* Replaces stderr, and stdout at a terminal, by streams that write control characters as text: "\x1b". */
void tn_filter_output(void);
/* The original stderr, for progress bars. */
FILE *tn_unfiltered_stderr(void);

#endif
