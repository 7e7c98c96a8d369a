/* Disabled entities, and the entities that depend on them. */
#include "components.h"
#include "diag.h"
#include "names.h"
#include "tables.h"

#include <stdio.h>
#include <string.h>

/* ---- the cause that excludes an entity: itself, or an entity it depends on; NULL: none ---- */

/* The outermost disabled subsystem that encloses a path or has this path. */
static const tn_entity *disabled_around(const tn_model *model, const char *path)
{
    char owner[TN_PATH_SIZE];
    for (const char *end = strchr(path, '.'); model->subsystem_count > 0 && end; end = strchr(end + 1, '.')) {
        if ((size_t)(end - path) >= sizeof owner)
            return NULL;
        snprintf(owner, sizeof owner, "%.*s", (int)(end - path), path);
        tn_id id = tn_names_find(model->names, owner);
        if (id.kind == TN_KIND_SUBSYSTEM && model->subsystems[id.index].entity.disabled)
            return &model->subsystems[id.index].entity;
    }
    return NULL;
}

static const tn_entity *disabled_itself(const tn_model *model, const tn_entity *entity)
{
    return entity->disabled ? entity : disabled_around(model, entity->name);
}

static const tn_entity *disabled_body(const tn_model *model, uint32_t body)
{
    return disabled_itself(model, &model->bodies[body].entity);
}

bool tn_path_active(const tn_model *model, const char *path)
{
    return !disabled_around(model, path);
}

static const tn_entity *disabled_end(const tn_model *model, uint32_t body1, uint32_t body2)
{
    const tn_entity *first = disabled_body(model, body1);
    return first ? first : disabled_body(model, body2);
}

static const tn_entity *disabler_of_joint(const tn_model *model, uint32_t index)
{
    const tn_joint *joint = &model->joints[index];
    const tn_entity *found = disabled_itself(model, &joint->entity);
    if (!found && joint->type->joints == 0)
        found = disabled_end(model, joint->body1, joint->body2);
    for (size_t k = 0; k < joint->term_count && !found; k++)
        found = disabler_of_joint(model, joint->terms[k].joint);
    return found;
}

static const tn_entity *disabler_of_force(const tn_model *model, uint32_t index)
{
    const tn_force *force = &model->forces[index];
    const tn_entity *found = disabled_itself(model, &force->entity);
    if (found)
        return found;
    switch (force->type->place) {
    case TN_PLACE_FRAMES: return disabled_end(model, force->body1, force->body2);
    case TN_PLACE_JOINT: return disabler_of_joint(model, force->joint);
    default: return NULL;
    }
}

/* With fewer than two active bodies, the cause is the first inactive one. */
static const tn_entity *disabler_of_contact(const tn_model *model, uint32_t index)
{
    const tn_contact *contact = &model->contacts[index];
    const tn_entity *found = NULL;
    size_t active = 0;
    for (size_t k = contact->body_count; k-- > 0;) {
        const tn_entity *disabled = disabled_body(model, contact->bodies[k]);
        found = disabled ? disabled : found;
        active += !disabled;
    }
    const tn_entity *itself = disabled_itself(model, &contact->entity);
    return itself ? itself : active < 2 ? found : NULL;
}

static const tn_entity *disabler_of(const tn_model *model, tn_id id)
{
    switch (id.kind) {
    case TN_KIND_BODY: return disabled_body(model, id.index);
    case TN_KIND_FRAME: return disabled_body(model, model->frames[id.index].body);
    case TN_KIND_JOINT: return disabler_of_joint(model, id.index);
    case TN_KIND_FORCE: return disabler_of_force(model, id.index);
    case TN_KIND_CONTACT: return disabler_of_contact(model, id.index);
    case TN_KIND_SUBSYSTEM: return disabled_itself(model, &model->subsystems[id.index].entity);
    default: return NULL;
    }
}

bool tn_body_active(const tn_model *model, uint32_t body)
{
    return model->bodies[body].entity.alive && !disabled_body(model, body);
}

bool tn_joint_active(const tn_model *model, uint32_t joint)
{
    return model->joints[joint].entity.alive && !disabler_of_joint(model, joint);
}

bool tn_force_active(const tn_model *model, uint32_t force)
{
    return model->forces[force].entity.alive && !disabler_of_force(model, force);
}

bool tn_contact_active(const tn_model *model, uint32_t contact)
{
    return model->contacts[contact].entity.alive && !disabler_of_contact(model, contact);
}

bool tn_model_active(const tn_model *model, tn_id id)
{
    return !tn_model_entity(model, id) || !disabler_of(model, id);
}

const char *tn_model_inactive_text(const tn_model *model, tn_id id, char *buffer, size_t size)
{
    const tn_entity *entity = tn_model_entity(model, id), *disabler = entity ? disabler_of(model, id) : NULL;
    buffer[0] = '\0';
    if (disabler == entity && entity)
        snprintf(buffer, size, "'%s' is disabled", entity->name);
    else if (disabler)
        snprintf(buffer, size, "'%s' takes no part while '%s' is disabled", entity->name, disabler->name);
    return buffer;
}

/* ---- enabling and disabling ---- */

int tn_model_set_enabled(tn_model *model, tn_id id, bool enabled)
{
    tn_entity *entity = tn_model_entity(model, id);
    if (!entity)
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "what is to be switched is gone");
    if (id.kind == TN_KIND_FRAME || (id.kind == TN_KIND_BODY && id.index == 0))
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "'%s' cannot be switched off: only bodies, joints, forces, contacts and subsystems can",
                       entity->name);
    if (id.kind == TN_KIND_FORCE && model->forces[id.index].implied)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "node '%s' is there only because devices name it: switch the devices off", entity->name);
    TN_TRY(tn_refuse_port(model, id, "switched off"));
    entity->disabled = !enabled;
    return TN_OK;
}

bool tn_model_enabled(const tn_model *model, tn_id id)
{
    const tn_entity *entity = tn_model_entity(model, id);
    return entity && !entity->disabled;
}
