/* Prismatic joint: N stays on the line through M along z1, and the axes stay parallel.
 *     d . x1 = 0,  d . y1 = 0      2 equations
 *     2 tan(phi / 2) n = 0         3 equations, as in the fixed joint
 * Free: translation along z1. Coordinate: position of N along z1. In the plane: translational. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_prismatic = {
    .name = "prismatic",
    .doc = "Slide: one body moves along an axis of the other without turning.",
    .spatial = {
        .equations = {
            "d . x1",
            "d . y1",
            "2 * (z1 . y2 - y1 . z2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)",
            "2 * (x1 . z2 - z1 . x2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)",
            "2 * (y1 . x2 - x1 . y2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)",
        },
        .coordinates = { { "position", "m", "d . z1" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "slide",
};
