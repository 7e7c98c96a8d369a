/* Cylindrical joint: N stays on the line through M along z1, and the z axes are parallel.
 *     d . x1 = 0,  d . y1 = 0      2 equations
 *     x1 . z2 = 0,  y1 . z2 = 0    2 equations
 * Free: translation along z1 and rotation about it. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_cylindrical = {
    .name = "cylindrical",
    .doc = "Sleeve: two bodies turn about a common axis and slide along it.",
    .spatial = {
        .equations = { "d . x1", "d . y1", "x1 . z2", "y1 . z2" },
        .coordinates = {
            { "position", "m", "d . z1" },
            { "angle", "rad", "turn(x1, y1, x2)" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "sleeve",
};
