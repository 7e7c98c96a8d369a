/* The plan and the factors of a sparse block LU; private to block_lu.c and block_lu_plan.c. */
#ifndef TN_SOLVE_BLOCK_LU_IMPL_H
#define TN_SOLVE_BLOCK_LU_IMPL_H

#include "block_lu.h"

struct tn_block_lu {
    tn_context *context;
    int nodes;
    int *width, *offset;           /* by node; offset: first unknown */
    int *begin, *neighbour;        /* by node: sorted neighbours */
    size_t matrix_size;
    double *matrix;                /* diagonal block of each node, then blocks (node, neighbour) in that order */
    size_t *diagonal, *block;      /* where they begin */
    int *order, *place;            /* node of each step, step of each node */
    int *parent;                   /* of each step: the step that takes its Schur complement; -1: none */
    int *exact_begin, *exact;      /* of each step: steps of its border, ascending */
    int *border_begin, *border;    /* the same with those that its group adds */
    int groups;
    int *group_begin, *group_of;   /* first step of each group; group of each step */
    size_t *below;                 /* of each group: size of the Schur complements that it takes */
    size_t *lower, *upper, *pivot; /* of each step: where its factors begin in `factors` */
    double *factors;
    int *exchange;                 /* rows exchanged in diagonal blocks, by unknown of the step */
    bool negative;                 /* the determinant */
    double *front, *stack;
    int *work;                     /* of the planning */
    size_t capacity[25];
};

/* Number of unknowns of the steps list[0 .. count-1]. */
static inline int tn_block_lu_width(const tn_block_lu *lu, const int *list, int count)
{
    int width = 0;
    for (int e = 0; e < count; e++)
        width += lu->width[lu->order[list[e]]];
    return width;
}

/* Number of unknowns of the border of step k. */
static inline int tn_block_lu_border(const tn_block_lu *lu, int k)
{
    return tn_block_lu_width(lu, lu->border + lu->border_begin[k], lu->border_begin[k + 1] - lu->border_begin[k]);
}

/* Returns the group that takes the Schur complement of a group; -1: none. */
static inline int tn_block_lu_parent(const tn_block_lu *lu, int group)
{
    int parent = lu->parent[lu->group_begin[group + 1] - 1];
    return parent < 0 ? -1 : lu->group_of[parent];
}

#endif
