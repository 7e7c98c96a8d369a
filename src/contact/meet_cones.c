/* Finds the touches of sides of cones: on straight edges, on sides of capsules, cylinders and cones, and on rims and rings. They have
 * curvatures, and are found again as they move. */
#include "meet_cones.h"
#include "meet_circles.h"
#include "meet_ovals.h"
#include "solid_features.h"
#include "vec.h"

/* A surface of straight lines, which has a normal n with n . axis = sine along each of them: a line or an edge (sine 0), the side of a
 * cylinder or capsule (a line with radius), or of a cone. */
typedef struct ruled {
    tn_touch_side side;                /* its point is the start of a line, or the apex */
    double axis[3], sine;              /* of a cone: from the base to the apex; sine of half the opening angle */
    double length;                     /* of the line; of a cone from the apex to the rim */
    const tn_solid_edge *edge;         /* NULL: it has no faces */
} ruled;

static ruled cone_side(const tn_solid *cone)
{
    const tn_solid_rim *rim = &cone->rims[0];
    const double *apex = cone->vertices[TN_RIM_CORNERS];
    ruled r = { .sine = 0 };
    tn_sub3(r.axis, apex, rim->centre);
    double height = tn_norm3(r.axis);
    for (int k = 0; k < 3; k++)
        r.axis[k] /= height;
    r.length = sqrt(height * height + rim->radius * rim->radius);
    r.sine = rim->radius / r.length;
    r.side = tn_side_of(cone, TN_FEATURE_ROUND, TN_ROUND_SIDE, apex, NULL);
    return r;
}

/* A line from the point of `side` along e. */
static ruled straight_line(const tn_touch_side *side, const double e[3], const tn_solid_edge *edge)
{
    ruled r = { .side = *side, .length = tn_norm3(e), .edge = edge };
    for (int k = 0; k < 3; k++)
        r.axis[k] = e[k] / r.length;
    return r;
}

/* The direction of the line of a surface with this normal, outward: unit length. */
static void line_of(double way[3], const ruled *r, const double n[3], double sign)
{
    double cosine = sqrt(1 - r->sine * r->sine);
    for (int k = 0; k < 3; k++)
        way[k] = r->sine == 0 ? r->axis[k] : (sign * r->sine * n[k] - r->axis[k]) / cosine;
}

/* The radius of curvature of a surface across its line, so far from the apex. */
static double radius_of(const ruled *r, double along)
{
    return r->sine == 0 ? r->side.radius : along * r->sine / sqrt(1 - r->sine * r->sine);
}

/* Adds the touch of the lines of two ruled surfaces with the normal n from one to two; d: from the point of one to that of two. */
static void add_lines(tn_touch_list *list, const ruled *one, const ruled *two, const double d[3], const double n[3])
{
    double e[3], f[3];
    line_of(e, one, n, 1);
    line_of(f, two, n, -1);
    double ef = tn_dot3(e, f), de = tn_dot3(d, e), df = tn_dot3(d, f), square = 1 - ef * ef;
    if (!(square > TN_CROSSING * TN_CROSSING))
        return;
    double s = (de - ef * df) / square, t = (ef * de - df) / square;
    double gap = tn_dot3(d, n) - one->side.radius - two->side.radius, rounding = one->side.radius + two->side.radius;
    double deepest = rounding > 0 ? rounding / 2 : TN_SHALLOW * fmin(one->side.solid->size, two->side.solid->size);
    bool within = s > TN_BOUNDARY * one->length && s < (1 - TN_BOUNDARY) * one->length && t > TN_BOUNDARY * two->length &&
                  t < (1 - TN_BOUNDARY) * two->length;
    if (!within || !(gap > -deepest) || (two->edge && !tn_edge_wedge(two->side.solid, two->edge, n, -1)))
        return;
    tn_smooth_place a = { .side = one->side, .across = radius_of(one, s) }, b = { .side = two->side, .across = radius_of(two, t) };
    tn_axpy3(a.side.point, s, e);
    tn_axpy3(b.side.point, t, f);
    tn_copy3(a.along, e);
    tn_copy3(b.along, f);
    tn_touch_add_smooth(list, &a, &b, n, TN_CROSSING * TN_CROSSING);
}

/* The side of a cone on another ruled surface. The normals of both surfaces are opposite: n . axis1 = sine1, n . axis2 = -sine2. */
static void ruled_meet(tn_touch_list *list, const ruled *one, const ruled *two)
{
    const double *a = one->axis, *b = two->axis;
    double k[3], d[3], best[3] = { 0 }, most = -INFINITY, q = tn_dot3(a, b), square = 1 - q * q;
    tn_cross3(k, a, b);
    tn_sub3(d, two->side.point, one->side.point);
    if (!(square > TN_CROSSING * TN_CROSSING))
        return;
    double u = (one->sine + two->sine * q) / square, v = (-two->sine - one->sine * q) / square;
    double rest = 1 - u * one->sine + v * two->sine;           /* square of the part of n across both axes */
    for (int sign = -1; sign <= 1 && rest >= 0; sign += 2) {
        double n[3] = { 0 };
        tn_axpy3(n, u, a);
        tn_axpy3(n, v, b);
        tn_axpy3(n, sign * sqrt(rest / square), k);
        if (tn_dot3(d, n) <= most)
            continue;
        most = tn_dot3(d, n);
        tn_copy3(best, n);
    }
    if (most > -INFINITY && most - one->side.radius - two->side.radius < list->margin)
        add_lines(list, one, two, d, best);
}

/* The side of a cone on straight edges, on sides of capsules, cylinders and cones, and on rims and rings. */
static void cone_side_meets(tn_touch_list *list, const tn_solid *cone, const tn_solid *other)
{
    const ruled side = cone_side(cone);
    for (int i = 0; i < other->edge_count && other->form == TN_FORM_POLYHEDRON; i++) {
        const tn_solid_edge *edge = &other->edges[i];
        double e[3];
        if (edge->flat)
            continue;
        tn_sub3(e, other->vertices[edge->to], other->vertices[edge->from]);
        tn_touch_side line = tn_side_of(other, TN_FEATURE_EDGE, i, other->vertices[edge->from], NULL);
        const ruled straight = straight_line(&line, e, edge->faces[0] == TN_NO_FACE ? NULL : edge);
        ruled_meet(list, &side, &straight);
    }
    if (tn_solid_has_side(other)) {
        double e[3];
        tn_sub3(e, other->rims[1].centre, other->rims[0].centre);
        tn_touch_side line = tn_cylinder_side(other, other->rims[0].centre);
        const ruled straight = straight_line(&line, e, NULL);
        ruled_meet(list, &side, &straight);
    }
    for (int k = 0; k < other->rim_count; k++) {
        const tn_circle circle = tn_circle_rim(other, k);
        tn_circle_on_cone(list, &circle, cone, &side.side);
    }
}

void tn_cone_sides_meet(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    if (a->form == TN_FORM_CONE)
        cone_side_meets(list, a, b);
    if (b->form == TN_FORM_CONE)
        cone_side_meets(list, b, a);
    if (a->form == TN_FORM_CONE && b->form == TN_FORM_CONE) {
        const ruled one = cone_side(a), two = cone_side(b);
        ruled_meet(list, &one, &two);
    }
}
