/* Builds the tree of the hierarchical solver by greedy joining. A cluster is the set of bodies of one part. A
 * constraint is open while it touches more than one cluster; the ports of a cluster are its bodies with open
 * constraints. Joining two clusters closes constraints, hides ports, and costs about
 * (rows closed + port columns left)^2 x port columns before (see tree_node.c). The cheapest pair is joined first: this
 * joins trees from their tips inward, and joins a body with many neighbours to them one by one.
 *
 * A cluster has the number of one of its bodies. When two clusters are joined, the cluster with more open constraints
 * keeps its number, so that few constraints must be visited. */
#include "cluster.h"

#include <stdlib.h>

typedef struct pair {
    double work;
    int a, b;                      /* clusters, a < b */
} pair;

typedef struct joiner {
    const tn_structure *structure;
    tn_context *context;
    tn_arena *arena;
    tn_cluster_plan *plan;
    int *begin, *touching;         /* constraints that touch each body; only the first open[body] are not closed */
    int *open;
    bool *held;                    /* body that the outside touches: always a port */
    bool *closed;                  /* constraint */
    int *seen, stamp;              /* of each constraint: stamp of the last visit */
    int *leader;                   /* union-find over bodies */
    int *size, *columns;           /* of a cluster: open constraints of its ports, columns of its ports */
    int *part, *group;
    bool *grounded;                /* cluster: some constraint inside is not just between two bodies */
    pair *heap;
    size_t heap_count, heap_capacity;
    int *found;                    /* constraints that a join closes */
    int found_count;
} joiner;

/* When a cluster with fewer open constraints than this grows, the costs of all its pairs are computed again. */
enum { FEW = 24 };

static int width(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static int cluster_of(const joiner *j, int body)
{
    while (j->leader[body] != body)
        body = j->leader[body] = j->leader[j->leader[body]];
    return body;
}

/* ---- pairs by what they cost ---- */

static bool before(const pair *x, const pair *y)
{
    if (x->work != y->work)
        return x->work < y->work;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static int push(joiner *j, pair p)
{
    TN_TRY(tn_grow(j->context, &j->heap, &j->heap_capacity, j->heap_count + 1, sizeof *j->heap));
    size_t at = j->heap_count++;
    for (; at > 0 && before(&p, &j->heap[(at - 1) / 2]); at = (at - 1) / 2)
        j->heap[at] = j->heap[(at - 1) / 2];
    j->heap[at] = p;
    return TN_OK;
}

static pair pop(joiner *j)
{
    pair top = j->heap[0], last = j->heap[--j->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < j->heap_count; at = child) {
        child += child + 1 < j->heap_count && before(&j->heap[child + 1], &j->heap[child]);
        if (!before(&j->heap[child], &last))
            break;
        j->heap[at] = j->heap[child];
    }
    j->heap[at] = last;
    return top;
}

/* ---- what joining closes ---- */

static int port_count(const joiner *j, int part)
{
    const tn_structure *s = j->structure;
    return part < s->bodies ? 1 : j->plan->nodes[part - s->bodies].port_count;
}

static int port(const joiner *j, int part, int n)
{
    const tn_structure *s = j->structure;
    return part < s->bodies ? part : j->plan->nodes[part - s->bodies].ports[n];
}

static bool within(const joiner *j, int constraint, int a, int b)
{
    const tn_structure *s = j->structure;
    for (int e = s->block_begin[constraint]; e < s->block_begin[constraint + 1]; e++) {
        int cluster = cluster_of(j, s->block_body[e]);
        if (cluster != a && cluster != b)
            return false;
    }
    return true;
}

/* Constraints that only a and b touch, into found. */
static void find_closing(joiner *j, int a, int b)
{
    int part = j->part[j->size[a] <= j->size[b] ? a : b];
    j->stamp++;
    j->found_count = 0;
    for (int n = 0; n < port_count(j, part); n++) {
        int body = port(j, part, n);
        for (int e = j->begin[body]; e < j->begin[body] + j->open[body]; e++) {
            int c = j->touching[e];
            if (j->seen[c] != j->stamp && within(j, c, a, b))
                j->found[j->found_count++] = c;
            j->seen[c] = j->stamp;
        }
    }
}

/* Counts the columns of bodies that have no open constraint after the constraints in found are closed. Does not change
 * open. */
static int columns_hidden(joiner *j)
{
    const tn_structure *s = j->structure;
    int hidden = 0;
    for (int by = -1; by <= 1; by += 2)
        for (int n = 0; n < j->found_count; n++)
            for (int e = s->block_begin[j->found[n]]; e < s->block_begin[j->found[n] + 1]; e++) {
                int body = s->block_body[e];
                j->open[body] += by;
                hidden += by < 0 && j->open[body] == 0 && !j->held[body] ? width(s, body) : 0;
            }
    return hidden;
}

static double work_of(joiner *j, int a, int b)
{
    const tn_structure *s = j->structure;
    find_closing(j, a, b);
    int rows = 0, all = j->columns[a] + j->columns[b], left = all - columns_hidden(j);
    for (int n = 0; n < j->found_count; n++)
        rows += s->constraint_row[j->found[n] + 1] - s->constraint_row[j->found[n]];
    return (double)(rows + left) * (rows + left) * all;
}

static int offer(joiner *j, int a, int b)
{
    return push(j, (pair){ work_of(j, a, b), a < b ? a : b, a < b ? b : a });
}

/* Offers the pairs of a cluster with its neighbours in the same group, seen from the ports of the given part. */
static int offer_neighbours(joiner *j, int cluster, int part)
{
    const tn_structure *s = j->structure;
    for (int n = 0; n < port_count(j, part); n++) {
        int body = port(j, part, n);
        for (int i = j->begin[body]; i < j->begin[body] + j->open[body]; i++)
            for (int e = s->block_begin[j->touching[i]]; e < s->block_begin[j->touching[i] + 1]; e++) {
                int other = cluster_of(j, s->block_body[e]);
                if (other != cluster && j->group[other] == j->group[cluster])
                    TN_TRY(offer(j, cluster, other));
            }
    }
    return TN_OK;
}

/* ---- joining ---- */

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Closes the constraints found. */
static void close_found(joiner *j)
{
    const tn_structure *s = j->structure;
    for (int n = 0; n < j->found_count; n++)
        j->closed[j->found[n]] = true;
    for (int n = 0; n < j->found_count; n++)
        for (int e = s->block_begin[j->found[n]]; e < s->block_begin[j->found[n] + 1]; e++) {
            int body = s->block_body[e], *list = j->touching + j->begin[body], kept = 0;
            for (int i = 0; i < j->open[body]; i++)
                if (!j->closed[list[i]])
                    list[kept++] = list[i];
            j->open[body] = kept;
        }
}

static bool is_port(const joiner *j, int body)
{
    return j->open[body] > 0 || j->held[body];
}

/* Ports of the children that are still ports. */
static int find_ports(joiner *j, tn_cluster_node *node)
{
    int most = 0;
    for (int k = 0; k < node->child_count; k++)
        most += port_count(j, node->children[k]);
    node->ports = tn_arena_alloc(j->arena, (size_t)most, sizeof(int));
    if (!node->ports)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < node->child_count; k++)
        for (int n = 0; n < port_count(j, node->children[k]); n++)
            if (is_port(j, port(j, node->children[k], n)))
                node->ports[node->port_count++] = port(j, node->children[k], n);
    qsort(node->ports, (size_t)node->port_count, sizeof(int), compare_ints);
    return TN_OK;
}

static bool is_pair(const joiner *j, int constraint)
{
    return j->structure->block_begin[constraint + 1] - j->structure->block_begin[constraint] == 2;
}

/* No loop closes when one constraint between two bodies joins parts of which at most one is connected to ground, or
 * when a constraint is the first between a body and ground. */
static bool closes_loop(const joiner *j, const int *clusters, int count)
{
    int grounded = 0;
    for (int k = 0; k < count; k++)
        grounded += j->grounded[clusters[k]];
    return j->found_count > 1 || (j->found_count == 1 && count > 1 && (grounded > 1 || !is_pair(j, j->found[0])));
}

/* Makes a node that joins these clusters and closes the constraints in found. Returns the part of the node. */
static int add_node(joiner *j, const int *clusters, int count)
{
    const int bodies = j->structure->bodies, index = j->plan->node_count;
    tn_cluster_node *node = &j->plan->nodes[index];
    *node = (tn_cluster_node){ .child_count = count, .constraint_count = j->found_count, .parent = -1,
                               .closing = closes_loop(j, clusters, count) };
    node->children = tn_arena_alloc(j->arena, (size_t)count, sizeof(int));
    node->constraints = tn_arena_alloc(j->arena, (size_t)j->found_count, sizeof(int));
    if (!node->children || !node->constraints)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < j->found_count; n++)
        node->constraints[n] = j->found[n];
    qsort(node->constraints, (size_t)j->found_count, sizeof(int), compare_ints);
    bool held = false;
    for (int k = 0; k < count; k++)
        held |= j->grounded[clusters[k]];
    for (int n = 0; n < j->found_count; n++)
        held |= !is_pair(j, j->found[n]);
    for (int k = 0; k < count; k++) {
        j->grounded[clusters[k]] = held;
        node->children[k] = j->part[clusters[k]];
        if (node->children[k] >= bodies)
            j->plan->nodes[node->children[k] - bodies].parent = index;
    }
    close_found(j);
    TN_TRY(find_ports(j, node));
    j->plan->node_count++;
    return bodies + index;
}

/* Makes the cluster to stand for this part. */
static void set_part(joiner *j, int to, int part)
{
    j->part[to] = part;
    j->size[to] = j->columns[to] = 0;
    for (int n = 0; n < port_count(j, part); n++) {
        j->size[to] += j->open[port(j, part, n)];
        j->columns[to] += width(j->structure, port(j, part, n));
    }
}

static int join(joiner *j, int a, int b)
{
    int from = j->size[a] < j->size[b] ? a : b, to = from == a ? b : a, news = j->part[from];
    find_closing(j, a, b);
    int part = add_node(j, (const int[]){ a, b }, 2);
    TN_TRY(part);
    j->leader[from] = to;
    set_part(j, to, part);
    return offer_neighbours(j, to, j->size[to] <= FEW ? part : news);
}

/* Joins neighbours among count clusters of one group until no neighbours are left. */
static int join_group(joiner *j, const int *clusters, int count)
{
    j->heap_count = 0;
    for (int n = 0; n < count; n++)
        TN_TRY(offer_neighbours(j, clusters[n], j->part[clusters[n]]));
    while (j->heap_count > 0) {
        pair p = pop(j);
        if (cluster_of(j, p.a) != p.a || cluster_of(j, p.b) != p.b)
            continue;                              /* a cluster of the pair has grown; the pair was offered again */
        double work = work_of(j, p.a, p.b);
        if (work > p.work)
            TN_TRY(push(j, (pair){ work, p.a, p.b }));
        else
            TN_TRY(join(j, p.a, p.b));
    }
    return TN_OK;
}

/* Joins clusters that no constraint connects into one part. whole: the resulting cluster; -1: there are no clusters. */
static int join_rest(int *whole, joiner *j, int *clusters, int count)
{
    int kept = 0;
    for (int n = 0; n < count; n++)
        if (cluster_of(j, clusters[n]) == clusters[n])
            clusters[kept++] = clusters[n];
    *whole = kept > 0 ? clusters[0] : -1;
    if (kept < 2)
        return TN_OK;
    j->found_count = 0;
    int part = add_node(j, clusters, kept);
    TN_TRY(part);
    for (int n = 1; n < kept; n++)
        j->leader[clusters[n]] = clusters[0];
    set_part(j, clusters[0], part);
    return TN_OK;
}

/* Makes a node for every body with constraints that touch only this body (and ground). */
static int join_ground(joiner *j)
{
    for (int b = 0; b < j->structure->bodies; b++) {
        find_closing(j, b, b);
        if (j->found_count == 0)
            continue;
        int part = add_node(j, &b, 1);
        TN_TRY(part);
        set_part(j, b, part);
    }
    return TN_OK;
}

/* ---- groups ---- */

/* Sorts the groups so that each group follows the groups that it contains. */
static int order_groups(int *order, const tn_structure *s, tn_arena *scratch)
{
    int *waiting = tn_arena_alloc(scratch, (size_t)s->groups, sizeof(int)), count = 0;
    if (!waiting)
        return TN_ERROR_MEMORY;
    for (int g = 0; g < s->groups; g++) {
        if (s->group_parent[g] < -1 || s->group_parent[g] >= s->groups)
            return TN_ERROR_ARGUMENT;
        if (s->group_parent[g] >= 0)
            waiting[s->group_parent[g]]++;
    }
    for (int g = 0; g < s->groups; g++)
        if (waiting[g] == 0)
            order[count++] = g;
    for (int n = 0; n < count; n++) {
        int parent = s->group_parent[order[n]];
        if (parent >= 0 && --waiting[parent] == 0)
            order[count++] = parent;
    }
    return count == s->groups ? TN_OK : TN_ERROR_ARGUMENT;
}

/* Sorts the clusters into one list per group. The list of clusters without a group (-1) comes last. Bodies without
 * columns are in no list. */
typedef struct members {
    int *first, *next;
} members;

static int list_members(members *m, const joiner *j, tn_arena *scratch)
{
    const tn_structure *s = j->structure;
    m->first = tn_arena_alloc(scratch, (size_t)s->groups + 1, sizeof(int));
    m->next = tn_arena_alloc(scratch, (size_t)s->bodies, sizeof(int));
    if (!m->first || !m->next)
        return TN_ERROR_MEMORY;
    for (int g = 0; g <= s->groups; g++)
        m->first[g] = -1;
    for (int b = s->bodies - 1; b >= 0; b--) {
        if (j->group[b] < 0 || j->group[b] > s->groups)
            return TN_ERROR_ARGUMENT;
        if (width(s, b) == 0 && !j->held[b])
            continue;
        m->next[b] = m->first[j->group[b]];
        m->first[j->group[b]] = b;
    }
    return TN_OK;
}

static int collect(int *list, const members *m, int group)
{
    int count = 0;
    for (int c = m->first[group]; c >= 0; c = m->next[c])
        list[count++] = c;
    return count;
}

static int join_all(joiner *j, int port_total, tn_arena *scratch)
{
    const tn_structure *s = j->structure;
    members m;
    int *order = tn_arena_alloc(scratch, (size_t)s->groups, sizeof(int));
    int *list = tn_arena_alloc(scratch, (size_t)s->bodies, sizeof(int));
    if (!order || !list)
        return TN_ERROR_MEMORY;
    TN_TRY(order_groups(order, s, scratch));
    TN_TRY(list_members(&m, j, scratch));
    TN_TRY(join_ground(j));
    for (int n = 0; n < s->groups; n++) {
        int g = order[n], parent = s->group_parent[g] < 0 ? s->groups : s->group_parent[g];
        int count = collect(list, &m, g);
        TN_TRY(join_group(j, list, count));
        int whole;
        TN_TRY(join_rest(&whole, j, list, count));
        j->plan->group_part[g] = whole < 0 ? -1 : j->part[whole];
        if (whole < 0)
            continue;
        j->group[whole] = parent;
        m.next[whole] = m.first[parent];
        m.first[parent] = whole;
    }
    int count = collect(list, &m, s->groups), whole;
    TN_TRY(join_group(j, list, count));
    j->plan->root = -1;
    if (port_total == 0)
        return TN_OK;
    TN_TRY(join_rest(&whole, j, list, count));
    j->plan->root = j->part[whole];
    return TN_OK;
}

/* ---- order ---- */

/* Numbers the nodes so that each node directly follows its subtree: the response just computed is needed next. Children
 * have smaller numbers than parents, so one pass finds the ends of subtrees and one more pass finds the numbers. */
static int renumber(joiner *j, tn_arena *scratch)
{
    const int bodies = j->structure->bodies, count = j->plan->node_count;
    int *size = tn_arena_alloc(scratch, (size_t)count, sizeof(int));
    int *end = tn_arena_alloc(scratch, (size_t)count, sizeof(int));        /* first number after a subtree */
    tn_cluster_node *sorted = tn_arena_alloc(j->arena, (size_t)count, sizeof *sorted), *nodes = j->plan->nodes;
    if (!size || !end || !sorted)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < count; n++) {
        size[n]++;
        if (nodes[n].parent >= 0)
            size[nodes[n].parent] += size[n];
    }
    for (int n = count - 1, top = count; n >= 0; n--) {
        if (nodes[n].parent < 0) {
            end[n] = top;
            top -= size[n];
        }
        for (int k = nodes[n].child_count - 1, at = end[n] - 1; k >= 0; k--)
            if (nodes[n].children[k] >= bodies) {
                end[nodes[n].children[k] - bodies] = at;
                at -= size[nodes[n].children[k] - bodies];
            }
    }
    for (int n = 0; n < count; n++) {
        tn_cluster_node *node = &sorted[end[n] - 1];
        *node = nodes[n];
        node->parent = node->parent < 0 ? -1 : end[node->parent] - 1;
        for (int k = 0; k < node->child_count; k++)
            if (node->children[k] >= bodies)
                node->children[k] = bodies + end[node->children[k] - bodies] - 1;
    }
    for (int g = 0; g < j->structure->groups; g++)
        if (j->plan->group_part[g] >= bodies)
            j->plan->group_part[g] = bodies + end[j->plan->group_part[g] - bodies] - 1;
    if (j->plan->root >= bodies)
        j->plan->root = bodies + end[j->plan->root - bodies] - 1;
    j->plan->nodes = sorted;
    return TN_OK;
}

/* ---- life ---- */

static void enter_bodies(joiner *j)
{
    const tn_structure *s = j->structure;
    for (int e = 0; e < s->block_begin[s->constraints]; e++)
        j->begin[s->block_body[e] + 1]++;
    for (int b = 0; b < s->bodies; b++)
        j->begin[b + 1] += j->begin[b];
    for (int c = 0; c < s->constraints; c++)
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++) {
            int body = s->block_body[e];
            j->touching[j->begin[body] + j->open[body]++] = c;
        }
    for (int b = 0; b < s->bodies; b++) {
        j->leader[b] = b;
        j->group[b] = s->groups > 0 && s->body_group[b] != -1 ? s->body_group[b] : s->groups;
        set_part(j, b, b);
    }
}

static int hold_ports(joiner *j, const int *ports, int count)
{
    for (int n = 0; n < count; n++) {
        if (ports[n] < 0 || ports[n] >= j->structure->bodies || (n > 0 && ports[n] <= ports[n - 1]))
            return TN_ERROR_ARGUMENT;
        j->held[ports[n]] = true;
    }
    return TN_OK;
}

static int begin_cluster(joiner *j, tn_arena *scratch)
{
    const tn_structure *s = j->structure;
    const size_t bodies = (size_t)s->bodies, blocks = (size_t)s->block_begin[s->constraints];
    int **of_bodies[] = { &j->open, &j->leader, &j->size, &j->columns, &j->part, &j->group };
    for (size_t i = 0; i < TN_LENGTH(of_bodies); i++)
        *of_bodies[i] = tn_arena_alloc(scratch, bodies, sizeof(int));
    j->begin = tn_arena_alloc(scratch, bodies + 1, sizeof(int));
    j->touching = tn_arena_alloc(scratch, blocks, sizeof(int));
    j->grounded = tn_arena_alloc(scratch, bodies, sizeof(bool));
    j->held = tn_arena_alloc(scratch, bodies, sizeof(bool));
    j->closed = tn_arena_alloc(scratch, (size_t)s->constraints, sizeof(bool));
    j->seen = tn_arena_alloc(scratch, (size_t)s->constraints, sizeof(int));
    j->found = tn_arena_alloc(scratch, (size_t)s->constraints, sizeof(int));
    /* nodes: one per body with ground, one per join of two, one per group of several pieces */
    j->plan->nodes = tn_arena_alloc(j->arena, 2 * bodies + (size_t)s->groups, sizeof(tn_cluster_node));
    j->plan->group_part = tn_arena_alloc(j->arena, (size_t)s->groups, sizeof(int));
    TN_TRY(tn_arena_status(scratch));
    TN_TRY(tn_arena_status(j->arena));
    enter_bodies(j);
    return TN_OK;
}

int tn_cluster(tn_cluster_plan *plan, tn_arena *arena, tn_context *context, const tn_structure *structure,
               const int *ports, int port_count)
{
    tn_arena *scratch = tn_arena_create(context);
    if (!scratch)
        return TN_ERROR_MEMORY;
    *plan = (tn_cluster_plan){ 0 };
    joiner j = { .structure = structure, .context = context, .arena = arena, .plan = plan };
    int code = begin_cluster(&j, scratch);
    if (code == TN_OK)
        code = hold_ports(&j, ports, port_count);
    if (code == TN_OK)
        code = join_all(&j, port_count, scratch);
    if (code == TN_OK)
        code = renumber(&j, scratch);
    tn_free(context, j.heap);
    tn_arena_destroy(scratch);
    return code;
}
