/* Features of solids (vertices, edges, faces): where points lie relative to them, and the touches of two features. */
#include "solid_features.h"

#include "vec.h"

static const double along = 0.5;    /* least cosine of the angle between the normal of crossing edges and the direction
                                          that separates best; other crossings are no touches */
static const double beside = 0.2;   /* share of an edge: how far beside a triangle a corner may be that will be over it */

tn_touch_side tn_side_of(const tn_solid *solid, tn_feature_kind kind, int feature, const double point[3],
                         const double axis[3])
{
    tn_touch_side side = { .solid = solid, .kind = kind, .feature = feature, .radius = solid->radius };
    tn_copy3(side.point, point);
    if (axis)
        tn_copy3(side.axis, axis);
    return side;
}

/* ---- a vertex and its nearest feature ---- */

double tn_face_height(const tn_solid *solid, int face, const double v[3])
{
    double d[3];
    tn_sub3(d, v, solid->vertices[solid->faces[face].corners[0]]);
    return tn_dot3(d, solid->normals[face]);
}

void tn_add_face(tn_touch_list *list, const tn_solid *owner, int face, const tn_solid *other, int vertex)
{
    const double *normal = owner->normals[face], *v = other->vertices[vertex];
    double above = tn_face_height(owner, face, v), foot[3];
    if (above - owner->radius - other->radius > list->margin + TN_BOUNDARY * other->size)
        return;                                        /* a quick exit: most vertices are far away from most faces */
    tn_copy3(foot, v);
    tn_axpy3(foot, -above, normal);
    tn_touch_side one = tn_side_of(owner, TN_FEATURE_FACE, face, foot, normal);
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, v, NULL);
    tn_touch_add(list, TN_TOUCH_PLANE, &one, &two);
}

/* A touch of two points is symmetric: the solid with the lower body or shape index comes first. */
void tn_add_point(tn_touch_list *list, const tn_solid *owner, int vertex, const tn_solid *other, int other_vertex)
{
    bool swapped = owner->body > other->body || (owner->body == other->body && owner->shape > other->shape);
    const tn_solid *a = swapped ? other : owner, *b = swapped ? owner : other;
    int i = swapped ? other_vertex : vertex, j = swapped ? vertex : other_vertex;
    double d[3];
    tn_sub3(d, b->vertices[j], a->vertices[i]);
    tn_touch_side one = tn_side_of(a, TN_FEATURE_VERTEX, i, a->vertices[i], d);
    tn_touch_side two = tn_side_of(b, TN_FEATURE_VERTEX, j, b->vertices[j], NULL);
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

void tn_add_line(tn_touch_list *list, const tn_solid *owner, int edge, const tn_solid *other, int vertex)
{
    const double *a = owner->vertices[owner->edges[edge].from], *b = owner->vertices[owner->edges[edge].to];
    double e[3], foot[3];
    tn_sub3(e, b, a);
    tn_copy3(foot, a);
    tn_axpy3(foot, along_line(a, b, other->vertices[vertex]), e);
    tn_touch_side one = tn_side_of(owner, TN_FEATURE_EDGE, edge, foot, e);
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, other->vertices[vertex], NULL);
    tn_touch_add(list, TN_TOUCH_LINE, &one, &two);
}

double tn_edge_beyond(const tn_solid *solid, const tn_solid_edge *edge, int side, const double v[3])
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
        if (tn_edge_beyond(solid, edge, edge->faces[1] == face, v) > 0)
            return false;
    }
    return tn_face_height(solid, face, v) > 0;
}

static bool nearest_to_edge(const tn_solid *solid, const tn_solid_edge *edge, const double v[3])
{
    double s = along_line(solid->vertices[edge->from], solid->vertices[edge->to], v);
    for (int side = 0; side < 2; side++)
        if (edge->faces[side] != TN_NO_FACE && tn_edge_beyond(solid, edge, side, v) <= 0)
            return false;
    return s >= 0 && s <= 1;
}

bool tn_vertex_cone(const tn_solid *solid, int vertex, const double n[3], double slack)
{
    for (int i = solid->spoke_starts[vertex]; i < solid->spoke_starts[vertex + 1]; i++) {
        double e[3];
        tn_sub3(e, solid->vertices[solid->spokes[i]], solid->vertices[vertex]);
        if (tn_dot3(e, n) > slack * tn_norm3(e))
            return false;
    }
    return true;
}

bool tn_vertex_is_corner(const tn_solid *solid, int vertex)
{
    return !solid->corner || solid->corner[vertex];
}

/* Vertex and polyhedron: the vertex is over a face, or beyond an edge, or beyond a corner. */
static void vertex_and_polyhedron(tn_touch_list *list, const tn_solid *solid, const tn_solid *other, int vertex)
{
    const double *v = other->vertices[vertex];
    for (int f = 0; f < solid->face_count; f++)
        if (nearest_to_face(solid, f, v))
            tn_add_face(list, solid, f, other, vertex);
    for (int e = 0; e < solid->edge_count; e++)
        if (!solid->edges[e].flat && nearest_to_edge(solid, &solid->edges[e], v))
            tn_add_line(list, solid, e, other, vertex);
    for (int i = 0; i < solid->vertex_count; i++) {
        double d[3];
        tn_sub3(d, v, solid->vertices[i]);
        if (tn_vertex_is_corner(solid, i) && tn_vertex_cone(solid, i, d, 0) && tn_dot3(d, d) > 0)
            tn_add_point(list, solid, i, other, vertex);
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
        if (s > 0 && s < 1 && tn_face_height(polygon, f, v) > 0)
            tn_add_face(list, polygon, f, other, vertex);
        tn_sub3(d, v, polygon->vertices[f]);
        if (tn_dot3(d, d) < least) {
            least = tn_dot3(d, d);
            nearest = f;
        }
    }
    tn_add_point(list, polygon, nearest, other, vertex);
}

static void vertex_and_segment(tn_touch_list *list, const tn_solid *segment, const tn_solid *other, int vertex)
{
    double s = along_line(segment->vertices[0], segment->vertices[1], other->vertices[vertex]);
    if (s > 0 && s < 1)
        tn_add_line(list, segment, 0, other, vertex);
    else
        tn_add_point(list, segment, s >= 1, other, vertex);
}

void tn_vertices_meet(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    for (int i = 0; i < other->vertex_count; i++)
        if (!tn_vertex_is_corner(other, i))
            continue;
        else if (solid->half_space)
            tn_add_face(list, solid, 0, other, i);
        else if (solid->vertex_count == 1)
            tn_add_point(list, solid, 0, other, i);
        else if (list->dimension == 2)
            vertex_and_polygon(list, solid, other, i);
        else if (solid->vertex_count == 2)
            vertex_and_segment(list, solid, other, i);
        else
            vertex_and_polyhedron(list, solid, other, i);
}

/* ---- crossing edges ---- */

bool tn_edge_wedge(const tn_solid *solid, const tn_solid_edge *edge, const double n[3], double sign)
{
    double e[3];
    tn_sub3(e, solid->vertices[edge->to], solid->vertices[edge->from]);
    for (int side = 0; side < 2; side++) {
        double out[3];
        if (edge->faces[side] == TN_NO_FACE)
            continue;
        tn_cross3(out, e, solid->normals[edge->faces[side]]);
        if (sign * edge->out[side] * tn_dot3(out, n) < -TN_LEANING * tn_norm3(e))
            return false;
    }
    return true;
}

bool tn_edges_cross(const double d[3], const double e[3], const double f[3], double within)
{
    double ee = tn_dot3(e, e), ff = tn_dot3(f, f), ef = tn_dot3(e, f), de = tn_dot3(d, e), df = tn_dot3(d, f);
    double square = ee * ff - ef * ef;
    double s = (de * ff - df * ef) / square, t = (de * ef - df * ee) / square;
    return s > within && s < 1 - within && t > within && t < 1 - within;
}

void tn_add_edges(tn_touch_list *list, const tn_solid *a, int i, const tn_solid *b, int j, const double toward[3], double within)
{
    const tn_solid_edge *p = &a->edges[i], *q = &b->edges[j];
    double e[3], f[3], d[3], n[3];
    tn_sub3(e, a->vertices[p->to], a->vertices[p->from]);
    tn_sub3(f, b->vertices[q->to], b->vertices[q->from]);
    tn_sub3(d, b->vertices[q->from], a->vertices[p->from]);
    tn_cross3(n, e, f);
    double length = tn_norm3(n);
    if (!(length > TN_CROSSING * tn_norm3(e) * tn_norm3(f)) || !tn_edges_cross(d, e, f, within))
        return;
    double sign = tn_dot3(n, toward ? toward : d) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        n[k] *= sign / length;
        f[k] *= sign;
    }
    if ((toward && tn_dot3(n, toward) < along) || !tn_edge_wedge(a, p, n, 1) || !tn_edge_wedge(b, q, n, -1))
        return;
    tn_touch_side one = tn_side_of(a, TN_FEATURE_EDGE, i, a->vertices[p->from], e);
    tn_touch_side two = tn_side_of(b, TN_FEATURE_EDGE, j, b->vertices[q->from], f);
    tn_touch_add(list, TN_TOUCH_EDGES, &one, &two);
}

/* ---- faces ---- */

bool tn_face_covers(const tn_solid *solid, int face, const double v[3])
{
    const tn_solid_face *f = &solid->faces[face];
    double allowed = TN_BOUNDARY * solid->size;
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

bool tn_face_first(const tn_solid *solid, int face, const double v[3])
{
    double depth = tn_face_height(solid, face, v);
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

/* ---- triangles of surfaces ---- */

bool tn_triangle_covers(const tn_solid *triangle, const double v[3], double reach)
{
    double most = TN_BOUNDARY * triangle->size;
    if (isinf(reach) || tn_face_height(triangle, 0, v) < -TN_OVERLAP * triangle->size)
        reach = 0;
    for (int i = 0; i < 3; i++) {
        const tn_solid_edge *edge = &triangle->edges[i];
        double e[3];
        tn_sub3(e, triangle->vertices[edge->to], triangle->vertices[edge->from]);
        double length = tn_norm3(e), allowed = edge->flat ? fmax(most, fmin(reach, beside * length)) : most;
        if (tn_edge_beyond(triangle, edge, 0, v) > allowed * length)
            return false;
    }
    return true;
}
