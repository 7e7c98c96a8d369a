/* The table of a run: CSV or HDF5, in a file or on stdout. */
#include "table.h"
#include <string.h>

static bool is_hdf5_name(const char *path)
{
    const char *ending = strrchr(tn_file_name(path), '.');
    return ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0);
}

static int record(tn_table *out, tn_context *context, tn_session *session, cJSON *diagnostics)
{
    bool hdf5 = out->path && is_hdf5_name(out->path);
    int code = hdf5 ? tn_session_record_hdf5(session, tn_out_name(&out->file))
                    : tn_session_record_csv(session, out->stream);
    int status = tn_diagnostics_flush(context, code, diagnostics);
    if (status != TN_EXIT_OK && out->path)
        tn_out_abandon(&out->file, false);
    return status;
}

int tn_table_open(tn_table *out, tn_context *context, tn_session *session, const char *path, bool to_stdout,
                  cJSON *diagnostics)
{
    const bool dash = path && strcmp(path, "-") == 0;
    if (dash && !to_stdout) {
        fprintf(stderr, "tenon: --output -: standard output is taken by --json or --hash\n");
        return TN_EXIT_USAGE;
    }
    path = dash ? NULL : path;
    *out = (tn_table){ .path = path };
    int status = path ? tn_out_open(&out->file, path) : TN_EXIT_OK;
    if (status != TN_EXIT_OK || (!path && !to_stdout))
        return status;
    out->stream = path ? out->file.stream : stdout;
    return record(out, context, session, diagnostics);
}

int tn_table_close(tn_table *table, tn_context *context, tn_session *session, int status, cJSON *diagnostics)
{
    int code = session ? tn_session_record_end(session) : TN_OK;
    status = tn_first_failure(status, tn_diagnostics_flush(context, code, diagnostics));
    if (status != TN_EXIT_FILE)                        /* otherwise the reason is told already */
        return tn_first_failure(status, tn_out_finish(&table->file));
    tn_out_abandon(&table->file, true);
    return status;
}
