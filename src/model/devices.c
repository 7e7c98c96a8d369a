/* Devices and nodes in a model: types, ports, the nodes that ports name. */
#include "devices.h"

#include <math.h>
#include <string.h>
#include "check.h"
#include "diag.h"
#include "names.h"
#include "tables.h"

/* ---- types ---- */

static const tn_force_type *built_in_device(const char *name)
{
    for (const tn_device_family *family = tn_device_families; *family; family++)
        for (const tn_force_type *const *type = *family; *type; type++)
            if (strcmp((*type)->name, name) == 0)
                return *type;
    return NULL;
}

static const tn_force_type *own_device(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < model->own_device_count; k++)
        if (strcmp(model->own_devices[k]->name, name) == 0)
            return model->own_devices[k];
    return NULL;
}

const tn_force_type *tn_model_device_type(const tn_model *model, const char *entity, const char *name)
{
    char path[TN_PATH_SIZE];
    const tn_force_type *type = tn_path_within(path, entity, name) ? own_device(model, path) : NULL;
    type = type ? type : own_device(model, name);
    return type ? type : built_in_device(name);
}

const char *tn_model_device_type_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    if (index < model->own_device_count)
        return model->own_devices[index]->name;
    index -= model->own_device_count;
    for (const tn_device_family *family = tn_device_families; *family; family++)
        for (const tn_force_type *const *type = *family; *type; type++)
            if (index-- == 0)
                return (*type)->name;
    return NULL;
}

const tn_domain *tn_domain_find(const char *name)
{
    for (const tn_domain *const *domain = tn_domains; *domain; domain++)
        if (strcmp((*domain)->name, name) == 0)
            return *domain;
    return NULL;
}

int tn_device_port_count(const tn_force_type *type)
{
    int count = 0;
    while (type->device && count < TN_DEVICE_PORTS && type->device->ports[count].name)
        count++;
    return count;
}

int tn_device_port_find(const tn_force_type *type, const char *name)
{
    int count = tn_device_port_count(type);
    for (int k = 0; k < count; k++)
        if (strcmp(type->device->ports[k].name, name) == 0)
            return k;
    return -1;
}

bool tn_port_mechanical(const tn_device_port *port)
{
    return strcmp(port->domain, TN_PORT_ROTARY) == 0 || strcmp(port->domain, TN_PORT_TRANSLATIONAL) == 0;
}

int tn_port_effort(const tn_force_type *type, int port)
{
    int effort = 0;
    for (int k = 0; k < port; k++)
        effort += tn_port_mechanical(&type->device->ports[k]);
    return tn_port_mechanical(&type->device->ports[port]) ? effort : -1;
}

const char *tn_device_port_names(char *buffer, size_t size, const tn_force_type *type, bool mechanical)
{
    const int count = tn_device_port_count(type);
    size_t used = 0;
    snprintf(buffer, size, mechanical ? "; it has none" : "; it has no ports");
    for (int k = 0; k < count && used < size; k++)
        if (!mechanical || tn_port_mechanical(&type->device->ports[k]))
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used > 0 ? ", " : mechanical ? "; it has " : "; its ports are ",
                                     type->device->ports[k].name);
    return buffer;
}

const char *tn_force_name_at(const tn_force *force, size_t k)
{
    const tn_force_type *type = force->type;
    const tn_device *device = type->device;
    if (k < TN_FORCE_STATES)
        return type->states[k].name;
    if ((k -= TN_FORCE_STATES) < TN_FORCE_CHANNELS)
        return type->channels[k].name;
    k -= TN_FORCE_CHANNELS;
    if (!device)
        return NULL;
    if (k < TN_DEVICE_UNKNOWNS)
        return device->unknowns[k].name;
    if ((k -= TN_DEVICE_UNKNOWNS) < TN_DEVICE_MEMORIES)
        return device->memories[k].name;
    k -= TN_DEVICE_MEMORIES;
    return device->node && k < TN_DOMAIN_ACROSS ? device->node->across[k].name : NULL;
}

bool tn_force_is_device(const tn_force *force)
{
    return force->type->device && !force->type->device->node && !force->type->device->medium;
}

const tn_domain *tn_force_domain(const tn_force *force)
{
    return force->type->device ? force->type->device->node : NULL;
}

const char *tn_force_word(const tn_force *force)
{
    const tn_device *device = force->type->device;
    if (force->type->named)
        return "let";
    return !device ? "force" : device->node ? "node" : device->medium ? "medium" : "device";
}

const char *tn_force_equations(char *buffer, size_t size, const tn_force *force)
{
    if (tn_force_domain(force))
        snprintf(buffer, size, "node '%.80s': its balance", force->entity.name);
    else
        snprintf(buffer, size, "%s '%.80s': type '%.60s'", tn_force_word(force), force->entity.name, force->type->name);
    return buffer;
}

const char *tn_force_section(const tn_force *force)
{
    const tn_device *device = force->type->device;
    if (force->type->input)
        return "inputs";
    if (force->type->named)
        return "let";
    return device ? device->node ? "nodes" : device->medium ? "media" : "devices"
                  : strcmp(force->type->name, "state") == 0 ? "states" : "forces";
}

/* ---- nodes ---- */

/* Path of the node that a port names: a sibling of the device, or, where that is not in the model but the name itself
 * is, a node elsewhere. */
static bool node_path(char path[TN_PATH_SIZE], const tn_model *model, const char *device, const char *text)
{
    if (tn_path_within(path, device, text) && (strchr(text, '.') == NULL ||
                                               tn_model_find(model, path).kind != TN_KIND_NONE))
        return true;
    return snprintf(path, TN_PATH_SIZE, "%s", text) < TN_PATH_SIZE;
}

static bool at_ground(const char *text)
{
    return strcmp(text, "ground") == 0;
}

bool tn_port_open(const tn_force *device, int port)
{
    return !device->ports || !device->ports[port];
}

bool tn_device_gives_start(const tn_force *device, const char *parameter)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && device->type->parameters[k].name; k++)
        if (strcmp(device->type->parameters[k].name, parameter) == 0)
            return isfinite(device->parameters[k]) || (device->expressions && device->expressions[k]);
    return false;
}

int tn_device_node(const tn_model *model, const tn_force *device, int port)
{
    char path[TN_PATH_SIZE];
    if (tn_port_open(device, port) || tn_port_mechanical(&device->type->device->ports[port]) ||
        at_ground(device->ports[port]->text) || !node_path(path, model, device->entity.name, device->ports[port]->text))
        return -1;
    tn_id id = tn_model_find(model, path);
    return id.kind == TN_KIND_FORCE && tn_force_domain(&model->forces[id.index]) ? (int)id.index : -1;
}

int tn_model_medium(const tn_model *model, const char *entity, const tn_force_type *type)
{
    char path[TN_PATH_SIZE];
    size_t length = strlen(entity);
    for (;;) {
        while (length > 0 && entity[length - 1] != '.')
            length--;
        if (snprintf(path, sizeof path, "%.*s%s", (int)length, entity, type->name) >= (int)sizeof path)
            return -1;
        tn_id id = tn_names_find(model->names, path);
        if (id.kind == TN_KIND_FORCE && model->forces[id.index].type == type)
            return (int)id.index;
        if (length == 0)
            return -1;
        length--;
    }
}

static int add_node(tn_model *model, const char *path, const tn_domain *domain, tn_span span)
{
    tn_id id;
    tn_check check = { model, model->context, span, "node", path, TN_OK };
    tn_check_name(&check);
    TN_TRY(check.code);
    tn_force node;
    TN_TRY(tn_check_force(&node, &check, &(tn_force_def){ .type = domain->node->name, .device = true }));
    TN_TRY(tn_table_add(&id, model, TN_KIND_FORCE, NULL, path, span));
    node.entity = model->forces[id.index].entity;
    node.implied = true;
    model->forces[id.index] = node;
    return TN_OK;
}

static int find_node(tn_model *model, uint32_t device, int port)
{
    const tn_force *force = &model->forces[device];
    const tn_device_port *decl = &force->type->device->ports[port];
    const tn_expression *text = force->ports[port];
    const tn_domain *domain = tn_domain_find(decl->domain);
    char path[TN_PATH_SIZE];
    if (at_ground(text->text))
        return TN_OK;
    if (!domain || !node_path(path, model, force->entity.name, text->text))
        return tn_fail(model->context, TN_ERROR_MODEL, text->span, "device '%s': port '%s' has no node",
                       force->entity.name, decl->name);
    tn_id id = tn_model_find(model, path);
    if (id.kind == TN_KIND_NONE)
        return add_node(model, path, domain, text->span);
    const tn_domain *found = id.kind == TN_KIND_FORCE ? tn_force_domain(&model->forces[id.index]) : NULL;
    if (found == domain)
        return TN_OK;
    return found ? tn_fail(model->context, TN_ERROR_MODEL, text->span, "device '%s': port '%s' is %s, but node '%s' is %s: "
                           "only ports of one domain meet at a node", force->entity.name, decl->name, decl->domain, path,
                           found->name)
                 : tn_fail(model->context, TN_ERROR_MODEL, text->span, "device '%s': port '%s': '%s' is a %s, not a node",
                           force->entity.name, decl->name, path,
                           id.kind == TN_KIND_FORCE ? tn_force_word(&model->forces[id.index]) : tn_kind_text(id.kind));
}

int tn_model_add_nodes(tn_model *model, uint32_t device)
{
    const tn_force_type *type = model->forces[device].type;
    int worst = TN_OK, count = tn_device_port_count(type);
    for (int k = 0; k < count; k++)
        if (!tn_port_mechanical(&type->device->ports[k]) && !tn_port_open(&model->forces[device], k)) {
            int code = find_node(model, device, k);
            worst = code < 0 ? code : worst;
        }
    return worst;
}

const tn_force *tn_model_device_at(const tn_model *model, size_t node)
{
    for (size_t k = 0; k < model->force_count; k++) {
        const tn_force *force = &model->forces[k];
        int count = force->entity.alive && tn_force_is_device(force) ? tn_device_port_count(force->type) : 0;
        for (int port = 0; port < count; port++)
            if (tn_device_node(model, force, port) == (int)node)
                return force;
    }
    return NULL;
}

void tn_model_prune_nodes(tn_model *model)
{
    for (size_t k = 0; k < model->force_count; k++)
        if (model->forces[k].entity.alive && tn_force_domain(&model->forces[k]) && !tn_model_device_at(model, k))
            tn_table_release(model, TN_KIND_FORCE, k);
}
