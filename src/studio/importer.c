/* Imports of the studio: the verbs import and import_cancel. */
#include "importer.h"
#include "request.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tenon/import.h>

enum { MOST_FILES = 400, MOST_DECISIONS = 2000 };
static const double HELPER_TIME = 300, HELPER_MEMORY = 4e9;    /* s, bytes: as on the command line */

/* All that an import needs of the message; its own. */
typedef struct import_job {
    tn_request *request;       /* answered when all is done */
    tn_importer_thread *importer;
    char (*files)[TN_PATH_SIZE];
    const char **names;
    size_t file_count;
    tn_import_decision *decisions;     /* texts of the message */
    size_t decision_count;
    char folder[TN_PATH_SIZE], cache[TN_PATH_SIZE + 16];
    const char *model;         /* the folder, as the client calls it */
    tn_import_options options;
    double time;               /* s: of the session when the import began */
} import_job;

static void free_import_job(import_job *job)
{
    free(job->files);
    free(job->names);
    free(job->decisions);
    free(job);
}

/* Nobody waits for the answer to one who has left. */
static bool is_import_cancelled(void *user)
{
    const import_job *job = user;
    tn_clients *clients = &job->request->studio->clients;
    pthread_mutex_lock(&clients->lock);
    bool gone = job->request->client->gone;
    pthread_mutex_unlock(&clients->lock);
    return gone || atomic_load(&job->importer->cancelled);
}

/* ---- answer ---- */

/* Paths of this machine become paths within the served folder. */
static void shorten_paths(cJSON *json, const char *folder)
{
    size_t length = strlen(folder);
    cJSON *item;
    if (cJSON_IsString(json) && strncmp(json->valuestring, folder, length) == 0 && json->valuestring[length] == '/')
        memmove(json->valuestring, json->valuestring + length + 1, strlen(json->valuestring + length));
    cJSON_ArrayForEach(item, json)
        shorten_paths(item, folder);
}

static int answer_report(import_job *job, tn_import *import)
{
    char *text = NULL;
    int code = tn_import_report_json(&text, import);
    cJSON *report = code >= 0 ? cJSON_Parse(text) : NULL;
    tn_import_report_free(import, text);
    if (!report)
        return code < 0 ? code : TN_ERROR_MEMORY;
    shorten_paths(report, job->request->studio->folder);
    while (report->child) {
        cJSON *item = cJSON_DetachItemViaPointer(report, report->child);
        cJSON_AddItemToObject(job->request->answer, item->string, item);
    }
    cJSON_Delete(report);
    cJSON *materials = cJSON_AddArrayToObject(job->request->answer, "materials");
    for (size_t i = 0; i < tn_import_material_count(); i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", tn_import_material_at(i).name);
        cJSON_AddNumberToObject(item, "density", tn_import_material_at(i).density);
        cJSON_AddItemToArray(materials, item);
    }
    char model[TN_PATH_SIZE];
    snprintf(model, sizeof model, "%.3000s/model.yaml", job->model);
    cJSON_AddStringToObject(job->request->answer, "model", model);
    return TN_OK;
}

static int carry_out_import(import_job *job)
{
    tn_import *import = NULL;
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return TN_ERROR_MEMORY;
    tn_context_refuse_libraries(context, true);
    int code = tn_import_read(&import, context, job->names, job->file_count, &job->options);
    if (code >= 0 && is_import_cancelled(job))
        code = tn_request_refuse(job->request, "cancelled", "the import was cancelled");
    else if (code >= 0)
        code = tn_import_write(import, job->folder);
    if (code >= 0)
        code = answer_report(job, import);
    if (code < 0) {
        tn_request_add_diagnostics(job->request, context);
        if (job->request->diagnostics)
            shorten_paths(job->request->diagnostics, job->request->studio->folder);
    }
    tn_import_destroy(import);
    tn_context_destroy(context);
    return code;
}

static void *run_import_job(void *user)
{
    import_job *job = user;
    tn_importer_thread *importer = job->importer;
    int code = carry_out_import(job);
    cJSON_AddNumberToObject(job->request->answer, "time", job->time);
    atomic_store(&importer->done, true);               /* before the answer: the client may ask for the next at once */
    tn_request_finish(job->request, code);
    free_import_job(job);
    return NULL;
}

/* ---- message ---- */

static int read_files(import_job *job, tn_request *r)
{
    const cJSON *list = tn_request_argument(r, "files"), *item;
    int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (count < 1 || count > MOST_FILES)
        return tn_request_refuse(r, "argument", "'files' must be a list of 1 to %d files", MOST_FILES);
    job->files = calloc((size_t)count, sizeof *job->files);
    job->names = calloc((size_t)count, sizeof *job->names);
    if (!job->files || !job->names)
        return TN_ERROR_MEMORY;
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsString(item) || !tn_folder_find(job->files[job->file_count], r->studio->folder, item->valuestring))
            return tn_request_refuse(r, "file", "there is no file '%.100s' in the folder",
                                     cJSON_IsString(item) ? item->valuestring : "?");
        job->names[job->file_count] = job->files[job->file_count];
        job->file_count++;
    }
    return TN_OK;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static int read_decisions(import_job *job, tn_request *r)
{
    const cJSON *list = tn_request_argument(r, "decisions"), *item;
    int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if ((list && !cJSON_IsArray(list)) || count > MOST_DECISIONS)
        return tn_request_refuse(r, "argument", "'decisions' must be a list of at most %d", MOST_DECISIONS);
    job->decisions = calloc((size_t)count + 1, sizeof *job->decisions);
    if (!job->decisions)
        return TN_ERROR_MEMORY;
    cJSON_ArrayForEach(item, list) {
        tn_import_decision d = { text_of(item, "about"), text_of(item, "name"), text_of(item, "value") };
        if (!d.about || !d.name || !d.value)
            return tn_request_refuse(r, "argument", "a decision has 'about', 'name' and 'value'");
        job->decisions[job->decision_count++] = d;
    }
    return TN_OK;
}

/* One folder below the served one, made by an import or not there yet. */
static int read_folder(import_job *job, tn_request *r)
{
    struct stat there;
    const char *name = job->model = tn_request_text(r, "folder");
    if (!name)
        return TN_ERROR_ARGUMENT;
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\' || (unsigned char)*c < ' ' || *c == 0x7f)
            return tn_request_refuse(r, "argument", "'%.100s' is no name of a folder", name);
    if (name[0] == '.' || name[0] == '\0' || strlen(name) > 150)
        return tn_request_refuse(r, "argument", "'%.100s' is no name of a folder", name);
    snprintf(job->folder, sizeof job->folder, "%.3800s/%.150s", r->studio->folder, name);
    snprintf(job->cache, sizeof job->cache, "%.3800s/.tenon-cad", r->studio->folder);
    if ((lstat(job->folder, &there) == 0 && !S_ISDIR(there.st_mode)) ||
        (lstat(job->cache, &there) == 0 && !S_ISDIR(there.st_mode)))   /* a link may lead elsewhere */
        return tn_request_refuse(r, "file", "'%.100s' cannot be written", name);
    return TN_OK;
}

static int read_options(import_job *job, tn_request *r)
{
    job->options = tn_import_default();
    if (tn_request_argument(r, "density") && tn_request_number(r, "density", 1, 23000, &job->options.density) < 0)
        return TN_ERROR_ARGUMENT;
    job->options.collisions = tn_request_flag(r, "collisions");
    job->options.helper_time = HELPER_TIME;
    job->options.helper_memory = HELPER_MEMORY;
    job->options.root = r->studio->folder;
    job->options.cache = job->cache;
    job->options.folder = job->folder;
    job->options.decisions = job->decisions;
    job->options.decision_count = job->decision_count;
    job->options.cancelled = is_import_cancelled;
    job->options.user = job;
    return TN_OK;
}

static int start_import(import_job *job)
{
    tn_importer_thread *importer = job->importer;
    if (importer->started)
        pthread_join(importer->thread, NULL);
    atomic_store(&importer->done, false);
    atomic_store(&importer->cancelled, false);
    importer->started = pthread_create(&importer->thread, NULL, run_import_job, job) == 0;
    return importer->started ? TN_ANSWERED_LATER : TN_ERROR_MEMORY;
}

int tn_verb_import(tn_request *r, tn_session *session)
{
    tn_importer_thread *importer = &r->studio->importer;
    if (importer->started && !atomic_load(&importer->done))
        return tn_request_refuse(r, "busy", "another import is under way");
    import_job *job = calloc(1, sizeof *job);
    if (!job)
        return TN_ERROR_MEMORY;
    *job = (import_job){ .request = r, .importer = importer, .time = tn_session_time(session) };
    int code = read_files(job, r);
    if (code >= 0)
        code = read_decisions(job, r);
    if (code >= 0)
        code = read_folder(job, r);
    if (code >= 0)
        code = read_options(job, r);
    if (code >= 0)
        code = start_import(job);
    if (code < 0)
        free_import_job(job);
    return code;
}

int tn_verb_import_cancel(tn_request *r, tn_session *session)
{
    (void)session;
    atomic_store(&r->studio->importer.cancelled, true);
    return TN_OK;
}

void tn_importer_close(tn_importer_thread *importer)
{
    if (!importer->started)
        return;
    atomic_store(&importer->cancelled, true);
    pthread_join(importer->thread, NULL);
    importer->started = false;
}
