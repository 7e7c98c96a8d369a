/* Run files: a head with the model and the settings at the start, a line "---", then one entry per line. Journals and
 * saved runs have this format. */
#ifndef TN_SESSION_RUN_FILE_H
#define TN_SESSION_RUN_FILE_H

#include "entry.h"
#include "origin.h"

enum { TN_RUN_LIMIT = 1 << 30 };       /* bytes of a file that can be read */

/* Writes the head of the session's run. TN_ERROR_ARGUMENT with a diagnostic when reading the model's texts does not
 * give the same model. */
int tn_run_head_write(tn_text *out, const tn_session *session);

/* A run file that is being read. */
typedef struct tn_run_file {
    tn_context *context;
    tn_arena *arena;           /* of the head */
    const char *path;
    char *text;
    size_t size, next;         /* next: offset of the next line */
    int line;                  /* number of the next line */
    tn_origin *origin;
    tn_setting *parameters;
    size_t parameter_count;
    tn_solve solve;
} tn_run_file;

/* Reads the head of a run file, up to the first entry. TN_ERROR_FILE or TN_ERROR_MODEL with diagnostics. The caller
 * closes the file also after an error. */
int tn_run_file_open(tn_run_file *file, tn_context *context, const char *path, char *text, size_t size);
void tn_run_file_close(tn_run_file *file);
/* Returns the next line; false at the end. A last line without a line break is incomplete, because the program ended
 * while writing it, and is ignored. */
bool tn_run_file_line(tn_run_file *file, const char **line, size_t *size, tn_span *place);
bool tn_run_file_is_last(const tn_run_file *file);

#endif
