/* Surfaces: a function of two numbers through the values of a grid, with derivatives. */
#ifndef TN_BASE_GRID_H
#define TN_BASE_GRID_H

#include "curve.h"

typedef struct tn_grid_def {
    const double *x, *y;           /* lines of the grid, strictly increasing; copied */
    const double *z;               /* values: z[i * y_count + j] at x[i], y[j]; copied */
    int x_count, y_count;          /* at least 2 each */
    tn_curve_kind kind;
    tn_curve_outside outside;
} tn_grid_def;

typedef struct tn_grid tn_grid;

/* All numbers finite; otherwise TN_ERROR_MODEL fills error. */
int tn_grid_create(tn_grid **out, tn_context *context, const tn_grid_def *def, tn_curve_error *error);
int tn_grid_clone(tn_grid **out, const tn_grid *surface);
/* Same function, to the bit. NULL is the same as NULL only. */
bool tn_grid_same(const tn_grid *a, const tn_grid *b);
void tn_grid_destroy(tn_grid *surface);

/* Value and derivatives: z, by x, by y, by x twice, by x and y, by y twice. At the lines of the grid, those towards larger
 * arguments; at the last lines, of the last patch. */
enum { TN_GRID_Z, TN_GRID_X, TN_GRID_Y, TN_GRID_XX, TN_GRID_XY, TN_GRID_YY, TN_GRID_VALUES };
void tn_grid_value(const tn_grid *surface, double x, double y, double out[TN_GRID_VALUES]);

#endif
