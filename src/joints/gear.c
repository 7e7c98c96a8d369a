/* Gear pair: couples the angles of two joints whose shafts are held elsewhere.
 *     q1 + ratio q2 - offset = 0                1 equation
 * Radii r1, r2 in external mesh: r1 q1 + r2 q2 = const, so ratio = r2 / r1. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_gear = {
    .name = "gear",
    .doc = "Gear pair: the angles of two joints turn in a fixed ratio.",
    .joints = 2,
    .planar = {
        .equations = { "q1 + ratio * q2 - offset" },
    },
    .spatial = {
        .equations = { "q1 + ratio * q2 - offset" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .nonzero = "ratio",
    .parameters = {
        { "ratio", "", "radius (or teeth) of gear 2 over gear 1; negative for an internal gear", NAN, NULL },
        { "offset", "rad", "value of q1 + ratio * q2; as built when not given", NAN, "q1 + ratio * q2" },
    },
    .glyph = "gear",
};
