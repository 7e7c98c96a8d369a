/* The response of a part of a system at its ports, and the node that joins parts into a larger part. condenser.c has
 * the mathematics. A node knows only its own rows and the responses of its children. */
#ifndef TN_SOLVE_TREE_NODE_H
#define TN_SOLVE_TREE_NODE_H

#include "mem.h"
#include "tenon/sys/saddle.h"

/* Accelerations of the ports under forces tau on them:  a = D tau + r,  D = T'T.
 * Columns of D, r, tau and a: ports in the order of their bodies, each with the columns of its body. */
typedef struct tn_response {
    int columns;
    int rank, room;                /* rows of T; rows that T has memory for */
    double *T;                     /* row-major: columns entries a row */
    int decoupled;                 /* of a body: number of leading columns with only a diagonal entry */
    double *r;
    double *tau;                   /* from outside, on the way down */
} tn_response;

/* Rows of a constraint over one body. */
typedef struct tn_tree_block {
    int child, column;             /* where the body's columns start in the child's response */
    int row, rows, columns;        /* own rows row ... row + rows - 1 */
    size_t source;                 /* place in G of the whole problem */
    const double *column_scale;
    int used;                      /* number of rows that count */
    int *from, *place;             /* of each used row: its index among the rows; among the pivots */
    int stride;                    /* rows, made even */
    double *values;                /* columns x used, row-major */
} tn_tree_block;

/* Adjacent columns of a node that are also adjacent in a child. */
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
    bool *hidden;                  /* of each child: none of its columns is a column of the node */
    int room, stride;              /* of W: rows at most; entries a row, even */
    double *W;                     /* row-major: columns of the rows that count, then own ones; condensed: R and E */
    int rank, *pivot;              /* independent own rows come first in pivot */
    int *place;                    /* of each own row: its index among the rows that count; -1: not among them */
    double *v;                     /* nonzero entries of a reflector, */
    int *at;                       /* and their rows */
    double *y, *x;                 /* stride each: R1^-T (u1 - G1 r); (lambda1, tau) */
    bool closing;                  /* the node may close a loop: its rows may depend on rows inside its children */
    double weakest, dropped;       /* scaled pivots of the last decision, where loops close */
    tn_response response;
} tn_tree_node;

/* Which rows count. DECIDE: compares all rows in the metric of lengths and keeps the independent ones; REPEAT: uses the
 * rows that the last decision kept. */
typedef enum tn_tree_rule { TN_TREE_DECIDE, TN_TREE_REPEAT } tn_tree_rule;

/* Computes T of the response from the T of the children. G: the Jacobian of the whole problem. TN_ERROR_STEP: rows that
 * were independent have become dependent, or the entries are not finite. */
int tn_tree_node_condense(tn_tree_node *node, const double *G, tn_tree_rule rule);
/* Computes r of the response from the r of the children. u: right sides of the whole problem. */
void tn_tree_node_condense_free(tn_tree_node *node, const double *u);
/* Computes, from tau on the ports, tau of the children and the multipliers of the own rows. lambda: multipliers of the
 * whole problem; NULL: not wanted. */
void tn_tree_node_back_substitute(tn_tree_node *node, double *lambda);

#endif
