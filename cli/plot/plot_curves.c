/* Chooses the columns of recordings that are drawn, and makes curves of them. */
#include "plot_curves.h"
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256, RATES = 3 };

/* The channels to be drawn, each once, in the order asked for. */
typedef struct selection {
    const char **names;
    size_t count;
} selection;

static bool selected(const selection *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    return false;
}

static bool is_pattern_of(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* "crank", "crank.position" and "*.position" stand for "crank.position.x". */
static bool is_group_of(const char *pattern, const char *name)
{
    char group[NAME_SIZE];
    bool found = false;
    for (const char *dot = strchr(name, '.'); dot && !found; dot = strchr(dot + 1, '.')) {
        snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
        found = is_pattern_of(pattern, group);
    }
    return found;
}

static size_t all_columns(const tn_recording *recordings, size_t count)
{
    size_t columns = 0;
    for (size_t r = 0; r < count; r++)
        columns += recordings[r].columns;
    return columns;
}

static int no_channel(const tn_recording *recordings, size_t count, const char *name)
{
    const char **names = tn_allocate(all_columns(recordings, count), sizeof *names);
    size_t known = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < recordings[r].columns; k++)
            names[known++] = recordings[r].channels[k].name;
    const char *near = tn_nearest_text(name, names, known);
    bool model = recordings[0].model != NULL;
    fprintf(stderr, "tenon plot: no channel '%s' %s '%s'%s", name, model ? "among the outputs of" : "in",
            recordings[0].path, count > 1 ? " and the other files" : "");
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    else if (model)
        fprintf(stderr, "; it may have to be added there");
    fputc('\n', stderr);
    free(names);
    return TN_EXIT_USAGE;
}

/* Adds the channels for which the pattern holds; the time only by its full name. Returns whether there are any. */
static bool add_matches(selection *s, const tn_recording *recordings, size_t count, const char *pattern,
                        bool (*holds)(const char *pattern, const char *name))
{
    bool any = false;
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < recordings[r].columns; k++) {
            const char *name = recordings[r].channels[k].name;
            if (!holds(pattern, name) || (k == recordings[r].time && strcmp(pattern, name) != 0))
                continue;
            any = true;
            if (!selected(s, name))
                s->names[s->count++] = name;
        }
    return any;
}

/* A channel's full name is that channel alone, although it may be the group of its rate too. */
static int select_pattern(selection *s, const tn_recording *recordings, size_t count, const char *pattern)
{
    bool any = add_matches(s, recordings, count, pattern, is_pattern_of) ||
               add_matches(s, recordings, count, pattern, is_group_of);
    return any ? TN_EXIT_OK : no_channel(recordings, count, pattern);
}

static bool is_other(const char *across, const char *name)
{
    return strcmp(across, name) != 0;
}

static int select_channels(selection *s, const tn_recording *recordings, size_t count, const tn_plot_request *request)
{
    s->names = tn_allocate(all_columns(recordings, count), sizeof *s->names);
    if (request->channel_count == 0) {
        if (request->kind == TN_PLOT_PHASE) {
            fputs("tenon plot: --phase needs the name of a coordinate: --phase pivot.angle\n", stderr);
            return TN_EXIT_USAGE;
        }
        add_matches(s, recordings, count, request->against ? request->against : "", is_other);
        return TN_EXIT_OK;
    }
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < request->channel_count && status == TN_EXIT_OK; i++)
        status = select_pattern(s, recordings, count, request->channels[i]);
    return status;
}

/* The rows that the request wants: from the first, how many. */
static size_t rows_wanted(size_t *first, const tn_recording *r, const tn_plot_request *request)
{
    const double round_off = 1e-9;     /* relative: times are sums of steps */
    const double *t = r->values[r->time], from = request->from * (1 - round_off);
    const double until = request->until > 0 ? request->until * (1 + round_off) : INFINITY;
    size_t end = 0;
    for (*first = 0; *first < r->rows && !(t[*first] >= from); (*first)++)
        ;
    for (end = *first; end < r->rows && !(t[end] > until); end++)
        ;
    return end - *first;
}

/* Names that the rate of a coordinate may have, the likeliest first; returns how many. */
static size_t rate_names(char names[RATES][NAME_SIZE], const char *coordinate)
{
    size_t count = 0;
    const char *last = strrchr(coordinate, '.'), *position = strstr(coordinate, ".position.");
    int stem = last ? (int)(last - coordinate) : 0;
    if (position)
        snprintf(names[count++], NAME_SIZE, "%.*s.velocity%s", (int)(position - coordinate), coordinate,
                 position + strlen(".position"));
    else
        snprintf(names[count++], NAME_SIZE, "%s.rate", coordinate);
    if (last && strcmp(last, ".angle") == 0)
        snprintf(names[count++], NAME_SIZE, "%.*s.angular_velocity", stem, coordinate);
    if (last && !position)
        snprintf(names[count++], NAME_SIZE, "%.*s.rate", stem, coordinate);
    return count;
}

static int find_rate(int *out, const tn_recording *r, const char *coordinate)
{
    char names[RATES][NAME_SIZE];
    size_t count = rate_names(names, coordinate);
    for (size_t i = 0; i < count; i++)
        if ((*out = tn_recording_find(r, names[i])) >= 0)
            return TN_EXIT_OK;
    fprintf(stderr, "tenon plot: --phase: the rate of '%s' is not recorded in '%s'; add '%s' to the outputs of the "
            "model", coordinate, r->path, names[0]);
    if (strcmp(strrchr(names[count > 1 ? 1 : 0], '.'), ".angular_velocity") == 0)
        fprintf(stderr, ", or '%s' if it is the angle of a body", names[1]);
    fputc('\n', stderr);
    return TN_EXIT_USAGE;
}

static int spectrum_failed(tn_amplitudes_end end, const tn_plot_curve *c, const double *t, size_t rows)
{
    const char *path = c->recording->path;
    double shortest = 0, longest = 0;
    switch (end) {
    case TN_AMPLITUDES_MEMORY:
        return tn_out_of_memory();
    case TN_AMPLITUDES_SHORT:
        fprintf(stderr, "tenon plot: --fft: %zu samples of '%s' in '%s'; at least %d are needed\n", rows, c->y.name,
                path, TN_AMPLITUDES_LEAST);
        break;
    case TN_AMPLITUDES_UNEVEN:
        tn_amplitudes_intervals(&shortest, &longest, t, rows);
        fprintf(stderr, "tenon plot: --fft: the samples in '%s' are not evenly spaced: from %.6g s to %.6g s apart; "
                "record evenly, with 'solve: { record: 10 ms }' in the model or 'tenon run --record 0.01'\n", path,
                shortest, longest);
        break;
    default:
        fprintf(stderr, "tenon plot: --fft: '%s' in '%s' has values that are no numbers\n", c->y.name, path);
    }
    return TN_EXIT_USAGE;
}

static int make_spectrum(tn_plot_curve *c, const double *t, size_t rows, const tn_plot_request *request)
{
    tn_amplitudes_end end = tn_amplitudes_make(&c->spectrum, t, c->y_values, rows, request->window);
    if (end != TN_AMPLITUDES_DONE)
        return spectrum_failed(end, c, t, rows);
    c->x = (tn_channel){ "frequency", "Hz" };
    c->x_values = c->spectrum.frequency;
    c->y_values = c->spectrum.amplitude;
    c->count = c->spectrum.count;
    while (request->max_frequency > 0 && c->count > 1 && c->x_values[c->count - 1] > request->max_frequency)
        c->count--;
    return TN_EXIT_OK;
}

static int make_curve(tn_plot_curve *c, const tn_recording *r, int column, const tn_plot_request *request)
{
    size_t first = 0, rows = rows_wanted(&first, r, request);
    int x = (int)r->time, y = column;
    if (rows == 0) {
        fprintf(stderr, "tenon plot: '%s' has no rows%s\n", r->path, r->rows > 0 ? " in that span of time" : "");
        return TN_EXIT_USAGE;
    }
    if (request->kind == TN_PLOT_AGAINST && (x = tn_recording_find(r, request->against)) < 0)
        return no_channel(r, 1, request->against);
    if (request->kind == TN_PLOT_PHASE) {
        int status = find_rate(&y, r, r->channels[column].name);
        if (status != TN_EXIT_OK)
            return status;
        x = column;
    }
    *c = (tn_plot_curve){ .recording = r, .y = r->channels[y], .x = r->channels[x],
                          .y_values = r->values[y] + first, .x_values = r->values[x] + first, .count = rows };
    return request->kind == TN_PLOT_SPECTRUM ? make_spectrum(c, r->values[r->time] + first, rows, request)
                                             : TN_EXIT_OK;
}

int tn_plot_curves_make(tn_plot_curves *out, const tn_recording *recordings, size_t count,
                        const tn_plot_request *request)
{
    *out = (tn_plot_curves){ 0 };
    selection s = { 0 };
    int status = select_channels(&s, recordings, count, request);
    out->items = tn_allocate(s.count * count, sizeof *out->items);
    for (size_t i = 0; i < s.count; i++)
        for (size_t r = 0; r < count && status == TN_EXIT_OK; r++) {
            int column = tn_recording_find(&recordings[r], s.names[i]);
            if (column >= 0)
                status = make_curve(&out->items[out->count++], &recordings[r], column, request);
        }
    free(s.names);
    if (status == TN_EXIT_OK && out->count == 0) {
        fprintf(stderr, "tenon plot: '%s' has no channels to draw\n", recordings[0].path);
        return TN_EXIT_USAGE;
    }
    return status;
}

void tn_plot_curves_free(tn_plot_curves *curves)
{
    for (size_t i = 0; i < curves->count; i++)
        tn_amplitudes_free(&curves->items[i].spectrum);
    free(curves->items);
    *curves = (tn_plot_curves){ 0 };
}
