/* Finds pairs of solids with overlapping bounds by a tree of bounds. Each node of the tree has a range of solids, which its
 * children share out at the median of their centres, along the axis in which the centres differ most. */
#include "broad_phase.h"

#include <math.h>

/* Solids in a node without children. */
enum { LEAF = 4 };
/* Levels of the tree: each has half of the solids of the one above. */
enum { MOST_LEVELS = 64 };

typedef struct tn_bounds_node {
    double low[3], high[3];
    uint32_t begin, end;           /* range of `order` */
    uint32_t right;                /* second child; the first is the next node; 0: no children */
} tn_bounds_node;

int tn_broad_phase_create(tn_broad_phase *phase, tn_arena *arena, uint32_t count)
{
    phase->order = tn_arena_alloc(arena, count, sizeof *phase->order);
    phase->key = tn_arena_alloc(arena, count, sizeof *phase->key);
    phase->nodes = tn_arena_alloc(arena, 2 * (size_t)count + 1, sizeof *phase->nodes);
    return phase->order && phase->key && phase->nodes ? TN_OK : TN_ERROR_MEMORY;
}

/* Half-spaces have no bounds; numbers that are not finite count as no bounds. */
static bool is_bounded(const tn_solid *solid)
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(solid->low[k]) || !isfinite(solid->high[k]))
            return false;
    return true;
}

static bool overlap(const double *low1, const double *high1, const double *low2, const double *high2, double margin)
{
    for (int k = 0; k < 3; k++)
        if (low1[k] > high2[k] + margin || low2[k] > high1[k] + margin)
            return false;
    return true;
}

/* ---- the tree ---- */

static void bound_node(const tn_broad_phase *phase, const tn_solid *solids, tn_bounds_node *node)
{
    for (int k = 0; k < 3; k++) {
        node->low[k] = INFINITY;
        node->high[k] = -INFINITY;
    }
    for (uint32_t i = node->begin; i < node->end; i++) {
        const tn_solid *solid = &solids[phase->order[i]];
        for (int k = 0; k < 3; k++) {
            node->low[k] = fmin(node->low[k], solid->low[k]);
            node->high[k] = fmax(node->high[k], solid->high[k]);
        }
    }
}

/* Sets the keys of the node's solids: centres along the axis in which they differ most. */
static void set_keys(const tn_broad_phase *phase, const tn_solid *solids, const tn_bounds_node *node)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    int axis = 0;
    for (uint32_t i = node->begin; i < node->end; i++)
        for (int k = 0; k < 3; k++) {
            double centre = solids[phase->order[i]].low[k] + solids[phase->order[i]].high[k];
            low[k] = fmin(low[k], centre);
            high[k] = fmax(high[k], centre);
        }
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis])
            axis = k;
    for (uint32_t i = node->begin; i < node->end; i++) {
        uint32_t solid = phase->order[i];
        phase->key[solid] = solids[solid].low[axis] + solids[solid].high[axis];
    }
}

static bool before(const tn_broad_phase *phase, uint32_t a, uint32_t b)
{
    return phase->key[a] < phase->key[b] || (phase->key[a] == phase->key[b] && a < b);
}

/* Orders the places begin .. end - 1 so that none before place `middle` comes behind one after it (Hoare). */
static void select_median(tn_broad_phase *phase, int64_t begin, int64_t end, int64_t middle)
{
    uint32_t *order = phase->order;
    while (end - begin > 1) {
        uint32_t pivot = order[begin + (end - begin) / 2];
        int64_t i = begin, j = end - 1;
        while (i <= j) {
            while (before(phase, order[i], pivot))
                i++;
            while (before(phase, pivot, order[j]))
                j--;
            if (i > j)
                break;
            uint32_t solid = order[i];
            order[i++] = order[j];
            order[j--] = solid;
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

/* Builds the tree over the first `count` solids of the order. */
static void build_tree(tn_broad_phase *phase, const tn_solid *solids, uint32_t count)
{
    uint32_t used = 0, stack[MOST_LEVELS][3], top = 0;     /* range, and the parent whose second child it is */
    if (count > 0) {
        stack[top][0] = stack[top][2] = 0;
        stack[top++][1] = count;
    }
    while (top > 0) {
        const uint32_t *range = stack[--top], begin = range[0], end = range[1], parent = range[2], middle = begin + (end - begin) / 2;
        tn_bounds_node *node = &phase->nodes[used];
        if (parent > 0)
            phase->nodes[parent - 1].right = used;
        *node = (tn_bounds_node){ .begin = begin, .end = end };
        bound_node(phase, solids, node);
        used++;
        if (end - begin <= LEAF)
            continue;
        set_keys(phase, solids, node);
        select_median(phase, begin, end, middle);
        stack[top][0] = middle;                            /* the second child comes later */
        stack[top][1] = end;
        stack[top++][2] = used;
        stack[top][0] = begin;
        stack[top][1] = middle;
        stack[top++][2] = 0;
    }
}

/* ---- the search ---- */

typedef struct search {
    const tn_broad_phase *phase;
    const tn_solid *solids;
    double margin;
    int (*visit)(void *user, uint32_t a, uint32_t b);
    void *user;
} search;

/* Visits the pairs of a solid with those that come behind it in the order. */
static int search_solid(const search *s, uint32_t place)
{
    const tn_bounds_node *nodes = s->phase->nodes;
    uint32_t one = s->phase->order[place], stack[MOST_LEVELS], top = 0;
    const tn_solid *solid = &s->solids[one];
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const tn_bounds_node *node = &nodes[at];
        if (node->end <= place + 1 || !overlap(solid->low, solid->high, node->low, node->high, s->margin))
            continue;
        if (node->right > 0) {
            stack[top++] = node->right;
            stack[top++] = at + 1;
            continue;
        }
        for (uint32_t i = node->begin > place ? node->begin : place + 1; i < node->end; i++) {
            const tn_solid *other = &s->solids[s->phase->order[i]];
            if (overlap(solid->low, solid->high, other->low, other->high, s->margin))
                TN_TRY(s->visit(s->user, one, s->phase->order[i]));
        }
    }
    return TN_OK;
}

int tn_broad_phase_search(tn_broad_phase *phase, const tn_solid *solids, uint32_t count, double margin,
                          int (*visit)(void *user, uint32_t a, uint32_t b), void *user)
{
    const search s = { phase, solids, margin, visit, user };
    uint32_t bounded = 0, rest = count;
    for (uint32_t i = 0; i < count; i++) {
        if (is_bounded(&solids[i]))
            phase->order[bounded++] = i;
        else
            phase->order[--rest] = i;
    }
    build_tree(phase, solids, bounded);
    for (uint32_t i = 0; i < bounded; i++)
        TN_TRY(search_solid(&s, i));
    for (uint32_t i = bounded; i < count; i++)             /* solids without bounds meet all */
        for (uint32_t j = 0; j < i; j++) {
            const tn_solid *a = &solids[phase->order[i]], *b = &solids[phase->order[j]];
            if (overlap(a->low, a->high, b->low, b->high, margin))
                TN_TRY(visit(user, phase->order[i], phase->order[j]));
        }
    return TN_OK;
}
