/* Finds the touches between two solids. Rounded solids whose polytopes are apart touch with their nearest features:
 * each vertex of one solid with the nearest face, edge or vertex of the other, and edges that cross. Solids whose
 * polytopes overlap, or without rounding, touch across the plane that separates them best: the two faces along that
 * plane give touches where a corner of one lies within the other, and where their edges cross. */
#include "meet.h"

#include "surface.h"
#include "vec.h"

static const double boundary = 1e-9;   /* share of the size: a corner this far outside a face is still within it;
                                          edges do not cross this near to their ends */
static const double crossing = 1e-5;   /* sine of the angle between edges: below it they are parallel */
static const double along = 0.5;       /* least cosine of the angle between the normal of crossing edges and the
                                          direction that separates best; other crossings are no touches */
static const double shallow = 1e-3;    /* share of the size: what is deeper behind a triangle of a surface is not in touch
                                          with it, but on the other side of the body */
static const double beside = 0.2;      /* share of an edge: how far beside a triangle a corner may be that will be over it */
static const double leaning = 0.1;     /* how far the normal of crossing edges may lean out of their wedges (cosine) */

static tn_touch_side side_of(const tn_solid *solid, tn_feature_kind kind, int feature, const double point[3],
                             const double axis[3])
{
    tn_touch_side side = { .solid = solid, .kind = kind, .feature = feature };
    tn_copy3(side.point, point);
    if (axis)
        tn_copy3(side.axis, axis);
    return side;
}

/* ---- a vertex and its nearest feature ---- */

/* Height of a point over a face. */
static double height(const tn_solid *solid, int face, const double v[3])
{
    double d[3];
    tn_sub3(d, v, solid->vertices[solid->faces[face].corners[0]]);
    return tn_dot3(d, solid->normals[face]);
}

static void add_face(tn_touch_list *list, const tn_solid *owner, int face, const tn_solid *other, int vertex)
{
    const double *normal = owner->normals[face], *v = other->vertices[vertex];
    double above = height(owner, face, v), foot[3];
    if (above - owner->radius - other->radius > list->margin + boundary * other->size)
        return;                                        /* a quick exit: most vertices are far away from most faces */
    tn_copy3(foot, v);
    tn_axpy3(foot, -above, normal);
    tn_touch_side one = side_of(owner, TN_FEATURE_FACE, face, foot, normal);
    tn_touch_side two = side_of(other, TN_FEATURE_VERTEX, vertex, v, NULL);
    tn_touch_add(list, TN_TOUCH_PLANE, &one, &two);
}

/* A touch of two points is symmetric: the solid with the lower body or shape index comes first. */
static void add_point(tn_touch_list *list, const tn_solid *owner, int vertex, const tn_solid *other, int other_vertex)
{
    bool swapped = owner->body > other->body || (owner->body == other->body && owner->shape > other->shape);
    const tn_solid *a = swapped ? other : owner, *b = swapped ? owner : other;
    int i = swapped ? other_vertex : vertex, j = swapped ? vertex : other_vertex;
    double d[3];
    tn_sub3(d, b->vertices[j], a->vertices[i]);
    tn_touch_side one = side_of(a, TN_FEATURE_VERTEX, i, a->vertices[i], d);
    tn_touch_side two = side_of(b, TN_FEATURE_VERTEX, j, b->vertices[j], NULL);
    tn_touch_add(list, TN_TOUCH_POINT, &one, &two);
}

/* s of the point nearest to v on the line from a to b = a + s (b - a). */
static double along_line(const double a[3], const double b[3], const double v[3])
{
    double e[3], d[3];
    tn_sub3(e, b, a);
    tn_sub3(d, v, a);
    return tn_dot3(d, e) / tn_dot3(e, e);
}

static void add_line(tn_touch_list *list, const tn_solid *owner, int edge, const tn_solid *other, int vertex)
{
    const double *a = owner->vertices[owner->edges[edge].from], *b = owner->vertices[owner->edges[edge].to];
    double e[3], foot[3];
    tn_sub3(e, b, a);
    tn_copy3(foot, a);
    tn_axpy3(foot, along_line(a, b, other->vertices[vertex]), e);
    tn_touch_side one = side_of(owner, TN_FEATURE_EDGE, edge, foot, e);
    tn_touch_side two = side_of(other, TN_FEATURE_VERTEX, vertex, other->vertices[vertex], NULL);
    tn_touch_add(list, TN_TOUCH_LINE, &one, &two);
}

/* How far a point lies beyond an edge, as seen from the face `side` of the edge: along the normal of the edge within the
 * face, times the length of the edge. */
static double beyond_edge(const tn_solid *solid, const tn_solid_edge *edge, int side, const double v[3])
{
    double e[3], d[3], out[3];
    tn_sub3(e, solid->vertices[edge->to], solid->vertices[edge->from]);
    tn_sub3(d, v, solid->vertices[edge->from]);
    tn_cross3(out, e, solid->normals[edge->faces[side]]);
    return edge->out[side] * tn_dot3(d, out);
}

static bool nearest_to_face(const tn_solid *solid, int face, const double v[3])
{
    const tn_solid_face *f = &solid->faces[face];
    for (int i = 0; i < f->count; i++) {
        const tn_solid_edge *edge = &solid->edges[f->edges[i]];
        if (beyond_edge(solid, edge, edge->faces[1] == face, v) > 0)
            return false;
    }
    return height(solid, face, v) > 0;
}

static bool nearest_to_edge(const tn_solid *solid, const tn_solid_edge *edge, const double v[3])
{
    double s = along_line(solid->vertices[edge->from], solid->vertices[edge->to], v);
    for (int side = 0; side < 2; side++)
        if (edge->faces[side] != TN_NO_FACE && beyond_edge(solid, edge, side, v) <= 0)
            return false;
    return s >= 0 && s <= 1;
}

/* Tells whether a direction points out of a solid within the cone of a vertex, up to a cosine `slack`. */
static bool in_cone(const tn_solid *solid, int vertex, const double n[3], double slack)
{
    for (int i = solid->spoke_starts[vertex]; i < solid->spoke_starts[vertex + 1]; i++) {
        double e[3];
        tn_sub3(e, solid->vertices[solid->spokes[i]], solid->vertices[vertex]);
        if (tn_dot3(e, n) > slack * tn_norm3(e))
            return false;
    }
    return true;
}

static bool is_corner(const tn_solid *solid, int vertex)
{
    return !solid->corner || solid->corner[vertex];
}

/* Vertex and polyhedron: the vertex is over a face, or beyond an edge, or beyond a corner. */
static void vertex_and_polyhedron(tn_touch_list *list, const tn_solid *solid, const tn_solid *other, int vertex)
{
    const double *v = other->vertices[vertex];
    for (int f = 0; f < solid->face_count; f++)
        if (nearest_to_face(solid, f, v))
            add_face(list, solid, f, other, vertex);
    for (int e = 0; e < solid->edge_count; e++)
        if (!solid->edges[e].flat && nearest_to_edge(solid, &solid->edges[e], v))
            add_line(list, solid, e, other, vertex);
    for (int i = 0; i < solid->vertex_count; i++) {
        double d[3];
        tn_sub3(d, v, solid->vertices[i]);
        if (is_corner(solid, i) && in_cone(solid, i, d, 0) && tn_dot3(d, d) > 0)
            add_point(list, solid, i, other, vertex);
    }
}

/* Vertex and polygon, or vertex and the two sides of a segment, in the plane. */
static void vertex_and_polygon(tn_touch_list *list, const tn_solid *polygon, const tn_solid *other, int vertex)
{
    const double *v = other->vertices[vertex];
    int nearest = 0;
    double least = INFINITY, d[3];
    for (int f = 0; f < polygon->face_count; f++) {
        const int *c = polygon->faces[f].corners;
        double s = along_line(polygon->vertices[c[0]], polygon->vertices[c[1]], v);
        if (s > 0 && s < 1 && height(polygon, f, v) > 0)
            add_face(list, polygon, f, other, vertex);
        tn_sub3(d, v, polygon->vertices[f]);
        if (tn_dot3(d, d) < least) {
            least = tn_dot3(d, d);
            nearest = f;
        }
    }
    add_point(list, polygon, nearest, other, vertex);
}

static void vertex_and_segment(tn_touch_list *list, const tn_solid *segment, const tn_solid *other, int vertex)
{
    double s = along_line(segment->vertices[0], segment->vertices[1], other->vertices[vertex]);
    if (s > 0 && s < 1)
        add_line(list, segment, 0, other, vertex);
    else
        add_point(list, segment, s >= 1, other, vertex);
}

/* Corners of a solid and the nearest features of another one. */
static void vertices_and_solid(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    for (int i = 0; i < other->vertex_count; i++)
        if (!is_corner(other, i))
            continue;
        else if (solid->half_space)
            add_face(list, solid, 0, other, i);
        else if (solid->vertex_count == 1)
            add_point(list, solid, 0, other, i);
        else if (list->dimension == 2)
            vertex_and_polygon(list, solid, other, i);
        else if (solid->vertex_count == 2)
            vertex_and_segment(list, solid, other, i);
        else
            vertex_and_polyhedron(list, solid, other, i);
}

/* ---- crossing edges ---- */

/* Tells whether a direction points out of a solid within the wedge of an edge, up to the tolerance `leaning`. */
static bool in_wedge(const tn_solid *solid, const tn_solid_edge *edge, const double n[3], double sign)
{
    for (int k = 0; k < 2; k++)
        if (edge->faces[k] != TN_NO_FACE && sign * tn_dot3(n, solid->normals[edge->faces[k]]) < -leaning)
            return false;
    return true;
}

/* Tells whether the common perpendicular of two edges e and f meets both between their ends (ends touch as vertices). d
 * is the vector between their start points. */
static bool cross_within(const double d[3], const double e[3], const double f[3])
{
    double ee = tn_dot3(e, e), ff = tn_dot3(f, f), ef = tn_dot3(e, f), de = tn_dot3(d, e), df = tn_dot3(d, f);
    double square = ee * ff - ef * ef;
    double s = (de * ff - df * ef) / square, t = (de * ef - df * ee) / square;
    return s > boundary && s < 1 - boundary && t > boundary && t < 1 - boundary;
}

/* Adds the touch of two crossing edges. toward: approximate direction from a to b; NULL: from the places of the
 * edges. */
static void add_edges(tn_touch_list *list, const tn_solid *a, int i, const tn_solid *b, int j, const double toward[3])
{
    const tn_solid_edge *p = &a->edges[i], *q = &b->edges[j];
    double e[3], f[3], d[3], n[3];
    tn_sub3(e, a->vertices[p->to], a->vertices[p->from]);
    tn_sub3(f, b->vertices[q->to], b->vertices[q->from]);
    tn_sub3(d, b->vertices[q->from], a->vertices[p->from]);
    tn_cross3(n, e, f);
    double length = tn_norm3(n);
    if (!(length > crossing * tn_norm3(e) * tn_norm3(f)) || !cross_within(d, e, f))
        return;
    double sign = tn_dot3(n, toward ? toward : d) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        n[k] *= sign / length;
        f[k] *= sign;
    }
    if ((toward && tn_dot3(n, toward) < along) || !in_wedge(a, p, n, 1) || !in_wedge(b, q, n, -1))
        return;
    tn_touch_side one = side_of(a, TN_FEATURE_EDGE, i, a->vertices[p->from], e);
    tn_touch_side two = side_of(b, TN_FEATURE_EDGE, j, b->vertices[q->from], f);
    tn_touch_add(list, TN_TOUCH_EDGES, &one, &two);
}

/* ---- the plane that separates best ---- */

typedef struct separation {
    double distance;           /* negative: the solids overlap at least by this depth */
    double normal[3];          /* from a to b */
    const tn_solid *owner;     /* the solid whose face is the plane; NULL: plane along two edges */
    int face;
} separation;

/* Returns the lowest vertex of a solid in a direction. */
static int lowest(const tn_solid *solid, const double n[3])
{
    int found = 0;
    for (int i = 1; i < solid->vertex_count; i++)
        if (tn_dot3(solid->vertices[i], n) < tn_dot3(solid->vertices[found], n))
            found = i;
    return found;
}

static void try_faces(separation *best, const tn_solid *owner, const tn_solid *other, double sign)
{
    for (int f = 0; f < owner->face_count; f++) {
        const double *n = owner->normals[f];
        double distance = height(owner, f, other->vertices[lowest(other, n)]);
        if (distance > best->distance) {
            *best = (separation){ .distance = distance, .owner = owner, .face = f };
            for (int k = 0; k < 3; k++)
                best->normal[k] = sign * n[k];
        }
    }
}

/* Edges must separate better than faces by more than round-off, because faces give more stable planes. */
static void try_edges(separation *best, const tn_solid *a, int i, const tn_solid *b, int j)
{
    double e[3], f[3], n[3], slack = boundary * fmin(a->size, b->size);
    tn_sub3(e, a->vertices[a->edges[i].to], a->vertices[a->edges[i].from]);
    tn_sub3(f, b->vertices[b->edges[j].to], b->vertices[b->edges[j].from]);
    tn_cross3(n, e, f);
    double length = tn_norm3(n);
    if (!(length > crossing * tn_norm3(e) * tn_norm3(f)))
        return;
    for (int sign = -1; sign <= 1; sign += 2) {
        double up[3], down[3], gap[3];
        for (int k = 0; k < 3; k++) {
            up[k] = sign * n[k] / length;
            down[k] = -up[k];
        }
        tn_sub3(gap, b->vertices[lowest(b, up)], a->vertices[lowest(a, down)]);
        double distance = tn_dot3(gap, up);
        if (distance > best->distance + slack) {
            *best = (separation){ .distance = distance };
            tn_copy3(best->normal, up);
        }
    }
}

/* The edge as a vector, with the first of its faces on its left seen from outside: along the cross product of the normals
 * of its two faces. */
static void edge_vector(double e[3], const tn_solid *solid, const tn_solid_edge *edge)
{
    bool forward = edge->out[0] >= 0;
    tn_sub3(e, solid->vertices[forward ? edge->to : edge->from], solid->vertices[forward ? edge->from : edge->to]);
}

/* Tells whether two edges can separate: on the unit sphere, the arc between the normals of the faces at one edge crosses
 * the arc of the other edge, reversed. */
static bool arcs_cross(const tn_solid *a, const tn_solid_edge *p, const tn_solid *b, const tn_solid_edge *q)
{
    if (p->faces[0] == TN_NO_FACE || q->faces[0] == TN_NO_FACE)
        return true;
    double e[3], f[3];
    edge_vector(e, a, p);
    edge_vector(f, b, q);
    double m0 = tn_dot3(b->normals[q->faces[0]], e), m1 = tn_dot3(b->normals[q->faces[1]], e);
    double n0 = tn_dot3(a->normals[p->faces[0]], f), n1 = tn_dot3(a->normals[p->faces[1]], f);
    return m0 * m1 <= 0 && n0 * n1 <= 0 && m0 * n1 <= 0;
}

static separation separate(const tn_solid *a, const tn_solid *b)
{
    separation best = { .distance = -INFINITY };
    try_faces(&best, a, b, 1);
    try_faces(&best, b, a, -1);
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            if (arcs_cross(a, &a->edges[i], b, &b->edges[j]))
                try_edges(&best, a, i, b, j);
    return best;
}

/* Returns the face whose normal is closest to a direction; TN_NO_FACE: the solid has no faces. */
static int facing(const tn_solid *solid, const double n[3], double sign)
{
    int found = TN_NO_FACE;
    for (int f = 0; f < solid->face_count; f++)
        if (found == TN_NO_FACE || sign * tn_dot3(solid->normals[f], n) > sign * tn_dot3(solid->normals[found], n))
            found = f;
    return found;
}

/* Tells whether the projection of a point lies within a face. */
static bool over_face(const tn_solid *solid, int face, const double v[3])
{
    const tn_solid_face *f = &solid->faces[face];
    double allowed = boundary * solid->size;
    for (int i = 0; i < f->count; i++) {
        const double *a = solid->vertices[f->corners[i]], *b = solid->vertices[f->corners[(i + 1) % f->count]];
        double e[3], d[3], out[3];
        tn_sub3(e, b, a);
        tn_sub3(d, v, a);
        if (f->count == 2)     /* planar: beyond the end a, as seen from b */
            for (int k = 0; k < 3; k++)
                out[k] = -e[k];
        else
            tn_cross3(out, e, solid->normals[face]);
        if (tn_dot3(d, out) > allowed * tn_norm3(out))
            return false;
    }
    return true;
}

/* Adds touches of owner's face with the corners of other's face (without a face: with all vertices of other) over
 * it. */
static void corners_over_face(tn_touch_list *list, const tn_solid *owner, int face, const tn_solid *other,
                              int other_face)
{
    int count = other_face == TN_NO_FACE ? other->vertex_count : other->faces[other_face].count;
    for (int i = 0; i < count && face != TN_NO_FACE; i++) {
        int v = other_face == TN_NO_FACE ? i : other->faces[other_face].corners[i];
        if (over_face(owner, face, other->vertices[v]))
            add_face(list, owner, face, other, v);
    }
}

static bool borders(const tn_solid_edge *edge, int face)
{
    return face == TN_NO_FACE || edge->faces[0] == face || edge->faces[1] == face;
}

static void meet_across(tn_touch_list *list, const tn_solid *a, const tn_solid *b, const separation *across)
{
    int one = facing(a, across->normal, 1), two = facing(b, across->normal, -1);
    corners_over_face(list, a, one, b, two);
    corners_over_face(list, b, two, a, one);
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            if (borders(&a->edges[i], one) && borders(&b->edges[j], two))
                add_edges(list, a, i, b, j, across->normal);
    if (list->count > list->first || across->distance > 0 || !across->owner)
        return;
    const tn_solid *other = across->owner == a ? b : a;    /* deep overlap: the shortest way out */
    add_face(list, across->owner, across->face, other, lowest(other, across->owner->normals[across->face]));
}

static void meet_apart(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    vertices_and_solid(list, a, b);
    vertices_and_solid(list, b, a);
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            add_edges(list, a, i, b, j, NULL);
}

/* ---- triangles of surfaces ---- */

/* Tells whether a direction points out of a surface within the wedge of an edge, up to the tolerance `leaning`. */
static bool out_of_edge(const tn_solid *triangle, const tn_solid_edge *edge, const double n[3])
{
    double e[3];
    tn_sub3(e, triangle->vertices[edge->to], triangle->vertices[edge->from]);
    for (int side = 0; side < 2; side++) {
        double out[3];
        if (edge->faces[side] == TN_NO_FACE)
            continue;
        tn_cross3(out, e, triangle->normals[edge->faces[side]]);
        if (edge->out[side] * tn_dot3(out, n) < -leaning * tn_norm3(e))
            return false;
    }
    return true;
}

/* Adds the touches of a triangle's edge with the edges of a convex solid. */
static void edges_and_edge(tn_touch_list *list, const tn_solid *triangle, int j, const tn_solid *other, double deepest)
{
    const tn_solid_edge *edge = &triangle->edges[j];
    double into[3];
    for (int k = 0; k < 3; k++)
        into[k] = -triangle->normals[0][k] -
                  (edge->faces[1] == TN_NO_FACE ? 0 : triangle->normals[edge->faces[1]][k]);
    double length = tn_norm3(into);
    for (int k = 0; k < 3; k++)
        into[k] /= length;
    for (int i = 0; i < other->edge_count; i++) {
        double e[3], f[3], n[3], d[3];
        tn_sub3(e, other->vertices[other->edges[i].to], other->vertices[other->edges[i].from]);
        tn_sub3(f, triangle->vertices[edge->to], triangle->vertices[edge->from]);
        tn_sub3(d, other->vertices[other->edges[i].from], triangle->vertices[edge->from]);
        tn_cross3(n, f, e);
        double size = tn_norm3(n), sign = tn_dot3(n, into) > 0 ? -1 : 1;
        for (int k = 0; k < 3 && size > 0; k++)
            n[k] *= sign / size;
        if (size > 0 && tn_dot3(d, n) > deepest && out_of_edge(triangle, edge, n))
            add_edges(list, other, i, triangle, j, other->radius > 0 ? NULL : into);
    }
}

/* Tells whether a point is over a triangle of a surface, or within `reach` beside it where the surface does not bend away:
 * the point cannot touch the triangle there, but may be over it soon. */
static bool over_triangle(const tn_solid *triangle, const double v[3], double reach)
{
    double most = boundary * triangle->size;
    for (int i = 0; i < 3; i++) {
        const tn_solid_edge *edge = &triangle->edges[i];
        double e[3];
        tn_sub3(e, triangle->vertices[edge->to], triangle->vertices[edge->from]);
        double length = tn_norm3(e), allowed = edge->flat ? fmax(most, fmin(reach, beside * length)) : most;
        if (beyond_edge(triangle, edge, 0, v) > allowed * length)
            return false;
    }
    return true;
}

/* Tells whether a point behind a face is nearer to it than to the faces beside it; where it is not, it touches one of
 * those, or is in front of it. */
static bool behind_face_first(const tn_solid *solid, int face, const double v[3])
{
    double depth = height(solid, face, v);
    for (int i = 0; i < solid->faces[face].count && depth < 0; i++) {
        const tn_solid_edge *edge = &solid->edges[solid->faces[face].edges[i]];
        int beyond = edge->faces[edge->faces[0] == face];
        double d[3];
        tn_sub3(d, v, solid->vertices[edge->from]);
        if (!edge->flat && beyond != TN_NO_FACE && tn_dot3(d, solid->normals[beyond]) > depth)
            return false;
    }
    return true;
}

/* A triangle of a surface, which is touched from its front side only, and a convex solid. Its plane, edges and corners
 * touch where the surface bends away from the solid. */
static void meet_triangle(tn_touch_list *list, const tn_solid *triangle, const tn_solid *other)
{
    double deepest = other->radius > 0 ? 0 : -shallow * fmin(other->size, triangle->size);
    for (int i = 0; i < other->vertex_count && other->radius == 0; i++)
        if (is_corner(other, i) && over_triangle(triangle, other->vertices[i], list->margin) &&
            height(triangle, 0, other->vertices[i]) > deepest && behind_face_first(triangle, 0, other->vertices[i]))
            add_face(list, triangle, 0, other, i);
    if (other->radius > 0) {
        vertices_and_solid(list, triangle, other);
        vertices_and_solid(list, other, triangle);
    }
    for (int i = 0; i < 3; i++) {
        for (int f = 0; f < other->face_count && is_corner(triangle, i); f++) {
            double n[3] = { -other->normals[f][0], -other->normals[f][1], -other->normals[f][2] };
            bool over = other->corner ? over_triangle(other, triangle->vertices[i], list->margin)
                                      : over_face(other, f, triangle->vertices[i]);
            if (over && height(other, f, triangle->vertices[i]) > deepest && in_cone(triangle, i, n, leaning) &&
                behind_face_first(other, f, triangle->vertices[i]))
                add_face(list, other, f, triangle, i);
        }
        if (!triangle->edges[i].flat)
            edges_and_edge(list, triangle, i, other, deepest);
    }
}

/* The bounds of a solid in the frame of another body, or the plane of a half-space there. */
static tn_surface_query query_of(const tn_solid *solid, const tn_pose *frame, double margin)
{
    tn_surface_query q = { .plane = solid->half_space };
    double R[3][3], centre[3];
    tn_quat_matrix(R, frame->q);
    if (solid->half_space) {
        tn_mul33t(q.normal, (const double (*)[3])R, solid->normals[0]);
        tn_sub3(centre, solid->vertices[0], frame->p);
        q.offset = tn_dot3(centre, solid->normals[0]) + margin;
        return q;
    }
    for (int k = 0; k < 3; k++)
        centre[k] = 0.5 * (solid->low[k] + solid->high[k]) - frame->p[k];
    tn_mul33t(q.low, (const double (*)[3])R, centre);
    tn_copy3(q.high, q.low);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double reach = fabs(R[i][k]) * (0.5 * (solid->high[i] - solid->low[i]) + margin);
            q.low[k] -= reach;
            q.high[k] += reach;
        }
    return q;
}

static void triangle_bounds(tn_solid *triangle)
{
    for (int k = 0; k < 3; k++) {
        const double (*v)[3] = (const double (*)[3])triangle->vertices;
        triangle->low[k] = fmin(v[0][k], fmin(v[1][k], v[2][k]));
        triangle->high[k] = fmax(v[0][k], fmax(v[1][k], v[2][k]));
    }
}

static void meet_surface(tn_touch_list *list, const tn_solid *surface, const tn_solid *other, bool second)
{
    const tn_pose *pose = &list->poses[surface->body];
    tn_surface_query query = query_of(other, pose, list->margin);
    const int *found;
    int count;
    tn_surface_find(&found, &count, surface->surface, &query);
    for (int i = 0; i < count; i++) {
        tn_solid triangle = *tn_surface_triangle(surface, found[i], pose, second);
        if (other->surface) {
            triangle_bounds(&triangle);
            meet_surface(list, other, &triangle, true);
        } else if (other->half_space) {
            vertices_and_solid(list, other, &triangle);
        } else {
            meet_triangle(list, &triangle, other);
        }
    }
}

/* ---- any two ---- */

void tn_solids_meet(tn_touch_list *list, const tn_solid *one, const tn_solid *two)
{
    list->first = list->count;
    if (one->half_space && two->half_space)
        return;
    if (one->surface || two->surface) {
        meet_surface(list, one->surface ? one : two, one->surface ? two : one, false);
        return;
    }
    if (one->half_space || two->half_space) {
        vertices_and_solid(list, one->half_space ? one : two, one->half_space ? two : one);
        return;
    }
    if (one->face_count + two->face_count == 0) {
        meet_apart(list, one, two);
        return;
    }
    separation across = separate(one, two);
    if (across.distance > list->margin + one->radius + two->radius)
        return;
    if (across.distance > 0 && one->radius + two->radius > 0)
        meet_apart(list, one, two);
    else
        meet_across(list, one, two, &across);
}
