/* Bevel mesh: the teeth of two bevel gears press on each other at a point P of the line where their pitch cones touch. The
 * axes z1, z2 point from the apex M = N to the gears. angle_1 and angle_2 are the angles of the plane of the axes in the
 * gears, so the axes may turn (differentials). With t = unit(z1 x z2)
 *     angle_1 + ratio angle_2 + d . t / radius - offset = 0      1 equation
 * The bearings hold d = 0; its term puts the force at P. With S the angle between the axes
 *     P - apex = radius ((ratio + cos S) / sin S z1 + u1),   u1 = unit((z1 x z2) x z1)
 * The multiplier is the torque about axis 1, so the teeth bear F = multiplier / radius along the circles. Beside that,
 * |F| tan(pressure) pushes the gears apart, normal to the cones, whichever flank bears. */
#include <math.h>
#include "tenon/sys/joint.h"

#define ACROSS "cross(z1, z2)"
#define ARM "(radius * ((ratio + z1 . z2) / norm(" ACROSS ") * z1 + unit(cross(" ACROSS ", z1))))"

const tn_joint_type tn_joint_bevel_mesh = {
    .name = "bevel-mesh",
    .doc = "Teeth of two bevel gears whose axes meet; bearings feel their force.",
    .spatial = {
        .equations = { "angle_1 + ratio * angle_2 + d . unit(" ACROSS ") / radius - offset" },
        .coordinates = { { "angle_1", "rad", "turn(x1, y1, z2)" }, { "angle_2", "rad", "turn(x2, y2, z1)" } },
        .separation = "tan(pressure) / radius * "
                      "((vel(d) + cross(w2, " ARM " - d) - cross(w1, " ARM ")) . unit(cross(" ACROSS ", " ARM ")))",
    },
    .separates_by = "pressure",
    .conditions = {
        { "1e-3 * radius - norm(d)", "the axes of its gears do not meet in the origins of its frames" },
        { "norm(" ACROSS ") - 1e-3", "the axes of its gears are parallel: a gear-mesh has such axes" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axis of gear 2, from the apex to the gear; axis is that of gear 1",
    .nonzero = "ratio",
    .parameters = {
        { "ratio", "", "teeth of gear 2 over gear 1", NAN, NULL },
        { "radius", "m", "pitch radius of gear 1 where the force acts: in the middle of its teeth", NAN, NULL },
        { "pressure", "rad", "pressure angle; 0: no force normal to the cones", 0, NULL },
        { "offset", "rad", "phase of the teeth; as built when not given", NAN, "angle_1 + ratio * angle_2" },
    },
    .glyph = "gear",
};
