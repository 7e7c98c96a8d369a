/* Touching a line (touch-line) without sliding: the material at the contact point N - radius2 n has no relative
 * velocity; n points from the line to N.
 *     |d - (d . z1) z1| - radius = 0            1 equation
 *     (d' - w1 x d - (w2 - w1) x radius2 n) along z1 and z1 x n   2 equations at velocity level
 * Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_stick_line = {
    .name = "stick-line",
    .doc = "A point of body 2 keeps its distance from a line of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { "norm(d - (d . z1) * z1) - radius" },
        .velocity_equations = {
            TN_SLIP("-radius2 * unit(d - (d . z1) * z1)") TN_TANGENT("z1", "cross(z1, unit(d - (d . z1) * z1))"),
            TN_SLIP("-radius2 * unit(d - (d . z1) * z1)")
            TN_TANGENT("cross(z1, unit(d - (d . z1) * z1))", "z1"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the line, not zero; as built when not given", NAN,
          "norm(d - (d . z1) * z1)" },
        TN_TOUCH_RADIUS2,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
