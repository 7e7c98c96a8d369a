/* Universal joint: the points coincide and the arms of the cross are perpendicular.
 *     N - M = 0                    3 equations
 *     z1 . z2 = 0                  1 equation
 * z1 is the arm that turns in body 1, z2 the arm that turns in body 2.
 * Free: rotation about z1 (angle_1: from x1 to z2) and about z2 (angle_2: from z1 to x2). */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_universal = {
    .name = "universal",
    .doc = "Cardan joint: two bodies turn about the two perpendicular arms of a cross.",
    .spatial = {
        .equations = { "d", "z1 . z2" },
        .coordinates = {
            { "angle_1", "rad", "turn(x1, y1, z2)" },
            { "angle_2", "rad", "turn(z1, cross(z2, z1), x2)" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .home = { 0, 0.70710678118654752440, 0, 0.70710678118654752440 },  /* z2 = x1, x2 = z1 */
    .axis2 = "arm of the cross that is fixed on body 2, perpendicular to axis",
    .glyph = "cross",
};
