/* Subsystems and their ports. The path of an entity tells the subsystem that it belongs to. */
#include "check.h"
#include "components.h"
#include "devices.h"
#include "diag.h"
#include "names.h"
#include "tables.h"

#include <stdio.h>
#include <string.h>

static const tn_id no_id = { 0, 0, TN_KIND_NONE, 0 };

/* ---- paths ---- */

bool tn_path_inside(const char *path, const char *subsystem)
{
    size_t n = strlen(subsystem);
    return strncmp(path, subsystem, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

bool tn_path_in(char *buffer, const char *subsystem, size_t length, const char *name)
{
    int ground = strncmp(name, "ground.", 7) == 0 ? 7 : 0;
    if (length + strlen(name) + 2 > TN_PATH_SIZE)
        return false;
    snprintf(buffer, TN_PATH_SIZE, "%.*s%.*s.%s", ground, name, (int)length, subsystem, name + ground);
    return true;
}

bool tn_path_within(char *buffer, const char *entity, const char *name)
{
    const char *dot = entity ? strrchr(entity, '.') : NULL;
    return dot && tn_path_in(buffer, entity, (size_t)(dot - entity), name);
}

tn_id tn_subsystem_around(const tn_model *model, const char *path)
{
    char owner[TN_PATH_SIZE];
    const char *dot = strrchr(path, '.');
    if (!dot || (size_t)(dot - path) >= sizeof owner)
        return no_id;
    snprintf(owner, sizeof owner, "%.*s", (int)(dot - path), path);
    tn_id id = tn_names_find(model->names, owner);
    return id.kind == TN_KIND_SUBSYSTEM ? id : no_id;
}

tn_id tn_model_owner(const tn_model *model, tn_id id)
{
    const tn_entity *entity = tn_model_entity(model, id);
    if (!entity)
        return no_id;
    if (id.kind == TN_KIND_FRAME && model->frames[id.index].body != 0)
        return tn_subsystem_around(model, model->bodies[model->frames[id.index].body].entity.name);
    return tn_subsystem_around(model, entity->name);
}

static bool has_port(const tn_subsystem *subsystem, const char *name)
{
    for (size_t k = 0; k < subsystem->port_count; k++)
        if (strcmp(subsystem->ports[k].name, name) == 0)
            return true;
    return false;
}

tn_id tn_model_closed_to(const tn_model *model, const char *path, const char *viewer)
{
    tn_id target = tn_names_find(model->names, path), id = tn_subsystem_around(model, path);
    bool port = id.kind != TN_KIND_NONE && has_port(&model->subsystems[id.index], strrchr(path, '.') + 1);
    if (target.kind == TN_KIND_FRAME)
        id = tn_model_owner(model, target);
    for (; id.kind != TN_KIND_NONE; id = tn_model_owner(model, id), port = false) {
        const tn_subsystem *subsystem = &model->subsystems[id.index];
        bool sees = viewer && tn_path_inside(viewer, subsystem->entity.name);
        if (subsystem->closed && !sees && !port)
            return id;
    }
    return no_id;
}

/* ---- adding ---- */

tn_subsystem_def tn_subsystem_default(void)
{
    return (tn_subsystem_def){ .pose = tn_pose_identity() };
}

int tn_subsystem_set_solve(tn_subsystem *subsystem, tn_arena *arena, const tn_solve *solve, tn_span span)
{
    tn_solve *own = tn_arena_alloc(arena, 1, sizeof *own);
    if (!own)
        return TN_ERROR_MEMORY;
    *own = *solve;
    TN_TRY(tn_own_solve(arena, own));
    subsystem->solve = own;
    subsystem->solve_span = span;
    return TN_OK;
}

static int fill(tn_subsystem *out, tn_model *model, const char *path, const tn_subsystem_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "subsystem", path, TN_OK };
    *out = (tn_subsystem){ .pose = def->pose, .closed = def->closed, .file = def->file };
    tn_check_pose(&check, "the subsystem", &out->pose, model->dimension);
    TN_TRY(check.code);
    TN_TRY(tn_own_text(model->arena, &out->file));
    return def->solve ? tn_subsystem_set_solve(out, model->arena, def->solve, span) : TN_OK;
}

/* The room for ports stays with the slot. */
static void put_subsystem(tn_subsystem *slot, const tn_model *model, tn_id id, tn_subsystem *made)
{
    tn_id parent = tn_model_owner(model, id);
    made->world = parent.kind == TN_KIND_NONE ? made->pose
                                              : tn_pose_compose(&model->subsystems[parent.index].world, &made->pose);
    tn_subsystem_drop_component(slot);
    made->ports = slot->ports;
    made->port_capacity = slot->port_capacity;
    *slot = *made;
}

int tn_model_add_subsystem_at(tn_id *out, tn_model *model, const char *path, const tn_subsystem_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "subsystem", path, TN_OK };
    tn_subsystem made;
    tn_id id;
    tn_check_name(&check);
    TN_TRY(check.code);
    TN_TRY(fill(&made, model, path, def, span));
    TN_TRY(tn_table_add(&id, model, TN_KIND_SUBSYSTEM, NULL, path, span));
    made.entity = model->subsystems[id.index].entity;
    put_subsystem(&model->subsystems[id.index], model, id, &made);
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_reset_subsystem(tn_model *model, tn_id id, const tn_subsystem_def *def, tn_span span)
{
    tn_subsystem *subsystem = &model->subsystems[id.index];
    tn_subsystem made;
    TN_TRY(fill(&made, model, subsystem->entity.name, def, span));
    made.entity = subsystem->entity;
    made.entity.span = span;
    put_subsystem(subsystem, model, id, &made);
    return TN_OK;
}

int tn_model_add_subsystem(tn_id *out, tn_model *model, const char *path, const tn_subsystem_def *def)
{
    return tn_model_add_subsystem_at(out, model, path, def, TN_NOWHERE);
}

static void check_port(tn_check *check, const tn_subsystem *subsystem, tn_id target)
{
    const tn_model *model = check->model;
    const char *path = tn_table_path(model, (tn_kind)target.kind, target.index);
    if (strchr(check->name, '.'))
        tn_complain(check, "a port has a name, no path");
    const bool node = target.kind == TN_KIND_FORCE && tn_force_domain(&model->forces[target.index]);
    if (target.kind != TN_KIND_BODY && target.kind != TN_KIND_FRAME && !node)
        tn_complain(check, "'%s' is neither a body nor a frame nor a node", path);
    else if (!tn_table_inside(model, (tn_kind)target.kind, target.index, subsystem->entity.name))
        tn_complain(check, "'%s' is not in the subsystem '%s'", path, subsystem->entity.name);
}

int tn_model_add_port_at(tn_model *model, tn_id id, const char *name, tn_id target, tn_span span)
{
    tn_check check = { model, model->context, span, "port", name, TN_OK };
    char path[2 * TN_PATH_SIZE];
    if (id.kind != TN_KIND_SUBSYSTEM || !tn_model_entity(model, id) || !tn_model_entity(model, target))
        return tn_fail(model->context, TN_ERROR_STALE, span, "the subsystem of a port, or its target, is gone");
    tn_subsystem *subsystem = &model->subsystems[id.index];
    if (!tn_check_spelling(&check))
        return check.code;
    check_port(&check, subsystem, target);
    snprintf(path, sizeof path, "%s.%s", subsystem->entity.name, name);
    tn_id taken = tn_model_find(model, path);
    bool same = taken.kind == target.kind && taken.index == target.index;      /* a port may have its body's name */
    if (has_port(subsystem, name) || (taken.kind != TN_KIND_NONE && !same))
        tn_complain(&check, "something in '%s' has this name already: choose another", subsystem->entity.name);
    TN_TRY(check.code);
    TN_TRY(tn_grow(model->context, &subsystem->ports, &subsystem->port_capacity, subsystem->port_count + 1,
                   sizeof *subsystem->ports));
    tn_port port = { tn_arena_strdup(model->arena, name), target, span };
    if (!port.name)
        return TN_ERROR_MEMORY;
    subsystem->ports[subsystem->port_count++] = port;
    return TN_OK;
}

int tn_model_add_port(tn_model *model, tn_id subsystem, const char *name, tn_id target)
{
    return tn_model_add_port_at(model, subsystem, name, target, TN_NOWHERE);
}

/* ---- looking around ---- */

static size_t count_inside(const tn_model *model, tn_kind kind, tn_id subsystem)
{
    size_t count = 0;
    for (size_t i = 0; i < tn_table_count(model, kind); i++)
        if (tn_table_entity(model, kind, i)->alive) {
            tn_id owner = tn_model_owner(model, tn_table_id(model, kind, i));
            count += owner.kind == subsystem.kind && owner.index == subsystem.index;
        }
    return count;
}

int tn_model_subsystem(tn_subsystem_info *out, const tn_model *model, tn_id id)
{
    if (id.kind != TN_KIND_SUBSYSTEM || !tn_model_entity(model, id))
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "the subsystem is gone");
    const tn_subsystem *subsystem = &model->subsystems[id.index];
    const char *path = subsystem->entity.name, *dot = strrchr(path, '.');
    *out = (tn_subsystem_info){ .path = path, .name = dot ? dot + 1 : path, .parent = tn_model_owner(model, id),
                                .file = subsystem->file, .pose = subsystem->pose, .world = subsystem->world,
                                .closed = subsystem->closed, .mirror = subsystem->mirror,
                                .solve = subsystem->solve,
                                .ports = subsystem->port_count };
    out->children = count_inside(model, TN_KIND_SUBSYSTEM, id);
    out->bodies = count_inside(model, TN_KIND_BODY, id);
    out->joints = count_inside(model, TN_KIND_JOINT, id);
    out->forces = count_inside(model, TN_KIND_FORCE, id);
    return TN_OK;
}

tn_id tn_model_child(const tn_model *model, tn_id subsystem, size_t index)
{
    for (size_t i = 0; i < model->subsystem_count; i++) {
        if (!model->subsystems[i].entity.alive)
            continue;
        tn_id id = tn_table_id(model, TN_KIND_SUBSYSTEM, i), owner = tn_model_owner(model, id);
        if (owner.kind == subsystem.kind && owner.index == subsystem.index && index-- == 0)
            return id;
    }
    return no_id;
}

tn_port_info tn_model_port(const tn_model *model, tn_id id, size_t index)
{
    if (id.kind != TN_KIND_SUBSYSTEM || !tn_model_entity(model, id) ||
        index >= model->subsystems[id.index].port_count)
        return (tn_port_info){ 0 };
    const tn_port *port = &model->subsystems[id.index].ports[index];
    return (tn_port_info){ port->name, port->target };
}

/* ---- removing parts that are not entities ---- */

static bool used_outside(const tn_model *model, const tn_joint_type *type, const char *path)
{
    for (size_t k = 0; k < model->joint_count; k++)
        if (model->joints[k].entity.alive && model->joints[k].type == type &&
            !tn_path_inside(model->joints[k].entity.name, path))
            return true;
    return false;
}

/* Moves the elements that stay to the front and drops those that go; k is the index of the element. */
#define KEEP(model, array, count, goes, drop)                    \
    do {                                                         \
        size_t kept = 0;                                         \
        for (size_t k = 0; k < (model)->count; k++)              \
            if (goes)                                            \
                drop;                                            \
            else                                                 \
                (model)->array[kept++] = (model)->array[k];      \
        (model)->count = kept;                                   \
    } while (0)

void tn_model_forget_texts(tn_model *m, const char *path)
{
    KEEP(m, parameters, parameter_count, tn_path_inside(m->parameters[k].name, path), (void)0);
    KEEP(m, tables, table_count, tn_path_inside(m->tables[k].name, path), (tn_curve_destroy(m->tables[k].curve), tn_grid_destroy(m->tables[k].surface)));
    KEEP(m, own_types, own_type_count,
         tn_path_inside(m->own_types[k]->name, path) && !used_outside(m, m->own_types[k], path), (void)0);
    KEEP(m, own_devices, own_device_count, tn_path_inside(m->own_devices[k]->name, path), (void)0);
    KEEP(m, events, event_count, tn_path_inside(m->events[k].name, path), (void)0);
    KEEP(m, conditions, condition_count, m->conditions[k].owner && tn_path_inside(m->conditions[k].owner, path),
         (void)0);
    KEEP(m, outputs, output_count, m->outputs[k].owner && tn_path_inside(m->outputs[k].owner, path), (void)0);
}
