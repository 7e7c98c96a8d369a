/* Touching oval (touch-oval) without sliding: the material at the contact point N - radius n has no relative velocity, n = unit(X / (t +
 * a^2) x1 + Y / (t + b^2) y1 + Z / (t + c^2) z1).
 *     (E / S + t S) / 2 - radius = 0            1 equation
 *     slip at that point along e and n x e      2 equations at velocity level, e = unit(z1 x n)
 * Not defined for a normal along z1. Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

#define TANGENT "unit(cross(z1, " TN_OVAL_NORMAL "))"

const tn_joint_type tn_joint_stick_oval = {
    .name = "stick-oval",
    .doc = "A point of body 2 keeps its distance from an ellipsoid of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { TN_OVAL_GAP },
        .velocity_equations = {
            TN_SLIP("-radius * " TN_OVAL_NORMAL) TN_TANGENT(TANGENT, "cross(" TN_OVAL_NORMAL ", " TANGENT ")"),
            TN_SLIP("-radius * " TN_OVAL_NORMAL) TN_TANGENT("cross(" TN_OVAL_NORMAL ", " TANGENT ")", TANGENT),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the ellipsoid: radius of the ball", NAN, NULL },
        TN_OVAL_SIZES,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
