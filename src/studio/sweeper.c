/* Parameter sweeps: runs of changed copies of the model in a thread of their own. */
#include "sweeper.h"
#include "request.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 256, SAMPLES = 400 };
static const double LONGEST = 1e6;                     /* s simulated */
static const char OUTPUT[] = "swept_output";           /* what is recorded, as an output of the model */

/* Copies of the data that a sweep needs from the session and the message. */
typedef struct sweep {
    tn_request *request;       /* answered when all is done */
    tn_model_copy model;
    const char *verb, *what;   /* "set" or "parameters", and the name: of the message */
    const char *channel;
    const cJSON *values;
    double until;
    double time;               /* s: of the session when the sweep began */
} sweep;

/* One of its runs. */
typedef struct run {
    sweep *sweep;
    size_t column;             /* of the output among the recorded */
    cJSON *times, *values;
} run;

static void free_sweep(sweep *s)
{
    free(s->model.text);
    free(s);
}

/* ---- a run ---- */

static void take_sample(void *user, const double *values, size_t count)
{
    run *r = user;
    (void)count;
    cJSON_AddItemToArray(r->times, cJSON_CreateNumber(values[0]));
    cJSON_AddItemToArray(r->values, cJSON_CreateNumber(values[r->column]));
}

static int check_cancelled(void *user, const tn_session *session)
{
    (void)session;
    return tn_sweeper_is_cancelled(((run *)user)->sweep->request);
}

/* The text with another value, by tn_text_free: an edit of a session that is opened for nothing else. */
static int changed_text(char **out, tn_document *document, const sweep *s, double value)
{
    cJSON *command = cJSON_CreateObject(), *part = cJSON_AddObjectToObject(command, s->verb);
    cJSON_AddNumberToObject(part, s->what, value);
    if (strcmp(s->verb, "parameters") == 0)            /* lengths may leave joints apart */
        cJSON_AddStringToObject(command, "closing", "snap");
    char *written = cJSON_PrintUnformatted(command);
    int code = tn_document_text(document, s->model.text, s->model.name, s->model.folder, tn_request_plugins(s->request));
    if (code >= 0)
        code = written ? tn_session_apply(NULL, document->session, written) : TN_ERROR_MEMORY;
    if (code >= 0)
        code = tn_session_text(out, document->session);
    cJSON_free(written);
    cJSON_Delete(command);
    return code;
}

static int column_of(const tn_session *session, size_t *column)
{
    for (*column = tn_session_recorded_count(session); (*column)-- > 0;)
        if (strcmp(tn_session_recorded(session, *column).name, OUTPUT) == 0)
            return TN_OK;
    return TN_ERROR_ARGUMENT;
}

static int simulate_variant(run *r, tn_context *context, const char *text)
{
    const sweep *s = r->sweep;
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_text(&model, context, text, strlen(text), s->model.name, s->model.folder);
    if (code >= 0)
        code = tn_model_add_output_expression(model, OUTPUT, s->channel);
    if (code >= 0) {
        tn_solve solve = tn_model_solve(model);
        solve.until = s->until;
        solve.record = s->until / SAMPLES;
        code = tn_session_open(&session, model, &solve);
    }
    if (code >= 0)
        code = column_of(session, &r->column);
    if (code >= 0) {
        tn_session_on_sample(session, take_sample, r);
        tn_session_on_step(session, check_cancelled, r);
        code = tn_session_run(session);
    }
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static const char *first_error(tn_context *context, int code)
{
    for (size_t k = 0; context && k < tn_diagnostics_count(context); k++)
        if (tn_diagnostics_get(context, k)->severity == TN_ERROR)
            return tn_diagnostics_get(context, k)->message;
    return tn_error_text(code);
}

/* Sends the outcome of a run to the client that asked for it. */
static void send_run(sweep *s, cJSON *json)
{
    tn_clients *clients = &s->request->studio->clients;
    tn_message *message = tn_message_create(cJSON_PrintUnformatted(json));
    cJSON_Delete(json);
    if (!message)
        return;
    tn_client_send(clients, s->request->client, message);
    tn_message_release(clients, message);
}

static void run_variant(sweep *s, int number, double value)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "push", "sweep");
    cJSON_AddNumberToObject(json, "run", number);
    cJSON_AddNumberToObject(json, "value", value);
    run r = { s, 0, cJSON_AddArrayToObject(json, "t"), cJSON_AddArrayToObject(json, "y") };
    char *text = NULL;
    tn_document document = { 0 };
    int code = changed_text(&text, &document, s, value);
    if (code >= 0)
        code = simulate_variant(&r, document.context, text);
    if (code < 0)
        cJSON_AddStringToObject(json, "message", first_error(document.context, code));
    if (text)
        tn_text_free(document.context, text);
    tn_document_close(&document);
    send_run(s, json);
}

static void *run_sweep(void *user)
{
    sweep *s = user;
    const cJSON *value;
    int done = 0;
    cJSON_ArrayForEach(value, s->values) {
        if (tn_sweeper_is_cancelled(s->request))
            break;
        run_variant(s, ++done, value->valuedouble);
    }
    cJSON_AddNumberToObject(s->request->answer, "time", s->time);
    cJSON_AddNumberToObject(s->request->answer, "runs", done);
    cJSON_AddBoolToObject(s->request->answer, "cancelled", tn_sweeper_is_cancelled(s->request));
    tn_sweeper_done(s->request);
    tn_request_finish(s->request, TN_OK);
    free_sweep(s);
    return NULL;
}

/* ---- verbs ---- */

static bool are_numbers(const cJSON *list)
{
    const cJSON *item;
    int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    bool good = count >= 1 && count <= MOST_RUNS;
    cJSON_ArrayForEach(item, list)
        good = good && cJSON_IsNumber(item) && isfinite(item->valuedouble);
    return good;
}

static int read_sweep_request(sweep *s, tn_request *r)
{
    bool property = tn_request_argument(r, "property") != NULL;
    s->verb = property ? "set" : "parameters";
    s->what = tn_request_text(r, property ? "property" : "parameter");
    s->channel = s->what ? tn_request_text(r, "channel") : NULL;
    s->values = tn_request_argument(r, "values");
    if (!s->channel)
        return TN_ERROR_ARGUMENT;
    if (!are_numbers(s->values))
        return tn_request_refuse(r, "argument", "'values' must be a list of 1 to %d numbers", MOST_RUNS);
    return tn_request_number(r, "until", 1e-9, LONGEST, &s->until);
}

/* A channel that is misspelt is refused here, not in every run. */
static int copy_swept_model(sweep *s, tn_session *session)
{
    double value;
    s->time = tn_session_time(session);
    int code = tn_session_value(&value, session, s->channel);
    return code < 0 ? code : tn_model_copy_take(&s->model, s->request, session);
}

int tn_verb_sweep(tn_request *r, tn_session *session)
{
    int code = tn_sweeper_refuse_busy(r);
    sweep *s = code >= 0 ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return code < 0 ? code : TN_ERROR_MEMORY;
    *s = (sweep){ .request = r };
    code = read_sweep_request(s, r);
    if (code >= 0)
        code = copy_swept_model(s, session);
    if (code >= 0)
        code = tn_sweeper_start(r, run_sweep, s);
    if (code < 0)
        free_sweep(s);
    return code;
}

int tn_verb_sweep_cancel(tn_request *r, tn_session *session)
{
    (void)session;
    atomic_store(&r->studio->sweeper.cancelled, true);
    return TN_OK;
}

/* ---- the thread ---- */

int tn_model_copy_take(tn_model_copy *out, const tn_request *r, tn_session *session)
{
    const tn_document *document = &r->studio->hub.document;
    char *text = NULL;
    int code = tn_session_text(&text, session);
    if (code < 0)
        return code;
    out->text = strdup(text);
    tn_text_free(tn_session_context(session), text);
    snprintf(out->name, sizeof out->name, "%s", document->name);
    snprintf(out->folder, sizeof out->folder, "%s", document->folder);
    return out->text ? TN_OK : TN_ERROR_MEMORY;
}

int tn_sweeper_refuse_busy(tn_request *r)
{
    const tn_sweeper *sweeper = &r->studio->sweeper;
    if (sweeper->started && !atomic_load(&sweeper->done))
        return tn_request_refuse(r, "busy", "another sweep or page is under way");
    return TN_OK;
}

int tn_sweeper_start(tn_request *r, void *(*work)(void *), void *user)
{
    tn_sweeper *sweeper = &r->studio->sweeper;
    if (sweeper->started)
        pthread_join(sweeper->thread, NULL);
    atomic_store(&sweeper->done, false);
    atomic_store(&sweeper->cancelled, false);
    sweeper->started = pthread_create(&sweeper->thread, NULL, work, user) == 0;
    return sweeper->started ? TN_ANSWERED_LATER : TN_ERROR_MEMORY;
}

bool tn_sweeper_is_cancelled(const tn_request *r)
{
    tn_clients *clients = &r->studio->clients;
    pthread_mutex_lock(&clients->lock);
    bool gone = r->client->gone;
    pthread_mutex_unlock(&clients->lock);
    return gone || atomic_load(&r->studio->sweeper.cancelled);
}

void tn_sweeper_done(const tn_request *r)
{
    atomic_store(&r->studio->sweeper.done, true);
}

void tn_sweeper_close(tn_sweeper *sweeper)
{
    if (!sweeper->started)
        return;
    atomic_store(&sweeper->cancelled, true);
    pthread_join(sweeper->thread, NULL);
    sweeper->started = false;
}
