/* Rack and pinion: couples the angle of one joint (pinion) with the position of another (rack).
 *     q2 - radius q1 - offset = 0               1 equation */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_rack_and_pinion = {
    .name = "rack-and-pinion",
    .doc = "Rack and pinion: the angle of the first joint drives the position of the second.",
    .joints = 2,
    .planar = {
        .equations = { "q2 - radius * q1 - offset" },
    },
    .spatial = {
        .equations = { "q2 - radius * q1 - offset" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .nonzero = "radius",
    .parameters = {
        { "radius", "m", "radius of the pinion; negative when the rack runs the other way", NAN, NULL },
        { "offset", "m", "position of the rack at angle zero; as built when not given", NAN, "q2 - radius * q1" },
    },
    .glyph = "rack",
};
