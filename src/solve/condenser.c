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
 * a = r + D tau.
 *
 * Rows that depend on others show where loops close; they are left out, with lambda = 0. Which, is decided in the
 * metric of lengths: the same condensation with T = 1 / scale for the bodies, where the pivot of a row of unit length
 * is its distance from all rows inside. So ranks do not depend on masses. TN_RANK_KEEP repeats the rows of the last
 * decision. */
#include "cluster.h"
#include "dense.h"
#include "mem.h"
#include "tenon/sys/condense.h"
#include "tree_node.h"

#include <math.h>
#include <string.h>

/* Most columns a body may have. */
enum { BODY_COLUMNS = 6 };

struct tn_condenser {
    tn_context *context;
    tn_arena *arena;
    const tn_structure *structure;
    tn_response *bodies;
    tn_tree_node *nodes;
    int node_count;
    int *taken_begin, *taken;      /* bodies that each node takes in; last, those that no constraint touches */
    tn_response *root;             /* what shows outside; NULL: nothing does */
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

static int create_response(tn_response *response, int columns, int room, tn_arena *arena)
{
    *response = (tn_response){ .columns = columns, .room = room, .rank = room, .T = doubles(arena, room, columns),
                               .r = doubles(arena, columns, 1), .tau = doubles(arena, columns, 1) };
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

static tn_port_column find_port(const tn_condenser *k, const tn_cluster_plan *plan, const tn_cluster_node *node,
                                int body)
{
    tn_port_column port = { 0, -1 };
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
            tn_port_column port = find_port(k, all, plan, body);
            *block = (tn_tree_block){ .child = port.child, .column = port.column, .row = row, .rows = rows,
                                      .columns = columns, .source = s->block_offset[e],
                                      .column_scale = s->column_scale + s->body_column[body],
                                      .values = doubles(k->arena, rows, columns) };
            if (!block->values)
                return TN_ERROR_MEMORY;
        }
        row += rows;
    }
    return TN_OK;
}

static int prepare_ports(tn_tree_node *node, const tn_condenser *k, const tn_cluster_plan *all,
                         const tn_cluster_node *plan, int columns)
{
    node->ports = tn_arena_alloc(k->arena, (size_t)columns, sizeof(tn_port_column));
    if (!node->ports)
        return TN_ERROR_MEMORY;
    for (int n = 0, at = 0; n < plan->port_count; n++) {
        tn_port_column port = find_port(k, all, plan, plan->ports[n]);
        for (int j = 0; j < columns_of(k->structure, plan->ports[n]); j++)
            node->ports[at++] = (tn_port_column){ port.child, port.column + j };
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
    node->y = doubles(k->arena, node->rows, 1);
    node->z = doubles(k->arena, node->rows, 1);
    node->lambda = doubles(k->arena, node->rows, 1);
    if (!row || !node->pivot || !node->y || !node->z || !node->lambda)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < plan->constraint_count; n++)
        for (int i = first[plan->constraints[n]]; i < first[plan->constraints[n] + 1]; i++)
            *row++ = i;
    return TN_OK;
}

static int prepare_node(tn_tree_node *node, const tn_condenser *k, const tn_cluster_plan *all,
                        const tn_cluster_node *plan)
{
    int columns = 0;
    for (int n = 0; n < plan->port_count; n++)
        columns += columns_of(k->structure, plan->ports[n]);
    node->child_count = plan->child_count;
    node->closing = plan->closing;
    node->children = tn_arena_alloc(k->arena, (size_t)plan->child_count, sizeof(tn_response *));
    node->child_row = tn_arena_alloc(k->arena, (size_t)plan->child_count, sizeof(int));
    if (!node->children || !node->child_row)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < plan->child_count; n++) {
        node->children[n] = response_of(k, plan->children[n]);
        node->room += node->children[n]->room;
    }
    TN_TRY(prepare_rows(node, k, plan));
    TN_TRY(prepare_blocks(node, k, all, plan));
    TN_TRY(prepare_ports(node, k, all, plan, columns));
    TN_TRY(create_response(&node->response, columns, columns < node->room ? columns : node->room, k->arena));
    node->W = doubles(k->arena, node->room, node->rows + columns);
    return node->W ? TN_OK : TN_ERROR_MEMORY;
}

/* Bodies by the node that takes them in. */
static int list_taken(tn_condenser *k, const tn_cluster_plan *plan, tn_arena *scratch)
{
    const int bodies = k->structure->bodies;
    bool *done = tn_arena_alloc(scratch, (size_t)bodies, sizeof(bool));
    k->taken_begin = tn_arena_alloc(k->arena, (size_t)plan->node_count + 2, sizeof(int));
    k->taken = tn_arena_alloc(k->arena, (size_t)bodies, sizeof(int));
    if (!done || !k->taken_begin || !k->taken)
        return TN_ERROR_MEMORY;
    int count = 0;
    for (int n = 0; n < plan->node_count; n++) {
        for (int c = 0; c < plan->nodes[n].child_count; c++)
            if (plan->nodes[n].children[c] < bodies) {
                k->taken[count++] = plan->nodes[n].children[c];
                done[plan->nodes[n].children[c]] = true;
            }
        k->taken_begin[n + 1] = count;
    }
    for (int b = 0; b < bodies; b++)
        if (!done[b])
            k->taken[count++] = b;
    k->taken_begin[plan->node_count + 1] = count;
    return TN_OK;
}

static int build(tn_condenser *k, const int *ports, int port_count, tn_arena *scratch)
{
    const tn_structure *s = k->structure;
    tn_cluster_plan plan;
    for (int b = 0; b < s->bodies; b++)
        if (columns_of(s, b) > BODY_COLUMNS)
            return TN_ERROR_ARGUMENT;
    TN_TRY(tn_cluster(&plan, scratch, k->context, s, ports, port_count));
    k->node_count = plan.node_count;
    k->bodies = tn_arena_alloc(k->arena, (size_t)s->bodies, sizeof(tn_response));
    k->nodes = tn_arena_alloc(k->arena, (size_t)plan.node_count, sizeof(tn_tree_node));
    if (!k->bodies || !k->nodes)
        return TN_ERROR_MEMORY;
    TN_TRY(list_taken(k, &plan, scratch));
    for (int n = 0; n <= plan.node_count; n++) {           /* in memory as they are used */
        for (int i = k->taken_begin[n]; i < k->taken_begin[n + 1]; i++) {
            int columns = columns_of(s, k->taken[i]);
            TN_TRY(create_response(&k->bodies[k->taken[i]], columns, columns, k->arena));
        }
        if (n < plan.node_count)
            TN_TRY(prepare_node(&k->nodes[n], k, &plan, &plan.nodes[n]));
    }
    k->root = plan.root < 0 ? NULL : response_of(k, plan.root);
    return TN_OK;
}

void tn_condenser_destroy(tn_condenser *k)
{
    if (!k)
        return;
    tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

int tn_condenser_create(tn_condenser **out, tn_context *context, const tn_structure *structure, const int *ports,
                        int port_count)
{
    tn_condenser *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->structure = structure;
    k->arena = tn_arena_create(context);
    tn_arena *scratch = tn_arena_create(context);
    int code = k->arena && scratch ? build(k, ports, port_count, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    if (code < 0) {
        tn_condenser_destroy(k);
        return code;
    }
    *out = k;
    return TN_OK;
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

/* T = L^-1 with M = L L'. */
static int free_body(tn_response *body, const double *M)
{
    const int n = body->columns;
    double L[BODY_COLUMNS * BODY_COLUMNS];
    memcpy(L, M, (size_t)(n * n) * sizeof(double));
    if (tn_cholesky(n, L, n) < 0)
        return TN_ERROR_STEP;
    memset(body->T, 0, (size_t)(n * n) * sizeof(double));
    for (int j = 0; j < n; j++) {
        double *T = body->T + j * n;
        T[j] = 1 / L[j + j * n];
        for (int i = j + 1; i < n; i++) {
            for (int m = j; m < i; m++)
                T[i] -= L[i + m * n] * T[m];
            T[i] /= L[i + i * n];
        }
    }
    return TN_OK;
}

static int decide(tn_condenser *k)
{
    const tn_structure *s = k->structure;
    for (int n = 0; n < k->node_count; n++) {
        for (int i = k->taken_begin[n]; i < k->taken_begin[n + 1]; i++)
            measure_body(&k->bodies[k->taken[i]], s->column_scale + s->body_column[k->taken[i]]);
        TN_TRY(tn_tree_node_condense(&k->nodes[n], TN_TREE_DECIDE));
    }
    return TN_OK;
}

static int condense(tn_condenser *k, const double *M)
{
    for (int n = 0; n <= k->node_count; n++) {
        for (int i = k->taken_begin[n]; i < k->taken_begin[n + 1]; i++)
            TN_TRY(free_body(&k->bodies[k->taken[i]], M + k->structure->mass_offset[k->taken[i]]));
        if (n < k->node_count)
            TN_TRY(tn_tree_node_condense(&k->nodes[n], TN_TREE_REPEAT));
    }
    return TN_OK;
}

int tn_condenser_factor(tn_condenser *k, const double *M, const double *G, tn_rank_rule rule)
{
    bool decided = k->decided;
    k->decided = false;
    for (int n = 0; n < k->node_count; n++)
        tn_tree_node_load(&k->nodes[n], G);
    if (rule == TN_RANK_DECIDE || !decided)
        TN_TRY(decide(k));
    TN_TRY(condense(k, M));
    k->decided = true;
    return TN_OK;
}

/* ---- solve ---- */

/* a += T'T f */
static void respond(const tn_response *body, const double *f, double *a)
{
    const int n = body->columns;
    double x[BODY_COLUMNS] = { 0 };
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            x[i] += body->T[i + j * n] * f[j];
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            a[j] += body->T[i + j * n] * x[i];
}

/* r of all parts. */
static void pass_up(tn_condenser *k, const double *f, const double *u)
{
    for (int n = 0; n <= k->node_count; n++) {
        for (int i = k->taken_begin[n]; i < k->taken_begin[n + 1]; i++) {
            tn_response *body = &k->bodies[k->taken[i]];
            memset(body->r, 0, (size_t)body->columns * sizeof(double));
            respond(body, f + k->structure->body_column[k->taken[i]], body->r);
        }
        if (n < k->node_count)
            tn_tree_node_condense_free(&k->nodes[n], u);
    }
}

/* tau of all parts; what bodies make of it. */
static void pass_down(tn_condenser *k, double *a, double *lambda)
{
    for (int n = k->node_count; n >= 0; n--) {
        if (n < k->node_count)
            tn_tree_node_back_substitute(&k->nodes[n], lambda);
        for (int i = k->taken_begin[n]; i < k->taken_begin[n + 1]; i++) {
            const tn_response *body = &k->bodies[k->taken[i]];
            double *own = a + k->structure->body_column[k->taken[i]];
            memcpy(own, body->r, (size_t)body->columns * sizeof(double));
            respond(body, body->tau, own);
        }
    }
}

void tn_condenser_response(const tn_condenser *k, double *D)
{
    const int n = tn_condenser_columns(k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double *x = k->root->T + i * k->root->room, *y = k->root->T + j * k->root->room;
            double sum = 0;
            for (int m = 0; m < k->root->rank; m++)
                sum += x[m] * y[m];
            D[i + j * n] = D[j + i * n] = sum;
        }
}

void tn_condenser_free(tn_condenser *k, const double *f, const double *u, double *r)
{
    pass_up(k, f, u);
    if (r && k->root)
        memcpy(r, k->root->r, (size_t)k->root->columns * sizeof(double));
}

void tn_condenser_back_substitute(tn_condenser *k, const double *tau, double *a, double *lambda)
{
    if (k->root && tau)
        memcpy(k->root->tau, tau, (size_t)k->root->columns * sizeof(double));
    else if (k->root)
        memset(k->root->tau, 0, (size_t)k->root->columns * sizeof(double));
    pass_down(k, a, lambda);
}

void tn_condenser_info(const tn_condenser *k, tn_saddle_info *out)
{
    const tn_structure *s = k->structure;
    *out = (tn_saddle_info){ .rows = s->constraint_row[s->constraints], .columns = s->body_column[s->bodies],
                             .weakest_pivot = 1 };
    for (int n = 0; n < k->node_count; n++) {
        const tn_tree_node *node = &k->nodes[n];
        out->rank += node->rank;
        out->weakest_pivot = fmin(out->weakest_pivot, node->weakest);
        out->largest_drop = fmax(out->largest_drop, node->dropped);
    }
}
