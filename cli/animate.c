/* tenon animate: runs a model and writes its motion as a web page that plays it. */
#include "interrupt.h"
#include "motion_page.h"
#include "out_file.h"
#include "parameters.h"
#include "player_page.h"
#include "progress.h"
#include "sliders.h"
#include "solve_options.h"
#include <string.h>
#include <unistd.h>

enum { OUTPUT, FPS, SPEED, UNTIL, STEP, TOLERANCE, INTEGRATOR, SOLVER, SCHEME, SET, PARAMETER, SLIDER, EMBED,
       QUIET, NO_PROGRESS, OPTION_COUNT };

static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "the page; not given: the model's name with .html", "-o" },
    [FPS] = { "--fps", TN_OPTION_POSITIVE, "N", "frames a second of playing; default 60", NULL },
    [SPEED] = { "--speed", TN_OPTION_POSITIVE, "X", "simulated seconds a second of playing; default 1, less for runs "
                "under 2 s", NULL },
    [UNTIL] = { "--until", TN_OPTION_POSITIVE, "T", "end of the run, s", NULL },
    [STEP] = TN_OPTION_STEP,
    [TOLERANCE] = TN_OPTION_TOLERANCE,
    [INTEGRATOR] = TN_OPTION_INTEGRATOR,
    [SOLVER] = TN_OPTION_SOLVER,
    [SCHEME] = TN_OPTION_SCHEME,
    [SET] = TN_OPTION_SET,
    [PARAMETER] = TN_OPTION_PARAMETER,
    [SLIDER] = { "--slider", TN_OPTION_TEXTS, "NAME=LOW:HIGH:COUNT", "the page has a slider for this parameter, with so "
                 "many values: r=100mm:300mm:9; at most 3", NULL },
    [EMBED] = { "--embed", TN_OPTION_FLAG, NULL, "print the line that shows the page within another page", NULL },
    [QUIET] = { "--quiet", TN_OPTION_FLAG, NULL, "say nothing unless something is wrong", "-q" },
    [NO_PROGRESS] = { "--no-progress", TN_OPTION_FLAG, NULL, "no progress bar", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
_Static_assert(sizeof options / sizeof options[0] <= TN_MAX_OPTIONS + 1, "TN_MAX_OPTIONS is too small");

enum { PATH_SIZE = 4096 };
static const double default_fps = 60;
static const double most_bytes = 256e6;        /* of poses: what browsers open without trouble */

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    const char *path;
    char page_path[PATH_SIZE];
    tn_model *model;
    tn_session *session;
    double fps, speed, until;
    tn_parameter_choice parameters;
    tn_sliders sliders;
    tn_playback motion;          /* of the run that is under way */
    size_t frames;             /* of all runs */
    tn_out_file page;
    tn_progress progress;
    cJSON *diagnostics;            /* NULL: the answer is text */
    int code;                      /* how the run ended */
} job;

static const tn_option_value *option(const job *j, int index)
{
    return &j->arguments->options[index];
}

static void choose_timing(job *j, tn_solve *solve)
{
    j->until = solve->until;
    j->fps = option(j, FPS)->given ? option(j, FPS)->number : default_fps;
    j->speed = option(j, SPEED)->given ? option(j, SPEED)->number : tn_playback_speed(solve->until);
    solve->record = j->speed / j->fps;
}

static int read_model(job *j)
{
    int status = tn_parameters_read(&j->model, &j->parameters, j->context, j->path, "animate", option(j, PARAMETER),
                                    j->diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_sliders_read(&j->sliders, j->context, j->model, option(j, SLIDER));
    if (status == TN_EXIT_OK && j->parameters.count + j->sliders.count > TN_MAX_TEXTS) {
        fprintf(stderr, "tenon animate: there are too many values of parameters\n");
        status = TN_EXIT_USAGE;
    }
    return status;
}

/* The model with the values that the sliders have in a run. */
static int read_variant(job *j, size_t run)
{
    if (j->sliders.count == 0)
        return TN_EXIT_OK;
    size_t count = j->parameters.count;
    for (size_t i = 0; i < j->sliders.count; i++)
        j->parameters.items[count++] =
            (tn_setting){ j->sliders.items[i].name, tn_slider_value(&j->sliders, run, i) };
    tn_model_destroy(j->model);
    j->model = NULL;
    int code = tn_model_read_with(&j->model, j->context, j->path, j->parameters.items, count);
    return tn_diagnostics_flush(j->context, code, j->diagnostics);
}

static int open_session(job *j, size_t run)
{
    tn_solve_choice choice;
    int status = read_variant(j, run);
    if (status == TN_EXIT_OK)
        status = tn_solve_choose(&choice, j->model, "animate", options, j->arguments);
    if (status != TN_EXIT_OK)
        return status;
    choose_timing(j, &choice.solve);
    status = tn_diagnostics_flush(j->context, tn_session_open(&j->session, j->model, &choice.solve), j->diagnostics);
    if (status == TN_EXIT_OK && run == 0 && !option(j, QUIET)->given && !j->diagnostics)
        tn_gaps_print(j->model, j->session, stderr);
    return status;
}

static int open_motion(job *j)
{
    double bytes = (double)j->sliders.runs * tn_playback_bytes(j->model, j->until, j->speed, j->fps);
    if (!(bytes <= most_bytes)) {
        fprintf(stderr, "tenon animate: %.3g MB of frames are too many for a page: choose a smaller --fps or --until, a "
                "larger --speed%s\n", bytes * 1e-6, j->sliders.count > 0 ? ", or fewer values of sliders" : "");
        return TN_EXIT_USAGE;
    }
    return tn_playback_open(&j->motion, j->model, j->until, j->speed, j->fps) ? TN_EXIT_OK : tn_out_of_memory();
}

/* Only after the model has proved sound, and before the time a run takes: what cannot be written is known at once. */
static int open_page(job *j)
{
    int status = tn_out_check("animate", "--output", j->page_path, j->path, j->model);
    return status == TN_EXIT_OK ? tn_out_open(&j->page, j->page_path) : status;
}

static void on_sample(void *user, const double *values, size_t count)
{
    job *j = user;
    (void)count;
    tn_playback_take(&j->motion, j->model, j->session, values[0]);
}

static int after_step(void *user, const tn_session *session)
{
    job *j = user;
    tn_progress_update(&j->progress, tn_session_time(session));
    return tn_interrupted();
}

static int simulate(job *j)
{
    bool shown = isatty(STDERR_FILENO) && !option(j, QUIET)->given && !option(j, NO_PROGRESS)->given;
    tn_interrupt_catch();
    j->progress = tn_progress_start(shown, j->until);
    tn_session_on_sample(j->session, on_sample, j);
    tn_session_on_step(j->session, after_step, j);
    j->code = tn_session_run(j->session);
    tn_progress_end(&j->progress);
    tn_playback_take_end(&j->motion, j->model, j->session);
    return tn_diagnostics_flush(j->context, j->code, j->diagnostics);
}

/* Text within a quoted attribute. */
static void print_escaped(const char *text)
{
    for (const char *c = text; *c; c++)
        if (strchr("&<>\"", *c))
            printf("&#%d;", *c);
        else
            putchar(*c);
}

static void print_snippet(const job *j)
{
    fputs("<iframe src=\"", stdout);
    print_escaped(tn_file_name(j->page_path));
    fputs("\" title=\"", stdout);
    print_escaped(tn_model_name(j->model));
    puts("\" width=\"800\" height=\"500\" style=\"border: 0\" loading=\"lazy\"></iframe>");
}

static void print_answer(job *j, int status, bool written)
{
    if (!j->diagnostics) {
        if (written && !option(j, QUIET)->given)
            fprintf(stderr, "%s: %zu frames, %.6g s at %.3g x real time; open it in a browser\n", j->page_path,
                    j->frames, j->motion.last, j->speed);
        if (written && option(j, EMBED)->given)
            print_snippet(j);
        return;
    }
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->path);
    if (written) {
        cJSON_AddStringToObject(document, "name", tn_model_name(j->model));
        cJSON_AddStringToObject(document, "end", tn_end_text(j->code));
        cJSON_AddStringToObject(document, "page", j->page_path);
        cJSON_AddNumberToObject(document, "frames", (double)j->frames);
        cJSON_AddNumberToObject(document, "runs", (double)j->sliders.runs);
        cJSON_AddNumberToObject(document, "time", j->motion.last);
        cJSON_AddNumberToObject(document, "speed", j->speed);
        cJSON_AddNumberToObject(document, "fps", j->fps);
    }
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

/* --output, or the model's file name with .html in the working folder. */
static void choose_page_path(job *j)
{
    if (option(j, OUTPUT)->given) {
        snprintf(j->page_path, sizeof j->page_path, "%s", option(j, OUTPUT)->text);
        return;
    }
    const char *name = tn_file_name(j->path), *dot = strrchr(name, '.');
    int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    snprintf(j->page_path, sizeof j->page_path, "%.*s.html", length, name);
}

/* One run, into the page. A run that ends early is shown up to there; a model that cannot be run at all is an error. */
static int animate_run(job *j, size_t run)
{
    int status = open_session(j, run);
    if (status == TN_EXIT_OK)
        status = open_motion(j);
    if (status == TN_EXIT_OK && run == 0 && (status = open_page(j)) == TN_EXIT_OK)
        tn_motion_page_begin(j->page.stream, tn_player_page);
    if (status == TN_EXIT_OK) {
        status = simulate(j);
        tn_motion_page_add(j->page.stream, run, j->model, &j->motion);
        j->frames += j->motion.frames;
    } else if (j->page.stream) {
        tn_out_abandon(&j->page, false);
    }
    tn_playback_close(&j->motion);
    tn_session_close(j->session);
    j->session = NULL;
    return status;
}

static int animate(tn_context *context, const tn_arguments *arguments)
{
    if (tn_player_page[0] == '\0') {
        fprintf(stderr, "tenon animate: this program was built without its player (TENON_WEB=OFF)\n");
        return TN_EXIT_USAGE;
    }
    job j = { .context = context, .arguments = arguments, .path = arguments->operands[0] };
    j.diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    choose_page_path(&j);
    int status = read_model(&j);
    for (size_t run = 0; run < j.sliders.runs && (status == TN_EXIT_OK || (run > 0 && j.page.stream)); run++) {
        int ended = animate_run(&j, run);
        status = status == TN_EXIT_OK ? ended : status;
        if (status != TN_EXIT_OK && tn_interrupted())
            j.sliders.runs = run + 1;
    }
    bool written = j.page.stream != NULL;
    if (written) {
        tn_motion_page_end(j.page.stream, tn_player_page, &j.sliders);
        int closed = tn_out_finish(&j.page);
        written = closed == TN_EXIT_OK;
        status = status == TN_EXIT_OK ? closed : status;
    }
    print_answer(&j, status, written);
    tn_model_destroy(j.model);
    return status;
}

const tn_command tn_command_animate = {
    .name = "animate",
    .summary = "Simulate a model and write its motion as a web page that plays it.",
    .details = "The page is one file that needs no network. Ctrl-C ends the run; the page shows the motion up to\n"
               "there.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = animate,
};
