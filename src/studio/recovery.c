/* Unsaved models on disk: written as they change, listed and read by the next program. */
#include "recovery.h"
#include "folder.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILE_LIMIT = 64 << 20 };
static const char BEGIN[] = "unsaved-", END[] = ".json";

/* ---- writing, at the worker ---- */

typedef struct job {
    char state[TN_PATH_SIZE], name[64];
    char *text;                /* NULL: the file is removed */
    tn_recovery_failed failed;
    void *user;
} job;

static void run_job(void *user)
{
    job *j = user;
    char path[TN_PATH_SIZE + 80];
    if (!j->text) {
        snprintf(path, sizeof path, "%s/%s", j->state, j->name);
        unlink(path);
    } else if (!tn_folder_write(j->state, j->name, j->text, strlen(j->text)) && j->failed) {
        j->failed(j->user, strerror(errno));
    }
    cJSON_free(j->text);
    free(j);
}

static void submit_job(tn_worker *worker, const char *state, int number, const job *what)
{
    job *j = malloc(sizeof *j);
    if (j) {
        *j = *what;
        snprintf(j->state, sizeof j->state, "%s", state);
        snprintf(j->name, sizeof j->name, "%s%ld-%d%s", BEGIN, (long)getpid(), number, END);
        if (tn_worker_submit(worker, run_job, j))
            return;
    }
    if (what->failed)
        what->failed(what->user, j ? "too much is waiting to be written" : strerror(ENOMEM));
    cJSON_free(what->text);
    free(j);
}

void tn_recovery_write(tn_worker *worker, const char *state, int number, cJSON *what, tn_recovery_failed failed,
                       void *user)
{
    cJSON_AddNumberToObject(what, "when", (double)time(NULL));
    job j = { .text = cJSON_PrintUnformatted(what), .failed = failed, .user = user };
    cJSON_Delete(what);
    if (j.text)
        submit_job(worker, state, number, &j);
    else if (failed)
        failed(user, strerror(ENOMEM));
}

void tn_recovery_remove(tn_worker *worker, const char *state, int number)
{
    submit_job(worker, state, number, &(job){ .text = NULL });
}

/* ---- reading ---- */

/* The process that wrote a file of this name; 0: it is another kind of file. */
static long writer_of(const char *name)
{
    size_t length = strlen(name), end = sizeof END - 1;
    if (strncmp(name, BEGIN, sizeof BEGIN - 1) != 0 || length < end || strcmp(name + length - end, END) != 0)
        return 0;
    if (strspn(name + sizeof BEGIN - 1, "0123456789-") != length - end - (sizeof BEGIN - 1))
        return 0;
    return strtol(name + sizeof BEGIN - 1, NULL, 10);
}

static bool left_behind(const char *name)
{
    long process = writer_of(name);
    return process > 0 && process != (long)getpid() && kill((pid_t)process, 0) != 0 && errno != EPERM;
}

static cJSON *read_whole(const char *state, const char *name)
{
    char path[TN_PATH_SIZE + 300];
    size_t size;
    snprintf(path, sizeof path, "%s/%.255s", state, name);
    char *bytes = tn_file_load(&size, path, FILE_LIMIT);
    cJSON *json = bytes ? cJSON_ParseWithLength(bytes, size) : NULL;
    free(bytes);
    if (json && cJSON_IsString(cJSON_GetObjectItemCaseSensitive(json, "text")) &&
        cJSON_IsString(cJSON_GetObjectItemCaseSensitive(json, "name")))
        return json;
    cJSON_Delete(json);
    return NULL;
}

static cJSON *summary_of(const char *state, const char *id)
{
    static const char *const texts[] = { "name", "title", "folder" };
    cJSON *whole = read_whole(state, id), *item = whole ? cJSON_CreateObject() : NULL;
    if (!whole)
        return NULL;
    cJSON_AddStringToObject(item, "id", id);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(whole, texts[k]);
        cJSON_AddStringToObject(item, texts[k], cJSON_IsString(text) ? text->valuestring : "");
    }
    const cJSON *when = cJSON_GetObjectItemCaseSensitive(whole, "when");
    cJSON_AddNumberToObject(item, "when", cJSON_IsNumber(when) ? when->valuedouble : 0);
    cJSON_Delete(whole);
    return item;
}

/* Before the first that is older. */
static void insert_by_age(cJSON *list, cJSON *item)
{
    double when = cJSON_GetObjectItemCaseSensitive(item, "when")->valuedouble;
    int k = 0, count = cJSON_GetArraySize(list);
    while (k < count && cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, k), "when")->valuedouble >= when)
        k++;
    cJSON_InsertItemInArray(list, k, item);
}

cJSON *tn_recovery_list(const char *state)
{
    struct dirent **entries = NULL;
    cJSON *list = cJSON_CreateArray();
    int count = scandir(state, &entries, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        cJSON *item = left_behind(entries[k]->d_name) ? summary_of(state, entries[k]->d_name) : NULL;
        if (item)
            insert_by_age(list, item);
        free(entries[k]);
    }
    free(entries);
    return list;
}

cJSON *tn_recovery_load(const char *state, const char *id)
{
    return left_behind(id) ? read_whole(state, id) : NULL;
}

bool tn_recovery_forget(const char *state, const char *id)
{
    char path[TN_PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s/%.255s", state, id);
    return left_behind(id) && unlink(path) == 0;
}
