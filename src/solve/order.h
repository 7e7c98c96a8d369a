/* The elimination tree: in which order bodies are eliminated, and which bodies remain coupled at each of them. */
#ifndef TN_SOLVE_ORDER_H
#define TN_SOLVE_ORDER_H

#include "mem.h"
#include "tenon/sys/saddle.h"

/* One front per body, in elimination order. */
typedef struct tn_front_plan {
    int body;
    int parent;                    /* front that takes what is left, -1: none */
    int border_count;
    int *border;                   /* bodies still coupled, sorted by elimination order */
    int constraint_count;
    int *constraints;              /* those whose first eliminated body is this one */
} tn_front_plan;

/* Fill-reducing order of the graph of bodies (AMD) and the plan of every front, in the arena. */
int tn_order(tn_front_plan **plan, tn_arena *arena, tn_context *context, const tn_structure *structure);

#endif
