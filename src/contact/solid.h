/* Solids: shapes for the search for touches, as polyhedra (vertices, edges, faces) with a rounding radius. In planar
 * models the sides of a polygon are its faces. A segment has two faces in the plane (both sides) and none in space, a
 * point none; a half-space is one face, with a point of it as its only vertex. All are convex but surfaces, which
 * touch triangle by triangle (surface.h), tori, tubes and bowls (meet_hollow.c). Round solids (cylinder, cone, torus, ellipsoid) are polyhedra with
 * corners on their surface, which tell where they touch; the touches themselves are exact (meet_round.c). */
#ifndef TN_CONTACT_SOLID_H
#define TN_CONTACT_SOLID_H

#include "entities.h"
#include "mem.h"

enum { TN_NO_FACE = -1, TN_RIM_CORNERS = 16 };

typedef struct tn_solid_edge {         /* space only */
    int from, to;
    int faces[2];
    int out[2];                        /* sign of the cross product of the edge and a face's normal that points out of
                                          the face; 0: there is no face */
    bool flat;                         /* nothing touches it before it touches the faces beside it */
} tn_solid_edge;

typedef struct tn_solid_face {
    const int *corners;                /* counter-clockwise seen from outside; planar: the two ends */
    const int *edges;                  /* those around it; space only */
    int count;                         /* of corners, and of edges */
} tn_solid_face;

/* A circle of a round solid. The vertices TN_RIM_CORNERS k ... lie on rim k. */
typedef struct tn_solid_rim {
    double own_centre[3], own_axis[3];         /* in the body's frame; axes point out of the solid */
    double centre[3], axis[3];                 /* in the world */
    double radius;                             /* m */
} tn_solid_rim;

typedef enum tn_solid_form {
    TN_FORM_POLYHEDRON,
    TN_FORM_CYLINDER,                  /* faces 0 and 1 are its ends, at rims 0 and 1 */
    TN_FORM_CONE,                      /* face 0 is its base, at rim 0; the last vertex is its apex */
    TN_FORM_TORUS,                     /* rim 0, rounded */
    TN_FORM_ELLIPSOID,
    TN_FORM_TUBE,                      /* as a cylinder, with a bore along its axis; eyes 0 and 1 are at rims 0 and 1 */
    TN_FORM_BOWL                       /* a sphere without its part beyond eye 0 (also rim 0), touched from inside */
} tn_solid_form;

typedef struct tn_surface tn_surface;

typedef struct tn_solid {
    uint32_t body, shape;
    bool half_space;
    double radius;                     /* m, of the rounding */
    double size;                       /* m, largest extent of the polyhedron */
    int vertex_count, edge_count, face_count;
    tn_solid_edge *edges;
    tn_solid_face *faces;
    double (*own_vertices)[3], (*own_normals)[3];      /* in the body's frame */
    double (*vertices)[3], (*normals)[3];              /* in the world */
    const int *spoke_starts, *spokes;  /* vertices at the other ends of the edges of vertex i: spokes[spoke_starts[i]] up
                                          to spokes[spoke_starts[i + 1]]; NULL: no edges */
    const bool *corner;                /* by vertex: it is neither within a plane nor within a straight edge; NULL: all are */
    const int *names[3];               /* numbers of vertices, edges and faces in keys of touches; NULL: their indices */
    tn_solid_form form;
    tn_solid_rim rims[2];
    int rim_count;
    tn_solid_rim eyes[2];              /* edges of a bore, or of a bowl */
    int eye_count;
    double bore;                       /* m, radius of the bore, or of the sphere of a bowl */
    double wall;                       /* m: what is deeper inside touches nothing, it is on the other side; 0: no limit */
    struct tn_solid *staves;           /* of a tube in space: convex polyhedra inside its wall */
    int stave_count;
    bool stave;                        /* its faces 2 and 3 are within the wall of a tube */
    double half_axes[3];               /* of an ellipsoid */
    double own_turn[4], turn[4];       /* quaternion of its axes, in the body's frame and in the world */
    double own_centre[3], centre[3];   /* of an ellipsoid, or a bowl */
    tn_surface *surface;               /* not convex; the solid itself then has no features. NULL: convex */
    double low[3], high[3];            /* bounds in the world, rounding included */
} tn_solid;

/* Builds a solid from a shape that can touch; body and shape must be set. Its arrays live in the arena. */
int tn_solid_build(tn_solid *solid, tn_context *context, tn_arena *arena, const tn_shape *shape, int dimension);
/* Computes vertices, normals and bounds in the world, for a pose of the body. */
void tn_solid_place(tn_solid *solid, const tn_pose *body);

#endif
