/* For those who divide systems: groups of bodies, and what the hierarchical solver has to do with them. */
#ifndef TENON_SYS_PARTITION_H
#define TENON_SYS_PARTITION_H

#include "saddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Divides bodies into parts of about equal numbers of columns such that few rows lie between them. unevenness: columns
 * of the largest part over the mean, less one; it is aimed at, not kept. part has an entry for each body, 0 ... count
 * - 1; count is at most the number asked for. Same structure, same parts. Resets rand() of the C library. */
TN_API int tn_structure_divide(int *part, int *count, tn_context *context, const tn_structure *structure, int parts,
                               double unevenness);

/* Work of a factorization by the hierarchical solver, about its multiplications. */
typedef struct tn_group_work {
    double work;                 /* within the group, its subgroups included */
    int ports;                   /* bodies that constraints outside touch */
} tn_group_work;
/* of_group: an entry for each group of the structure. */
TN_API int tn_structure_work(double *total, tn_group_work *of_group, tn_context *context,
                             const tn_structure *structure);

/* How the hierarchical solver shares its work among the members of a team. */
typedef struct tn_shares {
    int *body_rank;              /* given: an entry for each body */
    double *work;                /* given: an entry for each member */
    double elapsed;              /* work until all are done, waiting for each other included */
    double total;
    int links;                   /* nodes of the tree whose parent is elsewhere */
} tn_shares;
/* TN_ERROR_ARGUMENT: the structure asks for ranks beyond the size. */
TN_API int tn_structure_share(tn_shares *shares, tn_context *context, const tn_structure *structure, int size);

#ifdef __cplusplus
}
#endif
#endif
