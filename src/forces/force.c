/* Constant force F in world axes on the origin of frame 2.
 * No potential: it has one only against ground, so its power is booked as work. */
#include "tenon/sys/force.h"

static void apply(const tn_force_view *view, tn_wrench *out)
{
    *out = (tn_wrench){ .force = { view->parameters[0], view->parameters[1], view->parameters[2] } };
}

const tn_force_type tn_force_force = {
    .name = "force",
    .doc = "Constant force on a point, in world axes.",
    .parameters = {
        { "value.x", "N", "along x of the world", 0.0, NULL },
        { "value.y", "N", "along y of the world", 0.0, NULL },
        { "value.z", "N", "along z of the world", 0.0, NULL },
    },
    .apply = apply,
};
