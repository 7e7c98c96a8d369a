/* What can be said about an entity, by the declarations of its type. */
#include "diag.h"
#include "tables.h"

#include <math.h>

static size_t declared_count(const tn_parameter_decl *declared, size_t most)
{
    size_t count = 0;
    while (count < most && declared[count].name)
        count++;
    return count;
}

size_t tn_model_property_count(const tn_model *model, tn_id id)
{
    if (!tn_model_entity(model, id))
        return 0;
    switch (id.kind) {
    case TN_KIND_BODY:
        return id.index != 0;
    case TN_KIND_JOINT: {
        const tn_joint *joint = &model->joints[id.index];
        return declared_count(joint->type->parameters, TN_JOINT_PARAMETERS) + (tn_joint_motion(joint) != NULL);
    }
    case TN_KIND_FORCE:
        return tn_force_parameter_count(model->forces[id.index].type);
    default:
        return 0;
    }
}

static tn_property by_declaration(const tn_parameter_decl *declared, bool angle)
{
    tn_property p = { .name = declared->name, .value = NAN, .initial = declared->initial,
                      .as_built = declared->as_built, .doc = declared->doc ? declared->doc : "" };
    char buffer[sizeof p.unit];
    const char *unit = tn_unit_for(declared->unit, angle, buffer, sizeof buffer);
    snprintf(p.unit, sizeof p.unit, "%s", unit ? unit : "");
    return p;
}

static tn_property joint_property(const tn_joint *joint, size_t index)
{
    if (index == declared_count(joint->type->parameters, TN_JOINT_PARAMETERS))
        return (tn_property){ .name = "motion", .value = NAN, .expression = tn_joint_motion(joint)->text,
                              .initial = NAN, .doc = "what the coordinate does, over time" };
    tn_property p = by_declaration(&joint->type->parameters[index], false);
    p.value = joint->parameters[index];
    return p;
}

static tn_property force_property(const tn_model *model, const tn_force *force, size_t index)
{
    tn_property p = by_declaration(&force->type->parameters[index], tn_force_along_angle(model, force));
    p.value = force->parameters[index];
    if (force->expressions && force->expressions[index])
        p.expression = force->expressions[index]->text;
    return p;
}

int tn_model_property(tn_property *out, const tn_model *model, tn_id id, size_t index)
{
    if (index >= tn_model_property_count(model, id))
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no property %zu", index);
    if (id.kind == TN_KIND_JOINT)
        *out = joint_property(&model->joints[id.index], index);
    else if (id.kind == TN_KIND_FORCE)
        *out = force_property(model, &model->forces[id.index], index);
    else
        *out = (tn_property){ .name = "mass", .unit = "kg", .value = model->bodies[id.index].mass, .initial = NAN,
                              .doc = "given, or from shapes" };
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
