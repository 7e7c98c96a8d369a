/* Surfaces: triangle meshes that need not be convex, with a tree of bounds. A surface touches triangle by triangle; edges
 * and vertices know what lies beside the triangle, so that nothing catches on the edges inside a flat or hollow part. */
#ifndef TN_CONTACT_SURFACE_H
#define TN_CONTACT_SURFACE_H

#include "solid.h"

/* Makes the surface of a solid from the triangles of a mesh. Degenerate triangles are left out. */
int tn_surface_build(tn_solid *solid, tn_context *context, tn_arena *arena, const tn_shape *mesh);

/* The region of a search: a box of bounds, or all that is below a plane; both in the body's frame. */
typedef struct tn_surface_query {
    bool plane;
    double low[3], high[3];
    double normal[3], offset;          /* plane: normal . x < offset */
} tn_surface_query;

/* Finds the triangles whose bounds meet the query, in ascending order of the tree. *list belongs to the surface and is
 * valid until the next call. */
void tn_surface_find(const int **list, int *count, const tn_surface *surface, const tn_surface_query *query);
/* Makes a triangle a solid in the world, for a pose of the body: three vertices, three edges and one face; normals[1 + k]
 * is that of the triangle beyond edge k. It belongs to the surface and is valid until the next call; `second` is
 * another one, for touches of a surface with itself or another one. */
const tn_solid *tn_surface_triangle(const tn_solid *solid, int triangle, const tn_pose *body, bool second);
/* Finds the triangles whose bounds are within margin of those of a solid in the world; frame: the pose of the surface's body. */
void tn_surface_near(const int **list, int *count, const tn_solid *surface, const tn_solid *solid, const tn_pose *frame, double margin);
/* Writes down the bounds of a triangle in the world. */
void tn_triangle_bounds(tn_solid *triangle);
int tn_surface_count(const tn_surface *surface);
/* Tells whether every edge has two triangles. */
bool tn_surface_is_closed(const tn_surface *surface);
/* Bounds in the body's frame, and the largest distance from its origin. */
void tn_surface_bounds(double low[3], double high[3], const tn_surface *surface);
double tn_surface_reach(const tn_surface *surface);

#endif
