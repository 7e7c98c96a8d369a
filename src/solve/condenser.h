/* The data of a condenser. condenser_plan.c analyzes the structure and fills them; condenser.c computes with them and
 * describes the method. */
#ifndef TN_SOLVE_CONDENSER_H
#define TN_SOLVE_CONDENSER_H

#include "exchange.h"
#include "tenon/sys/condense.h"

/* Most columns a body may have. */
enum { TN_MOST_BODY_COLUMNS = 6 };

/* The work on one node. The last turn has no node: it takes the bodies that no constraint touches. */
typedef struct tn_turn {
    int node;                      /* -1: none */
    int taken, taken_end;          /* range in taken: bodies that the node takes in */
    int foreign, foreign_end;      /* range in foreign: nodes of other members that the node joins */
} tn_turn;

struct tn_condenser {
    tn_context *context;
    tn_arena *arena;
    const tn_structure *structure;
    tn_response *bodies;
    tn_tree_node *nodes;
    int node_count;
    tn_turn *turns;                   /* of this process: children before parents; turns that wait for others last */
    int turn_count;
    int *taken, *foreign;
    tn_response *root;             /* response of the ports of the whole; NULL: there are no ports */
    tn_exchange *exchange;         /* NULL: this process works alone */
    tn_outcome own, outcome;       /* of the last factorization: of this member, of all members */
    bool decided;
};

#endif
