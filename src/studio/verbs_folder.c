/* Verbs about the served folder and what the studio remembers: models there, texts, uploads, preferences. */
#define _XOPEN_SOURCE 700
#include "base64.h"
#include "request.h"
#include "store.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 500, DEEPEST = 3, HEAD_SIZE = 4096, PREFERENCES_LIMIT = 1 << 16, UPLOAD_NAME = 400 };
static const double UPLOAD_LIMIT = 300e6;              /* bytes of a file */
static const char PREFERENCES[] = "preferences.json";

/* ---- models ---- */

static bool ends_as(const char *name, const char *const *endings)
{
    for (; *endings; endings++) {
        size_t n = strlen(name), m = strlen(*endings);
        if (n > m && strcmp(name + n - m, *endings) == 0)
            return true;
    }
    return false;
}

static bool is_model(const char *path)
{
    static const char *const endings[] = { ".yaml", ".yml", ".json", NULL };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char head[HEAD_SIZE + 1];
    FILE *in = ends_as(name, endings) ? fopen(path, "rb") : NULL;
    if (!in)
        return false;
    size_t size = fread(head, 1, HEAD_SIZE, in);
    fclose(in);
    head[size] = '\0';
    return strncmp(head, "tenon", 5) == 0 || strstr(head, "\ntenon") || strstr(head, "\"tenon\"") ||
           strstr(head, "\nbodies:") || strstr(head, "\ndimension:");
}

static void list_models(cJSON *list, const char *folder, const char *inside, int depth)
{
    char path[TN_PATH_SIZE];
    struct dirent **entries = NULL;
    int length = snprintf(path, sizeof path, "%s%s%s", folder, inside[0] ? "/" : "", inside);
    int count = length > 0 && (size_t)length < sizeof path ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int k = 0; k < count; k++) {
        char file[TN_PATH_SIZE], whole[2 * TN_PATH_SIZE];
        struct stat there;
        snprintf(file, sizeof file, "%.3800s%s%.250s", inside, inside[0] ? "/" : "", entries[k]->d_name);
        snprintf(whole, sizeof whole, "%s/%s", folder, file);
        bool hidden = entries[k]->d_name[0] == '.', seen = !hidden && lstat(whole, &there) == 0;
        if (seen && S_ISDIR(there.st_mode) && depth < DEEPEST)
            list_models(list, folder, file, depth + 1);
        if (seen && S_ISREG(there.st_mode) && cJSON_GetArraySize(list) < MOST_FILES && is_model(whole)) {
            cJSON *item = cJSON_CreateObject();
            cJSON_AddStringToObject(item, "file", file);
            cJSON_AddNumberToObject(item, "modified", (double)there.st_mtim.tv_sec);
            cJSON_AddItemToArray(list, item);
        }
        free(entries[k]);
    }
    free(entries);
}

int tn_verb_files(tn_request *r, tn_session *session)
{
    (void)session;
    const tn_studio *studio = r->studio;
    char path[TN_PATH_SIZE];
    list_models(cJSON_AddArrayToObject(r->answer, "files"), studio->folder, "", 0);
    cJSON *kept = tn_store_recent(studio->options.state, studio->folder), *item;
    cJSON *recent = cJSON_AddArrayToObject(r->answer, "recent");
    cJSON_ArrayForEach(item, kept)
        if (cJSON_IsString(item) && tn_folder_find(path, studio->folder, item->valuestring))
            cJSON_AddItemToArray(recent, cJSON_CreateString(item->valuestring));
    cJSON_Delete(kept);
    return TN_OK;
}

int tn_verb_file(tn_request *r, tn_session *session)
{
    (void)session;
    static const char *const endings[] = { ".yaml", ".yml", ".json", NULL };
    char path[TN_PATH_SIZE];
    const char *file = tn_request_text(r, "file");
    if (!file)
        return TN_ERROR_ARGUMENT;
    if (!ends_as(file, endings) || !tn_folder_find(path, r->studio->folder, file))
        return tn_request_refuse(r, "file", "there is no model '%.100s' in the folder", file);
    char *text = tn_file_load_text(path);
    if (!text)
        return tn_request_refuse(r, "file", "'%.100s' is no text of less than 3 MiB", file);
    cJSON_AddStringToObject(r->answer, "text", text);
    free(text);
    return TN_OK;
}

/* ---- uploads ---- */

static bool is_upload_name_good(const char *name)
{
    static const char *const endings[] = { ".yaml", ".yml", ".json", ".stl", ".obj", ".csv", ".ply", ".dae", ".gltf", ".glb",
        ".bin", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world", ".config", ".step", ".stp", ".p21", ".fcstd", ".brp",
        ".asmt", ".adm", ".usda", ".mtl", NULL };
    for (const char *c = name; *c; c++)
        if (*c == '\\' || (unsigned char)*c < ' ' || *c == 0x7f || (*c == '/' && (c[1] == '.' || c[1] == '/')))
            return false;
    char lower[UPLOAD_NAME];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = '\0';
    return ends_as(lower, endings) && name[0] != '.' && name[0] != '/' && n + 1 < sizeof lower;
}

/* The bytes that a base64 text stands for, by malloc; NULL: refused. */
static unsigned char *read_content(tn_request *r, const char *content, size_t *size)
{
    size_t length = strlen(content), padding = length > 0 && content[length - 1] == '=';
    padding += length > 1 && content[length - 2] == '=';
    bool whole = length % 4 == 0;
    *size = whole ? length / 4 * 3 - padding : 0;
    unsigned char *bytes = malloc(*size + 1);
    if (bytes && whole && tn_base64_bytes(bytes, *size, content))
        return bytes;
    if (bytes)
        tn_request_refuse(r, "argument", "'content' is not base64");
    free(bytes);
    return NULL;
}

int tn_verb_upload(tn_request *r, tn_session *session)
{
    (void)session;
    const char *folder = r->studio->folder, *file = tn_request_text(r, "file"), *content = tn_request_text(r, "content");
    if (!file || !content)
        return TN_ERROR_ARGUMENT;
    if (!is_upload_name_good(file))
        return tn_request_refuse(r, "file", "'%.100s' cannot be put into the folder: models, meshes, tables "
                                 "(.csv) and files that are imported can", file);
    double offset = 0;
    if (tn_request_argument(r, "offset") && tn_request_number(r, "offset", 0, UPLOAD_LIMIT, &offset) < 0)
        return TN_ERROR_ARGUMENT;
    if (offset == 0 && tn_folder_modified(folder, file) != 0 && !tn_request_flag(r, "replace"))
        return tn_request_refuse(r, "exists", "'%.100s' exists already", file);
    size_t size = 0;
    unsigned char *bytes = read_content(r, content, &size);
    if (!bytes)
        return r->word ? TN_ERROR_ARGUMENT : TN_ERROR_MEMORY;
    bool good = offset > 0 ? tn_folder_append(folder, file, (size_t)offset, bytes, size)
                           : tn_folder_make(folder, file) && tn_folder_write(folder, file, (const char *)bytes, size);
    free(bytes);
    return good ? TN_OK : tn_request_refuse(r, "file", "'%.100s' cannot be written: %s", file, strerror(errno));
}

/* ---- preferences ---- */

int tn_verb_preferences(tn_request *r, tn_session *session)
{
    (void)session;
    const char *state = r->studio->options.state;
    const cJSON *change = tn_request_argument(r, "change"), *item;
    cJSON *all = tn_store_read(state, PREFERENCES);
    cJSON_ArrayForEach(item, change) {
        cJSON_DeleteItemFromObjectCaseSensitive(all, item->string);
        if (!cJSON_IsNull(item))
            cJSON_AddItemToObject(all, item->string, cJSON_Duplicate(item, true));
    }
    char *text = cJSON_PrintUnformatted(all);
    bool large = text && strlen(text) > PREFERENCES_LIMIT;
    cJSON_free(text);
    if (change && !large)
        tn_store_write(state, PREFERENCES, all);
    cJSON_AddItemToObject(r->answer, "preferences", all);
    return large ? tn_request_refuse(r, "argument", "preferences are too large") : TN_OK;
}
