/* Runs in files: a head with the model and the settings it began with, a line "---", and entries, one a line. Journals
 * and saved runs are both of this kind. */
#ifndef TN_SESSION_RUN_FILE_H
#define TN_SESSION_RUN_FILE_H

#include "entry.h"
#include "origin.h"

enum { TN_RUN_LIMIT = 1 << 30 };       /* bytes of a file that can be read */

/* The head of the session's run. TN_ERROR_ARGUMENT with a diagnostic when the model's texts do not give its model. */
int tn_run_head_write(tn_text *out, const tn_session *session);

/* A file while it is read. */
typedef struct tn_run_file {
    tn_context *context;
    tn_arena *arena;           /* of the head */
    const char *path;
    char *text;
    size_t size, next;         /* next: where the next line begins */
    int line;                  /* its number */
    tn_origin *origin;
    tn_setting *parameters;
    size_t parameter_count;
    tn_solve solve;
} tn_run_file;

/* The file, read up to the first entry. TN_ERROR_FILE or TN_ERROR_MODEL with diagnostics. Closed in any case. */
int tn_run_file_open(tn_run_file *file, tn_context *context, const char *path, char *text, size_t size);
void tn_run_file_close(tn_run_file *file);
/* The next line; false at the end. A last line without its end was being written when the program ended: it is none. */
bool tn_run_file_line(tn_run_file *file, const char **line, size_t *size, tn_span *place);
bool tn_run_file_is_last(const tn_run_file *file);

#endif
