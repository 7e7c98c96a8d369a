/* Finding entities by path or index, and reading their basic data. */
#include "hash.h"
#include "diag.h"
#include "names.h"
#include "tables.h"
#include "vec.h"

#include <stdio.h>
#include <string.h>

static const tn_id no_id = { 0, 0, TN_KIND_NONE, 0 };

tn_id tn_model_ground(const tn_model *model)
{
    return tn_table_id(model, TN_KIND_BODY, 0);
}

/* "front_left.mount": the target of the port. */
static tn_id find_port(const tn_model *model, const char *path)
{
    tn_id id = tn_subsystem_around(model, path);
    if (id.kind != TN_KIND_SUBSYSTEM)
        return no_id;
    const char *name = strrchr(path, '.') + 1;
    const tn_subsystem *subsystem = &model->subsystems[id.index];
    for (size_t k = 0; k < subsystem->port_count; k++)
        if (strcmp(subsystem->ports[k].name, name) == 0 && tn_model_entity(model, subsystem->ports[k].target))
            return subsystem->ports[k].target;
    return no_id;
}

tn_id tn_model_find(const tn_model *model, const char *path)
{
    if (!path)
        return no_id;
    tn_id id = tn_names_find(model->names, path);
    return id.kind == TN_KIND_NONE && model->subsystem_count > 0 ? find_port(model, path) : id;
}

tn_id tn_model_axis(const tn_model *model, tn_id id)
{
    char path[TN_PATH_SIZE];
    if (id.kind != TN_KIND_BODY || !(model->bodies[id.index].given & TN_GIVEN_AXIS) ||
        snprintf(path, sizeof path, "%s-axis", model->bodies[id.index].entity.name) >= (int)sizeof path)
        return no_id;
    const tn_id axis = tn_model_find(model, path);
    return axis.kind == TN_KIND_JOINT ? axis : no_id;
}

/* "angle", "angle.rate", "rate" of a rotor mean those of its axis; "position.x" of a slider is that of a body. */
static bool means_axis(const char *rest)
{
    static const char *const names[] = { "angle", "position", "rate" };
    for (size_t k = 0; k < TN_LENGTH(names); k++) {
        const size_t n = strlen(names[k]);
        if (strncmp(rest, names[k], n) == 0 && (rest[n] == '\0' || (rest[n] == '.' && rest[n + 2] != '\0')))
            return true;
    }
    return false;
}

static tn_id split_model(const tn_model *model, const char *path, const char **rest)
{
    char prefix[TN_PATH_SIZE];
    *rest = NULL;
    if (strlen(path) >= sizeof prefix)
        return no_id;
    strcpy(prefix, path);
    for (char *end = prefix + strlen(prefix); end; end = strrchr(prefix, '.')) {
        bool whole = *end == '\0';
        *end = '\0';
        tn_id id = tn_model_find(model, prefix);
        if (id.kind == TN_KIND_NONE)
            continue;
        *rest = whole ? NULL : path + (end - prefix) + 1;
        return id;
    }
    return no_id;
}

tn_id tn_model_split(const tn_model *model, const char *path, const char **rest)
{
    const tn_id id = split_model(model, path, rest), axis = *rest && means_axis(*rest) ? tn_model_axis(model, id) : no_id;
    return axis.kind == TN_KIND_JOINT ? axis : id;
}

/* Slots before the first that is counted: ground is a body that is not. */
static size_t uncounted(tn_kind kind)
{
    return kind == TN_KIND_BODY;
}

static bool is_table(tn_kind kind)
{
    return kind > TN_KIND_NONE && kind <= TN_KIND_SUBSYSTEM;
}

size_t tn_model_count(const tn_model *model, tn_kind kind)
{
    return is_table(kind) ? tn_table_count(model, kind) - model->dead[kind] - uncounted(kind) : 0;
}

tn_id tn_model_at(const tn_model *model, tn_kind kind, size_t index)
{
    if (index >= tn_model_count(model, kind))
        return no_id;
    size_t slot = uncounted(kind);
    if (model->dead[kind] == 0)
        return tn_table_id(model, kind, slot + index);
    for (;; slot++)
        if (tn_table_entity(model, kind, slot)->alive && index-- == 0)
            return tn_table_id(model, kind, slot);
}

const char *tn_model_entity_name(const tn_model *model, tn_id id)
{
    const tn_entity *entity = tn_model_entity(model, id);
    return entity ? entity->name : NULL;
}

const char *tn_model_entity_type(const tn_model *model, tn_id id)
{
    if (!tn_model_entity(model, id))
        return NULL;
    switch (id.kind) {
    case TN_KIND_BODY:
        if (id.index == 0)
            return "ground";
        return model->bodies[id.index].kind == TN_BODY_PARTICLE ? "particle" : "rigid";
    case TN_KIND_JOINT: return model->joints[id.index].type->name;
    case TN_KIND_FORCE: return model->forces[id.index].type->name;
    case TN_KIND_CONTACT: return "contact";
    case TN_KIND_SUBSYSTEM: return "subsystem";
    default: return "frame";
    }
}

tn_span tn_model_entity_span(const tn_model *model, tn_id id)
{
    const tn_entity *entity = tn_model_entity(model, id);
    return entity ? entity->span : TN_NOWHERE;
}

void tn_model_set_span(tn_model *model, tn_id id, tn_span span)
{
    tn_entity *entity = tn_model_entity(model, id);
    if (!entity)
        return;
    if (span.file)
        span.file = tn_arena_strdup(model->arena, span.file);   /* without memory: a place in no file */
    entity->span = span;
}

const char *tn_model_coordinate_unit(const tn_model *model, tn_id joint, const char *coordinate)
{
    if (joint.kind != TN_KIND_JOINT || !tn_model_entity(model, joint))
        return NULL;
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[joint.index].type);
    int k = tn_joint_coordinate_find(form, coordinate);
    return k < 0 ? NULL : form->coordinates[k].unit;
}

int tn_model_body_mass(double *mass, double com[3], double inertia[6], const tn_model *model, tn_id body)
{
    if (!tn_model_entity(model, body))
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "mass of a body that is gone");
    if (body.kind != TN_KIND_BODY || body.index == 0)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' has no mass: only bodies have",
                       tn_model_entity_name(model, body));
    const tn_body *b = &model->bodies[body.index];
    if (b->missing)
        return tn_fail(model->context, TN_ERROR_MODEL, b->entity.span, "body '%s': %s", b->entity.name,
                       tn_missing_text(model, b));
    *mass = b->mass;
    tn_copy3(com, b->com);
    memcpy(inertia, b->inertia, sizeof b->inertia);
    return TN_OK;
}

const char *tn_model_name_candidate(void *user, size_t index)
{
    static const tn_kind kinds[] = { TN_KIND_BODY, TN_KIND_JOINT, TN_KIND_FORCE, TN_KIND_CONTACT, TN_KIND_FRAME,
                                     TN_KIND_SUBSYSTEM };
    const tn_model *model = user;
    if (index == 0)
        return "ground";
    index--;
    for (size_t k = 0; k < TN_LENGTH(kinds); k++) {
        size_t count = tn_model_count(model, kinds[k]);
        if (index < count) {
            tn_id id = tn_model_at(model, kinds[k], index);
            return tn_table_path(model, kinds[k], id.index);
        }
        index -= count;
    }
    return NULL;
}

size_t tn_model_file_count(const tn_model *model)
{
    return model->origin ? model->origin->count : 0;
}

uint64_t tn_model_hash(const tn_model *model)
{
    const tn_origin *origin = model->origin;
    uint64_t hash = TN_HASH_START;
    for (size_t k = 0; origin && k < origin->count; k++)
        hash = tn_hash_bytes(hash, &origin->files[k].hash, sizeof origin->files[k].hash);
    for (size_t k = 0; origin && k < origin->setting_count; k++) {
        hash = tn_hash_bytes(hash, origin->settings[k].name, strlen(origin->settings[k].name));
        hash = tn_hash_bytes(hash, &origin->settings[k].value, sizeof origin->settings[k].value);
    }
    return origin ? hash : 0;
}

tn_model_file tn_model_file_at(const tn_model *model, size_t index)
{
    if (index >= tn_model_file_count(model))
        return (tn_model_file){ 0 };
    return (tn_model_file){ model->origin->files[index].path, model->origin->files[index].text };
}

const char *tn_model_expected_reference(const tn_model *model)
{
    return model->expect.reference;
}
