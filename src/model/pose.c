/* Poses: construction from axes and angles, and composition. */
#include "elementary.h"
#include "entities.h"
#include "vec.h"

tn_pose tn_pose_identity(void)
{
    return (tn_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } };
}

tn_pose tn_pose_planar(double x, double y, double angle)
{
    return (tn_pose){ { x, y, 0 }, { tn_cos(angle / 2), 0, 0, tn_sin(angle / 2) } };
}

/* The smallest rotation that takes the coordinate axis `from` to axis. Where that is more than a right angle, half a
 * turn about the coordinate axis `flip` comes first: the formula loses digits near opposite directions. An axis of
 * length zero gives a zero quaternion, which every function that takes a pose refuses. */
static tn_pose aligned(const double p[3], const double axis[3], int from, int flip)
{
    tn_pose pose = { { p[0], p[1], p[2] }, { 0, 0, 0, 0 } };
    double length = tn_norm3(axis);
    if (length == 0)
        return pose;
    double a[3] = { axis[0] / length, axis[1] / length, axis[2] / length };
    bool opposite = a[from] < 0;
    double e[3] = { 0, 0, 0 }, turn[4];
    e[from] = opposite ? -1 : 1;
    turn[0] = 1 + tn_dot3(e, a);
    tn_cross3(&turn[1], e, a);
    tn_quat_normalize(turn);
    double first[4] = { 1, 0, 0, 0 };
    if (opposite) {
        first[0] = 0;
        first[1 + flip] = 1;
    }
    tn_quat_mul(pose.q, turn, first);
    return pose;
}

tn_pose tn_pose_z(const double p[3], const double axis[3])
{
    return aligned(p, axis, 2, 0);
}

tn_pose tn_pose_x(const double p[3], const double axis[3])
{
    return aligned(p, axis, 0, 2);
}

tn_pose tn_pose_compose(const tn_pose *a, const tn_pose *b)
{
    tn_pose r;
    tn_quat_rotate(r.p, a->q, b->p);
    tn_add3(r.p, r.p, a->p);
    tn_quat_mul(r.q, a->q, b->q);
    return r;
}

tn_pose tn_pose_relative(const tn_pose *a, const tn_pose *b)
{
    tn_pose r;
    double inverse[4], d[3];
    tn_quat_conj(inverse, a->q);
    tn_sub3(d, b->p, a->p);
    tn_quat_rotate(r.p, inverse, d);
    tn_quat_mul(r.q, inverse, b->q);
    return r;
}
