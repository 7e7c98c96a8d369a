/* Touching edges: the lines through M along z1 and through N along z2 are at a distance, N on the side of z1 x z2.
 *     d . n - radius = 0,  n = unit(z1 x z2)    1 equation
 * Not defined for parallel lines. Free: everything else. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_edges = {
    .name = "touch-edges",
    .doc = "A line of body 2 keeps its distance from a line of body 1, on one side of it.",
    .internal = true,
    .spatial = {
        .equations = { "d . unit(cross(z1, z2)) - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "direction of the line of body 2; axis is that of body 1",
    .parameters = {
        { "radius", "m", "distance of the lines; as built when not given", NAN, "d . unit(cross(z1, z2))" },
    },
    .glyph = "foot",
};
