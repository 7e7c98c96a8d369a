/* The analysis of a condenser, before any numerics: the bodies and nodes that each node joins, the order of the nodes,
 * and the columns of the ports. */
#include "condenser.h"

#include <string.h>

/* ---- analysis ---- */

static int columns_of(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static double *doubles(tn_arena *arena, int rows, int columns)
{
    return tn_arena_alloc(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

/* Memory for a response whose size is known. */
static int create_response(tn_response *response, tn_arena *arena)
{
    response->rank = response->room;
    response->T = doubles(arena, response->room, response->columns);
    response->r = doubles(arena, response->columns, 1);
    response->tau = doubles(arena, response->columns, 1);
    return response->T && response->r && response->tau ? TN_OK : TN_ERROR_MEMORY;
}

static tn_response *response_of(const tn_condenser *k, int part)
{
    int bodies = k->structure->bodies;
    return part < bodies ? &k->bodies[part] : &k->nodes[part - bodies].response;
}

/* First column of a body in the response of a part; -1: the body is not a port. */
static int port_place(const tn_condenser *k, const tn_cluster_plan *plan, int part, int body)
{
    const tn_structure *s = k->structure;
    if (part < s->bodies)
        return part == body ? 0 : -1;
    const tn_cluster_node *node = &plan->nodes[part - s->bodies];
    for (int n = 0, at = 0; n < node->port_count && node->ports[n] <= body; n++) {
        if (node->ports[n] == body)
            return at;
        at += columns_of(s, node->ports[n]);
    }
    return -1;
}

/* First column of a body in the response of the child that contains it. */
typedef struct place {
    int child, column;
} place;

static place find_port(const tn_condenser *k, const tn_cluster_plan *plan, const tn_cluster_node *node,
                                int body)
{
    place port = { 0, -1 };
    while ((port.column = port_place(k, plan, node->children[port.child], body)) < 0)
        port.child++;
    return port;
}

static int prepare_blocks(tn_tree_node *node, const tn_condenser *k, const tn_cluster_plan *all,
                          const tn_cluster_node *plan)
{
    const tn_structure *s = k->structure;
    for (int n = 0; n < plan->constraint_count; n++)
        node->block_count += s->block_begin[plan->constraints[n] + 1] - s->block_begin[plan->constraints[n]];
    node->blocks = tn_arena_alloc(k->arena, (size_t)node->block_count, sizeof(tn_tree_block));
    if (!node->blocks)
        return TN_ERROR_MEMORY;
    tn_tree_block *block = node->blocks;
    for (int n = 0, row = 0; n < plan->constraint_count; n++) {
        int c = plan->constraints[n], rows = s->constraint_row[c + 1] - s->constraint_row[c];
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1]; e++, block++) {
            int body = s->block_body[e], columns = columns_of(s, body);
            place port = find_port(k, all, plan, body);
            *block = (tn_tree_block){ .child = port.child, .column = port.column, .row = row, .rows = rows,
                                      .columns = columns, .source = s->block_offset[e],
                                      .column_scale = s->column_scale + s->body_column[body],
                                      .stride = (rows + 1) & ~1,
                                      .from = tn_arena_alloc(k->arena, (size_t)rows, sizeof(int)),
                                      .place = tn_arena_alloc(k->arena, (size_t)rows, sizeof(int)),
                                      .values = doubles(k->arena, rows + 1, columns) };
            if (!block->from || !block->place || !block->values)
                return TN_ERROR_MEMORY;
        }
        row += rows;
    }
    return TN_OK;
}

static int prepare_ports(tn_tree_node *node, const tn_condenser *k, const tn_cluster_plan *all,
                         const tn_cluster_node *plan)
{
    node->runs = tn_arena_alloc(k->arena, (size_t)plan->port_count, sizeof(tn_port_run));
    node->hidden = tn_arena_alloc(k->arena, (size_t)node->child_count, sizeof(bool));
    if (!node->runs || !node->hidden)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < node->child_count; n++)
        node->hidden[n] = true;
    for (int n = 0, own = 0; n < plan->port_count; n++) {
        const int columns = columns_of(k->structure, plan->ports[n]);
        place at = find_port(k, all, plan, plan->ports[n]);
        tn_port_run *last = node->run_count > 0 ? &node->runs[node->run_count - 1] : NULL;
        if (last && last->child == at.child && last->column + last->count == at.column)
            last->count += columns;
        else
            node->runs[node->run_count++] = (tn_port_run){ at.child, at.column, own, columns };
        node->hidden[at.child] = false;
        own += columns;
    }
    return TN_OK;
}

static int prepare_rows(tn_tree_node *node, const tn_condenser *k, const tn_cluster_node *plan)
{
    const int *first = k->structure->constraint_row;
    for (int n = 0; n < plan->constraint_count; n++)
        node->rows += first[plan->constraints[n] + 1] - first[plan->constraints[n]];
    int *row = tn_arena_alloc(k->arena, (size_t)node->rows, sizeof(int));
    node->row = row;
    node->pivot = tn_arena_alloc(k->arena, (size_t)node->rows, sizeof(int));
    node->place = tn_arena_alloc(k->arena, (size_t)node->rows, sizeof(int));
    if (!row || !node->pivot || !node->place)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < plan->constraint_count; n++)
        for (int i = first[plan->constraints[n]]; i < first[plan->constraints[n] + 1]; i++)
            *row++ = i;
    return TN_OK;
}

static int prepare_work(tn_tree_node *node, tn_arena *arena)
{
    node->stride = (node->rows + node->response.columns + 1) & ~1;
    node->W = doubles(arena, node->room, node->stride);
    node->v = doubles(arena, node->room + node->rows, 1);
    node->at = tn_arena_alloc(arena, (size_t)node->room, sizeof(int));
    node->y = doubles(arena, node->stride, 1);
    node->x = doubles(arena, node->stride, 1);
    return node->W && node->v && node->at && node->y && node->x ? TN_OK : TN_ERROR_MEMORY;
}

static int prepare_node(tn_tree_node *node, const tn_condenser *k, const tn_cluster_plan *all,
                        const tn_cluster_node *plan)
{
    node->child_count = plan->child_count;
    node->closing = plan->closing;
    node->children = tn_arena_alloc(k->arena, (size_t)plan->child_count, sizeof(tn_response *));
    if (!node->children)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < plan->child_count; n++) {
        node->children[n] = response_of(k, plan->children[n]);
        if (!node->children[n]->T)                                 /* the child belongs to another member */
            TN_TRY(create_response(node->children[n], k->arena));
    }
    TN_TRY(prepare_rows(node, k, plan));
    TN_TRY(prepare_blocks(node, k, all, plan));
    TN_TRY(prepare_ports(node, k, all, plan));
    TN_TRY(create_response(&node->response, k->arena));
    return prepare_work(node, k->arena);
}

/* Sizes of all responses, also of other members' responses. */
static void measure_responses(tn_condenser *k, const tn_cluster_plan *plan)
{
    const tn_structure *s = k->structure;
    for (int b = 0; b < s->bodies; b++)
        k->bodies[b].columns = k->bodies[b].room = columns_of(s, b);
    for (int n = 0; n < plan->node_count; n++) {
        tn_tree_node *node = &k->nodes[n];
        for (int p = 0; p < plan->nodes[n].port_count; p++)
            node->response.columns += columns_of(s, plan->nodes[n].ports[p]);
        for (int c = 0; c < plan->nodes[n].child_count; c++)
            node->room += response_of(k, plan->nodes[n].children[c])->room;
        node->response.room = node->response.columns < node->room ? node->response.columns : node->room;
    }
}

/* Marks the nodes with another member's node in their subtree: they may have to wait. */
static bool *find_late(const tn_cluster_plan *plan, const tn_node_placement *placement, tn_arena *scratch)
{
    bool *late = tn_arena_alloc(scratch, (size_t)plan->node_count, sizeof(bool));
    for (int n = 0; late && n < plan->node_count; n++) {
        int parent = plan->nodes[n].parent;
        if (parent >= 0 && (late[n] || placement->node_rank[parent] != placement->node_rank[n]))
            late[parent] = true;
    }
    return late;
}

static void add_turn(tn_condenser *k, const tn_cluster_plan *plan, const tn_node_placement *placement, int n)
{
    const int bodies = k->structure->bodies;
    tn_turn *t = &k->turns[k->turn_count], *before = t - 1;
    *t = (tn_turn){ .node = n, .taken = k->turn_count ? before->taken_end : 0,
                 .foreign = k->turn_count ? before->foreign_end : 0 };
    t->taken_end = t->taken;
    t->foreign_end = t->foreign;
    k->turn_count++;
    for (int c = 0; c < plan->nodes[n].child_count; c++) {
        int child = plan->nodes[n].children[c];
        if (child < bodies)
            k->taken[t->taken_end++] = child;
        else if (placement->node_rank[child - bodies] != placement->node_rank[n])
            k->foreign[t->foreign_end++] = child - bodies;
    }
}

/* Bodies of this process that no node takes in. */
static void add_last_turn(tn_condenser *k, const tn_node_placement *placement, const bool *taken, int rank)
{
    tn_turn *t = &k->turns[k->turn_count], *before = t - 1;
    *t = (tn_turn){ .node = -1, .taken = k->turn_count ? before->taken_end : 0 };
    t->taken_end = t->taken;
    k->turn_count++;
    for (int b = 0; b < k->structure->bodies; b++)
        if (!taken[b] && placement->body_rank[b] == rank)
            k->taken[t->taken_end++] = b;
}

static int list_turns(tn_condenser *k, const tn_cluster_plan *plan, const tn_node_placement *placement, int rank,
                      tn_arena *scratch)
{
    const int bodies = k->structure->bodies;
    const bool *late = find_late(plan, placement, scratch);
    bool *taken = tn_arena_alloc(scratch, (size_t)bodies, sizeof(bool));
    k->turns = tn_arena_alloc(k->arena, (size_t)plan->node_count + 1, sizeof(tn_turn));
    k->taken = tn_arena_alloc(k->arena, (size_t)bodies, sizeof(int));
    k->foreign = tn_arena_alloc(k->arena, (size_t)placement->links, sizeof(int));
    if (!late || !taken || !k->turns || !k->taken || !k->foreign)
        return TN_ERROR_MEMORY;
    for (int waits = 0; waits < 2; waits++)
        for (int n = 0; n < plan->node_count; n++)
            if (placement->node_rank[n] == rank && late[n] == waits)
                add_turn(k, plan, placement, n);
    for (int n = 0; n < plan->node_count; n++)
        for (int c = 0; c < plan->nodes[n].child_count; c++)
            if (plan->nodes[n].children[c] < bodies)
                taken[plan->nodes[n].children[c]] = true;
    add_last_turn(k, placement, taken, rank);
    return TN_OK;
}

/* Allocates the nodes in the order in which they are used. */
static int prepare_turns(tn_condenser *k, const tn_cluster_plan *plan)
{
    for (int n = 0; n < k->turn_count; n++) {
        const tn_turn *t = &k->turns[n];
        for (int i = t->taken; i < t->taken_end; i++)
            TN_TRY(create_response(&k->bodies[k->taken[i]], k->arena));
        if (t->node >= 0)
            TN_TRY(prepare_node(&k->nodes[t->node], k, plan, &plan->nodes[t->node]));
    }
    return TN_OK;
}

static int build_condenser_plan(tn_condenser *k, const tn_team *team, const int *ports, int port_count, tn_arena *scratch)
{
    const tn_structure *s = k->structure;
    tn_cluster_plan plan;
    tn_node_placement *placement = tn_arena_alloc(k->arena, 1, sizeof *placement);
    if (!placement)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->bodies; b++)
        if (columns_of(s, b) > TN_MOST_BODY_COLUMNS)
            return TN_ERROR_ARGUMENT;
    TN_TRY(tn_cluster(&plan, scratch, k->context, s, ports, port_count));
    TN_TRY(tn_place_nodes(placement, k->arena, k->context, &plan, s, team ? team->size : 1));
    k->bodies = tn_arena_alloc(k->arena, (size_t)s->bodies, sizeof(tn_response));
    k->nodes = tn_arena_alloc(k->arena, (size_t)plan.node_count, sizeof(tn_tree_node));
    if (!k->bodies || !k->nodes)
        return TN_ERROR_MEMORY;
    measure_responses(k, &plan);
    TN_TRY(list_turns(k, &plan, placement, team ? team->rank : 0, scratch));
    TN_TRY(prepare_turns(k, &plan));
    k->root = plan.root < 0 ? NULL : response_of(k, plan.root);
    return team ? tn_exchange_create(&k->exchange, k->arena, team, s, &plan, placement, k->nodes) : TN_OK;
}

void tn_condenser_destroy(tn_condenser *k)
{
    if (!k)
        return;
    tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

static int create_condenser_plan(tn_condenser **out, tn_context *context, const tn_structure *structure, const tn_team *team,
                  const int *ports, int port_count)
{
    tn_condenser *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->structure = structure;
    k->arena = tn_arena_create(context);
    tn_arena *scratch = tn_arena_create(context);
    int code = k->arena && scratch ? build_condenser_plan(k, team, ports, port_count, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    if (code < 0) {
        tn_condenser_destroy(k);
        return code;
    }
    *out = k;
    return TN_OK;
}

int tn_condenser_create(tn_condenser **out, tn_context *context, const tn_structure *structure, const int *ports,
                        int port_count)
{
    return create_condenser_plan(out, context, structure, NULL, ports, port_count);
}

int tn_condenser_create_shared(tn_condenser **out, tn_context *context, const tn_structure *structure,
                               const tn_team *team)
{
    return create_condenser_plan(out, context, structure, team, NULL, 0);
}
