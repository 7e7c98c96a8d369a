/* Limits of joint coordinates, and ratchets. Few joints have any: they are kept beside the joints, in the order they
 * were given. */
#include "joint_limits.h"

#include "attributes.h"
#include "diag.h"
#include "particles.h"

#include <math.h>

static void check_limit(tn_check *check, const tn_limit *limit, const char *name)
{
    if (isnan(limit->low) || isnan(limit->high) || !(limit->low < limit->high))
        tn_complain(check, "limits of '%s': the lower one, %g, must be below the upper one, %g", name, limit->low,
                    limit->high);
    if (!(limit->restitution >= 0) || limit->restitution > 1)
        tn_complain(check, "limits of '%s': restitution %g must be between 0 and 1", name, limit->restitution);
}

static void check_ratchet(tn_check *check, const tn_joint *joint, const tn_ratchet *ratchet)
{
    if (ratchet->way == 0)
        return;
    if (joint->type->joints != 0)
        tn_complain(check, "a coupling takes no ratchet: its joints do");
    else
        tn_check_particle_coordinate(check, joint, tn_check_coordinate(check, joint->type, ratchet->coordinate));
    if (ratchet->way != 1 && ratchet->way != -1)
        tn_complain(check, "ratchet: way %d must be 1 (up) or -1 (down)", ratchet->way);
    tn_attributes_check(check, "ratchet: ", tn_ratchet_attributes, ratchet);
}

void tn_check_limits(tn_check *check, const tn_joint *joint, const tn_joint_def *def)
{
    bool given[TN_MAX_COORDINATES] = { false };
    check_ratchet(check, joint, &def->ratchet);
    if (def->limit_count > TN_MAX_COORDINATES) {
        tn_complain(check, "more than %d limits", (int)TN_MAX_COORDINATES);
        return;
    }
    for (size_t i = 0; i < def->limit_count; i++) {
        int k = joint->type->joints == 0 ? tn_check_coordinate(check, joint->type, def->limits[i].coordinate) : -1;
        if (joint->type->joints != 0)
            tn_complain(check, "type '%s' has no coordinates to limit", joint->type->name);
        if (k < 0)
            continue;
        tn_check_particle_coordinate(check, joint, k);
        const char *name = tn_joint_form_of(check->model, joint->type)->coordinates[k].name;
        if (given[k])
            tn_complain(check, "limits of '%s' are given twice", name);
        given[k] = true;
        check_limit(check, &def->limits[i], name);
    }
}

int tn_limits_reserve(tn_model *model, const tn_joint_def *def)
{
    return tn_grow(model->context, &model->limits, &model->limit_capacity, model->limit_count + def->limit_count + 1,
                   sizeof *model->limits);
}

void tn_limits_drop(tn_model *model, uint32_t joint)
{
    size_t kept = 0;
    for (size_t k = 0; k < model->limit_count; k++)
        if (model->limits[k].joint != joint)
            model->limits[kept++] = model->limits[k];
    model->limit_count = kept;
}

void tn_limits_put(tn_model *model, uint32_t joint, const tn_joint_def *def)
{
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[joint].type);
    tn_limits_drop(model, joint);
    for (size_t k = 0; k < def->limit_count; k++) {
        const tn_limit *limit = &def->limits[k];
        model->limits[model->limit_count++] = (tn_model_limit){
            .joint = joint, .coordinate = tn_joint_coordinate_find(form, limit->coordinate), .low = limit->low,
            .high = limit->high, .restitution = limit->restitution };
    }
    const tn_ratchet *ratchet = &def->ratchet;
    if (ratchet->way != 0)
        model->limits[model->limit_count++] = (tn_model_limit){
            .joint = joint, .coordinate = tn_joint_coordinate_find(form, ratchet->coordinate), .low = -INFINITY,
            .high = INFINITY, .restitution = ratchet->restitution, .way = ratchet->way, .pitch = ratchet->pitch };
}

static const tn_model_limit *next_of(const tn_model *model, uint32_t joint, size_t *at)
{
    while (*at < model->limit_count) {
        const tn_model_limit *limit = &model->limits[(*at)++];
        if (limit->joint == joint)
            return limit;
    }
    return NULL;
}

static bool is_joint(const tn_model *model, tn_id id)
{
    return tn_model_entity(model, id) && id.kind == TN_KIND_JOINT;
}

size_t tn_model_limit_count(const tn_model *model, tn_id joint)
{
    size_t count = 0, at = 0;
    const tn_model_limit *limit;
    while (is_joint(model, joint) && (limit = next_of(model, joint.index, &at)))
        count += limit->way == 0;
    return count;
}

tn_limit tn_model_limit_at(const tn_model *model, tn_id joint, size_t index)
{
    const tn_model_limit *limit = NULL;
    size_t at = 0;
    if (index >= tn_model_limit_count(model, joint))
        return (tn_limit){ .low = -INFINITY, .high = INFINITY };
    for (size_t k = 0; k <= index; k++)
        do
            limit = next_of(model, joint.index, &at);
        while (limit->way != 0);
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[joint.index].type);
    return (tn_limit){ form->coordinates[limit->coordinate].name, limit->low, limit->high, limit->restitution };
}

tn_ratchet tn_model_ratchet(const tn_model *model, tn_id joint)
{
    const tn_model_limit *limit;
    size_t at = 0;
    while (is_joint(model, joint) && (limit = next_of(model, joint.index, &at)))
        if (limit->way != 0) {
            const tn_joint_form *form = tn_joint_form_of(model, model->joints[joint.index].type);
            return (tn_ratchet){ form->coordinates[limit->coordinate].name, limit->way, limit->pitch,
                                 limit->restitution };
        }
    return (tn_ratchet){ 0 };
}

bool tn_limits_same(const tn_model *m, uint32_t i, const tn_model *n, uint32_t j)
{
    size_t at = 0, bt = 0;
    for (;;) {
        const tn_model_limit *a = next_of(m, i, &at), *b = next_of(n, j, &bt);
        if (!a || !b)
            return a == b;
        if (a->coordinate != b->coordinate || a->low != b->low || a->high != b->high ||
            a->restitution != b->restitution || a->way != b->way || a->pitch != b->pitch)
            return false;
    }
}
