/* Finds where circles (rims, edges of bores, rings of tori) are nearest to straight lines and to other circles: all minima of the
 * distance along the circle. The touch is that of the surfaces with the curvatures that they have there (touch-smooth), or of a ring and
 * a point where both are near each other along a line; it is found again as it moves on. */
#include "meet_circles.h"
#include "meet_ovals.h"
#include "solid_features.h"
#include "vec.h"

enum { SAMPLES = 24, MOST_MINIMA = TN_CIRCLE_MINIMA };
enum { FAR_CORNER = 256 };             /* numbers of TN_FEATURE_ROUND from here on: corners of circles */
/* Sine of the angle between tangents: below it, the normal of what is rounded is the direction to the nearest point. */
static const double skew = 0.2;
/* Determinant of the second derivatives of the distance (tn_touch_add_smooth): below it, a ring is near along its circle, as coaxial
 * rings are, and touches with a point. */
static const double along_circle = 1e-4;

tn_circle tn_circle_rim(const tn_solid *solid, int k)
{
    double way = solid->form == TN_FORM_TORUS || solid->form == TN_FORM_BOWL ? 0 : 1;
    double lean = 0, d[3];
    if (solid->form == TN_FORM_CONE) {
        tn_sub3(d, solid->vertices[TN_RIM_CORNERS], solid->rims[k].centre);
        lean = solid->rims[k].radius / tn_norm3(d);
    }
    return (tn_circle){ solid, &solid->rims[k], k, way, lean };
}

/* ---- sides of cones ---- */

/* The normal of the side of a cone towards a point, and the direction down the side there. Returns how far from the apex along the
 * side the nearest point is. */
static double cone_place(double n[3], double down[3], const tn_solid *cone, const double x[3])
{
    const tn_solid_rim *rim = &cone->rims[0];
    const double *apex = cone->vertices[TN_RIM_CORNERS];
    double axis[3], out[3];
    tn_sub3(axis, apex, rim->centre);
    double height = tn_norm3(axis), length = sqrt(height * height + rim->radius * rim->radius);
    double sine = rim->radius / length, cosine = height / length;
    tn_sub3(out, x, apex);
    double up = tn_dot3(out, axis) / height;
    tn_axpy3(out, -up / height, axis);
    double away = tn_norm3(out);
    for (int k = 0; k < 3; k++) {
        out[k] = away > 0 ? out[k] / away : 0;
        n[k] = cosine * out[k] + sine * axis[k] / height;
        down[k] = sine * out[k] - cosine * axis[k] / height;
    }
    return sine * away - cosine * up;
}

/* ---- minima along a circle ---- */

/* The neighbour of a circle: an ellipsoid, the side of a cone, another circle, or a line through p along the unit vector e. */
typedef struct tn_near_curve {
    const tn_solid *ellipsoid;         /* NULL: none */
    const tn_solid *cone;              /* NULL: none */
    const tn_solid_rim *circle;        /* NULL: the line */
    double p[3], e[3];
} tn_near_curve;

/* Half the derivative of the square of the distance from the point x, as x moves along `way`; of an ellipsoid that of the distance. */
static double slope_at(const tn_near_curve *curve, const double x[3], const double way[3])
{
    double w[3];
    if (curve->ellipsoid) {
        if (!tn_oval_normal(w, curve->ellipsoid, x))
            tn_sub3(w, x, curve->ellipsoid->centre);
        return tn_dot3(w, way);
    }
    if (curve->cone) {
        double down[3];
        cone_place(w, down, curve->cone, x);
        return tn_dot3(w, way);
    }
    tn_sub3(w, x, curve->circle ? curve->circle->centre : curve->p);
    const double *e = curve->circle ? curve->circle->axis : curve->e;
    double along = tn_dot3(w, e), moves = tn_dot3(way, e);
    if (!curve->circle)
        return tn_dot3(w, way) - along * moves;
    tn_axpy3(w, -along, e);
    double radius = tn_norm3(w);
    return along * moves + (radius > 0 ? (1 - curve->circle->radius / radius) * tn_dot3(w, way) : 0);
}

/* The same for the point of a circle in the direction u from its centre, as u turns about the axis. */
static double slope_of(const tn_solid_rim *rim, const double u[3], const tn_near_curve *curve)
{
    double x[3], way[3];
    tn_copy3(x, rim->centre);
    tn_axpy3(x, rim->radius, u);
    tn_cross3(way, rim->axis, u);
    return slope_at(curve, x, way);
}

/* A unit vector across the axis of a circle, beside `from` where that is not along the axis. Symmetric places have minima in the
 * direction `from`, as links of a chain have: there, round-off would decide which minimum is the first one, and which touch is which. */
static void first_direction(double u[3], const tn_solid_rim *rim, const double from[3])
{
    const double aside = 0.1;                          /* rad */
    double v[3];
    tn_cross3(v, rim->axis, from);
    if (!(tn_norm3(v) > TN_CROSSING * tn_norm3(from))) {
        const double any[3] = { fabs(rim->axis[0]) < 0.5, fabs(rim->axis[0]) >= 0.5, 0 };
        tn_cross3(v, rim->axis, any);
    }
    tn_cross3(u, v, rim->axis);
    tn_axpy3(u, aside, v);
    double length = tn_norm3(u);
    for (int k = 0; k < 3; k++)
        u[k] /= length;
}

/* The minimum between two directions, by bisection. */
static void bisect(double arm[3], const tn_solid_rim *rim, const tn_near_curve *curve, const double from[3], const double to[3])
{
    const int rounds = 50;
    double low[3], high[3], u[3];
    tn_copy3(low, from);
    tn_copy3(high, to);
    for (int i = 0; i < rounds; i++) {
        tn_add3(u, low, high);
        double length = tn_norm3(u);
        for (int k = 0; k < 3; k++)
            u[k] /= length;
        tn_copy3(slope_of(rim, u, curve) < 0 ? low : high, u);
    }
    for (int k = 0; k < 3; k++)
        arm[k] = rim->radius * u[k];
}

/* Finds the minima of the distance, in the order of their angles from a direction beside `from`. Returns how many. */
static int find_minima(double arms[MOST_MINIMA][3], const tn_solid_rim *rim, const tn_near_curve *curve, const double from[3])
{
    const double cosine = 0.96592582628906829, sine = 0.25881904510252076;     /* of a turn of 1 / SAMPLES */
    double u[3], first[3], next[3], turned[3];
    int count = 0;
    first_direction(first, rim, from);
    tn_copy3(u, first);
    double before = slope_of(rim, u, curve);
    for (int i = 0; i < SAMPLES && count < MOST_MINIMA; i++) {
        tn_cross3(turned, rim->axis, u);
        for (int k = 0; k < 3; k++)                    /* the last is the first, without the round-off of a turn */
            next[k] = i + 1 == SAMPLES ? first[k] : cosine * u[k] + sine * turned[k];
        double after = slope_of(rim, next, curve);
        if (before < 0 && after >= 0)
            bisect(arms[count++], rim, curve, u, next);
        before = after;
        tn_copy3(u, next);
    }
    return count;
}

int tn_circle_near_ellipsoid(double arms[TN_CIRCLE_MINIMA][3], const tn_solid_rim *rim, const tn_solid *ellipsoid)
{
    const tn_near_curve curve = { ellipsoid, NULL, NULL, { 0 }, { 0 } };
    double d[3];
    tn_sub3(d, ellipsoid->centre, rim->centre);
    return find_minima(arms, rim, &curve, d);
}

/* ---- touches ---- */

bool tn_circle_points_out(const tn_circle *c, const double arm[3], const double n[3], double sign)
{
    if (c->way == 0)
        return true;
    double up = sign * tn_dot3(n, c->rim->axis), out = sign * c->way * tn_dot3(n, arm) / c->rim->radius;
    return up + c->lean * out > -TN_LEANING && out > -TN_LEANING;
}

/* A value with the sign of the component of n along the middle between the directions out of the end and out of the side. */
static double along_middle(const tn_circle *c, const double arm[3], const double n[3])
{
    double rise = sqrt(1 + c->lean * c->lean) - c->lean;
    return c->way * tn_dot3(n, arm) / c->rim->radius + rise * tn_dot3(n, c->rim->axis);
}

static tn_touch_side side_of_circle(const tn_circle *c, int number, const double point[3], const double axis[3])
{
    tn_touch_side side = tn_side_of(c->solid, TN_FEATURE_ROUND, c->feature + TN_RIM_CORNERS * number, point, axis);
    side.size[0] = c->rim->radius;
    return side;
}

void tn_circle_place(tn_smooth_place *place, const tn_circle *c, const double arm[3], const double n[3], double sign)
{
    double radius = c->rim->radius, rounding = place->side.radius, outward = sign * tn_dot3(arm, n) / radius;
    tn_add3(place->side.point, c->rim->centre, arm);
    tn_cross3(place->along, c->rim->axis, arm);
    for (int k = 0; k < 3; k++)
        place->along[k] /= radius;
    place->curvature = outward / (radius + rounding * outward);
    place->across = rounding;
}

/* What a circle touches: the place where it is nearest to the circle, and the edge or the circle to which that belongs. */
typedef struct neighbour {
    tn_smooth_place place;
    const tn_solid_edge *edge;         /* NULL: it has no faces */
    const tn_circle *circle;           /* NULL: something else */
    double arm[3];                     /* of the circle */
    double outward[3];                 /* normal of the side of a cone; zero: something else */
} neighbour;

/* Tells whether the opposite of n points out of the neighbour. */
static bool faces(const neighbour *two, const double n[3])
{
    if (two->circle)
        return tn_circle_points_out(two->circle, two->arm, n, -1);
    if (tn_dot3(two->outward, n) > 0)
        return false;                                  /* the circle is inside the cone */
    return !two->edge || tn_edge_wedge(two->place.side.solid, two->edge, n, -1);
}

/* The normal at the point `arm` of a circle towards a neighbour, d away. ball: both are apart by their rounding. False: there is none. */
static bool normal_at(double n[3], const tn_circle *c, const double arm[3], const neighbour *two, const double d[3], bool ball)
{
    double tangent[3], apart = tn_norm3(d);
    tn_cross3(tangent, c->rim->axis, arm);
    tn_cross3(n, tangent, two->place.along);
    double length = tn_norm3(n), sine = length / c->rim->radius, sign = ball ? tn_dot3(n, d) : along_middle(c, arm, n);
    bool parallel = ball && sine < skew;
    for (int k = 0; k < 3; k++)
        n[k] = parallel ? d[k] / apart : sign < 0 ? -n[k] / length : n[k] / length;
    return parallel ? apart > 0 : sine > TN_CROSSING;
}

/* Adds the touch of a circle at `arm` with a neighbour, if the direction between them fits. */
static void add_touch(tn_touch_list *list, const tn_circle *c, int number, const double arm[3], neighbour *two)
{
    tn_touch_side *side = &two->place.side;
    double x[3], n[3], d[3], rounding = c->solid->radius + side->radius;
    tn_add3(x, c->rim->centre, arm);
    tn_sub3(d, side->point, x);
    bool ball = rounding > 0 && (c->way == 0 || side->radius > 0);
    if (!normal_at(n, c, arm, two, d, ball))
        return;
    double deepest = ball ? rounding / 2 : TN_SHALLOW * fmin(c->solid->size, side->solid->size);
    if (!(tn_dot3(d, n) - rounding > -deepest) || !tn_circle_points_out(c, arm, n, 1) || !faces(two, n))
        return;
    tn_smooth_place one = { .side = side_of_circle(c, number, x, NULL) };
    tn_circle_place(&one, c, arm, n, 1);
    if (two->circle)
        tn_circle_place(&two->place, two->circle, two->arm, n, -1);
    bool ring = ball && c->way == 0;
    if (tn_touch_add_smooth(list, &one, &two->place, n, ring ? along_circle : TN_CROSSING * TN_CROSSING) || !ring)
        return;
    const tn_touch_side around = side_of_circle(c, number, c->rim->centre, c->rim->axis);
    tn_touch_add(list, TN_TOUCH_RING, &around, side);
}

double tn_circle_distance(const tn_solid_rim *rim, const double d[3])
{
    double up = tn_dot3(d, rim->axis), out = sqrt(fmax(0, tn_dot3(d, d) - up * up)) - rim->radius;
    return sqrt(up * up + out * out);
}

void tn_circle_on_line(tn_touch_list *list, const tn_circle *c, const tn_touch_side *line, const double e[3],
                       const tn_solid_edge *edge)
{
    tn_near_curve curve = { NULL, NULL, NULL, { 0 }, { 0 } };
    double arms[MOST_MINIMA][3], d[3], length = tn_norm3(e);
    tn_copy3(curve.p, line->point);
    for (int k = 0; k < 3; k++)
        curve.e[k] = e[k] / length;
    tn_sub3(d, curve.p, c->rim->centre);
    tn_axpy3(d, length / 2, curve.e);
    if (tn_circle_distance(c->rim, d) > length / 2 + c->solid->radius + line->radius + list->margin)
        return;
    int count = find_minima(arms, c->rim, &curve, e);
    for (int i = 0; i < count; i++) {
        neighbour two = { .place = { .side = *line, .across = line->radius }, .edge = edge };
        double x[3];
        tn_add3(x, c->rim->centre, arms[i]);
        tn_sub3(d, x, curve.p);
        double s = tn_dot3(d, curve.e);
        tn_copy3(two.place.side.point, curve.p);
        tn_axpy3(two.place.side.point, s, curve.e);
        tn_copy3(two.place.along, curve.e);
        if (s > TN_BOUNDARY * length && s < (1 - TN_BOUNDARY) * length)
            add_touch(list, c, i, arms[i], &two);
    }
}

void tn_circle_on_cone(tn_touch_list *list, const tn_circle *c, const tn_solid *cone, const tn_touch_side *side)
{
    const tn_near_curve curve = { NULL, cone, NULL, { 0 }, { 0 } };
    double arms[MOST_MINIMA][3], d[3], length = 0;
    tn_sub3(d, cone->rims[0].centre, c->rim->centre);
    for (int k = 0; k < 3; k++) {
        double side_way = cone->vertices[TN_RIM_CORNERS][k] - cone->rims[0].centre[k];
        length += side_way * side_way;
    }
    double height = sqrt(length), lean = cone->rims[0].radius / height;
    length = sqrt(length + cone->rims[0].radius * cone->rims[0].radius);
    int count = find_minima(arms, c->rim, &curve, d);
    for (int i = 0; i < count; i++) {
        neighbour two = { .place = { .side = *side } };
        double x[3];
        tn_add3(x, c->rim->centre, arms[i]);
        double along = cone_place(two.outward, two.place.along, cone, x);
        tn_copy3(two.place.side.point, cone->vertices[TN_RIM_CORNERS]);
        tn_axpy3(two.place.side.point, along, two.place.along);
        two.place.across = along * lean;
        if (along > TN_BOUNDARY * length && along < (1 - TN_BOUNDARY) * length)
            add_touch(list, c, i, arms[i], &two);
    }
}

void tn_circles_meet(tn_touch_list *list, const tn_circle *one, const tn_circle *other)
{
    bool swapped = one->way != 0 && other->way == 0;           /* a ring comes first: it can touch with a point */
    const tn_circle *a = swapped ? other : one, *b = swapped ? one : other;
    tn_near_curve curve = { NULL, NULL, b->rim, { 0 }, { 0 } };
    double arms[MOST_MINIMA][3], d[3], from[3];
    tn_sub3(d, a->rim->centre, b->rim->centre);
    if (tn_norm3(d) > a->rim->radius + b->rim->radius + a->solid->radius + b->solid->radius + list->margin)
        return;
    tn_cross3(from, a->rim->axis, b->rim->axis);
    int count = find_minima(arms, a->rim, &curve, tn_norm3(from) > TN_CROSSING ? from : d);
    for (int i = 0; i < count; i++) {
        neighbour two = { .place = { .side = side_of_circle(b, i, b->rim->centre, NULL) }, .circle = b };
        tn_add3(two.arm, d, arms[i]);
        tn_axpy3(two.arm, -tn_dot3(two.arm, b->rim->axis), b->rim->axis);
        double length = tn_norm3(two.arm);
        for (int k = 0; k < 3 && length > 0; k++)
            two.arm[k] *= b->rim->radius / length;
        tn_add3(two.place.side.point, b->rim->centre, two.arm);
        tn_cross3(two.place.along, b->rim->axis, two.arm);
        for (int k = 0; k < 3; k++)
            two.place.along[k] /= b->rim->radius;
        if (length > 0)
            add_touch(list, a, i, arms[i], &two);
    }
}

void tn_circle_around_point(tn_touch_list *list, const tn_circle *c, int corners, const tn_touch_side *two)
{
    const tn_solid_rim *rim = c->rim;
    double d[3];
    tn_touch_side one = side_of_circle(c, 0, rim->centre, rim->axis);
    tn_touch_add(list, TN_TOUCH_RING, &one, two);
    tn_sub3(d, two->point, rim->centre);
    for (int i = 0; i < TN_RIM_CORNERS; i++) {
        const tn_solid_rim *own = &c->solid->rims[corners / TN_RIM_CORNERS];
        double u[3], x[3], way[3];
        tn_sub3(u, c->solid->vertices[corners + i], own->centre);
        if (tn_dot3(u, d) >= 0)
            continue;
        tn_copy3(x, rim->centre);
        tn_axpy3(x, rim->radius / own->radius, u);
        tn_sub3(way, two->point, x);
        tn_touch_side corner = tn_side_of(c->solid, TN_FEATURE_ROUND, FAR_CORNER + TN_RIM_CORNERS * c->feature + i, x, way);
        tn_touch_add(list, TN_TOUCH_POINT, &corner, two);
    }
}
