/* Reads recorded channels from a file of results, or records them while a model runs. */
#include "recording.h"
#include "interrupt.h"
#include "progress.h"
#include <stdlib.h>
#include <string.h>

/* Rows as they come from the session. */
typedef struct collector {
    double *rows;
    size_t columns, count, capacity;
    tn_progress progress;
} collector;

static bool ends_in(const char *path, const char *const *endings)
{
    const char *dot = strrchr(tn_file_name(path), '.');
    for (; dot && *endings; endings++)
        if (strcmp(dot, *endings) == 0)
            return true;
    return false;
}

bool tn_path_is_model(const char *path)
{
    return ends_in(path, (const char *const[]){ ".yaml", ".yml", ".json", NULL });
}

bool tn_path_is_results(const char *path)
{
    return ends_in(path, (const char *const[]){ ".csv", ".h5", ".hdf5", NULL });
}

static void take_sample(void *user, const double *values, size_t count)
{
    collector *c = user;
    if (c->count == c->capacity) {
        c->capacity = c->capacity > 0 ? 2 * c->capacity : 1024;
        double *more = realloc(c->rows, c->capacity * c->columns * sizeof *more);
        if (!more)
            exit(tn_out_of_memory());
        c->rows = more;
    }
    memcpy(c->rows + c->count++ * c->columns, values, count * sizeof *values);
}

static int after_step(void *user, const tn_session *session)
{
    collector *c = user;
    tn_progress_update(&c->progress, tn_session_time(session));
    return tn_interrupted();
}

static void allocate_columns(tn_recording *r)
{
    r->channels = tn_allocate(r->columns, sizeof *r->channels);
    r->values = tn_allocate(r->columns, sizeof *r->values);
}

/* Rows into columns. */
static void keep_samples(tn_recording *r, const collector *c)
{
    r->rows = c->count;
    r->samples = tn_allocate(r->rows * r->columns, sizeof *r->samples);
    for (size_t k = 0; k < r->columns; k++) {
        r->values[k] = r->samples + k * r->rows;
        for (size_t i = 0; i < r->rows; i++)
            r->samples[k * r->rows + i] = c->rows[i * r->columns + k];
    }
}

static int run_model(tn_recording *r, tn_context *context, double until, bool progress, cJSON *diagnostics)
{
    int code = tn_model_read(&r->model, context, r->path);
    tn_solve solve = { 0 };
    if (code >= 0) {
        solve = tn_model_solve(r->model);
        solve.until = until > 0 ? until : solve.until;
        code = tn_session_open(&r->session, r->model, &solve);
    }
    int status = tn_diagnostics_flush(context, code, diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    r->columns = tn_session_recorded_count(r->session);
    allocate_columns(r);
    for (size_t k = 0; k < r->columns; k++)
        r->channels[k] = tn_session_recorded(r->session, k);
    collector c = { .columns = r->columns };
    tn_interrupt_catch();
    tn_session_on_sample(r->session, take_sample, &c);
    tn_session_on_step(r->session, after_step, &c);
    c.progress = tn_progress_start(progress, solve.until);
    code = tn_session_run(r->session);
    tn_progress_end(&c.progress);
    keep_samples(r, &c);
    free(c.rows);
    return tn_diagnostics_flush(context, code, diagnostics);
}

static int read_results(tn_recording *r, tn_context *context, cJSON *diagnostics)
{
    int status = tn_diagnostics_flush(context, tn_results_read(&r->results, context, r->path), diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    r->rows = tn_results_rows(r->results);
    r->columns = tn_results_columns(r->results);
    allocate_columns(r);
    for (size_t k = 0; k < r->columns; k++) {
        r->channels[k] = tn_results_column(r->results, k);
        r->values[k] = tn_results_values(r->results, k);
    }
    return TN_EXIT_OK;
}

int tn_recording_open(tn_recording *out, tn_context *context, const char *path, double until, bool progress,
                      cJSON *diagnostics)
{
    *out = (tn_recording){ .path = path };
    int status = tn_path_is_model(path) ? run_model(out, context, until, progress, diagnostics)
                                        : read_results(out, context, diagnostics);
    int time = tn_recording_find(out, "t");
    out->time = time >= 0 ? (size_t)time : 0;
    return status;
}

void tn_recording_close(tn_recording *recording)
{
    tn_results_destroy(recording->results);
    tn_session_close(recording->session);
    tn_model_destroy(recording->model);
    free(recording->channels);
    free(recording->values);
    free(recording->samples);
    *recording = (tn_recording){ 0 };
}

int tn_recording_find(const tn_recording *recording, const char *name)
{
    for (size_t k = 0; k < recording->columns; k++)
        if (strcmp(recording->channels[k].name, name) == 0)
            return (int)k;
    return -1;
}
