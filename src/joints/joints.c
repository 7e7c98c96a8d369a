/* The table of all joint types, made from list.h. */
#include "tenon/sys/joint.h"

#define TN_JOINT(name) extern const tn_joint_type tn_joint_##name;
#include "list.h"
#undef TN_JOINT

#define TN_JOINT(name) &tn_joint_##name,
const tn_joint_type *const tn_joint_types[] = {
#include "list.h"
    NULL
};
