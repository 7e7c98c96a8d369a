/* Prints the contents that a library discloses, as text or as JSON. */
#include "library_text.h"
#include <string.h>
#include <sys/stat.h>
#include "tenon/sys/component.h"

bool tn_is_library(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".so") == 0;
}

static const char *level_text(tn_disclosure level)
{
    switch (level) {
    case TN_DISCLOSE_RESPONSE: return "respond";
    case TN_DISCLOSE_CONDENSED: return "condense";
    default: return "open";
    }
}

static long long size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long long)status.st_size : 0;
}

static void print(const char *path, const tn_component_type *type, int states)
{
    printf("%s: %s (%s)\n\n", path, type->name, type->dimension == 2 ? "planar" : "spatial");
    if (type->doc && type->doc[0])
        printf("%s\n\n", type->doc);
    printf("interface    version %u\n", type->version);
    printf("discloses    level %d, %s\n", (int)type->disclosure, level_text(type->disclosure));
    printf("own step     %s\n", type->advance ? "yes" : "no");
    if (states >= 0)
        printf("states       %d\n", states);
    printf("size         %lld KiB\n", size_of(path) >> 10);
    puts("\nport");
    for (int k = 0; k < type->port_count; k++)
        printf("  %-20s %s\n", type->ports[k].name, type->ports[k].doc ? type->ports[k].doc : "");
    if (type->parameter_count > 0)
        puts("\nparameter");
    for (int k = 0; k < type->parameter_count; k++) {
        const tn_parameter_decl *p = &type->parameters[k];
        printf("  %-20s %.9g %s%s%s\n", p->name, p->initial, p->unit ? p->unit : "", p->doc && p->doc[0] ? "  " : "",
               p->doc ? p->doc : "");
    }
}

static void add_library_text(cJSON *document, const char *path, const tn_component_type *type, int states)
{
    cJSON_AddStringToObject(document, "file", path);
    cJSON_AddStringToObject(document, "name", type->name);
    cJSON_AddStringToObject(document, "doc", type->doc ? type->doc : "");
    cJSON_AddNumberToObject(document, "interface", type->version);
    cJSON_AddNumberToObject(document, "dimension", type->dimension);
    cJSON_AddNumberToObject(document, "level", (double)type->disclosure);
    cJSON_AddBoolToObject(document, "own_step", type->advance != NULL);
    if (states >= 0)
        cJSON_AddNumberToObject(document, "states", states);
    cJSON_AddNumberToObject(document, "size", (double)size_of(path));
    cJSON *ports = cJSON_AddArrayToObject(document, "ports");
    for (int k = 0; k < type->port_count; k++)
        cJSON_AddItemToArray(ports, cJSON_CreateString(type->ports[k].name));
    cJSON *parameters = cJSON_AddArrayToObject(document, "parameters");
    for (int k = 0; k < type->parameter_count; k++) {
        const tn_parameter_decl *p = &type->parameters[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", p->name);
        cJSON_AddStringToObject(item, "unit", p->unit ? p->unit : "");
        cJSON_AddNumberToObject(item, "default", p->initial);
        cJSON_AddItemToArray(parameters, item);
    }
}

int tn_library_describe(tn_context *context, const char *path, cJSON *document, cJSON *diagnostics)
{
    tn_library *library = NULL;
    int code = tn_library_open(&library, context, path, NULL, (tn_span){ path, 0, 0 });
    int status = tn_diagnostics_flush(context, code, diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    if (document)
        add_library_text(document, path, tn_library_type(library), tn_library_states(library));
    else
        print(path, tn_library_type(library), tn_library_states(library));
    tn_library_release(library);
    return TN_EXIT_OK;
}
