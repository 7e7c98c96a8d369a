/* The messages of a condensation that a team shares: responses up, forces down, solutions to all. A link is a node
 * whose parent belongs to another member. */
#ifndef TN_SOLVE_EXCHANGE_H
#define TN_SOLVE_EXCHANGE_H

#include "placement.h"
#include "tenon/team.h"
#include "tree_node.h"

/* What a factorization came to: of this member's nodes, or of all. */
typedef struct tn_outcome {
    int code;                      /* TN_OK, TN_ERROR_STEP */
    int rank;
    double weakest, dropped;
} tn_outcome;

/* T where ranks are decided; T, r or both where masses count; tau. */
typedef enum tn_message { TN_MESSAGE_DECIDED, TN_MESSAGE_RESPONSE, TN_MESSAGE_FORCES, TN_MESSAGES } tn_message;

/* Parts of TN_MESSAGE_RESPONSE that travel; of the others all does. */
typedef struct tn_content {
    bool T, r;
} tn_content;

typedef struct tn_link {
    bool upward;                   /* the node is this member's, its parent elsewhere; or the other way round */
    int peer, number;
    tn_response *response;         /* of the node */
    double *data[TN_MESSAGES];     /* rank, T; rank, T, r; tau */
} tn_link;

/* What each member has: items[begin[rank]] ... items[begin[rank + 1] - 1]. */
typedef struct tn_share {
    int *begin, *items;
} tn_share;

typedef struct tn_exchange {
    const tn_team *team;
    const tn_structure *structure;
    const tn_node_placement *placement;
    tn_link *links;                /* of this member */
    int link_count;
    int *link_of;                  /* of each node, -1: none */
    tn_share bodies, rows;         /* whose accelerations and multipliers each member finds */
    int *columns;                  /* of the bodies of each member */
    int *counts, *offsets;         /* of a gather */
    double *all;
} tn_exchange;

/* responses: of each node; those of links have their memory. The placement outlives it. */
int tn_exchange_create(tn_exchange **out, tn_arena *arena, const tn_team *team, const tn_structure *structure,
                       const tn_cluster_plan *plan, const tn_node_placement *placement, tn_tree_node *nodes);

/* From here on messages of a kind may come in. */
int tn_exchange_expect(tn_exchange *exchange, tn_message message, tn_content content);
/* To where the other end of the node's link is; nothing to do where there is none, or where it is the receiving end. */
int tn_exchange_send(tn_exchange *exchange, int node, tn_message message, tn_content content);
/* Waits for it; likewise. */
int tn_exchange_await(tn_exchange *exchange, int node, tn_message message, tn_content content);
/* Makes everybody's outcome and, unless they are NULL, accelerations and multipliers those of all. */
int tn_exchange_gather(tn_exchange *exchange, const tn_outcome *own, tn_outcome *all, double *a, double *lambda);

#endif
