/* Rolling wheel: a wheel with centre N rolls without slip on the line through M along x1, on the side of y1.
 *     d . y1 - radius = 0                       1 equation
 *     d . x1 + radius angle - offset = 0        1 equation
 * Free: rolling along the line. In space: rolling-disc. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_rolling = {
    .name = "rolling",
    .doc = "A wheel of body 2 rolls without slip on a line of body 1.",
    .planar = {
        .equations = { "d . y1 - radius", "position + radius * angle - offset" },
        .coordinates = {
            { "angle", "rad", "turn(x1, y1, x2)" },
            { "position", "m", "d . x1" },
        },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .nonzero = "radius",
    .parameters = {
        { "radius", "m", "radius of the wheel", NAN, NULL },
        { "offset", "m", "position of the centre at angle zero; as built when not given", NAN,
          "position + radius * angle" },
    },
    .glyph = "wheel",
};
