/* Data that the studio keeps between two starts: preferences, and models that were opened lately. */
#include "store.h"
#include "folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, RECENT_KEPT = 12 };
static const char RECENT[] = "recent.json";

cJSON *tn_store_read(const char *state, const char *name)
{
    char path[TN_PATH_SIZE + 64];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", state, name);
    char *bytes = tn_file_load(&size, path, FILE_LIMIT);
    cJSON *object = bytes ? cJSON_ParseWithLength(bytes, size) : NULL;
    free(bytes);
    if (cJSON_IsObject(object))
        return object;
    cJSON_Delete(object);
    return cJSON_CreateObject();
}

bool tn_store_write(const char *state, const char *name, const cJSON *object)
{
    char *text = cJSON_Print(object);
    bool good = text && tn_folder_write(state, name, text, strlen(text));
    cJSON_free(text);
    return good;
}

void tn_store_add_recent(const char *state, const char *folder, const char *path)
{
    cJSON *all = tn_store_read(state, RECENT), *list = cJSON_CreateArray(), *item;
    cJSON_AddItemToArray(list, cJSON_CreateString(path));
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(all, folder))
        if (cJSON_IsString(item) && strcmp(item->valuestring, path) != 0 && cJSON_GetArraySize(list) < RECENT_KEPT)
            cJSON_AddItemToArray(list, cJSON_CreateString(item->valuestring));
    cJSON_DeleteItemFromObjectCaseSensitive(all, folder);
    cJSON_AddItemToObject(all, folder, list);
    tn_store_write(state, RECENT, all);                /* a convenience: without it, the list is shorter */
    cJSON_Delete(all);
}

cJSON *tn_store_recent(const char *state, const char *folder)
{
    cJSON *all = tn_store_read(state, RECENT);
    cJSON *list = cJSON_DetachItemFromObjectCaseSensitive(all, folder);
    cJSON_Delete(all);
    if (cJSON_IsArray(list))
        return list;
    cJSON_Delete(list);
    return cJSON_CreateArray();
}
