/* Plans a block LU by fronts: order of elimination, borders, groups of nodes, places of all factors. */
#include <amd.h>
#include <string.h>
#include "block_lu_impl.h"

/* A step joins the group before it where no more than this share of the group's factors would be zeros. */
static const double MOST_ZEROS = 0.25;

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
    TN_TRY(tn_grow(lu->context, &lu->exact_begin, &lu->capacity[20], n + 2, sizeof(int)));
    TN_TRY(tn_grow(lu->context, &lu->group_begin, &lu->capacity[22], n + 2, sizeof(int)));
    TN_TRY(tn_grow(lu->context, &lu->group_of, &lu->capacity[23], n + 2, sizeof(int)));
    TN_TRY(tn_grow(lu->context, &lu->below, &lu->capacity[24], n + 2, sizeof(size_t)));
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
        lu->exact_begin[k] = total;
        TN_TRY(tn_grow(lu->context, &lu->exact, &lu->capacity[21], (size_t)(total + n), sizeof(int)));
        mark[k] = k;
        for (int e = lu->begin[node]; e < lu->begin[node + 1]; e++) {
            int i = lu->place[lu->neighbour[e]];
            if (i > k && mark[i] != k) {
                mark[i] = k;
                lu->exact[total++] = i;
            }
        }
        for (int c = child[k]; c >= 0; c = sibling[c])
            for (int e = lu->exact_begin[c]; e < lu->exact_begin[c + 1]; e++)
                if (mark[lu->exact[e]] != k) {
                    mark[lu->exact[e]] = k;
                    lu->exact[total++] = lu->exact[e];
                }
        int first = lu->exact_begin[k];
        total = first + sort_unique(lu->exact + first, total - first);
        lu->exact_begin[k + 1] = total;
        lu->parent[k] = total > first ? lu->exact[first] : -1;
        if (lu->parent[k] >= 0) {
            sibling[k] = child[lu->parent[k]];
            child[lu->parent[k]] = k;
        }
    }
    return TN_OK;
}

/* Puts steps that follow each other, and whose borders differ little, into groups. */
static void make_groups(tn_block_lu *lu)
{
    double zeros = 0;
    int total = 0;
    lu->groups = 0;
    for (int k = 0; k < lu->nodes; k++) {
        int own = lu->width[lu->order[k]], count = lu->exact_begin[k + 1] - lu->exact_begin[k];
        int border = tn_block_lu_width(lu, lu->exact + lu->exact_begin[k], count);
        bool joins = false;
        if (k > 0 && lu->parent[k - 1] == k) {
            int before = tn_block_lu_width(lu, lu->exact + lu->exact_begin[k - 1], lu->exact_begin[k] - lu->exact_begin[k - 1]);
            double more = zeros + (double)total * (own + border - before);
            joins = more <= MOST_ZEROS * (total + own) * (double)(total + own + border);
            zeros = joins ? more : 0;
        }
        if (!joins) {
            lu->group_begin[lu->groups++] = k;
            total = 0;
            zeros = 0;
        }
        total += own;
        lu->group_of[k] = lu->groups - 1;
    }
    lu->group_begin[lu->groups] = lu->nodes;
}

/* Border of each step: the steps behind it in its group, and the border of the last one. */
static int extend_borders(tn_block_lu *lu)
{
    size_t need = 0;
    int total = 0;
    for (int k = 0; k < lu->nodes; k++) {
        int last = lu->group_begin[lu->group_of[k] + 1] - 1;
        need += (size_t)(last - k + lu->exact_begin[last + 1] - lu->exact_begin[last]);
    }
    TN_TRY(tn_grow(lu->context, &lu->border, &lu->capacity[13], need + 1, sizeof(int)));
    for (int k = 0; k < lu->nodes; k++) {
        int last = lu->group_begin[lu->group_of[k] + 1] - 1;
        lu->border_begin[k] = total;
        for (int i = k + 1; i <= last; i++)
            lu->border[total++] = i;
        for (int e = lu->exact_begin[last]; e < lu->exact_begin[last + 1]; e++)
            lu->border[total++] = lu->exact[e];
        lu->border_begin[k + 1] = total;
    }
    return TN_OK;
}

/* Reserves factors, the largest front, and the stack of Schur complements. */
static int reserve_factors(tn_block_lu *lu)
{
    size_t total = 0, widest = 0, stack = 0, deepest = 0;
    int n = lu->nodes;
    memset(lu->below, 0, (size_t)lu->groups * sizeof *lu->below);
    for (int k = 0; k < n; k++) {
        size_t w = (size_t)lu->width[lu->order[k]], b = (size_t)tn_block_lu_border(lu, k);
        lu->pivot[k] = total;
        lu->lower[k] = total + w * w;
        lu->upper[k] = lu->lower[k] + b * w;
        total += w * w + 2 * b * w;
        widest = w + b > widest ? w + b : widest;
    }
    for (int g = 0; g < lu->groups; g++) {
        size_t b = (size_t)tn_block_lu_border(lu, lu->group_begin[g + 1] - 1);
        int parent = tn_block_lu_parent(lu, g);
        stack += b * b;                                /* the groups below leave the stack afterwards: a bound above */
        deepest = stack > deepest ? stack : deepest;
        stack -= lu->below[g];
        if (parent >= 0)
            lu->below[parent] += b * b;
    }
    TN_TRY(tn_grow(lu->context, &lu->factors, &lu->capacity[14], total + 1, sizeof(double)));
    TN_TRY(tn_grow(lu->context, &lu->front, &lu->capacity[15], widest * widest + 1, sizeof(double)));
    TN_TRY(tn_grow(lu->context, &lu->stack, &lu->capacity[16], deepest + 1, sizeof(double)));
    TN_TRY(tn_grow(lu->context, &lu->exchange, &lu->capacity[17], (size_t)lu->offset[n] + 1, sizeof(int)));
    return tn_grow(lu->context, &lu->work, &lu->capacity[11], 3 * (size_t)n + 4 + (size_t)lu->offset[n], sizeof(int));
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
    make_groups(lu);
    TN_TRY(extend_borders(lu));
    TN_TRY(reserve_factors(lu));
    return reserve_matrix(lu);
}
