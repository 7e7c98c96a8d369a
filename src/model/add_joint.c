/* Adding joints to a model: default definition, frames as built, checks, insertion. */
#include "check.h"
#include "diag.h"
#include "joint_limits.h"
#include "particles.h"
#include "tables.h"
#include "type_hint.h"
#include "vec.h"

tn_joint_def tn_joint_default(const char *type)
{
    return (tn_joint_def){ .type = type, .frame1 = tn_pose_identity(), .frame2 = tn_pose_identity(),
                           .fuse = { NAN, NAN } };
}

int tn_joint_as_built(tn_joint_def *def, const tn_model *model, const tn_pose *world)
{
    tn_check check = { model, model->context, TN_NOWHERE, "joint type", def->type, TN_OK };
    tn_pose pose = *world;
    tn_check_pose(&check, "the joint", &pose, model->dimension);
    tn_check_id(&check, "body1", def->body1, TN_KIND_BODY);
    tn_check_id(&check, "body2", def->body2, TN_KIND_BODY);
    TN_TRY(check.code);
    def->frame1 = tn_pose_relative(&model->bodies[def->body1.index].pose, &pose);
    def->frame2 = tn_pose_relative(&model->bodies[def->body2.index].pose, &pose);
    return TN_OK;
}

/* The joint type, if it exists and is available in this model. */
static const tn_joint_type *check_type(tn_check *check, const char *name)
{
    if (!name || !*name) {
        tn_complain(check, "type is missing");
        return NULL;
    }
    const tn_joint_type *type = tn_model_joint_type(check->model, name);
    char hint[120];
    if (!type) {
        tn_complain(check, "there is no joint type '%.80s'%s", name,
                    tn_joint_type_hint(hint, sizeof hint, check->model, name));
        return NULL;
    }
    if (tn_joint_type_exists(check->model, type))
        return type;
    tn_complain(check, "joint type '%s' exists only in %s%s", type->name,
                check->model->dimension == 2 ? "space (dimension: 3)" : "the plane (dimension: 2)",
                tn_joint_type_counterpart(hint, sizeof hint, check->model, type));
    return NULL;
}

static void take_ends(tn_check *check, const tn_joint_def *def, tn_joint *joint)
{
    bool good = tn_check_id(check, "body1", def->body1, TN_KIND_BODY);
    good = tn_check_id(check, "body2", def->body2, TN_KIND_BODY) && good;
    if (good && def->body1.index == def->body2.index)
        tn_complain(check, "both ends are on '%s': a joint connects two different bodies",
                    tn_model_entity_name(check->model, def->body1));
    joint->body1 = def->body1.index;
    joint->body2 = def->body2.index;
    tn_check_pose(check, "frame1", &joint->frame1, check->model->dimension);
    tn_check_pose(check, "frame2", &joint->frame2, check->model->dimension);
}

static const char *coordinate_candidate(void *user, size_t index)
{
    const tn_joint_form *form = user;
    return index < (size_t)tn_joint_coordinate_count(form) ? form->coordinates[index].name : NULL;
}

int tn_check_coordinate(tn_check *check, const tn_joint_type *type, const char *name)
{
    const tn_joint_form *form = tn_joint_form_of(check->model, type);
    int index = tn_joint_coordinate_find(form, name);
    char hint[120];
    if (index < 0 && tn_joint_coordinate_count(form) == 0)
        tn_complain(check, "a joint of type '%s' has no coordinates", type->name);
    else if (index < 0)
        tn_complain(check, "a joint of type '%s' has no coordinate '%.80s'%s", type->name, name,
                    tn_did_you_mean(hint, sizeof hint, name, coordinate_candidate, (void *)form));
    return index;
}

static void take_term(tn_check *check, const tn_coupling_term *term, tn_joint *joint)
{
    if (!tn_check_id(check, "a coupled joint", term->joint, TN_KIND_JOINT))
        return;
    const tn_joint *coupled = &check->model->joints[term->joint.index];
    if (coupled->type->joints != 0) {
        tn_complain(check, "'%s' is a coupling itself: couple joints that connect bodies", coupled->entity.name);
        return;
    }
    bool has_factor = joint->type->joints < 0;
    if (has_factor && tn_check_finite(check, "factor of a coupled joint", &term->factor, 1) && term->factor == 0)
        tn_complain(check, "the factor of '%s' must not be zero: leave the term out", coupled->entity.name);
    size_t k = joint->term_count++;
    joint->terms[k].joint = term->joint.index;
    joint->terms[k].coordinate = tn_check_coordinate(check, coupled->type, term->coordinate);
    joint->terms[k].factor = has_factor ? term->factor : 0;
    tn_check_particle_coordinate(check, coupled, joint->terms[k].coordinate);
    for (size_t i = 0; i < k; i++)
        if (joint->terms[i].joint == joint->terms[k].joint && joint->terms[i].coordinate == joint->terms[k].coordinate)
            tn_complain(check, "a coordinate of '%s' is coupled with itself", coupled->entity.name);
}

static void take_terms(tn_check *check, const tn_joint_def *def, tn_joint *joint)
{
    const tn_joint_type *type = joint->type;
    if (type->joints > 0 && def->term_count != (size_t)type->joints) {
        tn_complain(check, "type '%s' couples %d joints, %zu are given", type->name, type->joints, def->term_count);
    } else if (def->term_count == 0 || def->term_count > TN_MAX_COUPLED) {
        tn_complain(check, "type '%s' couples 1 to %d joints, %zu are given", type->name, (int)TN_MAX_COUPLED,
                    def->term_count);
    } else if (!(joint->terms = tn_arena_alloc(check->model->arena, def->term_count, sizeof *joint->terms))) {
        tn_check_note(check, TN_ERROR_MEMORY);
    } else {
        for (size_t i = 0; i < def->term_count; i++)
            take_term(check, &def->terms[i], joint);
    }
}

static bool is_infinite(double x)
{
    return !isfinite(x) && !isnan(x);
}

static void take_start(tn_check *check, const tn_joint_def *def, tn_joint *joint)
{
    bool given[TN_MAX_COORDINATES] = { false };
    if (def->start_count > TN_MAX_COORDINATES) {
        tn_complain(check, "more than %d start values", (int)TN_MAX_COORDINATES);
        return;
    }
    for (size_t i = 0; i < def->start_count; i++) {
        const tn_joint_start *start = &def->start[i];
        int k = tn_check_coordinate(check, joint->type, start->coordinate);
        if (k < 0)
            continue;
        const char *name = tn_joint_form_of(check->model, joint->type)->coordinates[k].name;
        if (given[k])
            tn_complain(check, "the start of coordinate '%s' is given twice", name);
        if (is_infinite(start->value) || is_infinite(start->rate))
            tn_complain(check, "the start of coordinate '%s' must be finite", name);
        given[k] = true;
        joint->start[k] = start->value;
        joint->start_rate[k] = start->rate;
    }
}

static void take_motion(tn_check *check, const tn_joint_def *def, tn_joint *joint)
{
    if (joint->type->drives && !def->motion.text)
        tn_complain(check, "type '%s' needs a motion: an expression of t", joint->type->name);
    else if (!joint->type->drives && def->motion.text)
        tn_complain(check, "type '%s' drives nothing: it takes no motion", joint->type->name);
    else if (def->motion.text && joint->term_count > 0 &&
             !(joint->terms[0].motion = tn_expression_copy(check->model->arena, &def->motion)))
        tn_check_note(check, TN_ERROR_MEMORY);
}

static void check_signs(tn_check *check, const tn_joint *joint)
{
    const tn_joint_type *type = joint->type;
    for (size_t k = 0; k < TN_JOINT_PARAMETERS && type->parameters[k].name; k++) {
        const char *name = type->parameters[k].name;
        if (type->positive && strcmp(name, type->positive) == 0 && joint->parameters[k] <= 0)
            tn_complain(check, "parameter '%s' must be positive, is %g", name, joint->parameters[k]);
        if (type->nonzero && strcmp(name, type->nonzero) == 0 && joint->parameters[k] == 0)
            tn_complain(check, "parameter '%s' must not be zero", name);
    }
}

static bool has_lists(tn_check *check, const tn_joint_def *def)
{
    bool settings = tn_check_list(check, "settings", def->settings, def->setting_count);
    bool terms = tn_check_list(check, "terms", def->terms, def->term_count);
    bool start = tn_check_list(check, "start", def->start, def->start_count);
    return tn_check_list(check, "limits", def->limits, def->limit_count) && settings && terms && start;
}

int tn_check_joint(tn_joint *joint, tn_check *check, const tn_joint_def *def)
{
    *joint = (tn_joint){ .frame1 = def->frame1, .frame2 = def->frame2 };
    for (size_t k = 0; k < TN_MAX_COORDINATES; k++)
        joint->start[k] = joint->start_rate[k] = NAN;
    joint->type = check_type(check, def->type);
    if (!joint->type || joint->type->joints == 0)
        take_ends(check, def, joint);
    if (!joint->type || !has_lists(check, def))
        return check->code;
    if (joint->type->joints != 0)
        take_terms(check, def, joint);
    else if (def->term_count > 0)
        tn_complain(check, "type '%s' connects two bodies: it does not couple joints", joint->type->name);
    char type[140];
    snprintf(type, sizeof type, "joint type '%.100s'", joint->type->name);
    tn_check_settings(check, type, joint->type->parameters, TN_JOINT_PARAMETERS, def->settings, def->setting_count,
                      joint->parameters, NULL, 0, NULL);
    check_signs(check, joint);
    if (joint->type->joints == 0 && check->code == TN_OK)
        tn_check_particle_joint(check, joint);
    take_start(check, def, joint);
    take_motion(check, def, joint);
    tn_check_trigger(check, joint->type, def);
    tn_check_limits(check, joint, def);
    return check->code;
}

int tn_model_add_joint_at(tn_id *out, tn_model *model, const char *name, const tn_joint_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "joint", name, TN_OK };
    tn_joint joint;
    tn_trigger trigger;
    tn_id id;
    tn_check_name(&check);
    TN_TRY(tn_check_joint(&joint, &check, def));
    TN_TRY(tn_trigger_make(&trigger, model, def));
    TN_TRY(tn_limits_reserve(model, def));
    TN_TRY(tn_table_add(&id, model, TN_KIND_JOINT, NULL, name, span));
    joint.entity = model->joints[id.index].entity;
    model->joints[id.index] = joint;
    tn_trigger_put(model, id.index, &trigger);
    tn_limits_put(model, id.index, def);
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_add_joint(tn_id *out, tn_model *model, const char *name, const tn_joint_def *def)
{
    return tn_model_add_joint_at(out, model, name, def, TN_NOWHERE);
}
