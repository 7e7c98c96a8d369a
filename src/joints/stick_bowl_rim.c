/* A circle inside a hollow sphere (touch-bowl-rim) without sliding: the material at the contact point has no relative velocity. That
 * is at e - radius2 n from M, with n = -unit(e).
 *     -|e| - radius = 0                         1 equation
 *     (d' - w1 x d + (w2 - w1) x (e - d - radius2 n)) along a and n x a   2 equations at velocity level, a = unit(e x y1)
 * y1 must not be along e. */
#include <math.h>
#include "touching.h"

#define IN TN_BOWL_RIM_END
#define ARM "(" TN_BOWL_RIM_END " - d + radius2 * unit(" IN "))"
#define SIDE "unit(cross(" TN_BOWL_RIM_END ", y1))"
#define OTHER "cross(" SIDE ", unit(" IN "))"

const tn_joint_type tn_joint_stick_bowl_rim = {
    .name = "stick-bowl-rim",
    .doc = "A circle keeps its distance from a sphere around it and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { "-norm(" IN ") - radius" },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT(SIDE, OTHER),
            TN_SLIP(ARM) TN_TANGENT(OTHER, SIDE),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axle of the circle",
    .parameters = {
        { "radius", "m", "the negative of the distance from the centre", -1, NULL },
        TN_TOUCH_RADIUS2,
        { "rim", "m", "radius of the circle", NAN, NULL },
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
