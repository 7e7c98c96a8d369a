/* Finds the touches between two solids. Rounded solids whose polytopes are apart touch with their nearest features:
 * each vertex of one solid with the nearest face, edge or vertex of the other, and edges that cross. Solids whose
 * polytopes overlap, or without rounding, touch across the plane that separates them best: the two faces along that
 * plane give touches where a corner of one lies within the other, and where their edges cross. */
#include "meet.h"

#include "vec.h"

static const double boundary = 1e-9;   /* share of the size: a corner this far outside a face is still within it;
                                          edges do not cross this near to their ends */
static const double crossing = 1e-5;   /* sine of the angle between edges: below it they are parallel */
static const double along = 0.5;       /* least cosine of the angle between the normal of crossing edges and the
                                          direction that separates best; other crossings are no touches */
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

/* Vertex and box: the vertex is outside one face, or two that share an edge, or three that share a corner. */
static void vertex_and_box(tn_touch_list *list, const tn_solid *box, const tn_solid *other, int vertex)
{
    const double *v = other->vertices[vertex];
    int outside[3] = { TN_NO_FACE, TN_NO_FACE, TN_NO_FACE }, count = 0;
    for (int f = 0; f < box->face_count; f++)
        if (height(box, f, v) > 0)
            outside[count++] = f;
    if (count == 1)
        add_face(list, box, outside[0], other, vertex);
    for (int e = 0; e < box->edge_count && count == 2; e++)
        if ((box->edges[e].faces[0] == outside[0] && box->edges[e].faces[1] == outside[1]) ||
            (box->edges[e].faces[0] == outside[1] && box->edges[e].faces[1] == outside[0]))
            add_line(list, box, e, other, vertex);
    if (count == 3)
        add_point(list, box, outside[0] % 2 | outside[1] % 2 << 1 | outside[2] % 2 << 2, other, vertex);
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

static void vertices_and_solid(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    for (int i = 0; i < other->vertex_count; i++)
        if (solid->half_space)
            add_face(list, solid, 0, other, i);
        else if (solid->vertex_count == 1)
            add_point(list, solid, 0, other, i);
        else if (list->dimension == 2)
            vertex_and_polygon(list, solid, other, i);
        else if (solid->vertex_count == 2)
            vertex_and_segment(list, solid, other, i);
        else
            vertex_and_box(list, solid, other, i);
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

/* The edges of a box come in groups of four parallel edges. */
static int parallel_edges(const tn_solid *solid)
{
    return solid->edge_count == 1 ? 1 : 4;
}

static separation separate(const tn_solid *a, const tn_solid *b)
{
    separation best = { .distance = -INFINITY };
    try_faces(&best, a, b, 1);
    try_faces(&best, b, a, -1);
    for (int i = 0; i < a->edge_count; i += parallel_edges(a))
        for (int j = 0; j < b->edge_count; j += parallel_edges(b))
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

void tn_solids_meet(tn_touch_list *list, const tn_solid *one, const tn_solid *two)
{
    list->first = list->count;
    if (one->half_space && two->half_space)
        return;
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
