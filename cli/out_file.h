/* Files that commands write: whole or not at all. The bytes go to "PATH.part"; finishing renames it to PATH. */
#ifndef TN_CLI_OUT_FILE_H
#define TN_CLI_OUT_FILE_H

#include "output.h"

typedef struct tn_out_file {
    FILE *stream;              /* NULL: not open */
    char *target;              /* the file that is replaced; a link leads to it */
    char *part;                /* where the bytes go; NULL: straight to the target, which is a pipe or a device */
} tn_out_file;

/* Opens the file that will replace path. Pipes and devices are written directly, and so are files in folders where nothing
 * can be created. Says on stderr what is wrong, also when another program is writing the same file; returns the exit
 * status. */
int tn_out_open(tn_out_file *out, const char *path);
/* The name under which the bytes are written, for libraries that open files themselves. */
const char *tn_out_name(const tn_out_file *out);
/* Brings the bytes to the disk and the file to its place; what did not arrive is an error, and the old file stays. Returns the
 * exit status. Does nothing when the file is not open. */
int tn_out_finish(tn_out_file *out);
/* Gives up after an error that was told already: the old file stays. keep: the part stays as well, and is told. */
void tn_out_abandon(tn_out_file *out, bool keep);

/* The file that an option names must not replace what the command reads: the operand of the command, and the files of the model;
 * either may be NULL. States pass no model: a model may include the state that its last run has left. Says on stderr what is wrong;
 * returns the exit status. */
int tn_out_check(const char *command, const char *option, const char *path, const char *operand, const tn_model *model);

/* Writes the state of a session to an open file, which is finished, or given up after an error. Returns the exit status. */
int tn_state_write(tn_out_file *out, tn_context *context, tn_session *session, cJSON *diagnostics);

#endif
