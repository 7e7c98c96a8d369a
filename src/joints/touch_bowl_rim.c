/* A circle inside a hollow sphere around M: centre N, axle z2, radius rim. Its point farthest out is e = d + rim unit(d - (d . z2) z2).
 *     -|e| - radius = 0                         1 equation
 * Not defined for a circle with d along its axle. Free: everything else. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_bowl_rim = {
    .name = "touch-bowl-rim",
    .doc = "A circle of body 2 keeps its distance from a hollow sphere of body 1, from inside.",
    .internal = true,
    .spatial = {
        .equations = { "-norm(" TN_BOWL_RIM_END ") - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axle of the circle",
    .parameters = {
        { "radius", "m", "the negative of the distance from the centre", -1, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "rim", "m", "radius of the circle", NAN, NULL },
    },
    .glyph = "foot",
};
