/* One run of a sweep, and what is measured of it. */
#include "sweep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS_BETWEEN_LOOKS = 256 };    /* at the parent process: often for a user, seldom for the processor */

static const char *const statistic_names[] = {
    [TN_FINAL] = "final", [TN_MAX] = "max", [TN_MIN] = "min", [TN_MEAN] = "mean", [TN_RMS] = "rms",
};
_Static_assert(sizeof statistic_names / sizeof statistic_names[0] == TN_STATISTICS, "a name for each");

/* ---- measures ---- */

static int add_measure(tn_sweep *sweep, tn_channel channel, tn_statistic statistic)
{
    size_t size = (sweep->measure_count + 1) * sizeof *sweep->measures;
    tn_sweep_measure *more = realloc(sweep->measures, size);
    if (!more)
        return TN_ERROR_MEMORY;
    sweep->measures = more;
    tn_sweep_measure *m = &more[sweep->measure_count++];
    *m = (tn_sweep_measure){ strdup(channel.name), strdup(channel.unit), statistic };
    return m->channel && m->unit ? TN_OK : TN_ERROR_MEMORY;
}

/* "pivot.angle:max": the part before ':' into channel. */
static int split_measure(char *channel, size_t size, tn_statistic *statistic, const char *text)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *statistic = TN_FINAL;
    while (colon && *statistic < TN_STATISTICS && strcmp(statistic_names[*statistic], colon + 1) != 0)
        (*statistic)++;
    if (length > 0 && length < size && *statistic < TN_STATISTICS) {
        memcpy(channel, text, length);
        channel[length] = '\0';
        return TN_OK;
    }
    fprintf(stderr, "tenon sweep: --measure: '%s' is not CHANNEL or CHANNEL:final, max, min, mean or rms\n", text);
    return TN_ERROR_ARGUMENT;
}

/* The channel of that name, or else all channels of the group of that name. */
static int expand_measure(tn_sweep *sweep, tn_context *context, tn_session *session, const char *text)
{
    char wanted[512];
    double value;
    tn_statistic statistic;
    int code = split_measure(wanted, sizeof wanted, &statistic, text);
    if (code < 0)
        return code;
    size_t length = strlen(wanted), before = sweep->measure_count, count = tn_session_channel_count(session);
    bool single = tn_session_value(&value, session, wanted) >= 0;
    for (size_t i = 0; i < count && code >= 0; i++) {
        tn_channel channel = tn_session_channel(session, i);
        bool member = strncmp(channel.name, wanted, length) == 0 && channel.name[length] == '.';
        if (single ? strcmp(channel.name, wanted) == 0 : member)
            code = add_measure(sweep, channel, statistic);
    }
    if (code >= 0 && sweep->measure_count == before)
        return TN_ERROR_ARGUMENT;
    tn_diagnostics_clear(context);
    return code;
}

int tn_sweep_choose_measures(tn_sweep *sweep, tn_context *context, tn_model *model, const tn_option_value *measure)
{
    tn_session *session = NULL;
    tn_solve_choice choice;
    int status = tn_solve_choose(&choice, model, "sweep", sweep->options, sweep->arguments);
    if (status != TN_EXIT_OK)
        return status;
    int code = tn_session_open(&session, model, &choice.solve);
    for (size_t i = 0; i < measure->text_count && code >= 0; i++)
        code = expand_measure(sweep, context, session, measure->texts[i]);
    for (size_t i = 1; measure->text_count == 0 && code >= 0 && i < tn_session_recorded_count(session); i++)
        code = add_measure(sweep, tn_session_recorded(session, i), TN_FINAL);
    tn_session_close(session);
    return tn_diagnostics_flush(context, code, NULL);
}

void tn_sweep_forget_measures(tn_sweep *sweep)
{
    for (size_t i = 0; i < sweep->measure_count; i++) {
        free(sweep->measures[i].channel);
        free(sweep->measures[i].unit);
    }
    free(sweep->measures);
}

/* ---- a run ---- */

/* A measured channel over the samples so far; integrals by the trapezoidal rule. */
typedef struct course {
    int column;                        /* among the recorded; -1: only the final value is asked for */
    double t, x;                       /* last sample */
    double duration, min, max, integral, square;
} course;

typedef struct run_state {
    const tn_sweep *sweep;
    tn_model *model;
    tn_session *session;
    course *courses;
    long steps;
} run_state;

static void follow(course *c, double t, double x)
{
    double dt = isnan(c->t) ? 0 : t - c->t, before = isnan(c->t) ? x : c->x;
    c->duration += dt;
    c->integral += dt * (x + before) / 2;
    c->square += dt * (x * x + before * before) / 2;
    c->min = fmin(c->min, x);
    c->max = fmax(c->max, x);
    c->t = t;
    c->x = x;
}

static void on_sample(void *user, const double *values, size_t count)
{
    run_state *r = user;
    for (size_t i = 0; i < r->sweep->measure_count; i++) {
        course *c = &r->courses[i];
        if (c->column >= 0 && (size_t)c->column < count)
            follow(c, values[0], values[c->column]);
    }
}

/* A run whose parent process has ended stops. */
static int on_step(void *user, const tn_session *session)
{
    run_state *r = user;
    (void)session;
    return ++r->steps % STEPS_BETWEEN_LOOKS == 0 && getppid() != r->sweep->parent;
}

static int recorded_column(const tn_session *session, const char *name)
{
    for (size_t i = 0; i < tn_session_recorded_count(session); i++)
        if (strcmp(tn_session_recorded(session, i).name, name) == 0)
            return (int)i;
    return -1;
}

static int read_model(run_state *r, tn_context *context, size_t run)
{
    const tn_sweep *sweep = r->sweep;
    double values[TN_MAX_TEXTS];
    tn_setting settings[2 * TN_MAX_TEXTS];
    size_t count = 0;
    for (; count < sweep->fixed.count; count++)
        settings[count] = sweep->fixed.items[count];
    tn_plan_values(&sweep->plan, run, values);
    for (size_t i = 0; i < sweep->plan.axis_count; i++)
        settings[count++] = (tn_setting){ sweep->plan.axes[i].name, values[i] };
    int code = tn_model_read_with(&r->model, context, sweep->path, settings, count);
    for (size_t i = 0; i < sweep->measure_count && code >= 0; i++)
        if (sweep->measures[i].statistic != TN_FINAL)
            code = tn_model_add_output(r->model, sweep->measures[i].channel);
    return code;
}

static int simulate(run_state *r)
{
    tn_solve_choice choice;
    if (tn_solve_choose(&choice, r->model, "sweep", r->sweep->options, r->sweep->arguments) != TN_EXIT_OK)
        return TN_ERROR_ARGUMENT;
    int code = tn_session_open(&r->session, r->model, &choice.solve);
    if (code < 0)
        return code;
    for (size_t i = 0; i < r->sweep->measure_count; i++) {
        const tn_sweep_measure *m = &r->sweep->measures[i];
        int column = m->statistic == TN_FINAL ? -1 : recorded_column(r->session, m->channel);
        r->courses[i] = (course){ .column = column, .t = NAN, .min = INFINITY, .max = -INFINITY };
    }
    tn_session_on_sample(r->session, on_sample, r);
    tn_session_on_step(r->session, on_step, r);
    return tn_session_run(r->session);
}

static double measured(const run_state *r, size_t index)
{
    const course *c = &r->courses[index];
    double x = NAN;
    switch (r->sweep->measures[index].statistic) {
    case TN_MAX: return c->max;
    case TN_MIN: return c->min;
    case TN_MEAN: return c->duration > 0 ? c->integral / c->duration : c->x;
    case TN_RMS: return c->duration > 0 ? sqrt(c->square / c->duration) : fabs(c->x);
    default: return tn_session_value(&x, r->session, r->sweep->measures[index].channel) >= 0 ? x : NAN;
    }
}

/* ---- rows ---- */

/* The shorter of two texts that mean this number; nothing for what is not one. */
static void put_number(FILE *out, double x)
{
    char text[32];
    if (!isfinite(x)) {
        fputc(',', out);
        return;
    }
    snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) != x)
        snprintf(text, sizeof text, "%.17g", x);
    fprintf(out, ",%s", text);
}

static void put_text(FILE *out, const char *text)
{
    fputs(",\"", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    fputc('"', out);
}

/* A number, or the word of a variant. */
static void put_value(FILE *out, const tn_axis *axis, double value)
{
    char word[128];
    const tn_parameter_value parameter = { .name = axis->name, .value = value, .choices = axis->choices };
    if (axis->choices[0])
        fprintf(out, ",%s", tn_parameter_word(word, sizeof word, &parameter));
    else
        put_number(out, value);
}

static void put_start(FILE *out, const tn_sweep *sweep, size_t run)
{
    double values[TN_MAX_TEXTS];
    tn_plan_values(&sweep->plan, run, values);
    fprintf(out, "%zu", run + 1);
    for (size_t i = 0; i < sweep->plan.axis_count; i++)
        put_value(out, &sweep->plan.axes[i], values[i]);
}

static const char *reason(const tn_context *context, int code)
{
    for (size_t i = 0; i < tn_diagnostics_count(context); i++)
        if (tn_diagnostics_get(context, i)->severity == TN_ERROR)
            return tn_diagnostics_get(context, i)->message;
    return tn_error_text(code);
}

static void put_name(FILE *out, const char *name, const char *statistic, const char *unit)
{
    fprintf(out, ",%s%s%s", name, statistic ? ":" : "", statistic ? statistic : "");
    if (unit[0])
        fprintf(out, " [%s]", unit);
}

/* Closes a stream in memory; NULL when memory ran out. */
static char *take_text(FILE *out, char **text)
{
    bool lost = ferror(out) != 0;
    if (fclose(out) == 0 && !lost)
        return *text;
    free(*text);
    return NULL;
}

char *tn_sweep_columns(const tn_sweep *sweep)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("run", out);
    for (size_t i = 0; i < sweep->plan.axis_count; i++)
        put_name(out, sweep->plan.axes[i].name, NULL, sweep->plan.axes[i].unit);
    fputs(",status", out);
    for (size_t i = 0; i < sweep->measure_count; i++) {
        const tn_sweep_measure *m = &sweep->measures[i];
        put_name(out, m->channel, m->statistic == TN_FINAL ? NULL : statistic_names[m->statistic], m->unit);
    }
    fputs(",energy error [J],drift,steps,wall time [s]", out);
    return take_text(out, &text);
}

char *tn_sweep_failed_row(const tn_sweep *sweep, size_t run, const char *why)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_start(out, sweep, run);
    put_text(out, why);
    for (size_t i = 0; i < sweep->measure_count + 4; i++)
        put_number(out, NAN);
    return take_text(out, &text);
}

static char *finished_row(const run_state *r, size_t run, double wall)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    tn_summary summary = tn_session_summary(r->session);
    put_start(out, r->sweep, run);
    fputs(",ok", out);
    for (size_t i = 0; i < r->sweep->measure_count; i++)
        put_number(out, measured(r, i));
    put_number(out, summary.energy_error);
    put_number(out, summary.max_drift);
    fprintf(out, ",%ld,%.6f", summary.steps, wall);
    return take_text(out, &text);
}

char *tn_sweep_run(const tn_sweep *sweep, tn_context *context, size_t run)
{
    double started = tn_clock();
    run_state r = { .sweep = sweep, .courses = calloc(sweep->measure_count + 1, sizeof(course)) };
    int code = r.courses ? read_model(&r, context, run) : TN_ERROR_MEMORY;
    if (code >= 0)
        code = simulate(&r);
    char *row = code == TN_NEWS_END || code == TN_NEWS_STOPPED
                    ? finished_row(&r, run, tn_clock() - started)
                    : tn_sweep_failed_row(sweep, run, reason(context, code));
    tn_session_close(r.session);
    tn_model_destroy(r.model);
    tn_diagnostics_clear(context);
    free(r.courses);
    return row;
}
