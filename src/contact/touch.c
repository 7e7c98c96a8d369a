/* One touch: makes its frames, and computes its gap, normal and point. */
#include "elementary.h"
#include "meet_ovals.h"

#include "vec.h"

static const char *const joint_names[][2] = {
    [TN_TOUCH_PLANE] = { "touch-plane", "stick-plane" },
    [TN_TOUCH_POINT] = { "touch-point", "stick-point" },
    [TN_TOUCH_LINE] = { "touch-line", "stick-line" },
    [TN_TOUCH_EDGES] = { "touch-edges", "stick-edges" },
    [TN_TOUCH_RIM] = { "touch-rim", "stick-rim" },
    [TN_TOUCH_RING] = { "touch-ring", "stick-ring" },
    [TN_TOUCH_ELLIPSOID] = { "touch-ellipsoid", "stick-ellipsoid" },
    [TN_TOUCH_OVAL] = { "touch-oval", "stick-oval" },
    [TN_TOUCH_CONE] = { "touch-cone", "stick-cone" },
    [TN_TOUCH_SMOOTH] = { "touch-smooth", "stick-smooth" },
    [TN_TOUCH_HOLLOW] = { "touch-hollow", "stick-hollow" },
    [TN_TOUCH_BORE_RIM] = { "touch-bore-rim", "stick-bore-rim" },
    [TN_TOUCH_BOWL_RIM] = { "touch-bowl-rim", "stick-bowl-rim" },
    [TN_TOUCH_EYE] = { "touch-eye", "stick-eye" },
};

const char *tn_touch_joint(tn_touch_kind kind, bool sticks)
{
    return joint_names[kind][sticks];
}

bool tn_touch_key_equal(const tn_touch_key *a, const tn_touch_key *b)
{
    return a->body1 == b->body1 && a->body2 == b->body2 && a->shape1 == b->shape1 && a->shape2 == b->shape2 &&
           a->feature1 == b->feature1 && a->feature2 == b->feature2;
}

bool tn_touch_on_rim(const tn_touch *touch)
{
    return touch->kind == TN_TOUCH_SMOOTH || (touch->kind == TN_TOUCH_RING && touch->key.feature2 >> 24 != TN_FEATURE_VERTEX);
}

/* Tells whether an axis of a frame has another direction, by more than an angle in radians. */
static bool axis_differs(const tn_pose *one, const tn_pose *two, const double axis[3], double angle)
{
    double a[3], b[3], c[3];
    tn_quat_rotate(a, one->q, axis);
    tn_quat_rotate(b, two->q, axis);
    tn_cross3(c, a, b);
    return tn_norm3(c) > angle || tn_dot3(a, b) < 0;
}

/* Tells whether a smooth surface touches elsewhere: it has another normal there, or (circles, sides of cones) another tangent or radius
 * across it. An ellipsoid may have equal curvatures, and then any tangent. */
static bool smooth_side_differs(uint32_t feature, const tn_pose *frame, const tn_pose *now, double across, double across_now, double share)
{
    static const double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 };
    bool oval = feature >> 24 == TN_FEATURE_ROUND && (feature & (TN_RIM_CORNERS - 1)) == TN_ROUND_ELLIPSOID;
    return axis_differs(frame, now, z, share) ||
           (!oval && (axis_differs(frame, now, x, share) || fabs(across - across_now) > share * across));
}

bool tn_touch_led_off(const tn_touch *touch, const tn_touch *now, double share)
{
    const double further = 2;                          /* errors of smooth surfaces are of third order */
    const tn_touch_key *key = &touch->key;
    if (touch->kind != now->kind)
        return true;
    if (touch->kind == TN_TOUCH_SMOOTH)
        return smooth_side_differs(key->feature1, &touch->frame1, &now->frame1, touch->size[1], now->size[1], further * share) ||
               smooth_side_differs(key->feature2, &touch->frame2, &now->frame2, touch->size[3], now->size[3], further * share);
    const double *a = touch->size, *b = now->size, *q = touch->frame1.q, *r = now->frame1.q, same = 0.9;
    if (touch->kind == TN_TOUCH_OVAL)
        return fabs(a[3] - b[3]) > share * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) ||
               fabs(q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3]) < same;
    if (touch->kind != TN_TOUCH_EYE && touch->kind != TN_TOUCH_BORE_RIM)
        return false;
    return fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])) > share * a[0];
}

bool tn_touch_turns(const tn_touch *touch)
{
    return touch->kind == TN_TOUCH_POINT || (touch->kind == TN_TOUCH_HOLLOW && touch->size[0] == 0) ||
           touch->kind == TN_TOUCH_BOWL_RIM;
}

/* ---- the gap ---- */

typedef struct placed_frame {
    double origin[3], x[3], y[3], z[3];
} placed_frame;

static placed_frame place_touch(const tn_pose *body, const tn_pose *frame)
{
    tn_pose world = tn_pose_compose(body, frame);
    double R[3][3];
    placed_frame f;
    tn_quat_matrix(R, world.q);
    tn_copy3(f.origin, world.p);
    for (int k = 0; k < 3; k++) {
        f.x[k] = R[k][0];
        f.y[k] = R[k][1];
        f.z[k] = R[k][2];
    }
    return f;
}

/* Scales n to unit length; a zero vector becomes `instead`. Returns the length before. */
static double make_unit(double n[3], const double instead[3])
{
    double length = tn_norm3(n);
    if (length > 0)
        for (int k = 0; k < 3; k++)
            n[k] /= length;
    else
        tn_copy3(n, instead);
    return length;
}

/* Returns the coordinate along line 2, from N, of the point nearest to line 1; 0 for parallel lines. */
static double along_edge(const double d[3], const double z1[3], const double z2[3])
{
    double a = tn_dot3(z1, z2), square = 1 - a * a;
    return square > 0 ? (a * tn_dot3(d, z1) - tn_dot3(d, z2)) / square : 0;
}

/* Gives the lowest point of a circle, as seen along the normal of a plane, from its centre. */
static void rim_arm(double arm[3], double radius, const double normal[3], const double axle[3])
{
    double c[3];
    tn_cross3(c, normal, axle);
    tn_cross3(arm, c, axle);
    double length = tn_norm3(arm);
    for (int k = 0; k < 3; k++)
        arm[k] *= length > 0 ? radius / length : 0;
}

/* Gives the lowest point of an ellipsoid, from its centre. */
static void ellipsoid_arm(double arm[3], const double half_axes[3], const double normal[3], const placed_frame *frame)
{
    const double *axes[3] = { frame->x, frame->y, frame->z };
    double extent = 0;
    tn_zero3(arm);
    for (int k = 0; k < 3; k++) {
        double c = half_axes[k] * half_axes[k] * tn_dot3(axes[k], normal);
        extent += c * tn_dot3(axes[k], normal);
        tn_axpy3(arm, -c, axes[k]);
    }
    for (int k = 0; k < 3; k++)
        arm[k] /= sqrt(extent);
}

/* p = v - along (v . y1) y1 */
static void across(double p[3], const double v[3], double along, const double y1[3])
{
    tn_copy3(p, v);
    tn_axpy3(p, -along * tn_dot3(v, y1), y1);
}

/* Turns a direction u within a circle by one step of Newton's method, to where the part of v + radius u across `along` is longest or
 * shortest. */
static void turn_within(double u[3], const double v[3], double radius, const double axle[3], const double along[3])
{
    double t[3], end[3], w[3];
    tn_cross3(t, axle, u);
    tn_copy3(w, v);
    tn_axpy3(w, radius, u);
    across(end, w, 1, along);
    double ta = tn_dot3(t, along), bending = tn_dot3(end, u) - radius * (1 - ta * ta);
    tn_axpy3(u, bending != 0 ? tn_dot3(end, t) / bending : 0, t);
    make_unit(u, t);
}

/* Gives the point of a circle that is farthest out in a hollow, from its centre. */
static void hollow_arm(double arm[3], const tn_touch *touch, const double d[3], const placed_frame *one, const double axle[3])
{
    static const double nowhere[3] = { 0 };
    double radius = touch->size[0];
    bool bore = touch->kind == TN_TOUCH_BORE_RIM;
    across(arm, d, bore, one->y);
    tn_axpy3(arm, bore ? touch->size[1] : 0, one->x);
    tn_axpy3(arm, bore ? touch->size[2] : 0, one->z);
    tn_axpy3(arm, -tn_dot3(arm, axle), axle);
    bool any = make_unit(arm, nowhere) > 0;
    if (any && bore)
        turn_within(arm, d, radius, axle, one->y);
    for (int k = 0; k < 3; k++)
        arm[k] *= radius;
}

/* Touches from inside: fills normal and point, and returns the distance. */
static double move_in_hollow(tn_touch *touch, const placed_frame *one, const placed_frame *two, const double d[3])
{
    double arm[3] = { 0 }, end[3], *n = touch->normal, along = touch->size[0];
    if (touch->kind != TN_TOUCH_HOLLOW) {
        along = touch->kind == TN_TOUCH_BORE_RIM;
        hollow_arm(arm, touch, d, one, two->z);
    }
    tn_add3(touch->point, touch->point, arm);
    tn_add3(end, d, arm);
    across(n, end, along, one->y);
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
    return -make_unit(n, one->z);
}

/* A point outside an ellipsoid, with the formulas of the joint touch-oval. */
static double move_on_oval(tn_touch *touch, const placed_frame *one, const double d[3])
{
    const double *axes[3] = { one->x, one->y, one->z };
    double p[3], sum = 0, bend = 0, square = -1, lead = touch->size[3], *n = touch->normal;
    for (int k = 0; k < 3; k++) {
        double half = touch->size[k], part;
        p[k] = tn_dot3(d, axes[k]);
        part = half * p[k] / (lead + half * half);
        sum += part * part;
        bend += part * part / (lead + half * half);
    }
    double t = lead + (bend > 0 ? sum * (sqrt(sum) - 1) / bend : 0);
    tn_zero3(n);
    for (int k = 0; k < 3; k++) {
        double along = p[k] / (t + touch->size[k] * touch->size[k]);
        square += p[k] * along;
        tn_axpy3(n, along, axes[k]);
    }
    double size = make_unit(n, one->z);
    return size > 0 ? (square / size + t * size) / 2 : 0;
}

/* A point at the side of a cone; size 0 is the sine of half its opening angle. */
static double move_on_cone(tn_touch *touch, const placed_frame *one, const double d[3])
{
    const double on_axis = 1e-9;                       /* share of the distance from the apex: all directions are alike */
    double sine = touch->size[0], cosine = sqrt(1 - sine * sine), up = tn_dot3(d, one->z), *n = touch->normal;
    tn_copy3(n, d);
    tn_axpy3(n, -up, one->z);
    double out = make_unit(n, one->x);
    if (!(out > on_axis * tn_norm3(d)))
        tn_copy3(n, one->x);
    for (int k = 0; k < 3; k++)
        n[k] = cosine * n[k] + sine * one->z[k];
    return cosine * out + sine * up;
}

/* The linear equations of two smooth surfaces, with the names of the joint touch-smooth. */
typedef struct smooth_equations {
    double ax, c, b, qq, tq, tt, det, fq, ft;
} smooth_equations;

static smooth_equations smooth_equations_of(const double size[4], const placed_frame *one, const placed_frame *two, const double d[3])
{
    double c1 = size[0], s1 = size[1], c2 = size[2], s2 = size[3], up = tn_dot3(d, one->z);
    double xx = tn_dot3(two->x, one->x), xy = tn_dot3(two->x, one->y), xz = tn_dot3(two->x, one->z);
    double yx = tn_dot3(two->y, one->x), yy = tn_dot3(two->y, one->y), yz = tn_dot3(two->y, one->z);
    smooth_equations e = { .ax = tn_dot3(d, one->x) - s2 * yx * yz, .c = c1 / (1 + c1 * (up + s2 * yx * yx)), .b = s2 * yx * yy };
    e.qq = up + s1 + s2 * yy * yy - e.c * e.b * e.b;
    e.tq = xy - e.c * e.b * xx;
    e.tt = c2 + e.c * xx * xx;
    e.det = e.qq * e.tt + e.tq * e.tq;
    e.fq = tn_dot3(d, one->y) - s2 * yy * yz - e.c * e.b * e.ax;
    e.ft = xz + e.c * xx * e.ax;
    return e;
}

/* Two smooth surfaces, with the formulas of the joint touch-smooth. */
static double move_on_smooth(tn_touch *touch, const placed_frame *one, const placed_frame *two, const double d[3])
{
    const smooth_equations e = smooth_equations_of(touch->size, one, two, d);
    double q = (e.tt * e.fq - e.tq * e.ft) / e.det, t = -(e.qq * e.ft + e.tq * e.fq) / e.det, s2 = touch->size[3], *n = touch->normal;
    double p = e.c * (e.ax + t * tn_dot3(two->x, one->x) - q * e.b), yz = tn_dot3(two->y, one->z);
    tn_copy3(n, one->z);
    tn_axpy3(n, p, one->x);
    tn_axpy3(n, q, one->y);
    tn_axpy3(touch->point, t, two->x);
    tn_axpy3(touch->point, -s2 * tn_dot3(two->y, n), two->y);
    make_unit(n, one->z);
    return tn_dot3(d, one->z) - s2 * yz * yz / 2 + (e.c * e.ax * e.ax + e.fq * q + e.ft * t) / 2;
}

/* A line of body 2 within a circle of body 1. */
static double move_in_eye(tn_touch *touch, const placed_frame *one, const placed_frame *two, const double d[3])
{
    double crossing[3], side[3], tangent[3], way[3], foot[3], *n = touch->normal;
    tn_copy3(crossing, d);
    tn_axpy3(crossing, -tn_dot3(d, one->z) / tn_dot3(two->z, one->z), two->z);
    tn_copy3(side, crossing);
    tn_axpy3(side, touch->size[1], one->x);
    tn_axpy3(side, touch->size[2], one->y);
    make_unit(side, one->x);
    tn_copy3(foot, d);
    for (int k = 0; k < 3; k++)
        foot[k] = -foot[k];
    turn_within(side, foot, touch->size[0], one->z, two->z);
    tn_cross3(tangent, one->z, side);
    tn_cross3(n, two->z, tangent);
    make_unit(n, one->x);
    for (int k = 0; k < 3; k++) {
        way[k] = touch->size[0] * side[k] - crossing[k];
        foot[k] = touch->size[0] * side[k] - d[k];
    }
    tn_axpy3(touch->point, tn_dot3(foot, two->z), two->z);
    return -tn_dot3(way, n);
}

void tn_touch_move(tn_touch *touch, int dimension, const tn_pose *body1, const tn_pose *body2)
{
    placed_frame one = place_touch(body1, &touch->frame1), two = place_touch(body2, &touch->frame2);
    double d[3], arm[3], *n = touch->normal, distance = 0;
    const double *facing = dimension == 2 ? one.y : one.z;
    tn_sub3(d, two.origin, one.origin);
    tn_copy3(touch->point, two.origin);
    switch (touch->kind) {
    case TN_TOUCH_PLANE:
        tn_copy3(n, facing);
        distance = tn_dot3(d, n);
        break;
    case TN_TOUCH_POINT:
        tn_copy3(n, d);
        distance = make_unit(n, facing);
        break;
    case TN_TOUCH_LINE:
        tn_copy3(n, d);
        tn_axpy3(n, -tn_dot3(d, one.z), one.z);
        distance = make_unit(n, one.x);
        break;
    case TN_TOUCH_EDGES:
        tn_cross3(n, one.z, two.z);
        make_unit(n, one.x);
        distance = tn_dot3(d, n);
        tn_axpy3(touch->point, along_edge(d, one.z, two.z), two.z);
        break;
    case TN_TOUCH_RIM:
    case TN_TOUCH_ELLIPSOID:
        tn_copy3(n, facing);
        if (touch->kind == TN_TOUCH_RIM)
            rim_arm(arm, touch->size[0], n, two.z);
        else
            ellipsoid_arm(arm, touch->size, n, &two);
        tn_add3(touch->point, touch->point, arm);
        distance = tn_dot3(d, n) + tn_dot3(arm, n);
        break;
    case TN_TOUCH_RING:
        tn_copy3(arm, d);
        tn_axpy3(arm, -tn_dot3(d, one.z), one.z);
        make_unit(arm, one.x);
        tn_copy3(n, d);
        tn_axpy3(n, -touch->size[0], arm);
        distance = make_unit(n, arm);
        break;
    case TN_TOUCH_OVAL:
        distance = move_on_oval(touch, &one, d);
        break;
    case TN_TOUCH_CONE:
        distance = move_on_cone(touch, &one, d);
        break;
    case TN_TOUCH_SMOOTH:
        distance = move_on_smooth(touch, &one, &two, d);
        break;
    case TN_TOUCH_HOLLOW:
    case TN_TOUCH_BORE_RIM:
    case TN_TOUCH_BOWL_RIM:
        distance = move_in_hollow(touch, &one, &two, d);
        break;
    case TN_TOUCH_EYE:
        distance = move_in_eye(touch, &one, &two, d);
        break;
    case TN_TOUCH_KINDS: break;
    }
    touch->gap = distance - touch->radius;
    tn_axpy3(touch->point, -touch->radius2, n);
}

/* ---- making a touch ---- */

/* Returns a frame fixed on the body, with its z axis (planar: y axis) along the side's axis. */
static tn_pose frame_of(const tn_touch_list *list, const tn_touch_side *side)
{
    const double *a = side->axis;
    tn_pose world = tn_pose_identity();
    if (side->turn || (a[0] == 0 && a[1] == 0 && a[2] == 0)) {
        tn_copy3(world.p, side->point);
        if (side->turn)
            memcpy(world.q, side->turn, sizeof world.q);
    } else if (list->dimension == 2) {
        world = tn_pose_planar(side->point[0], side->point[1], tn_atan2(-a[0], a[1]));
    } else {
        world = tn_pose_z(side->point, a);
    }
    return tn_pose_relative(&list->poses[side->solid->body], &world);
}

static uint32_t feature_of(const tn_touch_side *side)
{
    const int *names = side->kind == TN_FEATURE_ROUND ? NULL : side->solid->names[side->kind];
    return (uint32_t)side->kind << 24 | (uint32_t)(names ? names[side->feature] : side->feature);
}

void tn_touch_add(tn_touch_list *list, tn_touch_kind kind, const tn_touch_side *one, const tn_touch_side *two)
{
    const tn_solid *a = one->solid, *b = two->solid;
    tn_touch touch = {
        .kind = kind,
        .key = { a->body, b->body, a->shape, b->shape, feature_of(one), feature_of(two) },
        .contact = list->contact,
        .radius = one->radius + two->radius,
        .radius2 = two->radius,
    };
    bool of_one = kind == TN_TOUCH_RING || kind == TN_TOUCH_EYE || kind == TN_TOUCH_OVAL || kind == TN_TOUCH_CONE;
    memcpy(touch.size, of_one ? one->size : two->size, sizeof touch.size);
    if (list->code < 0 || tn_touch_set_has(&list->set, &touch.key))
        return;
    touch.frame1 = frame_of(list, one);
    touch.frame2 = frame_of(list, two);
    tn_touch_move(&touch, list->dimension, &list->poses[a->body], &list->poses[b->body]);
    if (!(touch.gap < list->margin) || (a->wall > 0 && touch.gap < -a->wall) || (b->wall > 0 && touch.gap < -b->wall))
        return;
    list->code = tn_grow(list->context, &list->items, &list->capacity, list->count + 1, sizeof touch);
    bool added;
    if (list->code >= 0)
        list->code = tn_touch_set_add(&list->set, list->context, &touch.key, &added);
    if (list->code >= 0)
        list->items[list->count++] = touch;
}

/* The quaternion of axes with x along a direction across n, and z along n. */
static void turn_of(double q[4], const double n[3], const double x[3])
{
    double R[3][3], y[3];
    tn_cross3(y, n, x);
    for (int k = 0; k < 3; k++) {
        R[k][0] = x[k];
        R[k][1] = y[k];
        R[k][2] = n[k];
    }
    tn_quat_from_matrix(q, (const double (*)[3])R);
}

/* Puts the point of a place onto the rounded surface, and gives its frame; away: sign of n on its outside. */
static placed_frame round_off(tn_touch_side *side, double turn[4], const tn_smooth_place *place, const double n[3], double away)
{
    placed_frame f;
    *side = place->side;
    tn_axpy3(side->point, away * side->radius, n);
    side->radius = 0;
    side->turn = turn;
    turn_of(turn, n, place->along);
    tn_copy3(f.origin, side->point);
    tn_copy3(f.x, place->along);
    tn_cross3(f.y, n, f.x);
    tn_copy3(f.z, n);
    return f;
}

bool tn_touch_add_smooth(tn_touch_list *list, const tn_smooth_place *one, const tn_smooth_place *two, const double n[3], double least)
{
    tn_touch_side sides[2];
    double turns[2][4], d[3];
    const double size[4] = { one->curvature, one->across, two->curvature, two->across };
    placed_frame first = round_off(&sides[0], turns[0], one, n, 1), second = round_off(&sides[1], turns[1], two, n, -1);
    tn_sub3(d, second.origin, first.origin);
    const smooth_equations e = smooth_equations_of(size, &first, &second, d);
    double yx = tn_dot3(second.y, first.x), determinant = e.det * (1 + size[0] * (tn_dot3(d, n) + size[3] * yx * yx));
    if (!(fabs(determinant) >= least))
        return false;
    memcpy(sides[1].size, size, sizeof size);
    tn_touch_add(list, TN_TOUCH_SMOOTH, &sides[0], &sides[1]);
    return true;
}
