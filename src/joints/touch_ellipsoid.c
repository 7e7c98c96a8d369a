/* Touching ellipsoid: an ellipsoid with centre N and half axes a, b, c along x2, y2, z2 is at a distance from the plane
 * through M with normal z1. Its extent along the normal is
 *     h = sqrt((a x2 . z1)^2 + (b y2 . z1)^2 + (c z2 . z1)^2)
 *     d . z1 - h - radius = 0                   1 equation
 * Free: everything else. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_ellipsoid = {
    .name = "touch-ellipsoid",
    .doc = "An ellipsoid of body 2 keeps its distance from a plane of body 1.",
    .internal = true,
    .spatial = {
        .equations = { "d . z1 - sqrt((a * (x2 . z1))^2 + (b * (y2 . z1))^2 + (c * (z2 . z1))^2) - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "z axis of the ellipsoid; axis is the normal of the plane",
    .parameters = {
        { "radius", "m", "distance of the ellipsoid from the plane", NAN, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "a", "m", "half axis along x2", NAN, NULL },
        { "b", "m", "half axis along y2", NAN, NULL },
        { "c", "m", "half axis along z2", NAN, NULL },
    },
    .glyph = "foot",
};
