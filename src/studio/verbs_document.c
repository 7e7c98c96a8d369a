/* Verbs about documents: opening, showing, saving, closing, and recovering what was not saved. */
#include "recovery.h"
#include "request.h"
#include "store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Puts it in place when it opened well, and tells of it. The document is closed otherwise. park: the present one stays
 * open besides. */
static int enter_document(tn_request *r, tn_document *document, int opened, bool park, const char *what)
{
    tn_hub *hub = &r->studio->hub;
    if (opened >= 0 && park && hub->parked_count + 2 > TN_MOST_DOCUMENTS)
        opened = tn_request_refuse(r, "documents", "%d models are open: close one first", TN_MOST_DOCUMENTS);
    int code = opened < 0 ? opened : tn_hub_exchange(hub, document, park);
    if (code < 0) {
        if (!r->word)
            tn_request_add_diagnostics(r, document->context);
        tn_document_close(document);
        return code;
    }
    tn_ack ack = { .time = tn_session_time(hub->document.session), .changed = true };
    snprintf(ack.text, sizeof ack.text, "%s", what);
    tn_request_acknowledge(r, hub->document.session, &ack);
    return TN_OK;
}

/* A model with unsaved changes is never put away by opening another, also when it was changed a moment ago; a new tab was perhaps
 * asked for. */
static bool parks(const tn_request *r)
{
    tn_hub_keep(&r->studio->hub, true);
    return r->studio->hub.document.unsaved || tn_request_flag(r, "beside");
}

/* From the text of the present model: it begins where the text says, and its edits can no longer be taken back. */
int tn_verb_reset(tn_request *r, tn_session *session)
{
    tn_document document = { 0 };
    tn_document *present = &r->studio->hub.document;
    char *text = NULL;
    int code = tn_session_text(&text, session);
    if (code < 0)
        return code;
    tn_hub_keep(&r->studio->hub, true);
    code = tn_document_text(&document, text, present->name, present->folder, tn_request_plugins(r));
    tn_text_free(present->context, text);
    if (code >= 0)
        tn_document_succeed(&document, present);
    return enter_document(r, &document, code, false, "went back to the start");
}

/* ---- opening ---- */

static int open_path(tn_request *r, const char *path, const char *folder, const char *file)
{
    tn_document document = { 0 };
    const tn_studio *studio = r->studio;
    char what[300];
    snprintf(what, sizeof what, "opened %.250s", tn_request_argument(r, "model")->valuestring);
    int code = tn_document_read(&document, path, folder, true, tn_request_plugins(r));
    snprintf(document.file, sizeof document.file, "%s", file);
    if (file[0] != '\0') {
        document.modified = tn_folder_modified(folder, file);
        if (code >= 0)
            tn_store_add_recent(studio->options.state, studio->folder, file);
    }
    return enter_document(r, &document, code, parks(r), what);
}

/* A model of the gallery may have a folder of its own, for its parts. */
static bool find_in_gallery(const tn_studio *studio, const char *model, char path[TN_PATH_SIZE],
                            char folder[TN_PATH_SIZE])
{
    const char *file = tn_gallery_file(studio->gallery, model), *slash = file ? strchr(file, '/') : NULL;
    snprintf(folder, TN_PATH_SIZE, "%.3800s%s%.*s", studio->options.gallery, slash ? "/" : "", slash ? (int)(slash - file) : 0,
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
        return open_path(r, path, folder, "");
    if (tn_folder_find(path, studio->folder, model))
        return open_path(r, path, studio->folder, model);
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
    return enter_document(r, &document, code, parks(r), "began a new model");
}

static const uint64_t NOWHERE = 1;             /* of a text that is on no disk: nothing has this hash */

int tn_verb_open_text(tn_request *r, tn_session *session)
{
    (void)session;
    char path[TN_PATH_SIZE], what[300];
    tn_document document = { 0 };
    const char *text = tn_request_text(r, "text"), *name = tn_request_text(r, "name");
    if (!text || !name)
        return TN_ERROR_ARGUMENT;
    const char *slash = strrchr(name, '/');
    if (!tn_folder_name_good(slash ? slash + 1 : name))
        return tn_request_refuse(r, "file", "'%.100s' is not fit as a name: it has to end in .yaml, .yml or .json", name);
    snprintf(what, sizeof what, "opened %.250s", name);
    int code = tn_document_text(&document, text, slash ? slash + 1 : name, r->studio->folder, tn_request_plugins(r));
    document.saved = NOWHERE;
    if (tn_request_flag(r, "mended") && tn_folder_find(path, r->studio->folder, name)) {
        snprintf(document.file, sizeof document.file, "%.500s", name);
        document.modified = tn_folder_modified(r->studio->folder, name);
        r->studio->broken[0] = '\0';
    }
    return enter_document(r, &document, code, parks(r), what);
}

/* ---- tabs ---- */

static int read_document(tn_request *r, tn_document **out)
{
    double number = r->studio->hub.document.number;
    int code = tn_request_argument(r, "document") ? tn_request_number(r, "document", 1, 1e9, &number) : TN_OK;
    if (code < 0)
        return code;
    *out = tn_hub_find(&r->studio->hub, (int)number);
    return *out ? TN_OK : tn_request_refuse(r, "argument", "no model with number %.0f is open", number);
}

int tn_verb_show(tn_request *r, tn_session *session)
{
    (void)session;
    tn_hub *hub = &r->studio->hub;
    tn_document *document = NULL;
    int code = read_document(r, &document);
    if (code < 0)
        return code;
    if (document != &hub->document) {
        tn_hub_keep(hub, true);
        tn_hub_show(hub, document->number);
    }
    tn_ack ack = { .time = tn_session_time(hub->document.session), .changed = true };
    snprintf(ack.text, sizeof ack.text, "shows %.200s", hub->document.name);
    tn_request_acknowledge(r, hub->document.session, &ack);
    return TN_OK;
}

/* Another one is shown in its place: the next one, or an empty model. */
static int leave_document(tn_request *r, int number)
{
    static const char empty[] = "tenon: 1\nname: New model\ndimension: 2\ngravity: [0, -9.81]\n";
    tn_hub *hub = &r->studio->hub;
    tn_document document = { 0 };
    if (hub->parked_count > 0) {
        tn_hub_show(hub, hub->parked[hub->parked_count - 1].number);
        tn_hub_drop(hub, number);
        tn_hub_tell_documents(hub);
        return TN_OK;
    }
    int code = tn_document_text(&document, empty, "new.yaml", r->studio->folder, false);
    if (code >= 0)
        code = tn_hub_exchange(hub, &document, false);
    if (code < 0)
        tn_document_close(&document);
    return code;
}

int tn_verb_close(tn_request *r, tn_session *session)
{
    (void)session;
    tn_hub *hub = &r->studio->hub;
    tn_document *document = NULL;
    tn_hub_keep(hub, true);
    int code = read_document(r, &document);
    if (code < 0)
        return code;
    int number = document->number;
    if (document->unsaved && !tn_request_flag(r, "discard"))
        return tn_request_refuse(r, "unsaved", "'%.100s' has changes that are not saved", document->name);
    if (document->unsaved)
        tn_recovery_remove(&r->studio->recovery, &r->studio->worker, number);
    if (document == &hub->document) {
        code = leave_document(r, number);
    } else {
        tn_hub_drop(hub, number);
        tn_hub_tell_documents(hub);
    }
    if (code < 0)
        return code;
    tn_ack ack = { .time = tn_session_time(hub->document.session), .changed = true };
    snprintf(ack.text, sizeof ack.text, "closed a model");
    tn_request_acknowledge(r, hub->document.session, &ack);
    return TN_OK;
}

/* ---- saving ---- */

static int refuse_overwriting(tn_request *r, const tn_document *document, const char *name)
{
    long long there = tn_folder_modified(r->studio->folder, name);
    bool own = strcmp(name, document->file) == 0;
    if (there == 0 || tn_request_flag(r, "replace") || (own && (document->modified == 0 || there == document->modified)))
        return TN_OK;
    if (own)
        return tn_request_refuse(r, "changed", "'%.100s' was changed by another program since it was opened here", name);
    return tn_request_refuse(r, "exists", "'%.100s' exists already", name);
}

static int copy_file(tn_request *r, const char *path, const char *name)
{
    enum { FILE_LIMIT = 1 << 29 };
    size_t size;
    char *bytes = tn_file_load(&size, path, FILE_LIMIT);
    bool good = bytes && tn_folder_make(r->studio->folder, name) && tn_folder_write(r->studio->folder, name, bytes, size);
    int reason = errno;
    free(bytes);
    return good ? TN_OK : tn_request_refuse(r, "file", "'%.100s' cannot be copied: %s", name, strerror(reason));
}

/* What the text uses, into the served folder, where it is not there already. */
static int copy_files(tn_request *r, const tn_document *document, const char *text)
{
    if (strcmp(document->folder, r->studio->folder) == 0)
        return TN_OK;
    size_t count, length = strlen(document->folder);
    char **files = tn_document_files(&count, document, text, tn_request_plugins(r));
    int code = files ? TN_OK : TN_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        const char *name = files[k] + length + 1;
        if (code >= 0 && tn_folder_modified(r->studio->folder, name) == 0)
            code = copy_file(r, files[k], name);
        free(files[k]);
    }
    free(files);
    return code;
}

static int write_document(tn_request *r, tn_document *document, const char *name)
{
    const char *folder = r->studio->folder, *slash = strrchr(name, '/');
    char beside[600];
    uint64_t hash = 0;
    char *text = tn_document_now(document, &hash);
    int code = text ? copy_files(r, document, text) : TN_ERROR_MEMORY;
    if (code >= 0 && !tn_folder_write(folder, name, text, strlen(text)))
        code = tn_request_refuse(r, "file", "'%.100s' cannot be written: %s", name, strerror(errno));
    tn_text_free(document->context, text);
    snprintf(beside, sizeof beside, "%s%s", name, TN_VIEW_END);
    if (code >= 0 && document->view && !tn_folder_write(folder, beside, document->view, strlen(document->view)))
        code = tn_request_refuse(r, "file", "'%.100s' cannot be written: %s", beside, strerror(errno));
    if (code < 0)
        return code;
    snprintf(document->name, sizeof document->name, "%.255s", slash ? slash + 1 : name);
    if (name != document->file)
        snprintf(document->file, sizeof document->file, "%.511s", name);
    document->modified = tn_folder_modified(folder, name);
    tn_store_add_recent(r->studio->options.state, folder, name);
    tn_hub_saved(&r->studio->hub, document, hash);
    return TN_OK;
}

int tn_verb_save(tn_request *r, tn_session *session)
{
    (void)session;
    tn_document *document = NULL;
    int code = read_document(r, &document);
    if (code < 0)
        return code;
    const char *name = tn_request_argument(r, "name") ? tn_request_text(r, "name") : document->file;
    if (!name)
        return TN_ERROR_ARGUMENT;
    if (name[0] == '\0' && !tn_request_argument(r, "name"))
        return tn_request_refuse(r, "name", "'%.100s' has no file in the served folder yet: give a name",
                                 document->name);
    if (strcmp(name, document->file) != 0 && !tn_folder_name_good(name))
        return tn_request_refuse(r, "file", "'%.100s' is not fit as a name: one without folders that ends in .yaml, "
                                 ".yml or .json", name);
    code = refuse_overwriting(r, document, name);
    if (code >= 0)
        code = write_document(r, document, name);
    if (code >= 0)
        cJSON_AddStringToObject(r->answer, "name", document->name);
    return code;
}

/* ---- what was not saved ---- */

/* Files of another folder cannot be read from here. */
static bool is_reachable(const tn_studio *studio, const char *folder)
{
    const char *gallery = studio->options.gallery;
    size_t length = gallery ? strlen(gallery) : 0;
    return strcmp(folder, studio->folder) == 0 ||
           (gallery && strncmp(folder, gallery, length) == 0 && (folder[length] == '/' || folder[length] == '\0'));
}

int tn_verb_recoverable(tn_request *r, tn_session *session)
{
    (void)session;
    cJSON *all = tn_recovery_list(&r->studio->recovery), *list = cJSON_AddArrayToObject(r->answer, "models"), *item;
    while ((item = cJSON_DetachItemFromArray(all, 0))) {
        bool here = is_reachable(r->studio, cJSON_GetObjectItemCaseSensitive(item, "folder")->valuestring);
        cJSON_DeleteItemFromObjectCaseSensitive(item, "folder");
        if (here)
            cJSON_AddItemToArray(list, item);
        else
            cJSON_Delete(item);
    }
    cJSON_Delete(all);
    return TN_OK;
}

static const char *text_in(const cJSON *json, const char *key)
{
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsString(text) ? text->valuestring : "";
}

int tn_verb_recover(tn_request *r, tn_session *session)
{
    (void)session;
    tn_studio *studio = r->studio;
    const char *id = tn_request_text(r, "model");
    cJSON *left = id ? tn_recovery_load(&studio->recovery, id) : NULL;
    if (!left || !is_reachable(studio, text_in(left, "folder"))) {
        cJSON_Delete(left);
        return tn_request_refuse(r, "file", "there is no unsaved model '%.60s'", id ? id : "");
    }
    tn_document document = { 0 };
    char what[300], path[TN_PATH_SIZE];
    snprintf(what, sizeof what, "recovered %.250s", text_in(left, "name"));
    int code = tn_document_text(&document, text_in(left, "text"), text_in(left, "name"), text_in(left, "folder"),
                                tn_request_plugins(r));
    document.saved = NOWHERE;
    if (tn_folder_find(path, studio->folder, text_in(left, "file"))) {
        snprintf(document.file, sizeof document.file, "%.511s", text_in(left, "file"));
        document.modified = tn_folder_modified(studio->folder, document.file);
    }
    document.view = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(left, "view"));
    cJSON_Delete(left);
    code = enter_document(r, &document, code, parks(r), what);
    if (code >= 0)
        tn_recovery_replace(&studio->recovery, &studio->worker, id);
    return code;
}

int tn_verb_forget(tn_request *r, tn_session *session)
{
    (void)session;
    const char *id = tn_request_text(r, "model");
    if (id && tn_recovery_forget(&r->studio->recovery, id))
        return TN_OK;
    return id ? tn_request_refuse(r, "file", "there is no unsaved model '%.60s'", id) : TN_ERROR_ARGUMENT;
}

/* ---- what pages show ---- */

int tn_verb_keep_view(tn_request *r, tn_session *session)
{
    (void)session;
    tn_document *document = NULL;
    int code = read_document(r, &document);
    char *text = code >= 0 ? cJSON_PrintUnformatted(tn_request_argument(r, "view")) : NULL;
    if (code < 0)
        return code;
    if (!text)
        return TN_ERROR_MEMORY;
    if (strlen(text) > TN_VIEW_LIMIT) {
        cJSON_free(text);
        return tn_request_refuse(r, "argument", "'view' is too large");
    }
    free(document->view);
    document->view = text;
    return TN_OK;
}

int tn_verb_kept_view(tn_request *r, tn_session *session)
{
    (void)session;
    tn_document *document = NULL;
    int code = read_document(r, &document);
    if (code < 0)
        return code;
    cJSON_AddNumberToObject(r->answer, "document", document->number);
    if (document->view)
        cJSON_AddItemToObject(r->answer, "view", cJSON_Parse(document->view));
    return TN_OK;
}
