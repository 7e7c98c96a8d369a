/* Touching ring (touch-ring) without sliding: the material at the contact point N - radius2 n has no relative velocity,
 * n = unit(d - rim unit(p)), p = d - (d . z1) z1.
 *     |d - rim unit(p)| - radius = 0            1 equation
 *     (d' - w1 x d - (w2 - w1) x radius2 n) along a and n x a     2 equations at velocity level, a = unit(z1 x d)
 * a runs along the circle, across n. Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

#define NORMAL "unit(d - rim * unit(d - (d . z1) * z1))"

const tn_joint_type tn_joint_stick_ring = {
    .name = "stick-ring",
    .doc = "A point of body 2 keeps its distance from a circle of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { "norm(d - rim * unit(d - (d . z1) * z1)) - radius" },
        .velocity_equations = {
            TN_SLIP("-radius2 * " NORMAL) TN_TANGENT("unit(cross(z1, d))", "cross(" NORMAL ", unit(cross(z1, d)))"),
            TN_SLIP("-radius2 * " NORMAL) TN_TANGENT("cross(" NORMAL ", unit(cross(z1, d)))", "unit(cross(z1, d))"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the circle", NAN, NULL },
        TN_TOUCH_RADIUS2,
        { "rim", "m", "radius of the circle", NAN, NULL },
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
