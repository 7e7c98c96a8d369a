/* Surfaces: patches between the lines of a grid, bilinear, or cubic in both directions,
 *     z = sum of B_a(s) B_b(t) c_ab,   c: value, slopes along x and y, twist at the four corners,
 * with the basis of Hermite. Slopes are those of the curves of the same kind through the rows and columns of the grid (curve.h). The
 * twist is the slope along y of the slopes along x, by a spline, so that smooth surfaces have two continuous derivatives;
 * monotone ones have none. */
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE, SLOPE_X, SLOPE_Y, TWIST, NODE };

struct tn_grid {
    tn_context *context;
    int x_count, y_count;
    bool linear, extends;
    double numbers[];              /* x, y, then NODE numbers for each point of the grid */
};

static size_t grid_size(int nx, int ny)
{
    return sizeof(tn_grid) + ((size_t)nx + (size_t)ny + (size_t)NODE * (size_t)nx * (size_t)ny) * sizeof(double);
}

static double *node_at(tn_grid *s, int i, int j)
{
    return s->numbers + s->x_count + s->y_count + NODE * (i * s->y_count + j);
}

static int check_lines(const double *x, int count, const char *name, tn_curve_error *error)
{
    if (count < 2) {
        snprintf(error->message, sizeof error->message, "a table of two arguments needs at least 2 values of %s, not %d", name, count);
        return TN_ERROR_MODEL;
    }
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]) || (i > 0 && x[i] <= x[i - 1])) {
            snprintf(error->message, sizeof error->message, "value %d of %s must be finite and greater than the one before", i + 1, name);
            return TN_ERROR_MODEL;
        }
    return TN_OK;
}

static int check_grid(const tn_grid_def *d, tn_curve_error *error)
{
    *error = (tn_curve_error){ .point = -1 };
    TN_TRY(check_lines(d->x, d->x_count, "x", error));
    TN_TRY(check_lines(d->y, d->y_count, "y", error));
    for (int i = 0; i < d->x_count; i++)
        for (int j = 0; j < d->y_count; j++)
            if (!isfinite(d->z[i * d->y_count + j])) {
                snprintf(error->message, sizeof error->message, "value %d in row %d of z is not finite", j + 1, i + 1);
                return TN_ERROR_MODEL;
            }
    return TN_OK;
}

/* Slopes of a curve through the numbers `from` of a line of points, into their numbers `to`. stride: doubles between points. */
static int take_slopes(tn_grid *s, const tn_grid_def *d, bool along_x, int line, int from, int to, double *scratch)
{
    const int count = along_x ? d->x_count : d->y_count;
    const double *at = along_x ? d->x : d->y;
    tn_curve_error error;
    tn_curve *curve;
    for (int k = 0; k < count; k++)
        scratch[k] = (along_x ? node_at(s, k, line) : node_at(s, line, k))[from];
    TN_TRY(tn_curve_create(&curve, s->context, &(tn_curve_def){ .x = at, .y = scratch, .count = count, .kind = d->kind }, &error));
    for (int k = 0; k < count; k++) {
        double value[3];
        tn_curve_value(curve, at[k], value);
        (along_x ? node_at(s, k, line) : node_at(s, line, k))[to] = value[1];
    }
    tn_curve_destroy(curve);
    return TN_OK;
}

static int fill_slopes(tn_grid *s, const tn_grid_def *d, double *scratch)
{
    if (d->kind == TN_CURVE_LINEAR)
        return TN_OK;
    for (int j = 0; j < d->y_count; j++)
        TN_TRY(take_slopes(s, d, true, j, VALUE, SLOPE_X, scratch));
    for (int i = 0; i < d->x_count; i++) {
        TN_TRY(take_slopes(s, d, false, i, VALUE, SLOPE_Y, scratch));
        if (d->kind == TN_CURVE_SMOOTH)
            TN_TRY(take_slopes(s, d, false, i, SLOPE_X, TWIST, scratch));
    }
    return TN_OK;
}

int tn_grid_create(tn_grid **out, tn_context *context, const tn_grid_def *d, tn_curve_error *error)
{
    enum { MOST = 1 << 22 };
    *out = NULL;
    TN_TRY(check_grid(d, error));
    if ((double)d->x_count * d->y_count > MOST)
        return TN_ERROR_MEMORY;
    tn_grid *s = tn_alloc(context, 1, grid_size(d->x_count, d->y_count));
    double *scratch = tn_alloc(context, (size_t)(d->x_count + d->y_count), sizeof *scratch);
    int code = s && scratch ? TN_OK : TN_ERROR_MEMORY;
    if (code == TN_OK) {
        s->context = context;
        s->x_count = d->x_count;
        s->y_count = d->y_count;
        s->linear = d->kind == TN_CURVE_LINEAR;
        s->extends = d->outside == TN_CURVE_EXTEND;
        memcpy(s->numbers, d->x, (size_t)d->x_count * sizeof(double));
        memcpy(s->numbers + d->x_count, d->y, (size_t)d->y_count * sizeof(double));
        for (int i = 0; i < d->x_count; i++)
            for (int j = 0; j < d->y_count; j++)
                node_at(s, i, j)[VALUE] = d->z[i * d->y_count + j];
        code = fill_slopes(s, d, scratch);
    }
    tn_free(context, scratch);
    if (code < 0)
        tn_free(context, s);
    else
        *out = s;
    return code;
}

int tn_grid_clone(tn_grid **out, const tn_grid *s)
{
    const size_t size = grid_size(s->x_count, s->y_count);
    *out = tn_alloc(s->context, 1, size);
    if (!*out)
        return TN_ERROR_MEMORY;
    memcpy(*out, s, size);
    return TN_OK;
}

bool tn_grid_same(const tn_grid *a, const tn_grid *b)
{
    if (!a || !b)
        return a == b;
    return a->x_count == b->x_count && a->y_count == b->y_count && a->linear == b->linear && a->extends == b->extends &&
           memcmp(a->numbers, b->numbers, grid_size(a->x_count, a->y_count) - sizeof(tn_grid)) == 0;
}

void tn_grid_destroy(tn_grid *s)
{
    if (s)
        tn_free(s->context, s);
}

/* ---- values ---- */

/* The patch of an argument, and the argument clamped to the grid. */
static int find_patch(const double *x, int count, double *at)
{
    int low = 0, high = count - 1;
    *at = fmin(fmax(*at, x[0]), x[count - 1]);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x[middle] <= *at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The four functions of the basis (values at both ends, slopes at both ends), their derivative of an order; linear: two. */
static void basis(double s, double h, int order, bool linear, double b[4])
{
    const double values[4][4] = { { 1 + s * s * (2 * s - 3), s * s * (3 - 2 * s), h * s * (1 - s) * (1 - s), -h * s * s * (1 - s) },
                                  { 6 * s * (s - 1) / h, 6 * s * (1 - s) / h, (1 - s) * (1 - 3 * s), s * (3 * s - 2) },
                                  { (12 * s - 6) / (h * h), (6 - 12 * s) / (h * h), (6 * s - 4) / h, (6 * s - 2) / h },
                                  { 12 / (h * h * h), -12 / (h * h * h), 6 / (h * h), 6 / (h * h) } };
    const double straight[2][2] = { { 1 - s, s }, { -1 / h, 1 / h } };
    memset(b, 0, 4 * sizeof *b);
    if (!linear)
        memcpy(b, values[order], 4 * sizeof *b);
    else if (order < 2)
        memcpy(b, straight[order], 2 * sizeof *b);
}

typedef struct patch {
    const tn_grid *surface;
    int i, j;
    double s, t, hx, hy;           /* parts and lengths of the patch */
} patch;

/* The derivative of these orders on a patch. */
static double derivative(const patch *p, int along_x, int along_y)
{
    double bx[4], by[4], sum = 0;
    const tn_grid *s = p->surface;
    basis(p->s, p->hx, along_x, s->linear, bx);
    basis(p->t, p->hy, along_y, s->linear, by);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const double *c = s->numbers + s->x_count + s->y_count + NODE * ((p->i + a) * s->y_count + p->j + b);
            sum += c[VALUE] * bx[a] * by[b] + c[SLOPE_X] * bx[2 + a] * by[b] + c[SLOPE_Y] * bx[a] * by[2 + b] +
                   c[TWIST] * bx[2 + a] * by[2 + b];
        }
    return sum;
}

/* Beyond the grid the surface goes on straight in that direction, or not at all: its derivative of these orders. */
static double beyond(const patch *p, double dx, double dy, int along_x, int along_y)
{
    const bool out_x = dx != 0, out_y = dy != 0, extends = p->surface->extends;
    if ((out_x && along_x > (extends ? 1 : 0)) || (out_y && along_y > (extends ? 1 : 0)))
        return 0;
    double sum = derivative(p, along_x, along_y);
    if (out_x && extends && along_x == 0)
        sum += dx * derivative(p, 1, along_y);
    if (out_y && extends && along_y == 0)
        sum += dy * derivative(p, along_x, 1);
    if (out_x && out_y && extends && along_x == 0 && along_y == 0)
        sum += dx * dy * derivative(p, 1, 1);
    return sum;
}

void tn_grid_value(const tn_grid *s, double x, double y, double out[TN_GRID_VALUES])
{
    static const int orders[TN_GRID_VALUES][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 0, 2 } };
    const double *X = s->numbers, *Y = s->numbers + s->x_count;
    double xc = x, yc = y;
    patch p = { .surface = s };
    p.i = find_patch(X, s->x_count, &xc);
    p.j = find_patch(Y, s->y_count, &yc);
    p.hx = X[p.i + 1] - X[p.i];
    p.hy = Y[p.j + 1] - Y[p.j];
    p.s = (xc - X[p.i]) / p.hx;
    p.t = (yc - Y[p.j]) / p.hy;
    for (int k = 0; k < TN_GRID_VALUES; k++)
        out[k] = beyond(&p, x - xc, y - yc, orders[k][0], orders[k][1]);
}
