/* Perpendicular axes: z2 stays perpendicular to z1.
 *     z1 . z2 = 0                  1 equation
 * Free: all translations, rotation about z1 and about z2 (angles as in the universal joint). */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_perpendicular = {
    .name = "perpendicular",
    .doc = "An axis of body 2 stays perpendicular to an axis of body 1.",
    .spatial = {
        .equations = { "z1 . z2" },
        .coordinates = {
            { "angle_1", "rad", "turn(x1, y1, z2)" },
            { "angle_2", "rad", "turn(z1, cross(z2, z1), x2)" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .home = { 0, 0.70710678118654752440, 0, 0.70710678118654752440 },  /* z2 = x1, x2 = z1 */
    .axis2 = "axis on body 2, perpendicular to axis",
    .glyph = "perpendicular",
};
