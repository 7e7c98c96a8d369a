/* Gear mesh: the teeth of two gears with parallel axes z1, z2 press on each other at the pitch point. M and N are points
 * of the axes; the line of centres M N may turn (planetary gears). angle_1 and angle_2 are its angles in the gears.
 *     angle_1 + ratio angle_2 - tan(helix) s / |r1| - offset = 0        1 equation
 * where the sign of angle_2 changes if the axes point in opposite directions. The pitch circles follow from the distance of the
 * centres: r1 = |d| / (1 + ratio), r2 = ratio r1, one of them negative where one gear is internal. s is the distance of the pitch
 * points of both gears along the axis. The multiplier is the torque about axis 1, so the teeth bear F = multiplier / r1 along the
 * circles and F tan(helix) along the axis, at the pitch point. Beside that, |F| tan(pressure) / cos(helix) pushes the teeth apart,
 * whichever flank bears: the centres away from each other, but towards each other where one gear is internal, gear 1 or gear 2. */
#include <math.h>
#include "tenon/sys/joint.h"

#define ANGLES { { "angle_1", "rad", "turn(x1, y1, d)" }, { "angle_2", "rad", "turn(x2, y2, d)" } }
#define ACROSS "cross(cross(z1, d), z1)"
#define TURNED "angle_1 + if(z1 . z2 < 0, -ratio, ratio) * angle_2"
#define SIDE "ratio / abs(ratio) * abs(1 + ratio)"
#define SHIFT "(d . z1 - ratio / (1 + ratio) * (d . z1 - (d . z2) * (z1 . z2)))"

const tn_joint_type tn_joint_gear_mesh = {
    .name = "gear-mesh",
    .doc = "Teeth of two gears with parallel axes, external or internal; bearings feel their force.",
    .planar = {
        .equations = { "angle_1 + ratio * angle_2 - offset" },
        .coordinates = ANGLES,
        .separation = "tan(pressure) * " SIDE " / norm(d) * (vel(d) . unit(d))",
    },
    .spatial = {
        .equations = { TURNED " - tan(helix) * abs(1 + ratio) / norm(" ACROSS ") * (" SHIFT " - shift) - offset" },
        .coordinates = ANGLES,
        .separation = "tan(pressure) / cos(helix) * " SIDE " / norm(" ACROSS ") * (vel(d) . unit(" ACROSS "))",
    },
    .separates_by = "pressure",
    .conditions = {
        { "1e-3 - norm(cross(z1, z2))", "its axes are not parallel" },
        { "norm(" ACROSS ") - 1e-9 m", "the centres of its gears coincide: give frames on the two axes" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .nonzero = "ratio",
    .parameters = {
        { "ratio", "", "teeth of gear 2 over gear 1; negative: one of them is an internal gear", NAN, NULL },
        { "pressure", "rad", "pressure angle, normal to the teeth; 0: no force along the line of centres", 0, NULL },
        { "helix", "rad", "in space: helix angle of gear 1, right-handed; 0: spur gears", 0, NULL },
        { "shift", "m", "in space: distance of the centres along the axis; as built when not given", NAN, "d . z1" },
        { "offset", "rad", "phase of the teeth; as built when not given", NAN, TURNED },
    },
    .glyph = "gear",
};
