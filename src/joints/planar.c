/* Planar joint: N stays in the plane through M with normal z1, and the z axes are parallel.
 *     d . z1 = 0                   1 equation
 *     x1 . z2 = 0,  y1 . z2 = 0    2 equations
 * Free: two translations in the plane and rotation about its normal. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_planar = {
    .name = "planar",
    .doc = "Flat contact: one body slides and turns on a plane of the other.",
    .spatial = {
        .equations = { "d . z1", "x1 . z2", "y1 . z2" },
        .coordinates = {
            { "x", "m", "d . x1" },
            { "y", "m", "d . y1" },
            { "angle", "rad", "turn(x1, y1, x2)" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "plane",
};
