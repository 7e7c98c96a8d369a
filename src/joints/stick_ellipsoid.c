/* Touching ellipsoid (touch-ellipsoid) without sliding: the material at the contact point
 *     N - (a^2 (x2 . z1) x2 + b^2 (y2 . z1) y2 + c^2 (z2 . z1) z2) / h,   h = sqrt((a x2 . z1)^2 + ...)
 * has no relative velocity.
 *     d . z1 - h - radius = 0                   1 equation
 *     slip at that point along x1 and y1        2 equations at velocity level
 * Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

#define EXTENT "sqrt((a * (x2 . z1))^2 + (b * (y2 . z1))^2 + (c * (z2 . z1))^2)"
#define ARM "((-1 / " EXTENT ") * (a^2 * (x2 . z1) * x2 + b^2 * (y2 . z1) * y2 + c^2 * (z2 . z1) * z2) - radius2 * z1)"

const tn_joint_type tn_joint_stick_ellipsoid = {
    .name = "stick-ellipsoid",
    .doc = "An ellipsoid of body 2 keeps its distance from a plane of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { "d . z1 - " EXTENT " - radius" },
        .velocity_equations = {
            TN_SLIP(ARM) TN_TANGENT("x1", "y1"),
            TN_SLIP(ARM) TN_TANGENT("y1", "x1"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "z axis of the ellipsoid; axis is the normal of the plane",
    .parameters = {
        { "radius", "m", "distance of the ellipsoid from the plane", NAN, NULL },
        TN_TOUCH_RADIUS2,
        { "a", "m", "half axis along x2", NAN, NULL },
        { "b", "m", "half axis along y2", NAN, NULL },
        { "c", "m", "half axis along z2", NAN, NULL },
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
