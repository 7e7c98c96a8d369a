/* The table of a run: CSV to a file or to standard output, or HDF5 by the file's name. */
#ifndef TN_CLI_TABLE_H
#define TN_CLI_TABLE_H

#include "out_file.h"

typedef struct tn_table {
    const char *path;
    tn_out_file file;
    FILE *stream;              /* of the file, or stdout; NULL: no table is written */
} tn_table;

/* Records the session's samples from here on: to path, or without one to standard output when told so. What is wrong
 * is said, and appended to diagnostics when there is such an array. Returns the exit status. */
int tn_table_open(tn_table *out, tn_context *context, tn_session *session, const char *path, bool to_stdout,
                  cJSON *diagnostics);
/* Writes all records to the file. status: of the run so far. */
int tn_table_close(tn_table *table, tn_context *context, tn_session *session, int status, cJSON *diagnostics);

#endif
