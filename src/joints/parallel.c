/* Parallel axes: z2 stays parallel to z1.
 *     x1 . z2 = 0,  y1 . z2 = 0    2 equations
 * Free: all translations and rotation about z1. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_parallel = {
    .name = "parallel",
    .doc = "An axis of body 2 stays parallel to an axis of body 1.",
    .spatial = {
        .equations = { "x1 . z2", "y1 . z2" },
        .coordinates = { { "angle", "rad", "turn(x1, y1, x2)" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "parallel",
};
