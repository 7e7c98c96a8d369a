/* Rolling disc: a thin disc with centre N and axle z2 rolls without slip on the plane through M with normal z1.
 * From the centre to the contact: radius u, u = unit((z1 x z2) x z2) the steepest way down within the disc, with
 * u . z1 = -|z1 x z2|.
 *     d . z1 - radius |z1 x z2| = 0                                             1 equation
 *     velocity of the disc's material at the contact relative to the plane's,
 *     d' - w1 x d + (w2 - w1) x radius u, along x1 and y1                       2 equations at velocity level
 * (Along z1 that velocity vanishes by the first equation.) Not defined for a disc lying flat.
 * Free: lean, heading, spin. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_rolling_disc = {
    .name = "rolling-disc",
    .doc = "A thin disc of body 2 rolls without slip on a plane of body 1.",
    .spatial = {
        .equations = { "d . z1 - radius * norm(cross(z1, z2))" },
        .velocity_equations = {
            "(vel(d) - cross(w1, d) + radius * cross(w2 - w1, unit(cross(cross(z1, z2), z2)))) . x1",
            "(vel(d) - cross(w1, d) + radius * cross(w2 - w1, unit(cross(cross(z1, z2), z2)))) . y1",
        },
        .coordinates = {
            { "x", "m", "d . x1" },
            { "y", "m", "d . y1" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .axis2 = "axle of the disc; axis is the normal of the plane",
    .positive = "radius",
    .parameters = {
        { "radius", "m", "radius of the disc, positive", NAN, NULL },
    },
    .glyph = "disc",
};
