/* Subsystems that are components in shared libraries, "use: suspension.so", at servers, "use: tenon://host:7000/suspension", or in
 * FMUs, "use: load.fmu". */
#include "components.h"
#include "file.h"
#include "fmi_ports.h"
#include "mem.h"
#include "reader.h"
#include "replacement.h"
#include <string.h>

static const tn_section parameters_section = { .name = "library's parameters" };

static bool ends_in(const char *file, const char *end)
{
    size_t length = strlen(file), last = strlen(end);
    return length > last && strcmp(file + length - last, end) == 0;
}

bool tn_read_is_library(const char *file)
{
    return tn_library_is_address(file) || ends_in(file, ".so");
}

bool tn_read_is_fmu(const char *file)
{
    return ends_in(file, ".fmu");
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

/* ---- FMUs ---- */

static bool read_port(tn_reader *r, const tn_node *name, const tn_node *node, tn_fmi_port *port)
{
    const tn_node *values[TN_MAX_KEYS];
    const tn_key *keys = tn_section_fmu_port.keys;
    const size_t before = r->errors;
    *port = (tn_fmi_port){ .name = name->as.text, .pose = tn_pose_identity(), .span = name->span };
    if (!tn_read_keys(r, node, &tn_section_fmu_port, values, NULL, 0, NULL))
        return false;
    tn_read_pose(r, &values[FMU_PORT_AT], &keys[FMU_PORT_AT], &port->pose);
    for (int k = 0; k < TN_FMI_FREEDOMS; k++) {
        const tn_node *const *at = &values[FMU_PORT_FREEDOMS + 3 * k];
        const char *names[3];
        for (int i = 0; i < 3; i++)
            names[i] = tn_read_text(r, at[i], tn_fmi_freedom_names[k][i]);
        port->freedoms[k] = (tn_fmi_freedom){ names[0], names[1], names[2] };
    }
    return r->errors == before;
}

tn_fmi_ports *tn_read_fmu_ports(tn_reader *r, const tn_node *use, const tn_node *parameters, const tn_node *map)
{
    tn_fmi_ports *out = NULL;
    char who[TN_PATH_SIZE + 16];
    if (map == NULL) {
        tn_read_error(r, use->span, "'ports' is missing: which outputs and inputs of the FMU are motion and force");
        return NULL;
    }
    if (!tn_read_is_map(r, map, "ports"))
        return NULL;
    const size_t count = map->count, most = 2 * TN_FMI_FREEDOMS * count, before = r->errors;
    tn_fmi_port *ports = tn_arena_alloc(r->arena, count, sizeof *ports);
    tn_fmi_choice *outputs = tn_arena_alloc(r->arena, most + 1, sizeof *outputs);
    if (ports == NULL || outputs == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return NULL;
    }
    for (size_t k = 0; k < count; k++)
        read_port(r, map->as.items[2 * k], map->as.items[2 * k + 1], &ports[k]);
    if (count == 0)
        tn_read_error(r, map->span, "'ports' is empty: nothing could be attached to the FMU");
    if (r->errors != before)
        return NULL;
    tn_fmi *fmi = tn_read_open_fmu(r, use, parameters, outputs, tn_fmi_ports_outputs(outputs, most, ports, (int)count));
    snprintf(who, sizeof who, "subsystem '%s'", r->name);
    if (fmi != NULL)
        tn_read_ok(r, tn_fmi_ports_create(&out, r->context, fmi, who, r->model->dimension, ports, (int)count));
    tn_fmi_release(fmi);
    return out;
}

void tn_read_fmu_component(tn_reader *r, tn_id id, tn_fmi_ports *fmu)
{
    take_ports(r, r->model->subsystems[id.index].entity.name, tn_fmi_ports_type(fmu));
    tn_read_ok(r, tn_model_fill_fmu(r->model, id, fmu));
}
