/* The numerics of the hierarchical solver: condensation up a tree of subsystems, back-substitution down the tree
 * (Vlasenko and Kasper, DETC2007/VIB-35065, in square-root form).
 *
 * The ports of a part are its bodies that constraints outside of the part touch. The outside sees a part only by the
 * response of its ports to forces tau: a = D tau + r. A body alone has D = M^-1, r = M^-1 f. A node joins parts,
 * D^ = diag(D_k), r^ = (r_k), by the rows G a^ = u of its own constraints; P picks its ports. With D^ = T^'T^ one
 * orthogonal factorization gives all results:
 *     T^ ( G1' P' ) = Q [ R1 E ; 0 T ]          G1: independent rows of G
 *     y = R1^-T (u1 - G1 r^)
 *     D = T'T,   r = P r^ + E'y                 up
 *     lambda1 = R1^-1 (y - E tau),   tau^ = G1'lambda1 + P'tau                  down
 * Q is not kept, no matrix is squared, and D is positive semidefinite by construction. In the end each
 * body has a = r + D tau. The rows of a child without ports of the node are first reduced to a triangle by themselves:
 * their cost then depends on the columns of the joint, not on the columns of the ports.
 *
 * Dependent rows appear where loops close. They are dropped and have lambda = 0. The decision is made in the metric of
 * lengths: the same condensation with T = 1 / scale for the bodies, where the pivot of a row of unit length
 * is its distance from all rows inside. So ranks do not depend on masses. TN_RANK_KEEP repeats the rows of the last
 * decision.
 *
 * A team of processes shares the nodes (placement.h) and sends T, r and tau between them (exchange.h). A member stores
 * its own nodes in full, and the responses of their children. A node computes the same numbers on every member, so the
 * results are bit-identical to the results of one process. After a node fails, the pass continues, so that no member
 * waits forever; all members receive the error at the end. */
#include "condenser.h"
#include "dense.h"

#include <math.h>
#include <string.h>

int tn_condenser_columns(const tn_condenser *k)
{
    return k->root ? k->root->columns : 0;
}

/* ---- factor ---- */

/* The response of a body while ranks are decided: T = 1 / scale, without masses. */
static void measure_body(tn_response *body, const double *scale)
{
    memset(body->T, 0, (size_t)(body->columns * body->columns) * sizeof(double));
    for (int j = 0; j < body->columns; j++)
        body->T[j * (body->columns + 1)] = 1 / scale[j];
}

/* Number of leading columns that have only a diagonal entry in M. */
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
    double L[TN_MOST_BODY_COLUMNS * TN_MOST_BODY_COLUMNS];
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

/* Waits for the responses of other members' nodes that this turn needs. */
static int await_foreign(tn_condenser *k, const tn_turn *t, tn_message message, tn_content content)
{
    for (int i = t->foreign; i < t->foreign_end; i++)
        TN_TRY(tn_exchange_await(k->exchange, k->foreign[i], message, content));
    return TN_OK;
}

static void note_code(tn_condenser *k, int code)
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
        const tn_turn *t = &k->turns[n];
        TN_TRY(await_foreign(k, t, TN_MESSAGE_DECIDED, all));
        for (int i = t->taken; i < t->taken_end; i++)
            measure_body(&k->bodies[k->taken[i]], s->column_scale + s->body_column[k->taken[i]]);
        note_code(k, tn_tree_node_condense(&k->nodes[t->node], G, TN_TREE_DECIDE));
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

/* The inputs of a pass up: T from M and G, r from f and u; NULL: T or r stays. */
typedef struct given {
    const double *M, *G, *f, *u;
} given;

static void take_bodies(tn_condenser *k, const tn_turn *t, const given *g)
{
    const tn_structure *s = k->structure;
    for (int i = t->taken; i < t->taken_end; i++) {
        const int b = k->taken[i];
        tn_response *body = &k->bodies[b];
        if (g->M)
            note_code(k, free_body(body, g->M + s->mass_offset[b]));
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
        const tn_turn *t = &k->turns[n];
        take_bodies(k, t, g);
        if (t->node < 0)
            continue;
        TN_TRY(await_foreign(k, t, TN_MESSAGE_RESPONSE, content));
        if (g->M)
            note_code(k, tn_tree_node_condense(&k->nodes[t->node], g->G, TN_TREE_REPEAT));
        if (g->f)
            tn_tree_node_condense_free(&k->nodes[t->node], g->u);
        TN_TRY(tn_exchange_send(k->exchange, t->node, TN_MESSAGE_RESPONSE, content));
    }
    return TN_OK;
}

/* Collects the outcome of the own nodes. */
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

/* Gathers the outcome of the factorization and, if a and lambda are given, the solution, from all members. */
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

int tn_condenser_decide(bool *independent, tn_condenser *k, const double *G)
{
    k->decided = false;
    k->own.code = TN_OK;
    TN_TRY(decide(k, G));
    sum_up(k);
    k->outcome = k->own;
    for (int n = 0; n < k->turn_count - 1; n++) {
        const tn_tree_node *node = &k->nodes[k->turns[n].node];
        for (int i = 0; i < node->rows; i++)
            independent[node->row[i]] = node->place[i] >= 0;
    }
    k->decided = k->own.code == TN_OK;
    return k->own.code;
}

int tn_condenser_factor_free(tn_condenser *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                             const double *u)
{
    return factor_up(k, rule, &(given){ M, G, f, u });
}

int tn_condenser_free(double *r, tn_condenser *k, const double *f, const double *u)
{
    TN_TRY(pass_up(k, &(given){ .f = f, .u = u }));
    if (r && k->root)
        memcpy(r, k->root->r, (size_t)k->root->columns * sizeof(double));
    return TN_OK;
}

void tn_condenser_response(double *D, const tn_condenser *k)
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

const double *tn_condenser_root(int *rows, const tn_condenser *k)
{
    *rows = k->root ? k->root->rank : 0;
    return k->root ? k->root->T : NULL;
}

/* ---- down ---- */

static int send_forces(tn_condenser *k, const tn_turn *t)
{
    for (int i = t->foreign; i < t->foreign_end; i++)
        TN_TRY(tn_exchange_send(k->exchange, k->foreign[i], TN_MESSAGE_FORCES, (tn_content){ 0 }));
    return TN_OK;
}

/* Computes tau of all parts, then the accelerations of the bodies. */
static int pass_down(tn_condenser *k, double *a, double *lambda)
{
    const tn_content all = { 0 };
    TN_TRY(tn_exchange_expect(k->exchange, TN_MESSAGE_FORCES, all));
    for (int n = k->turn_count - 1; n >= 0; n--) {
        const tn_turn *t = &k->turns[n];
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

int tn_condenser_back_substitute(double *a, double *lambda, tn_condenser *k, const double *tau)
{
    if (k->root && tau)
        memcpy(k->root->tau, tau, (size_t)k->root->columns * sizeof(double));
    else if (k->root)
        memset(k->root->tau, 0, (size_t)k->root->columns * sizeof(double));
    TN_TRY(pass_down(k, a, lambda));
    return agree(k, a, lambda);
}

void tn_condenser_info(tn_saddle_info *out, const tn_condenser *k)
{
    const tn_structure *s = k->structure;
    *out = (tn_saddle_info){ .rows = s->constraint_row[s->constraints], .columns = s->body_column[s->bodies],
                             .rank = k->outcome.rank, .weakest_pivot = k->outcome.weakest,
                             .largest_drop = k->outcome.dropped };
}
