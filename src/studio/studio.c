/* The studio: opens document, threads and network, and closes them; hello and status messages. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "studio_impl.h"
#include <math.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- turns of clients ---- */

static int serve_session(void *user, tn_session *session)
{
    tn_studio *s = user;
    if (!session || (tn_turns_serve(&s->session_turns, session) && tn_runner_send(s->hub.runner, serve_session, s) != TN_OK))
        tn_turns_refuse(&s->session_turns);
    return TN_OK;
}

void tn_studio_send(tn_studio *s, tn_line *line, tn_right right, tn_turn *turn)
{
    if (tn_turns_add(&s->session_turns, line, right, turn) && tn_runner_send(s->hub.runner, serve_session, s) != TN_OK)
        tn_turns_refuse(&s->session_turns);
}

/* ---- what clients are told ---- */

static void add_speed(cJSON *json, double speed)
{
    if (isinf(speed))
        cJSON_AddStringToObject(json, "speed", "max");
    else
        cJSON_AddNumberToObject(json, "speed", speed);
}

cJSON *tn_studio_hello(tn_studio *s, const tn_client *client)
{
    tn_runner_status status = tn_runner_now(s->hub.runner);
    cJSON *hello = cJSON_CreateObject();
    cJSON_AddStringToObject(hello, "push", "hello");
    cJSON_AddNumberToObject(hello, "protocol", 1);
    cJSON_AddStringToObject(hello, "version", tn_version());
    cJSON_AddStringToObject(hello, "access", client->right == TN_RIGHT_EDIT ? "edit" : "view");
    cJSON_AddNumberToObject(hello, "client", client->number);
    pthread_mutex_lock(&s->clients.lock);
    tn_published b = s->hub.published;                 /* its texts are arrays */
    pthread_mutex_unlock(&s->clients.lock);
    cJSON_AddStringToObject(hello, "name", b.name);
    if (client->right == TN_RIGHT_EDIT) {              /* paths tell names of people and machines */
        cJSON_AddStringToObject(hello, "folder", s->folder);
        cJSON_AddStringToObject(hello, "journal", b.journal);
    }
    cJSON_AddNumberToObject(hello, "revision", b.revision);
    cJSON_AddNumberToObject(hello, "branch", b.branch);
    cJSON_AddNumberToObject(hello, "time", status.time);
    add_speed(hello, status.speed);
    tn_hub_add_documents(hello, &b);
    if (s->broken[0] != '\0')
        cJSON_AddStringToObject(hello, "broken", s->broken);
    if (client->right == TN_RIGHT_EDIT)
        cJSON_AddStringToObject(hello, "view_token", s->access.view);
    return hello;
}

static void add_trouble(cJSON *json, const tn_runner_status *status)
{
    cJSON_AddStringToObject(json, "code", status->code < 0 ? tn_error_text(status->code) : "");
    cJSON_AddStringToObject(json, "message", tn_folder_shorten(status->message));
}

/* The last step that was tried and not taken. */
static void add_refused(cJSON *json, const tn_published *b)
{
    if (!(b->refused.step > 0))
        return;
    cJSON *refused = cJSON_AddObjectToObject(json, "refused");
    cJSON_AddNumberToObject(refused, "time", b->refused.time);
    cJSON_AddNumberToObject(refused, "step", b->refused.step);
    cJSON_AddStringToObject(refused, "why", b->refused.why);
}

static int keep_document(void *user, tn_session *session)
{
    tn_studio *s = user;
    if (session)
        tn_hub_keep(&s->hub, false);                   /* not more often than its cost allows: the next status asks again */
    return TN_OK;
}

void tn_studio_tell_status(tn_studio *s)
{
    tn_runner_status status = tn_runner_now(s->hub.runner);
    cJSON *json = cJSON_CreateObject();
    pthread_mutex_lock(&s->clients.lock);
    tn_published b = s->hub.published;
    unsigned clients = s->clients.count;
    pthread_mutex_unlock(&s->clients.lock);
    cJSON_AddStringToObject(json, "push", "status");
    cJSON_AddNumberToObject(json, "time", status.time);
    add_speed(json, status.speed);
    cJSON_AddNumberToObject(json, "pace", status.speed > 0 ? status.pace : 0);
    cJSON_AddNumberToObject(json, "steps", (double)b.steps);
    cJSON_AddNumberToObject(json, "rejected", (double)b.rejected);
    add_refused(json, &b);
    cJSON_AddNumberToObject(json, "queued", (double)status.queued);
    cJSON_AddNumberToObject(json, "rewind_begin", b.rewind_begin);
    cJSON_AddNumberToObject(json, "rewind_end", fmax(b.rewind_end, status.time));
    cJSON_AddNumberToObject(json, "rewind_bytes", TN_REWIND_BYTES);
    cJSON_AddNumberToObject(json, "branch", b.branch);
    cJSON_AddNumberToObject(json, "clients", clients);
    add_trouble(json, &status);
    cJSON_AddStringToObject(json, "journal", b.journal_trouble);
    cJSON_AddNumberToObject(json, "unwritten", (double)b.unwritten);
    if (b.not_kept[0] != '\0')
        cJSON_AddStringToObject(json, "not_kept", b.not_kept);
    if (b.keep_due)
        tn_runner_send(s->hub.runner, keep_document, s);
    tn_hub_broadcast(&s->hub, json);
}

/* ---- life ---- */

/* The folder of models: given, that of the model, or the working one; without links. */
static bool choose_folder(tn_studio *s, const tn_studio_options *o)
{
    char folder[TN_PATH_SIZE] = ".";
    if (o->folder)
        snprintf(folder, sizeof folder, "%s", o->folder);
    else if (o->model)
        tn_path_folder_of(folder, o->model);
    char *whole = realpath(folder, NULL);
    bool good = whole && strlen(whole) < sizeof s->folder;
    if (good)
        snprintf(s->folder, sizeof s->folder, "%s", whole);
    free(whole);
    return good;
}

static int open_document(tn_document *document, const tn_studio *s, const tn_studio_options *o)
{
    static const char empty[] = "tenon: 1\nname: New model\ndimension: 2\ngravity: [0, -9.81]\n";
    if (o->resume)
        return tn_document_resume(document, o->resume, o->resume_entries, s->folder, o->plugins);
    if (o->model && s->broken[0] == '\0') {
        int code = tn_document_read(document, o->model, s->folder, false, o->plugins);
        if (code >= 0)
            tn_folder_locate(document->file, sizeof document->file, s->folder, o->model);
        return code;
    }
    return tn_document_text(document, empty, "new.yaml", s->folder, o->plugins);
}

static int describe_types(tn_studio *s)
{
    char *text = NULL;
    tn_context *context = tn_context_create(NULL);
    int code = context ? tn_describe_text(&text, context, NULL, true) : TN_ERROR_MEMORY;
    if (code >= 0 && !(s->types = strdup(text)))
        code = TN_ERROR_MEMORY;
    if (context)
        tn_text_free(context, text);
    tn_context_destroy(context);
    return code;
}

/* Libraries are refused unless the server is started for them; the diagnostic cannot know the option. */
static bool needs_plugins(const tn_studio_options *o, const tn_context *context)
{
    for (size_t k = 0; !o->plugins && k < tn_diagnostics_count(context); k++)
        if (strstr(tn_diagnostics_get(context, k)->message, "libraries are refused"))
            return true;
    return false;
}

/* A file of the folder with mistakes is mended on the page, beside an empty model. */
static bool mends(tn_studio *s, tn_document *document, FILE *errors)
{
    char file[sizeof s->broken];
    if (!s->options.model || s->options.resume || needs_plugins(&s->options, document->context) ||
        !tn_folder_locate(file, sizeof file, s->folder, s->options.model))
        return false;
    snprintf(s->broken, sizeof s->broken, "%s", file);
    tn_diagnostics_print(document->context, errors);
    fprintf(errors, "the studio opens the text, to be mended there\n");
    tn_document_close(document);
    return true;
}

/* Where the first run pauses, s: at the end that the model gives, unless a resumed run is past it. Nothing moves in an empty
 * model: it waits for what is drawn. */
static double first_pause(const tn_session *session)
{
    if (tn_model_count(tn_session_model(session), TN_KIND_BODY) == 0)
        return tn_session_time(session);
    double until = tn_model_solve(tn_session_model(session)).until;
    return until > tn_session_time(session) ? until : INFINITY;
}

static void tell_opening(const tn_studio_options *o, const tn_document *document, tn_context *context, FILE *errors)
{
    if (document->differs > 0)
        fprintf(errors, "%s:%d: error: the run differs from here on: another version of the program, or a file that "
                "was changed\n", o->resume, document->differs);
    if (context) {
        tn_diagnostics_print(context, errors);
        if (needs_plugins(o, context))
            fprintf(errors, "the studio loads libraries when it is started with --plugins\n");
        tn_diagnostics_clear(context);
    }
    if (!document->session && document->repeated > 0)
        fprintf(errors, "the entries before, %ld, are good, to t = %.6g s: '--resume %s --entries %ld' goes on from there\n",
                document->repeated, document->repeated_to, o->resume, document->repeated);
}

static int open_hub(tn_studio *s, FILE *errors)
{
    const tn_studio_options *o = &s->options;
    tn_document document = { 0 };
    int code = open_document(&document, s, o);
    s->hub.journal_options.sync = o->sync;
    if (code == TN_ERROR_MODEL && mends(s, &document, errors))
        code = open_document(&document, s, o);
    if (code >= 0)
        s->first_pause = first_pause(document.session);
    if (code >= 0)
        code = tn_hub_open(&s->hub, &s->clients, &s->worker, &document, &s->recovery);
    tell_opening(o, &document, code < 0 ? document.context : s->hub.document.context, errors);
    tn_document_close(&document);
    snprintf(s->journal, sizeof s->journal, "%s", s->hub.document.journal);
    return code;
}

static int open_parts(tn_studio *s, FILE *errors)
{
    const tn_studio_options *o = &s->options;
    const char *host = o->host ? o->host : "127.0.0.1";
    if (!choose_folder(s, o) || !tn_access_open(&s->access, host))
        return TN_ERROR_FILE;
    if (o->shown && !tn_access_show_at(&s->access, o->shown)) {
        errno = EDESTADDRREQ;
        return TN_ERROR_FILE;
    }
    if (!tn_clients_open(&s->clients, tn_network_wake, s) || !tn_turns_open(&s->session_turns) ||
        !tn_turns_open(&s->worker_turns) || !tn_worker_open(&s->worker))
        return TN_ERROR_MEMORY;
    tn_recovery_open(&s->recovery, o->state);
    s->gallery_folder = o->gallery ? realpath(o->gallery, NULL) : NULL;
    if (s->gallery_folder)
        s->options.gallery = s->gallery_folder;
    s->gallery = tn_gallery_read(o->gallery);
    s->gallery_text = cJSON_PrintUnformatted(s->gallery);
    int code = open_hub(s, errors);
    errno = 0;                                         /* what was wrong is told */
    if (code >= 0)
        code = describe_types(s);
    return code < 0 ? code : tn_network_open(s);
}

int tn_studio_open(tn_studio **out, const tn_studio_options *options, FILE *errors)
{
    tn_studio *s = *out = calloc(1, sizeof *s);
    if (!s)
        return TN_ERROR_MEMORY;
    s->options = *options;
    int code = open_parts(s, errors);
    if (code < 0) {
        tn_studio_close(s);
        *out = NULL;
        return code;
    }
    bool six = strchr(s->access.host, ':') != NULL;
    const char *tokens[] = { s->access.view, s->access.edit };
    char address[sizeof s->access.shown + 24];
    snprintf(address, sizeof address, "%s://%s%s%s:%d", s->access.secure ? "https" : "http", six ? "[" : "", s->access.host,
             six ? "]" : "", s->access.port);
    for (int k = 0; k < 2; k++)
        snprintf(s->urls[k], sizeof s->urls[k], "%s/#token=%s", s->access.shown[0] != '\0' ? s->access.shown : address,
                 tokens[k]);
    if (!options->paused)
        tn_runner_run_to(s->hub.runner, s->first_pause, 1);
    return TN_OK;
}

void tn_studio_serve(tn_studio *s, bool (*stop)(void))
{
    tn_network_serve(s, stop);
}

/* First those who could still answer, then the network with its clients. */
void tn_studio_close(tn_studio *s)
{
    if (!s)
        return;
    if (s->hub.runner) {
        tn_hub_stop(&s->hub);
        tn_hub_keep(&s->hub, true);
    }
    tn_sweeper_close(&s->sweeper);
    tn_importer_close(&s->importer);
    tn_worker_close(&s->worker);
    tn_recovery_close(&s->recovery);
    tn_network_close(s);
    if (s->clients.wake) {
        tn_hub_close(&s->hub);
        tn_clients_close(&s->clients);
    }
    cJSON_Delete(s->gallery);
    cJSON_free(s->gallery_text);
    free(s->gallery_folder);
    free(s->types);
    free(s->made.bytes);
    free(s);
}

const char *tn_studio_url(const tn_studio *s, bool edits)
{
    return s->urls[edits];
}

const char *tn_studio_journal(const tn_studio *s)
{
    return s->journal;
}
