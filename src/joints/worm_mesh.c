/* Worm mesh: the thread of a worm with axis z1 presses on the teeth of a wheel with axis z2, normal to z1, at the pitch
 * point P = M + radius u, u = unit(d). M and N are the ends of the line of centres on both axes. With a = |d|, the radius
 * R = a - radius of the wheel and the lead angle tan(g) = R / (ratio radius), s = z2 . (z1 x u) = 1 or -1
 *     angle_1 + s ratio angle_2 - ratio radius / (a R) d . z1 + s R / (a radius) d . z2 - offset = 0     1 equation
 * The bearings hold d . z1 = d . z2 = 0; these terms put the force at P. The multiplier is the torque about the worm's axis,
 * so the teeth bear F = multiplier ratio / R along the worm, F tan(g) across it. Beside that, |F| tan(pressure) / cos(g)
 * pushes worm and wheel apart, whichever flank bears. */
#include <math.h>
#include "tenon/sys/joint.h"

#define WHEEL "(norm(d) - radius)"

const tn_joint_type tn_joint_worm_mesh = {
    .name = "worm-mesh",
    .doc = "Thread of a worm and teeth of its wheel, with perpendicular axes; bearings feel their force.",
    .spatial = {
        .equations = { "angle_1 + side * ratio * angle_2 - ratio * radius / (norm(d) * " WHEEL ") * (d . z1) + "
                       "side * " WHEEL " / (norm(d) * radius) * (d . z2) - offset" },
        .coordinates = { { "angle_1", "rad", "turn(x1, y1, d)" }, { "angle_2", "rad", "turn(x2, y2, d)" } },
        .separation = "tan(pressure) * sqrt(ratio^2 / " WHEEL "^2 + 1 / radius^2) * (vel(d) . unit(d))",
    },
    .separates_by = "pressure",
    .conditions = {
        { "1e-3 - abs(z1 . z2)", "the axes of worm and wheel are not perpendicular" },
        { "1e-3 - abs(unit(d) . z1) - abs(unit(d) . z2)", "the line between the origins of its frames is not normal to both axes" },
        { WHEEL, "the wheel has no radius: its axis is as near as the pitch radius of the worm" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axis of the wheel; axis is that of the worm",
    .nonzero = "ratio",
    .parameters = {
        { "ratio", "", "teeth of the wheel over threads of the worm; negative: left-handed", NAN, NULL },
        { "radius", "m", "pitch radius of the worm", NAN, NULL },
        { "pressure", "rad", "pressure angle, normal to the thread; 0: no force along the line of centres", 0, NULL },
        { "side", "", "1 or -1: z2 . (z1 x unit(d)); as built when not given", NAN, "z2 . cross(z1, unit(d))" },
        { "offset", "rad", "phase of the teeth; as built when not given", NAN, "angle_1 + side * ratio * angle_2" },
    },
    .glyph = "gear",
};
