#include "run_job.h"
#include "interrupt.h"
#include "parameters.h"
#include "run_report.h"
#include "solve_options.h"
#include <string.h>
#include <unistd.h>

bool tn_run_given(const tn_run_job *j, const char *option)
{
    const tn_option_value *value = tn_option_value_of(j->kind->options, j->arguments, option);
    return value && value->given;
}

static const char *text_of(const tn_run_job *j, const char *option)
{
    const tn_option_value *value = tn_option_value_of(j->kind->options, j->arguments, option);
    return value ? value->text : NULL;
}

static int first_failure(int status, int later)
{
    return status != TN_EXIT_OK ? status : later;
}

static int open_session(tn_run_job *j)
{
    tn_solve_choice choice;
    tn_parameter_choice parameters;
    const tn_run_kind *kind = j->kind;
    const tn_option_value *values = tn_option_value_of(kind->options, j->arguments, "--parameter");
    int status = tn_parameters_read(&j->model, &parameters, j->context, j->path, kind->command, values, j->diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_solve_choose(&choice, j->model, kind->command, kind->options, j->arguments);
    if (status != TN_EXIT_OK)
        return status;
    j->until = choice.solve.until;
    status = tn_diagnostics_flush(j->context, kind->open(&j->session, j->model, &choice.solve), j->diagnostics);
    if (status == TN_EXIT_OK && !tn_run_given(j, "--quiet") && !j->diagnostics)
        tn_gaps_print(j->model, j->session, stderr);
    return status;
}

static bool is_hdf5_name(const char *path)
{
    const char *ending = strrchr(tn_file_name(path), '.');
    return ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0);
}

/* Only after the model has proved sound: a mistake in it does not cost the table of the last run. */
static int open_table(tn_run_job *j)
{
    const char *path = text_of(j, "--output");
    if (path && tn_same_file(path, j->path)) {
        fprintf(stderr, "tenon %s: --output: '%s' is the model itself\n", j->kind->command, path);
        return TN_EXIT_USAGE;
    }
    if (path && is_hdf5_name(path))
        return tn_diagnostics_flush(j->context, tn_session_record_hdf5(j->session, path), j->diagnostics);
    if (path && !(j->table = fopen(path, "w")))
        return tn_file_failed(path);
    if (!path && !j->diagnostics && !tn_run_given(j, "--hash"))
        j->table = stdout;
    if (!j->table)
        return TN_EXIT_OK;
    return tn_diagnostics_flush(j->context, tn_session_record_csv(j->session, j->table), j->diagnostics);
}

/* What was recorded is in the file after this. status: so far. */
static int close_table(tn_run_job *j, int status)
{
    int code = j->session ? tn_session_record_end(j->session) : TN_OK;
    status = first_failure(status, tn_diagnostics_flush(j->context, code, j->diagnostics));
    if (!j->table || j->table == stdout)
        return status;
    if (status != TN_EXIT_FILE)                        /* otherwise the reason is told already */
        return first_failure(status, tn_file_close(j->table, text_of(j, "--output")));
    fclose(j->table);
    return status;
}

/* Ends the run when someone wants it to end. */
static int after_step(void *user, const tn_session *session)
{
    tn_run_job *j = user;
    tn_progress_update(&j->progress, tn_session_time(session));
    return tn_interrupted();
}

/* On a terminal, unless the rows of the table pass there too. */
static bool wants_progress(const tn_run_job *j)
{
    bool rows_on_screen = j->table == stdout && isatty(STDOUT_FILENO);
    return isatty(STDERR_FILENO) && !rows_on_screen && !tn_run_given(j, "--quiet") && !tn_run_given(j, "--no-progress");
}

static int simulate(tn_run_job *j)
{
    tn_interrupt_catch();
    j->progress = tn_progress_start(wants_progress(j), j->until);
    tn_session_on_step(j->session, after_step, j);
    j->code = tn_session_run(j->session);
    tn_progress_end(&j->progress);
    return tn_diagnostics_flush(j->context, j->code, j->diagnostics);
}

/* --state, or after a failed step the model's file name with .state.yaml in the working folder; "" for none. */
static void choose_state_path(tn_run_job *j)
{
    if (tn_run_given(j, "--state")) {
        snprintf(j->state_path, sizeof j->state_path, "%s", text_of(j, "--state"));
    } else if (j->code == TN_ERROR_STEP && j->kind->saves_failed) {
        const char *name = tn_file_name(j->path), *dot = strrchr(name, '.');
        int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
        snprintf(j->state_path, sizeof j->state_path, "%.*s.state.yaml", length, name);
    }
}

static int save_state(tn_run_job *j)
{
    choose_state_path(j);
    if (!j->state_path[0])
        return TN_EXIT_OK;
    FILE *out = fopen(j->state_path, "w");
    if (!out)
        return tn_file_failed(j->state_path);
    int status = tn_diagnostics_flush(j->context, tn_session_write_state(j->session, out), j->diagnostics);
    status = first_failure(status, tn_file_close(out, j->state_path));
    if (status == TN_EXIT_OK && (j->code < 0 || !tn_run_given(j, "--quiet")))
        fprintf(stderr, "tenon: the %sstate at t = %.9g s is in '%s'\n", j->code < 0 ? "last good " : "",
                tn_session_time(j->session), j->state_path);
    return status;
}

static void print_report(const tn_run_job *j)
{
    bool quiet = tn_run_given(j, "--quiet");
    if (!quiet)
        j->kind->print(j, stderr);
    tn_verdicts_print(j->session, quiet, stderr);
    if (tn_run_given(j, "--hash")) {
        char hash[TN_HASH_TEXT];
        puts(tn_hash_text(hash, j->session));
    }
}

static void print_json(const tn_run_job *j, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->path);
    if (j->session) {
        cJSON_AddStringToObject(document, "name", tn_model_name(j->model));
        cJSON_AddStringToObject(document, "end", tn_end_text(j->code));
        j->kind->add(document, j);
        cJSON_AddItemToObject(document, "verdicts", tn_json_verdicts(j->session));
        cJSON_AddItemToObject(document, "gaps", tn_json_gaps(j->model, j->session));
        if (tn_run_given(j, "--output"))
            cJSON_AddStringToObject(document, "table", text_of(j, "--output"));
        if (j->state_path[0])
            cJSON_AddStringToObject(document, "state", j->state_path);
    }
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

int tn_run_job_do(tn_context *context, const tn_arguments *arguments, const tn_run_kind *kind)
{
    tn_run_job j = { .kind = kind, .context = context, .arguments = arguments, .path = arguments->operands[0] };
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
