/* Requests: from the text of a message through the check of its arguments to its answer. */
#include "request.h"
#include "answers.h"
#include "tenon/sys/utf8.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the verbs, in the order of tn_protocol_verbs. */
static const tn_verb_function verb_functions[TN_VERB_COUNT] = {
#define TN_RECORD(name, base, fields, meaning)
#define TN_PUSH(name, base, fields, meaning)
#define TN_VERB(name, place, access, arguments, base, fields, meaning) [TN_VERB_##name] = tn_verb_##name,
#include "protocol_list.h"
#undef TN_RECORD
#undef TN_PUSH
#undef TN_VERB
};

/* ---- answers ---- */

/* The json is deleted. */
static void send_answer(tn_studio *studio, tn_client *client, cJSON *json)
{
    tn_message *message = tn_message_create(cJSON_PrintUnformatted(json));
    cJSON_Delete(json);
    if (!message)
        return;
    tn_client_send(&studio->clients, client, message);
    tn_message_release(&studio->clients, message);
}

static const char *error_word(int code)
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

/* The file within the folder of the studio, or its name alone. */
static const char *short_path(const tn_studio *studio, const char *file)
{
    const size_t length = strlen(studio->folder);
    const char *slash = strrchr(file, '/');
    if (length > 0 && strncmp(file, studio->folder, length) == 0 && file[length] == '/')
        return file + length + 1;
    return slash ? slash + 1 : file;
}

void tn_request_add_diagnostics(tn_request *r, tn_context *context)
{
    size_t count = context ? tn_diagnostics_count(context) : 0;
    for (size_t i = 0; i < count; i++) {
        const tn_diagnostic *d = tn_diagnostics_get(context, i);
        if (!r->diagnostics)
            r->diagnostics = cJSON_CreateArray();
        tn_diagnostic shown = *d;
        if (shown.span.file)
            shown.span.file = short_path(r->studio, shown.span.file);
        cJSON_AddItemToArray(r->diagnostics, tn_json_diagnostic(&shown));
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
    cJSON_AddStringToObject(answer, "code", r->word ? r->word : error_word(code));
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
        send_answer(r->studio, r->client, r->answer);
    else
        cJSON_Delete(r->answer);
    cJSON_Delete(r->message);
    tn_client_end(&r->studio->clients, r->client);
    free(r);
}

/* id may be NULL. */
static void send_refusal(tn_studio *studio, tn_client *client, const cJSON *id, const char *word, const char *why)
{
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddItemToObject(answer, "id", id ? cJSON_Duplicate(id, false) : cJSON_CreateNull());
    cJSON_AddBoolToObject(answer, "ok", false);
    cJSON_AddStringToObject(answer, "code", word);
    cJSON_AddStringToObject(answer, "message", why);
    send_answer(studio, client, answer);
}

void tn_request_reject_invalid(tn_studio *studio, tn_client *client, const char *why)
{
    send_refusal(studio, client, NULL, "message", why);
}

/* ---- carrying out ---- */

static int call_verb(tn_request *r, tn_session *session)
{
    return verb_functions[r->verb - tn_protocol_verbs](r, session);
}

/* The thread is closing, or has too much to do. */
static void refuse_busy(void *user)
{
    tn_request *r = user;
    tn_request_finish(r, tn_request_refuse(r, "busy", "too many requests are waiting"));
}

static int run_in_session(void *user, tn_session *session)
{
    tn_request *r = user;
    tn_hub *hub = &r->studio->hub;
    int code = call_verb(r, session);
    if (code == TN_ANSWERED_LATER)
        return TN_OK;
    if (code < 0 && !r->word)
        tn_request_add_diagnostics(r, hub->document.context);
    hub->frame_due = true;
    cJSON_AddNumberToObject(r->answer, "time", tn_session_time(hub->document.session));
    tn_request_finish(r, code);
    return TN_OK;
}

static int run_in_worker(void *user, tn_session *session)
{
    tn_request *r = user;
    tn_request_finish(r, call_verb(r, session));
    return TN_OK;
}

static void serve_worker(void *user)
{
    tn_studio *s = user;
    if (tn_turns_serve(&s->worker_turns, NULL) && !tn_worker_submit(&s->worker, serve_worker, s))
        tn_turns_refuse(&s->worker_turns);
}

static void send_to_worker(tn_request *r)
{
    tn_studio *s = r->studio;
    bool ask = tn_turns_add(&s->worker_turns, &r->client->worker_line, r->client->right, &r->turn);
    if (ask && !tn_worker_submit(&s->worker, serve_worker, s))
        tn_turns_refuse(&s->worker_turns);
}

static void dispatch_request(tn_request *r)
{
    r->turn = (tn_turn){ .run = r->verb->place == TN_PLACE_WORKER ? run_in_worker : run_in_session,
                         .refuse = refuse_busy, .user = r };
    switch (r->verb->place) {
    case TN_PLACE_NETWORK:
        tn_request_finish(r, call_verb(r, NULL));
        break;
    case TN_PLACE_WORKER:
        send_to_worker(r);
        break;
    case TN_PLACE_SESSION:
        tn_studio_send(r->studio, &r->client->session_line, r->client->right, &r->turn);
        break;
    }
}

static const tn_verb_info *find_verb(const char *name)
{
    for (const tn_verb_info *verb = tn_protocol_verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static int refuse_unknown(tn_request *r, const char *name)
{
    const char *names[TN_VERB_COUNT];
    for (size_t k = 0; k < TN_VERB_COUNT; k++)
        names[k] = tn_protocol_verbs[k].name;
    const char *near = tn_nearest_text(name, names, TN_VERB_COUNT);
    return tn_request_refuse(r, "unknown", "there is no verb '%.60s'%s%s%s", name, near ? "; did you mean '" : "",
                             near ? near : "", near ? "'?" : "");
}

/* Whether an argument is of the type that the table gives; types beyond these are the verb's to check. */
static bool is_argument_good(const char *type, const cJSON *argument)
{
    size_t length = strlen(type);
    if (strcmp(type, "string") == 0)
        return cJSON_IsString(argument);
    if (strcmp(type, "number") == 0)
        return cJSON_IsNumber(argument);
    if (strcmp(type, "boolean") == 0)
        return cJSON_IsBool(argument);
    if (strcmp(type, "object") == 0)
        return cJSON_IsObject(argument);
    return length < 2 || strcmp(type + length - 2, "[]") != 0 || cJSON_IsArray(argument);
}

/* Arguments as the table of the protocol declares them. */
static int check_arguments(tn_request *r)
{
    char name[40];
    for (const tn_field *field = r->verb->arguments; field && field->name; field++) {
        size_t length = strcspn(field->name, "?");
        snprintf(name, sizeof name, "%.*s", (int)length, field->name);
        const cJSON *argument = tn_request_argument(r, name);
        bool optional = field->name[length] == '?';
        if (argument ? !is_argument_good(field->type, argument) : !optional)
            return tn_request_refuse(r, "argument", "'%s' needs '%s': %s", r->verb->name, name, field->type);
    }
    return TN_OK;
}

/* Takes the message. zero: one of its texts holds a zero character. */
static bool begin_request(tn_studio *studio, tn_client *client, cJSON *message, bool zero)
{
    const cJSON *word = cJSON_GetObjectItemCaseSensitive(message, "do");
    if (!tn_client_begin(&studio->clients, client)) {
        send_refusal(studio, client, cJSON_GetObjectItemCaseSensitive(message, "id"), "busy",
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
    else if (zero)
        tn_request_finish(r, tn_request_refuse(r, "argument", "texts may not hold the character \\u0000"));
    else if (check_arguments(r) < 0)
        tn_request_finish(r, TN_ERROR_ARGUMENT);
    else
        dispatch_request(r);
    return known;
}

/* A zero character in a string would end it: the rest would be ignored without a word. text is JSON. */
static bool holds_zero(const char *text, size_t size)
{
    const char *end = text + size, *at = memchr(text, '\\', size);
    for (; at != NULL; at = memchr(at + 2, '\\', (size_t)(end - at - 2)))
        if (end - at >= 6 && memcmp(at + 1, "u0000", 5) == 0)
            return true;
    return false;
}

bool tn_request_handle(tn_studio *studio, tn_client *client, const char *text, size_t size)
{
    cJSON *message = cJSON_ParseWithLengthOpts(text, size, NULL, false);
    const char *wrong = NULL;
    if (!message || memchr(text, '\0', size))
        wrong = "this is not JSON";
    else if (!tn_utf8_valid(text, size))
        wrong = "this is not UTF-8";
    else if (!cJSON_IsObject(message) || !isfinite(cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(message, "id"))))
        wrong = "a request is an object with a number 'id'";
    else if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(message, "do")))
        wrong = "'do' is missing: the verb";
    if (!wrong)
        return begin_request(studio, client, message, holds_zero(text, size));
    cJSON_Delete(message);
    tn_request_reject_invalid(studio, client, wrong);
    return false;
}

/* ---- parts of messages ---- */

const cJSON *tn_request_argument(const tn_request *r, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(r->message, key);
}

const char *tn_request_text(tn_request *r, const char *key)
{
    const cJSON *part = tn_request_argument(r, key);
    if (cJSON_IsString(part))
        return part->valuestring;
    tn_request_refuse(r, "argument", "'%s' needs '%s', a text", r->verb->name, key);
    return NULL;
}

int tn_request_number(tn_request *r, const char *key, double least, double most, double *out)
{
    const cJSON *part = tn_request_argument(r, key);
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
    const cJSON *part = tn_request_argument(r, key);
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
    const cJSON *part = tn_request_argument(r, key), *item;
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
    return cJSON_IsTrue(tn_request_argument(r, key));
}

bool tn_request_plugins(const tn_request *r)
{
    return r->studio->options.plugins && r->client->right == TN_RIGHT_EDIT;
}
