/* Double translational joint: the axes stay parallel.
 *     x2 . y1 = 0                  1 equation
 * Free: both translations. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_double_translational = {
    .name = "double-translational",
    .doc = "Cross slide: two bodies move against each other without turning.",
    .planar = {
        .equations = { "x2 . y1" },
        .coordinates = {
            { "x", "m", "d . x1" },
            { "y", "m", "d . y1" },
        },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "cross-slide",
};
