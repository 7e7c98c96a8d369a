/* Touching a line: the point N is at a distance from the line through M along z1.
 *     |d - (d . z1) z1| - radius = 0            1 equation
 * Not defined on the line. Free: everything else. Contacts use this type for balls on edges and on capsules. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_line = {
    .name = "touch-line",
    .doc = "A point of body 2 keeps its distance from a line of body 1.",
    .internal = true,
    .spatial = {
        .equations = { "norm(d - (d . z1) * z1) - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the line, not zero; as built when not given", NAN,
          "norm(d - (d . z1) * z1)" },
    },
    .glyph = "foot",
};
