/* Revolute joint: the points coincide and the z axes are parallel.
 *     N - M = 0                    3 equations (2 in the plane)
 *     x1 . z2 = 0,  y1 . z2 = 0    2 equations (none in the plane)
 * Free: rotation about z1. Coordinate: angle from x1 to x2 about z1, counted over full turns. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_revolute = {
    .name = "revolute",
    .doc = "Hinge: two bodies turn about a common axis.",
    .planar = {
        .equations = { "d" },
        .coordinates = { { "angle", "rad", "turn(x1, y1, x2)" } },
    },
    .spatial = {
        .equations = { "d", "x1 . z2", "y1 . z2" },
        .coordinates = { { "angle", "rad", "turn(x1, y1, x2)" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "hinge",
};
