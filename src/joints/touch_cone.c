/* Touching cone: the point N is at a distance from the side of the cone with apex M, along z1 from its base to its apex; sine is that of
 * half its opening angle, cosine = sqrt(1 - sine^2).
 *     cosine |d - (d . z1) z1| + sine d . z1 - radius = 0       1 equation
 * Not defined on the axis. Free: everything else. Contacts use this type for balls and corners. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_cone = {
    .name = "touch-cone",
    .doc = "A point of body 2 keeps its distance from the side of a cone of body 1.",
    .internal = true,
    .spatial = {
        .equations = { TN_CONE_GAP },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the side", NAN, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "sine", "", "of half the opening angle", NAN, NULL },
    },
    .glyph = "foot",
};
