/* Torque on body 2, components along the axes of frame 2. No potential: its power is booked as work. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_follower_torque = {
    .name = "follower-torque",
    .doc = "Torque on a body, in axes that turn with it.",
    .parameters = {
        { "value.x", "N m", "about x of frame 2", 0.0, NULL },
        { "value.y", "N m", "about y of frame 2", 0.0, NULL },
        { "value.z", "N m", "about z of frame 2", 0.0, NULL },
    },
    .torque = "value.x * x2 + value.y * y2 + value.z * z2",
};
