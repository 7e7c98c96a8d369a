/* A bar through an eye (touch-eye) without sliding: the material of the bar beside the point rim u of the circle has no relative
 * velocity, with u and o from touch-eye: at b = ((rim u - d) . z2) z2 + radius2 o from N.
 *     (rim u - c) . o - radius = 0              1 equation
 *     (d' - w1 x d + (w2 - w1) x b) along z2 and z2 x o         2 equations at velocity level */
#include <math.h>
#include "touching.h"

#define ARM "(((rim * " TN_EYE_SIDE " - d) . z2) * z2 + radius2 * " TN_EYE_OUT ")"
#define OTHER "cross(z2, " TN_EYE_OUT ")"

const tn_joint_type tn_joint_stick_eye = {
    .name = "stick-eye",
    .doc = "A line keeps its distance from a circle around it and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { TN_EYE_GAP },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT("z2", OTHER),
            TN_SLIP(ARM) TN_TANGENT(OTHER, "z2"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "direction of the line; axis is the axle of the circle",
    .parameters = {
        { "radius", "m", "distance of the line from the circle", NAN, NULL },
        TN_TOUCH_RADIUS2,
        { "rim", "m", "radius of the circle", 1, NULL },
        TN_TOUCH_LEAD,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
