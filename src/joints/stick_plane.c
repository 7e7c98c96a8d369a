/* Touching a plane (touch-plane) without sliding: the material at the contact point N - radius2 z1 has no relative
 * velocity.
 *     d . z1 - radius = 0                       1 equation
 *     (d' - w1 x d - (w2 - w1) x radius2 z1) along x1 and y1      2 equations at velocity level (1 in the plane)
 * Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

const tn_joint_type tn_joint_stick_plane = {
    .name = "stick-plane",
    .doc = "A point of body 2 keeps its distance from a plane of body 1 and what touches does not slide.",
    .internal = true,
    .planar = {
        .equations = { "d . y1 - radius" },
        .velocity_equations = {
            TN_PLANE_SLIP("-radius2 * y1") " . x1",
        },
    },
    .spatial = {
        .equations = { "d . z1 - radius" },
        .velocity_equations = {
            TN_SLIP("-radius2 * z1") TN_TANGENT("x1", "y1"),
            TN_SLIP("-radius2 * z1") TN_TANGENT("y1", "x1"),
        },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the plane", NAN, NULL },
        TN_TOUCH_RADIUS2,
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
