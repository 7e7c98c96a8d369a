/* Rod with a hinge at M (axis z1) and a ball at N.
 *     (d . d - length^2) / (2 length) = 0       1 equation
 *     d . z1 - offset = 0                       1 equation
 * Free: swing of the rod about z1 and all rotations of body 2. Coordinate: angle from x1 to the rod about z1. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_revolute_spherical = {
    .name = "revolute-spherical",
    .doc = "Massless rod with a hinge on body 1 and a ball on body 2.",
    .spatial = {
        .equations = { "(d . d - length^2) / (2 * length)", "d . z1 - offset" },
        .coordinates = { { "angle", "rad", "turn(x1, y1, d)" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .positive = "length",
    .parameters = {
        { "length", "m", "distance of hinge and ball, positive; as built when not given", NAN, "norm(d)" },
        { "offset", "m", "how far the ball is along the hinge axis; as built when not given", NAN, "d . z1" },
    },
    .glyph = "rod",
};
