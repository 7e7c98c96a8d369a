/* tenon animate: runs a model and writes its motion as a web page that plays it. */
#include "base64.h"
#include "interrupt.h"
#include "out_file.h"
#include "parameters.h"
#include "player_page.h"
#include "progress.h"
#include "scene.h"
#include "solve_options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, FPS, SPEED, UNTIL, STEP, TOLERANCE, INTEGRATOR, SOLVER, SCHEME, SET, PARAMETER, QUIET, NO_PROGRESS,
       OPTION_COUNT };

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
    [QUIET] = { "--quiet", TN_OPTION_FLAG, NULL, "say nothing unless something is wrong", "-q" },
    [NO_PROGRESS] = { "--no-progress", TN_OPTION_FLAG, NULL, "no progress bar", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
_Static_assert(sizeof options / sizeof options[0] <= TN_MAX_OPTIONS + 1, "TN_MAX_OPTIONS is too small");

enum { PATH_SIZE = 4096, POSE_WORDS = 7 };
static const double default_fps = 60;
static const double least_playing = 2;         /* s: a shorter run is played slower, else nobody sees it */
static const double most_bytes = 256e6;        /* of poses: what browsers open without trouble */
static const double same_time = 1e-6;          /* part of a frame */

/* One row a frame: the time, then position and quaternion (w first) of every body. */
typedef struct recording {
    tn_word *words;
    size_t row_words, frames, capacity;
    double last;                   /* s: time of the last frame */
} recording;

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    const char *path;
    char page_path[PATH_SIZE];
    tn_model *model;
    tn_session *session;
    double fps, speed, until;
    recording recording;
    tn_out_file page;
    tn_progress progress;
    cJSON *diagnostics;            /* NULL: the answer is text */
    int code;                      /* how the run ended */
} job;

static const tn_option_value *option(const job *j, int index)
{
    return &j->arguments->options[index];
}

/* The largest of 1, 1/2, 1/5, 1/10, 1/20, ... with which playing takes long enough to be seen. */
static double choose_speed(double until)
{
    double slower = 1;
    for (int k = 0; until > 0 && until * slower < least_playing; k++)
        slower *= k % 3 == 1 ? 2.5 : 2;
    return 1 / slower;
}

static void choose_timing(job *j, tn_solve *solve)
{
    j->until = solve->until;
    j->fps = option(j, FPS)->given ? option(j, FPS)->number : default_fps;
    j->speed = option(j, SPEED)->given ? option(j, SPEED)->number : choose_speed(solve->until);
    solve->record = j->speed / j->fps;
}

static int open_session(job *j)
{
    tn_solve_choice choice;
    tn_parameter_choice parameters;
    int status = tn_parameters_read(&j->model, &parameters, j->context, j->path, "animate", option(j, PARAMETER),
                                    j->diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_solve_choose(&choice, j->model, "animate", options, j->arguments);
    if (status != TN_EXIT_OK)
        return status;
    choose_timing(j, &choice.solve);
    status = tn_diagnostics_flush(j->context, tn_session_open(&j->session, j->model, &choice.solve), j->diagnostics);
    if (status == TN_EXIT_OK && !option(j, QUIET)->given && !j->diagnostics)
        tn_gaps_print(j->model, j->session, stderr);
    return status;
}

/* Room for all frames, and for the last state when it falls between two of them. */
static int open_recording(job *j)
{
    recording *r = &j->recording;
    r->row_words = 1 + POSE_WORDS * tn_model_count(j->model, TN_KIND_BODY);
    double frames = floor(j->until * j->fps / j->speed) + 3, bytes = frames * (double)(r->row_words * sizeof *r->words);
    if (!(bytes <= most_bytes)) {
        fprintf(stderr, "tenon animate: %.3g frames of %.3g MB in all are too many for a page: choose a smaller --fps "
                "or --until, or a larger --speed\n", frames, bytes * 1e-6);
        return TN_EXIT_USAGE;
    }
    r->capacity = (size_t)frames;
    r->words = malloc(r->capacity * r->row_words * sizeof *r->words);
    return r->words ? TN_EXIT_OK : tn_out_of_memory();
}

/* Only after the model has proved sound, and before the time a run takes: what cannot be written is known at once. */
static int open_page(job *j)
{
    if (tn_same_file(j->page_path, j->path)) {
        fprintf(stderr, "tenon animate: --output: '%s' is the model itself\n", j->page_path);
        return TN_EXIT_USAGE;
    }
    return tn_out_open(&j->page, j->page_path);
}

static void take_frame(job *j, double t)
{
    recording *r = &j->recording;
    if (r->frames == r->capacity)
        return;
    tn_word *row = r->words + r->frames++ * r->row_words;
    r->last = t;
    (row++)->number = (float)t;
    for (size_t b = 0; b < tn_model_count(j->model, TN_KIND_BODY); b++) {
        tn_pose pose = tn_pose_identity();
        tn_session_pose(&pose, j->session, tn_model_at(j->model, TN_KIND_BODY, b));
        for (int k = 0; k < 3; k++)
            (row++)->number = (float)pose.p[k];
        for (int k = 0; k < 4; k++)
            (row++)->number = (float)pose.q[k];
    }
}

static void on_sample(void *user, const double *values, size_t count)
{
    (void)count;
    take_frame(user, values[0]);
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
    double end = tn_session_time(j->session);
    if (j->recording.frames == 0 || end - j->recording.last > same_time * j->speed / j->fps)
        take_frame(j, end);
    return tn_diagnostics_flush(j->context, j->code, j->diagnostics);
}

/* JSON within a page: no text in it, whatever it says, can end the element it stands in. */
static void write_json(FILE *out, cJSON *document)
{
    char *text = cJSON_PrintUnformatted(document);
    for (const char *c = text; *c; c++)
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    cJSON_free(text);
    cJSON_Delete(document);
}

static void write_page(job *j)
{
    const char *mark = strstr(tn_player_page, TN_PLAYER_MARK);
    const recording *r = &j->recording;
    cJSON *scene = tn_json_scene(j->model);
    cJSON_AddStringToObject(scene, "generator", "tenon " TENON_VERSION);
    cJSON_AddNumberToObject(scene, "speed", j->speed);
    cJSON_AddNumberToObject(scene, "fps", j->fps);
    fwrite(tn_player_page, 1, (size_t)(mark - tn_player_page), j->page.stream);
    fputs("<script type=\"application/json\" id=\"scene\">", j->page.stream);
    write_json(j->page.stream, scene);
    fputs("</script>\n<script type=\"text/plain\" id=\"motion\">", j->page.stream);
    tn_base64_write(j->page.stream, r->words, r->frames * r->row_words);
    fputs("</script>", j->page.stream);
    fputs(mark + strlen(TN_PLAYER_MARK), j->page.stream);
}

static void print_answer(job *j, int status, bool written)
{
    if (!j->diagnostics) {
        if (written && !option(j, QUIET)->given)
            fprintf(stderr, "%s: %zu frames, %.6g s at %.3g x real time; open it in a browser\n", j->page_path,
                    j->recording.frames, j->recording.last, j->speed);
        return;
    }
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->path);
    if (written) {
        cJSON_AddStringToObject(document, "name", tn_model_name(j->model));
        cJSON_AddStringToObject(document, "end", tn_end_text(j->code));
        cJSON_AddStringToObject(document, "page", j->page_path);
        cJSON_AddNumberToObject(document, "frames", (double)j->recording.frames);
        cJSON_AddNumberToObject(document, "time", j->recording.last);
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

/* A run that ends early is shown up to there. */
static int animate(tn_context *context, const tn_arguments *arguments)
{
    if (tn_player_page[0] == '\0') {
        fprintf(stderr, "tenon animate: this program was built without its player (TENON_WEB=OFF)\n");
        return TN_EXIT_USAGE;
    }
    job j = { .context = context, .arguments = arguments, .path = arguments->operands[0] };
    j.diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    choose_page_path(&j);
    int status = open_session(&j);
    if (status == TN_EXIT_OK)
        status = open_recording(&j);
    if (status == TN_EXIT_OK)
        status = open_page(&j);
    bool written = status == TN_EXIT_OK;
    if (written) {
        status = simulate(&j);
        write_page(&j);
        int closed = tn_out_finish(&j.page);
        written = closed == TN_EXIT_OK;
        status = status == TN_EXIT_OK ? closed : status;
    }
    print_answer(&j, status, written);
    free(j.recording.words);
    tn_session_close(j.session);
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
