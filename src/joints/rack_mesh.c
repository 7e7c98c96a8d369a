/* Rack mesh: the teeth of a rack (body 1) and of a pinion (body 2) press on each other at the pitch point. The rack lies
 * along x1, with its teeth to the side of y1; N is a point of the pinion's axis z2, at the distance radius from the pitch
 * line of the rack. Where M lies does not matter.
 *     position + radius angle - side tan(helix) s - offset = 0        1 equation
 * s is the distance of the pitch points along the axis, side the sign of the radius. The multiplier is the force F along the rack. Beside that,
 * |F| tan(pressure) / cos(helix) pushes rack and pinion apart, whichever flank bears. */
#include <math.h>
#include "tenon/sys/joint.h"

#define COORDINATES { { "position", "m", "d . x1" }, { "angle", "rad", "turn(x1, y1, x2)" } }
#define SHIFT "((d - radius * (y1 - (y1 . z2) * z2)) . z1)"
#define SIDE "radius / abs(radius)"
#define APART SIDE " * ((vel(d) - cross(w1, d)) . y1)"

const tn_joint_type tn_joint_rack_mesh = {
    .name = "rack-mesh",
    .doc = "Teeth of a rack on body 1 and a pinion on body 2; bearings feel their force.",
    .planar = {
        .equations = { "position + radius * angle - offset" },
        .coordinates = COORDINATES,
        .separation = "tan(pressure) * " APART,
    },
    .spatial = {
        .equations = { "position + radius * angle - " SIDE " * tan(helix) * (" SHIFT " - shift) - offset" },
        .coordinates = COORDINATES,
        .separation = "tan(pressure) / cos(helix) * " APART,
    },
    .separates_by = "pressure",
    .conditions = {
        { "1e-3 - norm(cross(z1, z2))", "z of frame 1 is not parallel to the axis of the pinion" },
        { "abs(radius) - 1e-9 m", "its radius is zero" },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_Z,
    .nonzero = "radius",
    .parameters = {
        { "radius", "m", "pitch radius of the pinion; negative: the pinion is at the side of -y1", NAN, NULL },
        { "pressure", "rad", "pressure angle, normal to the teeth; 0: no force normal to the rack", 0, NULL },
        { "helix", "rad", "in space: helix angle of the pinion, right-handed; 0: straight teeth", 0, NULL },
        { "shift", "m", "in space: position of the pinion along its axis; as built when not given", NAN, "d . z1" },
        { "offset", "m", "phase of the teeth; as built when not given", NAN, "position + radius * angle" },
    },
    .glyph = "rack",
};
