/* Touching inside a hollow: the point N is within a sphere around M (along = 0) or a cylinder around the line through M along
 * y1 (along = 1). The radius is that of what touches less that of the hollow, which is negative.
 *     -|p| - radius = 0,  p = d - along (d . y1) y1             1 equation
 * Not defined at the centre. Free: everything else. Contacts use this type for balls and corners in bowls and bores. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_hollow = {
    .name = "touch-hollow",
    .doc = "A point of body 2 keeps its distance from a hollow sphere or cylinder of body 1, from inside.",
    .internal = true,
    .planar = {
        .equations = { "-norm(d) - radius" },
    },
    .spatial = {
        .equations = { "-norm(" TN_ACROSS("d") ") - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "the negative of the distance from the centre or the axis", -1, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "along", "", "0: a sphere; 1: a cylinder along y1", 0, NULL },
    },
    .glyph = "foot",
};
