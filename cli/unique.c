/* Which recorded reactions the motion does not determine. */
#include "run_job.h"
#include "tenon/analysis.h"

#include <string.h>

static bool all(const bool flags[3])
{
    return flags[0] && flags[1] && flags[2];
}

/* Is the channel, given by its name behind that of the joint, one that redundant equations leave open? In the plane torques have no suffix. */
static bool is_open(const tn_reaction_uniqueness *r, const char *what)
{
    static const char *const drives[] = { "multiplier", "force", "torque", "power" };
    for (size_t k = 0; k < sizeof drives / sizeof *drives; k++)
        if (strcmp(what, drives[k]) == 0)
            return !r->force[0];
    if (strncmp(what, "reaction", strlen("reaction")) != 0)
        return false;
    const bool force = strstr(what, ".force") != NULL;
    const bool *unique = force ? r->force : r->torque;
    const char *own = force ? "reaction.force." : "reaction.torque.";
    if (strncmp(what, own, strlen(own)) == 0)
        return !unique[what[strlen(own)] - 'x'];
    return strncmp(what, "reaction_about", strlen("reaction_about")) == 0 ? !all(r->force) || !all(r->torque) : !all(unique);
}

static bool is_recorded_open(const tn_reaction_uniqueness *r, const char *joint, const char *channel)
{
    const size_t length = strlen(joint);
    return strncmp(channel, joint, length) == 0 && channel[length] == '.' && is_open(r, channel + length + 1);
}

static bool may_be_open(const tn_session *session)
{
    static const char *const parts[] = { ".reaction", ".multiplier", ".force", ".torque", ".power" };
    for (size_t i = 0; i < tn_session_recorded_count(session); i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (strstr(tn_session_recorded(session, i).name, parts[k]))
                return true;
    return false;
}

cJSON *tn_json_not_unique(const tn_run_job *job)
{
    tn_report *report = NULL;
    cJSON *channels = cJSON_CreateArray();
    if (job->ranks || !may_be_open(job->session) || tn_session_report(&report, job->session) < 0)
        return channels;
    const tn_model *model = tn_session_model(job->session);
    for (size_t k = 0; k < report->reaction_count; k++) {
        const char *joint = tn_model_entity_name(model, report->reactions[k].joint);
        for (size_t i = 0; joint && i < tn_session_recorded_count(job->session); i++) {
            const char *channel = tn_session_recorded(job->session, i).name;
            if (is_recorded_open(&report->reactions[k], joint, channel))
                cJSON_AddItemToArray(channels, cJSON_CreateString(channel));
        }
    }
    tn_report_destroy(job->context, report);
    return channels;
}

void tn_not_unique_print(const tn_run_job *job, FILE *out)
{
    enum { MOST = 6 };
    cJSON *channels = tn_json_not_unique(job);
    const int count = cJSON_GetArraySize(channels);
    for (int k = 0; k < count && k < MOST; k++)
        fprintf(out, "%s%s", k == 0 ? "not unique  " : ", ", cJSON_GetArrayItem(channels, k)->valuestring);
    if (count > MOST)
        fprintf(out, " and %d more", count - MOST);
    if (count > 0)
        fputs(": redundant equations leave open how joints share this load, and one way is shown\n", out);
    cJSON_Delete(channels);
}
