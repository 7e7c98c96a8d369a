/* The command "inverse": finds the forces that drives need for their motion. */
#include "parameters.h"
#include "run_job.h"
#include "run_report.h"
#include "solve_options.h"
#include <string.h>

static const tn_option options[] = {
    TN_OPTION_OUTPUT,
    TN_OPTION_UNTIL,
    { "--step", TN_OPTION_POSITIVE, "H", "time between solved positions, s; not given: between samples", NULL },
    TN_OPTION_RECORD,
    TN_OPTION_TOLERANCE,
    TN_OPTION_INTEGRATOR,
    TN_OPTION_PARAMETER,
    TN_OPTION_STATE,
    TN_OPTION_QUIET,
    TN_OPTION_NO_PROGRESS,
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

static const char *name_of(const tn_run_job *job, tn_id id)
{
    return tn_model_entity_name(job->model, id);
}

static int name_width(const tn_run_job *job, int width)
{
    for (size_t i = 0; i < tn_model_count(job->model, TN_KIND_JOINT); i++) {
        int length = (int)strlen(name_of(job, tn_model_at(job->model, TN_KIND_JOINT, i)));
        width = length > width ? length : width;
    }
    return width;
}

static void print_drives(const tn_run_job *job, int width, FILE *out)
{
    size_t count = tn_session_drive_load_count(job->session);
    if (count > 0)
        fprintf(out, "\n%-*s %12s %9s %12s %-4s %12s %9s %12s\n", width, "drive", "largest", "at t, s", "rms", "",
                "power, W", "at t, s", "work, J");
    for (size_t i = 0; i < count; i++) {
        tn_drive_load d = tn_session_drive_load(job->session, i);
        fprintf(out, "%-*s %12.6g %9.5g %12.6g %-4s %12.6g %9.5g %12.6g\n", width, name_of(job, d.drive), d.peak,
                d.peak_time, d.rms, d.unit, d.power, d.power_time, d.work);
    }
}

/* Returns zero in place of round-off. */
static double shown(double value)
{
    static const double ROUND_OFF = 1e-12;     /* N or N m */
    return value < ROUND_OFF ? 0 : value;
}

static void print_joints(const tn_run_job *job, int width, FILE *out)
{
    size_t count = tn_session_joint_load_count(job->session);
    if (count > 0)
        fprintf(out, "\n%-*s %12s %9s %12s %9s\n", width, "joint", "force, N", "at t, s", "torque, N m", "at t, s");
    for (size_t i = 0; i < count; i++) {
        tn_joint_load j = tn_session_joint_load(job->session, i);
        fprintf(out, "%-*s %12.6g %9.5g %12.6g %9.5g\n", width, name_of(job, j.joint), shown(j.force), j.force_time,
                shown(j.torque), shown(j.torque) == 0 ? 0 : j.torque_time);
    }
}

static void print_shared(const tn_run_job *job, FILE *out)
{
    cJSON *names = tn_json_not_unique(job->context, job->session, true);
    if (cJSON_GetArraySize(names) > 0) {
        const cJSON *name;
        const char *link = "\nNot unique, because equations are redundant: ";
        cJSON_ArrayForEach(name, names) {
            fprintf(out, "%s%s", link, name->valuestring);
            link = ", ";
        }
        fputs(". One of the possible ways to share the load is shown.\n", out);
    }
    cJSON_Delete(names);
}

static void print_summary(const tn_run_job *job, FILE *out)
{
    int width = name_width(job, (int)strlen("drive"));
    if (tn_session_is_driven(job->session))
        tn_motion_print(job->model, job->session, job->until, out);
    else
        tn_summary_print(job->model, job->session, job->until, out);
    print_drives(job, width, out);
    print_joints(job, width, out);
    print_shared(job, out);
}

static void add_drives(cJSON *document, const tn_run_job *job)
{
    cJSON *drives = cJSON_AddArrayToObject(document, "drives");
    for (size_t i = 0; i < tn_session_drive_load_count(job->session); i++) {
        tn_drive_load d = tn_session_drive_load(job->session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", name_of(job, d.drive));
        cJSON_AddStringToObject(item, "unit", d.unit);
        cJSON_AddNumberToObject(item, "peak", d.peak);
        cJSON_AddNumberToObject(item, "peak_time", d.peak_time);
        cJSON_AddNumberToObject(item, "rms", d.rms);
        cJSON_AddNumberToObject(item, "power", d.power);
        cJSON_AddNumberToObject(item, "power_time", d.power_time);
        cJSON_AddNumberToObject(item, "work", d.work);
        cJSON_AddItemToArray(drives, item);
    }
}

static void add_joints(cJSON *document, const tn_run_job *job)
{
    cJSON *joints = cJSON_AddArrayToObject(document, "joints");
    for (size_t i = 0; i < tn_session_joint_load_count(job->session); i++) {
        tn_joint_load j = tn_session_joint_load(job->session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", name_of(job, j.joint));
        cJSON_AddNumberToObject(item, "force", j.force);
        cJSON_AddNumberToObject(item, "force_time", j.force_time);
        cJSON_AddNumberToObject(item, "torque", j.torque);
        cJSON_AddNumberToObject(item, "torque_time", j.torque_time);
        cJSON_AddItemToArray(joints, item);
    }
}

static void add_summary(cJSON *document, const tn_run_job *job)
{
    cJSON_AddBoolToObject(document, "driven", tn_session_is_driven(job->session));
    cJSON_AddItemToObject(document, "summary", tn_json_summary(job->model, job->session));
    add_drives(document, job);
    add_joints(document, job);
    cJSON_AddItemToObject(document, "not_unique", tn_json_not_unique(job->context, job->session, true));
}

static int run_inverse(tn_context *context, const tn_arguments *arguments)
{
    static const tn_run_kind kind = { .command = "inverse", .options = options, .open = tn_session_open_inverse,
                                      .print = print_summary, .add = add_summary };
    return tn_run_job_do(context, arguments, &kind);
}

const tn_command tn_command_inverse = {
    .name = "inverse",
    .summary = "Find the forces that drives need for their motion, and what joints have to bear.",
    .details = "The motion is that of 'tenon kinematics'; where drives do not determine it, it is integrated, and a\n"
               "warning says why. The summary has largest and mean efforts, power and work of every drive.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_inverse,
};
