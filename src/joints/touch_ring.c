/* Touching ring: the point N is at a distance from the circle with centre M, axle z1 and radius rim. The nearest point of
 * the circle is M + rim unit(p), p = d - (d . z1) z1.
 *     |d - rim unit(p)| - radius = 0            1 equation
 * Not defined on the axle and on the circle. Free: everything else. Contacts use this type for balls on rims of cylinders,
 * and on tori. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_ring = {
    .name = "touch-ring",
    .doc = "A point of body 2 keeps its distance from a circle of body 1.",
    .internal = true,
    .spatial = {
        .equations = { "norm(d - rim * unit(d - (d . z1) * z1)) - radius" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the circle", NAN, NULL },
        { "radius2", "m", "the part of the radius that is on body 2", 0, NULL },
        { "rim", "m", "radius of the circle", NAN, NULL },
    },
    .glyph = "foot",
};
