/* Finds where circles (rims, edges of bores, rings of tori) are nearest to straight lines and to other circles: all minima of the
 * distance along the circle. The touch is that of the two tangents, or of the ring and a point where the tangents are nearly
 * parallel; it is found again as it moves on. */
#include "meet_circles.h"
#include "meet_ovals.h"
#include "solid_features.h"
#include "vec.h"

enum { SAMPLES = 24, MOST_MINIMA = TN_CIRCLE_MINIMA };
enum { FAR_CORNER = 256 };             /* numbers of TN_FEATURE_ROUND from here on: corners of circles */
/* Sine of the angle between tangents: below it, a ring touches with a point. */
static const double skew = 0.2;

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

/* Adds the touch of a circle at `arm` with what is at the point p of `two`, along e, if the direction between them fits. */
static void add_touch(tn_touch_list *list, const tn_circle *c, int number, const double arm[3], tn_touch_side *two, const double p[3],
                      const double e[3], bool (*fits)(const void *, const double *), const void *of)
{
    double x[3], tangent[3], n[3], d[3];
    tn_add3(x, c->rim->centre, arm);
    tn_sub3(d, p, x);
    tn_cross3(tangent, c->rim->axis, arm);
    tn_cross3(n, tangent, e);
    double length = tn_norm3(n), sine = length / (tn_norm3(tangent) * tn_norm3(e)), apart = tn_norm3(d);
    bool ball = c->solid->radius + two->radius > 0 && (c->way == 0 || two->radius > 0);
    double sign = ball ? tn_dot3(n, d) : along_middle(c, arm, n);
    bool ring = ball && sine < skew && c->way == 0;
    if (!(sine > TN_CROSSING) && !ring)
        return;
    for (int k = 0; k < 3; k++) {
        n[k] = ring ? d[k] / apart : sign < 0 ? -n[k] / length : n[k] / length;
        two->axis[k] = ring ? 0 : sign < 0 ? -e[k] : e[k];
    }
    double gap = tn_dot3(d, n) - c->solid->radius - two->radius;
    double deepest = ball ? (c->solid->radius + two->radius) / 2 : TN_SHALLOW * fmin(c->solid->size, two->solid->size);
    if (!(gap > -deepest) || (ring && !(apart > 0)) || !tn_circle_points_out(c, arm, n, 1) || !fits(of, n))
        return;
    tn_touch_side one = side_of_circle(c, number, ring ? c->rim->centre : x, ring ? c->rim->axis : tangent);
    if (ring)
        tn_copy3(two->point, p);
    tn_touch_add(list, ring ? TN_TOUCH_RING : TN_TOUCH_EDGES, &one, two);
}

double tn_circle_distance(const tn_solid_rim *rim, const double d[3])
{
    double up = tn_dot3(d, rim->axis), out = sqrt(fmax(0, tn_dot3(d, d) - up * up)) - rim->radius;
    return sqrt(up * up + out * out);
}

typedef struct edge_wedge {
    const tn_solid *solid;
    const tn_solid_edge *edge;
} edge_wedge;

static bool fits_edge(const void *of, const double *n)
{
    const edge_wedge *w = of;
    return !w->edge || tn_edge_wedge(w->solid, w->edge, n, -1);
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
        double x[3], p[3];
        tn_touch_side two = *line;
        tn_add3(x, c->rim->centre, arms[i]);
        tn_sub3(d, x, curve.p);
        double s = tn_dot3(d, curve.e);
        tn_copy3(p, curve.p);
        tn_axpy3(p, s, curve.e);
        if (s > TN_BOUNDARY * length && s < (1 - TN_BOUNDARY) * length)
            add_touch(list, c, i, arms[i], &two, p, e, fits_edge, &(edge_wedge){ line->solid, edge });
    }
}

static bool fits_all(const void *of, const double *n)
{
    (void)of;
    (void)n;
    return true;
}

void tn_circle_on_cone(tn_touch_list *list, const tn_circle *c, const tn_solid *cone, const tn_touch_side *side)
{
    const tn_near_curve curve = { NULL, cone, NULL, { 0 }, { 0 } };
    double arms[MOST_MINIMA][3], d[3], n[3], down[3], length = 0;
    tn_sub3(d, cone->rims[0].centre, c->rim->centre);
    for (int k = 0; k < 3; k++) {
        double side_way = cone->vertices[TN_RIM_CORNERS][k] - cone->rims[0].centre[k];
        length += side_way * side_way;
    }
    length = sqrt(length + cone->rims[0].radius * cone->rims[0].radius);
    int count = find_minima(arms, c->rim, &curve, d);
    for (int i = 0; i < count; i++) {
        double x[3], p[3];
        tn_touch_side two = *side;
        tn_add3(x, c->rim->centre, arms[i]);
        double along = cone_place(n, down, cone, x);
        tn_copy3(p, side->point);
        tn_axpy3(p, along, down);
        tn_copy3(two.point, p);
        if (along > TN_BOUNDARY * length && along < (1 - TN_BOUNDARY) * length)
            add_touch(list, c, i, arms[i], &two, p, down, fits_all, NULL);
    }
}

typedef struct circle_wedge {
    const tn_circle *circle;
    double arm[3];
} circle_wedge;

static bool fits_circle(const void *of, const double *n)
{
    const circle_wedge *w = of;
    return tn_circle_points_out(w->circle, w->arm, n, -1);
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
        circle_wedge w = { b, { 0 } };
        double p[3], e[3];
        tn_add3(w.arm, d, arms[i]);
        tn_axpy3(w.arm, -tn_dot3(w.arm, b->rim->axis), b->rim->axis);
        double length = tn_norm3(w.arm);
        for (int k = 0; k < 3 && length > 0; k++)
            w.arm[k] *= b->rim->radius / length;
        tn_add3(p, b->rim->centre, w.arm);
        tn_cross3(e, b->rim->axis, w.arm);
        tn_touch_side two = side_of_circle(b, i, p, e);
        if (length > 0)
            add_touch(list, a, i, arms[i], &two, p, e, fits_circle, &w);
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
