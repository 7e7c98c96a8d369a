/* Estimates the work of a factorization by the hierarchical solver: for each group, and for each member of a team. */
#include "tenon/sys/partition.h"
#include "placement.h"

/* ---- work ---- */

static int measure_partition(double *total, tn_group_work *of_group, const tn_structure *s, tn_context *context, tn_arena *arena)
{
    tn_cluster_plan plan;
    TN_TRY(tn_cluster(&plan, arena, context, s, NULL, 0));
    double *below = tn_arena_alloc(arena, (size_t)plan.node_count, sizeof(double));    /* work of a subtree */
    if (!below)
        return TN_ERROR_MEMORY;
    *total = 0;
    for (int n = 0; n < plan.node_count; n++) {
        double own = tn_node_work(&plan, s, n);
        *total += own;
        below[n] += own;
        if (plan.nodes[n].parent >= 0)
            below[plan.nodes[n].parent] += below[n];
    }
    for (int g = 0; g < s->groups; g++) {
        int node = plan.group_part[g] - s->bodies;
        of_group[g] = (tn_group_work){ 0, plan.group_part[g] >= 0 };       /* a body alone, or nothing */
        if (node >= 0)
            of_group[g] = (tn_group_work){ below[node], plan.nodes[node].port_count };
    }
    return TN_OK;
}

int tn_structure_work(double *total, tn_group_work *of_group, tn_context *context, const tn_structure *structure)
{
    tn_arena *arena = tn_arena_create(context);
    int code = arena ? measure_partition(total, of_group, structure, context, arena) : TN_ERROR_MEMORY;
    tn_arena_destroy(arena);
    return code;
}
