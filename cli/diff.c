/* The command "diff": compares two files of results channel by channel. */
#include "compare.h"
#include "output.h"
#include <math.h>
#include <string.h>

enum { TOLERANCE, RELATIVE, CHANNELS, OPTION_COUNT };

static const tn_option options[] = {
    [TOLERANCE] = { "--tolerance", TN_OPTION_NOT_NEGATIVE, "X", "differences up to X, in the channel's unit, are none",
                    NULL },
    [RELATIVE] = { "--relative", TN_OPTION_NOT_NEGATIVE, "X", "the same, as a part of the channel's largest magnitude",
                   NULL },
    [CHANNELS] = { "--channels", TN_OPTION_TEXT, "A,B", "compare these channels only", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

/* Default tolerance: above the round-off that a run accumulates, below what is visible in a plot. */
static const double DEFAULT_RELATIVE = 1e-9;
enum { NAME_SIZE = 256, TIME_WIDTH = 12 };

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    const char *paths[2];
    tn_results *tables[2];
    tn_comparison comparison;
    double absolute, relative;     /* largest accepted difference: absolute + relative * magnitude */
    size_t compared, different, missing;
    cJSON *diagnostics;            /* NULL: the answer is text */
    cJSON *channels, *absent;      /* of the JSON answer */
} job;

static int read_tables(job *j)
{
    for (int s = 0; s < 2; s++) {
        j->paths[s] = j->arguments->operands[s];
        int code = tn_results_read(&j->tables[s], j->context, j->paths[s]);
        int status = tn_diagnostics_flush(j->context, code, j->diagnostics);
        if (status != TN_EXIT_OK)
            return status;
    }
    return TN_EXIT_OK;
}

static int match_times(job *j)
{
    int columns[2];
    for (int s = 0; s < 2; s++) {
        columns[s] = tn_results_require(j->tables[s], "t");
        if (columns[s] < 0)
            return tn_diagnostics_flush(j->context, TN_ERROR_FILE, j->diagnostics);
        const double *times = tn_results_values(j->tables[s], (size_t)columns[s]);
        size_t fault = tn_times_fault(times, tn_results_rows(j->tables[s]));
        if (fault > 0) {
            fprintf(stderr, "%s: error: the time in row %zu is not a number or goes backwards\n", j->paths[s], fault);
            return TN_EXIT_FILE;
        }
    }
    j->comparison = tn_comparison_begin((const tn_results *const *)j->tables, columns);
    return TN_EXIT_OK;
}

static void choose_tolerance(job *j)
{
    const tn_option_value *absolute = &j->arguments->options[TOLERANCE], *relative = &j->arguments->options[RELATIVE];
    j->absolute = absolute->given ? absolute->number : 0;
    j->relative = relative->given ? relative->number : absolute->given ? 0 : DEFAULT_RELATIVE;
}

/* ---- answers ---- */

static void print_times(const job *j)
{
    const tn_comparison *c = &j->comparison;
    if (c->same_times)
        return;
    if (c->rows == 0) {
        puts("The files have no time in common.");
        return;
    }
    const double *times = c->times[c->grid] + c->first;
    printf("Times differ: '%s' is interpolated (cubic) at the %zu times of '%s' from %.9g to %.9g s.\n",
           j->paths[1 - c->grid], c->rows, j->paths[c->grid], times[0], times[c->rows - 1]);
    for (int s = 0; s < 2 && !c->same_span; s++)
        printf("'%s' covers %.9g to %.9g s.\n", j->paths[s], c->times[s][0],
               c->times[s][tn_results_rows(j->tables[s]) - 1]);
}

static void print_channel(const job *j, tn_channel channel, const tn_difference *d, bool same)
{
    if (j->compared == 0)
        printf("%-32s %-22s %-10s %s\n", "channel", "largest difference", "relative", "at t [s]");
    char size[40];
    snprintf(size, sizeof size, "%.3g %s", d->largest, channel.unit);
    printf("%-32s %-22s %-10.3g %-*.9g%s\n", channel.name, size, d->scale > 0 ? d->largest / d->scale : 0,
           same ? 0 : TIME_WIDTH, d->time, same ? "" : " different");
}

static void add_channel(const job *j, tn_channel channel, const tn_difference *d, bool same)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", channel.name);
    cJSON_AddStringToObject(item, "unit", channel.unit);
    cJSON_AddNumberToObject(item, "difference", d->largest);
    cJSON_AddNumberToObject(item, "relative", d->scale > 0 ? d->largest / d->scale : 0);
    cJSON_AddNumberToObject(item, "time", d->time);
    cJSON_AddBoolToObject(item, "ok", same);
    cJSON_AddItemToArray(j->channels, item);
}

static void report_missing(job *j, const char *channel, int where)
{
    j->missing++;
    if (!j->diagnostics) {
        printf("%-32s missing in '%s'\n", channel, j->paths[where]);
        return;
    }
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", channel);
    cJSON_AddStringToObject(item, "file", j->paths[where]);
    cJSON_AddItemToArray(j->absent, item);
}

/* ---- channels ---- */

static void compare_channel(job *j, const int columns[2])
{
    tn_channel one = tn_results_column(j->tables[0], (size_t)columns[0]);
    tn_channel other = tn_results_column(j->tables[1], (size_t)columns[1]);
    tn_difference d = tn_comparison_columns(&j->comparison, columns);
    bool units_fit = !one.unit[0] || !other.unit[0] || strcmp(one.unit, other.unit) == 0;
    bool same = d.largest == 0 || d.largest <= j->absolute + j->relative * d.scale;
    if (!units_fit)
        fprintf(stderr, "tenon diff: '%s' is in %s in '%s' and in %s in '%s'\n", one.name, one.unit, j->paths[0],
                other.unit, j->paths[1]);
    same = same && units_fit;
    if (j->diagnostics)
        add_channel(j, one, &d, same);
    else
        print_channel(j, one, &d, same);
    j->compared++;
    j->different += !same;
}

/* Rows are matched by time, which is not compared. */
static void compare_all(job *j)
{
    for (size_t k = 0; k < tn_results_columns(j->tables[0]); k++) {
        const char *name = tn_results_column(j->tables[0], k).name;
        int columns[2] = { (int)k, tn_results_find(j->tables[1], name) };
        if (columns[1] < 0)
            report_missing(j, name, 1);
        else if (strcmp(name, "t") != 0)
            compare_channel(j, columns);
    }
    for (size_t k = 0; k < tn_results_columns(j->tables[1]); k++) {
        const char *name = tn_results_column(j->tables[1], k).name;
        if (tn_results_find(j->tables[0], name) < 0)
            report_missing(j, name, 0);
    }
}

/* The next name of a list with commas; false at its end. */
static bool take_name(const char **list, char name[NAME_SIZE])
{
    size_t length = strcspn(*list, ",");
    if (**list == '\0')
        return false;
    snprintf(name, NAME_SIZE, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

/* Before anything is compared: every name is a channel of both. */
static int check_names(job *j, const char *list)
{
    int code = TN_OK;
    for (char name[NAME_SIZE]; take_name(&list, name);)
        for (int s = 0; s < 2; s++)
            if (tn_results_require(j->tables[s], name) < 0)
                code = TN_ERROR_ARGUMENT;
    return tn_diagnostics_flush(j->context, code, j->diagnostics);
}

static void compare_named(job *j, const char *list)
{
    for (char name[NAME_SIZE]; take_name(&list, name);) {
        const int columns[2] = { tn_results_find(j->tables[0], name), tn_results_find(j->tables[1], name) };
        compare_channel(j, columns);
    }
}

/* ---- the command ---- */

static bool is_same(const job *j)
{
    return j->different == 0 && j->missing == 0 && j->comparison.same_span;
}

static void print_verdict(const job *j)
{
    printf("%s: %zu of %zu channels differ", is_same(j) ? "same" : "different", j->different, j->compared);
    if (j->missing > 0)
        printf(", %zu %s missing", j->missing, j->missing == 1 ? "is" : "are");
    if (!j->comparison.same_span)
        printf(", the times covered differ");
    printf("; %zu rows, tolerance %.3g + %.3g of the largest magnitude\n", j->comparison.rows, j->absolute,
           j->relative);
}

static void print_json(job *j, int status)
{
    const tn_comparison *c = &j->comparison;
    cJSON *document = cJSON_CreateObject(), *files = cJSON_AddArrayToObject(document, "files");
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    for (int s = 0; s < 2; s++)
        cJSON_AddItemToArray(files, cJSON_CreateString(j->arguments->operands[s]));
    cJSON_AddNumberToObject(document, "rows", (double)c->rows);
    cJSON_AddBoolToObject(document, "same_times", c->same_times);
    cJSON_AddBoolToObject(document, "same_span", c->same_span);
    if (!c->same_times && c->rows > 0)
        cJSON_AddStringToObject(document, "interpolated", j->paths[1 - c->grid]);
    cJSON_AddNumberToObject(document, "tolerance", j->absolute);
    cJSON_AddNumberToObject(document, "relative", j->relative);
    cJSON_AddItemToObject(document, "channels", j->channels);
    cJSON_AddItemToObject(document, "missing", j->absent);
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

static int compare(job *j)
{
    const tn_option_value *list = &j->arguments->options[CHANNELS];
    int status = read_tables(j);
    if (status == TN_EXIT_OK)
        status = match_times(j);
    if (status == TN_EXIT_OK && list->given)
        status = check_names(j, list->text);
    if (status != TN_EXIT_OK)
        return status;
    if (!j->diagnostics)
        print_times(j);
    if (list->given)
        compare_named(j, list->text);
    else
        compare_all(j);
    if (!j->diagnostics)
        print_verdict(j);
    return is_same(j) ? TN_EXIT_OK : TN_EXIT_DIFFERENT;
}

static int run_diff(tn_context *context, const tn_arguments *arguments)
{
    job j = { .context = context, .arguments = arguments };
    if (arguments->json) {
        j.diagnostics = cJSON_CreateArray();
        j.channels = cJSON_CreateArray();
        j.absent = cJSON_CreateArray();
    }
    choose_tolerance(&j);
    int status = compare(&j);
    if (arguments->json)
        print_json(&j, status);
    for (int s = 0; s < 2; s++)
        tn_results_destroy(j.tables[s]);
    return status;
}

const tn_command tn_command_diff = {
    .name = "diff",
    .summary = "Compare two files of results channel by channel.",
    .details = "CSV and HDF5 in any mixture. Rows with the same times are compared as they are; otherwise the file\n"
               "with more rows is interpolated at the times of the other. A channel is the same when no difference exceeds\n"
               "the tolerance: 1e-9 of its largest magnitude unless --tolerance or --relative say otherwise (both:\n"
               "their sum). The exit status is 0 when the files are the same and 1 when they differ: by a channel,\n"
               "its unit, a missing channel or the time they cover.",
    .operands = "A B",
    .min_operands = 2,
    .max_operands = 2,
    .options = options,
    .run = run_diff,
};
