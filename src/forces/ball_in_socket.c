/* A ball around N with clearance in a spherical socket around M, both giving way (compliant.h); in the plane a journal in its
 * bearing:
 *     n = -unit(d),   delta = |d| - clearance
 * Within half the clearance n only shrinks with d, so that it is smooth at d = 0; nothing touches there. */
#include "compliant.h"

#define NORMAL "(-d / max(norm(d), clearance / 2))"

const tn_force_type tn_force_ball_in_socket = {
    .name = "ball-in-socket",
    .doc = "A ball with clearance in a socket, or a journal in its bearing, that gives way as ball-on-plane.",
    .parameters = {
        { "radius", "m", "of the ball around frame 2; 0: a point", NAN, NULL },
        { "clearance", "m", "by which the radius of the socket around frame 1 is larger", NAN, NULL },
        COMPLIANT_PARAMETERS,
    },
    .requirements = {
        { "radius >= 0 and clearance > 0", "'radius' must not be negative, and 'clearance' must be positive" },
        COMPLIANT_REQUIREMENTS,
    },
    .force = COMPLIANT_FORCE("radius", NORMAL),
    .torque = COMPLIANT_TORQUE("radius", NORMAL),
    .potential = COMPLIANT_POTENTIAL,
    .loss = COMPLIANT_LOSS,
    .channels = {
        { "depth", "m", "norm(d) - clearance" },
        { "rate", "m/s", "-vel(d) . " NORMAL },
        COMPLIANT_CHANNELS("radius", NORMAL),
    },
};
