#include "tree_node.h"

#include "dense.h"

#include <math.h>
#include <string.h>

/* Scaled pivots below this are dependent rows: as in general.c. */
static const double RANK_TOLERANCE = 1e-6;
/* Rows shorter than this (scaled columns, SI) have no direction: they are dropped. */
static const double ROW_FLOOR = 1e-9;

void tn_tree_node_load(tn_tree_node *node, const double *G)
{
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        memcpy(block->values, G + block->source, (size_t)(block->rows * block->columns) * sizeof(double));
    }
}

/* ---- factor ---- */

/* Finds the first row of each child in W. Returns the number of rows. */
static int stack_children(const tn_tree_node *node)
{
    int height = 0;
    for (int k = 0; k < node->child_count; k++) {
        node->child_row[k] = height;
        height += node->children[k]->rank;
    }
    return height;
}

/* y += T x, x over columns of T from first on. */
static void add_response(const tn_response *child, int first, int count, const double *x, double *y)
{
    for (int j = 0; j < count; j++) {
        const double *T = child->T + (first + j) * child->room;
        for (int i = 0; i < child->rank; i++)
            y[i] += T[i] * x[j];
    }
}

/* W = T (G' P'), T the responses of the children one below the other. */
static void assemble(const tn_tree_node *node)
{
    const tn_response *own = &node->response;
    memset(node->W, 0, (size_t)(node->room * (node->rows + own->columns)) * sizeof(double));
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        double *W = node->W + node->child_row[block->child] + block->row * node->room;
        for (int i = 0; i < block->rows; i++)
            add_response(node->children[block->child], block->column, block->columns,
                         block->values + i * block->columns, W + i * node->room);
    }
    for (int j = 0; j < own->columns; j++) {
        const tn_port_column *port = &node->ports[j];
        const tn_response *child = node->children[port->child];
        memcpy(node->W + node->child_row[port->child] + (node->rows + j) * node->room,
               child->T + port->column * child->room, (size_t)child->rank * sizeof(double));
    }
}

/* Own rows to unit length, columns counted as lengths. */
static void scale_rows(const tn_tree_node *node)
{
    double *norm = node->lambda;                       /* of a solution that is no more */
    memset(norm, 0, (size_t)node->rows * sizeof(double));
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        for (int i = 0; i < block->rows; i++)
            for (int j = 0; j < block->columns; j++) {
                double x = block->values[i * block->columns + j] / block->column_scale[j];
                norm[block->row + i] += x * x;
            }
    }
    for (int i = 0; i < node->rows; i++) {
        double length = sqrt(norm[i]), scale = length <= ROW_FLOOR ? 0 : 1 / length;
        for (int k = 0; k < node->room; k++)
            node->W[k + i * node->room] *= scale;
    }
}

/* Puts the longest of the columns that are left, from row p down, at p. Returns its length. */
static double choose_pivot(const tn_tree_node *node, int p, int height)
{
    int best = p;
    double largest = -1;
    for (int n = p; n < node->rows; n++) {
        double norm = tn_norm2(height - p, node->W + p + node->pivot[n] * node->room);
        if (!(norm <= largest)) {
            largest = norm;
            best = n;
        }
    }
    int chosen = node->pivot[best];
    node->pivot[best] = node->pivot[p];
    node->pivot[p] = chosen;
    return largest;
}

/* Makes a column zero below row p; own rows up to pivot last and ports from first on follow. */
static void eliminate(const tn_tree_node *node, int p, int height, int column, int last, int first)
{
    double *v = node->W + p + column * node->room;
    double tau = tn_reflector(height - p, v);
    for (int n = p + 1; n < last; n++)
        tn_reflect(height - p, v, tau, node->W + p + node->pivot[n] * node->room);
    for (int j = node->rows + first; j < node->rows + node->response.columns; j++)
        tn_reflect(height - p, v, tau, node->W + p + j * node->room);
}

/* Where a loop closes, the pivot of a row is its distance from all rows inside, and what is nearer than the tolerance
 * depends on them. Elsewhere rows can depend on others of their own constraint only; there the largest pivot is the
 * measure, since large parts answer little to a force, however free they are. */
static void decide_rows(tn_tree_node *node, int height)
{
    double unit = 1;
    const int limit = node->rows < height ? node->rows : height;
    for (int i = 0; i < node->rows; i++)
        node->pivot[i] = i;
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
        eliminate(node, node->rank, height, node->pivot[node->rank], node->rows, 0);
    }
}

static int repeat_rows(const tn_tree_node *node, int height)
{
    if (node->rank > height)
        return TN_ERROR_STEP;
    for (int p = 0; p < node->rank; p++) {
        eliminate(node, p, height, node->pivot[p], node->rank, 0);
        if (!(fabs(node->W[p + node->pivot[p] * node->room]) > 0))
            return TN_ERROR_STEP;
    }
    return TN_OK;
}

/* What is left below the own rows is T; with more rows than columns it is made a triangle. */
static void take_response(tn_tree_node *node, int height)
{
    tn_response *own = &node->response;
    const int r = node->rank, left = height - r;
    bool triangle = left > own->columns;
    for (int j = 0; j < own->columns && triangle; j++)
        eliminate(node, r + j, height, node->rows + j, 0, j + 1);
    own->rank = triangle ? own->columns : left;
    for (int j = 0; j < own->columns; j++) {
        const int filled = triangle ? j + 1 : left;
        double *T = own->T + j * own->room;
        memcpy(T, node->W + r + (node->rows + j) * node->room, (size_t)filled * sizeof(double));
        memset(T + filled, 0, (size_t)(own->rank - filled) * sizeof(double));
    }
}

int tn_tree_node_condense(tn_tree_node *node, tn_tree_rule rule)
{
    int height = stack_children(node);
    assemble(node);
    if (rule == TN_TREE_DECIDE) {
        scale_rows(node);
        decide_rows(node, height);
    } else {
        TN_TRY(repeat_rows(node, height));
    }
    take_response(node, height);
    return TN_OK;
}

/* ---- solve ---- */

/* Column of R1 for the n-th independent row, and of E for an own port column: rank entries each. */
static const double *row_factor(const tn_tree_node *node, int n)
{
    return node->W + node->pivot[n] * node->room;
}

static const double *port_factor(const tn_tree_node *node, int column)
{
    return node->W + (node->rows + column) * node->room;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* gap[i] = u - G r, by own row. */
static void find_gaps(const tn_tree_node *node, const double *u, double *gap)
{
    for (int i = 0; i < node->rows; i++)
        gap[i] = u[node->row[i]];
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        const double *r = node->children[block->child]->r + block->column;
        for (int i = 0; i < block->rows; i++)
            gap[block->row + i] -= dot(block->columns, block->values + i * block->columns, r);
    }
}

void tn_tree_node_condense_free(tn_tree_node *node, const double *u)
{
    double *y = node->y;
    find_gaps(node, u, node->lambda);
    for (int n = 0; n < node->rank; n++) {
        const double *R = row_factor(node, n);
        y[n] = (node->lambda[node->pivot[n]] - dot(n, R, y)) / R[n];
    }
    for (int j = 0; j < node->response.columns; j++)
        node->response.r[j] = node->children[node->ports[j].child]->r[node->ports[j].column] +
                              dot(node->rank, port_factor(node, j), y);
}

/* lambda1 = R1^-1 (y - E tau), by own row; 0 for those that depend on others. */
static void find_multipliers(const tn_tree_node *node)
{
    double *z = node->z;
    memcpy(z, node->y, (size_t)node->rank * sizeof(double));
    for (int j = 0; j < node->response.columns; j++)
        for (int n = 0; n < node->rank; n++)
            z[n] -= port_factor(node, j)[n] * node->response.tau[j];
    memset(node->lambda, 0, (size_t)node->rows * sizeof(double));
    for (int n = node->rank - 1; n >= 0; n--) {
        const double *R = row_factor(node, n);
        double lambda = z[n] / R[n];
        for (int i = 0; i < n; i++)
            z[i] -= R[i] * lambda;
        node->lambda[node->pivot[n]] = lambda;
    }
}

void tn_tree_node_back_substitute(tn_tree_node *node, double *lambda)
{
    find_multipliers(node);
    for (int k = 0; k < node->child_count; k++)
        memset(node->children[k]->tau, 0, (size_t)node->children[k]->columns * sizeof(double));
    for (int j = 0; j < node->response.columns; j++)
        node->children[node->ports[j].child]->tau[node->ports[j].column] = node->response.tau[j];
    for (int b = 0; b < node->block_count; b++) {
        const tn_tree_block *block = &node->blocks[b];
        double *tau = node->children[block->child]->tau + block->column;
        for (int i = 0; i < block->rows; i++)
            for (int j = 0; j < block->columns; j++)
                tau[j] += block->values[i * block->columns + j] * node->lambda[block->row + i];
    }
    for (int i = 0; i < node->rows && lambda; i++)
        lambda[node->row[i]] = node->lambda[i];
}
