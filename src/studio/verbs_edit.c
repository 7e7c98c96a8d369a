/* Verbs that change the model, or put another in its place. */
#include "request.h"
#include <errno.h>
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

/* ---- another document ---- */

/* Puts it in place when it opened well, and tells of it. The document is closed otherwise. */
static int enter_document(tn_request *r, tn_document *document, int opened, const char *what)
{
    tn_hub *hub = &r->studio->hub;
    int code = opened < 0 ? opened : tn_hub_exchange(hub, document, r->studio->options.state);
    if (code < 0) {
        tn_request_add_diagnostics(r, document->context);
        tn_document_close(document);
        return code;
    }
    tn_ack ack = { .time = tn_session_time(hub->document.session), .changed = true };
    snprintf(ack.text, sizeof ack.text, "%s", what);
    tn_request_acknowledge(r, hub->document.session, &ack);
    return TN_OK;
}

/* From the text of the present model: it begins where the text says, and its edits can no longer be taken back. */
int tn_verb_reset(tn_request *r, tn_session *session)
{
    tn_document document = { 0 };
    const tn_document *present = &r->studio->hub.document;
    char *text = NULL;
    int code = tn_session_text(&text, session);
    if (code < 0)
        return code;
    code = tn_document_text(&document, text, present->name, present->folder, tn_request_plugins(r));
    tn_text_free(present->context, text);
    return enter_document(r, &document, code, "went back to the start");
}

static int open_path(tn_request *r, const char *path, const char *folder)
{
    tn_document document = { 0 };
    char what[300];
    snprintf(what, sizeof what, "opened %.250s", tn_request_argument(r, "model")->valuestring);
    int code = tn_document_read(&document, path, folder, true, tn_request_plugins(r));
    return enter_document(r, &document, code, what);
}

/* A model of the gallery may have a folder of its own, for its parts. */
static bool find_in_gallery(const tn_studio *studio, const char *model, char path[TN_PATH_SIZE],
                            char folder[TN_PATH_SIZE])
{
    const char *file = tn_gallery_file(studio->gallery, model), *slash = file ? strchr(file, '/') : NULL;
    snprintf(folder, TN_PATH_SIZE, "%.3800s/%.*s", studio->options.gallery, slash ? (int)(slash - file) : 0,
             slash ? file : "");
    return file && tn_folder_find(path, folder, slash ? slash + 1 : file);
}

int tn_verb_open(tn_request *r, tn_session *session)
{
    (void)session;
    char path[TN_PATH_SIZE], folder[TN_PATH_SIZE];
    const tn_studio *studio = r->studio;
    const char *model = tn_request_text(r, "model");
    if (!model)
        return TN_ERROR_ARGUMENT;
    if (find_in_gallery(studio, model, path, folder))
        return open_path(r, path, folder);
    if (tn_folder_find(path, studio->folder, model))
        return open_path(r, path, studio->folder);
    return tn_request_refuse(r, "file", "there is no model '%.100s' in the gallery or in the folder of the model",
                             model);
}

int tn_verb_new(tn_request *r, tn_session *session)
{
    (void)session;
    static const char *const texts[] = {
        "tenon: 1\nname: New model\ndimension: 2\ngravity: [0, -9.81]\n",
        "tenon: 1\nname: New model\ndimension: 3\ngravity: [0, 0, -9.81]\n",
    };
    tn_document document = { 0 };
    double dimension = 0;
    int code = tn_request_number(r, "dimension", 2, 3, &dimension);
    if (code < 0)
        return code;
    code = tn_document_text(&document, texts[dimension > 2.5], "new.yaml", r->studio->folder,
                         tn_request_plugins(r));
    return enter_document(r, &document, code, "began a new model");
}

int tn_verb_save(tn_request *r, tn_session *session)
{
    const char *name = tn_request_text(r, "name");
    char *text = NULL;
    if (!name)
        return TN_ERROR_ARGUMENT;
    if (!tn_folder_name_good(name))
        return tn_request_refuse(r, "file", "'%.100s' is not fit as a name: one without folders that ends in .yaml, "
                                 ".yml or .json", name);
    int code = tn_session_text(&text, session);
    if (code >= 0 && !tn_folder_write(r->studio->folder, name, text, strlen(text)))
        code = tn_request_refuse(r, "file", "'%.100s' cannot be written: %s", name, strerror(errno));
    tn_text_free(tn_session_context(session), text);
    if (code >= 0)
        cJSON_AddStringToObject(r->answer, "name", name);
    return code;
}
