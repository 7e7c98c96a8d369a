/* Finds the touches of tubes and bowls, which may be touched from inside.
 *     exact: points in bores, in bowls, on ends, sides and edges; circles in bowls and bores; bars through edges
 *     as for cylinders: the outside of a tube (meet_round.c). A bowl has none but its brim. */
#include "elementary.h"
#include "meet_circles.h"
#include "solid_features.h"
#include "vec.h"

/* Numbers of TN_FEATURE_ROUND; eyes 0 and 1: 5 and 6, or 7 and 8 where bars touch twice, 9 and 10 for what lies across. */
enum { HOLLOW = 4, EYE = 5, ACROSS = 9 };
static const double pi = 3.14159265358979323846;
/* Share of the radius: what is nearer to the centre of a hollow has no direction in which it touches. */
static const double central = 1e-9;
static const double edge_on = 0.05;    /* sine of the angle between the axle of a circle and the way out: a circle that is
                                          seen more nearly from its edge touches with its corners */
static const double beyond_eye = 0.1;  /* share of its radius: bars that cross its plane farther out are not within it */
static const double steep = 0.1;       /* least cosine between a bar and the axle of an eye */

bool tn_solid_is_hollow(const tn_solid *solid)
{
    return solid->form == TN_FORM_TUBE || solid->form == TN_FORM_BOWL;
}

static void turn_from_axes(double q[4], const double x[3], const double y[3], const double z[3])
{
    double R[3][3];
    for (int k = 0; k < 3; k++) {
        R[k][0] = x[k];
        R[k][1] = y[k];
        R[k][2] = z[k];
    }
    tn_quat_from_matrix(q, (const double (*)[3])R);
}

/* The axes of a tube, fixed on its body: axes[2] is along the bore. */
static void tube_axes(double axes[3][3], const tn_solid *tube)
{
    double Q[3][3];
    tn_quat_matrix(Q, tube->turn);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = Q[k][i];
}

/* The quaternion of frame 1 for a touch with the normal n: in a tube its y axis is along the bore, in a bowl its z axis is n. */
static void turn_of(double q[4], const tn_solid *h, const double n[3])
{
    double axes[3][3], x[3], y[3], e[3] = { 0 };
    if (h->form == TN_FORM_TUBE) {
        tube_axes(axes, h);
        turn_from_axes(q, axes[1], axes[2], axes[0]);
        return;
    }
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    e[fabs(n[2]) < fabs(n[least]) ? 2 : least] = 1;
    tn_cross3(y, n, e);
    double length = tn_norm3(y);
    for (int k = 0; k < 3; k++)
        y[k] /= length;
    tn_cross3(x, y, n);
    turn_from_axes(q, x, y, n);
}

/* Adds a touch from inside; p is the way from the centre, or the axis, to where it touches. */
static void add_inside(tn_touch_list *list, const tn_solid *h, tn_touch_kind kind, const double centre[3], const double p[3],
                       tn_touch_side *two)
{
    double n[3], q[4], length = tn_norm3(p);
    if (!(length > central * h->bore))
        return;
    for (int k = 0; k < 3; k++)
        n[k] = -p[k] / length;
    tn_touch_side one = tn_side_of(h, TN_FEATURE_ROUND, HOLLOW, centre, NULL);
    one.radius = -h->bore;
    if (kind == TN_TOUCH_HOLLOW)
        two->size[0] = h->form == TN_FORM_TUBE && list->dimension == 3;
    if (list->dimension == 3) {
        turn_of(q, h, n);
        one.turn = q;
    }
    tn_touch_add(list, kind, &one, two);
}

/* k: number of the eye; the rim with the same number has corners in the same directions. */
static void point_on_eye(tn_touch_list *list, const tn_solid *h, int k, const tn_touch_side *two)
{
    const tn_circle eye = { h, &h->eyes[k], EYE + k, -1, 0 };
    if (h->eyes[k].radius > 0)
        tn_circle_around_point(list, &eye, TN_RIM_CORNERS * k, two);
}

static void point_on_rim(tn_touch_list *list, const tn_solid *h, int k, const tn_touch_side *two)
{
    tn_touch_side one = tn_side_of(h, TN_FEATURE_ROUND, k, h->rims[k].centre, h->rims[k].axis);
    one.size[0] = h->rims[k].radius;
    tn_touch_add(list, TN_TOUCH_RING, &one, two);
}

/* ---- points ---- */

/* The feature of a tube that is nearest to a point: bore, side, end, or an edge between them. */
static void point_at_tube(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int vertex)
{
    const tn_solid_rim *upper = &h->rims[1];
    double d[3], foot[3], along[3], *v = other->vertices[vertex];
    tn_sub3(d, v, upper->centre);
    tn_sub3(along, upper->centre, h->rims[0].centre);
    double length = tn_norm3(along), z = tn_dot3(d, upper->axis), beyond = fmax(z, -length - z);
    tn_axpy3(d, -z, upper->axis);
    tn_copy3(foot, upper->centre);
    tn_axpy3(foot, z, upper->axis);
    double outside = tn_norm3(d) - upper->radius, inside = h->bore - tn_norm3(d), beside = fmax(outside, inside);
    int end = z > -length / 2;
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, v, NULL);
    if (beyond > 0 && beside > 0) {
        (outside > 0 ? point_on_rim : point_on_eye)(list, h, end, &two);
    } else if (beyond > beside) {
        tn_add_face(list, h, end, other, vertex);
    } else if (inside > outside) {
        add_inside(list, h, TN_TOUCH_HOLLOW, foot, d, &two);
    } else {
        tn_touch_side one = tn_side_of(h, TN_FEATURE_ROUND, 2, foot, upper->axis);
        one.radius = upper->radius;
        tn_touch_add(list, TN_TOUCH_LINE, &one, &two);
    }
}

/* Tells whether a bowl has a point in the direction p from its centre. */
static bool in_cap(const tn_solid *bowl, const double p[3])
{
    double d[3], length = tn_norm3(p);
    tn_sub3(d, bowl->eyes[0].centre, bowl->centre);
    return tn_dot3(p, bowl->eyes[0].axis) * bowl->bore <= tn_dot3(d, bowl->eyes[0].axis) * length;
}

static void point_at_bowl(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int vertex)
{
    double p[3];
    tn_sub3(p, other->vertices[vertex], h->centre);
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, other->vertices[vertex], NULL);
    if (in_cap(h, p))
        add_inside(list, h, TN_TOUCH_HOLLOW, h->centre, p, &two);
    else if (list->dimension == 3)
        point_on_eye(list, h, 0, &two);
}

static void point_at_ring(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int vertex)
{
    double p[3], *v = other->vertices[vertex];
    tn_sub3(p, v, h->vertices[0]);
    tn_touch_side two = tn_side_of(other, TN_FEATURE_VERTEX, vertex, v, NULL);
    add_inside(list, h, TN_TOUCH_HOLLOW, h->vertices[0], p, &two);
}

static void point_at_hollow(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int vertex)
{
    if (h->form == TN_FORM_BOWL)
        point_at_bowl(list, h, other, vertex);
    else if (list->dimension == 2)
        point_at_ring(list, h, other, vertex);
    else
        point_at_tube(list, h, other, vertex);
}

/* Corners of polyhedra, centres of balls, ends of capsules, the apex of a cone. Vertices on rims are no points of their own, but for
 * tori, which lie on edges as balls around a ring. */
static void points_at_hollow(tn_touch_list *list, const tn_solid *h, const tn_solid *other)
{
    int first = list->dimension == 3 && other->form != TN_FORM_TORUS ? TN_RIM_CORNERS * other->rim_count : 0;
    for (int i = first; i < other->vertex_count; i++)
        if (tn_vertex_is_corner(other, i))
            point_at_hollow(list, h, other, i);
}

/* ---- circles ---- */

/* Tells whether the hollow is there where a circle touches it: within the length of a bore, or below the brim of a bowl. */
static bool is_there(const tn_solid *h, const double end[3])
{
    double d[3];
    if (h->form == TN_FORM_BOWL) {
        tn_sub3(d, end, h->centre);
        return in_cap(h, d);
    }
    for (int k = 0; k < 2; k++) {
        tn_sub3(d, end, h->eyes[k].centre);
        if (tn_dot3(d, h->eyes[k].axis) > 0)
            return false;
    }
    return true;
}

/* Tells whether a point is less deep below an end of a tube than in the wall around its bore: it touches the end. p: the way from the
 * axis to the point. */
static bool nearer_to_end(const tn_solid *tube, const double end[3], const double p[3])
{
    for (int k = 0; k < 2; k++) {
        double d[3];
        tn_sub3(d, end, tube->eyes[k].centre);
        if (-tn_dot3(d, tube->eyes[k].axis) < tn_norm3(p) - tube->bore)
            return true;
    }
    return false;
}

/* The derivatives of a function of an angle: the square of a distance. */
typedef void angle_derivatives(double d[2], const void *of, double angle);

/* Newton's method for an extremum, from an angle on; way: 1 for a minimum, -1 for a maximum. */
static double extremum(angle_derivatives *derivatives, const void *of, double way, double angle)
{
    const int rounds = 40;
    const double first = 0.3, most = 0.5, round_off = 1e-15;   /* rad */
    double d[2];
    for (int i = 0; i < rounds; i++) {
        derivatives(d, of, angle);
        double step = way * d[1] > 0 ? -d[0] / d[1] : way * d[0] > 0 ? -first : first;
        angle += fmax(-most, fmin(most, step));
        if (fabs(step) < round_off)
            break;
    }
    return angle;
}

/* Finds one or two extrema: the one that is reached from the angle 0, and that on its other side. Returns how many. */
static int extrema(double angles[2], angle_derivatives *derivatives, const void *of, double way)
{
    const double apart = 0.01;                                 /* rad */
    double d[2];
    angles[0] = extremum(derivatives, of, way, 0);
    angles[1] = extremum(derivatives, of, way, -angles[0]);
    derivatives(d, of, angles[1]);
    return fabs(remainder(angles[1] - angles[0], 2 * pi)) > apart && way * d[1] > 0 ? 2 : 1;
}

/* A circle in a bore: the square of the distance of its points from the axis. */
typedef struct rim_way {
    double p[3];               /* centre from the axis */
    double a[3], b[3];         /* arms of the circle, across the axis: cos a + sin b */
} rim_way;

static void rim_derivatives(double d[2], const void *of, double angle)
{
    const rim_way *w = of;
    double e[3], along[3], arm[3], c = tn_cos(angle), s = tn_sin(angle);
    for (int k = 0; k < 3; k++) {
        arm[k] = c * w->a[k] + s * w->b[k];
        along[k] = -s * w->a[k] + c * w->b[k];
        e[k] = w->p[k] + arm[k];
    }
    d[0] = 2 * tn_dot3(e, along);
    d[1] = 2 * tn_dot3(along, along) - 2 * tn_dot3(e, arm);
}

/* Adds the touch of the point of a circle that is at `arm` from its centre, if the hollow is there. bend: how far out the side of the
 * touch is taken, m, so that it turns with the centre as the farthest point does. */
static void add_rim(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int k, int number, const double centre[3],
                    const double arm[3], double bend)
{
    const tn_solid_rim *rim = &other->rims[k];
    double end[3], p[3];
    tn_touch_side two = tn_side_of(other, TN_FEATURE_ROUND, k + number * TN_RIM_CORNERS, rim->centre, rim->axis);
    two.size[0] = rim->radius;
    tn_add3(end, rim->centre, arm);
    if (!is_there(h, end))
        return;
    tn_sub3(p, end, centre);
    if (h->form == TN_FORM_TUBE) {
        double axes[3][3], side[3], from[3];
        tube_axes(axes, h);
        tn_copy3(side, arm);                                   /* across the axis, above the arm */
        tn_axpy3(side, -tn_dot3(arm, axes[2]) / tn_dot3(rim->axis, axes[2]), rim->axis);
        tn_sub3(from, rim->centre, centre);
        double size = tn_norm3(side);
        for (int i = 0; i < 2; i++)
            two.size[2 - i] = bend * tn_dot3(side, axes[i]) / size - tn_dot3(from, axes[i]);
        tn_axpy3(p, -tn_dot3(p, axes[2]), axes[2]);
        if (nearer_to_end(h, end, p))
            return;
    }
    add_inside(list, h, h->form == TN_FORM_TUBE ? TN_TOUCH_BORE_RIM : TN_TOUCH_BOWL_RIM, centre, p, &two);
}

/* Adds the corners of a rim that is seen from its edge, or lies around the centre. */
static void corners_in_hollow(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int k)
{
    for (int i = 0; i < TN_RIM_CORNERS; i++)
        point_at_hollow(list, h, other, TN_RIM_CORNERS * k + i);
}

static void rim_in_bore(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int k)
{
    const tn_solid_rim *rim = &other->rims[k];
    const double *axis = h->eyes[1].axis;
    double centre[3], arm[3], across[3], angles[2], d[2];
    rim_way w;
    tn_copy3(centre, h->eyes[1].centre);
    tn_sub3(w.p, rim->centre, centre);
    tn_axpy3(centre, tn_dot3(w.p, axis), axis);
    tn_axpy3(w.p, -tn_dot3(w.p, axis), axis);
    tn_copy3(arm, w.p);
    tn_axpy3(arm, -tn_dot3(arm, rim->axis), rim->axis);
    double length = tn_norm3(arm);
    if (!(length > central * h->bore) || !(fabs(tn_dot3(rim->axis, axis)) > edge_on)) {
        corners_in_hollow(list, h, other, k);
        return;
    }
    for (int i = 0; i < 3; i++)
        arm[i] *= rim->radius / length;
    tn_cross3(across, rim->axis, arm);
    tn_copy3(w.a, arm);
    tn_axpy3(w.a, -tn_dot3(arm, axis), axis);
    tn_copy3(w.b, across);
    tn_axpy3(w.b, -tn_dot3(across, axis), axis);
    int count = extrema(angles, rim_derivatives, &w, -1);
    for (int i = 0; i < count; i++) {
        double end[3];
        for (int j = 0; j < 3; j++)
            end[j] = tn_cos(angles[i]) * arm[j] + tn_sin(angles[i]) * across[j];
        rim_derivatives(d, &w, angles[i]);
        add_rim(list, h, other, k, i, centre, end, -d[1] / (2 * rim->radius));
    }
}

static void rim_in_bowl(tn_touch_list *list, const tn_solid *h, const tn_solid *other, int k)
{
    const tn_solid_rim *rim = &other->rims[k];
    double p[3], arm[3];
    tn_sub3(p, rim->centre, h->centre);
    tn_copy3(arm, p);
    tn_axpy3(arm, -tn_dot3(arm, rim->axis), rim->axis);
    double length = tn_norm3(arm);
    if (!(length > edge_on * tn_norm3(p)) || !(length > central * h->bore)) {
        corners_in_hollow(list, h, other, k);
        return;
    }
    for (int i = 0; i < 3; i++)
        arm[i] *= rim->radius / length;
    add_rim(list, h, other, k, 0, h->centre, arm, 0);
}

/* ---- bars through eyes ---- */

/* The square of the distance of the points R u of an eye from a line through c along e, but for a constant. */
typedef struct eye_way {
    double radius;
    double c[3], e[3];         /* from the centre; a unit vector */
    double u[3], v[3];         /* unit vectors of the plane, u along c */
} eye_way;

static void eye_derivatives(double d[2], const void *of, double angle)
{
    const eye_way *w = of;
    double u[3], v[3], c = tn_cos(angle), s = tn_sin(angle);
    for (int k = 0; k < 3; k++) {
        u[k] = c * w->u[k] + s * w->v[k];
        v[k] = -s * w->u[k] + c * w->v[k];
    }
    double R = w->radius, along = R * tn_dot3(u, w->e) - tn_dot3(w->c, w->e), slope = R * tn_dot3(v, w->e);
    d[0] = -2 * R * tn_dot3(w->c, v) - 2 * along * slope;
    d[1] = 2 * R * tn_dot3(w->c, u) - 2 * slope * slope + 2 * along * R * tn_dot3(u, w->e);
}

/* Adds the touch of a line along the unit vector e, which crosses the plane of an eye at c from its centre, with the point of the eye
 * in the direction u. bend: as for rims. */
static void add_eye(tn_touch_list *list, const tn_solid *h, int k, int number, tn_touch_side *line, const double e[3],
                    const eye_way *w, const double u[3], double bend, const tn_solid_edge *edge, double length)
{
    const tn_solid_rim *eye = &h->eyes[k];
    double d[3], n[3], axes[3][3], q[4], t[3];
    tn_sub3(d, eye->centre, line->point);
    tn_axpy3(d, eye->radius, u);                               /* from the start of the line to the point of the eye */
    double s = tn_dot3(d, e);
    tube_axes(axes, h);
    tn_cross3(t, axes[2], u);
    tn_cross3(n, line->axis, t);
    double size = tn_norm3(n);
    for (int i = 0; i < 3; i++)
        n[i] /= size;
    if (tn_dot3(n, eye->axis) < -TN_LEANING || tn_dot3(n, u) > 0)
        return;                                                /* not out of the wedge between end and bore */
    if (fmin(s, length - s) < 0 || (edge && edge->faces[0] != TN_NO_FACE && !tn_edge_wedge(line->solid, edge, n, -1)))
        return;
    turn_from_axes(q, axes[0], axes[1], axes[2]);
    tn_touch_side one = tn_side_of(h, TN_FEATURE_ROUND, EYE + k + 2 * number, eye->centre, NULL);
    one.turn = q;
    one.size[0] = eye->radius;
    for (int i = 0; i < 2; i++)
        one.size[1 + i] = bend * tn_dot3(u, axes[i]) - tn_dot3(w->c, axes[i]);
    one.radius = 0;
    tn_touch_add(list, TN_TOUCH_EYE, &one, line);
}

/* Tells whether a bar along e goes through an eye, if it is there. */
static bool goes_through(const tn_solid_rim *eye, const double e[3], double radius)
{
    return fabs(tn_dot3(e, eye->axis)) > steep * tn_norm3(e) && radius < eye->radius;
}

/* A line of another solid from line->point along e, within an eye. edge NULL: the axis of a cylinder. */
static void bar_in_eye(tn_touch_list *list, const tn_solid *h, int k, tn_touch_side *line, const double along[3],
                       const tn_solid_edge *edge)
{
    const tn_solid_rim *eye = &h->eyes[k];
    double e[3], d[3], angles[2], length = tn_norm3(along);
    for (int i = 0; i < 3; i++)
        e[i] = along[i] / length;
    double rise = tn_dot3(e, eye->axis), way = k == 0 && h->form == TN_FORM_TUBE ? -rise : rise;
    eye_way w = { .radius = eye->radius };
    if (!goes_through(eye, e, line->radius))
        return;
    tn_sub3(w.c, line->point, eye->centre);
    tn_axpy3(w.c, -tn_dot3(w.c, eye->axis) / rise, e);         /* where it crosses the plane of the eye */
    double from = tn_norm3(w.c);
    if (!(from > central * eye->radius) || from > (1 + beyond_eye) * eye->radius)
        return;
    for (int i = 0; i < 3; i++) {
        w.u[i] = w.c[i] / from;
        w.e[i] = e[i];
        line->axis[i] = way > 0 ? e[i] : -e[i];                /* along the z axis of the hollow */
    }
    tn_cross3(w.v, eye->axis, w.u);
    int count = extrema(angles, eye_derivatives, &w, 1);
    for (int i = 0; i < count; i++) {
        double u[3];
        for (int j = 0; j < 3; j++)
            u[j] = tn_cos(angles[i]) * w.u[j] + tn_sin(angles[i]) * w.v[j];
        eye_derivatives(d, &w, angles[i]);
        add_eye(list, h, k, i, line, e, &w, u, d[1] / (2 * eye->radius), edge, length);
    }
}

static bool has_side(const tn_solid *solid)
{
    return solid->form == TN_FORM_CYLINDER || solid->form == TN_FORM_TUBE;
}

static void bars_in_eye(tn_touch_list *list, const tn_solid *h, int k, const tn_solid *other)
{
    double e[3];
    if (has_side(other)) {
        tn_sub3(e, other->rims[1].centre, other->rims[0].centre);
        tn_touch_side line = tn_side_of(other, TN_FEATURE_ROUND, 2, other->rims[0].centre, e);
        line.radius = other->rims[0].radius;
        bar_in_eye(list, h, k, &line, e, NULL);
        return;
    }
    for (int i = other->form == TN_FORM_CONE ? TN_RIM_CORNERS : 0; i < other->edge_count; i++) {
        const tn_solid_edge *edge = &other->edges[i];
        if (edge->flat || other->form == TN_FORM_TORUS)
            continue;
        tn_sub3(e, other->vertices[edge->to], other->vertices[edge->from]);
        tn_touch_side line = tn_side_of(other, TN_FEATURE_EDGE, i, other->vertices[edge->from], e);
        bar_in_eye(list, h, k, &line, e, edge);
    }
}

/* ---- across eyes ---- */

/* The edge of a bore and what lies across it: bars that do not go through, rims and rings. */
static void across_eye(tn_touch_list *list, const tn_solid *h, int k, const tn_solid *other)
{
    const tn_circle eye = { h, &h->eyes[k], ACROSS + k, -1, 0 };
    double e[3];
    bool side = has_side(other), none = side || other->form == TN_FORM_TORUS;
    for (int i = none ? other->edge_count : other->form == TN_FORM_CONE ? TN_RIM_CORNERS : 0; i < other->edge_count; i++) {
        const tn_solid_edge *edge = &other->edges[i];
        tn_sub3(e, other->vertices[edge->to], other->vertices[edge->from]);
        tn_touch_side line = tn_side_of(other, TN_FEATURE_EDGE, i, other->vertices[edge->from], e);
        if (!edge->flat && !goes_through(eye.rim, e, line.radius))
            tn_circle_on_line(list, &eye, &line, e, edge->faces[0] == TN_NO_FACE ? NULL : edge);
    }
    if (side) {
        tn_sub3(e, other->rims[1].centre, other->rims[0].centre);
        tn_touch_side line = tn_side_of(other, TN_FEATURE_ROUND, 2, other->rims[0].centre, e);
        line.radius = other->rims[0].radius;
        if (!goes_through(eye.rim, e, line.radius))
            tn_circle_on_line(list, &eye, &line, e, NULL);
    }
    for (int i = 0; i < other->rim_count; i++) {
        tn_circle rim = tn_circle_rim(other, i);
        tn_circles_meet(list, &eye, &rim);
    }
}

/* ---- pairs ---- */

static void meet_inside(tn_touch_list *list, const tn_solid *h, const tn_solid *other)
{
    if (other->half_space)
        return;
    points_at_hollow(list, h, other);
    for (int k = 0; k < other->rim_count && list->dimension == 3; k++)
        (h->form == TN_FORM_TUBE ? rim_in_bore : rim_in_bowl)(list, h, other, k);
    for (int k = 0; k < h->eye_count && list->dimension == 3; k++)
        if (h->eyes[k].radius > 0) {
            bars_in_eye(list, h, k, other);
            if (h->form == TN_FORM_TUBE)
                across_eye(list, h, k, other);
        }
}

void tn_hollow_meet(tn_touch_list *list, const tn_solid *hollow, const tn_solid *other)
{
    bool both = tn_solid_is_hollow(other);
    meet_inside(list, hollow, other);
    if (both)
        meet_inside(list, other, hollow);
    if (list->dimension == 3) {
        tn_round_meet(list, hollow, other);
        return;
    }
    for (int i = 0; i < hollow->vertex_count && hollow->form == TN_FORM_BOWL; i++)   /* the ends of an arc */
        for (int j = 0; j < other->vertex_count && other->face_count == 0; j++)
            tn_add_point(list, hollow, i, other, j);
    if (hollow->form == TN_FORM_BOWL && other->face_count > 0)
        tn_vertices_meet(list, other, hollow);
}
