/* Division of systems into groups of bodies, and the work of the hierarchical solver with these groups. */
#ifndef TENON_SYS_PARTITION_H
#define TENON_SYS_PARTITION_H

#include "saddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Divides bodies into parts with nearly equal numbers of columns such that few rows connect different parts.
 * unevenness: columns of the largest part over the mean, minus one; it is a target, not a guarantee. part: an entry for
 * each body, 0 ... count - 1; count is at most parts. The same structure gives the same parts. Resets rand() of the C
 * library. */
TN_API int tn_structure_divide(int *part, int *count, tn_context *context, const tn_structure *structure, int parts,
                               double unevenness);

/* Work of a factorization by the hierarchical solver: approximate number of multiplications. */
typedef struct tn_group_work {
    double work;                 /* within the group, its subgroups included */
    int ports;                   /* bodies that constraints outside the group touch */
} tn_group_work;
/* of_group: an entry for each group of the structure. */
TN_API int tn_structure_work(double *total, tn_group_work *of_group, tn_context *context,
                             const tn_structure *structure);

/* How the hierarchical solver shares its work among the members of a team. */
typedef struct tn_shares {
    int *body_rank;              /* array of the caller: an entry for each body */
    double *work;                /* array of the caller: an entry for each member */
    double elapsed;              /* work until all members have finished, including time spent waiting */
    double total;
    int links;                   /* nodes of the tree whose parent belongs to another member */
} tn_shares;
/* TN_ERROR_ARGUMENT: the structure names ranks that are not below size. */
TN_API int tn_structure_share(tn_shares *shares, tn_context *context, const tn_structure *structure, int size);

#ifdef __cplusplus
}
#endif
#endif
