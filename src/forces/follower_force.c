/* Force on the origin of frame 2, components along the axes of frame 2: it turns with the body. A jet, a propeller.
 * No potential: its power is booked as work. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_follower_force = {
    .name = "follower-force",
    .doc = "Force on a point, in axes that turn with the body.",
    .parameters = {
        { "value.x", "N", "along x of frame 2", 0.0, NULL },
        { "value.y", "N", "along y of frame 2", 0.0, NULL },
        { "value.z", "N", "along z of frame 2", 0.0, NULL },
    },
    .force = "value.x * x2 + value.y * y2 + value.z * z2",
};
