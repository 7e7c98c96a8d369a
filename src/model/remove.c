#include "diag.h"
#include "joint_limits.h"
#include "tables.h"

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

/* A coupling has no coordinates and so is never coupled itself: one level is all. */
static void remove_joint(tn_model *model, size_t joint)
{
    tn_table_release(model, TN_KIND_JOINT, joint);
    tn_trigger_drop(model, (uint32_t)joint);
    tn_closing_drop(model, (uint32_t)joint);
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

/* What is left of a contact without the body, unless fewer than two are. */
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
    tn_shapes_free(model->context, body->shapes, body->shape_count);
    body->shapes = NULL;
    body->shape_count = 0;
    tn_table_release(model, TN_KIND_BODY, index);
}

int tn_model_remove(tn_model *model, tn_id id)
{
    if (!tn_model_entity(model, id))
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "what is to be removed is gone already");
    if (id.kind == TN_KIND_BODY && id.index == 0)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "ground cannot be removed");
    if (id.kind == TN_KIND_BODY)
        remove_body(model, id.index);
    else if (id.kind == TN_KIND_JOINT)
        remove_joint(model, id.index);
    else
        tn_table_release(model, (tn_kind)id.kind, id.index);
    return TN_OK;
}
