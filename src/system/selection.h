/* The selection of a model's bodies, joints and forces that a system contains. */
#ifndef TN_SYSTEM_SELECTION_H
#define TN_SYSTEM_SELECTION_H

#include "entities.h"

/* By slot of the model. */
typedef struct tn_selection {
    const bool *bodies, *joints, *forces;
} tn_selection;

static inline bool tn_takes_body(const tn_model *model, const tn_selection *selection, uint32_t body)
{
    return tn_body_active(model, body) && (!selection || selection->bodies[body]);
}

static inline bool tn_takes_joint(const tn_model *model, const tn_selection *selection, uint32_t joint)
{
    return tn_joint_active(model, joint) && (!selection || selection->joints[joint]);
}

static inline bool tn_takes_force(const tn_model *model, const tn_selection *selection, uint32_t force)
{
    return tn_force_active(model, force) && (!selection || selection->forces[force]);
}

#endif
