/* Touching rim (touch-rim) without sliding: the material at the contact point N + rim u - radius2 z1 has no relative
 * velocity, u = unit((z1 x z2) x z2).
 *     d . z1 - rim |z1 x z2| - radius = 0       1 equation
 *     (d' - w1 x d + (w2 - w1) x (rim u - radius2 z1)) along x1 and y1     2 equations at velocity level
 * Not defined for a circle that lies flat. Free: rolling, leaning, pivoting. */
#include <math.h>
#include "touching.h"

#define ARM "(rim * unit(cross(cross(z1, z2), z2)) - radius2 * z1)"

const tn_joint_type tn_joint_stick_rim = {
    .name = "stick-rim",
    .doc = "A circle of body 2 keeps its distance from a plane of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { "d . z1 - rim * norm(cross(z1, z2)) - radius" },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT("x1", "y1"),
            TN_SLIP(ARM) TN_TANGENT("y1", "x1"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axle of the circle; axis is the normal of the plane",
    .parameters = {
        { "radius", "m", "distance of the circle from the plane", NAN, NULL },
        TN_TOUCH_RADIUS2,
        { "rim", "m", "radius of the circle", NAN, NULL },
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
