/* The messages of a condensation that a team of processes shares: responses go up the tree, forces go down, solutions
 * go to all members. A link is a node whose parent belongs to another member. */
#ifndef TN_SOLVE_EXCHANGE_H
#define TN_SOLVE_EXCHANGE_H

#include "placement.h"
#include "tenon/team.h"
#include "tree_node.h"

/* The result of a factorization: of this member's nodes, or of all nodes. */
typedef struct tn_outcome {
    int code;                      /* TN_OK, TN_ERROR_STEP */
    int rank;
    double weakest, dropped;
} tn_outcome;

/* The kinds of messages. DECIDED: T of the pass that decides ranks; RESPONSE: T, r or both; FORCES: tau. */
typedef enum tn_message { TN_MESSAGE_DECIDED, TN_MESSAGE_RESPONSE, TN_MESSAGE_FORCES, TN_MESSAGES } tn_message;

/* The parts of TN_MESSAGE_RESPONSE that are sent. Messages of the other kinds are sent in full. */
typedef struct tn_content {
    bool T, r;
} tn_content;

typedef struct tn_link {
    bool upward;                   /* the node is this member's and its parent the peer's; false: the reverse */
    int peer, number;
    tn_response *response;         /* of the node */
    double *data[TN_MESSAGES];     /* rank, T; rank, T, r; tau */
} tn_link;

/* The items of each member: items[begin[rank]] ... items[begin[rank + 1] - 1]. */
typedef struct tn_share {
    int *begin, *items;
} tn_share;

typedef struct tn_exchange {
    const tn_team *team;
    const tn_structure *structure;
    const tn_node_placement *placement;
    tn_link *links;                /* of this member */
    int link_count;
    int *link_of;                  /* of each node; -1: the node has no link */
    tn_share bodies, rows;         /* bodies and rows whose accelerations and multipliers each member computes */
    int *columns;                  /* of the bodies of each member */
    int *counts, *offsets;         /* of a gather */
    double *all;
} tn_exchange;

/* nodes: one per node of the plan; the responses of links must have their memory. The placement must outlive the
 * exchange. */
int tn_exchange_create(tn_exchange **out, tn_arena *arena, const tn_team *team, const tn_structure *structure,
                       const tn_cluster_plan *plan, const tn_node_placement *placement, tn_tree_node *nodes);

/* Starts to receive messages of this kind. */
int tn_exchange_expect(tn_exchange *exchange, tn_message message, tn_content content);
/* Sends the message over the node's link. Does nothing if the node has no link or this member is the receiver. */
int tn_exchange_send(tn_exchange *exchange, int node, tn_message message, tn_content content);
/* Waits for the message of the node's link. Does nothing if the node has no link or this member is the sender. */
int tn_exchange_await(tn_exchange *exchange, int node, tn_message message, tn_content content);
/* Gathers the outcomes of all members into all and, where a and lambda are not NULL, the accelerations and multipliers
 * that the members found. */
int tn_exchange_gather(tn_exchange *exchange, const tn_outcome *own, tn_outcome *all, double *a, double *lambda);

#endif
