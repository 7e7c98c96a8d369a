/* Result tables: reading by file format, access to columns, writing. */
#include "diag.h"
#include "results_impl.h"
#include "sink.h"
#include <string.h>
#include <sys/stat.h>

/* Only a regular file can be opened twice; data from a pipe is text. */
static bool is_hdf5(const char *path)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char first[sizeof signature - 1];
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return false;
    bool same = fread(first, 1, sizeof first, in) == sizeof first && memcmp(first, signature, sizeof first) == 0;
    fclose(in);
    return same;
}

static int read_table(tn_results *r, const char *path)
{
    r->arena = tn_arena_create(r->context);
    if (r->arena == NULL)
        return TN_ERROR_MEMORY;
    r->path = tn_arena_strdup(r->arena, path);
    if (r->path == NULL)
        return TN_ERROR_MEMORY;
    bool on_disk = !tn_context_in_memory(r->context) && tn_context_may_read(r->context, path);
    return on_disk && is_hdf5(path) ? tn_hdf5_read(r) : tn_csv_read(r);
}

int tn_results_read(tn_results **out, tn_context *context, const char *path)
{
    *out = NULL;
    tn_results *r = tn_alloc(context, 1, sizeof *r);
    if (r == NULL)
        return TN_ERROR_MEMORY;
    r->context = context;
    int code = read_table(r, path);
    if (code < 0)
        tn_results_destroy(r);
    else
        *out = r;
    return code;
}

void tn_results_destroy(tn_results *r)
{
    if (r == NULL)
        return;
    tn_free(r->context, r->values);
    if (r->arena != NULL)
        tn_arena_destroy(r->arena);
    tn_free(r->context, r);
}

size_t tn_results_rows(const tn_results *r)
{
    return r->rows;
}

size_t tn_results_columns(const tn_results *r)
{
    return r->columns;
}

tn_channel tn_results_column(const tn_results *r, size_t index)
{
    return r->channels[index];
}

const double *tn_results_values(const tn_results *r, size_t index)
{
    return r->values + index * r->stride;
}

int tn_results_find(const tn_results *r, const char *name)
{
    for (size_t k = 0; k < r->columns; k++)
        if (strcmp(r->channels[k].name, name) == 0)
            return (int)k;
    return -1;
}

static const char *column_candidate(void *user, size_t index)
{
    const tn_results *r = user;
    return index < r->columns ? r->channels[index].name : NULL;
}

int tn_results_require(const tn_results *r, const char *name)
{
    int column = tn_results_find(r, name);
    if (column >= 0)
        return column;
    char hint[160];
    return tn_fail(r->context, TN_ERROR_ARGUMENT, ((tn_span){ r->path, 0, 0 }), "there is no column '%.80s'%s", name,
                   tn_did_you_mean(hint, sizeof hint, name, column_candidate, (void *)r));
}

const char *tn_results_model(const tn_results *r)
{
    return r->model;
}

/* ---- writing ---- */

int tn_results_write_hdf5(tn_context *context, const char *path, const tn_results_table *table)
{
    const tn_sink_header header = { .channels = table->channels, .count = table->count, .model = table->model,
                                    .dimension = table->dimension };
    tn_sink *sink;
    double *row = tn_alloc(context, table->count, sizeof *row);
    int code = row != NULL ? tn_sink_open_hdf5(&sink, context, path, &header) : TN_ERROR_MEMORY;
    if (code < 0) {
        tn_free(context, row);
        return code;
    }
    for (size_t i = 0; i < table->rows && code >= 0; i++) {
        for (size_t k = 0; k < table->count; k++)
            row[k] = table->columns[k][i];
        code = sink->type->row(sink, row);
    }
    int closed = sink->type->close(sink);
    tn_free(context, row);
    return code < 0 ? code : closed;
}
