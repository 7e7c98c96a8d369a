/* Verbs that change the model. */
#include "request.h"
#include <inttypes.h>
#include <string.h>

static void add_ack(cJSON *json, const tn_ack *ack, uint32_t revision)
{
    cJSON_AddStringToObject(json, "text", ack->text);
    cJSON_AddNumberToObject(json, "energy_change", ack->energy_change);
    cJSON_AddNumberToObject(json, "displacement", ack->displacement);
    cJSON_AddNumberToObject(json, "revision", revision);
}

static void add_hash(cJSON *json, const tn_session *session)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, tn_session_hash(session));
    cJSON_AddStringToObject(json, "hash", hash);
}

static void tell_edit(tn_request *r, const tn_ack *ack)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "push", "edit");
    cJSON_AddNumberToObject(json, "client", r->client->number);
    cJSON_AddNumberToObject(json, "time", ack->time);
    add_ack(json, ack, r->studio->hub.revision);
    tn_hub_broadcast(&r->studio->hub, json);
}

void tn_request_acknowledge(tn_request *r, tn_session *session, const tn_ack *ack)
{
    tn_hub_check_revision(&r->studio->hub, false);
    cJSON_AddBoolToObject(r->answer, "changed", ack->changed);
    add_ack(r->answer, ack, r->studio->hub.revision);
    add_hash(r->answer, session);
    if (ack->changed)
        tell_edit(r, ack);
}

int tn_verb_command(tn_request *r, tn_session *session)
{
    const cJSON *given = tn_request_argument(r, "command");
    char *written = cJSON_IsObject(given) ? cJSON_PrintUnformatted(given) : NULL;
    const char *text = written ? written : tn_request_text(r, "text");
    tn_ack ack = { 0 };
    int code = text ? tn_session_apply(&ack, session, text) : TN_ERROR_ARGUMENT;
    cJSON_free(written);
    if (code >= 0)
        tn_request_acknowledge(r, session, &ack);
    return code;
}

static int apply_undo(tn_request *r, tn_session *session, int (*go)(tn_ack *, tn_session *, bool))
{
    tn_ack ack = { 0 };
    int code = go(&ack, session, tn_request_flag(r, "restore"));
    if (code < 0)
        return code;
    tn_hub_truncate_steps(&r->studio->hub, tn_session_time(session));
    tn_request_acknowledge(r, session, &ack);
    return TN_OK;
}

int tn_verb_undo(tn_request *r, tn_session *session)
{
    return apply_undo(r, session, tn_session_undo);
}

int tn_verb_redo(tn_request *r, tn_session *session)
{
    return apply_undo(r, session, tn_session_redo);
}

int tn_verb_apply_text(tn_request *r, tn_session *session)
{
    const char *text = tn_request_text(r, "text");
    tn_ack ack = { 0 };
    int code = text ? tn_session_set_text(&ack, session, text) : TN_ERROR_ARGUMENT;
    if (code >= 0)
        tn_request_acknowledge(r, session, &ack);
    return code;
}

int tn_verb_journal(tn_request *r, tn_session *session)
{
    tn_journal_options *options = &r->studio->hub.journal_options;
    options->go_on = tn_request_flag(r, "go_on");
    return tn_session_journal_options(session, options);
}
