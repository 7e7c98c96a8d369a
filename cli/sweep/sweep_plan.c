/* Which values: a grid, a list, or a random sample. */
#include "sweep.h"
#include "text_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 1000000, PARTS_MAX = 10000 };

static int refuse(const char *option, const char *text, const char *why)
{
    fprintf(stderr, "tenon sweep: %s: '%s' %s\n", option, text, why);
    return TN_EXIT_USAGE;
}

int tn_whole_number(size_t *out, const char *option, const tn_option_value *value, size_t otherwise, size_t most)
{
    *out = otherwise;
    if (!value->given)
        return TN_EXIT_OK;
    if (value->number != floor(value->number) || value->number > (double)most)
        return refuse(option, value->text, "is not a whole number, or too large");
    *out = (size_t)value->number;
    return TN_EXIT_OK;
}

/* ---- axes ---- */

static int unknown_parameter(const char *option, const tn_model *model, const char *name)
{
    size_t count = tn_model_parameter_count(model);
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names)
        return tn_out_of_memory();
    for (size_t i = 0; i < count; i++)
        names[i] = tn_model_parameter(model, i).name;
    const char *near = tn_nearest_text(name, names, count);
    fprintf(stderr, "tenon sweep: %s: the model has no parameter '%s'", option, name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputs(count == 0 ? "; it has none at all\n" : "\n", stderr);
    free(names);
    return TN_EXIT_USAGE;
}

static int add_axis(tn_plan *plan, const tn_model *model, const char *option, const char *name)
{
    if (plan->axis_count == TN_MAX_TEXTS)
        return refuse(option, name, "is one parameter too many");
    tn_parameter_value parameter = tn_parameter_find(model, name);
    if (!parameter.name)
        return unknown_parameter(option, model, name);
    for (size_t i = 0; i < plan->axis_count; i++)
        if (strcmp(plan->axes[i].name, name) == 0)
            return refuse(option, name, "is given twice");
    tn_axis *axis = &plan->axes[plan->axis_count++];
    snprintf(axis->name, sizeof axis->name, "%s", name);
    snprintf(axis->unit, sizeof axis->unit, "%s", parameter.unit ? parameter.unit : "");
    snprintf(axis->choices, sizeof axis->choices, "%s", parameter.choices ? parameter.choices : "");
    return TN_EXIT_OK;
}

static int parse_value(double *out, tn_context *context, const char *text, const tn_model *model, const char *name)
{
    const tn_parameter_value parameter = tn_parameter_find(model, name);
    return tn_diagnostics_flush(context, tn_parameter_parse(out, context, text, &parameter), NULL);
}

/* "100 mm:200 mm" or "1,2,5" into an array of the axis. text is cut up. */
static int parse_values(tn_axis *axis, tn_context *context, const tn_model *model, char *text, const char *delimiter)
{
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == delimiter[0];
    axis->values = most <= PARTS_MAX ? malloc(most * sizeof *axis->values) : NULL;
    if (!axis->values)
        return tn_out_of_memory();
    int status = TN_EXIT_OK;
    char *rest = NULL;
    for (char *part = strtok_r(text, delimiter, &rest); part && status == TN_EXIT_OK;
         part = strtok_r(NULL, delimiter, &rest))
        status = parse_value(&axis->values[axis->count++], context, part, model, axis->name);
    return status;
}

/* From low to high in count equal steps, both ends to the bit. */
static int spread(tn_axis *axis, size_t count)
{
    double low = axis->values[0], high = axis->values[1];
    free(axis->values);
    axis->values = malloc(count * sizeof *axis->values);
    if (!axis->values)
        return tn_out_of_memory();
    axis->count = count;
    for (size_t i = 0; i < count; i++)
        axis->values[i] = i == 0 ? low : i == count - 1 ? high : low + (high - low) * (double)i / (double)(count - 1);
    return TN_EXIT_OK;
}

/* "0.1:0.5:5" or "0.1,0.2"; the count is cut off, for it has no unit. */
static int parse_grid_axis(tn_plan *plan, tn_context *context, const tn_model *model, const char *whole, char *text)
{
    tn_axis *axis = &plan->axes[plan->axis_count - 1];
    char *last = strrchr(text, ':'), *end = NULL;
    if (!last)
        return parse_values(axis, context, model, text, ",");
    unsigned long count = strtoul(last + 1, &end, 10);
    if (end == last + 1 || *end != '\0' || last[1] == '-' || count < 1 || count > RUNS_MAX)
        return refuse("--grid", whole, "is not NAME=LOW:HIGH:COUNT or NAME=A,B,C");
    *last = '\0';
    int status = parse_values(axis, context, model, text, ":");
    if (status == TN_EXIT_OK && axis->count != 2)
        return refuse("--grid", whole, "is not NAME=LOW:HIGH:COUNT or NAME=A,B,C");
    return status == TN_EXIT_OK ? spread(axis, count) : status;
}

static int parse_random_axis(tn_plan *plan, tn_context *context, const tn_model *model, const char *whole, char *text)
{
    tn_axis *axis = &plan->axes[plan->axis_count - 1];
    int status = parse_values(axis, context, model, text, ":");
    if (status == TN_EXIT_OK && (axis->count != 2 || axis->values[0] > axis->values[1]))
        return refuse("--random", whole, "is not NAME=LOW:HIGH");
    return status;
}

typedef int (*axis_parser)(tn_plan *plan, tn_context *context, const tn_model *model, const char *whole, char *text);

static int parse_axes(tn_plan *plan, tn_context *context, const tn_model *model, const char *option,
                      const tn_option_value *given, axis_parser parse)
{
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < given->text_count && status == TN_EXIT_OK; i++) {
        char name[TN_PARAMETER_NAME];
        const char *rest = NULL;
        if (!tn_assignment_split(given->texts[i], name, &rest))
            return refuse(option, given->texts[i], "is not of the form NAME=VALUES");
        char *text = strdup(rest);
        if (!text)
            return tn_out_of_memory();
        status = add_axis(plan, model, option, name);
        if (status == TN_EXIT_OK)
            status = parse(plan, context, model, given->texts[i], text);
        free(text);
    }
    return status;
}

/* ---- lists ---- */

typedef struct list_reader {
    tn_plan *plan;
    tn_context *context;
    const tn_model *model;
    const char *path;
    char units[TN_MAX_TEXTS][TN_PARAMETER_NAME];   /* that the head gives to whole columns; "": none */
    size_t line, capacity;
} list_reader;

static char *trim(char *text)
{
    text += strspn(text, " \t\"");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\"\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* The next cell of a line, trimmed; NULL after the last. */
static char *next_cell(char **line)
{
    if (!*line)
        return NULL;
    char *cell = *line, *comma = strchr(cell, ',');
    *line = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    return trim(cell);
}

/* "r [mm],L" */
static int read_head(list_reader *r, char *line)
{
    int status = TN_EXIT_OK;
    for (char *cell = next_cell(&line); cell && status == TN_EXIT_OK; cell = next_cell(&line)) {
        size_t column = r->plan->axis_count;
        char *bracket = strchr(cell, '['), *close = bracket ? strchr(bracket, ']') : NULL;
        if (bracket && close) {
            *bracket = *close = '\0';
            if (column < TN_MAX_TEXTS)
                snprintf(r->units[column], sizeof r->units[column], "%s", bracket + 1);
        }
        status = add_axis(r->plan, r->model, "--list", trim(cell));
    }
    return status;
}

static int grow(list_reader *r)
{
    if (r->plan->runs < r->capacity)
        return TN_EXIT_OK;
    r->capacity = r->capacity > 0 ? 2 * r->capacity : 64;
    for (size_t i = 0; i < r->plan->axis_count; i++) {
        double *more = realloc(r->plan->axes[i].values, r->capacity * sizeof *more);
        if (!more)
            return tn_out_of_memory();
        r->plan->axes[i].values = more;
    }
    return TN_EXIT_OK;
}

static int read_row(list_reader *r, char *line)
{
    size_t column = 0;
    int status = grow(r);
    for (char *cell = next_cell(&line); cell && status == TN_EXIT_OK; cell = next_cell(&line), column++) {
        if (column >= r->plan->axis_count)
            continue;
        tn_axis *axis = &r->plan->axes[column];
        char text[256];
        snprintf(text, sizeof text, "%s %s", cell, r->units[column]);
        status = parse_value(&axis->values[r->plan->runs], r->context, trim(text), r->model, axis->name);
        axis->count = r->plan->runs + 1;
    }
    if (status == TN_EXIT_OK && column != r->plan->axis_count) {
        fprintf(stderr, "%s:%zu: error: %zu values for %zu parameters\n", r->path, r->line, column,
                r->plan->axis_count);
        return TN_EXIT_USAGE;
    }
    if (status != TN_EXIT_OK)
        fprintf(stderr, "%s:%zu: error: a value cannot be used\n", r->path, r->line);
    r->plan->runs++;
    return status;
}

static int read_lines(list_reader *r, char *text)
{
    int status = TN_EXIT_OK;
    for (char *line = text, *next; line && status == TN_EXIT_OK; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        r->line++;
        if (line[strspn(line, " \t\r")] == '\0' || line[0] == '#')
            continue;
        status = r->plan->axis_count == 0 ? read_head(r, line) : read_row(r, line);
    }
    return status;
}

/* Whole, before the first run: a list that ends early because of an error would be a smaller sweep. */
static int read_list(tn_plan *plan, tn_context *context, const tn_model *model, const char *path)
{
    list_reader r = { .plan = plan, .context = context, .model = model, .path = path };
    char *text = NULL;
    size_t size = 0;
    int status = tn_text_file_read(&text, &size, path);
    if (status == TN_EXIT_OK && size > TN_TEXT_LIMIT)
        status = refuse("--list", path, "is larger than 64 MiB");
    if (status == TN_EXIT_OK) {
        text[size] = '\0';                             /* there is room: it is shorter than what was asked for */
        status = strlen(text) == size ? read_lines(&r, text) : refuse("--list", path, "is no text: it has a zero byte");
    }
    free(text);
    return status;
}

/* ---- the plan ---- */

/* SplitMix64: neighbouring counts give unrelated numbers (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* In [0, 1), by run and axis: neither further runs nor further axes change a value. */
static double uniform(uint64_t seed, uint64_t run, uint64_t axis)
{
    return (double)(mix(mix(mix(seed) ^ run) ^ axis) >> 11) * 0x1p-53;
}

void tn_plan_values(const tn_plan *plan, size_t run, double *values)
{
    size_t rest = run;
    for (size_t i = plan->axis_count; i-- > 0;) {      /* the last axis of a grid changes fastest */
        const tn_axis *axis = &plan->axes[i];
        if (plan->kind == TN_PLAN_GRID) {
            values[i] = axis->values[rest % axis->count];
            rest /= axis->count;
        } else if (plan->kind == TN_PLAN_LIST) {
            values[i] = axis->values[run];
        } else {
            double low = axis->values[0], high = axis->values[1];
            values[i] = low + (high - low) * uniform(plan->seed, run, i);
        }
    }
}

static int count_runs(tn_plan *plan, const tn_plan_options *options)
{
    if (plan->kind == TN_PLAN_GRID) {
        plan->runs = plan->axis_count > 0;
        for (size_t i = 0; i < plan->axis_count && plan->runs <= RUNS_MAX; i++)
            plan->runs *= plan->axes[i].count;
    } else if (plan->kind == TN_PLAN_RANDOM) {
        size_t seed = 0;
        int status = tn_whole_number(&plan->runs, "--samples", options->samples, 0, RUNS_MAX);
        if (status == TN_EXIT_OK)
            status = tn_whole_number(&seed, "--seed", options->seed, 1, UINT32_MAX);
        if (status != TN_EXIT_OK)
            return status;
        plan->seed = seed;
    }
    if (plan->runs > 0 && plan->runs <= RUNS_MAX)
        return TN_EXIT_OK;
    if (plan->runs == 0)
        fputs("tenon sweep: there is nothing to run\n", stderr);
    else
        fprintf(stderr, "tenon sweep: more than %d runs\n", RUNS_MAX);
    return TN_EXIT_USAGE;
}

static int check_kind(const tn_plan_options *o)
{
    int kinds = o->grid->given + o->list->given + o->random->given;
    const char *wrong = NULL;
    if (kinds == 0)
        wrong = "one of --grid, --list and --random must be given";
    else if (kinds > 1)
        wrong = "--grid, --list and --random exclude each other";
    else if (o->random->given && !o->samples->given)
        wrong = "--random needs --samples";
    else if (!o->random->given && (o->samples->given || o->seed->given))
        wrong = "--samples and --seed belong to --random";
    if (!wrong)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon sweep: %s\nSee 'tenon help sweep'.\n", wrong);
    return TN_EXIT_USAGE;
}

int tn_plan_create(tn_plan *out, tn_context *context, const tn_model *model, const tn_plan_options *options)
{
    tn_plan_kind kind = options->grid->given ? TN_PLAN_GRID : options->list->given ? TN_PLAN_LIST : TN_PLAN_RANDOM;
    *out = (tn_plan){ .kind = kind };
    int status = check_kind(options);
    if (status != TN_EXIT_OK)
        return status;
    if (out->kind == TN_PLAN_GRID)
        status = parse_axes(out, context, model, "--grid", options->grid, parse_grid_axis);
    else if (out->kind == TN_PLAN_LIST)
        status = read_list(out, context, model, options->list->text);
    else
        status = parse_axes(out, context, model, "--random", options->random, parse_random_axis);
    return status == TN_EXIT_OK ? count_runs(out, options) : status;
}

void tn_plan_destroy(tn_plan *plan)
{
    for (size_t i = 0; i < plan->axis_count; i++)
        free(plan->axes[i].values);
}
