/* Finds the touches of ellipsoids with convex solids. The distance of two convex surfaces is the largest value over unit vectors n of
 *     f(n) = d . n - h1(n) - h2(-n)
 * where d is the vector from a point of 1 to the centre of the ellipsoid 2, and h are the extents from these points. With h^2 = n . Q n
 * the ellipsoid touches at -Q n / h from its centre. Newton's method climbs f:
 *     over all n       ellipsoids
 *     over a circle    edges and sides of cylinders (n across the line), sides of cones (n at an angle to the axis)
 * Rims and rings are searched for all points that are nearest to the ellipsoid (meet_circles.c).
 * The touches are those of the surfaces with the curvatures that they have there (touch-smooth); on planes and corners they are exact. */
#include "meet_circles.h"
#include "meet_ovals.h"
#include "solid_features.h"
#include "vec.h"

static const int most_steps = 60;
static const double longest_step = 0.5;       /* rad */
static const double shortest_step = 1e-15;    /* rad */
/* n . Q n = h^2 */
typedef struct quadric {
    double Q[3][3], centre[3];
} quadric;

static quadric ellipsoid_of(const tn_solid *solid)
{
    quadric e = { .Q = { { 0 } } };
    double R[3][3];
    tn_quat_matrix(R, solid->turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                e.Q[i][j] += R[i][k] * R[j][k] * solid->half_axes[k] * solid->half_axes[k];
    tn_copy3(e.centre, solid->centre);
    return e;
}

/* Gives the outermost point along n, from the centre, and its distance along n. */
static double outermost(double point[3], const quadric *s, const double n[3])
{
    tn_mul33(point, s->Q, n);
    double extent = sqrt(fmax(0, tn_dot3(point, n)));
    for (int k = 0; k < 3; k++)
        point[k] /= extent;
    return extent;
}

/* The derivative of the outermost point along a, as n moves along b: the radius of curvature where a is b. */
static double bend(const quadric *s, const double n[3], const double a[3], const double b[3])
{
    double point[3], Qb[3], extent = outermost(point, s, n);
    tn_mul33(Qb, s->Q, b);
    return (tn_dot3(a, Qb) - tn_dot3(point, a) * tn_dot3(point, b)) / extent;
}

static void normalize(double n[3])
{
    double length = tn_norm3(n);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

/* Two directions across n, of a right-handed system with it. */
static void directions_across(double x[3], double y[3], const double n[3])
{
    const double any[3] = { fabs(n[0]) < 0.5, fabs(n[0]) >= 0.5, 0 };
    tn_cross3(x, any, n);
    normalize(x);
    tn_cross3(y, n, x);
}

/* ---- the normal ---- */

/* Directions to choose from: n = cosine u + sine axis, with u across the axis; all directions where `free`. */
typedef struct normals {
    bool free;
    double axis[3], sine, cosine;
    const quadric *one;        /* where all directions are free */
    const quadric *two;
    double d[3];               /* from the centre of one, or a point of the line, or the apex, to the centre of two */
} normals;

static double value_at(const normals *f, const double n[3], double slope[3])
{
    double point[3], value = tn_dot3(f->d, n) - outermost(point, f->two, n);
    tn_sub3(slope, f->d, point);
    if (f->free) {
        value -= outermost(point, f->one, n);
        tn_sub3(slope, slope, point);
    }
    return value;
}

/* A step of Newton's method along one direction, or up the slope where f bends upward. */
static double step_along(double slope, double bending)
{
    double step = bending > 0 ? slope / bending : copysign(longest_step, slope);
    return fmax(-longest_step, fmin(longest_step, step));
}

/* The step for n = cosine u + sine axis. */
static void step_on_circle(double step[3], const normals *f, const double n[3], const double slope[3])
{
    double u[3], way[3];
    tn_copy3(u, n);
    tn_axpy3(u, -f->sine, f->axis);
    tn_cross3(way, f->axis, u);                        /* derivative of n by the angle; as long as u, the cosine */
    double angle = step_along(tn_dot3(slope, way), tn_dot3(slope, u) + bend(f->two, n, way, way));
    for (int k = 0; k < 3; k++)
        step[k] = angle * way[k];
}

/* The step for any n. */
static void step_on_sphere(double step[3], const normals *f, const double n[3], double value, const double slope[3])
{
    double x[3], y[3];
    directions_across(x, y, n);
    double hxx = value + bend(f->one, n, x, x) + bend(f->two, n, x, x), hxy = bend(f->one, n, x, y) + bend(f->two, n, x, y);
    double hyy = value + bend(f->one, n, y, y) + bend(f->two, n, y, y), gx = tn_dot3(slope, x), gy = tn_dot3(slope, y);
    double det = hxx * hyy - hxy * hxy;
    bool downward = hxx > 0 && det > 0;
    double p = downward ? (hyy * gx - hxy * gy) / det : gx, q = downward ? (hxx * gy - hxy * gx) / det : gy, length = sqrt(p * p + q * q);
    double scale = length > longest_step || (!downward && length > 0) ? longest_step / length : 1;
    for (int k = 0; k < 3; k++)
        step[k] = scale * (p * x[k] + q * y[k]);
}

/* n after a part of a step, among the directions to choose from. */
static void step_to(double next[3], const normals *f, const double n[3], const double step[3], double part)
{
    double u[3];
    tn_copy3(u, n);
    tn_axpy3(u, part, step);
    if (!f->free)
        tn_axpy3(u, -tn_dot3(u, f->axis), f->axis);
    normalize(u);
    tn_zero3(next);
    tn_axpy3(next, f->free ? 1 : f->cosine, u);
    if (!f->free)
        tn_axpy3(next, f->sine, f->axis);
}

/* Climbs f from n to its largest value. False: n is not a direction. */
static bool climb(double n[3], const normals *f)
{
    const int most_halvings = 30;
    double slope[3], value = value_at(f, n, slope);
    for (int i = 0; i < most_steps && isfinite(value); i++) {
        double step[3], next[3], slope_there[3], there = -INFINITY, part = 1;
        if (f->free)
            step_on_sphere(step, f, n, value, slope);
        else
            step_on_circle(step, f, n, slope);
        for (int k = 0; k < most_halvings && !(there >= value); k++, part /= 2) {
            step_to(next, f, n, step, part);
            there = value_at(f, next, slope_there);
        }
        if (!(there >= value))
            return true;                               /* as high as round-off lets it be told */
        tn_copy3(n, next);
        tn_copy3(slope, slope_there);
        value = there;
        if (!(tn_norm3(step) > shortest_step))
            return true;
    }
    return isfinite(value);
}

/* ---- touches ---- */

/* The directions of principal curvature across n and their radii. */
static void principal(double x[3], double radii[2], const quadric *s, const double n[3])
{
    double a[3], b[3];
    directions_across(a, b, n);
    double aa = bend(s, n, a, a), ab = bend(s, n, a, b), bb = bend(s, n, b, b);
    double half = (aa - bb) / 2, root = sqrt(half * half + ab * ab), mean = (aa + bb) / 2;
    double c = half + copysign(root, half), t = ab;    /* (c, t): an eigenvector */
    double length = sqrt(c * c + t * t);
    tn_zero3(x);
    tn_axpy3(x, length > 0 ? c / length : 1, a);
    tn_axpy3(x, length > 0 ? t / length : 0, b);
    radii[0] = mean + copysign(root, half);
    radii[1] = mean - copysign(root, half);
}

/* Adds the touch of an ellipsoid at the direction n with a place. */
static void add_smooth(tn_touch_list *list, const tn_smooth_place *at, const tn_solid *solid, const quadric *oval, const double n[3])
{
    tn_smooth_place two = { .side = tn_side_of(solid, TN_FEATURE_ROUND, TN_ROUND_ELLIPSOID, solid->centre, NULL) };
    double lowest[3], radii[2];
    outermost(lowest, oval, n);
    principal(two.along, radii, oval, n);
    tn_axpy3(two.side.point, -1, lowest);
    two.curvature = 1 / radii[0];
    two.across = radii[1];
    tn_touch_add_smooth(list, at, &two, n, 0);
}

/* Tells whether a gap is one of what touches, not of what is on the other side of a body. */
static bool is_shallow(const tn_solid *solid, const tn_touch_side *other, double gap)
{
    double deepest = other->radius > 0 ? other->radius / 2 : TN_SHALLOW * fmin(solid->size, other->solid->size);
    return gap > -deepest;
}

static double largest_half_axis(const tn_solid *solid)
{
    return fmax(solid->half_axes[0], fmax(solid->half_axes[1], solid->half_axes[2]));
}

/* ---- lines ---- */

/* A straight line on the surface of a solid: an edge, the side of a cylinder or capsule (radius), or of a cone. */
typedef struct straight {
    tn_touch_side side;                /* its point is the start of the line, or the apex of the cone */
    double along[3];                   /* from its start to its end; of a cone the axis, from the base to the apex, times its height */
    double sine;                       /* of a cone: half its opening angle; 0: a line */
    const tn_solid_edge *edge;         /* NULL: it has no faces */
} straight;

static bool is_far(const tn_touch_list *list, const tn_solid *solid, const straight *line)
{
    double d[3], e = tn_dot3(line->along, line->along);
    tn_sub3(d, solid->centre, line->side.point);
    double share = tn_dot3(d, line->along) / e;
    tn_axpy3(d, -fmax(0, fmin(1, share)), line->along);
    return line->sine == 0 && tn_norm3(d) > largest_half_axis(solid) + line->side.radius + list->margin;
}

/* The place on a line at n, from the apex down the side of a cone. False: beyond its ends. */
static bool place_on_line(tn_smooth_place *at, const straight *line, const double lowest[3], const double n[3])
{
    double way[3], d[3], length = tn_norm3(line->along);
    tn_sub3(d, lowest, line->side.point);
    if (line->sine == 0) {
        tn_copy3(way, line->along);
    } else {
        double cosine = sqrt(1 - line->sine * line->sine);
        for (int k = 0; k < 3; k++)                    /* n = cosine u + sine axis; the side goes down along sine u - cosine axis */
            way[k] = length * (line->sine * n[k] - line->along[k] / length) / (cosine * cosine);
    }
    double share = tn_dot3(d, way) / tn_dot3(way, way);
    if (!(share > TN_BOUNDARY && share < 1 - TN_BOUNDARY))
        return false;
    at->side = line->side;
    tn_axpy3(at->side.point, share, way);
    tn_copy3(at->along, way);
    normalize(at->along);
    at->across = line->sine == 0 ? at->side.radius : share * tn_norm3(way) * line->sine / sqrt(1 - line->sine * line->sine);
    return true;
}

static void oval_on_line(tn_touch_list *list, const tn_solid *solid, const quadric *oval, const straight *line)
{
    normals f = { .sine = line->sine, .cosine = sqrt(1 - line->sine * line->sine), .two = oval };
    double n[3], step[3], slope[3], lowest[3];
    tn_smooth_place at = { .curvature = 0 };
    if (is_far(list, solid, line))
        return;
    tn_copy3(f.axis, line->along);
    normalize(f.axis);
    tn_sub3(f.d, oval->centre, line->side.point);
    directions_across(n, step, f.axis);
    tn_copy3(step, f.d);
    if (!(tn_norm3(step) > fabs(tn_dot3(step, f.axis)) * (1 + TN_BOUNDARY)))
        tn_copy3(step, n);                             /* the centre is on the line */
    tn_zero3(n);
    step_to(n, &f, n, step, 1);
    if (!climb(n, &f))
        return;
    double gap = value_at(&f, n, slope) - line->side.radius;
    if (!(gap < list->margin) || !is_shallow(solid, &line->side, gap) || (line->edge && !tn_edge_wedge(line->side.solid, line->edge, n, 1)))
        return;
    outermost(lowest, oval, n);
    for (int k = 0; k < 3; k++)
        lowest[k] = oval->centre[k] - lowest[k];
    if (place_on_line(&at, line, lowest, n))
        add_smooth(list, &at, solid, oval, n);
}

static void oval_on_edges(tn_touch_list *list, const tn_solid *solid, const quadric *oval, const tn_solid *other)
{
    for (int i = 0; i < other->edge_count && other->form == TN_FORM_POLYHEDRON; i++) {
        straight line = { .edge = &other->edges[i] };
        if (line.edge->flat)
            continue;
        tn_sub3(line.along, other->vertices[line.edge->to], other->vertices[line.edge->from]);
        line.side = tn_side_of(other, TN_FEATURE_EDGE, i, other->vertices[line.edge->from], NULL);
        oval_on_line(list, solid, oval, &line);
    }
}

static void oval_on_side(tn_touch_list *list, const tn_solid *solid, const quadric *oval, const tn_solid *other)
{
    straight line = { .sine = 0 };
    const double *start = other->form == TN_FORM_CYLINDER ? other->rims[0].centre : other->vertices[TN_RIM_CORNERS];
    line.side = tn_side_of(other, TN_FEATURE_ROUND, TN_ROUND_SIDE, start, NULL);
    if (other->form == TN_FORM_CYLINDER) {
        tn_sub3(line.along, other->rims[1].centre, start);
        line.side.radius = other->rims[0].radius;
    } else {
        tn_sub3(line.along, start, other->rims[0].centre);
        double height = tn_norm3(line.along), radius = other->rims[0].radius;
        line.sine = radius / sqrt(height * height + radius * radius);
    }
    oval_on_line(list, solid, oval, &line);
}

/* ---- rims and ellipsoids ---- */

/* A rim at `arm`; it bends towards its centre, away from the ellipsoid or, within a ring, around it. */
static void oval_on_arm(tn_touch_list *list, const tn_solid *solid, const quadric *oval, const tn_circle *circle, int number,
                        const double arm[3])
{
    double x[3], n[3], d[3], lowest[3];
    tn_smooth_place at = { .side = tn_side_of(circle->solid, TN_FEATURE_ROUND, circle->feature + TN_RIM_CORNERS * number, circle->rim->centre, NULL) };
    tn_add3(x, circle->rim->centre, arm);
    if (!tn_oval_normal(n, solid, x))
        return;
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
    outermost(lowest, oval, n);
    tn_sub3(d, oval->centre, x);
    tn_sub3(d, d, lowest);
    if (!is_shallow(solid, &at.side, tn_dot3(d, n) - at.side.radius) || !tn_circle_points_out(circle, arm, n, 1))
        return;
    tn_circle_place(&at, circle, arm, n, 1);
    add_smooth(list, &at, solid, oval, n);
}

static void oval_on_rim(tn_touch_list *list, const tn_solid *solid, const quadric *oval, const tn_solid *other, int k)
{
    const tn_circle circle = tn_circle_rim(other, k);
    double arms[TN_CIRCLE_MINIMA][3], way[3];
    tn_sub3(way, oval->centre, other->rims[k].centre);
    if (tn_circle_distance(&other->rims[k], way) > largest_half_axis(solid) + other->radius + list->margin)
        return;
    int count = tn_circle_near_ellipsoid(arms, &other->rims[k], solid);
    for (int i = 0; i < count; i++)
        oval_on_arm(list, solid, oval, &circle, i, arms[i]);
}

/* The ellipsoid of the lower body comes first, as for points. */
static void ovals_touch(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    const quadric one = ellipsoid_of(a), two = ellipsoid_of(b);
    normals f = { .free = true, .one = &one, .two = &two };
    double n[3], slope[3], outer[3], radii[2];
    tn_smooth_place at = { .side = tn_side_of(a, TN_FEATURE_ROUND, TN_ROUND_ELLIPSOID, a->centre, NULL) };
    tn_sub3(f.d, two.centre, one.centre);
    tn_copy3(n, f.d);
    if (!(tn_norm3(n) > 0))
        return;
    normalize(n);
    if (!climb(n, &f))
        return;
    double gap = value_at(&f, n, slope);
    if (!(gap < list->margin) || !(gap > -TN_SHALLOW * fmin(a->size, b->size)))
        return;
    outermost(outer, &one, n);
    tn_axpy3(at.side.point, 1, outer);
    principal(at.along, radii, &one, n);
    at.curvature = 1 / radii[0];
    at.across = radii[1];
    add_smooth(list, &at, b, &two, n);
}

/* ---- pairs ---- */

/* Tells whether a direction points out of a solid at one of its corners. */
static bool out_of_corner(const tn_solid *other, int vertex, const double n[3])
{
    double e[3];
    if (other->vertex_count != 2)
        return tn_vertex_cone(other, vertex, n, TN_LEANING);
    tn_sub3(e, other->vertices[!vertex], other->vertices[vertex]);
    return tn_dot3(e, n) <= TN_LEANING * tn_norm3(e);
}

static void oval_on_corners(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    for (int i = TN_RIM_CORNERS * other->rim_count; i < other->vertex_count; i++) {
        double n[3], d[3];
        if (!tn_vertex_is_corner(other, i))
            continue;
        tn_sub3(d, other->vertices[i], solid->centre);
        if (tn_norm3(d) > largest_half_axis(solid) + other->radius + list->margin || !tn_oval_normal(n, solid, other->vertices[i]))
            continue;
        for (int k = 0; k < 3; k++)
            n[k] = -n[k];
        if (out_of_corner(other, i, n))
            tn_point_on_ellipsoid(list, solid, other, i);
    }
}

bool tn_ovals_touch(const tn_solid *one, const tn_solid *other)
{
    bool other_ways = other->half_space || other->surface || other->form == TN_FORM_TUBE || other->form == TN_FORM_BOWL;
    return one->form == TN_FORM_ELLIPSOID && !other_ways;
}

void tn_ovals_meet(tn_touch_list *list, const tn_solid *solid, const tn_solid *other)
{
    if (other->form == TN_FORM_ELLIPSOID) {
        bool swapped = solid->body > other->body || (solid->body == other->body && solid->shape > other->shape);
        ovals_touch(list, swapped ? other : solid, swapped ? solid : other);
        return;
    }
    const quadric oval = ellipsoid_of(solid);
    tn_ellipsoid_on_faces(list, solid, other);
    oval_on_edges(list, solid, &oval, other);
    oval_on_corners(list, solid, other);
    for (int k = 0; k < other->rim_count; k++)
        oval_on_rim(list, solid, &oval, other, k);
    if (other->form == TN_FORM_CYLINDER || other->form == TN_FORM_CONE)
        oval_on_side(list, solid, &oval, other);
}
