/* Files of a folder that can be used as subsystems, with ports and parameters. */
#include "parts.h"
#include "scene.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 500 };
static const char ALIAS[] = "part";    /* what a file is called while it is looked at */

/* A model that does nothing but use the file: whatever the library takes there is a part. */
static int read_part(tn_model **out, tn_context *context, const char *folder, const char *file, int dimension)
{
    cJSON *entry = cJSON_CreateString(file);
    char *quoted = cJSON_PrintUnformatted(entry), text[1200];
    int length = snprintf(text, sizeof text, "tenon: 1\ndimension: %d\nsubsystems: { %s: { use: %s } }\n", dimension,
                          ALIAS, quoted ? quoted : "");
    bool good = quoted && length > 0 && (size_t)length < sizeof text;
    cJSON_free(quoted);
    cJSON_Delete(entry);
    return good ? tn_model_read_text(out, context, text, (size_t)length, "part", folder) : TN_ERROR_ARGUMENT;
}

/* NULL: it is no part. */
static cJSON *describe_part(const tn_model *model, const char *file)
{
    tn_subsystem_info info;
    tn_id id = tn_model_find(model, ALIAS);
    if (tn_model_subsystem(&info, model, id) < 0 || info.ports == 0)
        return NULL;
    cJSON *part = cJSON_CreateObject(), *ports = cJSON_AddArrayToObject(part, "ports");
    cJSON_AddStringToObject(part, "file", file);
    for (size_t k = 0; k < info.ports; k++)
        cJSON_AddItemToArray(ports, cJSON_CreateString(tn_model_port(model, id, k).name));
    cJSON_AddItemToObject(part, "parameters", tn_json_parameters(model, ALIAS));
    return part;
}

static int may_be_part(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0 ||
                                                 strcmp(ending, ".json") == 0 || strcmp(ending, ".so") == 0);
}

static void add_part(cJSON *list, tn_context *context, const char *folder, const char *file, int dimension)
{
    tn_model *model = NULL;
    cJSON *part = read_part(&model, context, folder, file, dimension) >= 0 ? describe_part(model, file) : NULL;
    if (part)
        cJSON_AddItemToArray(list, part);
    tn_model_destroy(model);
    tn_diagnostics_clear(context);
}

cJSON *tn_parts_list(const char *folder, int dimension, bool plugins)
{
    struct dirent **entries = NULL;
    cJSON *list = cJSON_CreateArray();
    tn_context *context = tn_context_create(NULL);
    bool good = context && tn_context_confine(context, folder) >= 0;
    if (context)
        tn_context_refuse_libraries(context, !plugins);
    int count = good ? scandir(folder, &entries, may_be_part, alphasort) : 0;
    for (int k = 0; k < count; k++) {
        if (k < MOST_FILES)
            add_part(list, context, folder, entries[k]->d_name, dimension);
        free(entries[k]);
    }
    free(entries);
    if (context)
        tn_context_destroy(context);
    return list;
}
