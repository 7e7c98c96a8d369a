/* Point on line: N stays on the line through M along z1.
 *     d . x1 = 0,  d . y1 = 0      2 equations
 * Free: translation along z1 and all rotations. In the plane: pin-in-slot. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_point_on_line = {
    .name = "point-on-line",
    .doc = "Bead on a wire: a point of body 2 stays on a line of body 1.",
    .spatial = {
        .equations = { "d . x1", "d . y1" },
        .coordinates = { { "position", "m", "d . z1" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "bead",
};
