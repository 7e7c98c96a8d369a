/* Properties of entities: those that their type declares, and those that all entities of the kind have. */
#include "attributes.h"
#include "diag.h"
#include "tables.h"

#include <math.h>
#include <string.h>

static size_t declared_count(const tn_parameter_decl *declared, size_t most)
{
    size_t count = 0;
    while (count < most && declared[count].name)
        count++;
    return count;
}

/* ---- what joints have beside their equations ---- */

static size_t rule_count(const tn_model *model, const tn_joint *joint)
{
    if (joint->type->joints != 0)
        return 0;
    size_t coordinates = (size_t)tn_joint_coordinate_count(tn_joint_form_of(model, joint->type));
    return tn_attribute_count(tn_fuse_attributes) + tn_attribute_count(tn_latch_attributes) +
           (coordinates > 0 ? 2 * coordinates + 1 + tn_attribute_count(tn_ratchet_attributes) : 0);
}

static tn_property said(const char *name, const char *unit, double value, const char *word, const char *doc)
{
    tn_property p = { .value = value, .expression = word, .initial = NAN, .doc = doc };
    snprintf(p.name, sizeof p.name, "%s", name);
    snprintf(p.unit, sizeof p.unit, "%s", unit);
    return p;
}

/* An attribute of a joint's rule; given: the joint has the rule. coordinate: the one the rule is about. */
static tn_property attribute_property(const char *rule, const tn_attribute *row, const void *definition, bool given,
                                      const tn_coordinate_decl *coordinate)
{
    const char *unit = strcmp(row->unit, "m|rad") == 0 ? coordinate->unit : row->unit;
    tn_property p = said("", unit, given ? tn_attribute_value(row, definition) : NAN,
                         given ? tn_attribute_word(row, definition) : NULL, row->doc);
    snprintf(p.name, sizeof p.name, "%s.%s", rule, row->name);
    return p;
}

/* The limit of a coordinate; infinite when there is none. */
static tn_limit limit_of(const tn_model *model, tn_id joint, const char *coordinate)
{
    for (size_t k = 0; k < tn_model_limit_count(model, joint); k++)
        if (strcmp(tn_model_limit_at(model, joint, k).coordinate, coordinate) == 0)
            return tn_model_limit_at(model, joint, k);
    return (tn_limit){ coordinate, -INFINITY, INFINITY, 0 };
}

static tn_property limit_property(const tn_model *model, tn_id joint, const tn_joint_form *form, size_t field)
{
    const char *coordinate = form->coordinates[field / 2].name;
    tn_limit limit = limit_of(model, joint, coordinate);
    double end = field % 2 == 0 ? limit.low : limit.high;
    tn_property p = said("", form->coordinates[field / 2].unit, isinf(end) ? NAN : end, NULL,
                         field % 2 == 0 ? "lower stop, or none" : "upper stop, or none");
    snprintf(p.name, sizeof p.name, "limits.%.40s.%s", coordinate, field % 2 == 0 ? "low" : "high");
    return p;
}

static tn_property restitution_property(const tn_model *model, tn_id joint)
{
    bool limited = tn_model_limit_count(model, joint) > 0;
    return said("limits.restitution", "", limited ? tn_model_limit_at(model, joint, 0).restitution : NAN, NULL,
                "speed after over speed before, 0 to 1");
}

/* Fuse, latch, both ends of the limits of each coordinate, restitution of the limits, ratchet. */
static tn_property rule_property(const tn_model *model, tn_id joint, size_t index)
{
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[joint.index].type);
    size_t fuses = tn_attribute_count(tn_fuse_attributes), latches = tn_attribute_count(tn_latch_attributes);
    size_t limits = 2 * (size_t)tn_joint_coordinate_count(form);
    tn_fuse fuse = tn_model_fuse(model, joint);
    tn_latch latch = tn_model_latch(model, joint);
    tn_ratchet ratchet = tn_model_ratchet(model, joint);
    if (index < fuses)
        return attribute_property("fuse", &tn_fuse_attributes[index], &fuse, true, NULL);
    index -= fuses;
    if (index < latches)
        return attribute_property("latch", &tn_latch_attributes[index], &latch, latch.when.text, NULL);
    index -= latches;
    if (index < limits)
        return limit_property(model, joint, form, index);
    if (index == limits)
        return restitution_property(model, joint);
    return attribute_property("ratchet", &tn_ratchet_attributes[index - limits - 1], &ratchet, ratchet.way != 0,
                              &form->coordinates[tn_joint_coordinate_find(form, ratchet.coordinate)]);
}

/* ---- all of them ---- */

size_t tn_model_property_count(const tn_model *model, tn_id id)
{
    if (!tn_model_entity(model, id))
        return 0;
    switch (id.kind) {
    case TN_KIND_BODY:
        return id.index == 0 ? 0 : model->dimension == 2 && model->bodies[id.index].kind == TN_BODY_RIGID ? 2 : 1;
    case TN_KIND_JOINT: {
        const tn_joint *joint = &model->joints[id.index];
        return declared_count(joint->type->parameters, TN_JOINT_PARAMETERS) + (tn_joint_motion(joint) != NULL) +
               rule_count(model, joint);
    }
    case TN_KIND_FORCE:
        return tn_force_parameter_count(model->forces[id.index].type);
    case TN_KIND_CONTACT:
        return tn_attribute_count(tn_contact_attributes);
    default:
        return 0;
    }
}

static tn_property by_declaration(const tn_parameter_decl *declared, bool angle)
{
    char buffer[sizeof((tn_property *)0)->unit];
    const char *unit = tn_unit_for(declared->unit, angle, buffer, sizeof buffer);
    tn_property p = said(declared->name, unit ? unit : "", NAN, NULL, declared->doc ? declared->doc : "");
    p.initial = declared->initial;
    p.as_built = declared->as_built;
    return p;
}

static tn_property joint_property(const tn_model *model, tn_id id, size_t index)
{
    const tn_joint *joint = &model->joints[id.index];
    size_t declared = declared_count(joint->type->parameters, TN_JOINT_PARAMETERS);
    if (index >= declared && !tn_joint_motion(joint))
        return rule_property(model, id, index - declared);
    if (index >= declared)
        return said("motion", "", NAN, tn_joint_motion(joint)->text, "what the coordinate does, over time");
    tn_property p = by_declaration(&joint->type->parameters[index], false);
    p.value = joint->parameters[index];
    return p;
}

static tn_property force_property(const tn_model *model, const tn_force *force, size_t index)
{
    tn_property p = by_declaration(&force->type->parameters[index], tn_force_along_angle(model, force));
    p.value = force->parameters[index];
    p.fixed = tn_force_parameter_listed(force->type, index);
    if (force->expressions && force->expressions[index])
        p.expression = force->expressions[index]->text;
    return p;
}

static tn_property contact_property(const tn_contact *contact, size_t index)
{
    const tn_attribute *row = &tn_contact_attributes[index];
    tn_property p = said(row->name, row->unit, tn_attribute_value(row, &contact->law), NULL, row->doc);
    p.initial = row->initial;
    return p;
}

static tn_property body_property(const tn_body *body, size_t index)
{
    tn_property p = index == 0 ? said("mass", "kg", body->mass, NULL, "given, or from shapes")
                               : said("inertia", "kg m^2", body->inertia[2], NULL, "about the centre of mass");
    p.fixed = tn_body_weighed(body);
    return p;
}

int tn_model_property(tn_property *out, const tn_model *model, tn_id id, size_t index)
{
    if (index >= tn_model_property_count(model, id))
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no property %zu", index);
    if (id.kind == TN_KIND_JOINT)
        *out = joint_property(model, id, index);
    else if (id.kind == TN_KIND_FORCE)
        *out = force_property(model, &model->forces[id.index], index);
    else if (id.kind == TN_KIND_CONTACT)
        *out = contact_property(&model->contacts[id.index], index);
    else
        *out = body_property(&model->bodies[id.index], index);
    return TN_OK;
}

size_t tn_model_coupled(tn_coupling_term *terms, const tn_model *model, tn_id id)
{
    if (id.kind != TN_KIND_JOINT || !tn_model_entity(model, id))
        return 0;
    const tn_joint *joint = &model->joints[id.index];
    size_t count = joint->term_count < TN_MAX_COUPLED ? joint->term_count : TN_MAX_COUPLED;
    for (size_t i = 0; i < count; i++) {
        const struct tn_joint_term *term = &joint->terms[i];
        const tn_joint_form *form = tn_joint_form_of(model, model->joints[term->joint].type);
        terms[i] = (tn_coupling_term){ tn_table_id(model, TN_KIND_JOINT, term->joint),
                                       form->coordinates[term->coordinate].name, term->factor };
    }
    return count;
}

size_t tn_model_event_count(const tn_model *model)
{
    return model->event_count;
}

tn_event_info tn_model_event_at(const tn_model *model, size_t index)
{
    if (index >= model->event_count)
        return (tn_event_info){ 0 };
    const tn_event *event = &model->events[index];
    return (tn_event_info){ event->name, event->def.when.text, event->span, &event->def };
}
