/* Touching rim: a circle with centre N, axle z2 and radius rim is at a distance from the plane through M with normal z1.
 * Its lowest point is N + rim u, u = unit((z1 x z2) x z2), with u . z1 = -|z1 x z2|.
 *     d . z1 - rim |z1 x z2| - radius = 0       1 equation
 * Not defined for a circle that lies flat. Free: everything else. Contacts use this type for cylinders, cones and tori
 * on faces. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_rim = {
    .name = "touch-rim",
    .doc = "A circle of body 2 keeps its distance from a plane of body 1.",
    .internal = true,
    .spatial = {
        .equations = { "d . z1 - rim * norm(cross(z1, z2)) - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axle of the circle; axis is the normal of the plane",
    .parameters = {
        { "radius", "m", "distance of the circle from the plane", NAN, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "rim", "m", "radius of the circle", NAN, NULL },
    },
    .glyph = "foot",
};
