/* Fixed joint: frame 2 coincides with frame 1.
 *     N - M = 0                                 3 equations (2 in the plane)
 *     2 tan(phi / 2) n = 0                      3 equations (1 in the plane)
 * where frame 2 is turned from frame 1 by phi about n; written with sin(phi) n and cos(phi), which are sums of scalar
 * products of the axes. Plain products (x1 . y2 = 0, ...) would be shorter, but they also hold when frame 2 is turned
 * over; these hold at phi = 0 only, and Newton's method gets there from any phi below a half turn.
 * Free: nothing. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_fixed = {
    .name = "fixed",
    .doc = "Weld: two bodies move as one.",
    .planar = {
        .equations = { "d", "2 * (x2 . y1) / (1 + x1 . x2)" },
    },
    .spatial = {
        .equations = {
            "d",
            "2 * (z1 . y2 - y1 . z2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)",
            "2 * (x1 . z2 - z1 . x2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)",
            "2 * (y1 . x2 - x1 . y2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)",
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "weld",
};
