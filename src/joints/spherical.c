/* Spherical joint: the points coincide.
 *     N - M = 0                    3 equations
 * Free: all rotations. Coordinates: Cardan angles a, b, c that turn frame 1 into frame 2 by R = Rx(a) Ry(b) Rz(c).
 * With R(i, j) = axis i of frame 1 . axis j of frame 2:
 *     R13 = sin b,  R23 = -sin a cos b,  R33 = cos a cos b,  R12 = -cos b sin c,  R11 = cos b cos c
 * a and c are undefined at b = +-90 deg (this does not affect the equations). b is taken from atan2, because rounding
 * may put a scalar product of unit vectors just outside the domain of asin. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_spherical = {
    .name = "spherical",
    .doc = "Ball and socket: two bodies turn freely about a common point.",
    .spatial = {
        .equations = { "d" },
        .coordinates = {
            { "angle_x", "rad", "turn(z1, -y1, z2)" },
            { "angle_y", "rad", "atan2(x1 . z2, norm(cross(x1, z2)))" },
            { "angle_z", "rad", "turn(x2, -y2, x1)" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "ball",
};
