/* Touching smooth surfaces: two surfaces are at a distance. Where they are nearest when the touch is found, M is on the first and N on
 * the second, z1 and z2 are the normal from 1 to 2, and x1, y1, x2, y2 are the directions of principal curvature with radii r1, s1, r2,
 * s2 (a large number: a line). The distance is the largest value over n of
 *     d . n - (r1 (x1 . n)^2 + s1 (y1 . n)^2 + r2 (x2 . n)^2 + s2 (y2 . n)^2) / 2
 * because the terms with radii are the extents of both surfaces along n. With n = z1 + p x1 + q y1 that is a quadratic function of p
 * and q, up to terms of third order; H is its negative Hessian matrix, g its gradient:
 *     d . z1 - (r2 (x2 . z1)^2 + s2 (y2 . z1)^2) / 2 + g . H^-1 g / 2 - radius = 0     1 equation
 * It and its first and second derivatives are exact where the touch was found. Free: everything else. Contacts use this type for
 * ellipsoids on edges, rims, round sides and each other. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_touch_smooth = {
    .name = "touch-smooth",
    .doc = "A smooth surface of body 2 keeps its distance from one of body 1.",
    .internal = true,
    .spatial = {
        .equations = { TN_SMOOTH_GAP },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the surfaces", NAN, NULL },
        TN_SMOOTH_RADII,
    },
    .glyph = "foot",
};
