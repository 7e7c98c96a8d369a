/* Torque on body 2, components along the axes of the world. A planar body feels its z component only.
 * No potential: the turns of a body about several axes do not add up to one, so its power is booked as work. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_torque = {
    .name = "torque",
    .doc = "Torque on a body, in world axes.",
    .parameters = {
        { "value.x", "N m", "about x of the world", 0.0, NULL },
        { "value.y", "N m", "about y of the world", 0.0, NULL },
        { "value.z", "N m", "about z of the world", 0.0, NULL },
    },
    .torque = "value.x * X + value.y * Y + value.z * Z",
    .world_axes = true,
};
