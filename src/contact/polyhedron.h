/* Builds the edges and faces of polyhedra in space. */
#ifndef TN_CONTACT_POLYHEDRON_H
#define TN_CONTACT_POLYHEDRON_H

#include "solid.h"

/* Takes memory for the features of a solid. */
int tn_solid_memory(tn_solid *solid, tn_arena *arena, int vertices, int edges, int faces);
/* Makes a convex polyhedron from its triangles, counter-clockwise seen from outside: triangles in one plane become one
 * face, points that are no corners of a face are left out. */
int tn_solid_from_triangles(tn_solid *solid, tn_context *context, tn_arena *arena, const double *points, size_t points_count,
                            const int *triangles, size_t count);
/* Relates features to each other, after vertices, edges (with their faces), corners of faces and normals are there:
 * the edges around each face, signs of edges, spokes. */
int tn_solid_relate(tn_solid *solid, tn_arena *arena);

#endif
