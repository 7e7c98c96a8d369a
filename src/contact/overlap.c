/* Finds overlaps that no touch tells of: what cuts deep through a surface, what lies inside a closed one, and what is deep in a torus.
 * Touches of surfaces end where corners and edges are deeper than TN_SHALLOW and TN_OVERLAP, because surfaces need not be closed; those
 * of tori, half way to the middle of the tube. */
#include "overlap.h"

#include "meet_circles.h"
#include "solid_features.h"
#include "surface.h"
#include "vec.h"

enum { MOST_CORNERS = 64 };

static const double pi = 3.14159265358979323846;

/* ---- a triangle and a convex polyhedron ---- */

typedef struct polygon {
    double corners[MOST_CORNERS][3];
    int count;
} polygon;

/* Cuts off what is less than `depth` below a face. A cut that has no room for its corners takes off more. */
static void cut(polygon *out, const polygon *in, const tn_solid *solid, int face, double depth)
{
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        const double *a = in->corners[i], *b = in->corners[(i + 1) % in->count];
        double above = tn_face_height(solid, face, a) + depth, next = tn_face_height(solid, face, b) + depth;
        if (above <= 0 && out->count < MOST_CORNERS)
            tn_copy3(out->corners[out->count++], a);
        if ((above <= 0) == (next <= 0) || out->count == MOST_CORNERS)
            continue;
        double *corner = out->corners[out->count++], way[3];
        tn_sub3(way, b, a);
        tn_copy3(corner, a);
        tn_axpy3(corner, above / (above - next), way);
    }
}

/* Tells whether a point of the triangle is deeper than this inside the polyhedron. */
static bool is_deeper(const tn_solid *triangle, const tn_solid *solid, double depth)
{
    polygon both[2] = { { .count = 3 } };
    int now = 0;
    for (int k = 0; k < 3; k++)
        tn_copy3(both[0].corners[k], triangle->vertices[k]);
    for (int f = 0; f < solid->face_count && both[now].count > 0; f++, now = !now)
        cut(&both[!now], &both[now], solid, f, depth);
    return both[now].count > 0;
}

/* How deep the deepest point of a triangle is inside a convex polyhedron, to one part in 1000; 0: no deeper than `least`. */
static double depth_inside(const tn_solid *triangle, const tn_solid *solid, double least)
{
    double low = least, high = solid->size;
    if (!is_deeper(triangle, solid, least))
        return 0;
    while (high - low > 1e-3 * high) {
        double middle = 0.5 * (low + high);
        *(is_deeper(triangle, solid, middle) ? &low : &high) = middle;
    }
    return low;
}

static double depth_in_solid(const tn_solid *triangle, const tn_solid *solid, double least)
{
    double deepest = 0;
    if (solid->stave_count == 0 && solid->form != TN_FORM_TUBE)
        return depth_inside(triangle, solid, least);
    for (int i = 0; i < solid->stave_count; i++)
        deepest = fmax(deepest, depth_inside(triangle, &solid->staves[i], least));
    return deepest;
}

/* ---- two triangles ---- */

/* How far a point of the triangle's plane is inside of the edges at which the surface bends away or ends, times the sine of the
 * angle by which it bends; negative: outside of the triangle. */
static double room_inside(const tn_solid *triangle, const double x[3])
{
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const tn_solid_edge *edge = &triangle->edges[k];
        double e[3], d[3], inward[3], bend = 1;
        tn_sub3(e, triangle->vertices[edge->to], triangle->vertices[edge->from]);
        tn_sub3(d, x, triangle->vertices[edge->from]);
        tn_cross3(inward, triangle->normals[0], e);
        double inside = tn_dot3(d, inward) / tn_norm3(e);
        if (inside < 0)
            return -1;
        if (edge->flat)
            continue;
        if (edge->faces[1] != TN_NO_FACE) {
            double turn[3];
            tn_cross3(turn, triangle->normals[0], triangle->normals[edge->faces[1]]);
            bend = tn_norm3(turn);
        }
        least = fmin(least, inside * bend);
    }
    return least;
}

/* How deep the edges of one triangle cut through another one, at least. */
static double edges_through(const tn_solid *one, const tn_solid *two)
{
    double deepest = 0, heights[3];
    for (int k = 0; k < 3; k++)
        heights[k] = tn_face_height(two, 0, one->vertices[k]);
    for (int k = 0; k < 3; k++) {
        double from = heights[k], to = heights[(k + 1) % 3], x[3], way[3];
        if ((from < 0) == (to < 0))
            continue;
        tn_sub3(way, one->vertices[(k + 1) % 3], one->vertices[k]);
        tn_copy3(x, one->vertices[k]);
        tn_axpy3(x, from / (from - to), way);
        deepest = fmax(deepest, fmin(room_inside(two, x), fmin(fabs(from), fabs(to))));
    }
    return deepest;
}

/* ---- points ---- */

static double distance_to_corners(const double *const v[3], const double normal[3], const double point[3])
{
    double nearest = INFINITY, d[3];
    bool over = true;
    for (int k = 0; k < 3; k++) {
        double e[3], inward[3];
        tn_sub3(e, v[(k + 1) % 3], v[k]);
        tn_sub3(d, point, v[k]);
        tn_cross3(inward, normal, e);
        over = over && tn_dot3(d, inward) >= 0;
        tn_axpy3(d, -fmax(0, fmin(1, tn_dot3(d, e) / tn_dot3(e, e))), e);
        nearest = fmin(nearest, tn_norm3(d));
    }
    tn_sub3(d, point, v[0]);
    return over ? fabs(tn_dot3(d, normal)) : nearest;
}

static double distance_to_triangle(const tn_solid *triangle, const double point[3])
{
    const double *const v[3] = { triangle->vertices[0], triangle->vertices[1], triangle->vertices[2] };
    return distance_to_corners(v, triangle->normals[0], point);
}

/* Negative: the depth of a point inside a convex polyhedron. */
static double distance_to_polyhedron(const tn_solid *solid, const double point[3])
{
    double highest = -INFINITY, nearest = INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        const tn_solid_face *face = &solid->faces[f];
        double height = tn_face_height(solid, f, point);
        highest = fmax(highest, height);
        for (int i = 2; i < face->count && height > 0; i++) {
            const int *c = face->corners;
            const double *const v[3] = { solid->vertices[c[0]], solid->vertices[c[i - 1]], solid->vertices[c[i]] };
            nearest = fmin(nearest, distance_to_corners(v, solid->normals[f], point));
        }
    }
    return highest > 0 ? nearest : highest;
}

/* The distance of a point from a closed surface, if the point is inside; else 0. */
static double depth_of_point(const tn_solid *surface, const tn_pose *pose, const double point[3])
{
    double angle = 0, nearest = INFINITY;
    if (!tn_surface_is_closed(surface->surface))
        return 0;
    for (int t = 0; t < tn_surface_count(surface->surface); t++) {
        const tn_solid *triangle = tn_surface_triangle(surface, t, pose, true);
        double c[3][3];
        for (int k = 0; k < 3; k++)
            tn_sub3(c[k], triangle->vertices[k], point);
        angle += tn_solid_angle((const double (*)[3])c);
        nearest = fmin(nearest, distance_to_triangle(triangle, point));
    }
    return angle > 2 * pi ? nearest : 0;               /* 4 pi inside, 0 outside */
}

/* ---- a surface and any solid ---- */

static double depth_at_triangle(const tn_solid *triangle, const tn_solid *other, const tn_pose *poses, double least);

static double depth_at_triangles(const tn_solid *surface, const tn_solid *other, const tn_pose *poses, bool second, double least)
{
    const int *found;
    int count;
    double deepest = 0;
    tn_surface_near(&found, &count, surface, other, &poses[surface->body], 0);
    for (int i = 0; i < count; i++) {
        tn_solid triangle = *tn_surface_triangle(surface, found[i], &poses[surface->body], second);
        deepest = fmax(deepest, second ? fmax(edges_through(&triangle, other), edges_through(other, &triangle))
                                       : depth_at_triangle(&triangle, other, poses, least));
    }
    return deepest;
}

static double depth_at_triangle(const tn_solid *triangle, const tn_solid *other, const tn_pose *poses, double least)
{
    double deepest = 0;
    if (other->surface) {
        tn_solid bounded = *triangle;
        tn_triangle_bounds(&bounded);
        return depth_at_triangles(other, &bounded, poses, true, least);
    }
    if (other->radius == 0)
        return depth_in_solid(triangle, other, least);
    for (int i = 0; i < other->vertex_count; i++)
        deepest = fmax(deepest, other->radius - distance_to_triangle(triangle, other->vertices[i]));
    return deepest;
}

/* ---- a torus ---- */

static double distance_to_solid(const tn_solid *solid, const double point[3])
{
    double nearest = INFINITY;
    if (solid->form == TN_FORM_TORUS) {
        double d[3];
        tn_sub3(d, point, solid->rims[0].centre);
        return tn_circle_distance(&solid->rims[0], d) - solid->radius;
    }
    if (solid->stave_count == 0)
        return solid->face_count > 0 && solid->form != TN_FORM_TUBE ? distance_to_polyhedron(solid, point) : INFINITY;
    for (int i = 0; i < solid->stave_count; i++)
        nearest = fmin(nearest, distance_to_polyhedron(&solid->staves[i], point));
    return nearest;
}

/* Looks from points of the circle in its middle. Balls and capsules touch it exactly, from any depth. */
static double depth_in_torus(const tn_solid *torus, const tn_solid *other)
{
    const tn_solid_rim *rim = &torus->rims[0];
    const int parts = 4;
    double deepest = 0;
    for (int i = 0; i < parts * TN_RIM_CORNERS; i++) {
        double arms[2][3], point[3];
        for (int k = 0; k < 2; k++)
            tn_sub3(arms[k], torus->vertices[(i / parts + k * TN_RIM_CORNERS / 4) % TN_RIM_CORNERS], rim->centre);
        double angle = 2 * pi * (i % parts) / (parts * TN_RIM_CORNERS);
        tn_copy3(point, rim->centre);
        tn_axpy3(point, tn_cos(angle), arms[0]);
        tn_axpy3(point, tn_sin(angle), arms[1]);
        deepest = fmax(deepest, torus->radius - distance_to_solid(other, point));
    }
    return deepest;
}

/* ---- any two ---- */

/* A point that is inside of the solid, or on it. */
static void point_of(double out[3], const tn_solid *solid, const tn_pose *poses)
{
    tn_copy3(out, solid->surface ? tn_surface_triangle(solid, 0, &poses[solid->body], false)->vertices[0] : solid->vertices[0]);
}

double tn_hidden_overlap(const tn_solid *one, const tn_solid *two, const tn_pose *poses, double least, bool inside)
{
    const tn_solid *surface = one->surface ? one : two, *other = one->surface ? two : one;
    double point[3];
    if (surface->half_space || other->half_space || other->form == TN_FORM_BOWL || surface->form == TN_FORM_BOWL)
        return 0;
    if (!surface->surface) {
        double depth = one->form == TN_FORM_TORUS ? depth_in_torus(one, two) : two->form == TN_FORM_TORUS ? depth_in_torus(two, one) : 0;
        return depth > least ? depth : 0;
    }
    double deepest = depth_at_triangles(surface, other, poses, false, least);
    if (deepest <= least && inside) {
        point_of(point, other, poses);
        deepest = depth_of_point(surface, &poses[surface->body], point);
    }
    if (deepest <= least && inside && other->surface) {
        point_of(point, surface, poses);
        deepest = depth_of_point(other, &poses[other->body], point);
    }
    return deepest > least ? deepest : 0;
}
