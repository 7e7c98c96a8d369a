/* Puts a definition that was read into the model: adds a new entity, or replaces the one with this name. */
#include "reader.h"
#include "replacement.h"
#include "tables.h"
#include "vec.h"

typedef enum put { PUT_NEW, PUT_REPLACED, PUT_NOTHING } put;

/* The action for a name; id: the entity that is replaced. PUT_NOTHING: there is no such entity, and an error was added. */
static put find_replaced(tn_reader *r, const tn_node *name, tn_kind kind, tn_id *id)
{
    *id = tn_model_find(r->model, r->name);
    if (r->replacement != NULL) {
        bool goes_on = tn_replacement_takes(r->replacement, *id);
        if (goes_on && id->kind == kind)
            return PUT_REPLACED;
        if (goes_on)
            tn_model_remove(r->model, *id);            /* something else of the same name */
        tn_replacement_new(r->replacement, r->name);
        return PUT_NEW;
    }
    if (!r->replacing)
        return PUT_NEW;
    if (id->kind != kind)
        tn_read_error(r, name->span, "there is no such %s to replace", tn_kind_text(kind));
    return id->kind == kind ? PUT_REPLACED : PUT_NOTHING;
}

static void finish(tn_reader *r, bool good, tn_id id, bool enabled)
{
    if (good)
        tn_model_set_enabled(r->model, id, enabled);
}

/* The frames of a definition replace all existing frames. */
static void drop_frames(tn_model *model, tn_id body)
{
    for (uint32_t k = 0; k < model->frame_count; k++)
        if (model->frames[k].entity.alive && model->frames[k].body == body.index)
            tn_model_remove(model, (tn_id){ k, model->frames[k].entity.generation, TN_KIND_FRAME, model->owner });
}

/* Puts a replaced body where the body before it was, with its velocities. */
static void keep_motion(tn_body *body, const tn_body *before)
{
    body->pose = before->pose;
    body->placed = before->placed;
    body->place_free = before->place_free;
    body->given = before->given;
    tn_copy3(body->velocity, before->velocity);
    tn_copy3(body->angular_velocity, before->angular_velocity);
}

bool tn_read_put_body(tn_reader *r, const tn_node *name, const tn_body_def *def, bool enabled, tn_id *id)
{
    put how = find_replaced(r, name, TN_KIND_BODY, id);
    const tn_body before = how == PUT_REPLACED ? r->model->bodies[id->index] : (tn_body){ 0 };
    bool good = how == PUT_NEW ? tn_read_ok(r, tn_model_add_body_at(id, r->model, r->name, def, name->span))
                               : how == PUT_REPLACED &&
                                     tn_read_ok(r, tn_model_replace_body_at(r->model, *id, def, name->span));
    if (good && how == PUT_REPLACED)
        drop_frames(r->model, *id);
    if (good && how == PUT_REPLACED && r->stay)
        keep_motion(&r->model->bodies[id->index], &before);
    finish(r, good, *id, enabled);
    return good;
}

/* The checks of the model normalize every orientation, which may change the last bits of one that is normalized. */
static void keep_bits(tn_pose *held, const tn_pose *given)
{
    if (tn_quat_is_unit(given->q))
        memcpy(held->q, given->q, sizeof held->q);
}

void tn_read_put_joint(tn_reader *r, const tn_node *name, const tn_joint_def *def, bool exact, bool enabled)
{
    tn_id id;
    put how = find_replaced(r, name, TN_KIND_JOINT, &id);
    bool good = how == PUT_NEW ? tn_read_ok(r, tn_model_add_joint_at(&id, r->model, r->name, def, name->span))
                               : how == PUT_REPLACED &&
                                     tn_read_ok(r, tn_model_replace_joint_at(r->model, id, def, name->span));
    if (good && exact) {
        keep_bits(&r->model->joints[id.index].frame1, &def->frame1);
        keep_bits(&r->model->joints[id.index].frame2, &def->frame2);
    }
    finish(r, good, id, enabled);
}

void tn_read_put_contact(tn_reader *r, const tn_node *name, const tn_contact_def *def, bool enabled)
{
    tn_id id;
    put how = find_replaced(r, name, TN_KIND_CONTACT, &id);
    bool good = how == PUT_NEW ? tn_read_ok(r, tn_model_add_contact_at(&id, r->model, r->name, def, name->span))
                               : how == PUT_REPLACED &&
                                     tn_read_ok(r, tn_model_replace_contact_at(r->model, id, def, name->span));
    finish(r, good, id, enabled);
}

void tn_read_put_force(tn_reader *r, const tn_node *name, const tn_force_def *def, bool exact, bool enabled)
{
    tn_id id;
    put how = find_replaced(r, name, TN_KIND_FORCE, &id);
    bool good = how == PUT_NEW ? tn_read_ok(r, tn_model_add_force_at(&id, r->model, r->name, def, name->span))
                               : how == PUT_REPLACED &&
                                     tn_read_ok(r, tn_model_replace_force_at(r->model, id, def, name->span));
    if (good && exact) {
        keep_bits(&r->model->forces[id.index].frame1, &def->frame1);
        keep_bits(&r->model->forces[id.index].frame2, &def->frame2);
    }
    finish(r, good, id, enabled);
}
