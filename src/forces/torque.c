/* Constant torque T in world axes on body 2. A planar body feels its z component only.
 * No potential: the turns of a body about several axes do not add up to one, so its power is booked as work. */
#include "tenon/sys/force.h"

static void apply(const tn_force_view *view, tn_wrench *out)
{
    *out = (tn_wrench){ .torque = { view->parameters[0], view->parameters[1], view->parameters[2] } };
}

const tn_force_type tn_force_torque = {
    .name = "torque",
    .doc = "Constant torque on a body, in world axes.",
    .parameters = {
        { "value.x", "N m", "about x of the world", 0.0, NULL },
        { "value.y", "N m", "about y of the world", 0.0, NULL },
        { "value.z", "N m", "about z of the world", 0.0, NULL },
    },
    .apply = apply,
};
