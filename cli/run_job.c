/* Opens, records and reports a run, for the commands that run a model. */
#include "run_job.h"
#include "interrupt.h"
#include "parameters.h"
#include "run_report.h"
#include "solve_options.h"
#include "out_file.h"
#include "text_file.h"
#include <stdlib.h>
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

/* A file that is written, by one process only; NULL: none. */
static const char *written_to(const tn_run_job *j, const char *option)
{
    return tn_ranks_speak(j->ranks) ? text_of(j, option) : NULL;
}

/* Says what is wrong; returns the exit status for the code. */
static int explain(tn_run_job *j, int code)
{
    if (code == TN_ERROR_TEAM)
        return tn_ranks_explain(j->ranks, j->diagnostics);
    return tn_diagnostics_flush(j->context, code, j->diagnostics);
}

static bool is_saved_run(const char *path)
{
    const char *ending = strrchr(tn_file_name(path), '.');
    return ending && strcmp(ending, ".tenon") == 0;
}

/* Applies the settings of the command line. Ranks share the work of one solver only. */
static int choose(tn_run_job *j, tn_solve_choice *choice, tn_solve base)
{
    const char *own = base.solver;
    if (j->ranks)
        base.solver = tn_ranks_solver;
    int status = tn_solve_choose_from(choice, &base, j->kind->command, j->kind->options, j->arguments);
    if (status != TN_EXIT_OK || !j->ranks)
        return status;
    if (strcmp(choice->solve.solver, tn_ranks_solver) != 0) {
        fprintf(stderr, "tenon %s: --solver: '%s' cannot be shared by several processes; '%s' can\n",
                j->kind->command, choice->solve.solver, tn_ranks_solver);
        return TN_EXIT_USAGE;
    }
    if (strcmp(own, tn_ranks_solver) != 0 && !tn_run_given(j, "--quiet") && !tn_run_given(j, "--solver"))
        fprintf(stderr, "tenon %s: solver '%s' in place of '%s', which several processes cannot share\n",
                j->kind->command, tn_ranks_solver, own);
    return TN_EXIT_OK;
}

/* All processes must see the same saved run before they open it. */
static int compare_saved(tn_run_job *j)
{
    uint64_t hash = 0;
    char *text = NULL;
    size_t size = 0;
    int status = j->ranks ? tn_text_file_read(&text, &size, j->path) : TN_EXIT_OK;
    for (size_t k = 0; k < size; k++)
        hash = 31 * hash + (unsigned char)text[k];
    free(text);
    return status == TN_EXIT_OK ? tn_ranks_compare(j->ranks, hash) : status;
}

/* Goes on where the run was saved. */
static int load_session(tn_run_job *j)
{
    tn_solve_choice choice;
    if (tn_run_given(j, "--parameter")) {
        fprintf(stderr, "tenon %s: --parameter: a saved run has its parameters; change them in its model\n",
                j->kind->command);
        return TN_EXIT_USAGE;
    }
    int status = compare_saved(j);
    if (status == TN_EXIT_OK)
        status = explain(j, tn_session_load(&j->session, j->context, j->path));
    if (status == TN_EXIT_OK)
        status = tn_ranks_place(j->ranks, tn_session_model(j->session), j->diagnostics);
    if (status != TN_EXIT_OK || (!j->ranks && !tn_solve_is_chosen(j->kind->options, j->arguments)))
        return status;
    status = choose(j, &choice, tn_session_solve(j->session));
    if (status == TN_EXIT_OK)
        status = explain(j, tn_session_set_solve(j->session, &choice.solve));
    return status;
}

static int read_session(tn_run_job *j)
{
    tn_solve_choice choice;
    tn_parameter_choice parameters;
    const tn_run_kind *kind = j->kind;
    const tn_option_value *values = tn_option_value_of(kind->options, j->arguments, "--parameter");
    int status = tn_parameters_read(&j->model, &parameters, j->context, j->path, kind->command, values, j->diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_ranks_compare(j->ranks, tn_model_hash(j->model));
    if (status == TN_EXIT_OK)
        status = tn_ranks_place(j->ranks, j->model, j->diagnostics);
    if (status == TN_EXIT_OK)
        status = choose(j, &choice, tn_model_solve(j->model));
    if (status != TN_EXIT_OK)
        return status;
    status = explain(j, kind->open(&j->session, j->model, &choice.solve));
    if (status == TN_EXIT_OK && !tn_run_given(j, "--quiet") && !j->diagnostics) {
        tn_gaps_print(j->model, j->session, stderr);
        tn_start_values_print(j->model, j->session, stderr, TN_START_VALUES_SHOWN);
    }
    return status;
}

static int open_session(tn_run_job *j)
{
    int status = j->kind->loads && is_saved_run(j->path) ? load_session(j) : read_session(j);
    if (status == TN_EXIT_OK)
        status = tn_edits_open(&j->edits, j->context, text_of(j, "--script"), j->diagnostics);
    if (status == TN_EXIT_OK)
        j->until = tn_session_solve(j->session).until;
    return status;
}

/* Files that are written must not be the model, nor each other; a saved run may be replaced by its continuation. */
static int check_files(const tn_run_job *j)
{
    static const char *const written[] = { "--output", "--journal", "--save", "--state", "--impacts" };
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        const char *path = written_to(j, written[i]);
        bool goes_on = strcmp(written[i], "--save") == 0 && is_saved_run(j->path), state = strcmp(written[i], "--state") == 0;
        if (path && tn_out_check(j->kind->command, written[i], path, goes_on ? NULL : j->path, state ? NULL : j->model) != TN_EXIT_OK)
            return TN_EXIT_USAGE;
        if (path && text_of(j, "--script") && tn_same_file(path, text_of(j, "--script"))) {
            fprintf(stderr, "tenon %s: %s: '%s' is the script\n", j->kind->command, written[i], path);
            return TN_EXIT_USAGE;
        }
        for (size_t k = 0; k < i; k++)
            if (path && text_of(j, written[k]) && strcmp(path, text_of(j, written[k])) == 0) {
                fprintf(stderr, "tenon %s: %s and %s are both '%s'\n", j->kind->command, written[k], written[i], path);
                return TN_EXIT_USAGE;
            }
    }
    return TN_EXIT_OK;
}

/* Only after model and script have proved sound: a mistake does not cost the files of the last run. */
static int open_files(tn_run_job *j)
{
    bool to_stdout = !j->diagnostics && !tn_run_given(j, "--hash");
    const char *journal = written_to(j, "--journal");
    int status = check_files(j);
    if (status == TN_EXIT_OK)
        status = tn_table_open(&j->table, j->context, j->session, written_to(j, "--output"), to_stdout,
                               j->diagnostics);
    if (status == TN_EXIT_OK && journal)
        status = tn_diagnostics_flush(j->context, tn_session_journal(j->session, journal), j->diagnostics);
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
    bool rows_on_screen = j->table.stream == stdout && isatty(STDOUT_FILENO);
    return isatty(STDERR_FILENO) && !rows_on_screen && !tn_run_given(j, "--quiet") && !tn_run_given(j, "--no-progress");
}

/* In words, unless the answer is JSON. */
static void after_edit(void *user, const tn_ack *ack)
{
    tn_run_job *j = user;
    if (tn_run_given(j, "--quiet") || j->diagnostics)
        return;
    tn_progress_end(&j->progress);
    tn_edit_print(ack, j->edits.made == 1, stderr);
}

static int simulate(tn_run_job *j)
{
    tn_interrupt_catch();
    j->progress = tn_progress_start(wants_progress(j), j->until);
    tn_session_on_step(j->session, after_step, j);
    j->code = tn_edits_run(&j->edits, j->session, after_edit, j);
    j->until = tn_session_solve(j->session).until;         /* an edit may have changed it */
    tn_progress_end(&j->progress);
    if (j->ranks && j->code == TN_NEWS_INTERRUPTED)
        j->code = TN_ERROR_TEAM;                           /* the others are ended likewise */
    if (j->code >= 0)
        tn_ranks_count(j->ranks);
    int status = explain(j, j->code);
    return tn_first_failure(status, tn_diagnostics_flush(j->context, tn_session_journal_flush(j->session), j->diagnostics));
}

/* Whether the state is worth keeping: the run cannot go on, though nobody wanted it to end here. */
static bool broke_off(const tn_run_job *j)
{
    return j->code == TN_ERROR_STEP || j->code == TN_ERROR_TEAM;
}

/* --state, or after a failed step the model's file name with .state.yaml in the working folder; "" for none. */
static void choose_state_path(tn_run_job *j)
{
    if (!tn_ranks_speak(j->ranks))
        return;
    if (tn_run_given(j, "--state")) {
        snprintf(j->state_path, sizeof j->state_path, "%s", text_of(j, "--state"));
    } else if (broke_off(j) && j->kind->saves_failed) {
        const char *name = tn_file_name(j->path), *dot = strrchr(name, '.');
        int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
        snprintf(j->state_path, sizeof j->state_path, "%.*s.state.yaml", length, name);
    }
}

static int save_impacts(tn_run_job *j)
{
    const char *path = written_to(j, "--impacts");
    tn_out_file file;
    if (!path)
        return TN_EXIT_OK;
    int status = tn_out_open(&file, path);
    if (status != TN_EXIT_OK)
        return status;
    tn_impacts_write(j->session, file.stream);
    return tn_out_finish(&file);
}

static int save_state(tn_run_job *j)
{
    choose_state_path(j);
    if (!j->state_path[0])
        return TN_EXIT_OK;
    tn_out_file file;
    int status = tn_out_open(&file, j->state_path);
    if (status == TN_EXIT_OK)
        status = tn_state_write(&file, j->context, j->session, j->diagnostics);
    if (status == TN_EXIT_OK && (j->code < 0 || !tn_run_given(j, "--quiet")))
        fprintf(stderr, "tenon: the %sstate at t = %.9g s is in '%s'\n", j->code < 0 ? "last good " : "",
                tn_session_time(j->session), j->state_path);
    return status;
}

static int save_run(tn_run_job *j)
{
    const char *path = written_to(j, "--save");
    if (!path)
        return TN_EXIT_OK;
    int status = tn_diagnostics_flush(j->context, tn_session_save(j->session, path), j->diagnostics);
    if (status == TN_EXIT_OK && !tn_run_given(j, "--quiet"))
        fprintf(stderr, "tenon: the run is saved in '%s' at t = %.9g s\n", path, tn_session_time(j->session));
    return status;
}

/* At the end, or where the model stops it. */
static bool has_ended(const tn_run_job *j)
{
    return j->code >= 0 && j->code != TN_NEWS_INTERRUPTED;
}

static void print_report(const tn_run_job *j)
{
    bool quiet = tn_run_given(j, "--quiet");
    if (!quiet) {
        j->kind->print(j, stderr);
        tn_edits_print(&j->edits, stderr);
    }
    tn_verdicts_print(j->session, has_ended(j), quiet, stderr);
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
        const tn_model *model = tn_session_model(j->session);
        cJSON_AddStringToObject(document, "name", tn_model_name(model));
        cJSON_AddStringToObject(document, "end", tn_end_text(j->code));
        j->kind->add(document, j);
        cJSON_AddItemToObject(document, "verdicts", tn_json_verdicts(j->session, has_ended(j)));
        cJSON_AddItemToObject(document, "gaps", tn_json_gaps(model, j->session));
        if (j->edits.script)
            cJSON_AddItemToObject(document, "edits", tn_json_edits(&j->edits));
        if (tn_run_given(j, "--save"))
            cJSON_AddStringToObject(document, "saved", text_of(j, "--save"));
        if (tn_run_given(j, "--output"))
            cJSON_AddStringToObject(document, "table", text_of(j, "--output"));
        if (j->state_path[0])
            cJSON_AddStringToObject(document, "state", j->state_path);
    }
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

/* Opens, simulates and keeps what came of it. */
static int carry_out(tn_run_job *j)
{
    int status = open_session(j);
    if (status == TN_EXIT_OK)
        status = open_files(j);
    bool ready = status == TN_EXIT_OK;
    if (ready)
        status = simulate(j);
    tn_ranks_leave(j->ranks, status);
    status = tn_table_close(&j->table, j->context, j->session, status, j->diagnostics);
    if (ready) {
        status = tn_first_failure(status, save_state(j));
        status = tn_first_failure(status, save_run(j));
        status = tn_first_failure(status, save_impacts(j));
        status = tn_first_failure(status, tn_verdicts_hold(j->session) ? TN_EXIT_OK : TN_EXIT_EXPECT);
    }
    if (j->diagnostics)
        print_json(j, status);
    else if (ready)
        print_report(j);
    return status;
}

int tn_run_job_do(tn_context *context, const tn_arguments *arguments, const tn_run_kind *kind)
{
    tn_run_job j = { .kind = kind, .context = context, .arguments = arguments, .path = arguments->operands[0] };
    j.diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    const tn_option_value *place = tn_option_value_of(kind->options, arguments, "--place");
    int status = kind->shared ? tn_ranks_join(&j.ranks, context, kind->command, place) : TN_EXIT_OK;
    if (status == TN_EXIT_OK) {
        status = carry_out(&j);
    } else {
        tn_ranks_leave(j.ranks, status);
        cJSON_Delete(j.diagnostics);
    }
    tn_edits_close(&j.edits);
    tn_session_close(j.session);
    tn_model_destroy(j.model);
    return tn_ranks_finish(j.ranks, status);
}
