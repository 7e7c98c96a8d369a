#include "interrupt.h"
#include "parameters.h"
#include "progress.h"
#include "run_report.h"
#include "solve_options.h"
#include <string.h>
#include <unistd.h>

enum { OUTPUT, UNTIL, STEP, TOLERANCE, RECORD, INTEGRATOR, SOLVER, SCHEME, SET, PARAMETER, STATE, HASH, QUIET,
       NO_PROGRESS, OPTION_COUNT };

static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write to FILE, not to standard output; NAME.h5: HDF5", "-o" },
    [UNTIL] = { "--until", TN_OPTION_POSITIVE, "T", "end of the run, s", NULL },
    [STEP] = TN_OPTION_STEP,
    [TOLERANCE] = TN_OPTION_TOLERANCE,
    [RECORD] = TN_OPTION_RECORD,
    [INTEGRATOR] = TN_OPTION_INTEGRATOR,
    [SOLVER] = TN_OPTION_SOLVER,
    [SCHEME] = TN_OPTION_SCHEME,
    [SET] = TN_OPTION_SET,
    [PARAMETER] = TN_OPTION_PARAMETER,
    [STATE] = { "--state", TN_OPTION_TEXT, "FILE", "write the state at the end of the run to FILE", NULL },
    [HASH] = { "--hash", TN_OPTION_FLAG, NULL, "print the hash of the final state in place of the table", NULL },
    [QUIET] = { "--quiet", TN_OPTION_FLAG, NULL, "say nothing unless something is wrong", "-q" },
    [NO_PROGRESS] = { "--no-progress", TN_OPTION_FLAG, NULL, "no progress bar", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
_Static_assert(sizeof options / sizeof options[0] <= TN_MAX_OPTIONS + 1, "TN_MAX_OPTIONS is too small");

enum { PATH_SIZE = 4096 };

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    const char *path;
    tn_model *model;
    tn_session *session;
    double until;                  /* s */
    FILE *table;                   /* CSV; NULL: none is written */
    tn_progress progress;
    cJSON *diagnostics;            /* NULL: the answer is text */
    char state_path[PATH_SIZE];    /* where the state was saved; "": nowhere */
    int code;                      /* how the run ended */
} job;

static bool given(const job *j, int option)
{
    return j->arguments->options[option].given;
}

static const char *text_of(const job *j, int option)
{
    return j->arguments->options[option].text;
}

static int first_failure(int status, int later)
{
    return status != TN_EXIT_OK ? status : later;
}

static int open_session(job *j)
{
    tn_solve_choice choice;
    tn_parameter_choice parameters;
    const tn_option_value *values = &j->arguments->options[PARAMETER];
    int status = tn_parameters_read(&j->model, &parameters, j->context, j->path, "run", values, j->diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_solve_choose(&choice, j->model, "run", options, j->arguments);
    if (status != TN_EXIT_OK)
        return status;
    j->until = choice.solve.until;
    status = tn_diagnostics_flush(j->context, tn_session_open(&j->session, j->model, &choice.solve), j->diagnostics);
    if (status == TN_EXIT_OK && !given(j, QUIET) && !j->diagnostics)
        tn_gaps_print(j->model, j->session, stderr);
    return status;
}

static bool is_hdf5_name(const char *path)
{
    const char *ending = strrchr(tn_file_name(path), '.');
    return ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0);
}

/* Only after the model has proved sound: a mistake in it does not cost the table of the last run. */
static int open_table(job *j)
{
    const char *path = text_of(j, OUTPUT);
    if (path && tn_same_file(path, j->path)) {
        fprintf(stderr, "tenon run: --output: '%s' is the model itself\n", path);
        return TN_EXIT_USAGE;
    }
    if (path && is_hdf5_name(path))
        return tn_diagnostics_flush(j->context, tn_session_record_hdf5(j->session, path), j->diagnostics);
    if (path && !(j->table = fopen(path, "w")))
        return tn_file_failed(path);
    if (!path && !j->diagnostics && !given(j, HASH))
        j->table = stdout;
    if (!j->table)
        return TN_EXIT_OK;
    return tn_diagnostics_flush(j->context, tn_session_record_csv(j->session, j->table), j->diagnostics);
}

/* What was recorded is in the file after this. status: so far. */
static int close_table(job *j, int status)
{
    int code = j->session ? tn_session_record_end(j->session) : TN_OK;
    status = first_failure(status, tn_diagnostics_flush(j->context, code, j->diagnostics));
    if (!j->table || j->table == stdout)
        return status;
    if (status != TN_EXIT_FILE)                        /* otherwise the reason is told already */
        return first_failure(status, tn_file_close(j->table, text_of(j, OUTPUT)));
    fclose(j->table);
    return status;
}

/* Ends the run when someone wants it to end. */
static int after_step(void *user, const tn_session *session)
{
    job *j = user;
    tn_progress_update(&j->progress, tn_session_time(session));
    return tn_interrupted();
}

/* On a terminal, unless the rows of the table pass there too. */
static bool wants_progress(const job *j)
{
    bool rows_on_screen = j->table == stdout && isatty(STDOUT_FILENO);
    return isatty(STDERR_FILENO) && !rows_on_screen && !given(j, QUIET) && !given(j, NO_PROGRESS);
}

static int simulate(job *j)
{
    tn_interrupt_catch();
    j->progress = tn_progress_start(wants_progress(j), j->until);
    tn_session_on_step(j->session, after_step, j);
    j->code = tn_session_run(j->session);
    tn_progress_end(&j->progress);
    return tn_diagnostics_flush(j->context, j->code, j->diagnostics);
}

/* --state, or after a failed step the model's file name with .state.yaml in the working folder; "" for none. */
static void choose_state_path(job *j)
{
    if (given(j, STATE)) {
        snprintf(j->state_path, sizeof j->state_path, "%s", text_of(j, STATE));
    } else if (j->code == TN_ERROR_STEP) {
        const char *name = tn_file_name(j->path), *dot = strrchr(name, '.');
        int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
        snprintf(j->state_path, sizeof j->state_path, "%.*s.state.yaml", length, name);
    }
}

static int save_state(job *j)
{
    choose_state_path(j);
    if (!j->state_path[0])
        return TN_EXIT_OK;
    FILE *out = fopen(j->state_path, "w");
    if (!out)
        return tn_file_failed(j->state_path);
    int status = tn_diagnostics_flush(j->context, tn_session_write_state(j->session, out), j->diagnostics);
    status = first_failure(status, tn_file_close(out, j->state_path));
    if (status == TN_EXIT_OK && (j->code < 0 || !given(j, QUIET)))
        fprintf(stderr, "tenon: the %sstate at t = %.9g s is in '%s'\n", j->code < 0 ? "last good " : "",
                tn_session_time(j->session), j->state_path);
    return status;
}

static void print_report(const job *j)
{
    bool quiet = given(j, QUIET);
    if (!quiet)
        tn_summary_print(j->model, j->session, j->until, stderr);
    tn_verdicts_print(j->session, quiet, stderr);
    if (given(j, HASH)) {
        char hash[TN_HASH_TEXT];
        puts(tn_hash_text(hash, j->session));
    }
}

static void print_json(const job *j, int status)
{
    const char *end = j->code == TN_NEWS_INTERRUPTED ? "interrupted" : j->code < 0 ? "failed" : "complete";
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->path);
    if (j->session) {
        cJSON_AddStringToObject(document, "name", tn_model_name(j->model));
        cJSON_AddStringToObject(document, "end", end);
        cJSON_AddItemToObject(document, "summary", tn_json_summary(j->model, j->session));
        cJSON_AddItemToObject(document, "verdicts", tn_json_verdicts(j->session));
        cJSON_AddItemToObject(document, "gaps", tn_json_gaps(j->model, j->session));
        if (given(j, OUTPUT))
            cJSON_AddStringToObject(document, "table", text_of(j, OUTPUT));
        if (j->state_path[0])
            cJSON_AddStringToObject(document, "state", j->state_path);
    }
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

static int run_model(tn_context *context, const tn_arguments *arguments)
{
    job j = { .context = context, .arguments = arguments, .path = arguments->operands[0] };
    j.diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    int status = open_session(&j);
    if (status == TN_EXIT_OK)
        status = open_table(&j);
    bool ready = status == TN_EXIT_OK;
    if (ready)
        status = simulate(&j);
    status = close_table(&j, status);
    if (ready) {
        status = first_failure(status, save_state(&j));
        status = first_failure(status, tn_verdicts_hold(j.session) ? TN_EXIT_OK : TN_EXIT_EXPECT);
    }
    if (j.diagnostics)
        print_json(&j, status);
    else if (ready)
        print_report(&j);
    tn_session_close(j.session);
    tn_model_destroy(j.model);
    return status;
}

const tn_command tn_command_run = {
    .name = "run",
    .summary = "Simulate a model and write its outputs as a table, CSV or HDF5.",
    .details = "Ctrl-C ends the run; the table is valid up to that instant. With --json the summary is the answer,\n"
               "and the table is written only where --output says. When a step fails, the last good state is saved:\n"
               "to the file of --state, or in the working folder under the model's name with .state.yaml.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_model,
};
