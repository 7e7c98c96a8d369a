#include "table.h"
#include <string.h>

static bool is_hdf5_name(const char *path)
{
    const char *ending = strrchr(tn_file_name(path), '.');
    return ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0);
}

int tn_table_open(tn_table *out, tn_context *context, tn_session *session, const char *path, bool to_stdout,
                  cJSON *diagnostics)
{
    *out = (tn_table){ .path = path };
    if (path && is_hdf5_name(path))
        return tn_diagnostics_flush(context, tn_session_record_hdf5(session, path), diagnostics);
    if (path && !(out->stream = fopen(path, "w")))
        return tn_file_failed(path);
    if (!path && to_stdout)
        out->stream = stdout;
    if (!out->stream)
        return TN_EXIT_OK;
    return tn_diagnostics_flush(context, tn_session_record_csv(session, out->stream), diagnostics);
}

int tn_table_close(tn_table *table, tn_context *context, tn_session *session, int status, cJSON *diagnostics)
{
    int code = session ? tn_session_record_end(session) : TN_OK;
    status = tn_first_failure(status, tn_diagnostics_flush(context, code, diagnostics));
    if (!table->stream || table->stream == stdout)
        return status;
    if (status != TN_EXIT_FILE)                        /* otherwise the reason is told already */
        return tn_first_failure(status, tn_file_close(table->stream, table->path));
    fclose(table->stream);
    return status;
}
