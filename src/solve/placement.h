/* Placement: assigns the nodes of a tree of subsystems to the members of a team of processes. */
#ifndef TN_SOLVE_PLACEMENT_H
#define TN_SOLVE_PLACEMENT_H

#include "cluster.h"

typedef struct tn_node_placement {
    int *node_rank;                /* of each node: the member that has it */
    int *body_rank;                /* of each body: rank of the node that takes it in */
    double *work;                  /* of each member */
    double elapsed;                /* estimated work until all members are done, waiting included */
    double total;
    int links;                     /* nodes whose parent belongs to another member */
} tn_node_placement;

/* Work of a node: about its number of multiplications. */
double tn_node_work(const tn_cluster_plan *plan, const tn_structure *structure, int node);
/* Places the nodes on a team of size members. The same plan, structure and size always give the same placement. Ranks
 * that the structure requests are kept; the other nodes are placed so that all members finish early.
 * TN_ERROR_ARGUMENT: a requested rank is not below size. */
int tn_place_nodes(tn_node_placement *out, tn_arena *arena, tn_context *context, const tn_cluster_plan *plan,
                   const tn_structure *structure, int size);

#endif
