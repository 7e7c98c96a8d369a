/* Groups: parts of a model that are solved as subsystems, each showing only its ports to the rest (solver
 * "hierarchical"); and suggestions for them. */
#ifndef TENON_GROUPS_H
#define TENON_GROUPS_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a group of bodies and of groups that were added before. A member belongs to one group only. All that is wrong is
 * reported: TN_ERROR_MODEL. Names are copied. */
int tn_model_add_group(tn_model *model, const char *name, const char *const *members, size_t count);
size_t tn_model_group_count(const tn_model *model);

typedef struct tn_group_info {
    const char *name;          /* NULL: there is none of that index */
    int parent;                /* the group that contains it, -1: none */
    const tn_id *bodies;       /* members that are bodies; ids of those removed since are stale */
    size_t body_count;
} tn_group_info;
tn_group_info tn_model_group(const tn_model *model, size_t index);

#ifdef __cplusplus
}
#endif
#endif
