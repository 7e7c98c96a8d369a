/* The tree of the hierarchical solver: its nodes join parts into larger parts. The plan lists, for every node, the
 * parts it joins, the constraints that join them, and its ports: the bodies that constraints outside of the node
 * touch. */
#ifndef TN_SOLVE_CLUSTER_H
#define TN_SOLVE_CLUSTER_H

#include "mem.h"
#include "tenon/sys/saddle.h"

/* A node joins parts into a larger part. Part i < bodies is body i alone; part bodies + k is the result of node k. */
typedef struct tn_cluster_node {
    int child_count;
    int *children;                 /* parts: bodies, or results of earlier nodes */
    int constraint_count;
    int *constraints;              /* constraints whose bodies are first all together in this node; ascending */
    int port_count;
    int *ports;                    /* bodies inside that constraints outside touch; ascending */
    int parent;                    /* node; -1: none */
    bool closing;                  /* may close a loop: its parts were connected already, perhaps through ground */
} tn_cluster_node;

typedef struct tn_cluster_plan {
    int node_count;
    tn_cluster_node *nodes;           /* children before parents */
    int root;                      /* part with all bodies, if the structure has ports; -1: it has none */
    int *group_part;               /* of each group: the part with exactly its bodies and its subgroups'; -1: no body */
} tn_cluster_plan;

/* Makes the plan. ports: the bodies that constraints outside of the structure touch; ascending, each once.
 * The tree follows the groups of the structure. Within a group, and in a structure without groups, neighbours are
 * joined in pairs, the cheapest pair first. The same structure always gives the same tree. TN_ERROR_ARGUMENT: groups
 * contain each other, or a group or a port does not exist. */
int tn_cluster(tn_cluster_plan *plan, tn_arena *arena, tn_context *context, const tn_structure *structure,
               const int *ports, int port_count);

#endif
