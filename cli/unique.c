/* Which recorded reactions the motion does not determine. */
#include "run_report.h"
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
            return !all(r->force) || !all(r->torque);     /* a drive has one effort, a coupling one multiplier */
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

/* Adds the recorded channels of the joint that are open. */
static void add_channels(cJSON *names, const tn_session *session, const tn_reaction_uniqueness *r, const char *joint)
{
    for (size_t i = 0; i < tn_session_recorded_count(session); i++) {
        const char *channel = tn_session_recorded(session, i).name;
        if (is_recorded_open(r, joint, channel))
            cJSON_AddItemToArray(names, cJSON_CreateString(channel));
    }
}

static void add_expressions(cJSON *names, tn_session *session)
{
    for (size_t i = 0; i < tn_session_recorded_count(session); i++)
        if (tn_session_recorded_is_shared(session, i))
            cJSON_AddItemToArray(names, cJSON_CreateString(tn_session_recorded(session, i).name));
}

cJSON *tn_json_not_unique(tn_context *context, tn_session *session, bool joints)
{
    tn_report *report = NULL;
    cJSON *names = cJSON_CreateArray();
    if (!joints)
        add_expressions(names, session);
    if ((!joints && !may_be_open(session)) || tn_session_report(&report, session) < 0)
        return names;
    for (size_t k = 0; k < report->reaction_count; k++) {
        const tn_reaction_uniqueness *r = &report->reactions[k];
        const char *joint = tn_model_entity_name(tn_session_model(session), r->joint);
        if (!joint || (all(r->force) && all(r->torque)))
            continue;
        if (joints)
            cJSON_AddItemToArray(names, cJSON_CreateString(joint));
        else
            add_channels(names, session, r, joint);
    }
    tn_report_destroy(context, report);
    return names;
}

void tn_not_unique_print(tn_context *context, tn_session *session, bool joints, FILE *out)
{
    enum { MOST = 6 };
    cJSON *names = tn_json_not_unique(context, session, joints);
    const int count = cJSON_GetArraySize(names);
    for (int k = 0; k < count && k < MOST; k++)
        fprintf(out, "%s%s", k == 0 ? "not unique  " : ", ", cJSON_GetArrayItem(names, k)->valuestring);
    if (count > MOST)
        fprintf(out, " and %d more", count - MOST);
    if (count > 0)
        fputs(": redundant equations leave open how joints share this load, and one way is shown\n", out);
    cJSON_Delete(names);
}
