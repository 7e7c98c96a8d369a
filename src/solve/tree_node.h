/* A part of a system as it shows outside, and the node that joins parts into a larger one. See condenser.c for the
 * mathematics. A node knows its own rows and the responses of its children, nothing else. */
#ifndef TN_SOLVE_TREE_NODE_H
#define TN_SOLVE_TREE_NODE_H

#include "mem.h"
#include "tenon/sys/saddle.h"

/* Accelerations of the ports under forces tau on them:  a = D tau + r,  D = T'T.
 * Columns of D, r, tau and a: ports in the order of their bodies, each with the columns of its body. */
typedef struct tn_response {
    int columns;
    int rank, room;                /* rows of T; most it can have */
    double *T;                     /* row-major: columns entries a row */
    int decoupled;                 /* of a body: so many columns in front have a diagonal entry only */
    double *r;
    double *tau;                   /* from outside, on the way down */
} tn_response;

/* Rows of a constraint over one body. */
typedef struct tn_tree_block {
    int child, column;             /* where the body's columns start in the child's response */
    int row, rows, columns;        /* own rows row ... row + rows - 1 */
    size_t source;                 /* place in G of the whole problem */
    const double *column_scale;
    int used;                      /* of the rows: those that count */
    int *from, *place;             /* of each used one: among the rows; among the pivots */
    int stride;                    /* rows, made even */
    double *values;                /* columns x used, row-major */
} tn_tree_block;

/* Columns of a node that are next to each other among a child's, too. */
typedef struct tn_port_run {
    int child, column;             /* of the child, where they start */
    int own, count;
} tn_port_run;

typedef struct tn_tree_node {
    int child_count;
    tn_response **children;
    int rows;
    const int *row;                /* of the whole problem, for each own row */
    int block_count;
    tn_tree_block *blocks;
    tn_port_run *runs;             /* all own columns, as the children have them */
    int run_count;
    bool *hidden;                  /* of each child: none of its columns is among them */
    int room, stride;              /* of W: rows at most; entries a row, even */
    double *W;                     /* row-major: columns of the rows that count, then own ones; condensed: R and E */
    int rank, *pivot;              /* independent own rows come first in pivot */
    int *place;                    /* of each own row among those that count; -1: it does not */
    double *v;                     /* a reflector, where it is not zero, */
    int *at;                       /* and there */
    double *y, *x;                 /* stride each: R1^-T (u1 - G1 r); (lambda1, tau) */
    bool closing;                  /* may close a loop: its rows may depend on rows inside */
    double weakest, dropped;       /* scaled pivots of the last decision, where loops close */
    tn_response response;
} tn_tree_node;

/* Which rows count: all are compared, in the metric of lengths, or those that the last comparison kept do. */
typedef enum tn_tree_rule { TN_TREE_DECIDE, TN_TREE_REPEAT } tn_tree_rule;

/* T of the response from those of the children; G: the Jacobian of the whole problem, which has the own rows.
 * TN_ERROR_STEP: rows that were independent are not, or no numbers. */
int tn_tree_node_condense(tn_tree_node *node, const double *G, tn_tree_rule rule);
/* r of the response from those of the children; u: right sides of the whole problem. */
void tn_tree_node_condense_free(tn_tree_node *node, const double *u);
/* From tau on its ports: lambda of own rows (NULL: not wanted) into those of the whole problem, tau of the children. */
void tn_tree_node_back_substitute(tn_tree_node *node, double *lambda);

#endif
