/* A bar through an eye: the line through N along z2 is within the circle around M with the axle z1 and the radius rim. The line
 * crosses the plane of the circle at c = d - (d . z1) / (z2 . z1) z2, and is nearest to the point rim u of the circle,
 * u = unit(c + lead1 x1 + lead2 y1). The way out is o = unit((z1 x u) x z2).
 *     (rim u - c) . o - radius = 0                               1 equation
 * Exact with the lead for which rim u is the nearest point, which contacts find; it is 0 where the line leans towards or away from
 * the touch. Not defined for a line through the centre of the circle, or within its plane. Free: everything else. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_eye = {
    .name = "touch-eye",
    .doc = "A line of body 2 keeps its distance from a circle of body 1 around it.",
    .internal = true,
    .spatial = {
        .equations = { TN_EYE_GAP },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "direction of the line; axis is the axle of the circle",
    .parameters = {
        { "radius", "m", "distance of the line from the circle", NAN, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "rim", "m", "radius of the circle", 1, NULL },
        TN_TOUCH_LEAD,
    },
    .glyph = "foot",
};
