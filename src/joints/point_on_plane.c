/* Point on plane: N stays in the plane through M with normal z1.
 *     d . z1 = 0                   1 equation
 * Free: two translations in the plane and all rotations. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_point_on_plane = {
    .name = "point-on-plane",
    .doc = "A point of body 2 stays in a plane of body 1.",
    .spatial = {
        .equations = { "d . z1" },
        .coordinates = {
            { "x", "m", "d . x1" },
            { "y", "m", "d . y1" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "foot",
};
