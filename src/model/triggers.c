/* Fuses and latches of joints. Few joints have any, so they are kept beside them. */
#include <math.h>
#include <string.h>
#include "attributes.h"
#include "tables.h"

static bool has_trigger(const tn_joint_def *def)
{
    return !isnan(def->fuse.force) || !isnan(def->fuse.torque) || def->latch.when.text;
}

void tn_check_trigger(tn_check *check, const tn_joint_type *type, const tn_joint_def *def)
{
    if (has_trigger(def) && type->joints != 0)
        tn_complain(check, "a coupling takes no fuse or latch: its joints do");
    tn_attributes_check(check, "fuse: ", tn_fuse_attributes, &def->fuse);
    if (def->latch.when.text && !def->latch.when.text[0])
        tn_complain(check, "latch: 'when' is empty");
}

static size_t find_triggers(const tn_model *model, uint32_t joint)
{
    size_t k = 0;
    while (k < model->trigger_count && model->triggers[k].joint != joint)
        k++;
    return k;
}

tn_trigger *tn_model_trigger(const tn_model *model, uint32_t joint)
{
    size_t k = find_triggers(model, joint);
    return k < model->trigger_count ? &model->triggers[k] : NULL;
}

int tn_trigger_reserve(tn_model *model)
{
    return tn_grow(model->context, &model->triggers, &model->trigger_capacity, model->trigger_count + 1,
                   sizeof *model->triggers);
}

int tn_trigger_make(tn_trigger *out, tn_model *model, const tn_joint_def *def)
{
    *out = (tn_trigger){ .fuse = def->fuse, .latch = def->latch };
    TN_TRY(tn_trigger_reserve(model));
    if (!def->latch.when.text)
        return TN_OK;
    const tn_expression *own = tn_expression_copy(model->arena, &def->latch.when);
    if (!own)
        return TN_ERROR_MEMORY;
    out->latch.when = *own;
    return TN_OK;
}

bool tn_trigger_empty(const tn_trigger *trigger)
{
    return isnan(trigger->fuse.force) && isnan(trigger->fuse.torque) && !trigger->latch.when.text;
}

void tn_trigger_put(tn_model *model, uint32_t joint, const tn_trigger *trigger)
{
    tn_trigger_drop(model, joint);
    if (tn_trigger_empty(trigger))
        return;
    model->triggers[model->trigger_count] = *trigger;
    model->triggers[model->trigger_count++].joint = joint;
}

void tn_trigger_drop(tn_model *model, uint32_t joint)
{
    size_t k = find_triggers(model, joint);
    if (k == model->trigger_count)
        return;
    model->trigger_count--;
    memmove(model->triggers + k, model->triggers + k + 1, (model->trigger_count - k) * sizeof *model->triggers);
}

tn_fuse tn_model_fuse(const tn_model *model, tn_id joint)
{
    const tn_trigger *trigger = tn_model_entity(model, joint) && joint.kind == TN_KIND_JOINT
                                    ? tn_model_trigger(model, joint.index) : NULL;
    return trigger ? trigger->fuse : (tn_fuse){ NAN, NAN };
}

tn_latch tn_model_latch(const tn_model *model, tn_id joint)
{
    const tn_trigger *trigger = tn_model_entity(model, joint) && joint.kind == TN_KIND_JOINT
                                    ? tn_model_trigger(model, joint.index) : NULL;
    return trigger ? trigger->latch : (tn_latch){ 0 };
}
