/* Finds the touches of round solids: cylinders, cones and tori; and of ellipsoids on planes and points (others: meet_ovals.c).
 *     exact: rims and ellipsoids on planes, balls on ellipsoids, points on rims, on tori and on the sides of cylinders and cones, sides
 *     of cylinders on edges and on each other
 *     with their curvatures, found again as they move: rims and tori on edges, on the sides of cylinders and on each other
 *     (meet_circles.c), sides of cones (meet_cones.c). */
#include "meet_circles.h"
#include "meet_cones.h"
#include "meet_ovals.h"
#include "solid_features.h"
#include "vec.h"

static const double flat = 2e-5;       /* sine of the angle between a rim and a plane: a flatter rim touches with its
                                          corners */
static const double across = 1e-4;     /* largest cosine between the axis of a cylinder and the way to the axis of another
                                          along which it lies; the end then touches 5e-9 of its radius early at most */

/* ---- planes ---- */

/* A flat face of a solid, which may be round. */
typedef struct flat_face {
    const tn_solid *owner;
    int face;
} flat_face;

static bool covers(const tn_touch_list *list, const flat_face *f, const double v[3])
{
    double d[3];
    if (f->owner->half_space)
        return true;
    if (f->owner->corner)
        return tn_triangle_covers(f->owner, v, list->margin);
    if (f->face >= f->owner->rim_count || f->owner->form == TN_FORM_POLYHEDRON)
        return tn_face_covers(f->owner, f->face, v);
    const tn_solid_rim *rim = &f->owner->rims[f->face];
    tn_sub3(d, v, rim->centre);
    tn_axpy3(d, -tn_dot3(d, rim->axis), rim->axis);
    return tn_norm3(d) <= rim->radius && (f->owner->form != TN_FORM_TUBE || tn_norm3(d) >= f->owner->bore);
}

/* Tells whether a point of a solid with a rounding radius is in front of a face, or a little behind it. */
static bool in_front(const flat_face *f, const double v[3], double radius, double size)
{
    double above = tn_face_height(f->owner, f->face, v) - radius;
    if (f->owner->half_space || above >= 0)
        return true;
    return above > -TN_SHALLOW * fmin(size, f->owner->size) - radius && tn_face_first(f->owner, f->face, v);
}

static void add_on_plane(tn_touch_list *list, const flat_face *f, const tn_solid *solid, tn_touch_kind kind,
                         const tn_touch_side *two, const double lowest[3])
{
    double foot[3];
    if (!covers(list, f, lowest) || !in_front(f, lowest, solid->radius, solid->size))
        return;
    tn_copy3(foot, two->point);
    tn_axpy3(foot, -tn_face_height(f->owner, f->face, two->point), f->owner->normals[f->face]);
    tn_touch_side one = tn_side_of(f->owner, TN_FEATURE_FACE, f->face, foot, f->owner->normals[f->face]);
    tn_touch_add(list, kind, &one, two);
}

static void vertex_on_plane(tn_touch_list *list, const flat_face *f, const tn_solid *solid, int vertex)
{
    const double *v = solid->vertices[vertex];
    if (covers(list, f, v) && in_front(f, v, solid->radius, solid->size))
        tn_add_face(list, f->owner, f->face, solid, vertex);
}

/* Corners of a rim over a face: all of them, or those on the other side of the centre than `arm`. */
static void corners_on_plane(tn_touch_list *list, const flat_face *f, const tn_solid *solid, int k, const double *arm)
{
    for (int i = TN_RIM_CORNERS * k; i < TN_RIM_CORNERS * (k + 1); i++) {
        double d[3];
        tn_sub3(d, solid->vertices[i], solid->rims[k].centre);
        if (!arm || tn_dot3(d, arm) < 0)
            vertex_on_plane(list, f, solid, i);
    }
}

/* The lowest point of a rim; and corners on the other side, which a rim that falls flat lands on. */
static void rim_on_plane(tn_touch_list *list, const flat_face *f, const tn_solid *solid, int k)
{
    const tn_solid_rim *rim = &solid->rims[k];
    double c[3], arm[3], lowest[3];
    tn_cross3(c, f->owner->normals[f->face], rim->axis);
    tn_cross3(arm, c, rim->axis);
    double sine = tn_norm3(arm);
    if (sine < flat) {
        corners_on_plane(list, f, solid, k, NULL);
        return;
    }
    tn_copy3(lowest, rim->centre);
    tn_axpy3(lowest, rim->radius / sine, arm);
    tn_touch_side two = tn_side_of(solid, TN_FEATURE_ROUND, k, rim->centre, rim->axis);
    two.size[0] = rim->radius;
    add_on_plane(list, f, solid, TN_TOUCH_RIM, &two, lowest);
    bool hole = f->owner->form == TN_FORM_TUBE && !covers(list, f, lowest);    /* its other points may lie around the bore */
    corners_on_plane(list, f, solid, k, hole ? NULL : arm);
}

static void ellipsoid_on_plane(tn_touch_list *list, const flat_face *f, const tn_solid *solid)
{
    const double *n = f->owner->normals[f->face];
    double Q[3][3], lowest[3], extent = 0, c[3];
    tn_quat_matrix(Q, solid->turn);
    tn_mul33t(c, (const double (*)[3])Q, n);
    for (int k = 0; k < 3; k++) {
        c[k] *= solid->half_axes[k] * solid->half_axes[k];
        extent += c[k] * c[k] / (solid->half_axes[k] * solid->half_axes[k]);
    }
    tn_mul33(lowest, (const double (*)[3])Q, c);
    for (int k = 0; k < 3; k++)
        lowest[k] = solid->centre[k] - lowest[k] / sqrt(extent);
    tn_touch_side two = tn_side_of(solid, TN_FEATURE_ROUND, TN_ROUND_ELLIPSOID, solid->centre, NULL);
    two.turn = solid->turn;
    tn_copy3(two.size, solid->half_axes);
    add_on_plane(list, f, solid, TN_TOUCH_ELLIPSOID, &two, lowest);
}

/* A round solid on a flat face of another solid. */
static void round_on_plane(tn_touch_list *list, const flat_face *f, const tn_solid *solid)
{
    for (int k = 0; k < solid->rim_count; k++)
        rim_on_plane(list, f, solid, k);
    if (solid->form == TN_FORM_CONE)
        vertex_on_plane(list, f, solid, TN_RIM_CORNERS);
    if (solid->form == TN_FORM_ELLIPSOID)
        ellipsoid_on_plane(list, f, solid);
}

/* ---- points ---- */

tn_touch_side tn_cylinder_side(const tn_solid *solid, const double point[3])
{
    tn_touch_side side = tn_side_of(solid, TN_FEATURE_ROUND, TN_ROUND_SIDE, point, solid->rims[1].axis);
    side.radius = solid->rims[0].radius;
    return side;
}

static void point_on_ring(tn_touch_list *list, const tn_solid *solid, int k, const tn_touch_side *two)
{
    const tn_solid_rim *rim = &solid->rims[k];
    tn_touch_side one = tn_side_of(solid, TN_FEATURE_ROUND, k, rim->centre, rim->axis);
    one.size[0] = rim->radius;
    tn_touch_add(list, TN_TOUCH_RING, &one, two);
}

/* A point and a cylinder: side, end or rim, whichever is nearest. */
static void point_on_cylinder(tn_touch_list *list, const tn_solid *solid, const tn_solid *other, int vertex)
{
    const tn_solid_rim *rim = &solid->rims[1];
    double d[3], along[3], foot[3], *v = other->vertices[vertex];
    tn_sub3(d, v, rim->centre);
    tn_sub3(along, rim->centre, solid->rims[0].centre);
    double length = tn_norm3(along), z = tn_dot3(d, rim->axis);        /* 0 at the upper end, -length at the lower one */
    double beyond = fmax(z, -length - z);
    tn_axpy3(d, -z, rim->axis);
    double outside = tn_norm3(d) - rim->radius;
    int end = z > -length / 2;
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, v, NULL);
    if (beyond > 0 && outside > 0) {
        point_on_ring(list, solid, end, &two);
    } else if (beyond > outside) {
        tn_add_face(list, solid, end, other, vertex);
    } else {
        tn_copy3(foot, rim->centre);
        tn_axpy3(foot, z, rim->axis);
        tn_touch_side one = tn_cylinder_side(solid, foot);
        tn_touch_add(list, TN_TOUCH_LINE, &one, &two);
    }
}

/* A point and a cone: side, base, rim or apex, whichever is nearest. */
static void point_on_cone(tn_touch_list *list, const tn_solid *solid, const tn_solid *other, int vertex)
{
    const tn_solid_rim *rim = &solid->rims[0];
    const double *apex = solid->vertices[TN_RIM_CORNERS], *v = other->vertices[vertex];
    double axis[3], d[3], height, length;
    tn_sub3(axis, apex, rim->centre);
    height = tn_norm3(axis);
    length = sqrt(height * height + rim->radius * rim->radius);
    for (int k = 0; k < 3; k++)
        axis[k] /= height;
    tn_sub3(d, v, apex);
    double up = tn_dot3(d, axis), sine = rim->radius / length, cosine = height / length;
    double out = sqrt(fmax(0, tn_dot3(d, d) - up * up)), below = -height - up;
    double beside = cosine * out + sine * up, along = sine * out - cosine * up;    /* from the side; from the apex along it */
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, v, NULL);
    if (below > 0 ? out <= rim->radius : beside < below) {
        tn_add_face(list, solid, 0, other, vertex);
    } else if (along > length) {
        point_on_ring(list, solid, 0, &two);
    } else if (along < 0) {
        tn_add_point(list, solid, TN_RIM_CORNERS, other, vertex);
    } else {
        tn_touch_side one = tn_side_of(solid, TN_FEATURE_ROUND, TN_ROUND_SIDE, apex, axis);
        one.size[0] = sine;
        tn_touch_add(list, TN_TOUCH_CONE, &one, &two);
    }
}

/* The largest t for which the sum of (a_k p_k / (t + a_k^2))^2 is 1. Where one term alone is 1, the sum is no smaller; from there the
 * steps of Newton's method go up to t. */
static double oval_lead(const double p[3], const double half_axes[3])
{
    const int most_steps = 100;
    double t = -INFINITY;
    for (int k = 0; k < 3; k++)
        t = fmax(t, half_axes[k] * (fabs(p[k]) - half_axes[k]));
    for (int i = 0; i < most_steps; i++) {
        double slope = -1, bend = 0, before = t;
        for (int k = 0; k < 3; k++) {
            double square = half_axes[k] * half_axes[k], part = half_axes[k] * p[k] / (t + square);
            slope += part * part;
            bend += part * part / (t + square);
        }
        t += slope / (2 * bend);
        if (!(t > before))
            return before;
    }
    return t;
}

/* Gives a point in the axes of an ellipsoid, and the lead of its distance. False: it is deep inside, where the nearest point need not be
 * the only one. */
static bool lead_to(double p[3], double *lead, const tn_solid *solid, const double point[3])
{
    const double deep = 0.5;                           /* of the square that is 1 on the surface */
    double Q[3][3], d[3], inside = 0;
    tn_sub3(d, point, solid->centre);
    tn_quat_matrix(Q, solid->turn);
    tn_mul33t(p, (const double (*)[3])Q, d);
    for (int k = 0; k < 3; k++)
        inside += p[k] * p[k] / (solid->half_axes[k] * solid->half_axes[k]);
    *lead = inside > deep ? oval_lead(p, solid->half_axes) : 0;
    return inside > deep;
}

bool tn_oval_normal(double n[3], const tn_solid *solid, const double point[3])
{
    double Q[3][3], p[3], lead;
    if (!lead_to(p, &lead, solid, point))
        return false;
    for (int k = 0; k < 3; k++)
        p[k] /= lead + solid->half_axes[k] * solid->half_axes[k];
    tn_quat_matrix(Q, solid->turn);
    tn_mul33(n, (const double (*)[3])Q, p);
    double length = tn_norm3(n);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    return true;
}

bool tn_point_on_ellipsoid(tn_touch_list *list, const tn_solid *solid, const tn_solid *other, int vertex)
{
    static const double turns[3][4] = { { 1, 0, 0, 0 }, { 0.5, 0.5, 0.5, 0.5 }, { 0.5, -0.5, -0.5, -0.5 } };   /* z is z, x, y */
    static const int axes[3][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 } };
    const double aslant = 0.6;                         /* largest cosine between the normal and z, on which sticking relies */
    double p[3], n[3], turn[4], lead;
    if (!lead_to(p, &lead, solid, other->vertices[vertex]))
        return false;
    for (int k = 0; k < 3; k++)
        n[k] = p[k] / (lead + solid->half_axes[k] * solid->half_axes[k]);
    int which = 0;
    while (which < 2 && fabs(n[axes[which][2]]) > aslant * tn_norm3(n))
        which++;
    tn_quat_mul(turn, solid->turn, turns[which]);
    tn_touch_side one = tn_side_of(solid, TN_FEATURE_ROUND, TN_ROUND_ELLIPSOID, solid->centre, NULL);
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, other->vertices[vertex], NULL);
    one.turn = turn;
    for (int k = 0; k < 3; k++)
        one.size[k] = solid->half_axes[axes[which][k]];
    one.size[3] = lead;
    tn_touch_add(list, TN_TOUCH_OVAL, &one, &two);
    return true;
}

static void points_on_round(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    const tn_circle ring = tn_circle_rim(solid, 0);
    for (int i = TN_RIM_CORNERS * other->rim_count; i < other->vertex_count; i++) {
        tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, i, other->vertices[i], NULL);
        if (!tn_vertex_is_corner(other, i))
            continue;
        if (solid->form == TN_FORM_CYLINDER)
            point_on_cylinder(list, solid, other, i);
        else if (solid->form == TN_FORM_TORUS)
            tn_circle_around_point(list, &ring, 0, &two);
        else if (solid->form == TN_FORM_CONE)
            point_on_cone(list, solid, other, i);
    }
}

/* ---- sides of cylinders ---- */

/* Tells whether what crosses the axis of a cylinder between from and to (shares of its length) touches its side: it is not deeper
 * inside the side than it reaches over an end, so that the end would be nearer. gap: from the side. */
static bool beside_cylinder(double from, double to, double length, double gap)
{
    double over = fmin(fmin(1, fmax(from, to)), 1 - fmax(0, fmin(from, to))) * length;
    return gap >= -over;
}

/* Adds the touch of a cylinder's side with a line from p along e, within both lengths; its side has a radius. */
static void line_on_side(tn_touch_list *list, const tn_solid *solid, tn_touch_side *line, const double e[3],
                         const tn_solid *other, const tn_solid_edge *edge)
{
    const double *from = solid->rims[0].centre;
    double a[3], d[3], n[3];
    tn_sub3(a, solid->rims[1].centre, from);
    tn_sub3(d, line->point, from);
    tn_cross3(n, a, e);
    double length = tn_norm3(n), sign = tn_dot3(n, d) < 0 ? -1 : 1;
    if (!(length > TN_CROSSING * tn_norm3(a) * tn_norm3(e)) || !tn_edges_cross(d, a, e, TN_BOUNDARY))
        return;
    for (int k = 0; k < 3; k++) {
        n[k] *= sign / length;
        line->axis[k] = sign * e[k];
    }
    if (edge && !tn_edge_wedge(other, edge, n, -1))
        return;
    double ae = tn_dot3(a, e), aa = tn_dot3(a, a), ee = tn_dot3(e, e);
    double s = (tn_dot3(d, a) * ee - tn_dot3(d, e) * ae) / (aa * ee - ae * ae);    /* where the line passes the axis */
    if (edge && !beside_cylinder(s, s, sqrt(aa), fabs(tn_dot3(n, d)) - solid->rims[0].radius - other->radius))
        return;
    tn_touch_side one = tn_cylinder_side(solid, from);
    tn_touch_add(list, TN_TOUCH_EDGES, &one, line);
}

/* The way from the axis of a cylinder to the centre of another one's rim, and where it begins: share of the axis. Tells whether the
 * rim lies across that way, so that both cylinders lie along each other. */
static bool lies_along(double way[3], double *share, const tn_solid *cylinder, const tn_solid_rim *rim)
{
    double a[3];
    tn_sub3(a, cylinder->rims[1].centre, cylinder->rims[0].centre);
    tn_sub3(way, rim->centre, cylinder->rims[0].centre);
    *share = tn_dot3(way, a) / tn_dot3(a, a);
    tn_axpy3(way, -*share, a);
    return fabs(tn_dot3(way, rim->axis)) <= across * tn_norm3(way);
}

/* Two cylinders along each other: the ends of the axis of one at the axis of the other. */
static void ends_on_side(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    const tn_solid_rim *upper = &solid->rims[1], *lower = &solid->rims[0];
    double a[3], d[3];
    tn_sub3(a, upper->centre, lower->centre);
    for (int k = 0; k < 2; k++) {
        const tn_solid_rim *rim = &other->rims[k];
        tn_sub3(d, other->rims[1 - k].centre, lower->centre);
        double far = tn_dot3(d, a) / tn_dot3(a, a), s;
        if (!lies_along(d, &s, solid, rim) || s < 0 || s > 1)
            continue;
        if (!beside_cylinder(s, far, tn_norm3(a), tn_norm3(d) - upper->radius - rim->radius))
            continue;
        double foot[3];
        tn_copy3(foot, lower->centre);
        tn_axpy3(foot, s, a);
        tn_touch_side one = tn_cylinder_side(solid, foot);
        tn_touch_side two = tn_side_of(other, TN_FEATURE_ROUND, k, rim->centre, NULL);
        two.radius = rim->radius;
        tn_touch_add(list, TN_TOUCH_LINE, &one, &two);
    }
}

static void sides_meet(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    double e[3];
    tn_sub3(e, b->rims[1].centre, b->rims[0].centre);
    tn_touch_side line = tn_cylinder_side(b, b->rims[0].centre);
    line_on_side(list, a, &line, e, b, NULL);
    ends_on_side(list, a, b);
    ends_on_side(list, b, a);
}

/* ---- rims on lines ---- */

bool tn_solid_has_side(const tn_solid *solid)
{
    return solid->form == TN_FORM_CYLINDER || solid->form == TN_FORM_TUBE;
}

/* Edges that are straight come after those along the rim of a cone; a cylinder, a tube and a torus have none. */
static int straight_edges(const tn_solid *solid)
{
    bool none = tn_solid_has_side(solid) || solid->form == TN_FORM_TORUS;
    return none ? solid->edge_count : solid->form == TN_FORM_CONE ? TN_RIM_CORNERS : 0;
}

/* The rims of a round solid, and the side of a cylinder, on the edges of another solid. */
static void round_on_edges(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    for (int i = straight_edges(other); i < other->edge_count; i++) {
        const tn_solid_edge *edge = &other->edges[i];
        double e[3];
        if (edge->flat)
            continue;
        tn_sub3(e, other->vertices[edge->to], other->vertices[edge->from]);
        tn_touch_side line = tn_side_of(other, TN_FEATURE_EDGE, i, other->vertices[edge->from], e);
        for (int k = 0; k < solid->rim_count; k++) {
            tn_circle circle = tn_circle_rim(solid, k);
            tn_circle_on_line(list, &circle, &line, e, edge);
        }
        if (tn_solid_has_side(solid))
            line_on_side(list, solid, &line, e, other, edge);
    }
}

/* Ends of cylinders that lie along each other touch in ends_on_side. */
static void rims_on_side(tn_touch_list *list, const tn_solid *solid, const tn_solid *cylinder)
{
    double e[3], way[3], share;
    tn_sub3(e, cylinder->rims[1].centre, cylinder->rims[0].centre);
    tn_touch_side line = tn_cylinder_side(cylinder, cylinder->rims[0].centre);
    for (int k = 0; k < solid->rim_count; k++) {
        tn_circle circle = tn_circle_rim(solid, k);
        if (!tn_solid_has_side(solid) || !lies_along(way, &share, cylinder, &solid->rims[k]))
            tn_circle_on_line(list, &circle, &line, e, NULL);
    }
}

static void rims_meet(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    for (int i = 0; i < a->rim_count; i++)
        for (int j = 0; j < b->rim_count; j++) {
            tn_circle one = tn_circle_rim(a, i), two = tn_circle_rim(b, j);
            tn_circles_meet(list, &one, &two);
        }
}

/* ---- pairs ---- */

/* The number of faces that are flat; they come first. */
static int flat_faces(const tn_solid *solid)
{
    switch (solid->form) {
    case TN_FORM_POLYHEDRON: return solid->face_count;
    case TN_FORM_CYLINDER:
    case TN_FORM_TUBE: return 2;
    case TN_FORM_CONE: return 1;
    default: return 0;
    }
}

void tn_ellipsoid_on_faces(tn_touch_list *list, const tn_solid *ellipsoid, const tn_solid *other)
{
    for (int f = 0; f < flat_faces(other); f++)
        ellipsoid_on_plane(list, &(flat_face){ other, f }, ellipsoid);
}

/* A round solid on the flat sides and straight edges that stand for the side of a cone, or for an ellipsoid. */
static void round_on_facets(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    for (int f = flat_faces(other); f < other->face_count && !tn_solid_has_side(other); f++)
        round_on_plane(list, &(flat_face){ other, f }, solid);
    round_on_edges(list, solid, other);
}

static void rounds_meet(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    for (int f = 0; f < flat_faces(a); f++)
        round_on_plane(list, &(flat_face){ a, f }, b);
    if (tn_solid_has_side(a) && tn_solid_has_side(b))
        sides_meet(list, a, b);
    if (tn_solid_has_side(b))
        rims_on_side(list, a, b);
    if (tn_solid_has_side(a))
        rims_on_side(list, b, a);
    rims_meet(list, a, b);
    if (a->form == TN_FORM_TORUS || a->form == TN_FORM_TUBE)
        round_on_facets(list, a, b);
    if (b->form == TN_FORM_TORUS || b->form == TN_FORM_TUBE)
        round_on_facets(list, b, a);
    if (a->form == TN_FORM_TORUS || (b->form == TN_FORM_CONE && a->form != TN_FORM_TUBE))
        points_on_round(list, a, b);
    if (b->form == TN_FORM_TORUS || (a->form == TN_FORM_CONE && b->form != TN_FORM_TUBE))
        points_on_round(list, b, a);
}

void tn_round_meet(tn_touch_list *list, const tn_solid *round, const tn_solid *other)
{
    for (int f = 0; f < flat_faces(other); f++)
        round_on_plane(list, &(flat_face){ other, f }, round);
    if (other->half_space)
        return;
    if (other->form != TN_FORM_POLYHEDRON) {
        rounds_meet(list, round, other);
    } else {
        points_on_round(list, round, other);
        round_on_edges(list, round, other);
    }
    tn_cone_sides_meet(list, round, other);
}
