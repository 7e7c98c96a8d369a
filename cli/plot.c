/* The command "plot": draws channels of a run, or of a model, as a picture. */
#include "plot_panels.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, TEXT, AGAINST, PHASE, FFT, WINDOW, MAX_FREQUENCY, PANELS, TOGETHER, FROM, UNTIL, LOG_X, LOG_Y, TITLE,
       SIZE, QUIET, NO_PROGRESS, OPTION_COUNT };

static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "picture, .png or .svg; not given: RESULTS with .png", "-o" },
    [TEXT] = { "--text", TN_OPTION_FLAG, NULL, "draw with characters on standard output; -o - is the same", NULL },
    [AGAINST] = { "--against", TN_OPTION_TEXT, "CHANNEL", "over this channel, not over time", NULL },
    [PHASE] = { "--phase", TN_OPTION_FLAG, NULL, "rate of each channel over the channel itself", NULL },
    [FFT] = { "--fft", TN_OPTION_FLAG, NULL, "amplitude spectrum: over frequency, mean removed", NULL },
    [WINDOW] = { "--window", TN_OPTION_TEXT, "NAME", "for --fft: hann (default) or none", NULL },
    [MAX_FREQUENCY] = { "--max-frequency", TN_OPTION_POSITIVE, "F", "for --fft: end of the frequency axis, Hz", NULL },
    [PANELS] = { "--panels", TN_OPTION_FLAG, NULL, "a panel for each channel, not for each unit", NULL },
    [TOGETHER] = { "--together", TN_OPTION_FLAG, NULL, "all channels in one panel", NULL },
    [FROM] = { "--from", TN_OPTION_NOT_NEGATIVE, "T", "leave out what is before, s", NULL },
    [UNTIL] = { "--until", TN_OPTION_POSITIVE, "T", "leave out what is after, s; a model is run until then", NULL },
    [LOG_X] = { "--log-x", TN_OPTION_FLAG, NULL, "logarithmic axis across", NULL },
    [LOG_Y] = { "--log-y", TN_OPTION_FLAG, NULL, "logarithmic axes upwards", NULL },
    [TITLE] = { "--title", TN_OPTION_TEXT, "TEXT", "title above the picture", NULL },
    [SIZE] = { "--size", TN_OPTION_TEXT, "WxH", "pixels, or characters with --text; type grows along", NULL },
    [QUIET] = { "--quiet", TN_OPTION_FLAG, NULL, "do not say where the picture is", "-q" },
    [NO_PROGRESS] = { "--no-progress", TN_OPTION_FLAG, NULL, "no progress bar while a model is run", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
_Static_assert(sizeof options / sizeof options[0] <= TN_MAX_OPTIONS + 1, "TN_MAX_OPTIONS is too small");

enum { MAX_OPERANDS = 64, PATH_SIZE = 4096 };
/* Largest and smallest pictures, in pixels: the cairo library, which gnuplot draws with, ends at 32767. */
enum { SMALLEST_SIDE = 20, LARGEST_SIDE = 20000 };

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    cJSON *diagnostics;                /* NULL: the answer is not JSON */
    const char *channels[MAX_OPERANDS];
    size_t channel_count;
    tn_recording recordings[MAX_OPERANDS];
    size_t recording_count;
    tn_plot_request request;
    tn_plot_curves curves;
    tn_plot_panels panels;
    tn_chart chart;
    tn_chart_format format;
    char path[PATH_SIZE];              /* of the picture; "": standard output */
    char description[PATH_SIZE];
} job;

static bool given(const job *j, int option)
{
    return j->arguments->options[option].given;
}

static const char *text_of(const job *j, int option)
{
    return j->arguments->options[option].text;
}

static int mistake(const char *what, const char *text)
{
    fprintf(stderr, "tenon plot: %s%s\nSee 'tenon help plot'.\n", what, text);
    return TN_EXIT_USAGE;
}

static int choose_kind(job *j)
{
    tn_plot_request *r = &j->request;
    const char *window = text_of(j, WINDOW);
    if (given(j, AGAINST) + given(j, PHASE) + given(j, FFT) > 1)
        return mistake("--against, --phase and --fft exclude each other", "");
    if (given(j, PANELS) && given(j, TOGETHER))
        return mistake("--panels and --together exclude each other", "");
    if ((window || given(j, MAX_FREQUENCY)) && !given(j, FFT))
        return mistake("--window and --max-frequency belong to --fft", "");
    if (window && strcmp(window, "hann") != 0 && strcmp(window, "none") != 0)
        return mistake("--window is hann or none, not ", window);
    r->kind = given(j, AGAINST) ? TN_PLOT_AGAINST : given(j, PHASE) ? TN_PLOT_PHASE
              : given(j, FFT)   ? TN_PLOT_SPECTRUM : TN_PLOT_TIME;
    r->against = text_of(j, AGAINST);
    r->window = window && strcmp(window, "none") == 0 ? TN_WINDOW_NONE : TN_WINDOW_HANN;
    r->max_frequency = j->arguments->options[MAX_FREQUENCY].number;
    r->from = j->arguments->options[FROM].number;
    r->until = j->arguments->options[UNTIL].number;
    return TN_EXIT_OK;
}

static int choose_size(job *j)
{
    const char *text = text_of(j, SIZE);
    if (!text)
        return TN_EXIT_OK;
    char *cross = NULL, *end = NULL;
    long width = strtol(text, &cross, 10), height = *cross == 'x' ? strtol(cross + 1, &end, 10) : 0;
    bool whole = end && *end == '\0' && width >= SMALLEST_SIDE && width <= LARGEST_SIDE && height >= SMALLEST_SIDE &&
                 height <= LARGEST_SIDE;
    if (!whole)
        return mistake("--size is WIDTHxHEIGHT, like 1200x800, not ", text);
    j->chart.width = (int)width;
    j->chart.height = (int)height;
    return TN_EXIT_OK;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* Format by the ending of the picture's name; the name, where none is given, from the first file. */
static int choose_output(job *j)
{
    const char *output = text_of(j, OUTPUT), *results = j->arguments->operands[0];
    if (given(j, TEXT) || (output && strcmp(output, "-") == 0)) {
        j->format = TN_CHART_TEXT;
        if (j->arguments->json)
            return mistake("--text and --json exclude each other: both are for standard output", "");
        return output && strcmp(output, "-") != 0 ? mistake("--text draws on standard output, not in ", output)
                                                  : TN_EXIT_OK;
    }
    const char *name = tn_file_name(results), *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - results) : strlen(results);
    int length = output ? snprintf(j->path, sizeof j->path, "%s", output)
                        : snprintf(j->path, sizeof j->path, "%.*s.png", (int)stem, results);
    if (length >= (int)sizeof j->path) {
        errno = ENAMETOOLONG;
        return tn_file_failed(output ? output : results);
    }
    if (!has_ending(j->path, ".png") && !has_ending(j->path, ".svg"))
        return mistake("--output: the name must end in .png or .svg, not ", output);
    j->format = has_ending(j->path, ".svg") ? TN_CHART_SVG : TN_CHART_PNG;
    return TN_EXIT_OK;
}

/* The first operand is a file; of the others, those that end like one. */
static int open_recordings(job *j)
{
    const tn_arguments *a = j->arguments;
    bool progress = isatty(STDERR_FILENO) && !given(j, QUIET) && !given(j, NO_PROGRESS);
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < a->operand_count && status == TN_EXIT_OK; i++) {
        const char *word = a->operands[i];
        if (i > 0 && !tn_path_is_model(word) && !tn_path_is_results(word))
            j->channels[j->channel_count++] = word;
        else if (tn_same_file(word, j->path))
            return mistake("--output would overwrite ", word);
        else
            status = tn_recording_open(&j->recordings[j->recording_count++], j->context, word, j->request.until,
                                       progress, j->diagnostics);
    }
    j->request.channels = j->channels;
    j->request.channel_count = j->channel_count;
    return status;
}

static int make_chart(job *j)
{
    tn_panel_rule rule = given(j, PANELS) ? TN_PANELS_BY_CHANNEL : given(j, TOGETHER) ? TN_PANELS_ONE
                                                                                      : TN_PANELS_BY_UNIT;
    int status = tn_plot_curves_make(&j->curves, j->recordings, j->recording_count, &j->request);
    if (status == TN_EXIT_OK)
        status = tn_plot_panels_make(&j->panels, &j->curves, j->request.kind, rule);
    if (status != TN_EXIT_OK)
        return status;
    tn_chart *c = &j->chart;
    snprintf(j->description, sizeof j->description, "%s", tn_file_name(j->recordings[0].path));
    c->title = text_of(j, TITLE);
    c->description = c->title ? c->title : j->description;
    c->x = j->panels.x;
    c->panels = j->panels.panels;
    c->panel_count = j->panels.count;
    c->log_x = given(j, LOG_X);
    c->log_y = given(j, LOG_Y);
    c->equal_scales = j->request.kind == TN_PLOT_AGAINST && !c->log_x && !c->log_y &&
                      tn_plot_panels_share_unit(&j->panels);
    return tn_chart_draw(c, j->format, j->path[0] ? j->path : NULL);
}

static cJSON *json_curve(const tn_curve *curve, const tn_plot_curve *source)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "file", source->recording->path);
    cJSON_AddStringToObject(item, "channel", source->y.name);
    cJSON_AddStringToObject(item, "unit", source->y.unit);
    cJSON_AddStringToObject(item, "over", source->x.name);
    cJSON_AddStringToObject(item, "over_unit", source->x.unit);
    if (source->spectrum.samples > 0)
        cJSON_AddNumberToObject(item, "samples", (double)source->spectrum.samples);
    cJSON_AddItemToObject(item, "x", cJSON_CreateDoubleArray(curve->x, (int)curve->count));
    cJSON_AddItemToObject(item, "y", cJSON_CreateDoubleArray(curve->y, (int)curve->count));
    return item;
}

static cJSON *json_panels(const job *j)
{
    cJSON *panels = cJSON_CreateArray();
    for (size_t p = 0, source = 0; p < j->panels.count; p++) {
        const tn_panel *panel = &j->panels.panels[p];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "label", panel->label);
        cJSON_AddStringToObject(item, "unit", panel->unit);
        cJSON *curves = cJSON_AddArrayToObject(item, "curves");
        for (size_t k = 0; k < panel->curve_count; k++)
            cJSON_AddItemToArray(curves, json_curve(&panel->curves[k], j->panels.sources[source++]));
        cJSON_AddItemToArray(panels, item);
    }
    return panels;
}

static void print_json(job *j, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    if (status == TN_EXIT_OK) {
        int width = 0, height = 0;
        tn_chart_size(&width, &height, &j->chart, j->format);
        cJSON_AddStringToObject(document, "picture", j->path);
        cJSON_AddNumberToObject(document, "width", width);
        cJSON_AddNumberToObject(document, "height", height);
        cJSON_AddStringToObject(document, "x", j->chart.x);
        cJSON_AddItemToObject(document, "panels", json_panels(j));
    }
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

static int plot(job *j)
{
    int (*const stages[])(job *) = { choose_kind, choose_size, choose_output, open_recordings, make_chart };
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && status == TN_EXIT_OK; i++)
        status = stages[i](j);
    return status;
}

static int run_plot(tn_context *context, const tn_arguments *arguments)
{
    job *j = tn_allocate(1, sizeof *j);
    j->context = context;
    j->arguments = arguments;
    j->diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    int status = plot(j);
    if (arguments->json)
        print_json(j, status);
    else if (status == TN_EXIT_OK && j->path[0] && !given(j, QUIET))
        puts(j->path);
    tn_plot_panels_free(&j->panels);
    tn_plot_curves_free(&j->curves);
    for (size_t i = 0; i < j->recording_count; i++)
        tn_recording_close(&j->recordings[i]);
    free(j);
    return status;
}

const tn_command tn_command_plot = {
    .name = "plot",
    .summary = "Draw channels of a run, or of a model, as a picture.",
    .details = "RESULTS is a table of a run (CSV or HDF5), or a model, which is run first; more files with the\n"
               "usual endings are compared with it. CHANNEL may be a group (crank.position) or a pattern\n"
               "('*.angle'); without any, all channels are drawn. Channels of one unit share a panel. With --json\n"
               "the answer has the numbers that were drawn. Gnuplot does the drawing.",
    .operands = "RESULTS [CHANNEL...]",
    .min_operands = 1,
    .max_operands = MAX_OPERANDS,
    .options = options,
    .run = run_plot,
};
