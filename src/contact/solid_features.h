/* Features of solids (vertices, edges, faces): where points lie relative to them, and the touches of two features. */
#ifndef TN_CONTACT_FEATURES_H
#define TN_CONTACT_FEATURES_H

#include "meet.h"

/* A corner this far outside a face is still within it; edges do not cross this near to their ends: share of the size. */
static const double TN_BOUNDARY = 1e-9;
/* Edges are parallel below this sine of the angle between them. */
static const double TN_CROSSING = 1e-5;
/* Points deeper behind a face are not in touch with it, but on the other side of the body: share of the size. Where shapes
 * are not convex. */
static const double TN_SHALLOW = 1e-3;
/* Two edges that overlap by more than this share of the size are separated in another direction. For round shapes and shapes that
 * are not convex, the direction of best separation is not searched. */
static const double TN_OVERLAP = 1e-7;
/* How far a direction may lean out of the wedge of an edge, or out of the cone of a corner: cosine. */
static const double TN_LEANING = 0.1;

/* axis NULL: any direction. */
tn_touch_side tn_side_of(const tn_solid *solid, tn_feature_kind kind, int feature, const double point[3],
                         const double axis[3]);

/* ---- where a point lies ---- */

double tn_face_height(const tn_solid *solid, int face, const double v[3]);
/* Tells whether the projection of a point lies within a face. */
bool tn_face_covers(const tn_solid *solid, int face, const double v[3]);
/* Tells whether a point behind a face is nearer to it than to the faces beside it; where it is not, it touches one of
 * those, or is in front of it. */
bool tn_face_first(const tn_solid *solid, int face, const double v[3]);
/* Tells whether a point is over a triangle of a surface, or within `reach` beside it where the surface does not bend away:
 * the point cannot touch the triangle there, but may be over it soon, unless it is below its plane. INFINITY: nothing moves. */
bool tn_triangle_covers(const tn_solid *triangle, const double v[3], double reach);
/* How far a point lies beyond an edge, as seen from the face `side` of the edge: along the normal of the edge within the
 * face, times the length of the edge. */
double tn_edge_beyond(const tn_solid *solid, const tn_solid_edge *edge, int side, const double v[3]);
/* Tells whether a vertex is neither within a plane nor within a straight edge. */
bool tn_vertex_is_corner(const tn_solid *solid, int vertex);

/* ---- where a direction points ---- */

/* Out of a solid within the cone of a vertex, up to a cosine `slack`. */
bool tn_vertex_cone(const tn_solid *solid, int vertex, const double n[3], double slack);
/* Out of a solid or a surface within the wedge of an edge, up to TN_LEANING: into none of its faces; sign -1: the opposite direction. */
bool tn_edge_wedge(const tn_solid *solid, const tn_solid_edge *edge, const double n[3], double sign);
/* Tells whether the common perpendicular of two edges e and f meets both between their ends (ends touch as vertices), `within` from
 * them: share of their lengths, TN_BOUNDARY by default. d is the vector between their start points. */
bool tn_edges_cross(const double d[3], const double e[3], const double f[3], double within);

/* ---- touches ---- */

/* A face of owner, or one of its vertices or edges, with a vertex of other. */
void tn_add_face(tn_touch_list *list, const tn_solid *owner, int face, const tn_solid *other, int vertex);
void tn_add_point(tn_touch_list *list, const tn_solid *owner, int vertex, const tn_solid *other, int other_vertex);
void tn_add_line(tn_touch_list *list, const tn_solid *owner, int edge, const tn_solid *other, int vertex);
/* Crossing edges. toward: approximate direction from a to b; NULL: from the places of the edges. within: as for tn_edges_cross. */
void tn_add_edges(tn_touch_list *list, const tn_solid *a, int i, const tn_solid *b, int j, const double toward[3], double within);
/* The corners of other with the nearest features of solid. */
void tn_vertices_meet(tn_touch_list *list, const tn_solid *solid, const tn_solid *other);

/* ---- pairs of solids ---- */

/* The plane that separates two convex solids best. */
typedef struct tn_separation {
    double distance;           /* negative: the solids overlap at least by this depth */
    double normal[3];          /* from a to b */
    const tn_solid *owner;     /* the solid whose face is the plane; NULL: plane along two edges */
    int face;
    int edges[2];              /* of a and of b, where the plane is along them */
} tn_separation;
tn_separation tn_solids_separate(const tn_solid *a, const tn_solid *b);
/* Adds the touches of edges around the faces that look at each other across a plane. */
void tn_edges_across(tn_touch_list *list, const tn_solid *a, const tn_solid *b, const double normal[3]);
/* second: use the second triangle of the surface, while the first one is in use. */
void tn_surface_meet(tn_touch_list *list, const tn_solid *surface, const tn_solid *other, bool second);
/* Tells whether tn_round_meet finds the touches of a solid with another: a cylinder, cone or torus, and an ellipsoid on a half-space;
 * others of ellipsoids are in meet_ovals.h. */
bool tn_solid_is_round(const tn_solid *solid, const tn_solid *other);
void tn_round_meet(tn_touch_list *list, const tn_solid *round, const tn_solid *other);
/* Tells whether a solid is a tube or a bowl. tn_hollow_meet is for these, and anything but surfaces. */
bool tn_solid_is_hollow(const tn_solid *solid);
void tn_hollow_meet(tn_touch_list *list, const tn_solid *hollow, const tn_solid *other);

#endif
