/* Whole text files: read, and replaced so that there is always either the old text or the new. */
#ifndef TN_CLI_TEXT_FILE_H
#define TN_CLI_TEXT_FILE_H

#include "command.h"

enum { TN_TEXT_LIMIT = 64 << 20 };     /* bytes of a text */

/* Owned: free. "-" is standard input. What cannot be read is explained on stderr. Returns the exit status. Stops one
 * byte beyond 64 MiB, which the library refuses. */
int tn_text_file_read(char **text, size_t *size, const char *path);
/* Writes a new file, or a whole text in place of a file's: beside it first, on the disk, then renamed. Mode and
 * symbolic links stay. What is neither (a pipe, a terminal) is written to. Returns the exit status. */
int tn_text_file_replace(const char *path, const char *text);

#endif
