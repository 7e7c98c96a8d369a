/* The gallery: models of a folder with title and first comment. */
#include "gallery.h"
#include "folder.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, TEXT_SIZE = 2000 };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* The lines that begin with '#' at the head of the file, as running text up to the first empty one. */
static void first_comment(char out[TEXT_SIZE], const char *file)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *line = file; *line == '#'; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *words = line + 1 + strspn(line + 1, " ");
        size_t length = strcspn(words, "\n");
        if (length == 0 || used + length + 2 > TEXT_SIZE)
            return;
        used += (size_t)snprintf(out + used, TEXT_SIZE - used, "%s%.*s", used > 0 ? " " : "", (int)length, words);
    }
}

/* The value of "name: ..." at the beginning of a line, without quotes. */
static void title_of(char *out, size_t size, const char *file, const char *otherwise)
{
    snprintf(out, size, "%s", otherwise);
    const char *key = strncmp(file, "name:", 5) == 0 ? file : strstr(file, "\nname:");
    if (!key)
        return;
    const char *value = strchr(key, ':') + 1;
    value += strspn(value, " \"'");
    snprintf(out, size, "%.*s", (int)strcspn(value, "\n#"), value);
    for (size_t n = strlen(out); n > 0 && strchr(" \"'\r", out[n - 1]); n--)
        out[n - 1] = '\0';
}

/* "four-bar.yaml", or a folder "car" with a "car.yaml" in it. */
static cJSON *read_entry(const char *folder, const char *entry_name)
{
    char path[TN_PATH_SIZE], file_name[520], name[256], title[256], text[TEXT_SIZE];
    size_t size;
    bool model = ends_with(entry_name, ".yaml");
    snprintf(name, sizeof name, "%.*s", (int)(strlen(entry_name) - (model ? strlen(".yaml") : 0)), entry_name);
    snprintf(file_name, sizeof file_name, "%s%s%s.yaml", model ? "" : name, model ? "" : "/", name);
    snprintf(path, sizeof path, "%.3500s/%s", folder, file_name);
    char *file = tn_file_load(&size, path, FILE_LIMIT);
    if (!file)
        return NULL;
    title_of(title, sizeof title, file, name);
    first_comment(text, file);
    free(file);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "name", name);
    cJSON_AddStringToObject(entry, "file", file_name);
    cJSON_AddStringToObject(entry, "title", title);
    cJSON_AddStringToObject(entry, "text", text);
    cJSON_AddStringToObject(entry, "picture", name);
    return entry;
}

static int may_be_model(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && (ends_with(entry->d_name, ".yaml") || !strchr(entry->d_name, '.'));
}

cJSON *tn_gallery_read(const char *folder)
{
    struct dirent **entries = NULL;
    cJSON *gallery = cJSON_CreateArray();
    int count = folder ? scandir(folder, &entries, may_be_model, alphasort) : 0;
    for (int k = 0; k < count; k++) {
        cJSON *entry = read_entry(folder, entries[k]->d_name);
        if (entry)
            cJSON_AddItemToArray(gallery, entry);
        free(entries[k]);
    }
    free(entries);
    return gallery;
}

const char *tn_gallery_file(const cJSON *gallery, const char *name)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, gallery)
        if (strcmp(cJSON_GetObjectItemCaseSensitive(entry, "name")->valuestring, name) == 0)
            return cJSON_GetObjectItemCaseSensitive(entry, "file")->valuestring;
    return NULL;
}
