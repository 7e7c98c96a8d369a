/* Suggests a type for a name that no type has. */
#ifndef TN_MODEL_TYPE_HINT_H
#define TN_MODEL_TYPE_HINT_H

#include "entities.h"

/* The end of a message, "; did you mean 'revolute'?", or "". Names that are nearly right count, and words that stand in the name of a
 * type or at the head of its description: 'hinge', 'ball-joint', 'spring-damper'. */
const char *tn_joint_type_hint(char *buffer, size_t size, const tn_model *model, const char *name);
const char *tn_force_type_hint(char *buffer, size_t size, const tn_model *model, const char *name);

/* The same for a type that does not exist in the model's dimension: the type that is described in the same words and does. */
const char *tn_joint_type_counterpart(char *buffer, size_t size, const tn_model *model, const tn_joint_type *type);

#endif
