/* A condenser, as its analysis (condenser_plan.c) leaves it to its numbers (condenser.c, where the method is told). */
#ifndef TN_SOLVE_CONDENSER_H
#define TN_SOLVE_CONDENSER_H

#include "exchange.h"
#include "tenon/sys/condense.h"

/* Most columns a body may have. */
enum { TN_MOST_BODY_COLUMNS = 6 };

/* What is done with one node; the last turn is that of bodies that no constraint touches. */
typedef struct tn_turn {
    int node;                      /* -1: none */
    int taken, taken_end;          /* bodies it takes in */
    int foreign, foreign_end;      /* nodes of other members that it joins */
} tn_turn;

struct tn_condenser {
    tn_context *context;
    tn_arena *arena;
    const tn_structure *structure;
    tn_response *bodies;
    tn_tree_node *nodes;
    int node_count;
    tn_turn *turns;                   /* of this process: children before parents, those that wait for others last */
    int turn_count;
    int *taken, *foreign;
    tn_response *root;             /* what shows outside; NULL: nothing does */
    tn_exchange *exchange;         /* NULL: this process works alone */
    tn_outcome own, outcome;       /* of the last factorization: here, of all */
    bool decided;
};

#endif
