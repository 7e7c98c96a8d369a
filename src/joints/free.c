/* Free joint: holds nothing, and measures where frame 2 is in frame 1; drives of its coordinates prescribe a pose.
 * Free: everything. Coordinates: the place of N in the axes of frame 1; in space the orientation R = Rz(yaw) Ry(pitch) Rx(roll),
 * which is singular where pitch is a right angle. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_free = {
    .name = "free",
    .doc = "Holds nothing: place and orientation of one body in another, to be measured, limited or driven.",
    .planar = {
        .coordinates = { { "x", "m", "d . x1" }, { "y", "m", "d . y1" }, { "angle", "rad", "turn(x1, y1, x2)" } },
    },
    .spatial = {
        .coordinates = { { "x", "m", "d . x1" }, { "y", "m", "d . y1" }, { "z", "m", "d . z1" },
                         { "yaw", "rad", "turn(x1, y1, x2)" },
                         { "pitch", "rad", "atan2(-(x2 . z1), hypot(x2 . x1, x2 . y1))" },
                         { "roll", "rad", "turn(z2, y2, z1)" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "free",
};
