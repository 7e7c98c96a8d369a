/* Subsystems that are components in shared libraries, "use: suspension.so", or at servers, "use: tenon://host:7000/suspension". */
#include "components.h"
#include "file.h"
#include "mem.h"
#include "reader.h"
#include "replacement.h"
#include <string.h>

static const tn_section parameters_section = { .name = "library's parameters" };

bool tn_read_is_library(const char *file)
{
    size_t length = strlen(file);
    return tn_library_is_address(file) || (length > 3 && strcmp(file + length - 3, ".so") == 0);
}

/* dlopen looks elsewhere for names without a folder. */
static const char *with_folder(tn_reader *r, const char *path)
{
    return strchr(path, '/') != NULL ? path : tn_path_join(r->arena, ".", path);
}

/* The path of a library that may be read; NULL: with an error. */
static const char *find_library(tn_reader *r, const char *file, tn_span span)
{
    const char *path = with_folder(r, file);
    if (path == NULL)
        r->stop = TN_ERROR_MEMORY;
    else if (!tn_context_may_read(r->context, path))
        tn_read_error(r, span, "'%s' is not there, or not in the folder that libraries may be loaded from", path);
    else if (tn_read_note_file(r, path, span))
        return path;
    return NULL;
}

tn_library *tn_read_library(tn_reader *r, const char *file, tn_span span, bool isolate)
{
    char who[TN_PATH_SIZE + 16];
    tn_library *library = NULL;
    const char *path = tn_library_is_address(file) ? file : find_library(r, file, span);
    if (path == NULL)
        return NULL;
    snprintf(who, sizeof who, "subsystem '%s'", r->name);
    int code = (isolate ? tn_library_open_isolated : tn_library_open)(&library, r->context, path, who, span);
    return tn_read_ok(r, code == TN_ERROR_ARGUMENT ? TN_ERROR_MODEL : code) ? library : NULL;
}

/* Bodies with the name of a port become that port. */
static void take_ports(tn_reader *r, const char *path, const tn_component_type *type)
{
    for (int k = 0; r->replacement != NULL && k < type->port_count; k++) {
        char port[TN_PATH_SIZE];
        if (!tn_path_in(port, path, strlen(path), type->ports[k].name))
            continue;
        tn_id id = tn_model_find(r->model, port);
        if (id.kind == TN_KIND_NONE || !tn_replacement_takes(r->replacement, id))
            tn_replacement_new(r->replacement, port);
    }
}

/* Adds the parameters to the model's list, as with files. */
static void publish(tn_reader *r, tn_id id, const tn_parameter_decl *declared, size_t count, const tn_node *const *given)
{
    const tn_subsystem *subsystem = &r->model->subsystems[id.index];
    for (size_t k = 0; k < count; k++) {
        char name[TN_PATH_SIZE];
        const tn_parameter_decl *p = &declared[k];
        const tn_parameter_value value = { name, subsystem->parameters[k], p->unit, given[k] ? given[k]->as.text : NULL, NULL,
                                           NULL, NULL };
        if (tn_path_in(name, subsystem->entity.name, strlen(subsystem->entity.name), p->name))
            tn_read_ok(r, tn_model_add_parameter(r->model, &value));
    }
}

void tn_read_component(tn_reader *r, tn_id id, tn_library *library, const tn_node *parameters)
{
    const tn_component_type *type = tn_library_type(library);
    const tn_node *none[TN_MAX_KEYS], *values[TN_MAX_SETTINGS] = { NULL };
    tn_setting settings[TN_MAX_SETTINGS];
    size_t declared = type->parameter_count < TN_MAX_SETTINGS ? (size_t)type->parameter_count : TN_MAX_SETTINGS;
    size_t before = r->errors;
    if (parameters != NULL)
        tn_read_keys(r, parameters, &parameters_section, none, type->parameters, declared, values);
    size_t count = tn_read_settings(r, type->parameters, declared, values, settings);
    if (r->errors != before || r->stop != TN_OK)
        return;
    const char *path = r->model->subsystems[id.index].entity.name;
    count = tn_read_settings_instead(r, path, type->parameters, declared, values, settings, count);
    take_ports(r, path, type);
    if (tn_read_ok(r, tn_model_fill_component(r->model, id, type, library, settings, count)))
        publish(r, id, type->parameters, declared, values);
}
