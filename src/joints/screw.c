/* Screw joint: a cylindrical joint whose position follows its angle.
 *     d . x1 = 0,  d . y1 = 0                            2 equations
 *     x1 . z2 = 0,  y1 . z2 = 0                          2 equations
 *     position - lead angle / (2 pi) - offset = 0        1 equation
 * Free: rotation about z1 together with translation along it. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_screw = {
    .name = "screw",
    .doc = "Screw and nut: turning about an axis drives the motion along it.",
    .spatial = {
        .equations = {
            "d . x1",
            "d . y1",
            "x1 . z2",
            "y1 . z2",
            "position - lead * angle / (2 * pi) - offset",
        },
        .coordinates = {
            { "angle", "rad", "turn(x1, y1, x2)" },
            { "position", "m", "d . z1" },
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "lead", "m", "advance in one turn; negative for a left-handed thread", NAN, NULL },
        { "offset", "m", "position at angle zero; as built when not given", NAN,
          "position - lead * angle / (2 * pi)" },
    },
    .glyph = "screw",
};
