/* The linear system of the methods that finish a cone problem (cone_interior.c, cone_newton.c): linearized, each contact
 * answers a change dv of the velocities with k - K J dv, so that
 *     (1 + sum of A K J) dv = sum of A k
 * is a sparse system over the bodies, solved by block LU. */
#include <math.h>
#include <string.h>
#include "block_lu.h"
#include "cone_sweeps_impl.h"

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
    void *const arrays[] = { n->nodes, n->width, n->edges, n->planned, n->answers, n->x, n->dv, n->F, n->cells, n->points,
                             n->edge, n->node_of, n };
    for (size_t k = 0; k < TN_LENGTH(arrays); k++)
        tn_free(context, arrays[k]);
}

/* ---- the pattern ---- */

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
    TN_TRY(tn_grow(n->context, &n->nodes, &n->capacity[0], (size_t)n->node_count + 1, sizeof(int)));
    TN_TRY(tn_grow(n->context, &n->width, &n->capacity[1], (size_t)n->node_count + 1, sizeof(int)));
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
    TN_TRY(tn_grow(n->context, &n->edges, &n->capacity[2], need, sizeof *n->edges));
    for (int a = 0; a < c->A_count; a++)
        for (int j = 0; j < c->J_count; j++) {
            int *edge = n->edges[n->edge_count];
            edge[0] = n->node_of[c->A[a].at];
            edge[1] = n->node_of[c->J[j].at];
            n->edge_count += edge[0] != edge[1];
        }
    return TN_OK;
}

/* Plans places for all contacts that are not open, and for those that have had places. */
static int plan_system(tn_cone_newton *n, const tn_sweeps *s)
{
    n->node_count = n->edge_count = 0;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        n->planned[i] = n->planned[i] || !n->answers[i].open;
        for (int a = 0; a < c->A_count && n->planned[i]; a++)
            TN_TRY(add_node(n, &c->A[a]));
    }
    for (int i = 0; i < n->node_count; i++)
        n->node_of[n->nodes[i]] = i;
    for (int i = 0; i < s->count; i++)
        if (n->planned[i])
            TN_TRY(add_edges(n, &s->contacts[s->list[i]]));
    return tn_block_lu_plan(n->lu, n->node_count, n->width, (const int (*)[2])n->edges, n->edge_count);
}

int tn_cone_system_begin(tn_cone_newton *n, const tn_sweeps *s)
{
    n->velocities = 0;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        for (int b = 0; b < c->A_count + c->J_count; b++) {
            const tn_sweep_block *block = b < c->A_count ? &c->A[b] : &c->J[b - c->A_count];
            n->velocities = block->at + block->width > n->velocities ? block->at + block->width : n->velocities;
        }
    }
    size_t count = (size_t)s->count, velocities = (size_t)n->velocities + 1;
    TN_TRY(tn_grow(n->context, &n->planned, &n->capacity[3], count, sizeof *n->planned));
    TN_TRY(tn_grow(n->context, &n->answers, &n->capacity[4], count, sizeof *n->answers));
    TN_TRY(tn_grow(n->context, &n->x, &n->capacity[5], velocities, sizeof(double)));
    TN_TRY(tn_grow(n->context, &n->dv, &n->capacity[6], velocities, sizeof(double)));
    TN_TRY(tn_grow(n->context, &n->F, &n->capacity[7], velocities, sizeof(double)));
    TN_TRY(tn_grow(n->context, &n->node_of, &n->capacity[11], velocities, sizeof(int)));
    memset(n->planned, 0, count * sizeof *n->planned);
    return TN_OK;
}

/* ---- the matrix ---- */

/* out = A K J of one body's responses and one body's rows; rows, a, j: their sizes. */
static inline void multiply_block(double *restrict out, const double *restrict A, const double (*K)[TN_SWEEP_ROWS],
                                  const double *restrict J, int rows, int a, int j)
{
    for (int i = 0; i < a; i++) {
        double AK[TN_SWEEP_ROWS] = { 0 };
        for (int k = 0; k < rows; k++)
            for (int r = 0; r < rows; r++)
                AK[r] += A[i * rows + k] * K[k][r];
        for (int m = 0; m < j; m++) {
            double sum = 0;
            for (int r = 0; r < rows; r++)
                sum += AK[r] * J[m * rows + r];
            out[i * j + m] = sum;
        }
    }
}

/* Adds A K J of a contact to the matrix. */
static void add_contact(tn_cone_newton *n, const tn_sweep_contact *c, const tn_cone_answer *of)
{
    double block[TN_BLOCK_LU_WIDEST * TN_BLOCK_LU_WIDEST];
    const double (*K)[TN_SWEEP_ROWS] = (const double (*)[TN_SWEEP_ROWS])of->K;
    for (int a = 0; a < c->A_count; a++)
        for (int j = 0; j < c->J_count; j++) {
            const tn_sweep_block *A = &c->A[a], *J = &c->J[j];
            if (c->rows == 3 && A->width == 6 && J->width == 6)        /* sizes that the compiler knows */
                multiply_block(block, A->values, K, J->values, 3, 6, 6);
            else
                multiply_block(block, A->values, K, J->values, c->rows, A->width, J->width);
            tn_block_lu_add(n->lu, n->node_of[A->at], n->node_of[J->at], block);
        }
}

static void fill_system(tn_cone_newton *n, const tn_sweeps *s)
{
    double one[TN_BLOCK_LU_WIDEST * TN_BLOCK_LU_WIDEST];
    for (int i = 0; i < n->node_count; i++) {
        int w = n->width[i];
        memset(one, 0, (size_t)(w * w) * sizeof *one);
        for (int k = 0; k < w; k++)
            one[k * (w + 1)] = 1;
        tn_block_lu_add(n->lu, i, i, one);
    }
    for (int i = 0; i < s->count; i++)
        if (!n->answers[i].open)
            add_contact(n, &s->contacts[s->list[i]], &n->answers[i]);
}

int tn_cone_system_factor(tn_cone_newton *n, const tn_sweeps *s)
{
    bool fits = true;
    for (int i = 0; i < s->count; i++)
        fits = fits && (n->answers[i].open || n->planned[i]);
    if (fits)
        tn_block_lu_clear(n->lu);
    else
        TN_TRY(plan_system(n, s));
    fill_system(n, s);
    return tn_block_lu_factor(n->lu);
}

bool tn_cone_system_negative(const tn_cone_newton *n)
{
    return tn_block_lu_negative(n->lu);
}

int tn_cone_system_solve(tn_cone_newton *n, const tn_sweeps *s)
{
    int total = 0;
    memset(n->dv, 0, (size_t)n->velocities * sizeof(double));
    for (int i = 0; i < s->count; i++)
        tn_sweep_add_response(&s->contacts[s->list[i]], n->answers[i].k, n->dv);
    for (int i = 0; i < n->node_count; total += n->width[i++])
        memcpy(n->x + total, n->dv + n->nodes[i], (size_t)n->width[i] * sizeof(double));
    tn_block_lu_solve(n->lu, n->x);
    for (int i = 0; i < total; i++)
        if (!isfinite(n->x[i]))
            return -1;
    for (int i = 0, k = 0; i < n->node_count; k += n->width[i++])
        memcpy(n->dv + n->nodes[i], n->x + k, (size_t)n->width[i] * sizeof(double));
    return 0;
}
