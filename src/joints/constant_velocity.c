/* Constant-velocity joint: the points coincide and the rotation from frame 1 to frame 2 is about an axis
 * perpendicular to the shafts, so that both shafts (z1 and z2) turn at the same rate at any bend.
 *     N - M = 0                            3 equations
 *     (y1 . x2 - x1 . y2) / 2 = 0          1 equation: sin(phi) n . z1 with rotation by phi about n
 * Free: common spin of the shafts and bend in two directions. Coordinates: Cardan angles as in the spherical joint. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_constant_velocity = {
    .name = "constant-velocity",
    .doc = "Homokinetic shaft coupling: bends in any direction and passes rotation on at the same rate.",
    .spatial = {
        .equations = { "d", "(y1 . x2 - x1 . y2) / 2" },
        .coordinates = {
            { "angle_x", "rad", "turn(z1, -y1, z2)" },
            { "angle_y", "rad", "atan2(x1 . z2, norm(cross(x1, z2)))" },
            { "angle_z", "rad", "turn(x2, -y2, x1)" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "shaft-coupling",
};
