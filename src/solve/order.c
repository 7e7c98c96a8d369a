/* Finds the elimination order of the bodies and the elimination tree (order.h). */
#include "order.h"

#include <amd.h>
#include <stdlib.h>
#include <string.h>

/* The bodies each body shares a constraint with, both directions, without duplicates. */
typedef struct graph {
    int *begin, *neighbour;
} graph;

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int unique(int *list, int count)
{
    qsort(list, (size_t)count, sizeof(int), compare_ints);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

static int build_graph(graph *g, tn_arena *arena, const tn_structure *s)
{
    int *count = tn_arena_alloc(arena, (size_t)s->bodies + 1, sizeof(int));
    g->begin = tn_arena_alloc(arena, (size_t)s->bodies + 1, sizeof(int));
    if (!count || !g->begin)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < s->constraints; c++) {
        int blocks = s->block_begin[c + 1] - s->block_begin[c];
        for (int k = s->block_begin[c]; k < s->block_begin[c + 1]; k++)
            count[s->block_body[k]] += blocks - 1;
    }
    int total = 0;
    for (int b = 0; b < s->bodies; b++)
        total += count[b];
    g->neighbour = tn_arena_alloc(arena, (size_t)total + 1, sizeof(int));
    int *at = tn_arena_alloc(arena, (size_t)s->bodies + 1, sizeof(int));
    if (!g->neighbour || !at)
        return TN_ERROR_MEMORY;
    for (int b = 0, sum = 0; b < s->bodies; b++) {
        at[b] = sum;
        sum += count[b];
    }
    for (int c = 0; c < s->constraints; c++)
        for (int k = s->block_begin[c]; k < s->block_begin[c + 1]; k++)
            for (int l = s->block_begin[c]; l < s->block_begin[c + 1]; l++)
                if (l != k)
                    g->neighbour[at[s->block_body[k]]++] = s->block_body[l];
    int kept = 0;
    for (int b = 0; b < s->bodies; b++) {
        int first = at[b] - count[b];
        int left = unique(g->neighbour + first, count[b]);
        memmove(g->neighbour + kept, g->neighbour + first, (size_t)left * sizeof(int));
        g->begin[b] = kept;
        kept += left;
    }
    g->begin[s->bodies] = kept;
    return TN_OK;
}

/* Border of front k: neighbours eliminated later, and the borders of the fronts below. */
static int find_border(tn_front_plan *plan, int k, const int *place, const graph *g, const int *first_child,
                       const int *next_child, int *list, int *mark, tn_arena *arena)
{
    int count = 0, body = plan[k].body;
    mark[body] = k + 1;
    for (int n = g->begin[body]; n < g->begin[body + 1]; n++) {
        int other = g->neighbour[n];
        if (place[other] > k && mark[other] != k + 1) {
            mark[other] = k + 1;
            list[count++] = place[other];
        }
    }
    for (int child = first_child[k]; child >= 0; child = next_child[child])
        for (int n = 0; n < plan[child].border_count; n++) {
            int other = plan[child].border[n];
            if (mark[other] != k + 1) {
                mark[other] = k + 1;
                list[count++] = place[other];
            }
        }
    qsort(list, (size_t)count, sizeof(int), compare_ints);
    plan[k].border_count = count;
    plan[k].border = tn_arena_alloc(arena, (size_t)count, sizeof(int));
    if (!plan[k].border)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < count; n++)
        plan[k].border[n] = plan[list[n]].body;
    plan[k].parent = count > 0 ? list[0] : -1;
    return TN_OK;
}

static int plan_borders(tn_front_plan *plan, const int *place, const graph *g, int bodies, tn_arena *arena,
                        tn_arena *scratch)
{
    int *first_child = tn_arena_alloc(scratch, (size_t)bodies + 1, sizeof(int));
    int *next_child = tn_arena_alloc(scratch, (size_t)bodies + 1, sizeof(int));
    int *list = tn_arena_alloc(scratch, (size_t)bodies + 1, sizeof(int));
    int *mark = tn_arena_alloc(scratch, (size_t)bodies + 1, sizeof(int));
    TN_TRY(tn_arena_status(scratch));
    for (int k = 0; k < bodies; k++)
        first_child[k] = -1;
    for (int k = 0; k < bodies; k++) {
        TN_TRY(find_border(plan, k, place, g, first_child, next_child, list, mark, arena));
        int parent = plan[k].parent;
        if (parent >= 0) {
            next_child[k] = first_child[parent];
            first_child[parent] = k;
        }
    }
    return TN_OK;
}

static int first_place(const tn_structure *s, int constraint, const int *place)
{
    int first = s->bodies;
    for (int k = s->block_begin[constraint]; k < s->block_begin[constraint + 1]; k++)
        if (place[s->block_body[k]] < first)
            first = place[s->block_body[k]];
    return first;
}

static int plan_constraints(tn_front_plan *plan, const int *place, const tn_structure *s, tn_arena *arena)
{
    for (int c = 0; c < s->constraints; c++)
        plan[first_place(s, c, place)].constraint_count++;
    for (int k = 0; k < s->bodies; k++) {
        plan[k].constraints = tn_arena_alloc(arena, (size_t)plan[k].constraint_count, sizeof(int));
        if (!plan[k].constraints)
            return TN_ERROR_MEMORY;
        plan[k].constraint_count = 0;
    }
    for (int c = 0; c < s->constraints; c++) {
        tn_front_plan *front = &plan[first_place(s, c, place)];
        front->constraints[front->constraint_count++] = c;
    }
    return TN_OK;
}

/* Constraints of each body, in lists. */
static int list_constraints(const tn_structure *s, tn_arena *scratch, int **begin, int **list)
{
    int blocks = s->block_begin[s->constraints];
    int *at = tn_arena_alloc(scratch, (size_t)s->bodies + 1, sizeof(int));
    *begin = tn_arena_alloc(scratch, (size_t)s->bodies + 2, sizeof(int));
    *list = tn_arena_alloc(scratch, (size_t)blocks, sizeof(int));
    if (!at || !*begin || !*list)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < blocks; b++)
        (*begin)[s->block_body[b] + 1]++;
    for (int b = 0; b < s->bodies; b++) {
        (*begin)[b + 1] += (*begin)[b];
        at[b] = (*begin)[b];
    }
    for (int c = 0; c < s->constraints; c++)
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1]; b++)
            (*list)[at[s->block_body[b]]++] = c;
    return TN_OK;
}

typedef struct peeler {
    const tn_structure *structure;
    int *begin, *list;             /* constraints of each body */
    int *degree;                   /* number of constraints of each body that are not used up */
    bool *used, *taken;
    int *order, count;
} peeler;

/* Eliminates a body that hangs on at most one constraint, and uses up this constraint. */
static void peel(peeler *p, int body)
{
    const tn_structure *s = p->structure;
    p->taken[body] = true;
    p->order[p->count++] = body;
    for (int n = p->begin[body]; n < p->begin[body + 1]; n++) {
        int c = p->list[n];
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1] && !p->used[c]; b++)
            p->degree[s->block_body[b]]--;
        p->used[c] = true;
    }
}

/* Bodies that hang on a single constraint come first, outermost first: so trees are eliminated towards what holds them,
 * ground included, which the graph of bodies does not show. One sweep from the last body to the first takes all trees
 * whose bodies were added after what holds them, in the order in which they lie in memory; a queue takes the rest. */
static void peel_trees(peeler *p)
{
    const tn_structure *s = p->structure;
    for (int b = s->bodies - 1; b >= 0; b--)
        if (p->degree[b] <= 1)
            peel(p, b);
    for (int next = 0; next < p->count; next++)
        for (int n = p->begin[p->order[next]]; n < p->begin[p->order[next] + 1]; n++)
            for (int b = s->block_begin[p->list[n]]; b < s->block_begin[p->list[n] + 1]; b++) {
                int body = s->block_body[b];
                if (!p->taken[body] && p->degree[body] <= 1)
                    peel(p, body);
            }
}

/* Orders by AMD the bodies that are not part of trees. */
static int order_core(int *order, const bool *taken, const graph *g, int bodies, int core, tn_arena *scratch)
{
    int *number = tn_arena_alloc(scratch, (size_t)bodies + 1, sizeof(int));
    int *name = tn_arena_alloc(scratch, (size_t)core + 1, sizeof(int));
    int *begin = tn_arena_alloc(scratch, (size_t)core + 1, sizeof(int));
    int *neighbour = tn_arena_alloc(scratch, (size_t)g->begin[bodies] + 1, sizeof(int));
    TN_TRY(tn_arena_status(scratch));
    for (int b = 0, k = 0; b < bodies; b++)
        if (!taken[b]) {
            number[b] = k;
            name[k++] = b;
        }
    int kept = 0;
    for (int k = 0; k < core; k++) {
        for (int n = g->begin[name[k]]; n < g->begin[name[k] + 1]; n++)
            if (!taken[g->neighbour[n]])
                neighbour[kept++] = number[g->neighbour[n]];
        begin[k + 1] = kept;
    }
    double control[AMD_CONTROL];
    amd_defaults(control);
    if (amd_order(core, begin, neighbour, order, control, NULL) == AMD_OUT_OF_MEMORY)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < core; k++)
        order[k] = name[order[k]];
    return TN_OK;
}

static int order_bodies(int *order, const graph *g, const tn_structure *s, tn_arena *scratch)
{
    peeler p = { .structure = s, .order = order,
                 .degree = tn_arena_alloc(scratch, (size_t)s->bodies, sizeof(int)),
                 .taken = tn_arena_alloc(scratch, (size_t)s->bodies, sizeof(bool)),
                 .used = tn_arena_alloc(scratch, (size_t)s->constraints, sizeof(bool)) };
    if (!p.degree || !p.taken || !p.used)
        return TN_ERROR_MEMORY;
    TN_TRY(list_constraints(s, scratch, &p.begin, &p.list));
    for (int b = 0; b < s->bodies; b++)
        p.degree[b] = p.begin[b + 1] - p.begin[b];
    peel_trees(&p);
    int core = s->bodies - p.count;
    return core == 0 ? TN_OK : order_core(order + p.count, p.taken, g, s->bodies, core, scratch);
}

static int plan_fronts(tn_front_plan *plan, const int *order, int *place, const graph *g, int bodies, tn_arena *arena,
                       tn_arena *scratch)
{
    for (int k = 0; k < bodies; k++) {
        plan[k] = (tn_front_plan){ .body = order[k] };
        place[order[k]] = k;
    }
    return plan_borders(plan, place, g, bodies, arena, scratch);
}

int tn_order(tn_front_plan **out, tn_arena *arena, tn_context *context, const tn_structure *s)
{
    tn_arena *scratch = tn_arena_create(context);
    if (!scratch)
        return TN_ERROR_MEMORY;
    graph g;
    int *order = tn_arena_alloc(scratch, (size_t)s->bodies + 1, sizeof(int));
    int *place = tn_arena_alloc(scratch, (size_t)s->bodies + 1, sizeof(int));
    tn_front_plan *plan = tn_arena_alloc(arena, (size_t)s->bodies, sizeof(tn_front_plan));
    int result = order && place && plan ? build_graph(&g, scratch, s) : TN_ERROR_MEMORY;
    if (result == TN_OK && s->bodies > 0)
        result = order_bodies(order, &g, s, scratch);
    if (result == TN_OK)
        result = plan_fronts(plan, order, place, &g, s->bodies, arena, scratch);
    if (result == TN_OK)
        result = plan_constraints(plan, place, s, arena);
    tn_arena_destroy(scratch);
    *out = plan;
    return result;
}
