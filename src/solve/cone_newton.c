/* Newton's method for the cone problem of cone_sweeps.h: where sweeps converge slowly, because loads pass through many
 * contacts. The laws of a contact are those of Alart and Curnier (1991), with the modes (open, sticks, slides) of the
 * present impulses. Linearized, a contact answers a change dv of the velocities with
 *     dp = k - K J dv
 * where a small softness, which acts on the change of p only, makes K finite. Then
 *     (1 + sum of A K J) dv = sum of A k
 * is a sparse linear system over the bodies, solved by block LU. */
#include <math.h>
#include <string.h>
#include "block_lu.h"
#include "cone_sweeps_impl.h"
#include "dense.h"

typedef struct answer {
    double K[TN_SWEEP_ROWS][TN_SWEEP_ROWS], k[TN_SWEEP_ROWS];
    int mode;                      /* 0: open, 1: sticks, 2: slides */
} answer;

struct tn_cone_newton {
    tn_context *context;
    tn_block_lu *lu;
    int *nodes, *width;            /* first velocity and width of every node, ascending */
    int (*edges)[2];
    answer *answers;
    double *x, *old;               /* a solution; velocities */
    size_t node_capacity, width_capacity, edge_capacity, answer_capacity, x_capacity, old_capacity;
    int node_count, edge_count;
};

int tn_cone_newton_create(tn_cone_newton **out, tn_context *context)
{
    tn_cone_newton *n = tn_alloc(context, 1, sizeof *n);
    *out = n;
    if (!n)
        return TN_ERROR_MEMORY;
    n->context = context;
    return tn_block_lu_create(&n->lu, context);
}

void tn_cone_newton_destroy(tn_cone_newton *n)
{
    if (!n)
        return;
    tn_context *context = n->context;
    tn_block_lu_destroy(n->lu);
    void *const arrays[] = { n->nodes, n->width, n->edges, n->answers, n->x, n->old, n };
    for (size_t k = 0; k < TN_LENGTH(arrays); k++)
        tn_free(context, arrays[k]);
}

/* ---- the answer of one contact ---- */

/* A contact of the softened problem: its velocities w with the softness, w + soft W (p - anchor), and the quantities of
 * Alart and Curnier's equations p_n = max(0, p_n - r w_n), p_t = y in the disc of radius mu (p_n - r w_n). */
typedef struct softened {
    double w[TN_SWEEP_ROWS], y[2];
    double r, q;                   /* steps r of the normal, r q of the tangents */
    double pressure, length;       /* p_n - r w_n; |y| */
} softened;

static softened soften(const tn_sweep_contact *c, const double *v, double soft, const double *anchor)
{
    softened x = { .w = { c->shift }, .r = 1 / c->W[0][0], .q = 1 };
    tn_sweep_add_rows(c, v, x.w);
    for (int i = 0; i < c->rows; i++)
        x.w[i] += soft * c->W[i][i] * (c->p[i] - anchor[i]);
    for (int i = 1; i < c->rows; i++)
        x.q = fmin(x.q, c->W[0][0] / c->W[i][i]);
    for (int i = 1; i < c->rows; i++)
        x.y[i - 1] = c->p[i] - x.r * x.q * x.w[i];
    x.pressure = c->p[0] - x.r * x.w[0];
    x.length = tn_norm2(c->rows - 1, x.y);
    return x;
}

/* Friction at the edge of the disc: with u = y / |y|, c = mu pressure / |y| and dy = (1 - r q soft W) dp_t - r q J dv,
 *     p_t + dp_t = mu (p_n + dp_n) u + c (1 - u u') dy */
static void slide_answer(answer *a, const tn_sweep_contact *c, const softened *x, double soft)
{
    int m = c->rows - 1;
    double share = c->mu * x->pressure / x->length, widest = fmax(c->W[1][1], m > 1 ? c->W[2][2] : 0);
    double across = 1 / (1 - share * (1 - fmin(x->r * x->q * soft * widest, 1))), along = 0, off[2] = { 0 };
    for (int i = 0; i < m; i++) {
        off[i] = c->mu * c->p[0] * x->y[i] / x->length - c->p[1 + i];
        along += off[i] * x->y[i] / x->length;
    }
    for (int i = 0; i < m; i++) {
        double u = x->y[i] / x->length;
        a->k[1 + i] = along * u + (off[i] - along * u) * across + c->mu * u * a->k[0];
        for (int j = 0; j < m; j++)
            a->K[1 + i][1 + j] = ((i == j) - u * x->y[j] / x->length) * share * x->r * x->q * across;
        a->K[1 + i][0] = c->mu * u * a->K[0][0];
    }
}

static answer answer_of(const tn_sweep_contact *c, const double *v, double soft, const double *anchor)
{
    answer a = { .mode = 0 };
    softened x = soften(c, v, soft, anchor);
    if (!(c->W[0][0] > 0) || !(x.pressure > 0)) {
        for (int i = 0; i < c->rows; i++)
            a.k[i] = -c->p[i];
        return a;
    }
    a.mode = 1;
    for (int i = 0; i < c->rows; i++) {
        a.K[i][i] = 1 / (soft * c->W[i][i]);
        a.k[i] = -a.K[i][i] * x.w[i];
    }
    if (c->rows > 1 && x.length > c->mu * x.pressure) {
        a.mode = 2;
        slide_answer(&a, c, &x, soft);
    }
    return a;
}

/* ---- the linear system ---- */

static int node_at(const tn_cone_newton *n, int at)
{
    int low = 0, high = n->node_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (n->nodes[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a node, in order, unless the list has it. */
static int add_node(tn_cone_newton *n, const tn_sweep_block *b)
{
    int at = node_at(n, b->at);
    if (at < n->node_count && n->nodes[at] == b->at)
        return TN_OK;
    TN_TRY(tn_grow(n->context, &n->nodes, &n->node_capacity, (size_t)n->node_count + 1, sizeof(int)));
    TN_TRY(tn_grow(n->context, &n->width, &n->width_capacity, (size_t)n->node_count + 1, sizeof(int)));
    memmove(n->nodes + at + 1, n->nodes + at, (size_t)(n->node_count - at) * sizeof(int));
    memmove(n->width + at + 1, n->width + at, (size_t)(n->node_count - at) * sizeof(int));
    n->nodes[at] = b->at;
    n->width[at] = b->width;
    n->node_count++;
    return TN_OK;
}

static int add_edges(tn_cone_newton *n, const tn_sweep_contact *c)
{
    size_t need = (size_t)(n->edge_count + c->A_count * c->J_count);
    TN_TRY(tn_grow(n->context, &n->edges, &n->edge_capacity, need, sizeof *n->edges));
    for (int a = 0; a < c->A_count; a++)
        for (int j = 0; j < c->J_count; j++) {
            int *edge = n->edges[n->edge_count];
            edge[0] = node_at(n, c->A[a].at);
            edge[1] = node_at(n, c->J[j].at);
            n->edge_count += edge[0] != edge[1];
        }
    return TN_OK;
}

static int plan_system(tn_cone_newton *n, const tn_sweeps *s)
{
    n->node_count = n->edge_count = 0;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        for (int a = 0; a < c->A_count && n->answers[i].mode != 0; a++)
            TN_TRY(add_node(n, &c->A[a]));
    }
    for (int i = 0; i < s->count; i++)
        if (n->answers[i].mode != 0)
            TN_TRY(add_edges(n, &s->contacts[s->list[i]]));
    return tn_block_lu_plan(n->lu, n->node_count, n->width, (const int (*)[2])n->edges, n->edge_count);
}

/* Adds A K J of a contact to the matrix. */
static void add_contact(tn_cone_newton *n, const tn_sweep_contact *c, const answer *of)
{
    double AK[16][TN_SWEEP_ROWS], block[16 * 16];
    for (int a = 0; a < c->A_count; a++) {
        const tn_sweep_block *A = &c->A[a];
        for (int i = 0; i < A->width; i++)
            for (int r = 0; r < c->rows; r++) {
                AK[i][r] = 0;
                for (int k = 0; k < c->rows; k++)
                    AK[i][r] += A->values[i * c->rows + k] * of->K[k][r];
            }
        for (int j = 0; j < c->J_count; j++) {
            const tn_sweep_block *J = &c->J[j];
            for (int i = 0; i < A->width; i++)
                for (int m = 0; m < J->width; m++) {
                    double sum = 0;
                    for (int r = 0; r < c->rows; r++)
                        sum += AK[i][r] * J->values[m * c->rows + r];
                    block[i * J->width + m] = sum;
                }
            tn_block_lu_add(n->lu, node_at(n, A->at), node_at(n, J->at), block);
        }
    }
}

static void fill_system(tn_cone_newton *n, const tn_sweeps *s)
{
    double one[16 * 16];
    for (int i = 0; i < n->node_count; i++) {
        int w = n->width[i];
        memset(one, 0, sizeof one);
        for (int k = 0; k < w; k++)
            one[k * (w + 1)] = 1;
        tn_block_lu_add(n->lu, i, i, one);
    }
    for (int i = 0; i < s->count; i++)
        if (n->answers[i].mode != 0)
            add_contact(n, &s->contacts[s->list[i]], &n->answers[i]);
}

/* ---- the step ---- */

/* The right side: the velocities that the constant parts k of all answers cause. */
static void load_system(tn_cone_newton *n, const tn_sweeps *s, double *full)
{
    for (int i = 0; i < s->count; i++)
        tn_sweep_add_response(&s->contacts[s->list[i]], n->answers[i].k, full);
}

/* Changes the impulses by dp = k - K J dv, into their cones. full: dv, over all velocities. */
static void take_step(const tn_cone_newton *n, tn_sweeps *s, const double *full)
{
    for (int i = 0; i < s->count; i++) {
        tn_sweep_contact *c = &s->contacts[s->list[i]];
        const answer *a = &n->answers[i];
        double w[TN_SWEEP_ROWS] = { 0 }, p[TN_SWEEP_ROWS] = { 0 }, d[TN_SWEEP_ROWS];
        tn_sweep_add_rows(c, full, w);
        for (int r = 0; r < c->rows; r++) {
            p[r] = c->p[r] + a->k[r];
            for (int k = 0; k < c->rows; k++)
                p[r] -= a->K[r][k] * w[k];
        }
        tn_sweep_into_cone(c, p);
        for (int r = 0; r < c->rows; r++)
            d[r] = p[r] - c->p[r];
        memcpy(c->p, p, sizeof p);
        tn_sweep_add_response(c, d, s->v);
    }
}

static int find_velocities(tn_cone_newton *n, const tn_sweeps *s, double *full)
{
    TN_TRY(plan_system(n, s));
    fill_system(n, s);
    if (tn_block_lu_factor(n->lu) != 0)
        return -1;
    load_system(n, s, full);
    int total = 0;
    for (int i = 0; i < n->node_count; i++)
        total += n->width[i];
    TN_TRY(tn_grow(n->context, &n->x, &n->x_capacity, (size_t)total + 1, sizeof(double)));
    for (int i = 0, k = 0; i < n->node_count; k += n->width[i++])
        memcpy(n->x + k, full + n->nodes[i], (size_t)n->width[i] * sizeof(double));
    tn_block_lu_solve(n->lu, n->x);
    for (int i = 0, k = 0; i < n->node_count; k += n->width[i++])
        memcpy(full + n->nodes[i], n->x + k, (size_t)n->width[i] * sizeof(double));
    for (int i = 0; i < total; i++)
        if (!isfinite(n->x[i]))
            return -1;
    return 0;
}

int tn_sweeps_newton(tn_sweeps *s, tn_cone_newton *n, double soft, const double *anchor, int *changes)
{
    int velocities = 0;
    const double *near = anchor;
    *changes = 0;
    if (tn_grow(n->context, &n->answers, &n->answer_capacity, (size_t)s->count, sizeof *n->answers) < 0)
        return -1;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        int before = n->answers[i].mode;
        n->answers[i] = answer_of(c, s->v, soft, near);
        near += c->rows;
        *changes += n->answers[i].mode != before;
        for (int a = 0; a < c->A_count; a++)
            velocities = c->A[a].at + c->A[a].width > velocities ? c->A[a].at + c->A[a].width : velocities;
        for (int j = 0; j < c->J_count; j++)
            velocities = c->J[j].at + c->J[j].width > velocities ? c->J[j].at + c->J[j].width : velocities;
    }
    if (tn_grow(n->context, &n->old, &n->old_capacity, (size_t)velocities + 1, sizeof(double)) < 0)
        return -1;
    memset(n->old, 0, (size_t)velocities * sizeof(double));
    if (find_velocities(n, s, n->old) != 0)
        return -1;
    take_step(n, s, n->old);
    return 0;
}
