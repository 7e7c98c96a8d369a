/* The elimination tree: in which order bodies are eliminated, and which bodies each body is still coupled to
 * when its turn comes. */
#ifndef TN_SOLVE_ORDER_H
#define TN_SOLVE_ORDER_H

#include "mem.h"
#include "tenon/sys/saddle.h"

/* One front per body, in elimination order. */
typedef struct tn_front_plan {
    int body;
    int parent;                    /* front that takes the Schur complement of this one; -1: none */
    int border_count;
    int *border;                   /* bodies still coupled, sorted by elimination order */
    int constraint_count;
    int *constraints;              /* constraints whose first eliminated body is this body */
} tn_front_plan;

/* Finds a fill-reducing order of the graph of bodies (AMD) and plans every front. The plan lives in the arena. */
int tn_order(tn_front_plan **plan, tn_arena *arena, tn_context *context, const tn_structure *structure);

#endif
