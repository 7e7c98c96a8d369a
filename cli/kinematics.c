/* The command "kinematics": finds the motion that the drives of a mechanism determine. */
#include "parameters.h"
#include "run_job.h"
#include "run_report.h"
#include "solve_options.h"

static const tn_option options[] = {
    TN_OPTION_OUTPUT,
    TN_OPTION_UNTIL,
    { "--step", TN_OPTION_POSITIVE, "H", "time between solved positions, s; not given: between samples", NULL },
    TN_OPTION_RECORD,
    TN_OPTION_PARAMETER,
    TN_OPTION_STATE,
    TN_OPTION_QUIET,
    TN_OPTION_NO_PROGRESS,
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

static void print_summary(const tn_run_job *job, FILE *out)
{
    tn_motion_print(job->model, job->session, job->until, out);
}

static void add_summary(cJSON *document, const tn_run_job *job)
{
    cJSON_AddItemToObject(document, "summary", tn_json_motion(job->session));
}

static int run_kinematics(tn_context *context, const tn_arguments *arguments)
{
    static const tn_run_kind kind = { .command = "kinematics", .options = options, .open = tn_session_open_kinematics,
                                      .print = print_summary, .add = add_summary };
    return tn_run_job_do(context, arguments, &kind);
}

const tn_command tn_command_kinematics = {
    .name = "kinematics",
    .summary = "Find the motion that the drives of a mechanism determine; no masses are needed.",
    .details = "Positions, velocities and accelerations are solved at every time, not integrated. Outputs that need\n"
               "forces are left out. It ends at a dead point, with its time and the joints that can move there.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_kinematics,
};
