/* The tree of a hierarchy: which parts are joined into which, by which constraints, and what shows outside. */
#ifndef TN_SOLVE_CLUSTER_H
#define TN_SOLVE_CLUSTER_H

#include "mem.h"
#include "tenon/sys/saddle.h"

/* A node joins parts into a larger one. Part i < bodies is body i alone, part bodies + k is what node k makes. */
typedef struct tn_cluster_node {
    int child_count;
    int *children;                 /* parts; of earlier nodes only */
    int constraint_count;
    int *constraints;              /* those for which this is the lowest node with all their bodies; ascending */
    int port_count;
    int *ports;                    /* bodies inside that constraints outside touch; ascending */
    int parent;                    /* node; -1: none */
    bool closing;                  /* a loop, maybe: its parts were connected before, by ground if nothing else */
} tn_cluster_node;

typedef struct tn_cluster_plan {
    int node_count;
    tn_cluster_node *nodes;           /* children before parents */
    int root;                      /* part that is all bodies, where there are ports outside; -1: there are none */
    int *group_part;               /* part that is exactly the bodies of each group and its subgroups; -1: no body */
} tn_cluster_plan;

/* ports: bodies, ascending, each once, that something outside of the structure touches.
 * Follows the groups of the structure; within a group, and where there are none, neighbours are joined pairwise, those
 * first whose joining costs least. Same structure, same tree. TN_ERROR_ARGUMENT: groups that contain each other, or
 * that do not exist, or such ports. */
int tn_cluster(tn_cluster_plan *plan, tn_arena *arena, tn_context *context, const tn_structure *structure,
               const int *ports, int port_count);

#endif
