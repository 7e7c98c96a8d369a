/* A ball around N on a plane of body 1 through M, both giving way (compliant.h); the plane's normal, given in frame 1, points
 * to the side of the ball:
 *     n = unit(normal),   delta = radius - d . n */
#include "compliant.h"

#define NORMAL "unit(normal.x * x1 + normal.y * y1 + normal.z * z1)"

const tn_force_type tn_force_ball_on_plane = {
    .name = "ball-on-plane",
    .doc = "A ball that gives way, on a plane: Hertz's law with the damping of Hunt and Crossley, and friction.",
    .parameters = {
        { "radius", "m", "of the ball around frame 2; 0: a point", NAN, NULL },
        { "normal.x", "", "x of the direction out of the plane, in frame 1", 0.0, NULL },
        { "normal.y", "", "the same along y", 0.0, NULL },
        { "normal.z", "", "along z", 0.0, NULL },
        COMPLIANT_PARAMETERS,
    },
    .requirements = {
        { "radius >= 0", "'radius' must not be negative" },
        { "hypot(normal.x, hypot(normal.y, normal.z)) > 0", "'normal', the direction out of the plane, must be given" },
        COMPLIANT_REQUIREMENTS,
    },
    .force = COMPLIANT_FORCE("radius", NORMAL),
    .torque = COMPLIANT_TORQUE("radius", NORMAL),
    .potential = COMPLIANT_POTENTIAL,
    .loss = COMPLIANT_LOSS,
    .channels = {
        { "depth", "m", "radius - d . " NORMAL },
        { "rate", "m/s", "-vel(d . " NORMAL ")" },
        COMPLIANT_CHANNELS("radius", NORMAL),
    },
};
