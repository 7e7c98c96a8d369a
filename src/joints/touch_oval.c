/* Touching oval: the point N is at a distance from the ellipsoid with centre M and half axes a, b, c along x1, y1, z1. With X = d . x1,
 * Y, Z the square of the distance is the largest value of f(t) = t E(t),
 *     E = X^2 / (t + a^2) + Y^2 / (t + b^2) + Z^2 / (t + c^2) - 1,
 * and the distance is t S there, S = sqrt((X / (t + a^2))^2 + ...). t is one step of Newton's method for (f' + 1)^(-1/2) = 1 from a lead,
 * which contacts find. The mean of E / S and t S, whose product is f, is exact where the lead was found, and so are its first three
 * derivatives, because f is stationary. Of a ball the step is exact from any lead.
 *     (E / S + t S) / 2 - radius = 0            1 equation
 * Not defined at the centre. Free: everything else. Contacts use this type for balls. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_oval = {
    .name = "touch-oval",
    .doc = "A point of body 2 keeps its distance from an ellipsoid of body 1.",
    .internal = true,
    .spatial = {
        .equations = { TN_OVAL_GAP },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the ellipsoid", NAN, NULL },
        TN_OVAL_SIZES,
    },
    .glyph = "foot",
};
