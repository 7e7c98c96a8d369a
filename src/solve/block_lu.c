/* Block LU by fronts (block_lu.h). The border of a node are the nodes that are still coupled to it when its turn comes. Nodes
 * that follow each other and have almost the same border are a group. The front of a group is the dense matrix of its nodes
 * and of the border of the last one. Eliminating the nodes leaves a Schur complement over that border, which is added to the
 * front of the group of the border's first node. */
#include "block_lu_impl.h"

#include <math.h>
#include <string.h>

/* Functions compiled for wider vectors as well, and chosen when the program starts. They work on each element by itself, without
 * contraction, so that the bits are the same for all widths. Sanitizers do not run before that choice. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(TENON_SANITIZED)
#define TN_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TN_WIDE
#endif

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
                             lu->pivot, lu->factors, lu->exchange, lu->front, lu->stack, lu->work, lu->exact_begin,
                             lu->exact, lu->group_begin, lu->group_of, lu->below };
    for (size_t k = 0; k < TN_LENGTH(arrays); k++)
        tn_free(lu->context, arrays[k]);
    tn_free(lu->context, lu);
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
    for (int i = 0; i < rows && from && columns == 6; i++)     /* a size that the compiler knows */
        memcpy(front + (row + i) * size + column, from + i * 6, 6 * sizeof(double));
    for (int i = 0; i < rows && from && columns != 6; i++)
        memcpy(front + (row + i) * size + column, from + i * columns, (size_t)columns * sizeof(double));
}

/* Puts the blocks of the group's nodes, and of their couplings to later nodes, into the front. */
static void fill_front(const tn_block_lu *lu, int group, int size, int *place)
{
    int first = lu->group_begin[group], at = lu->width[lu->order[first]];
    memset(lu->front, 0, (size_t)(size * size) * sizeof(double));
    place[first] = 0;
    for (int e = lu->border_begin[first]; e < lu->border_begin[first + 1]; e++) {
        place[lu->border[e]] = at;
        at += lu->width[lu->order[lu->border[e]]];
    }
    for (int k = first; k < lu->group_begin[group + 1]; k++) {
        int node = lu->order[k], w = lu->width[node];
        copy_block(lu->front, size, place[k], place[k], lu->matrix + lu->diagonal[node], w, w);
        for (int e = lu->begin[node]; e < lu->begin[node + 1]; e++) {
            int other = lu->neighbour[e], step = lu->place[other], b = lu->width[other];
            if (step < k)
                continue;
            copy_block(lu->front, size, place[k], place[step], lu->matrix + lu->block[e], w, b);
            copy_block(lu->front, size, place[step], place[k], find_block(lu, other, node), b, w);
        }
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

/* Adds the Schur complement of a group below, over its border, to the front. place: of the steps in the front; rows: room for
 * the places of the border's unknowns. */
static void add_child(const tn_block_lu *lu, int child, int size, const double *schur, const int *place, int *rows)
{
    int last = lu->group_begin[child + 1] - 1, total = 0;
    for (int e = lu->border_begin[last]; e < lu->border_begin[last + 1]; e++)
        for (int i = 0; i < lu->width[lu->order[lu->border[e]]]; i++)
            rows[total++] = place[lu->border[e]] + i;
    add_rows(lu->front, size, schur, rows, total);
}

/* Row of L from a row of the front: x U = row, over the first w columns; inverse: of the diagonal of U. */
static inline void divide_row(double *restrict row, const double *restrict front, int stride, const double *restrict inverse,
                              int w)
{
    for (int p = 0; p < w; p++) {
        double l = row[p] *= inverse[p];
        for (int j = p + 1; j < w; j++)
            row[j] -= l * front[p * stride + j];
    }
}

/* The same for all rows behind the first six. */
static void divide_rows_of_6(double *front, int stride, int size, const double *inverse)
{
    double u[6][6], i[6];
    for (int p = 0; p < 6; p++) {
        memcpy(u[p], front + p * stride, sizeof u[p]);
        i[p] = inverse[p];
    }
    for (int r = 6; r < size; r++) {
        double *row = front + r * stride, a = row[0] * i[0], b = (row[1] - a * u[0][1]) * i[1];
        double c = (row[2] - a * u[0][2] - b * u[1][2]) * i[2], d = (row[3] - a * u[0][3] - b * u[1][3] - c * u[2][3]) * i[3];
        double e = (row[4] - a * u[0][4] - b * u[1][4] - c * u[2][4] - d * u[3][4]) * i[4];
        double f = (row[5] - a * u[0][5] - b * u[1][5] - c * u[2][5] - d * u[3][5] - e * u[4][5]) * i[5];
        const double l[6] = { a, b, c, d, e, f };
        memcpy(row, l, sizeof l);
    }
}

/* LU of the first w columns of a front with `size` rows, which are `stride` apart; rows are exchanged among the first w. */
TN_WIDE static int eliminate(double *front, int stride, int size, int w, int *exchange)
{
    double inverse[TN_BLOCK_LU_WIDEST];
    for (int p = 0; p < w; p++) {
        int best = p;
        for (int r = p + 1; r < w; r++)
            if (fabs(front[r * stride + p]) > fabs(front[best * stride + p]))
                best = r;
        exchange[p] = best;
        for (int j = 0; j < size && best != p; j++) {
            double x = front[p * stride + j];
            front[p * stride + j] = front[best * stride + j];
            front[best * stride + j] = x;
        }
        inverse[p] = 1 / front[p * stride + p];
        if (!isfinite(inverse[p]) || inverse[p] == 0)
            return -1;
        for (int r = p + 1; r < w; r++) {
            double l = front[r * stride + p] *= inverse[p];
            for (int j = p + 1; j < size; j++)
                front[r * stride + j] -= l * front[p * stride + j];
        }
    }
    if (w == 6)
        divide_rows_of_6(front, stride, size, inverse);
    else
        for (int r = w; r < size; r++)
            divide_row(front + r * stride, front, stride, inverse, w);
    return 0;
}

/* Rank-w update of the rest of the front behind its first w rows and columns. */
TN_WIDE static void update_rest(double *front, int stride, int size, int w)
{
    const double *restrict u = front + w;
    int count = size - w;
    for (int i = w; i < size; i++) {
        const double *l = front + i * stride;
        double *restrict row = front + i * stride + w;
        if (w == 6) {
            const double a = l[0], b = l[1], c = l[2], d = l[3], e = l[4], f = l[5];
            for (int j = 0; j < count; j++)
                row[j] -= a * u[j] + b * u[j + stride] + c * u[j + 2 * stride] + d * u[j + 3 * stride] +
                          e * u[j + 4 * stride] + f * u[j + 5 * stride];
        } else if (w == 3) {
            const double a = l[0], b = l[1], c = l[2];
            for (int j = 0; j < count; j++)
                row[j] -= a * u[j] + b * u[j + stride] + c * u[j + 2 * stride];
        } else {
            for (int p = 0; p < w; p++)
                for (int j = 0; j < count; j++)
                    row[j] -= l[p] * u[j + p * stride];
        }
    }
}

/* Tells whether the determinant of a pivot block is negative. */
static bool is_negative(const double *front, int stride, int w, const int *exchange)
{
    bool negative = false;
    for (int p = 0; p < w; p++)
        negative = negative != ((front[p * stride + p] < 0) != (exchange[p] != p));
    return negative;
}

/* Stores the factors of a step whose rows and columns begin the front. */
static void store_step(tn_block_lu *lu, int k, const double *front, int stride, int size, int w)
{
    double *pivot = lu->factors + lu->pivot[k], *lower = lu->factors + lu->lower[k], *upper = lu->factors + lu->upper[k];
    int b = size - w;
    for (int i = 0; i < w; i++) {
        memcpy(pivot + i * w, front + i * stride, (size_t)w * sizeof(double));
        memcpy(upper + i * b, front + i * stride + w, (size_t)b * sizeof(double));
    }
    for (int i = 0; i < b; i++)
        for (int p = 0; p < w; p++)
            lower[i * w + p] = front[(w + i) * stride + p];
}

/* Eliminates the steps of a group in its front. Puts the Schur complement over the border into schur. */
static int eliminate_group(tn_block_lu *lu, int group, int size, double *schur)
{
    int from = 0;
    for (int k = lu->group_begin[group]; k < lu->group_begin[group + 1]; k++) {
        int node = lu->order[k], w = lu->width[node];
        double *front = lu->front + (size_t)from * (size_t)(size + 1);
        if (eliminate(front, size, size - from, w, lu->exchange + lu->offset[node]) < 0)
            return -1;
        lu->negative = lu->negative != is_negative(front, size, w, lu->exchange + lu->offset[node]);
        store_step(lu, k, front, size, size - from, w);
        update_rest(front, size, size - from, w);
        from += w;
    }
    for (int i = from; i < size; i++)
        memcpy(schur + (i - from) * (size - from), lu->front + i * size + from, (size_t)(size - from) * sizeof(double));
    return 0;
}

int tn_block_lu_factor(tn_block_lu *lu)
{
    lu->negative = false;
    if (lu->nodes == 0)
        return 0;
    int n = lu->groups, *child = lu->work, *sibling = child + lu->nodes + 1, *place = sibling + lu->nodes + 1;
    int *rows = place + lu->nodes + 1;
    size_t top = 0;
    for (int g = 0; g < n; g++)
        child[g] = -1;
    for (int g = 0; g < n; g++) {
        int first = lu->group_begin[g], size = lu->width[lu->order[first]] + tn_block_lu_border(lu, first);
        size_t border = (size_t)tn_block_lu_border(lu, lu->group_begin[g + 1] - 1);
        int parent = tn_block_lu_parent(lu, g);
        fill_front(lu, g, size, place);
        for (int c = child[g]; c >= 0; c = sibling[c]) {       /* the last child is on top of the stack */
            size_t below = (size_t)tn_block_lu_border(lu, lu->group_begin[c + 1] - 1);
            top -= below * below;
            add_child(lu, c, size, lu->stack + top, place, rows);
        }
        if (eliminate_group(lu, g, size, lu->stack + top) < 0)
            return -1;
        top += border * border;
        if (parent >= 0) {
            sibling[g] = child[parent];
            child[parent] = g;
        }
    }
    return 0;
}

bool tn_block_lu_negative(const tn_block_lu *lu)
{
    return lu->negative;
}

/* ---- solving ---- */

/* x -= lower own, over one node of the border. */
static inline void subtract_lower(double *restrict x, const double *restrict lower, const double *restrict own, int w, int rows)
{
    for (int i = 0; i < rows; i++, lower += w) {
        double sum = 0;
        for (int p = 0; p < w; p++)
            sum += lower[p] * own[p];
        x[i] -= sum;
    }
}

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
        int other = lu->order[lu->border[e]], rows = lu->width[other];
        if (w == 6 && rows == 6)                       /* sizes that the compiler knows */
            subtract_lower(x + lu->offset[other], lower, own, 6, 6);
        else
            subtract_lower(x + lu->offset[other], lower, own, w, rows);
        lower += w * rows;
    }
}

/* own -= upper x, over one node of the border; rows of upper are `stride` apart. */
static inline void subtract_upper(double *restrict own, const double *restrict upper, int stride, const double *restrict x, int w,
                                  int columns)
{
    for (int p = 0; p < w; p++) {
        double sum = 0;
        for (int i = 0; i < columns; i++)
            sum += upper[p * stride + i] * x[i];
        own[p] -= sum;
    }
}

/* x_k = U^-1 (x_k - the share of the border). */
static void solve_backward(const tn_block_lu *lu, int k, double *x)
{
    int node = lu->order[k], w = lu->width[node], b = tn_block_lu_border(lu, k);
    const double *pivot = lu->factors + lu->pivot[k], *upper = lu->factors + lu->upper[k];
    double *own = x + lu->offset[node];
    for (int e = lu->border_begin[k]; e < lu->border_begin[k + 1]; e++) {
        int other = lu->order[lu->border[e]], columns = lu->width[other];
        if (w == 6 && columns == 6)
            subtract_upper(own, upper, b, x + lu->offset[other], 6, 6);
        else
            subtract_upper(own, upper, b, x + lu->offset[other], w, columns);
        upper += columns;
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
    if (lu->matrix_size > 0)
        memset(lu->matrix, 0, lu->matrix_size * sizeof(double));
}
