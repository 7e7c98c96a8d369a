/* Replacement of definitions: entities get a new definition and keep their ids and names. */
#include "check.h"
#include "devices.h"
#include "components.h"
#include "diag.h"
#include "joint_limits.h"
#include "tables.h"
#include "vec.h"

#include <string.h>

/* The entity to be replaced, for checks of its new definition; NULL after an error. */
static tn_entity *begin_replace(tn_check *check, tn_model *model, tn_id id, tn_kind kind, tn_span span)
{
    tn_entity *entity = tn_model_entity(model, id);
    *check = (tn_check){ model, model->context, span, tn_kind_text(kind), entity ? entity->name : "", TN_OK };
    if (!entity)
        tn_check_note(check, tn_fail(model->context, TN_ERROR_STALE, span, "the %s to be replaced is gone",
                                     tn_kind_text(kind)));
    else if (id.kind != kind || (kind == TN_KIND_BODY && id.index == 0))
        tn_check_note(check, tn_fail(model->context, TN_ERROR_ARGUMENT, span, "'%s' cannot be replaced by a %s",
                                     entity->name, tn_kind_text(kind)));
    return check->code == TN_OK ? entity : NULL;
}

/* ---- bodies, forces and contacts ---- */

/* A body in a contact must still have a shape that can touch. */
static void check_contacts(tn_check *check, const tn_model *model, uint32_t index, const tn_body *body)
{
    for (size_t i = 0; i < model->contact_count && !tn_body_touches(body, model->dimension); i++) {
        const tn_contact *contact = &model->contacts[i];
        for (size_t k = 0; contact->entity.alive && k < contact->body_count; k++)
            if (contact->bodies[k] == index)
                tn_complain(check, "contact '%s' needs a shape of it that can touch", contact->entity.name);
    }
}

/* Replaces the old body, unless there is an error; then the new shapes are freed. */
static int put_body(tn_check *check, tn_model *model, uint32_t index, tn_body *body)
{
    check_contacts(check, model, index, body);
    tn_body_free_shapes(model->context, check->code < 0 ? body : &model->bodies[index]);
    if (check->code >= 0)
        model->bodies[index] = *body;
    return check->code;
}

int tn_model_replace_body_at(tn_model *model, tn_id id, const tn_body_def *def, tn_span span)
{
    tn_check check;
    tn_body body;
    if (!begin_replace(&check, model, id, TN_KIND_BODY, span))
        return check.code;
    TN_TRY(tn_refuse_port(model, id, "replaced"));
    TN_TRY(tn_check_body(&body, &check, def));
    body.entity = model->bodies[id.index].entity;
    body.entity.span = span;
    return put_body(&check, model, id.index, &body);
}

int tn_model_replace_body(tn_model *model, tn_id id, const tn_body_def *def)
{
    return tn_model_replace_body_at(model, id, def, tn_model_entity_span(model, id));
}

int tn_model_set_ground_shapes_at(tn_model *model, const tn_shape_def *shapes, size_t count, tn_span span)
{
    tn_check check = { model, model->context, span, "body", "ground", TN_OK };
    double mass, com[3], inertia[6];
    TN_TRY(tn_shapes_mass(model->context, span, "ground", shapes, count, &mass, com, inertia));
    if (mass > 0)
        tn_complain(&check, "ground never moves: its shapes have no mass or density");
    TN_TRY(check.code);
    tn_body ground = model->bodies[0];
    TN_TRY(tn_shapes_copy(&ground.shapes, model->context, shapes, count));
    ground.shape_count = count;
    check_contacts(&check, model, 0, &ground);
    tn_body *kept = &model->bodies[0];
    const tn_body *dropped = check.code < 0 ? &ground : kept;
    tn_shapes_free(model->context, dropped->shapes, dropped->shape_count);
    if (check.code >= 0)
        *kept = ground;
    return check.code;
}

int tn_model_set_ground_looks_at(tn_model *model, const tn_shape_def *looks, size_t count, tn_span span)
{
    tn_body *ground = &model->bodies[0];
    tn_shape *copies;
    TN_TRY(tn_looks_check(model->context, span, "ground", looks, count));
    TN_TRY(tn_shapes_copy(&copies, model->context, looks, count));
    tn_shapes_free(model->context, ground->looks, ground->look_count);
    ground->looks = copies;
    ground->look_count = count;
    return TN_OK;
}

int tn_model_set_ground_looks(tn_model *model, const tn_shape_def *looks, size_t count)
{
    return tn_model_set_ground_looks_at(model, looks, count, TN_NOWHERE);
}

int tn_model_set_ground_shapes(tn_model *model, const tn_shape_def *shapes, size_t count)
{
    return tn_model_set_ground_shapes_at(model, shapes, count, TN_NOWHERE);
}

int tn_model_replace_force_at(tn_model *model, tn_id id, const tn_force_def *def, tn_span span)
{
    tn_check check;
    tn_force force;
    if (!begin_replace(&check, model, id, TN_KIND_FORCE, span))
        return check.code;
    TN_TRY(tn_check_force(&force, &check, def));
    force.entity = model->forces[id.index].entity;
    force.entity.span = span;
    force.entity.mirrored = false;
    model->forces[id.index] = force;
    if (!tn_force_is_device(&force))
        return TN_OK;
    TN_TRY(tn_model_add_nodes(model, id.index));
    tn_model_prune_nodes(model);
    return TN_OK;
}

int tn_model_replace_force(tn_model *model, tn_id id, const tn_force_def *def)
{
    return tn_model_replace_force_at(model, id, def, tn_model_entity_span(model, id));
}

int tn_model_replace_contact_at(tn_model *model, tn_id id, const tn_contact_def *def, tn_span span)
{
    tn_check check;
    tn_contact contact;
    if (!begin_replace(&check, model, id, TN_KIND_CONTACT, span))
        return check.code;
    TN_TRY(tn_check_contact(&contact, &check, def));
    contact.entity = model->contacts[id.index].entity;
    contact.entity.span = span;
    model->contacts[id.index] = contact;
    return TN_OK;
}

int tn_model_replace_contact(tn_model *model, tn_id id, const tn_contact_def *def)
{
    return tn_model_replace_contact_at(model, id, def, tn_model_entity_span(model, id));
}

/* ---- joints ---- */

/* A reference to a coordinate of the joint: a term of a coupling, or a force. */
typedef struct reference {
    const tn_entity *user;
    int *coordinate;
    tn_force *force;           /* NULL: it is a coupling */
} reference;

/* An iterator over the references to a joint: the position in couplings and forces. */
typedef struct references {
    tn_model *model;
    uint32_t joint;
    size_t coupling, term, force;
} references;

/* False: there are no more. */
static bool next_reference(reference *out, references *r)
{
    tn_model *m = r->model;
    for (; r->coupling < m->joint_count; r->coupling++, r->term = 0) {
        tn_joint *coupling = &m->joints[r->coupling];
        while (coupling->entity.alive && r->term < coupling->term_count) {
            struct tn_joint_term *term = &coupling->terms[r->term++];
            *out = (reference){ &coupling->entity, &term->coordinate, NULL };
            if (term->joint == r->joint)
                return true;
        }
    }
    while (r->force < m->force_count) {
        tn_force *force = &m->forces[r->force++];
        *out = (reference){ &force->entity, &force->coordinate, force };
        if (force->entity.alive && force->type->place == TN_PLACE_JOINT && force->joint == r->joint)
            return true;
    }
    return false;
}

static void check_references(tn_check *check, tn_model *model, uint32_t index, const tn_joint *joint)
{
    const tn_joint_form *old = tn_joint_form_of(model, model->joints[index].type);
    const tn_joint_form *form = tn_joint_form_of(model, joint->type);
    references all = { .model = model, .joint = index };
    for (reference r; next_reference(&r, &all);)
        if (tn_joint_coordinate_find(form, old->coordinates[*r.coordinate].name) < 0)
            tn_complain(check, "'%s' needs its coordinate '%s', which a joint of type '%s' has not", r.user->name,
                        old->coordinates[*r.coordinate].name, joint->type->name);
    for (size_t k = 0; k < joint->term_count; k++)
        if (joint->terms[k].joint == index)
            tn_complain(check, "it cannot couple itself");
}

/* Resolves the coordinates of couplings and forces again; forces along the joint act on its new bodies. */
static void update_references(tn_model *model, uint32_t index, const tn_joint *joint)
{
    const tn_joint_form *old = tn_joint_form_of(model, model->joints[index].type);
    const tn_joint_form *form = tn_joint_form_of(model, joint->type);
    references all = { .model = model, .joint = index };
    for (reference r; next_reference(&r, &all);) {
        *r.coordinate = tn_joint_coordinate_find(form, old->coordinates[*r.coordinate].name);
        if (r.force) {
            r.force->body1 = joint->body1;
            r.force->body2 = joint->body2;
        }
    }
}

int tn_model_replace_joint_at(tn_model *model, tn_id id, const tn_joint_def *def, tn_span span)
{
    tn_check check;
    tn_joint joint;
    tn_trigger trigger;
    if (!begin_replace(&check, model, id, TN_KIND_JOINT, span))
        return check.code;
    TN_TRY(tn_check_joint(&joint, &check, def));
    check_references(&check, model, id.index, &joint);
    TN_TRY(check.code);
    TN_TRY(tn_trigger_make(&trigger, model, def));
    TN_TRY(tn_limits_reserve(model, def));
    update_references(model, id.index, &joint);
    joint.entity = model->joints[id.index].entity;
    joint.entity.span = span;
    joint.entity.mirrored = false;
    model->joints[id.index] = joint;
    tn_trigger_put(model, id.index, &trigger);
    tn_limits_put(model, id.index, def);
    return TN_OK;
}

int tn_model_replace_joint(tn_model *model, tn_id id, const tn_joint_def *def)
{
    return tn_model_replace_joint_at(model, id, def, tn_model_entity_span(model, id));
}

int tn_model_check_rules(tn_model *model, tn_id id, const tn_joint_def *def, tn_span span)
{
    tn_check check;
    if (!begin_replace(&check, model, id, TN_KIND_JOINT, span))
        return check.code;
    tn_check_trigger(&check, model->joints[id.index].type, def);
    tn_check_limits(&check, &model->joints[id.index], def);
    return check.code;
}

int tn_model_set_rules(tn_model *model, tn_id id, const tn_joint_def *def, tn_span span)
{
    tn_trigger trigger;
    TN_TRY(tn_model_check_rules(model, id, def, span));
    TN_TRY(tn_trigger_make(&trigger, model, def));
    TN_TRY(tn_limits_reserve(model, def));
    tn_trigger_put(model, id.index, &trigger);
    tn_limits_put(model, id.index, def);
    return TN_OK;
}

int tn_model_move_joint(tn_model *model, tn_id id, const tn_end ends[2], tn_span span)
{
    tn_check check;
    if (!begin_replace(&check, model, id, TN_KIND_JOINT, span))
        return check.code;
    tn_joint joint = model->joints[id.index];
    if (ends[0].body.index == ends[1].body.index)
        tn_complain(&check, "both ends are on '%s': a joint connects two different bodies",
                    tn_model_entity_name(model, ends[0].body));
    TN_TRY(check.code);
    joint.body1 = ends[0].body.index;
    joint.body2 = ends[1].body.index;
    joint.frame1 = ends[0].pose;
    joint.frame2 = ends[1].pose;
    tn_quat_keep_unit(joint.frame1.q);
    tn_quat_keep_unit(joint.frame2.q);
    update_references(model, id.index, &joint);
    model->joints[id.index] = joint;
    return TN_OK;
}
