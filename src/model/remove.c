/* Removal of entities, together with the entities that depend on them. */
#include "groups.h"
#include "components.h"
#include "devices.h"
#include "diag.h"
#include "joint_limits.h"
#include "tables.h"

#include <ctype.h>
#include <string.h>

static void remove_frames(tn_model *model, uint32_t body)
{
    for (size_t i = 0; i < model->frame_count; i++)
        if (model->frames[i].entity.alive && model->frames[i].body == body)
            tn_table_release(model, TN_KIND_FRAME, i);
}

static void remove_forces(tn_model *model, uint32_t body)
{
    for (size_t i = 0; i < model->force_count; i++) {
        const tn_force *f = &model->forces[i];
        if (f->entity.alive && (f->body1 == body || f->body2 == body))
            tn_table_release(model, TN_KIND_FORCE, i);
    }
}

static bool couples(const tn_joint *coupling, size_t joint)
{
    for (size_t k = 0; k < coupling->term_count; k++)
        if (coupling->terms[k].joint == joint)
            return true;
    return false;
}

/* A coupling has no coordinates and is never coupled itself: one level is enough. */
static void remove_joint(tn_model *model, size_t joint)
{
    tn_table_release(model, TN_KIND_JOINT, joint);
    tn_trigger_drop(model, (uint32_t)joint);
    tn_limits_drop(model, (uint32_t)joint);
    for (size_t i = 0; i < model->force_count; i++) {
        const tn_force *f = &model->forces[i];
        if (f->entity.alive && f->type->place == TN_PLACE_JOINT && f->joint == joint)
            tn_table_release(model, TN_KIND_FORCE, i);
    }
    for (size_t i = 0; i < model->joint_count; i++)
        if (model->joints[i].entity.alive && couples(&model->joints[i], joint))
            tn_table_release(model, TN_KIND_JOINT, i);
}

static void remove_joints(tn_model *model, uint32_t body)
{
    for (size_t i = 0; i < model->joint_count; i++) {
        const tn_joint *j = &model->joints[i];
        if (j->entity.alive && j->type->joints == 0 && (j->body1 == body || j->body2 == body))
            remove_joint(model, i);
    }
}

/* Removes the body from a contact, or the contact when fewer than two bodies remain. */
static void remove_contacts(tn_model *model, uint32_t body)
{
    for (size_t i = 0; i < model->contact_count; i++) {
        tn_contact *contact = &model->contacts[i];
        size_t kept = 0;
        for (size_t k = 0; k < contact->body_count && contact->entity.alive; k++)
            if (contact->bodies[k] != body)
                contact->bodies[kept++] = contact->bodies[k];
        if (!contact->entity.alive)
            continue;
        contact->body_count = kept;
        if (kept < 2)
            tn_table_release(model, TN_KIND_CONTACT, i);
    }
}

static void remove_body(tn_model *model, uint32_t index)
{
    tn_body *body = &model->bodies[index];
    remove_frames(model, index);
    remove_forces(model, index);
    remove_joints(model, index);
    remove_contacts(model, index);
    tn_groups_forget(model, index);
    tn_body_free_shapes(model->context, body);
    tn_table_release(model, TN_KIND_BODY, index);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Whether a name begins with an existing entity, in the subsystem or in the whole model. */
static bool names_entity(const tn_model *model, const char *subsystem, const char *name, size_t length)
{
    char path[2 * TN_PATH_SIZE];
    const char *rest;
    snprintf(path, sizeof path, "%s%s%.*s", subsystem ? subsystem : "", subsystem ? "." : "", (int)length, name);
    tn_kind kind = tn_model_split(model, path, &rest).kind;
    return kind != TN_KIND_NONE && (kind != TN_KIND_SUBSYSTEM || !rest);
}

/* How many times an output names an existing entity: "elbow.angle", or "elbow" alone. */
static int owners_of(const tn_model *model, const tn_output *output)
{
    const char *text = output->expression ? output->expression : output->channel;
    int count = 0;
    while (*text) {
        size_t length = 0;
        while (is_word(text[length]) || (length > 0 && text[length] == '.' && is_word(text[length + 1])))
            length++;
        count += length > 0 && length < TN_PATH_SIZE &&
                 (names_entity(model, NULL, text, length) ||
                  (output->owner && names_entity(model, output->owner, text, length)));
        text += length > 0 ? length : 1;
    }
    return count;
}

static void mark_outputs(tn_model *model)
{
    for (size_t k = 0; k < model->output_count; k++)
        model->outputs[k].owners = owners_of(model, &model->outputs[k]);
}

/* Removes outputs that name a removed entity. */
static void drop_outputs(tn_model *model)
{
    size_t kept = 0;
    for (size_t k = 0; k < model->output_count; k++)
        if (owners_of(model, &model->outputs[k]) == model->outputs[k].owners)
            model->outputs[kept++] = model->outputs[k];
    model->output_count = kept;
}

/* Removes bodies first: this also removes the entities that are attached to them, even from outside. */
static void remove_subsystem(tn_model *model, uint32_t index)
{
    static const tn_kind kinds[] = { TN_KIND_BODY, TN_KIND_JOINT, TN_KIND_FORCE, TN_KIND_CONTACT, TN_KIND_FRAME,
                                     TN_KIND_SUBSYSTEM };
    const char *path = model->subsystems[index].entity.name;
    tn_subsystem_drop_component(&model->subsystems[index]);
    for (size_t k = 0; k < TN_LENGTH(kinds); k++)
        for (size_t i = 0; i < tn_table_count(model, kinds[k]); i++)
            if (tn_table_entity(model, kinds[k], i)->alive && tn_table_inside(model, kinds[k], i, path) &&
                (kinds[k] != TN_KIND_SUBSYSTEM || i != index))
                tn_model_remove(model, tn_table_id(model, kinds[k], i));
    tn_model_forget_texts(model, path);
    model->subsystems[index].port_count = 0;
    tn_table_release(model, TN_KIND_SUBSYSTEM, index);
}

/* A node goes with the last device at it. */
static int refuse_node(const tn_model *model, tn_id id)
{
    const tn_force *node = id.kind == TN_KIND_FORCE ? &model->forces[id.index] : NULL;
    const tn_force *device = node && tn_force_domain(node) ? tn_model_device_at(model, id.index) : NULL;
    return device ? tn_fail(model->context, TN_ERROR_ARGUMENT, node->entity.span,
                            "node '%s' cannot be removed: device '%s' is connected to it", node->entity.name,
                            device->entity.name)
                  : TN_OK;
}

int tn_model_remove(tn_model *model, tn_id id)
{
    if (!tn_model_entity(model, id))
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "what is to be removed is gone already");
    if (id.kind == TN_KIND_BODY && id.index == 0)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "ground cannot be removed");
    TN_TRY(tn_refuse_port(model, id, "removed"));
    TN_TRY(refuse_node(model, id));
    mark_outputs(model);
    if (id.kind == TN_KIND_BODY)
        remove_body(model, id.index);
    else if (id.kind == TN_KIND_JOINT)
        remove_joint(model, id.index);
    else if (id.kind == TN_KIND_SUBSYSTEM)
        remove_subsystem(model, id.index);
    else
        tn_table_release(model, (tn_kind)id.kind, id.index);
    tn_model_prune_nodes(model);
    tn_model_prune_variants(model);
    drop_outputs(model);
    return TN_OK;
}
