/* Who does what: the nodes of a tree of subsystems spread over the members of a team. */
#ifndef TN_SOLVE_PLACEMENT_H
#define TN_SOLVE_PLACEMENT_H

#include "cluster.h"

typedef struct tn_node_placement {
    int *node_rank;                /* of each node */
    int *body_rank;                /* of each body: that of the node that takes it in */
    double *work;                  /* of each member */
    double elapsed;                /* until all are done, waiting for each other included */
    double total;
    int links;                     /* nodes whose parent is elsewhere */
} tn_node_placement;

/* Work of a node, about its multiplications. */
double tn_node_work(const tn_cluster_plan *plan, const tn_structure *structure, int node);
/* Same plan, structure and size, same placement. Where the structure asks for ranks they are kept; the rest is placed
 * so that all are done soon. TN_ERROR_ARGUMENT: ranks beyond the size. */
int tn_place_nodes(tn_node_placement *out, tn_arena *arena, tn_context *context, const tn_cluster_plan *plan,
                   const tn_structure *structure, int size);

#endif
