/* Touching balls (touch-point) without sliding: the material at the contact point N - radius2 n has no relative
 * velocity, with n = d / |d|.
 *     |d| - radius = 0                          1 equation
 *     (d' - w1 x d - (w2 - w1) x radius2 n) along a and n x a     2 equations at velocity level, a = unit(y1 x n)
 *                                           (across n: 1 in the plane)
 * In space y1 must not be along n: a is x1 where z1 is n. Directions perpendicular to n keep the multipliers
 * of these rows free of a normal part, so that they are the friction force. Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_stick_point = {
    .name = "stick-point",
    .doc = "Two points keep their distance and what touches between them does not slide.",
    .internal = true,
    .planar = {
        .equations = { "norm(d) - radius" },
        .velocity_equations = {
            TN_PLANE_SLIP("-radius2 * unit(d)") " . cross(z1, unit(d))",
        },
    },
    .spatial = {
        .equations = { "norm(d) - radius" },
        .velocity_equations = {
            TN_SLIP("-radius2 * unit(d)") TN_TANGENT("unit(cross(y1, d))", "cross(unit(d), unit(cross(y1, d)))"),
            TN_SLIP("-radius2 * unit(d)") TN_TANGENT("cross(unit(d), unit(cross(y1, d)))", "unit(cross(y1, d))"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the points, not zero; as built when not given", NAN, "norm(d)" },
        TN_TOUCH_RADIUS2,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
