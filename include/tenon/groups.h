/* Groups: parts of a model that the solver "hierarchical" solves as subsystems with ports; and suggestions for
 * groups. */
#ifndef TENON_GROUPS_H
#define TENON_GROUPS_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a group of bodies and of groups that were added before. A member belongs to one group only. TN_ERROR_MODEL with
 * a diagnostic for each mistake. Names are copied. */
TN_API int tn_model_add_group(tn_model *model, const char *name, const char *const *members, size_t count);
TN_API size_t tn_model_group_count(const tn_model *model);

typedef struct tn_group_info {
    const char *name;          /* NULL: index out of range */
    int parent;                /* the group that contains it, -1: none */
    const tn_id *bodies;       /* members that are bodies; ids of removed bodies are stale */
    size_t body_count;
} tn_group_info;
TN_API tn_group_info tn_model_group(const tn_model *model, size_t index);

/* ---- suggestions ---- */

typedef struct tn_partition_part {
    const tn_id *bodies;
    size_t body_count;
    size_t joint_count;        /* joints with all bodies in this part */
    size_t port_count;         /* bodies that joints between parts touch */
    double work;               /* see below */
} tn_partition_part;

/* Work is that of one solution by the solver "hierarchical": approximate number of multiplications. */
typedef struct tn_partition {
    const tn_partition_part *parts;
    size_t part_count;
    const tn_id *cut;          /* joints between parts */
    size_t cut_count;
    double work;               /* with these parts, including the work between them */
    double work_between;
    double work_whole;         /* of the solver without groups */
} tn_partition;

/* Divides the bodies of a model into parts such that few joint equations connect different parts. even: parts of nearly
 * equal size, at the cost of more such equations. Existing groups of the model are ignored. TN_ERROR_ARGUMENT: fewer
 * bodies than parts. Owned by the caller: tn_partition_destroy. */
TN_API int tn_model_partition(tn_partition **out, const tn_model *model, size_t parts, bool even);
TN_API void tn_partition_destroy(tn_context *context, tn_partition *partition);

#ifdef __cplusplus
}
#endif
#endif
