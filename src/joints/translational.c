/* Translational joint: N stays on the line through M along x1, and the axes stay parallel.
 *     d . y1 = 0                   1 equation
 *     x2 . y1 = 0                  1 equation
 * Regular at any position, also at M = N. Free: translation along x1. In space: prismatic. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_translational = {
    .name = "translational",
    .doc = "Slide: one body moves along an axis of the other without turning.",
    .planar = {
        .equations = { "d . y1", "x2 . y1" },
        .coordinates = { { "position", "m", "d . x1" } },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "slide",
};
