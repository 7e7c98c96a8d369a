/* Pin in slot: N stays on the line through M along x1.
 *     d . y1 = 0                   1 equation
 * Free: translation along x1 and rotation. In space: point-on-line. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_pin_in_slot = {
    .name = "pin-in-slot",
    .doc = "A pin of body 2 slides along a slot of body 1 and turns in it.",
    .planar = {
        .equations = { "d . y1" },
        .coordinates = {
            { "position", "m", "d . x1" },
            { "angle", "rad", "turn(x1, y1, x2)" },
        },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "slot",
};
