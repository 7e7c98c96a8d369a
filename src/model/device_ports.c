/* Ports of devices: what the public interface tells of them, and connecting them anew. */
#include "devices.h"
#include "check.h"
#include "diag.h"
#include "tables.h"
#include "tenon/devices.h"
#include <string.h>

static const tn_force *device_of(const tn_model *model, tn_id id)
{
    const tn_force *force = id.kind == TN_KIND_FORCE && tn_model_entity(model, id) ? &model->forces[id.index] : NULL;
    return force && tn_force_is_device(force) ? force : NULL;
}

size_t tn_model_device_port_count(const tn_model *model, tn_id device)
{
    const tn_force *force = device_of(model, device);
    return force ? (size_t)tn_device_port_count(force->type) : 0;
}

tn_device_port_info tn_model_device_port(const tn_model *model, tn_id device, size_t index)
{
    tn_device_port_info info = { 0 };
    const tn_force *force = device_of(model, device);
    if (!force || index >= (size_t)tn_device_port_count(force->type))
        return info;
    const int port = (int)index, node = tn_device_node(model, force, port);
    info.name = force->type->device->ports[port].name;
    info.domain = force->type->device->ports[port].domain;
    info.text = tn_port_open(force, port) ? NULL : force->ports[port]->text;
    if (node >= 0)
        info.node = tn_table_id(model, TN_KIND_FORCE, (size_t)node);
    return info;
}

const char *tn_model_device_family(const tn_model *model, tn_id device)
{
    const tn_force *force = device_of(model, device);
    return !force ? NULL : force->type->device->family ? force->type->device->family : "own";
}

bool tn_model_node(const char **domain, const char **across, const char **unit, const tn_model *model, tn_id node)
{
    const tn_force *force = node.kind == TN_KIND_FORCE && tn_model_entity(model, node) ? &model->forces[node.index] : NULL;
    const tn_domain *found = force ? tn_force_domain(force) : NULL;
    if (!found)
        return false;
    *domain = found->name;
    *across = found->across[0].name;
    *unit = found->across[0].unit;
    return true;
}

int tn_device_connect(tn_model *model, tn_id device, const char *port, const tn_expression *to, tn_span span)
{
    tn_force *force = &model->forces[device.index];
    const int k = tn_device_port_find(force->type, port);
    char names[160];
    if (k < 0 || !force->ports)
        return tn_fail(model->context, TN_ERROR_MODEL, span, "device '%s': type %s has no port '%.60s'%s", force->entity.name,
                       force->type->name, port, tn_device_port_names(names, sizeof names, force->type, false));
    if (!to && !force->type->device->ports[k].optional)
        return tn_fail(model->context, TN_ERROR_MODEL, span, "device '%s': port '%s' must be connected", force->entity.name, port);
    const tn_expression *copy = to ? tn_expression_copy(model->arena, to) : NULL;
    if (to && !copy)
        return TN_ERROR_MEMORY;
    const tn_expression **ports = tn_arena_alloc(model->arena, TN_DEVICE_PORTS, sizeof *ports);
    if (!ports)
        return TN_ERROR_MEMORY;
    memcpy(ports, force->ports, TN_DEVICE_PORTS * sizeof *ports);
    ports[k] = copy;
    force->ports = ports;
    TN_TRY(tn_model_add_nodes(model, device.index));
    tn_model_prune_nodes(model);
    return TN_OK;
}
