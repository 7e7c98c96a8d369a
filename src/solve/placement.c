/* Assigns subtrees to the members of a team. A unit is a subtree that stays on one member. Units are assigned in order
 * of decreasing work, each to the member with the least work so far. A node above units goes to the member of its
 * heaviest child, so that the larger response need not be sent. At first each tree is one unit. Then the heaviest unit
 * is split into its children repeatedly; after each split the elapsed time is estimated, and the fastest assignment is
 * kept. Few large units need few messages, many small units balance the load. */
#include "placement.h"

#include "tenon/sys/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cost of a message in multiplications: about a microsecond, the time for a message of some hundred numbers. */
static const double MESSAGE = 3000;
/* Work for a body that no constraint touches: factoring its mass block. */
static const double LOOSE = 100;
/* Splits that are tried, and how many more for each member. */
enum { SPLITS = 64, SPLITS_EACH = 16 };

typedef struct placer {
    const tn_cluster_plan *plan;
    const tn_structure *structure;
    int size;
    double *own, *below;           /* work of a node; of its subtree */
    int *asked;                    /* requested rank of each node; -1: any */
    bool *mixed;                   /* node with other requested ranks in its subtree */
    bool *split;                   /* node that is not part of a unit */
    struct unit { double work; int node; } *units;
    int unit_count;
    int *rank;                     /* of each node, in the current try */
    bool *late;                    /* node that waits for other members */
    double *load, *clock, *done;   /* of each member; done: of each node */
    int links;
} placer;

/* ---- work ---- */

static int width(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static int port_columns(const tn_cluster_plan *plan, const tn_structure *s, int part)
{
    if (part < s->bodies)
        return width(s, part);
    int columns = 0;
    for (int n = 0; n < plan->nodes[part - s->bodies].port_count; n++)
        columns += width(s, plan->nodes[part - s->bodies].ports[n]);
    return columns;
}

/* An orthogonal factorization of height x width numbers. */
double tn_node_work(const tn_cluster_plan *plan, const tn_structure *s, int n)
{
    const tn_cluster_node *node = &plan->nodes[n];
    double width_of = port_columns(plan, s, s->bodies + n), height = 0;
    for (int c = 0; c < node->constraint_count; c++)
        width_of += s->constraint_row[node->constraints[c] + 1] - s->constraint_row[node->constraints[c]];
    for (int k = 0; k < node->child_count; k++)
        height += port_columns(plan, s, node->children[k]);
    return width_of * width_of * height;
}

static void measure_placement(placer *p)
{
    for (int n = 0; n < p->plan->node_count; n++) {
        p->own[n] = tn_node_work(p->plan, p->structure, n);
        p->below[n] += p->own[n];
        if (p->plan->nodes[n].parent >= 0)
            p->below[p->plan->nodes[n].parent] += p->below[n];
    }
}

/* ---- requested ranks ---- */

static int depth(const tn_structure *s, int group)
{
    int levels = 0;
    for (; s->group_parent[group] >= 0; group = s->group_parent[group])
        levels++;
    return levels;
}

/* The node with exactly the bodies of the group; -1: there is none. */
static int node_of(const placer *p, int group)
{
    return p->plan->group_part[group] - p->structure->bodies;
}

/* Of several groups with the same bodies, the innermost group decides. */
static int enter_group(placer *p, int *level, int group)
{
    const tn_structure *s = p->structure;
    int node = node_of(p, group), rank = s->group_rank[group];
    if (rank >= p->size)
        return TN_ERROR_ARGUMENT;
    if (rank >= 0 && node >= 0 && (p->asked[node] < 0 || depth(s, group) > level[node])) {
        p->asked[node] = rank;
        level[node] = depth(s, group);
    }
    return TN_OK;
}

static int enter_asked(placer *p, tn_arena *scratch)
{
    const tn_structure *s = p->structure;
    int *level = tn_arena_alloc(scratch, (size_t)p->plan->node_count, sizeof(int));
    if (!level)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < p->plan->node_count; n++)
        p->asked[n] = -1;
    for (int g = 0; g < s->groups && s->group_rank; g++)
        TN_TRY(enter_group(p, level, g));
    for (int n = p->plan->node_count - 1; n >= 0; n--) {           /* parents come first */
        int parent = p->plan->nodes[n].parent;
        if (p->asked[n] < 0 && parent >= 0)
            p->asked[n] = p->asked[parent];
    }
    for (int n = 0; n < p->plan->node_count; n++) {
        int parent = p->plan->nodes[n].parent;
        if (parent >= 0 && (p->asked[n] >= 0 || p->mixed[n]))
            p->mixed[parent] = true;
    }
    return TN_OK;
}

/* ---- units ---- */

static bool is_unit(const placer *p, int n)
{
    int parent = p->plan->nodes[n].parent;
    return p->asked[n] < 0 && !p->split[n] && (parent < 0 || p->split[parent]);
}

static int heavier_first(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    return x->work != y->work ? (x->work < y->work) - (x->work > y->work) : (x->node > y->node) - (x->node < y->node);
}

static void list_units(placer *p)
{
    p->unit_count = 0;
    for (int n = 0; n < p->plan->node_count; n++)
        if (is_unit(p, n))
            p->units[p->unit_count++] = (struct unit){ p->below[n], n };
    qsort(p->units, (size_t)p->unit_count, sizeof *p->units, heavier_first);
}

static bool has_nodes_below(const placer *p, int n)
{
    const tn_cluster_node *node = &p->plan->nodes[n];
    for (int k = 0; k < node->child_count; k++)
        if (node->children[k] >= p->structure->bodies)
            return true;
    return false;
}

/* Splits the heaviest unit that can be split. False: there is none. */
static bool split_heaviest(placer *p)
{
    int k = 0;
    while (k < p->unit_count && !has_nodes_below(p, p->units[k].node))
        k++;
    if (k < p->unit_count)
        p->split[p->units[k].node] = true;
    return k < p->unit_count;
}

/* ---- a try ---- */

static int least_loaded(const placer *p)
{
    int least = 0;
    for (int r = 1; r < p->size; r++)
        if (p->load[r] < p->load[least])
            least = r;
    return least;
}

static int heaviest_child_rank(const placer *p, int n)
{
    const tn_cluster_node *node = &p->plan->nodes[n];
    int best = -1;
    for (int k = 0; k < node->child_count; k++) {
        int child = node->children[k] - p->structure->bodies;
        if (child >= 0 && (best < 0 || p->below[child] > p->below[best]))
            best = child;
    }
    return p->rank[best];
}

static void assign(placer *p)
{
    memset(p->load, 0, (size_t)p->size * sizeof(double));
    for (int n = 0; n < p->plan->node_count; n++) {
        p->rank[n] = p->asked[n];
        if (p->asked[n] >= 0)
            p->load[p->asked[n]] += p->own[n];
    }
    for (int k = 0; k < p->unit_count; k++) {
        int rank = least_loaded(p);
        p->rank[p->units[k].node] = rank;
        p->load[rank] += p->units[k].work;
    }
    for (int n = p->plan->node_count - 1; n >= 0; n--)             /* units downwards */
        if (p->rank[n] < 0 && !p->split[n])
            p->rank[n] = p->rank[p->plan->nodes[n].parent];
    for (int n = 0; n < p->plan->node_count; n++)                  /* nodes above units upwards */
        if (p->rank[n] < 0) {
            p->rank[n] = heaviest_child_rank(p, n);
            p->load[p->rank[n]] += p->own[n];
        }
}

static void add_node_time(placer *p, int n)
{
    const tn_cluster_node *node = &p->plan->nodes[n];
    double *clock = &p->clock[p->rank[n]];
    for (int k = 0; k < node->child_count; k++) {
        int child = node->children[k] - p->structure->bodies;
        if (child >= 0 && p->rank[child] != p->rank[n])
            *clock = fmax(*clock, p->done[child] + MESSAGE);
    }
    *clock += p->own[n];
    p->done[n] = *clock;
}

/* Estimated time until all members are done. A member first does the nodes that need not wait. */
static double estimate_time(placer *p)
{
    double last = 0;
    memset(p->clock, 0, (size_t)p->size * sizeof(double));
    memset(p->late, 0, (size_t)p->plan->node_count * sizeof(bool));
    p->links = 0;
    for (int n = 0; n < p->plan->node_count; n++) {
        int parent = p->plan->nodes[n].parent;
        bool link = parent >= 0 && p->rank[parent] != p->rank[n];
        p->links += link;
        if (link || (parent >= 0 && p->late[n]))
            p->late[parent] = true;
    }
    for (int late = 0; late < 2; late++)
        for (int n = 0; n < p->plan->node_count; n++)
            if (p->late[n] == late)
                add_node_time(p, n);
    for (int r = 0; r < p->size; r++)
        last = fmax(last, p->clock[r]);
    return last + MESSAGE * p->links / p->size;
}

/* ---- the best try ---- */

static void keep(tn_node_placement *out, const placer *p, double elapsed)
{
    memcpy(out->node_rank, p->rank, (size_t)p->plan->node_count * sizeof(int));
    memcpy(out->work, p->load, (size_t)p->size * sizeof(double));
    out->elapsed = elapsed;
    out->links = p->links;
}

static void find_best(tn_node_placement *out, placer *p)
{
    int tries = p->size > 1 ? SPLITS + SPLITS_EACH * p->size : 0;
    out->elapsed = INFINITY;
    memcpy(p->split, p->mixed, (size_t)p->plan->node_count * sizeof(bool));
    for (int k = 0; k <= tries; k++) {
        list_units(p);
        assign(p);
        double elapsed = estimate_time(p);
        if (elapsed < out->elapsed)
            keep(out, p, elapsed);
        if (!split_heaviest(p))
            return;
    }
}

/* Assigns bodies to the members of their nodes; bodies without a node go to the member with the least work. */
static void place_bodies(tn_node_placement *out, placer *p)
{
    const tn_structure *s = p->structure;
    for (int b = 0; b < s->bodies; b++)
        out->body_rank[b] = -1;
    for (int n = 0; n < p->plan->node_count; n++)
        for (int k = 0; k < p->plan->nodes[n].child_count; k++)
            if (p->plan->nodes[n].children[k] < s->bodies)
                out->body_rank[p->plan->nodes[n].children[k]] = out->node_rank[n];
    memcpy(p->load, out->work, (size_t)p->size * sizeof(double));
    for (int b = 0; b < s->bodies; b++)
        if (out->body_rank[b] < 0) {
            out->body_rank[b] = least_loaded(p);
            p->load[out->body_rank[b]] += LOOSE;
        }
    memcpy(out->work, p->load, (size_t)p->size * sizeof(double));
    for (int r = 0; r < p->size; r++) {
        out->total += p->load[r];
        out->elapsed = fmax(out->elapsed, p->load[r]);
    }
}

static int allocate(placer *p, tn_node_placement *out, tn_arena *arena, tn_arena *scratch)
{
    size_t nodes = (size_t)p->plan->node_count, size = (size_t)p->size;
    p->own = tn_arena_alloc(scratch, nodes, sizeof(double));
    p->below = tn_arena_alloc(scratch, nodes, sizeof(double));
    p->done = tn_arena_alloc(scratch, nodes, sizeof(double));
    p->asked = tn_arena_alloc(scratch, nodes, sizeof(int));
    p->rank = tn_arena_alloc(scratch, nodes, sizeof(int));
    p->units = tn_arena_alloc(scratch, nodes, sizeof *p->units);
    p->mixed = tn_arena_alloc(scratch, nodes, sizeof(bool));
    p->split = tn_arena_alloc(scratch, nodes, sizeof(bool));
    p->late = tn_arena_alloc(scratch, nodes, sizeof(bool));
    p->load = tn_arena_alloc(scratch, size, sizeof(double));
    p->clock = tn_arena_alloc(scratch, size, sizeof(double));
    out->node_rank = tn_arena_alloc(arena, nodes, sizeof(int));
    out->body_rank = tn_arena_alloc(arena, (size_t)p->structure->bodies, sizeof(int));
    out->work = tn_arena_alloc(arena, size, sizeof(double));
    TN_TRY(tn_arena_status(scratch));
    return tn_arena_status(arena);
}

static int place_placement(tn_node_placement *out, placer *p, tn_arena *arena, tn_arena *scratch)
{
    TN_TRY(allocate(p, out, arena, scratch));
    TN_TRY(enter_asked(p, scratch));
    measure_placement(p);
    find_best(out, p);
    place_bodies(out, p);
    return TN_OK;
}

int tn_place_nodes(tn_node_placement *out, tn_arena *arena, tn_context *context, const tn_cluster_plan *plan,
                   const tn_structure *structure, int size)
{
    *out = (tn_node_placement){ 0 };
    placer p = { .plan = plan, .structure = structure, .size = size };
    tn_arena *scratch = tn_arena_create(context);
    int code = scratch ? place_placement(out, &p, arena, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}

static int share(tn_shares *out, tn_context *context, const tn_structure *s, int size, tn_arena *scratch)
{
    tn_cluster_plan plan;
    tn_node_placement placement;
    TN_TRY(tn_cluster(&plan, scratch, context, s, NULL, 0));
    TN_TRY(tn_place_nodes(&placement, scratch, context, &plan, s, size));
    memcpy(out->body_rank, placement.body_rank, (size_t)s->bodies * sizeof(int));
    memcpy(out->work, placement.work, (size_t)size * sizeof(double));
    out->elapsed = placement.elapsed;
    out->total = placement.total;
    out->links = placement.links;
    return TN_OK;
}

int tn_structure_share(tn_shares *out, tn_context *context, const tn_structure *structure, int size)
{
    tn_arena *scratch = tn_arena_create(context);
    int code = scratch ? share(out, context, structure, size, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}
