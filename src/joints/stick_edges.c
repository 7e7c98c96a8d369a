/* Touching edges (touch-edges) without sliding: the material at the contact point has no relative velocity. That point
 * is N + s z2 - radius2 n on line 2, with s from the common perpendicular:
 *     s = ((z1 . z2) (d . z1) - d . z2) / (1 - (z1 . z2)^2)
 *     d . n - radius = 0,  n = unit(z1 x z2)    1 equation
 *     (d' - w1 x d + (w2 - w1) x (s z2 - radius2 n)) along z1 and n x z1    2 equations at velocity level
 * Free: all rotations, as long as the lines cross. */
#include <math.h>
#include "touching.h"

#define ARM "((z1 . z2) * (d . z1) - d . z2) / (1 - (z1 . z2)^2) * z2 - radius2 * unit(cross(z1, z2))"

const tn_joint_type tn_joint_stick_edges = {
    .name = "stick-edges",
    .doc = "A line of body 2 keeps its distance from a line of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { "d . unit(cross(z1, z2)) - radius" },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT("z1", "cross(unit(cross(z1, z2)), z1)"),
            TN_SLIP(ARM) TN_TANGENT("cross(unit(cross(z1, z2)), z1)", "z1"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "direction of the line of body 2; axis is that of body 1",
    .parameters = {
        { "radius", "m", "distance of the lines; as built when not given", NAN, "d . unit(cross(z1, z2))" },
        TN_TOUCH_RADIUS2,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
