#include "request.h"
#include "answers.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const tn_verb tn_verbs[] = {
    { "command", TN_PLACE_SESSION, true, tn_verb_command },
    { "undo", TN_PLACE_SESSION, true, tn_verb_undo },
    { "redo", TN_PLACE_SESSION, true, tn_verb_redo },
    { "speed", TN_PLACE_SESSION, true, tn_verb_speed },
    { "step", TN_PLACE_SESSION, true, tn_verb_step },
    { "reset", TN_PLACE_SESSION, true, tn_verb_reset },
    { "seek", TN_PLACE_SESSION, true, tn_verb_seek },
    { "branch", TN_PLACE_SESSION, true, tn_verb_branch },
    { "run_to", TN_PLACE_SESSION, true, tn_verb_run_to },
    { "pull", TN_PLACE_SESSION, true, tn_verb_pull },
    { "release", TN_PLACE_SESSION, true, tn_verb_release },
    { "drag", TN_PLACE_SESSION, true, tn_verb_drag },
    { "subscribe", TN_PLACE_SESSION, false, tn_verb_subscribe },
    { "channels", TN_PLACE_SESSION, false, tn_verb_channels },
    { "value", TN_PLACE_SESSION, false, tn_verb_value },
    { "types", TN_PLACE_HERE, false, tn_verb_types },
    { "past", TN_PLACE_SESSION, false, tn_verb_past },
    { "parts", TN_PLACE_DESK, false, tn_verb_parts },
    { "text", TN_PLACE_SESSION, false, tn_verb_text },
    { "check", TN_PLACE_DESK, false, tn_verb_check },
    { "hdf5", TN_PLACE_DESK, false, tn_verb_hdf5 },
    { "apply_text", TN_PLACE_SESSION, true, tn_verb_apply_text },
    { "health", TN_PLACE_SESSION, false, tn_verb_health },
    { "statics", TN_PLACE_SESSION, true, tn_verb_statics },
    { "assemble", TN_PLACE_SESSION, true, tn_verb_assemble },
    { "sweep", TN_PLACE_SESSION, true, tn_verb_sweep },
    { "sweep_cancel", TN_PLACE_HERE, true, tn_verb_sweep_cancel },
    { "modes", TN_PLACE_SESSION, false, tn_verb_modes },
    { "gallery", TN_PLACE_HERE, false, tn_verb_gallery },
    { "open", TN_PLACE_SESSION, true, tn_verb_open },
    { "new", TN_PLACE_SESSION, true, tn_verb_new },
    { "save", TN_PLACE_SESSION, true, tn_verb_save },
    { "session", TN_PLACE_HERE, false, tn_verb_session },
    { NULL, TN_PLACE_HERE, false, NULL },
};
enum { VERB_COUNT = sizeof tn_verbs / sizeof tn_verbs[0] - 1 };

/* ---- answers ---- */

/* The document is deleted. */
static void send(tn_studio *studio, tn_client *client, cJSON *document)
{
    tn_message *message = tn_message_take(cJSON_PrintUnformatted(document));
    cJSON_Delete(document);
    if (!message)
        return;
    tn_client_send(&studio->clients, client, message);
    tn_message_drop(&studio->clients, message);
}

static const char *word_of(int code)
{
    switch (code) {
    case TN_ERROR_MEMORY: return "memory";
    case TN_ERROR_STALE: return "stale";
    case TN_ERROR_FILE: return "file";
    case TN_ERROR_MODEL: return "model";
    case TN_ERROR_ASSEMBLY: return "assembly";
    case TN_ERROR_STEP: return "step";
    default: return "argument";
    }
}

int tn_request_refuse(tn_request *r, const char *word, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(r->text, sizeof r->text, format, values);
    va_end(values);
    r->word = word;
    return TN_ERROR_ARGUMENT;
}

void tn_request_blame(tn_request *r, tn_context *context)
{
    size_t count = context ? tn_diagnostics_count(context) : 0;
    for (size_t i = 0; i < count; i++) {
        const tn_diagnostic *d = tn_diagnostics_get(context, i);
        if (!r->diagnostics)
            r->diagnostics = cJSON_CreateArray();
        cJSON_AddItemToArray(r->diagnostics, tn_json_diagnostic(d));
        if (d->severity == TN_ERROR && r->text[0] == '\0')
            snprintf(r->text, sizeof r->text, "%s", d->message);
    }
    if (context)
        tn_diagnostics_clear(context);
}

static cJSON *error_answer(tn_request *r, int code)
{
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddBoolToObject(answer, "ok", false);
    cJSON_AddStringToObject(answer, "code", r->word ? r->word : word_of(code));
    cJSON_AddStringToObject(answer, "message", r->text[0] ? r->text : tn_error_text(code));
    return answer;
}

void tn_request_finish(tn_request *r, int code)
{
    if (code < 0) {
        cJSON_Delete(r->answer);
        r->answer = error_answer(r, code);
    } else {
        cJSON_AddBoolToObject(r->answer, "ok", true);
    }
    if (r->diagnostics)
        cJSON_AddItemToObject(r->answer, "diagnostics", r->diagnostics);
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(r->message, "id");
    cJSON_AddNumberToObject(r->answer, "id", id->valuedouble);
    if (code < 0 || !r->unanswered)
        send(r->studio, r->client, r->answer);
    else
        cJSON_Delete(r->answer);
    cJSON_Delete(r->message);
    tn_client_end(&r->studio->clients, r->client);
    free(r);
}

/* id may be NULL. */
static void refuse_at_once(tn_studio *studio, tn_client *client, const cJSON *id, const char *word, const char *why)
{
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddItemToObject(answer, "id", id ? cJSON_Duplicate(id, false) : cJSON_CreateNull());
    cJSON_AddBoolToObject(answer, "ok", false);
    cJSON_AddStringToObject(answer, "code", word);
    cJSON_AddStringToObject(answer, "message", why);
    send(studio, client, answer);
}

void tn_request_nonsense(tn_studio *studio, tn_client *client, const char *why)
{
    refuse_at_once(studio, client, NULL, "message", why);
}

/* ---- carrying out ---- */

static int run_in_session(void *user, tn_session *session)
{
    tn_request *r = user;
    if (!session) {
        tn_request_finish(r, tn_request_refuse(r, "busy", "the studio is closing"));
        return TN_OK;
    }
    tn_stage *stage = &r->studio->stage;
    int code = r->verb->run(r, session);
    if (code == TN_ANSWERED_LATER)
        return TN_OK;
    if (code < 0 && !r->word)
        tn_request_blame(r, stage->world.context);
    stage->frame_due = true;
    cJSON_AddNumberToObject(r->answer, "time", tn_session_time(stage->world.session));
    tn_request_finish(r, code);
    return TN_OK;
}

static void run_at_desk(void *user)
{
    tn_request *r = user;
    tn_request_finish(r, r->verb->run(r, NULL));
}

static void dispatch(tn_request *r)
{
    tn_studio *studio = r->studio;
    bool taken = true;
    switch (r->verb->place) {
    case TN_PLACE_HERE:
        tn_request_finish(r, r->verb->run(r, NULL));
        break;
    case TN_PLACE_DESK:
        taken = tn_desk_put(&studio->desk, run_at_desk, r);
        break;
    case TN_PLACE_SESSION:
        taken = tn_runner_send(studio->stage.runner, run_in_session, r) == TN_OK;
        break;
    }
    if (!taken)
        tn_request_finish(r, tn_request_refuse(r, "busy", "too many requests are waiting"));
}

static const tn_verb *find_verb(const char *name)
{
    for (const tn_verb *verb = tn_verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static int refuse_unknown(tn_request *r, const char *name)
{
    const char *names[VERB_COUNT];
    for (size_t k = 0; k < VERB_COUNT; k++)
        names[k] = tn_verbs[k].name;
    const char *near = tn_nearest_text(name, names, VERB_COUNT);
    return tn_request_refuse(r, "unknown", "there is no verb '%.60s'%s%s%s", name, near ? "; did you mean '" : "",
                             near ? near : "", near ? "'?" : "");
}

/* Takes the message. */
static bool begin(tn_studio *studio, tn_client *client, cJSON *message)
{
    const cJSON *word = cJSON_GetObjectItemCaseSensitive(message, "do");
    if (!tn_client_begin(&studio->clients, client)) {
        refuse_at_once(studio, client, cJSON_GetObjectItemCaseSensitive(message, "id"), "busy",
                       "too many requests are waiting for their answers");
        cJSON_Delete(message);
        return true;
    }
    tn_request *r = calloc(1, sizeof *r);
    if (!r) {
        cJSON_Delete(message);
        tn_client_end(&studio->clients, client);
        return false;
    }
    *r = (tn_request){ .studio = studio, .client = client, .message = message, .answer = cJSON_CreateObject(),
                       .verb = find_verb(word->valuestring) };
    bool known = r->verb != NULL;
    if (!known)
        tn_request_finish(r, refuse_unknown(r, word->valuestring));
    else if (r->verb->edits && client->right != TN_RIGHT_EDIT)
        tn_request_finish(r, tn_request_refuse(r, "access", "'%s' needs the address for editing", r->verb->name));
    else
        dispatch(r);
    return known;
}

bool tn_request_take(tn_studio *studio, tn_client *client, const char *text, size_t size)
{
    cJSON *message = cJSON_ParseWithLengthOpts(text, size, NULL, false);
    const char *wrong = NULL;
    if (!message || memchr(text, '\0', size))
        wrong = "this is not JSON";
    else if (!cJSON_IsObject(message) || !cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(message, "id")))
        wrong = "a request is an object with a number 'id'";
    else if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(message, "do")))
        wrong = "'do' is missing: the verb";
    if (!wrong)
        return begin(studio, client, message);
    cJSON_Delete(message);
    tn_request_nonsense(studio, client, wrong);
    return false;
}

/* ---- parts of messages ---- */

const cJSON *tn_request_part(const tn_request *r, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(r->message, key);
}

const char *tn_request_text(tn_request *r, const char *key)
{
    const cJSON *part = tn_request_part(r, key);
    if (cJSON_IsString(part))
        return part->valuestring;
    tn_request_refuse(r, "argument", "'%s' needs '%s', a text", r->verb->name, key);
    return NULL;
}

int tn_request_number(tn_request *r, const char *key, double least, double most, double *out)
{
    const cJSON *part = tn_request_part(r, key);
    if (!cJSON_IsNumber(part))
        return tn_request_refuse(r, "argument", "'%s' needs '%s', a number", r->verb->name, key);
    *out = part->valuedouble;
    if (*out >= least && *out <= most)
        return TN_OK;
    return tn_request_refuse(r, "argument", "'%s' must be between %g and %g", key, least, most);
}

int tn_request_vector(tn_request *r, const char *key, double out[3])
{
    static const double FAR = 1e9;                     /* m */
    const cJSON *part = tn_request_part(r, key);
    int count = cJSON_IsArray(part) ? cJSON_GetArraySize(part) : 0;
    bool good = count == 2 || count == 3;
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < count && good; k++) {
        const cJSON *item = cJSON_GetArrayItem(part, k);
        good = cJSON_IsNumber(item) && fabs(item->valuedouble) <= FAR;
        out[k] = good ? item->valuedouble : 0;
    }
    return good ? TN_OK : tn_request_refuse(r, "argument", "'%s' needs '%s', two or three numbers", r->verb->name, key);
}

int tn_request_texts(tn_request *r, const char *key, const char *out[])
{
    const cJSON *part = tn_request_part(r, key), *item;
    int count = 0;
    if (!part)
        return 0;
    if (!cJSON_IsArray(part) || cJSON_GetArraySize(part) > TN_MOST_CHANNELS)
        return tn_request_refuse(r, "argument", "'%s' must be a list of %d texts at most", key, TN_MOST_CHANNELS);
    cJSON_ArrayForEach(item, part) {
        if (!cJSON_IsString(item))
            return tn_request_refuse(r, "argument", "'%s' must be a list of texts", key);
        out[count++] = item->valuestring;
    }
    return count;
}

bool tn_request_flag(const tn_request *r, const char *key)
{
    return cJSON_IsTrue(tn_request_part(r, key));
}
