/* A circle inside a bore, a hollow cylinder around the line through M along y1: centre N, axle z2, radius rim. Its point farthest out
 * is on the side of s = p + lead1 x1 + lead2 z1, p = d - (d . y1) y1:
 *     e = d + rim unit(s - (s . z2) z2)
 *     -|e - (e . y1) y1| - radius = 0                           1 equation
 * Exact with the lead for which that point is the farthest, which contacts find; it is 0 where the axle leans towards or away from
 * the touch. Not defined for a circle with s along its axle. Free: everything else. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_bore_rim = {
    .name = "touch-bore-rim",
    .doc = "A circle of body 2 keeps its distance from a hollow cylinder of body 1, along y1, from inside.",
    .internal = true,
    .spatial = {
        .equations = { "-norm(" TN_ACROSS_BORE(TN_BORE_RIM_END) ") - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axle of the circle",
    .parameters = {
        { "radius", "m", "the negative of the distance from the axis", -1, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "rim", "m", "radius of the circle", NAN, NULL },
        TN_TOUCH_LEAD,
    },
    .glyph = "foot",
};
