/* Solids: shapes for the search for touches, as convex polytopes (vertices, edges, faces) with a rounding radius. In
 * planar models the sides of a polygon are its faces. A segment has two faces in the plane (both sides) and none in
 * space, a point none; a half-space is one face, with a point of it as its only vertex. */
#ifndef TN_CONTACT_SOLID_H
#define TN_CONTACT_SOLID_H

#include "entities.h"
#include "mem.h"

enum { TN_FACE_CORNERS = 4, TN_NO_FACE = -1 };

typedef struct tn_solid_edge {         /* space only */
    int from, to;
    int faces[2];
} tn_solid_edge;

typedef struct tn_solid_face {
    int corners[TN_FACE_CORNERS];      /* counter-clockwise seen from outside; planar: the two ends */
    int count;
} tn_solid_face;

typedef struct tn_solid {
    uint32_t body, shape;
    bool half_space;
    double radius;                     /* m, of the rounding */
    double size;                       /* m, largest extent of the polytope */
    int vertex_count, edge_count, face_count;
    tn_solid_edge *edges;
    tn_solid_face *faces;
    double (*own_vertices)[3], (*own_normals)[3];      /* in the body's frame */
    double (*vertices)[3], (*normals)[3];              /* in the world */
    double low[3], high[3];            /* bounds in the world, rounding included */
} tn_solid;

/* Builds a solid from a shape that can touch; body and shape must be set. Its arrays live in the arena. */
int tn_solid_build(tn_solid *solid, tn_arena *arena, const tn_shape *shape, int dimension);
/* Computes vertices, normals and bounds in the world, for a pose of the body. */
void tn_solid_place(tn_solid *solid, const tn_pose *body);

#endif
