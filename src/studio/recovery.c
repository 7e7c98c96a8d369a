/* Unsaved models on disk: written as they change, listed and read by the next program. */
#include "recovery.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { FILE_LIMIT = 64 << 20 };
static const char BEGIN[] = "unsaved-", END[] = ".json", LOCK[] = ".lock";

/* ---- writing, at the worker ---- */

typedef struct job {
    char state[TN_PATH_SIZE], name[96];
    char *text;                /* NULL: the file is removed */
    tn_recovery_failed failed;
    void *user;
} job;

static void run_job(void *user)
{
    job *j = user;
    char path[TN_PATH_SIZE + 100];
    if (!j->text) {
        snprintf(path, sizeof path, "%s/%s", j->state, j->name);
        unlink(path);
    } else if (!tn_folder_write(j->state, j->name, j->text, strlen(j->text)) && j->failed) {
        j->failed(j->user, strerror(errno));
    }
    cJSON_free(j->text);
    free(j);
}

static void submit_job(const tn_recovery *r, tn_worker *worker, const job *what)
{
    job *j = malloc(sizeof *j);
    if (j) {
        *j = *what;
        snprintf(j->state, sizeof j->state, "%s", r->state);
        if (tn_worker_submit(worker, run_job, j))
            return;
    }
    if (what->failed)
        what->failed(what->user, j ? "too much is waiting to be written" : strerror(ENOMEM));
    cJSON_free(what->text);
    free(j);
}

static job job_of(const tn_recovery *r, int number)
{
    job j = { .text = NULL };
    snprintf(j.name, sizeof j.name, "%s-%d%s", r->run, number, END);
    return j;
}

void tn_recovery_write(const tn_recovery *r, tn_worker *worker, int number, cJSON *what, tn_recovery_failed failed, void *user)
{
    cJSON_AddNumberToObject(what, "when", (double)time(NULL));
    job j = job_of(r, number);
    j.text = cJSON_PrintUnformatted(what);
    j.failed = failed;
    j.user = user;
    cJSON_Delete(what);
    if (j.text)
        submit_job(r, worker, &j);
    else if (failed)
        failed(user, strerror(ENOMEM));
}

void tn_recovery_remove(const tn_recovery *r, tn_worker *worker, int number)
{
    const job j = job_of(r, number);
    submit_job(r, worker, &j);
}

/* ---- reading ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), own = strlen(end);
    return length > own && strcmp(name + length - own, end) == 0;
}

/* The run that wrote a file of this name; false: it is another kind of file. */
static bool run_name_of(char run[64], const char *name)
{
    const char *number = strrchr(name, '-');
    if (strncmp(name, BEGIN, sizeof BEGIN - 1) != 0 || !ends_with(name, END) ||
        strspn(name + sizeof BEGIN - 1, "0123456789-") != strlen(name) - (sizeof BEGIN - 1) - (sizeof END - 1))
        return false;
    int length = snprintf(run, 64, "%.*s", (int)(number - name), name);
    return number > name + sizeof BEGIN - 1 && length < 64;
}

/* Whether a run goes on: it holds its lock. Where there is none, its process tells. */
static bool goes_on(const char *state, const char *run)
{
    char path[TN_PATH_SIZE + 80];
    snprintf(path, sizeof path, "%s/%s%s", state, run, LOCK);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return kill((pid_t)strtol(run + sizeof BEGIN - 1, NULL, 10), 0) == 0 || errno == EPERM;
    bool held = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return held;
}

static bool left_behind(const tn_recovery *r, const char *name)
{
    char run[64];
    return run_name_of(run, name) && strcmp(run, r->run) != 0 && !goes_on(r->state, run);
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

cJSON *tn_recovery_list(const tn_recovery *r)
{
    struct dirent **entries = NULL;
    cJSON *list = cJSON_CreateArray();
    int count = scandir(r->state, &entries, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        cJSON *item = left_behind(r, entries[k]->d_name) ? summary_of(r->state, entries[k]->d_name) : NULL;
        if (item)
            insert_by_age(list, item);
        free(entries[k]);
    }
    free(entries);
    return list;
}

cJSON *tn_recovery_load(const tn_recovery *r, const char *id)
{
    return left_behind(r, id) ? read_whole(r->state, id) : NULL;
}

bool tn_recovery_forget(const tn_recovery *r, const char *id)
{
    char path[TN_PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s/%.255s", r->state, id);
    return left_behind(r, id) && unlink(path) == 0;
}

void tn_recovery_replace(const tn_recovery *r, tn_worker *worker, const char *id)
{
    job j = { .text = NULL };
    snprintf(j.name, sizeof j.name, "%.95s", id);
    if (left_behind(r, id))
        submit_job(r, worker, &j);
}

/* ---- the run ---- */

static bool has_files(struct dirent **entries, int count, const char *run)
{
    char other[64];
    for (int k = 0; k < count; k++)
        if (run_name_of(other, entries[k]->d_name) && strcmp(other, run) == 0)
            return true;
    return false;
}

/* Removes locks of runs that have ended and left nothing behind. */
static void remove_locks(const char *state)
{
    struct dirent **entries = NULL;
    int count = scandir(state, &entries, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        const char *name = entries[k]->d_name;
        char run[64], path[TN_PATH_SIZE + 300];
        if (strncmp(name, BEGIN, sizeof BEGIN - 1) != 0 || !ends_with(name, LOCK))
            continue;
        snprintf(run, sizeof run, "%.*s", (int)(strlen(name) - (sizeof LOCK - 1)), name);
        snprintf(path, sizeof path, "%s/%.255s", state, name);
        if (!goes_on(state, run) && !has_files(entries, count, run))
            unlink(path);
    }
    for (int k = 0; k < count; k++)
        free(entries[k]);
    free(entries);
}

/* The lock has its name only once it is held: others remove those that nobody holds. */
void tn_recovery_open(tn_recovery *r, const char *state)
{
    struct timespec now;
    char path[TN_PATH_SIZE + 80], fresh[TN_PATH_SIZE + 80];
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(r->state, sizeof r->state, "%s", state);
    snprintf(r->run, sizeof r->run, "%s%ld-%lld%09ld", BEGIN, (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
    snprintf(path, sizeof path, "%s/%s%s", state, r->run, LOCK);
    snprintf(fresh, sizeof fresh, "%s/.%s%s", state, r->run, LOCK);
    remove_locks(state);
    r->lock = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (r->lock >= 0 && (flock(r->lock, LOCK_EX | LOCK_NB) != 0 || rename(fresh, path) != 0)) {
        unlink(fresh);
        close(r->lock);
        r->lock = -1;
    }
}

void tn_recovery_close(tn_recovery *r)
{
    if (r->run[0] == '\0')
        return;
    if (r->lock >= 0)
        close(r->lock);
    r->lock = -1;
    remove_locks(r->state);
}
