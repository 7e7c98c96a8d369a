/* An open model with its session and journal: read, written as text, resumed, recorded. */
#include "document.h"
#include "folder.h"
#include "journals.h"
#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int begin_document(tn_document *w, const char *name, const char *folder, bool plugins)
{
    *w = (tn_document){ .context = tn_context_create(NULL) };
    snprintf(w->name, sizeof w->name, "%s", name);
    snprintf(w->folder, sizeof w->folder, "%s", folder);
    if (!w->context)
        return TN_ERROR_MEMORY;
    tn_context_refuse_libraries(w->context, !plugins);
    return tn_context_credentials_of_environment(w->context);
}

static int open_session(tn_document *w)
{
    int code = tn_session_open(&w->session, w->model, NULL);
    return code < 0 ? code : tn_context_confine(w->context, w->folder);
}

static void load_view(tn_document *w, const char *path)
{
    char beside[TN_PATH_SIZE + sizeof TN_VIEW_END];
    size_t size;
    snprintf(beside, sizeof beside, "%s%s", path, TN_VIEW_END);
    char *bytes = tn_file_load(&size, beside, TN_VIEW_LIMIT);
    cJSON *view = bytes ? cJSON_ParseWithLength(bytes, size) : NULL;
    if (cJSON_IsObject(view))
        w->view = bytes;
    else
        free(bytes);
    cJSON_Delete(view);
}

int tn_document_read(tn_document *w, const char *path, const char *folder, bool confined, bool plugins)
{
    const char *slash = strrchr(path, '/');
    int code = begin_document(w, slash ? slash + 1 : path, folder, plugins);
    load_view(w, path);
    if (code >= 0 && confined)
        code = tn_context_confine(w->context, folder);
    if (code >= 0)
        code = tn_model_read(&w->model, w->context, path);
    return code < 0 ? code : open_session(w);
}

int tn_document_text(tn_document *w, const char *text, const char *name, const char *folder, bool plugins)
{
    int code = begin_document(w, name, folder, plugins);
    if (code >= 0)
        code = tn_context_confine(w->context, folder);
    if (code >= 0)
        code = tn_model_read_text(&w->model, w->context, text, strlen(text), name, folder);
    return code < 0 ? code : open_session(w);
}

int tn_document_resume(tn_document *w, const char *journal, long entries, const char *folder, bool plugins)
{
    tn_replay_entry entry = { .same = true };
    int code = begin_document(w, "resumed.yaml", folder, plugins);
    if (code >= 0)
        code = tn_replay_open(&w->replay, w->context, journal);
    while (code == TN_OK && entry.same && w->repeated != entries) {
        code = tn_replay_next(&entry, w->replay);
        if (code == TN_OK && entry.same) {
            w->repeated++;
            w->repeated_to = tn_session_time(tn_replay_session(w->replay));
        }
    }
    if (code < 0)
        return code;
    if (!entry.same) {
        w->differs = entry.line;
        return TN_ERROR_MODEL;
    }
    w->session = tn_replay_session(w->replay);
    return tn_context_confine(w->context, w->folder);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;               /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

char *tn_document_now(tn_document *w, uint64_t *hash)
{
    char *text = NULL;
    if (tn_session_text(&text, w->session) < 0)
        return NULL;
    if (hash)
        *hash = hash_text(text);
    return text;
}

void tn_document_succeed(tn_document *w, tn_document *before)
{
    w->number = before->number;
    snprintf(w->file, sizeof w->file, "%s", before->file);
    w->modified = before->modified;
    w->saved = before->saved;
    w->told = before->told;
    w->unsaved = before->unsaved;
    w->view = before->view;
    before->view = NULL;
}

/* One snapshot a frame where memory for ten minutes allows it; fewer in large models, more in runs that are short. */
static double snapshot_interval(const tn_session *session)
{
    static const double BYTES_PER_BODY = 200, BYTES_PER_SNAPSHOT = 300, TEN_MINUTES = 600;
    static const double SHORTEST = 1.0 / 60, LONGEST = 0.1;    /* s simulated: what seeking may have to step again */
    static const double RUN = 600;                             /* snapshots of a short run, so that paths are smooth */
    const tn_model *model = tn_session_model(session);
    size_t bodies = tn_model_count(model, TN_KIND_BODY);
    double until = tn_model_solve(model).until, shortest = until > 0 ? fmin(SHORTEST, until / RUN) : SHORTEST;
    double wanted = until > 0 ? fmin(TEN_MINUTES, fmax(100 * until, 1)) : TEN_MINUTES;
    double interval = wanted * (BYTES_PER_SNAPSHOT + BYTES_PER_BODY * (double)bodies) / (double)TN_REWIND_BYTES;
    return fmin(fmax(interval, shortest), LONGEST);
}

int tn_document_record(tn_document *w, const char *state, int number, const tn_journal_options *options)
{
    char stem[128];
    size_t length = strcspn(w->name, ".");
    snprintf(stem, sizeof stem, "%.*s", length > 100 ? 100 : (int)length, w->name);
    if (!tn_journal_path(w->journal, sizeof w->journal, state, stem, number))
        return TN_ERROR_FILE;
    int code = tn_session_journal_options(w->session, options);
    if (code >= 0)
        code = tn_session_journal(w->session, w->journal);
    if (code < 0)
        return code;
    tn_journals_prune(state, stem, TN_JOURNALS_KEPT);
    return tn_session_keep_rewind(w->session, TN_REWIND_BYTES, snapshot_interval(w->session));
}

static void list_file(char **list, size_t *count, const char *folder, const char *path)
{
    size_t length = strlen(folder);
    if (!path || strncmp(path, folder, length) != 0 || path[length] != '/' || tn_folder_hides(folder, path))
        return;
    for (size_t k = 0; k < *count; k++)
        if (strcmp(list[k], path) == 0)
            return;
    if ((list[*count] = strdup(path)))
        (*count)++;
}

char **tn_document_files(size_t *count, const tn_document *document, const char *text, bool plugins)
{
    tn_document fresh = { 0 };
    int code = tn_document_text(&fresh, text, document->name, document->folder, plugins);
    const tn_model *model = tn_session_model(code >= 0 ? fresh.session : document->session);
    size_t files = tn_model_file_count(model);
    char **list = code == TN_ERROR_MEMORY ? NULL : calloc(files + 1, sizeof *list);
    *count = 0;
    for (size_t k = 1; k < files && list; k++)
        list_file(list, count, document->folder, tn_model_file_at(model, k).path);
    if (list)
        list_file(list, count, document->folder, tn_model_expected_reference(model));
    tn_document_close(&fresh);
    return list;
}

void tn_document_close(tn_document *w)
{
    if (w->replay)
        tn_replay_close(w->replay);
    else
        tn_session_close(w->session);
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
    free(w->view);
    *w = (tn_document){ 0 };
}
