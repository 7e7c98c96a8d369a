/* Adding forces to a model: default definition, checks, insertion. */
#include "check.h"
#include "devices.h"
#include "diag.h"
#include "particles.h"
#include "tables.h"
#include "type_hint.h"
#include <math.h>
#include <string.h>

tn_force_def tn_force_default(const char *type)
{
    return (tn_force_def){ .type = type, .frame1 = tn_pose_identity(), .frame2 = tn_pose_identity() };
}

static const tn_force_type *check_device_type(tn_check *check, const char *name)
{
    const tn_force_type *type = tn_model_device_type(check->model, check->name, name);
    char hint[120];
    for (const tn_domain *const *domain = tn_domains; !type && *domain; domain++)
        type = strcmp((*domain)->node->name, name) == 0 ? (*domain)->node
               : (*domain)->medium && strcmp((*domain)->medium->name, name) == 0 ? (*domain)->medium : NULL;
    if (!type)
        tn_complain(check, "there is no device type '%.80s'%s", name,
                    tn_did_you_mean(hint, sizeof hint, name, tn_model_device_type_candidate, (void *)check->model));
    return type;
}

static const tn_force_type *check_type(tn_check *check, const char *name, bool device)
{
    if (!name || !*name) {
        tn_complain(check, "type is missing");
        return NULL;
    }
    if (device)
        return check_device_type(check, name);
    const tn_force_type *type = tn_model_force_type(name);
    char hint[120];
    if (!type)
        tn_complain(check, "there is no force type '%.80s'%s", name,
                    tn_force_type_hint(hint, sizeof hint, check->model, name));
    return type;
}

static void take_frames(tn_check *check, const tn_force_def *def, tn_force *force)
{
    tn_id body1 = def->body1.kind == TN_KIND_NONE ? tn_model_ground(check->model) : def->body1;
    bool good = tn_check_id(check, "body1", body1, TN_KIND_BODY);
    good = tn_check_id(check, "body2", def->body2, TN_KIND_BODY) && good;
    if (good && body1.index == def->body2.index)
        tn_complain(check, "both ends are on '%s': a force acts between two different bodies",
                    tn_model_entity_name(check->model, body1));
    force->body1 = body1.index;
    force->body2 = def->body2.index;
    tn_check_pose(check, "frame1", &force->frame1, check->model->dimension);
    tn_check_pose(check, "frame2", &force->frame2, check->model->dimension);
}

static void take_joint(tn_check *check, const tn_force_def *def, tn_force *force)
{
    if (!tn_check_id(check, "joint", def->joint, TN_KIND_JOINT))
        return;
    const tn_joint *joint = &check->model->joints[def->joint.index];
    force->joint = def->joint.index;
    force->body1 = joint->body1;
    force->body2 = joint->body2;
    force->coordinate = tn_check_coordinate(check, joint->type, def->coordinate);
    tn_check_particle_coordinate(check, joint, force->coordinate);
}

static void take_place(tn_check *check, const tn_force_def *def, tn_force *force)
{
    bool on_joint = def->joint.kind != TN_KIND_NONE, on_body = def->body2.kind != TN_KIND_NONE;
    switch (force->type->place) {
    case TN_PLACE_FRAMES:
        if (on_joint)
            tn_complain(check, "type '%s' acts between frames, not along a joint", force->type->name);
        take_frames(check, def, force);
        break;
    case TN_PLACE_JOINT:
        if (on_body)
            tn_complain(check, "type '%s' acts along a coordinate of a joint, not between frames", force->type->name);
        take_joint(check, def, force);
        break;
    case TN_PLACE_NONE:
        if (on_joint || on_body)
            tn_complain(check, "type '%s' acts on nothing", force->type->name);
        break;
    }
}

static void take_start(tn_check *check, const tn_force_def *def, tn_force *force)
{
    for (int k = 0; k < TN_MAX_STATES; k++)
        force->start[k] = NAN;
    if (def->start_count > TN_MAX_STATES) {
        tn_complain(check, "more than %d start values", (int)TN_MAX_STATES);
        return;
    }
    for (size_t i = 0; i < def->start_count; i++) {
        int k = 0;
        while (k < TN_FORCE_STATES && force->type->states[k].name &&
               strcmp(force->type->states[k].name, def->start[i].name) != 0)
            k++;
        if (k == TN_FORCE_STATES || !force->type->states[k].name)
            tn_complain(check, "type '%s' has no state '%.80s'", force->type->name, def->start[i].name);
        else if (tn_check_finite(check, "the start of a state", &def->start[i].value, 1))
            force->start[k] = def->start[i].value;
    }
}

static int take_values(tn_check *check, const tn_force_def *def, tn_force *force)
{
    tn_arena *arena = check->model->arena;
    char type[140];
    size_t count = tn_force_parameter_count(force->type);
    force->parameters = tn_arena_alloc(arena, count, sizeof(double));
    if (def->expression_count > 0)
        force->expressions = tn_arena_alloc(arena, count, sizeof *force->expressions);
    if (!force->parameters || (def->expression_count > 0 && !force->expressions))
        return TN_ERROR_MEMORY;
    force->unit = tn_arena_strdup(arena, def->unit ? def->unit : "");
    if (!force->unit)
        return TN_ERROR_MEMORY;
    snprintf(type, sizeof type, "%s type '%.100s'", def->device ? "device" : "force", force->type->name);
    tn_check_settings(check, type, force->type->parameters, count, def->settings, def->setting_count, force->parameters,
                      def->expressions, def->expression_count, force->expressions);
    return TN_OK;
}

/* Takes the ports; all that are not optional must be connected. */
static int take_ports(tn_check *check, const tn_force_def *def, tn_force *force)
{
    int count = tn_device_port_count(force->type);
    char names[160];
    if (count == 0 && def->port_count == 0)
        return TN_OK;
    force->ports = tn_arena_alloc(check->model->arena, TN_DEVICE_PORTS, sizeof *force->ports);
    if (!force->ports)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < def->port_count; k++) {
        int port = force->type->device ? tn_device_port_find(force->type, def->ports[k].name) : -1;
        if (port < 0)
            tn_complain(check, "type '%s' has no port '%.60s'%s", force->type->name, def->ports[k].name,
                        tn_device_port_names(names, sizeof names, force->type, false));
        else if (!(force->ports[port] = tn_expression_copy(check->model->arena, &def->ports[k])))
            return TN_ERROR_MEMORY;
    }
    for (int k = 0; k < count; k++)
        if (!force->ports[k] && !force->type->device->ports[k].optional)
            tn_complain(check, "port '%s' is not connected: %s", force->type->device->ports[k].name,
                        tn_port_mechanical(&force->type->device->ports[k])
                            ? "say which coordinate of the mechanism it turns or pushes" : "name its node under 'at'");
    return TN_OK;
}

static bool has_lists(tn_check *check, const tn_force_def *def)
{
    bool settings = tn_check_list(check, "settings", def->settings, def->setting_count);
    bool expressions = tn_check_list(check, "expressions", def->expressions, def->expression_count);
    bool start = tn_check_list(check, "start", def->start, def->start_count);
    return tn_check_list(check, "ports", def->ports, def->port_count) && settings && expressions && start;
}

int tn_check_force(tn_force *force, tn_check *check, const tn_force_def *def)
{
    *force = (tn_force){ .frame1 = def->frame1, .frame2 = def->frame2 };
    force->type = check_type(check, def->type, def->device);
    if (!has_lists(check, def))
        return check->code;
    if (force->type) {
        take_place(check, def, force);
        take_start(check, def, force);
        TN_TRY(take_values(check, def, force));
        if (force->type->place == TN_PLACE_FRAMES && check->code == TN_OK)
            tn_check_particle_force(check, force);
        if (def->device)
            TN_TRY(take_ports(check, def, force));
    } else if (!def->device) {
        take_frames(check, def, force);        /* reports the other mistakes */
    }
    return check->code;
}

int tn_model_add_force_at(tn_id *out, tn_model *model, const char *name, const tn_force_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, def->device ? "device" : "force", name, TN_OK };
    tn_force force;
    tn_id id;
    tn_check_name(&check);
    TN_TRY(tn_check_force(&force, &check, def));
    TN_TRY(tn_table_add(&id, model, TN_KIND_FORCE, NULL, name, span));
    force.entity = model->forces[id.index].entity;
    model->forces[id.index] = force;
    if (tn_force_is_device(&force))
        TN_TRY(tn_model_add_nodes(model, id.index));
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_add_force(tn_id *out, tn_model *model, const char *name, const tn_force_def *def)
{
    return tn_model_add_force_at(out, model, name, def, TN_NOWHERE);
}
