/* Touching smooth surfaces (touch-smooth) without sliding: the material at the contact point
 *     N + t x2 - s2 (y2 . n) y2
 * has no relative velocity.
 *     d . z1 - ... - radius = 0                 1 equation
 *     slip at that point along two directions across n     2 equations at velocity level
 * Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

#define LEAN(axis) "((" axis " . z1)+" TN_SMOOTH_P "*(" axis " . x1)+" TN_SMOOTH_Q "*(" axis " . y1))"
#define ARM "(" TN_SMOOTH_T "*x2-s2*" LEAN("y2") "*y2)"
#define ONE "unit(x1-" TN_SMOOTH_P "*z1)"
#define TWO "unit((1+" TN_SMOOTH_P "^2)*y1-" TN_SMOOTH_Q "*(z1+" TN_SMOOTH_P "*x1))"

const tn_joint_type tn_joint_stick_smooth = {
    .name = "stick-smooth",
    .doc = "A smooth surface of body 2 keeps its distance from one of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { TN_SMOOTH_GAP },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT(ONE, TWO),
            TN_SLIP(ARM) TN_TANGENT(TWO, ONE),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the surfaces", NAN, NULL },
        TN_SMOOTH_SIZES,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
