/* The command "run": simulates a model and writes its outputs. */
#include "parameters.h"
#include "run_job.h"
#include "run_report.h"
#include "solve_options.h"

static const tn_option options[] = {
    TN_OPTION_OUTPUT,
    TN_OPTION_UNTIL,
    TN_OPTION_STEP,
    TN_OPTION_TOLERANCE,
    TN_OPTION_RECORD,
    TN_OPTION_INTEGRATOR,
    TN_OPTION_SOLVER,
    TN_OPTION_SCHEME,
    TN_OPTION_SET,
    TN_OPTION_PARAMETER,
    { "--script", TN_OPTION_TEXT, "FILE", "make the edits of FILE at their times", NULL },
    { "--journal", TN_OPTION_TEXT, "FILE", "write what happens to FILE; 'tenon replay' repeats it", NULL },
    { "--save", TN_OPTION_TEXT, "FILE.tenon", "save the run at its end; 'tenon run FILE.tenon' goes on", NULL },
    { "--impacts", TN_OPTION_TEXT, "FILE", "write the impacts of stops and contacts to FILE, as CSV", NULL },
    TN_OPTION_STATE,
    TN_OPTION_PLACE,
    { "--hash", TN_OPTION_FLAG, NULL, "print the hash of the final state in place of the table", NULL },
    TN_OPTION_QUIET,
    TN_OPTION_NO_PROGRESS,
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
_Static_assert(sizeof options / sizeof options[0] <= TN_MAX_OPTIONS + 1, "TN_MAX_OPTIONS is too small");

static void print_summary(const tn_run_job *job, FILE *out)
{
    tn_summary s = tn_session_summary(job->session);
    tn_summary_print(tn_session_model(job->session), job->session, job->until, out);
    if (!job->ranks)                       /* components may be in other processes */
        tn_not_unique_print(job->context, job->session, false, out);
    tn_ranks_print(job->ranks, s.steps, s.wall, out);
    tn_events_print(job->session, out);
    tn_touches_print(job->session, out);
}

static void add_summary(cJSON *document, const tn_run_job *job)
{
    cJSON_AddItemToObject(document, "summary", tn_json_summary(tn_session_model(job->session), job->session));
    if (!job->ranks)
        cJSON_AddItemToObject(document, "not_unique", tn_json_not_unique(job->context, job->session, false));
    cJSON_AddItemToObject(document, "impacts", tn_json_impacts(job->session));
    cJSON_AddItemToObject(document, "touches", tn_json_touches(job->session));
    cJSON_AddItemToObject(document, "events", tn_json_events(job->session));
    cJSON_AddItemToObject(document, "log", tn_json_log(job->session));
    if (job->ranks)
        cJSON_AddItemToObject(document, "ranks", tn_json_ranks(job->ranks, tn_session_summary(job->session).steps));
}

static int run_model(tn_context *context, const tn_arguments *arguments)
{
    static const tn_run_kind kind = { .command = "run", .options = options, .open = tn_session_open,
                                      .loads = true, .saves_failed = true, .shared = true,
                                      .print = print_summary, .add = add_summary };
    return tn_run_job_do(context, arguments, &kind);
}

const tn_command tn_command_run = {
    .name = "run",
    .summary = "Simulate a model and write its outputs as a table, CSV or HDF5.",
    .details = "MODEL may be a run that was saved, NAME.tenon: it goes on from there, with the options given here.\n"
               "Ctrl-C ends the run; the table is valid up to that instant. With --json the summary is the answer,\n"
               "and the table is written only where --output says. When a step fails, the last good state is saved:\n"
               "to the file of --state, or in the working folder under the model's name with .state.yaml.\n"
               "Under mpirun the subsystems are spread over the processes; so is a run saved when one of them dies.",
    .ranks = TN_RANKS_TOGETHER,
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_model,
};
