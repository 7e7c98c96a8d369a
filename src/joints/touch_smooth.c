/* Touching smooth surfaces: two surfaces are at a distance. Where they are nearest when the touch is found, M is on the first and N on
 * the second, z1 and z2 are the normal from 1 to 2, and x1, y1, x2, y2 are the directions of principal curvature. Along x1 and x2 the
 * curvatures c1 and c2 are given (0: straight; negative: hollow), along y1 and y2 the radii s1 and s2 (0: sharp): so lines and edges are
 * exact. The touch is at M + s x1 and at N + t x2, up to the radii across, and its normal is n = z1 + p x1 + q y1. The distance is the
 * stationary value over p, q, s and t of
 *     d . n + t x2 . n - s p + (c1 s^2 + c2 t^2 - d . z1 (p^2 + q^2) - s1 q^2 - s2 (y2 . n)^2) / 2
 * up to terms of third order; p = c1 s, the other equations are linear.
 *     that value - radius = 0     1 equation
 * It and its first and second derivatives are exact where the touch was found. Not defined where the surfaces are near each other along
 * a line. Free: everything else. Contacts use this type for ellipsoids, circles and sides of cones on edges, on round sides, and on
 * each other. */
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
        TN_SMOOTH_SIZES,
    },
    .glyph = "foot",
};
