/* Limits of joint coordinates, for code that adds, replaces and removes joints. */
#ifndef TN_MODEL_LIMITS_H
#define TN_MODEL_LIMITS_H

#include "check.h"

void tn_check_limits(tn_check *check, const tn_joint *joint, const tn_joint_def *def);
/* Reserves room for the limits of a definition, so that storing them cannot fail. */
int tn_limits_reserve(tn_model *model, const tn_joint_def *def);
/* Replaces the limits of the joint by those of the definition. */
void tn_limits_put(tn_model *model, uint32_t joint, const tn_joint_def *def);
void tn_limits_drop(tn_model *model, uint32_t joint);
bool tn_limits_same(const tn_model *m, uint32_t i, const tn_model *n, uint32_t j);

#endif
