/* Tables of channel values as HDF5 files, from a client or from the snapshots of the session. */
#include "history_table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LIMIT = 1 << 29, MOST_NUMBERS = 1 << 25, FIRST_ROWS = 1 << 10 };

char *tn_history_table_bytes(size_t *size, tn_context *context, const tn_results_table *table, const char *folder)
{
    char path[TN_PATH_SIZE];
    snprintf(path, sizeof path, "%.4000s/table-XXXXXX", folder);
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    close(file);
    char *bytes = tn_results_write_hdf5(context, path, table) >= 0 ? tn_file_load(size, path, FILE_LIMIT) : NULL;
    unlink(path);
    return bytes;
}

/* ---- the past of a session ---- */

/* A table that is computed slice by slice; its first channel is the time. */
typedef struct gathering {
    tn_download *download;
    long revision;             /* of the session: another one, and it ends there */
    char model[256];
    int dimension;
    size_t count, rows, capacity;
    tn_channel *channels;      /* own their texts */
    double **columns;
    double until;              /* s of wall time: end of this slice */
    bool full;
} gathering;

static void free_gathering(gathering *g)
{
    for (size_t k = 0; k < g->count; k++) {
        free((char *)g->channels[k].name);
        free((char *)g->channels[k].unit);
        free(g->columns[k]);
    }
    free(g->channels);
    free(g->columns);
    free(g);
}

static void finish_gathering(gathering *g)
{
    tn_download *d = g->download;
    free_gathering(g);
    tn_download_finish(d);
}

static bool add_channel(gathering *g, tn_channel channel)
{
    tn_channel *copy = &g->channels[g->count];
    *copy = (tn_channel){ strdup(channel.name), strdup(channel.unit) };
    g->columns[g->count++] = NULL;
    return copy->name && copy->unit;
}

/* Outputs that edits have taken away are still among the recorded. */
static bool is_there(tn_session *session, const char *channel)
{
    double value;
    bool there = tn_session_value(&value, session, channel) >= 0;
    tn_diagnostics_clear(tn_session_context(session));
    return there;
}

/* Time, and the outputs of the model or all that there is. */
static bool choose_channels(gathering *g, tn_session *session)
{
    size_t recorded = tn_session_recorded_count(session), all = tn_session_channel_count(session);
    g->channels = calloc(TN_MOST_CHANNELS + 1, sizeof *g->channels);
    g->columns = calloc(TN_MOST_CHANNELS + 1, sizeof *g->columns);
    bool good = g->channels && g->columns && add_channel(g, (tn_channel){ "t", "s" });
    for (size_t k = 1; k < recorded && good && g->count <= TN_MOST_CHANNELS; k++)
        if (is_there(session, tn_session_recorded(session, k).name))
            good = add_channel(g, tn_session_recorded(session, k));
    bool none = g->count == 1;
    for (size_t k = 0; none && k < all && good && g->count <= TN_MOST_CHANNELS; k++)
        good = add_channel(g, tn_session_channel(session, k));
    return good;
}

static bool make_room(gathering *g)
{
    size_t rows = g->capacity > 0 ? 2 * g->capacity : FIRST_ROWS;
    for (size_t k = 0; k < g->count; k++) {
        double *more = rows * g->count <= MOST_NUMBERS ? realloc(g->columns[k], rows * sizeof *more) : NULL;
        if (!more)
            return false;
        g->columns[k] = more;
    }
    g->capacity = rows;
    return true;
}

static int add_row(void *user, double time, const double *values)
{
    gathering *g = user;
    if (g->rows == g->capacity && !make_room(g)) {
        g->full = true;
        return 1;
    }
    g->columns[0][g->rows] = time;
    for (size_t k = 1; k < g->count; k++)
        g->columns[k][g->rows] = values[k - 1];
    g->rows++;
    return tn_clock() >= g->until;
}

static int look_back(gathering *g, tn_session *session)
{
    static const double PATIENCE = 0.02;               /* s that the solver waits at a time */
    const char *names[TN_MOST_CHANNELS];
    for (size_t k = 1; k < g->count; k++)
        names[k - 1] = g->channels[k].name;
    g->until = tn_clock() + PATIENCE;
    double since = g->rows > 0 ? nextafter(g->columns[0][g->rows - 1], INFINITY) : -INFINITY;
    return tn_session_look_back(session, names, g->count - 1, &(tn_looking){ since, add_row, g });
}

/* At the worker. */
static void write_file(void *user)
{
    gathering *g = user;
    tn_download *d = g->download;
    tn_context *context = tn_context_create(NULL);
    const tn_results_table table = { g->model,  g->dimension, g->channels, (const double *const *)g->columns,
                                     g->count, g->rows };
    if (context)
        d->bytes = tn_history_table_bytes(&d->size, context, &table, d->studio->options.state);
    tn_context_destroy(context);
    finish_gathering(g);
}

static int gather(void *user, tn_session *session);

/* At the worker: the solver has its turn before it is asked for more. */
static void ask_for_more(void *user)
{
    gathering *g = user;
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    if (tn_runner_send(g->download->studio->hub.runner, gather, g) < 0)
        finish_gathering(g);
}

static int gather(void *user, tn_session *session)
{
    gathering *g = user;
    bool same = session && tn_session_revision(session) == g->revision;
    int code = same ? look_back(g, session) : TN_OK;
    if (code < 0)
        tn_diagnostics_clear(tn_session_context(session));
    bool more = code == TN_NEWS_INTERRUPTED && !g->full;
    if (code < 0 || !session || !tn_worker_submit(&g->download->studio->worker, more ? ask_for_more : write_file, g))
        finish_gathering(g);
    return TN_OK;
}

int tn_history_table_begin(void *user, tn_session *session)
{
    tn_download *d = user;
    gathering *g = session ? calloc(1, sizeof *g) : NULL;
    if (!g) {
        tn_download_finish(d);
        return TN_OK;
    }
    const tn_model *model = tn_session_model(session);
    *g = (gathering){ .download = d, .revision = tn_session_revision(session), .dimension = tn_model_dimension(model) };
    snprintf(g->model, sizeof g->model, "%s", tn_model_name(model) ? tn_model_name(model) : "");
    if (choose_channels(g, session))
        return gather(g, session);
    finish_gathering(g);
    return TN_OK;
}
