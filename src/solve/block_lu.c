/* Block LU by fronts (block_lu.h). The front of a node is the dense matrix of the node and of its border: the nodes
 * that are still coupled to it when its turn comes. Eliminating the node leaves a Schur complement over the border,
 * which is added to the front of the next node of the border. */
#include "block_lu.h"

#include <amd.h>
#include <math.h>
#include <string.h>

/* Functions compiled for wider vectors as well, and chosen when the program starts. They work on each element by itself, without
 * contraction, so that the bits are the same for all widths. Sanitizers do not run before that choice. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TN_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TN_WIDE
#endif

struct tn_block_lu {
    tn_context *context;
    int nodes;
    int *width, *offset;           /* by node; offset: first unknown */
    int *begin, *neighbour;        /* by node: sorted neighbours */
    size_t matrix_size;
    double *matrix;                /* diagonal block of each node, then blocks (node, neighbour) in that order */
    size_t *diagonal, *block;      /* where they begin */
    int *order, *place;            /* node of each step, step of each node */
    int *parent;                   /* of each step: the step that takes its Schur complement; -1: none */
    int *border_begin, *border;    /* of each step: steps of its border, ascending */
    size_t *lower, *upper, *pivot; /* of each step: where its factors begin in `factors` */
    double *factors;
    int *exchange;                 /* rows exchanged in diagonal blocks, by unknown of the step */
    double *front, *stack;
    int *work;                     /* of the planning */
    size_t capacity[20];
};

int tn_block_lu_create(tn_block_lu **out, tn_context *context)
{
    *out = tn_alloc(context, 1, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    (*out)->context = context;
    return TN_OK;
}

void tn_block_lu_destroy(tn_block_lu *lu)
{
    if (!lu)
        return;
    void *const arrays[] = { lu->width, lu->offset, lu->begin, lu->neighbour, lu->matrix, lu->diagonal, lu->block,
                             lu->order, lu->place, lu->parent, lu->border_begin, lu->border, lu->lower, lu->upper,
                             lu->pivot, lu->factors, lu->exchange, lu->front, lu->stack, lu->work };
    for (size_t k = 0; k < TN_LENGTH(arrays); k++)
        tn_free(lu->context, arrays[k]);
    tn_free(lu->context, lu);
}

/* ---- planning ---- */

static int reserve_nodes(tn_block_lu *lu, size_t n)
{
    struct { void *array; size_t size; } list[] = {
        { &lu->width, sizeof(int) }, { &lu->offset, sizeof(int) }, { &lu->begin, sizeof(int) },
        { &lu->diagonal, sizeof(size_t) }, { &lu->order, sizeof(int) }, { &lu->place, sizeof(int) },
        { &lu->parent, sizeof(int) }, { &lu->border_begin, sizeof(int) }, { &lu->lower, sizeof(size_t) },
        { &lu->upper, sizeof(size_t) }, { &lu->pivot, sizeof(size_t) },
    };
    for (size_t k = 0; k < TN_LENGTH(list); k++)
        TN_TRY(tn_grow(lu->context, list[k].array, &lu->capacity[k], n + 2, list[k].size));
    return tn_grow(lu->context, &lu->work, &lu->capacity[11], 6 * (n + 2), sizeof *lu->work);
}

/* Sorts a short list and drops repetitions; returns the number left. */
static int sort_unique(int *list, int count)
{
    int kept = 0;
    for (int i = 1; i < count; i++) {
        int x = list[i], j = i;
        for (; j > 0 && list[j - 1] > x; j--)
            list[j] = list[j - 1];
        list[j] = x;
    }
    for (int i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

/* Lists the neighbours of every node. */
static int list_neighbours(tn_block_lu *lu, const int (*edges)[2], int edge_count)
{
    int n = lu->nodes, *at = lu->work, kept = 0;
    TN_TRY(tn_grow(lu->context, &lu->neighbour, &lu->capacity[12], 2 * (size_t)edge_count + 1, sizeof(int)));
    memset(lu->begin, 0, ((size_t)n + 1) * sizeof(int));
    for (int e = 0; e < edge_count; e++)
        for (int k = 0; k < 2 && edges[e][0] != edges[e][1]; k++)
            lu->begin[edges[e][k] + 1]++;
    for (int i = 0; i < n; i++) {
        lu->begin[i + 1] += lu->begin[i];
        at[i] = lu->begin[i];
    }
    for (int e = 0; e < edge_count; e++)
        for (int k = 0; k < 2 && edges[e][0] != edges[e][1]; k++)
            lu->neighbour[at[edges[e][k]]++] = edges[e][1 - k];
    for (int i = 0, first = 0; i < n; i++) {
        int count = sort_unique(lu->neighbour + first, at[i] - first);
        memmove(lu->neighbour + kept, lu->neighbour + first, (size_t)count * sizeof(int));
        first = at[i];
        lu->begin[i] = kept;
        kept += count;
    }
    lu->begin[n] = kept;
    return TN_OK;
}

/* Parents of the elimination tree in the present order (Liu's algorithm with path compression). */
static void find_parents(tn_block_lu *lu, int *ancestor)
{
    for (int k = 0; k < lu->nodes; k++) {
        int node = lu->order[k];
        lu->parent[k] = ancestor[k] = -1;
        for (int e = lu->begin[node]; e < lu->begin[node + 1]; e++)
            for (int i = lu->place[lu->neighbour[e]], next; i >= 0 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next < 0)
                    lu->parent[i] = k;
                if (next == k)
                    break;
            }
    }
}

/* Renumbers the steps so that each one comes just behind the tree below it. */
static void postorder(tn_block_lu *lu)
{
    int n = lu->nodes, *child = lu->work, *sibling = child + n + 1, *stack = sibling + n + 1, *out = stack + n + 1;
    int top = 0, count = 0;
    for (int k = 0; k <= n; k++)
        child[k] = -1;
    for (int k = n - 1; k >= 0; k--) {
        int parent = lu->parent[k] < 0 ? n : lu->parent[k];
        sibling[k] = child[parent];
        child[parent] = k;
    }
    for (int root = child[n]; root >= 0; root = sibling[root]) {
        stack[top++] = root;
        while (top > 0) {
            int k = stack[top - 1];
            if (child[k] >= 0) {
                stack[top++] = child[k];
                child[k] = sibling[child[k]];
            } else {
                out[count++] = lu->order[k];
                top--;
            }
        }
    }
    memcpy(lu->order, out, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        lu->place[lu->order[k]] = k;
}

/* Border of each step: neighbours that come later, and the borders of the steps below it. */
static int find_borders(tn_block_lu *lu)
{
    int n = lu->nodes, *mark = lu->work, *child = mark + n + 1, *sibling = child + n + 1;
    int total = 0;
    for (int k = 0; k < n; k++)
        mark[k] = child[k] = -1;
    for (int k = 0; k < n; k++) {
        int node = lu->order[k];
        lu->border_begin[k] = total;
        TN_TRY(tn_grow(lu->context, &lu->border, &lu->capacity[13], (size_t)(total + n), sizeof(int)));
        mark[k] = k;
        for (int e = lu->begin[node]; e < lu->begin[node + 1]; e++) {
            int i = lu->place[lu->neighbour[e]];
            if (i > k && mark[i] != k) {
                mark[i] = k;
                lu->border[total++] = i;
            }
        }
        for (int c = child[k]; c >= 0; c = sibling[c])
            for (int e = lu->border_begin[c]; e < lu->border_begin[c + 1]; e++)
                if (mark[lu->border[e]] != k) {
                    mark[lu->border[e]] = k;
                    lu->border[total++] = lu->border[e];
                }
        int first = lu->border_begin[k];
        total = first + sort_unique(lu->border + first, total - first);
        lu->border_begin[k + 1] = total;
        lu->parent[k] = total > first ? lu->border[first] : -1;
        if (lu->parent[k] >= 0) {
            sibling[k] = child[lu->parent[k]];
            child[lu->parent[k]] = k;
        }
    }
    return TN_OK;
}

static int border_width(const tn_block_lu *lu, int k)
{
    int width = 0;
    for (int e = lu->border_begin[k]; e < lu->border_begin[k + 1]; e++)
        width += lu->width[lu->order[lu->border[e]]];
    return width;
}

/* Reserves factors, the largest front, and the stack of Schur complements. */
static int reserve_factors(tn_block_lu *lu)
{
    size_t total = 0, widest = 0, stack = 0, deepest = 0;
    int n = lu->nodes, *children = lu->work;
    for (int k = 0; k < n; k++)
        children[k] = 0;
    for (int k = 0; k < n; k++)
        if (lu->parent[k] >= 0)
            children[lu->parent[k]]++;
    for (int k = 0; k < n; k++) {
        size_t w = (size_t)lu->width[lu->order[k]], b = (size_t)border_width(lu, k);
        lu->pivot[k] = total;
        lu->lower[k] = total + w * w;
        lu->upper[k] = lu->lower[k] + b * w;
        total += w * w + 2 * b * w;
        widest = w + b > widest ? w + b : widest;
        stack += b * b;                                /* its children leave the stack afterwards: a bound above */
        deepest = stack > deepest ? stack : deepest;
        for (int c = k - 1, left = children[k]; left > 0; c--)
            if (lu->parent[c] == k) {
                size_t below = (size_t)border_width(lu, c);
                stack -= below * below;
                left--;
            }
    }
    TN_TRY(tn_grow(lu->context, &lu->factors, &lu->capacity[14], total + 1, sizeof(double)));
    TN_TRY(tn_grow(lu->context, &lu->front, &lu->capacity[15], widest * widest + 1, sizeof(double)));
    TN_TRY(tn_grow(lu->context, &lu->stack, &lu->capacity[16], deepest + 1, sizeof(double)));
    TN_TRY(tn_grow(lu->context, &lu->exchange, &lu->capacity[17], (size_t)lu->offset[n] + 1, sizeof(int)));
    return tn_grow(lu->context, &lu->work, &lu->capacity[11], 2 * (size_t)n + 3 + (size_t)lu->offset[n], sizeof(int));
}

static int reserve_matrix(tn_block_lu *lu)
{
    size_t total = 0;
    int n = lu->nodes;
    TN_TRY(tn_grow(lu->context, &lu->block, &lu->capacity[18], (size_t)lu->begin[n] + 1, sizeof(size_t)));
    for (int i = 0; i < n; i++) {
        lu->diagonal[i] = total;
        total += (size_t)(lu->width[i] * lu->width[i]);
        for (int e = lu->begin[i]; e < lu->begin[i + 1]; e++) {
            lu->block[e] = total;
            total += (size_t)(lu->width[i] * lu->width[lu->neighbour[e]]);
        }
    }
    TN_TRY(tn_grow(lu->context, &lu->matrix, &lu->capacity[19], total + 1, sizeof(double)));
    lu->matrix_size = total;
    memset(lu->matrix, 0, total * sizeof(double));
    return TN_OK;
}

int tn_block_lu_plan(tn_block_lu *lu, int nodes, const int *width, const int (*edges)[2], int edge_count)
{
    lu->nodes = nodes;
    TN_TRY(reserve_nodes(lu, (size_t)nodes));
    memcpy(lu->width, width, (size_t)nodes * sizeof(int));
    lu->offset[0] = 0;
    for (int i = 0; i < nodes; i++)
        lu->offset[i + 1] = lu->offset[i] + width[i];
    TN_TRY(list_neighbours(lu, edges, edge_count));
    if (amd_order(nodes, lu->begin, lu->neighbour, lu->order, NULL, NULL) < 0)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < nodes; k++)
        lu->place[lu->order[k]] = k;
    find_parents(lu, lu->work);
    postorder(lu);
    TN_TRY(find_borders(lu));
    TN_TRY(reserve_factors(lu));
    return reserve_matrix(lu);
}

/* ---- assembly ---- */

/* Returns the block of nodes i and j; NULL: there is none. */
static double *find_block(const tn_block_lu *lu, int i, int j)
{
    if (i == j)
        return lu->matrix + lu->diagonal[i];
    int low = lu->begin[i], high = lu->begin[i + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (lu->neighbour[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lu->begin[i + 1] && lu->neighbour[low] == j ? lu->matrix + lu->block[low] : NULL;
}

void tn_block_lu_add(tn_block_lu *lu, int i, int j, const double *values)
{
    double *to = find_block(lu, i, j);
    for (int k = 0; k < lu->width[i] * lu->width[j] && to; k++)
        to[k] += values[k];
}

/* ---- factorization ---- */

static void copy_block(double *front, int size, int row, int column, const double *from, int rows, int columns)
{
    for (int i = 0; i < rows && from; i++)
        memcpy(front + (row + i) * size + column, from + i * columns, (size_t)columns * sizeof(double));
}

/* Puts the blocks of a step's node, and of its couplings to later nodes, into the front. */
static void fill_front(const tn_block_lu *lu, int k, int size)
{
    int node = lu->order[k], w = lu->width[node];
    memset(lu->front, 0, (size_t)(size * size) * sizeof(double));
    copy_block(lu->front, size, 0, 0, find_block(lu, node, node), w, w);
    for (int e = lu->border_begin[k], at = w; e < lu->border_begin[k + 1]; e++) {
        int other = lu->order[lu->border[e]], b = lu->width[other];
        copy_block(lu->front, size, 0, at, find_block(lu, node, other), w, b);
        copy_block(lu->front, size, at, 0, find_block(lu, other, node), b, w);
        at += b;
    }
}

/* Row and column i of `from` are added to place[i] of the front. Places that follow each other are added together. */
TN_WIDE static void add_rows(double *front, int size, const double *from, const int *place, int total)
{
    for (int i = 0; i < total; i++) {
        double *row = front + place[i] * size;
        const double *add = from + i * total;
        for (int j = 0, end; j < total; j = end) {
            for (end = j + 1; end < total && place[end] == place[end - 1] + 1; end++)
                ;
            double *to = row + place[j];
            for (int k = 0; k < end - j; k++)
                to[k] += add[j + k];
        }
    }
}

/* Adds the Schur complement of step c, over its border, to the front of step k. */
static void add_child(const tn_block_lu *lu, int k, int c, int size, const double *schur, int *place)
{
    int total = 0;
    for (int e = lu->border_begin[c], at = lu->border_begin[k], to = lu->width[lu->order[k]]; e < lu->border_begin[c + 1];
         e++) {
        int step = lu->border[e], w = lu->width[lu->order[step]], first;
        if (step == k) {
            first = 0;
        } else {
            for (; lu->border[at] != step; at++)
                to += lu->width[lu->order[lu->border[at]]];
            first = to;
        }
        for (int i = 0; i < w; i++)
            place[total++] = first + i;
    }
    add_rows(lu->front, size, schur, place, total);
}

/* LU of the first w columns of the front; rows are exchanged among the first w. */
static int eliminate(double *front, int size, int w, int *exchange)
{
    for (int p = 0; p < w; p++) {
        int best = p;
        for (int r = p + 1; r < w; r++)
            if (fabs(front[r * size + p]) > fabs(front[best * size + p]))
                best = r;
        exchange[p] = best;
        for (int j = 0; j < size && best != p; j++) {
            double x = front[p * size + j];
            front[p * size + j] = front[best * size + j];
            front[best * size + j] = x;
        }
        double pivot = front[p * size + p];
        if (!(fabs(pivot) > 0) || !isfinite(pivot))
            return -1;
        for (int r = p + 1; r < size; r++) {
            double l = front[r * size + p] /= pivot;
            int end = r < w ? size : w;
            for (int j = p + 1; j < end && l != 0; j++)
                front[r * size + j] -= l * front[p * size + j];
        }
    }
    return 0;
}

/* Rank-w update of the Schur complement, count x count, row by row: schur -= lower upper. */
TN_WIDE static void update_schur(double *restrict schur, const double *restrict lower, const double *restrict upper, int w, int count)
{
    for (int i = 0; i < count; i++) {
        double *restrict row = schur + i * count;
        const double *restrict l = lower + i * w;
        if (w == 6)
            for (int j = 0; j < count; j++)
                row[j] -= l[0] * upper[j] + l[1] * upper[j + count] + l[2] * upper[j + 2 * count] +
                          l[3] * upper[j + 3 * count] + l[4] * upper[j + 4 * count] + l[5] * upper[j + 5 * count];
        else if (w == 3)
            for (int j = 0; j < count; j++)
                row[j] -= l[0] * upper[j] + l[1] * upper[j + count] + l[2] * upper[j + 2 * count];
        else
            for (int p = 0; p < w; p++)
                for (int j = 0; j < count; j++)
                    row[j] -= l[p] * upper[j + p * count];
    }
}

/* Stores the factors of a step, and its Schur complement on the stack. */
static void store_step(tn_block_lu *lu, int k, int size, int w, double *schur)
{
    double *pivot = lu->factors + lu->pivot[k], *lower = lu->factors + lu->lower[k], *upper = lu->factors + lu->upper[k];
    const double *front = lu->front;
    int b = size - w;
    for (int i = 0; i < w; i++) {
        memcpy(pivot + i * w, front + i * size, (size_t)w * sizeof(double));
        memcpy(upper + i * b, front + i * size + w, (size_t)b * sizeof(double));
    }
    for (int i = 0; i < b; i++) {
        memcpy(lower + i * w, front + (w + i) * size, (size_t)w * sizeof(double));
        memcpy(schur + i * b, front + (w + i) * size + w, (size_t)b * sizeof(double));
    }
    update_schur(schur, lower, upper, w, b);
}

int tn_block_lu_factor(tn_block_lu *lu)
{
    int n = lu->nodes, *child = lu->work, *sibling = child + n + 1, *place = sibling + n + 1;
    size_t top = 0;
    for (int k = 0; k < n; k++)
        child[k] = -1;
    for (int k = 0; k < n; k++) {
        int w = lu->width[lu->order[k]], size = w + border_width(lu, k), b = size - w;
        fill_front(lu, k, size);
        for (int c = child[k]; c >= 0; c = sibling[c]) {       /* the last child is on top of the stack */
            size_t below = (size_t)border_width(lu, c);
            top -= below * below;
            add_child(lu, k, c, size, lu->stack + top, place);
        }
        if (eliminate(lu->front, size, w, lu->exchange + lu->offset[lu->order[k]]) < 0)
            return -1;
        store_step(lu, k, size, w, lu->stack + top);
        top += (size_t)(b * b);
        if (lu->parent[k] >= 0) {
            sibling[k] = child[lu->parent[k]];
            child[lu->parent[k]] = k;
        }
    }
    return 0;
}

/* ---- solving ---- */

/* x_k = L^-1 x_k, and its share of the border. */
static void solve_forward(const tn_block_lu *lu, int k, double *x)
{
    int node = lu->order[k], w = lu->width[node];
    const double *pivot = lu->factors + lu->pivot[k], *lower = lu->factors + lu->lower[k];
    const int *exchange = lu->exchange + lu->offset[node];
    double *own = x + lu->offset[node];
    for (int p = 0; p < w; p++) {                      /* rows of L were exchanged together with those of the block */
        double best = own[exchange[p]];
        own[exchange[p]] = own[p];
        own[p] = best;
    }
    for (int r = 1; r < w; r++)
        for (int p = 0; p < r; p++)
            own[r] -= pivot[r * w + p] * own[p];
    for (int e = lu->border_begin[k]; e < lu->border_begin[k + 1]; e++) {
        int other = lu->order[lu->border[e]];
        for (int i = 0; i < lu->width[other]; i++, lower += w)
            for (int p = 0; p < w; p++)
                x[lu->offset[other] + i] -= lower[p] * own[p];
    }
}

/* x_k = U^-1 (x_k - the share of the border). */
static void solve_backward(const tn_block_lu *lu, int k, double *x)
{
    int node = lu->order[k], w = lu->width[node], b = border_width(lu, k), at = 0;
    const double *pivot = lu->factors + lu->pivot[k], *upper = lu->factors + lu->upper[k];
    double *own = x + lu->offset[node];
    for (int e = lu->border_begin[k]; e < lu->border_begin[k + 1]; e++) {
        int other = lu->order[lu->border[e]];
        for (int p = 0; p < w; p++)
            for (int i = 0; i < lu->width[other]; i++)
                own[p] -= upper[p * b + at + i] * x[lu->offset[other] + i];
        at += lu->width[other];
    }
    for (int p = w - 1; p >= 0; p--) {
        for (int j = p + 1; j < w; j++)
            own[p] -= pivot[p * w + j] * own[j];
        own[p] /= pivot[p * w + p];
    }
}

void tn_block_lu_solve(const tn_block_lu *lu, double *x)
{
    for (int k = 0; k < lu->nodes; k++)
        solve_forward(lu, k, x);
    for (int k = lu->nodes - 1; k >= 0; k--)
        solve_backward(lu, k, x);
}

void tn_block_lu_clear(tn_block_lu *lu)
{
    memset(lu->matrix, 0, lu->matrix_size * sizeof(double));
}
