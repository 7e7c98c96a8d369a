/* The numerics of one node of the tree: condensation and back-substitution (tree_node.h). */
#include "tree_node.h"

#include "dense.h"
#include "pair.h"

#include <math.h>
#include <string.h>

/* Scaled pivots below this are dependent rows: as in general.c. */
static const double RANK_TOLERANCE = 1e-6;
/* Rows shorter than this (scaled columns, SI) have no direction: they are dropped. */
static const double ROW_FLOOR = 1e-9;

/* ---- kernels: pairs of columns, a constant number of which stays in registers ---- */

/* Multiplies columns by I - tau v v'. v[0] is one; at holds the row of each entry of v, relative to the first. */
static inline void reflect_columns(int n, const double *v, const int *at, double tau, double *first, int pairs)
{
    tn_pair s[4];
    for (int c = 0; c < pairs; c++)
        s[c] = tn_pair_load(first + 2 * c);
    for (int i = 1; i < n; i++) {
        const tn_pair factor = tn_pair_of(v[i]);
        for (int c = 0; c < pairs; c++)
            s[c] += factor * tn_pair_load(first + at[i] + 2 * c);
    }
    for (int c = 0; c < pairs; c++) {
        s[c] *= tn_pair_of(tau);
        tn_pair_store(first + 2 * c, tn_pair_load(first + 2 * c) - s[c]);
    }
    for (int i = 1; i < n; i++) {
        const tn_pair factor = tn_pair_of(v[i]);
        double *row = first + at[i];
        for (int c = 0; c < pairs; c++)
            tn_pair_store(row + 2 * c, tn_pair_load(row + 2 * c) - factor * s[c]);
    }
}

/* out = A'x for columns of A, which has n rows. */
static inline void multiply_columns(int n, const double *A, int stride, const double *x, double *out, int pairs)
{
    tn_pair s[3] = { { 0 } };
    for (int j = 0; j < n; j++)
        for (int c = 0; c < pairs; c++)
            s[c] += tn_pair_of(x[j]) * tn_pair_load(A + j * stride + 2 * c);
    for (int c = 0; c < pairs; c++)
        tn_pair_store(out + 2 * c, s[c]);
}

/* Reflects the rows from row on so that a column becomes zero below row, and applies the reflection to the columns up
 * to end. The entries below the pivot, and in these rows left of the column, are undefined afterwards, because columns
 * are processed in pairs. Skips zeros of the column. */
static void eliminate(const tn_tree_node *node, int row, int height, int column, int end)
{
    double *W = node->W + row * node->stride, *v = node->v;
    int n = 1;
    v[0] = W[column];
    for (int i = 1; i < height - row; i++)
        if (W[column + i * node->stride] != 0) {
            node->at[n] = i * node->stride;
            v[n++] = W[column + i * node->stride];
        }
    const double tau = tn_reflector(n, v), pivot = v[0];
    int j = column & ~1;
    for (; j + 6 < end && tau != 0; j += 8)
        reflect_columns(n, v, node->at, tau, W + j, 4);
    for (; j + 2 < end && tau != 0; j += 4)
        reflect_columns(n, v, node->at, tau, W + j, 2);
    if (j < end && tau != 0)
        reflect_columns(n, v, node->at, tau, W + j, 1);
    W[column] = pivot;
}

/* ---- factor ---- */

/* Lists the rows that count: the first ones in pivot. */
static void use_rows(const tn_tree_node *node, int count)
{
    for (int i = 0; i < node->rows; i++)
        node->place[node->pivot[i]] = i < count ? i : -1;
    for (int b = 0; b < node->block_count; b++) {
        tn_tree_block *block = &node->blocks[b];
        block->used = 0;
        for (int i = 0; i < block->rows; i++)
            if (node->place[block->row + i] >= 0) {
                block->from[block->used] = i;
                block->place[block->used++] = node->place[block->row + i];
            }
    }
}

/* Copies the rows that count from the Jacobian. */
static void load_tree_node(const tn_tree_node *node, const double *G)
{
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        for (int n = 0; n < block->used; n++) {
            const double *row = G + block->source + block->from[n] * block->columns;
            for (int j = 0; j < block->columns; j++)
                block->values[n + j * block->stride] = row[j];
        }
    }
}

/* out = G x by used row, for x over the columns of a block. */
static void multiply(const tn_tree_block *block, const double *x, double *out)
{
    int begin = 0, end = block->columns;
    while (begin < end && x[begin] == 0)
        begin++;
    while (begin < end && x[end - 1] == 0)
        end--;
    int n = 0;
    const double *G = block->values + begin * block->stride;
    for (; n + 4 < block->used; n += 6)
        multiply_columns(end - begin, G + n, block->stride, x + begin, out + n, 3);
    for (; n < block->used; n += 2)
        multiply_columns(end - begin, G + n, block->stride, x + begin, out + n, 1);
}

/* W += T G' of one block. */
static void add_block(const tn_tree_node *node, const tn_tree_block *block, double *W)
{
    const tn_response *child = node->children[block->child];
    double *row = node->x;
    for (int i = 0; i < child->rank; i++, W += node->stride) {
        multiply(block, child->T + i * child->columns + block->column, row);
        for (int n = 0; n < block->used; n++)
            W[block->place[n]] += row[n];
    }
}

/* Writes the rows of a child in T^ (G1' P') into W, starting at a row of W. count: number of rows of G that count. */
static void assemble(const tn_tree_node *node, int k, int first, int count)
{
    const tn_response *child = node->children[k];
    double *W = node->W + first * node->stride;
    memset(W, 0, (size_t)(child->rank * node->stride) * sizeof(double));
    for (int b = 0; b < node->block_count; b++)
        if (node->blocks[b].child == k)
            add_block(node, &node->blocks[b], W);
    for (int n = 0; n < node->run_count && !node->hidden[k]; n++) {
        const tn_port_run *run = &node->runs[n];
        for (int i = 0; i < child->rank && run->child == k; i++)
            memcpy(W + count + run->own + i * node->stride, child->T + run->column + i * child->columns,
                   (size_t)run->count * sizeof(double));
    }
}

/* Reduces the rows of a hidden child to a triangle. A hidden child has no port columns, so few columns are involved.
 * Returns the number of rows left. */
static int compress(const tn_tree_node *node, int first, int height, int count)
{
    const int left = height < count ? height : count;
    for (int p = 0; p < left; p++)
        eliminate(node, first + p, first + height, p, count);
    for (int i = 1; i < left; i++)
        memset(node->W + (first + i) * node->stride, 0, (size_t)i * sizeof(double));
    return left;
}

/* W = T^ (G1' P'), T^ the responses of the children one below the other, hidden ones first. Returns its height. */
static int stack_children(const tn_tree_node *node, int count)
{
    int height = 0;
    for (int seen = 0; seen < 2; seen++)
        for (int k = 0; k < node->child_count; k++) {
            const int rows = node->children[k]->rank;
            if (node->hidden[k] == seen)
                continue;
            assemble(node, k, height, count);
            height += seen ? rows : compress(node, height, rows, count);
        }
    return height;
}

/* Scales the own rows to unit length, with columns measured as lengths. All rows count, in their order. */
static void scale_rows(const tn_tree_node *node)
{
    double *scale = node->y;
    memset(scale, 0, (size_t)node->rows * sizeof(double));
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        for (int j = 0; j < block->columns; j++)
            for (int i = 0; i < block->rows; i++) {
                double x = block->values[i + j * block->stride] / block->column_scale[j];
                scale[block->row + i] += x * x;
            }
    }
    for (int i = 0; i < node->rows; i++)
        scale[i] = sqrt(scale[i]) <= ROW_FLOOR ? 0 : 1 / sqrt(scale[i]);
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        for (int j = 0; j < block->columns; j++)
            for (int i = 0; i < block->rows; i++)
                block->values[i + j * block->stride] *= scale[block->row + i];
    }
}

/* Moves the longest remaining column, measured from row p down, to p. Returns its length. */
static double choose_pivot(const tn_tree_node *node, int p, int height)
{
    double *square = node->x, largest = -1;
    int best = p, row = node->pivot[p];
    memset(square, 0, (size_t)node->rows * sizeof(double));
    for (int i = p; i < height; i++)
        for (int n = p; n < node->rows; n++)
            square[n] += node->W[n + i * node->stride] * node->W[n + i * node->stride];
    for (int n = p; n < node->rows; n++)
        if (!(square[n] <= largest)) {
            largest = square[n];
            best = n;
        }
    node->pivot[p] = node->pivot[best];
    node->pivot[best] = row;
    for (int i = 0; i < height && best != p; i++) {
        double *W = node->W + i * node->stride, moved = W[p];
        W[p] = W[best];
        W[best] = moved;
    }
    return sqrt(largest);
}

/* Decides which rows are dependent. In a node that closes a loop, the pivot of a row is its distance from all rows
 * inside the parts, and a row below the tolerance depends on them. In other nodes a row can depend only on rows of its
 * own constraint; there pivots are compared with the largest pivot, because large parts respond little to a force even
 * when they are free. */
static void decide_rows(tn_tree_node *node, int height)
{
    double unit = 1;
    const int limit = node->rows < height ? node->rows : height;
    node->weakest = INFINITY;
    node->dropped = 0;
    for (node->rank = 0; node->rank < limit; node->rank++) {
        double pivot = choose_pivot(node, node->rank, height);
        if (node->rank == 0 && !node->closing)
            unit = pivot;
        if (pivot <= RANK_TOLERANCE * unit || pivot <= ROW_FLOOR) {
            node->dropped = pivot;
            return;
        }
        if (node->closing)
            node->weakest = fmin(node->weakest, pivot);
        eliminate(node, node->rank, height, node->rank, node->rows + node->response.columns);
    }
}

static int repeat_rows(const tn_tree_node *node, int height)
{
    if (node->rank > height)
        return TN_ERROR_STEP;
    for (int p = 0; p < node->rank; p++) {
        eliminate(node, p, height, p, node->rank + node->response.columns);
        if (!(fabs(node->W[p + p * node->stride]) > 0))
            return TN_ERROR_STEP;
    }
    return TN_OK;
}

/* T is the block below the own rows and right of their columns. With more rows than columns it is reduced to a
 * triangle. */
static void take_response(tn_tree_node *node, int height, int first)
{
    tn_response *own = &node->response;
    const int r = node->rank, left = height - r;
    const bool triangle = left > own->columns;
    for (int j = 0; j < own->columns && triangle; j++)
        eliminate(node, r + j, height, first + j, first + own->columns);
    own->rank = triangle ? own->columns : left;
    for (int i = 0; i < own->rank; i++) {
        const int zeros = triangle ? i : 0;
        double *T = own->T + i * own->columns;
        memset(T, 0, (size_t)zeros * sizeof(double));
        memcpy(T + zeros, node->W + first + zeros + (r + i) * node->stride,
               (size_t)(own->columns - zeros) * sizeof(double));
    }
}

static void decide(tn_tree_node *node, const double *G)
{
    for (int i = 0; i < node->rows; i++)
        node->pivot[i] = i;
    use_rows(node, node->rows);
    load_tree_node(node, G);
    scale_rows(node);
    const int height = stack_children(node, node->rows);
    decide_rows(node, height);
    take_response(node, height, node->rows);
    use_rows(node, node->rank);
}

int tn_tree_node_condense(tn_tree_node *node, const double *G, tn_tree_rule rule)
{
    if (rule == TN_TREE_DECIDE) {
        decide(node, G);
        return TN_OK;
    }
    load_tree_node(node, G);
    const int height = stack_children(node, node->rank);
    TN_TRY(repeat_rows(node, height));
    take_response(node, height, node->rank);
    return TN_OK;
}

/* ---- solve ---- */

/* gap = u - G r, by pivot. */
static void find_gaps(const tn_tree_node *node, const double *u, double *gap)
{
    for (int n = 0; n < node->rank; n++)
        gap[n] = u[node->row[node->pivot[n]]];
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        multiply(block, node->children[block->child]->r + block->column, node->x);
        for (int n = 0; n < block->used; n++)
            gap[block->place[n]] -= node->x[n];
    }
}

void tn_tree_node_condense_free(tn_tree_node *node, const double *u)
{
    const int end = node->rank + node->response.columns;
    double *y = node->y;                               /* followed by E'y */
    find_gaps(node, u, y);
    memset(y + node->rank, 0, (size_t)node->response.columns * sizeof(double));
    for (int n = 0; n < node->rank; n++) {
        const double *W = node->W + n * node->stride;
        y[n] /= W[n];
        for (int j = n + 1; j < node->rank; j++)
            y[j] -= W[j] * y[n];
        for (int j = node->rank; j < end; j++)
            y[j] += W[j] * y[n];
    }
    for (int n = 0; n < node->run_count; n++) {
        const tn_port_run *run = &node->runs[n];
        const double *r = node->children[run->child]->r + run->column, *more = y + node->rank + run->own;
        for (int j = 0; j < run->count; j++)
            node->response.r[run->own + j] = r[j] + more[j];
    }
}

/* x = (lambda1, tau), lambda1 = R1^-1 (y - E tau). */
static void find_multipliers(const tn_tree_node *node)
{
    const int end = node->rank + node->response.columns;
    double *x = node->x;
    memcpy(x + node->rank, node->response.tau, (size_t)node->response.columns * sizeof(double));
    for (int n = node->rank - 1; n >= 0; n--) {
        const double *W = node->W + n * node->stride;
        x[n] = (node->y[n] - tn_pair_dot(end - n - 1, W + n + 1, x + n + 1)) / W[n];
    }
}

void tn_tree_node_back_substitute(tn_tree_node *node, double *lambda)
{
    find_multipliers(node);
    for (int k = 0; k < node->child_count; k++)
        memset(node->children[k]->tau, 0, (size_t)node->children[k]->columns * sizeof(double));
    for (int n = 0; n < node->run_count; n++) {
        const tn_port_run *run = &node->runs[n];
        memcpy(node->children[run->child]->tau + run->column, node->response.tau + run->own,
               (size_t)run->count * sizeof(double));
    }
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        double *tau = node->children[block->child]->tau + block->column, *own = node->v;
        for (int n = 0; n < block->used; n++)
            own[n] = node->x[block->place[n]];
        for (int j = 0; j < block->columns; j++)
            tau[j] += tn_pair_dot(block->used, block->values + j * block->stride, own);
    }
    for (int i = 0; i < node->rows && lambda; i++)
        lambda[node->row[i]] = node->place[i] < 0 ? 0 : node->x[node->place[i]];
}
