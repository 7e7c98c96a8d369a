/* Convex hulls of points in space. */
#ifndef TN_MODEL_HULL_H
#define TN_MODEL_HULL_H

#include "mem.h"

/* A hull as a closed surface: triangles counter-clockwise seen from outside, in the numbers of the points. */
typedef struct tn_hull {
    int *triangles;            /* triangle_count x 3, in the arena */
    size_t triangle_count;
} tn_hull;

/* Finds the hull of count points (x, y, z each). Points that lie outside a face by less than 1e-10 of the extent count
 * as inside. TN_ERROR_ARGUMENT: the points lie in a plane, on a line or in a point. */
int tn_hull_find(tn_hull *out, tn_context *context, tn_arena *arena, const double *points, size_t count);

#endif
