/* Condensation up a tree of subsystems, back-substitution down (Vlasenko and Kasper, DETC2007/
 * VIB-35065, in square-root form).
 *
 * A part of the system shows outside how its ports, the bodies that constraints outside touch, answer to forces tau on
 * them: a = D tau + r. A body alone has D = M^-1, r = M^-1 f. A node joins parts, D^ = diag(D_k), r^ = (r_k), by the
 * rows G a^ = u of its own constraints; P picks its ports. With D^ = T^'T^ one orthogonal factorization does it all,
 *     T^ ( G1' P' ) = Q [ R1 E ; 0 T ]          G1: independent rows of G
 *     y = R1^-T (u1 - G1 r^)
 *     D = T'T,   r = P r^ + E'y                 up
 *     lambda1 = R1^-1 (y - E tau),   tau^ = G1'lambda1 + P'tau                  down
 * Q is not kept, no matrix is squared, and D is positive semidefinite by construction. In the end bodies have
 * a = r + D tau. The rows of a child without ports of the node are made a triangle before the others join them: most
 * joints tie such a body to the rest, and its rows then cost what the joint has, not what the ports have.
 *
 * Rows that depend on others show where loops close; they are left out, with lambda = 0. Which, is decided in the
 * metric of lengths: the same condensation with T = 1 / scale for the bodies, where the pivot of a row of unit length
 * is its distance from all rows inside. So ranks do not depend on masses. TN_RANK_KEEP repeats the rows of the last
 * decision.
 *
 * A team shares the nodes (placement.h) and passes T, r and tau between them (exchange.h). A member has the nodes that
 * it was given, in full, and the responses of what they join. Each node computes the same whoever has it, so that the
 * results are those of one process to the bit. When a node fails the pass goes on nevertheless, so that nobody waits in
 * vain, and all learn of it in the end. */
#include "dense.h"
#include "exchange.h"
#include "tenon/sys/condense.h"

#include <math.h>
#include <string.h>

/* Most columns a body may have. */
enum { BODY_COLUMNS = 6 };

/* What is done with one node; the last turn is that of bodies that no constraint touches. */
typedef struct turn {
    int node;                      /* -1: none */
    int taken, taken_end;          /* bodies it takes in */
    int foreign, foreign_end;      /* nodes of other members that it joins */
} turn;

struct tn_condenser {
    tn_context *context;
    tn_arena *arena;
    const tn_structure *structure;
    tn_response *bodies;
    tn_tree_node *nodes;
    int node_count;
    turn *turns;                   /* of this process: children before parents, those that wait for others last */
    int turn_count;
    int *taken, *foreign;
    tn_response *root;             /* what shows outside; NULL: nothing does */
    tn_exchange *exchange;         /* NULL: this process works alone */
    tn_outcome own, outcome;       /* of the last factorization: here, of all */
    bool decided;
};

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

/* Where a body's columns start in the response of a part; -1: it is not among the ports. */
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

/* Where a body's columns start among those of the children. */
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
        if (!node->children[n]->T)                                 /* it belongs to another member */
            TN_TRY(create_response(node->children[n], k->arena));
    }
    TN_TRY(prepare_rows(node, k, plan));
    TN_TRY(prepare_blocks(node, k, all, plan));
    TN_TRY(prepare_ports(node, k, all, plan));
    TN_TRY(create_response(&node->response, k->arena));
    return prepare_work(node, k->arena);
}

/* Sizes of all responses, also of those that are not here. */
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

/* Marks the nodes with something below that is another member's: they may have to wait. */
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
    turn *t = &k->turns[k->turn_count], *before = t - 1;
    *t = (turn){ .node = n, .taken = k->turn_count ? before->taken_end : 0,
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
    turn *t = &k->turns[k->turn_count], *before = t - 1;
    *t = (turn){ .node = -1, .taken = k->turn_count ? before->taken_end : 0 };
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
    k->turns = tn_arena_alloc(k->arena, (size_t)plan->node_count + 1, sizeof(turn));
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

/* In memory as they are used. */
static int prepare_turns(tn_condenser *k, const tn_cluster_plan *plan)
{
    for (int n = 0; n < k->turn_count; n++) {
        const turn *t = &k->turns[n];
        for (int i = t->taken; i < t->taken_end; i++)
            TN_TRY(create_response(&k->bodies[k->taken[i]], k->arena));
        if (t->node >= 0)
            TN_TRY(prepare_node(&k->nodes[t->node], k, plan, &plan->nodes[t->node]));
    }
    return TN_OK;
}

static int build(tn_condenser *k, const tn_team *team, const int *ports, int port_count, tn_arena *scratch)
{
    const tn_structure *s = k->structure;
    tn_cluster_plan plan;
    tn_node_placement *placement = tn_arena_alloc(k->arena, 1, sizeof *placement);
    if (!placement)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->bodies; b++)
        if (columns_of(s, b) > BODY_COLUMNS)
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

static int create(tn_condenser **out, tn_context *context, const tn_structure *structure, const tn_team *team,
                  const int *ports, int port_count)
{
    tn_condenser *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->structure = structure;
    k->arena = tn_arena_create(context);
    tn_arena *scratch = tn_arena_create(context);
    int code = k->arena && scratch ? build(k, team, ports, port_count, scratch) : TN_ERROR_MEMORY;
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
    return create(out, context, structure, NULL, ports, port_count);
}

int tn_condenser_create_shared(tn_condenser **out, tn_context *context, const tn_structure *structure,
                               const tn_team *team)
{
    return create(out, context, structure, team, NULL, 0);
}

int tn_condenser_columns(const tn_condenser *k)
{
    return k->root ? k->root->columns : 0;
}

/* ---- factor ---- */

/* Where ranks are decided, a body answers to a force with its column's length alone. */
static void measure_body(tn_response *body, const double *scale)
{
    memset(body->T, 0, (size_t)(body->columns * body->columns) * sizeof(double));
    for (int j = 0; j < body->columns; j++)
        body->T[j * (body->columns + 1)] = 1 / scale[j];
}

/* Columns in front that only have a diagonal entry in M. */
static int count_decoupled(int n, const double *M)
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            if (M[i + j * n] != 0)
                return j;
    return n;
}

/* T = L^-1 with M = L L'. */
static int free_body(tn_response *body, const double *M)
{
    const int n = body->columns, d = body->decoupled = count_decoupled(n, M), m = n - d;
    double L[BODY_COLUMNS * BODY_COLUMNS];
    memset(body->T, 0, (size_t)(n * n) * sizeof(double));
    for (int j = 0; j < d; j++) {
        if (!(M[j * (n + 1)] > 0))
            return TN_ERROR_STEP;
        body->T[j * (n + 1)] = 1 / sqrt(M[j * (n + 1)]);
    }
    for (int j = 0; j < m; j++)
        memcpy(L + j * m, M + d + (d + j) * n, (size_t)m * sizeof(double));
    if (tn_cholesky(m, L, m) < 0)
        return TN_ERROR_STEP;
    for (int i = 0; i < m; i++) {
        double *T = body->T + d + (d + i) * n;
        const double inverse = 1 / L[i + i * m];
        for (int k = 0; k < i; k++)
            for (int j = 0; j <= k; j++)
                T[j] -= L[i + k * m] * body->T[d + j + (d + k) * n];
        for (int j = 0; j < i; j++)
            T[j] *= inverse;
        T[i] = inverse;
    }
    return TN_OK;
}

/* Responses of foreign nodes that this turn needs. */
static int await_foreign(tn_condenser *k, const turn *t, tn_message message, tn_content content)
{
    for (int i = t->foreign; i < t->foreign_end; i++)
        TN_TRY(tn_exchange_await(k->exchange, k->foreign[i], message, content));
    return TN_OK;
}

static void note(tn_condenser *k, int code)
{
    if (code < 0)
        k->own.code = code;
}

static int decide(tn_condenser *k, const double *G)
{
    const tn_structure *s = k->structure;
    const tn_content all = { 0 };
    TN_TRY(tn_exchange_expect(k->exchange, TN_MESSAGE_DECIDED, all));
    for (int n = 0; n < k->turn_count - 1; n++) {
        const turn *t = &k->turns[n];
        TN_TRY(await_foreign(k, t, TN_MESSAGE_DECIDED, all));
        for (int i = t->taken; i < t->taken_end; i++)
            measure_body(&k->bodies[k->taken[i]], s->column_scale + s->body_column[k->taken[i]]);
        note(k, tn_tree_node_condense(&k->nodes[t->node], G, TN_TREE_DECIDE));
        TN_TRY(tn_exchange_send(k->exchange, t->node, TN_MESSAGE_DECIDED, all));
    }
    return TN_OK;
}

/* ---- up ---- */

/* a += T'T f */
static void respond(const tn_response *body, const double *f, double *a)
{
    const int n = body->columns, d = body->decoupled;
    for (int i = 0; i < d; i++)
        a[i] += body->T[i * (n + 1)] * body->T[i * (n + 1)] * f[i];
    for (int i = d; i < n; i++) {
        const double *T = body->T + i * n;
        double x = 0;
        for (int j = d; j <= i; j++)
            x += T[j] * f[j];
        for (int j = d; j <= i; j++)
            a[j] += T[j] * x;
    }
}

/* What is found on the way up: T from M and G, r from f and u; NULL: it stays. */
typedef struct given {
    const double *M, *G, *f, *u;
} given;

static void take_bodies(tn_condenser *k, const turn *t, const given *g)
{
    const tn_structure *s = k->structure;
    for (int i = t->taken; i < t->taken_end; i++) {
        const int b = k->taken[i];
        tn_response *body = &k->bodies[b];
        if (g->M)
            note(k, free_body(body, g->M + s->mass_offset[b]));
        if (!g->f)
            continue;
        memset(body->r, 0, (size_t)body->columns * sizeof(double));
        respond(body, g->f + s->body_column[b], body->r);
    }
}

static int pass_up(tn_condenser *k, const given *g)
{
    const tn_content content = { .T = g->M != NULL, .r = g->f != NULL };
    TN_TRY(tn_exchange_expect(k->exchange, TN_MESSAGE_RESPONSE, content));
    for (int n = 0; n < k->turn_count; n++) {
        const turn *t = &k->turns[n];
        take_bodies(k, t, g);
        if (t->node < 0)
            continue;
        TN_TRY(await_foreign(k, t, TN_MESSAGE_RESPONSE, content));
        if (g->M)
            note(k, tn_tree_node_condense(&k->nodes[t->node], g->G, TN_TREE_REPEAT));
        if (g->f)
            tn_tree_node_condense_free(&k->nodes[t->node], g->u);
        TN_TRY(tn_exchange_send(k->exchange, t->node, TN_MESSAGE_RESPONSE, content));
    }
    return TN_OK;
}

/* What own nodes came to. */
static void sum_up(tn_condenser *k)
{
    k->own.rank = 0;
    k->own.weakest = 1;
    k->own.dropped = 0;
    for (int n = 0; n < k->turn_count - 1; n++) {
        const tn_tree_node *node = &k->nodes[k->turns[n].node];
        k->own.rank += node->rank;
        k->own.weakest = fmin(k->own.weakest, node->weakest);
        k->own.dropped = fmax(k->own.dropped, node->dropped);
    }
}

static int factor_up(tn_condenser *k, tn_rank_rule rule, const given *g)
{
    bool keep = rule == TN_RANK_KEEP && k->decided;
    k->decided = false;
    k->own.code = TN_OK;
    if (!keep)
        TN_TRY(decide(k, g->G));
    TN_TRY(pass_up(k, g));
    sum_up(k);
    return TN_OK;
}

/* All learn whether the factorization is good; a, lambda: and get the solution. */
static int agree(tn_condenser *k, double *a, double *lambda)
{
    k->decided = false;
    TN_TRY(tn_exchange_gather(k->exchange, &k->own, &k->outcome, a, lambda));
    k->decided = k->outcome.code == TN_OK;
    return k->outcome.code;
}

int tn_condenser_factor(tn_condenser *k, const double *M, const double *G, tn_rank_rule rule)
{
    TN_TRY(factor_up(k, rule, &(given){ .M = M, .G = G }));
    return agree(k, NULL, NULL);
}

int tn_condenser_factor_free(tn_condenser *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                             const double *u)
{
    return factor_up(k, rule, &(given){ M, G, f, u });
}

int tn_condenser_free(tn_condenser *k, const double *f, const double *u, double *r)
{
    TN_TRY(pass_up(k, &(given){ .f = f, .u = u }));
    if (r && k->root)
        memcpy(r, k->root->r, (size_t)k->root->columns * sizeof(double));
    return TN_OK;
}

void tn_condenser_response(const tn_condenser *k, double *D)
{
    const int n = tn_condenser_columns(k);
    memset(D, 0, (size_t)(n * n) * sizeof(double));
    for (int m = 0; k->root && m < k->root->rank; m++) {
        const double *T = k->root->T + m * n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                D[j + i * n] += T[i] * T[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            D[i + j * n] = D[j + i * n];
}

/* ---- down ---- */

static int send_forces(tn_condenser *k, const turn *t)
{
    for (int i = t->foreign; i < t->foreign_end; i++)
        TN_TRY(tn_exchange_send(k->exchange, k->foreign[i], TN_MESSAGE_FORCES, (tn_content){ 0 }));
    return TN_OK;
}

/* tau of all parts; what bodies make of it. */
static int pass_down(tn_condenser *k, double *a, double *lambda)
{
    const tn_content all = { 0 };
    TN_TRY(tn_exchange_expect(k->exchange, TN_MESSAGE_FORCES, all));
    for (int n = k->turn_count - 1; n >= 0; n--) {
        const turn *t = &k->turns[n];
        if (t->node >= 0) {
            TN_TRY(tn_exchange_await(k->exchange, t->node, TN_MESSAGE_FORCES, all));
            tn_tree_node_back_substitute(&k->nodes[t->node], lambda);
            TN_TRY(send_forces(k, t));
        }
        for (int i = t->taken; i < t->taken_end; i++) {
            const tn_response *body = &k->bodies[k->taken[i]];
            double *own = a + k->structure->body_column[k->taken[i]];
            memcpy(own, body->r, (size_t)body->columns * sizeof(double));
            respond(body, body->tau, own);
        }
    }
    return TN_OK;
}

int tn_condenser_back_substitute(tn_condenser *k, const double *tau, double *a, double *lambda)
{
    if (k->root && tau)
        memcpy(k->root->tau, tau, (size_t)k->root->columns * sizeof(double));
    else if (k->root)
        memset(k->root->tau, 0, (size_t)k->root->columns * sizeof(double));
    TN_TRY(pass_down(k, a, lambda));
    return agree(k, a, lambda);
}

void tn_condenser_info(const tn_condenser *k, tn_saddle_info *out)
{
    const tn_structure *s = k->structure;
    *out = (tn_saddle_info){ .rows = s->constraint_row[s->constraints], .columns = s->body_column[s->bodies],
                             .rank = k->outcome.rank, .weakest_pivot = k->outcome.weakest,
                             .largest_drop = k->outcome.dropped };
}
