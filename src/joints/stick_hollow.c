/* Touching inside a hollow (touch-hollow) without sliding: the material at the contact point N - radius2 n has no relative
 * velocity, with n = -unit(p), p = d - along (d . y1) y1.
 *     -|p| - radius = 0                         1 equation
 *     (d' - w1 x d - (w2 - w1) x radius2 n) along a and n x a     2 equations at velocity level, a = unit(p x y1)
 *                                           (across n: 1 in the plane)
 * In space y1 must not be along p. Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

#define IN TN_ACROSS("d")
#define ARM "radius2 * unit(" IN ")"
#define SIDE "unit(cross(" IN ", y1))"
#define OTHER "cross(" SIDE ", unit(" IN "))"

const tn_joint_type tn_joint_stick_hollow = {
    .name = "stick-hollow",
    .doc = "A point keeps its distance from a hollow around it and what touches does not slide.",
    .internal = true,
    .planar = {
        .equations = { "-norm(d) - radius" },
        .velocity_equations = {
            TN_PLANE_SLIP("radius2 * unit(d)") " . cross(unit(d), z1)",
        },
    },
    .spatial = {
        .equations = { "-norm(" IN ") - radius" },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT(SIDE, OTHER),
            TN_SLIP(ARM) TN_TANGENT(OTHER, SIDE),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "the negative of the distance from the centre or the axis", -1, NULL },
        TN_TOUCH_RADIUS2,
        { "along", "", "0: a sphere; 1: a cylinder along y1", 0, NULL },
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
