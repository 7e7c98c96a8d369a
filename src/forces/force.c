/* Force on the origin of frame 2, components along the axes of the world.
 * No potential: it has one only against ground, so its power is booked as work. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_force = {
    .name = "force",
    .doc = "Force on a point, in world axes.",
    .parameters = {
        { "value.x", "N", "along x of the world", 0.0, NULL },
        { "value.y", "N", "along y of the world", 0.0, NULL },
        { "value.z", "N", "along z of the world", 0.0, NULL },
    },
    .force = "value.x * X + value.y * Y + value.z * Z",
    .world_axes = true,
};
