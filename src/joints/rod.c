/* Rod: the distance of the points is constant.
 *     (d . d - length^2) / (2 length) = 0       1 equation
 * Near the solution this is |d| - length, in metres and with a gradient of unit length, but smooth at d = 0 too.
 * Free: everything else. Coordinate in the plane: angle from x1 to the rod. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_rod = {
    .name = "rod",
    .doc = "Massless rod with a ball at each end: keeps two points at a distance.",
    .planar = {
        .equations = { "(d . d - length^2) / (2 * length)" },
        .coordinates = { { "angle", "rad", "turn(x1, y1, d)" } },
    },
    .spatial = {
        .equations = { "(d . d - length^2) / (2 * length)" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .positive = "length",
    .parameters = {
        { "length", "m", "distance of the points, positive; as built when not given", NAN, "norm(d)" },
    },
    .glyph = "rod",
};
