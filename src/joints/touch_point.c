/* Touching balls: the points are at a distance.
 *     |d| - radius = 0                          1 equation
 * Not defined where the points coincide. Free: everything else. Unlike a rod, this joint pushes exactly along the
 * contact normal, even where the distance has a small error. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_point = {
    .name = "touch-point",
    .doc = "Two points keep their distance, as the centres of balls that touch.",
    .internal = true,
    .planar = {
        .equations = { "norm(d) - radius" },
    },
    .spatial = {
        .equations = { "norm(d) - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the points, not zero; as built when not given", NAN, "norm(d)" },
    },
    .glyph = "foot",
};
