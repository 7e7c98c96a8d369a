/* Slots of the model's tables: finding, allocating and releasing them. */
#include "tables.h"

#include "names.h"

#include <string.h>

const char *tn_kind_text(tn_kind kind)
{
    switch (kind) {
    case TN_KIND_BODY: return "body";
    case TN_KIND_FRAME: return "frame";
    case TN_KIND_JOINT: return "joint";
    case TN_KIND_FORCE: return "force";
    case TN_KIND_CONTACT: return "contact";
    case TN_KIND_SUBSYSTEM: return "subsystem";
    default: return "nothing";
    }
}

static size_t *slot_count(tn_model *model, tn_kind kind)
{
    switch (kind) {
    case TN_KIND_BODY: return &model->body_count;
    case TN_KIND_FRAME: return &model->frame_count;
    case TN_KIND_JOINT: return &model->joint_count;
    case TN_KIND_FORCE: return &model->force_count;
    case TN_KIND_CONTACT: return &model->contact_count;
    case TN_KIND_SUBSYSTEM: return &model->subsystem_count;
    default: return NULL;
    }
}

size_t tn_table_count(const tn_model *model, tn_kind kind)
{
    switch (kind) {
    case TN_KIND_BODY: return model->body_count;
    case TN_KIND_FRAME: return model->frame_count;
    case TN_KIND_JOINT: return model->joint_count;
    case TN_KIND_FORCE: return model->force_count;
    case TN_KIND_CONTACT: return model->contact_count;
    case TN_KIND_SUBSYSTEM: return model->subsystem_count;
    default: return 0;
    }
}

tn_entity *tn_table_entity(const tn_model *model, tn_kind kind, size_t index)
{
    switch (kind) {
    case TN_KIND_BODY: return &model->bodies[index].entity;
    case TN_KIND_FRAME: return &model->frames[index].entity;
    case TN_KIND_JOINT: return &model->joints[index].entity;
    case TN_KIND_FORCE: return &model->forces[index].entity;
    case TN_KIND_CONTACT: return &model->contacts[index].entity;
    case TN_KIND_SUBSYSTEM: return &model->subsystems[index].entity;
    default: return NULL;
    }
}

tn_id tn_table_id(const tn_model *model, tn_kind kind, size_t index)
{
    return (tn_id){ (uint32_t)index, tn_table_entity(model, kind, index)->generation, (uint8_t)kind, model->owner };
}

tn_entity *tn_model_entity(const tn_model *model, tn_id id)
{
    if (id.owner != model->owner || id.index >= tn_table_count(model, id.kind))
        return NULL;
    tn_entity *entity = tn_table_entity(model, id.kind, id.index);
    return entity->alive && entity->generation == id.generation ? entity : NULL;
}

const char *tn_table_path(const tn_model *model, tn_kind kind, size_t index)
{
    return kind == TN_KIND_FRAME ? model->frames[index].path : tn_table_entity(model, kind, index)->name;
}

bool tn_table_inside(const tn_model *model, tn_kind kind, size_t index, const char *subsystem)
{
    bool on_ground = kind == TN_KIND_FRAME && model->frames[index].body == 0;
    const char *path = on_ground ? model->frames[index].entity.name : tn_table_path(model, kind, index);
    return tn_path_inside(path, subsystem);
}

static int make_room(tn_model *model, tn_kind kind)
{
    tn_context *c = model->context;
    size_t need = tn_table_count(model, kind) + 1;
    switch (kind) {
    case TN_KIND_BODY: return tn_grow(c, &model->bodies, &model->body_capacity, need, sizeof *model->bodies);
    case TN_KIND_FRAME: return tn_grow(c, &model->frames, &model->frame_capacity, need, sizeof *model->frames);
    case TN_KIND_JOINT: return tn_grow(c, &model->joints, &model->joint_capacity, need, sizeof *model->joints);
    case TN_KIND_FORCE: return tn_grow(c, &model->forces, &model->force_capacity, need, sizeof *model->forces);
    case TN_KIND_CONTACT: return tn_grow(c, &model->contacts, &model->contact_capacity, need, sizeof *model->contacts);
    case TN_KIND_SUBSYSTEM:
        return tn_grow(c, &model->subsystems, &model->subsystem_capacity, need, sizeof *model->subsystems);
    default: return TN_ERROR_ARGUMENT;
    }
}

/* A slot that was given back, else one at the end. */
static size_t pick_slot(tn_model *model, tn_kind kind)
{
    size_t *count = slot_count(model, kind);
    if (model->dead[kind] == 0) {
        tn_table_entity(model, kind, *count)->generation = 1;
        return (*count)++;
    }
    size_t index = 0;
    while (tn_table_entity(model, kind, index)->alive)
        index++;
    model->dead[kind]--;
    return index;
}

char *tn_table_make_path(tn_model *model, const char *owner, const char *name)
{
    if (!owner)
        return tn_arena_strdup(model->arena, name);
    size_t size = strlen(owner) + strlen(name) + 2;
    char *path = tn_arena_alloc(model->arena, size, 1);
    if (path)
        snprintf(path, size, "%s.%s", owner, name);
    return path;
}

int tn_table_add(tn_id *out, tn_model *model, tn_kind kind, const char *owner, const char *name, tn_span span)
{
    TN_TRY(make_room(model, kind));
    TN_TRY(tn_names_reserve(model->names));
    char *path = tn_table_make_path(model, owner, name);
    if (!path)
        return TN_ERROR_MEMORY;
    size_t index = pick_slot(model, kind);
    tn_entity *entity = tn_table_entity(model, kind, index);
    entity->name = owner ? path + strlen(owner) + 1 : path;
    entity->span = span;
    entity->alive = true;
    entity->disabled = false;
    *out = tn_table_id(model, kind, index);
    tn_names_put(model->names, path, *out);
    if (kind == TN_KIND_FRAME)
        model->frames[index].path = path;
    return TN_OK;
}

void tn_table_release(tn_model *model, tn_kind kind, size_t index)
{
    tn_entity *entity = tn_table_entity(model, kind, index);
    tn_names_remove(model->names, tn_table_path(model, kind, index));
    entity->alive = false;
    entity->generation = entity->generation == UINT16_MAX ? 1 : (uint16_t)(entity->generation + 1);
    model->dead[kind]++;
}
