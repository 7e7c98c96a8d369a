/* A ball around N with clearance in a spherical socket around M, both giving way (compliant.h); in the plane a journal in its
 * bearing:
 *     n = -unit(d),   delta = |d| - (socket - radius)
 * Within half the clearance n only shrinks with d, so that it is smooth at d = 0; nothing touches there. */
#include "compliant.h"

#define NORMAL "(-d / max(norm(d), (socket - radius) / 2))"

const tn_force_type tn_force_ball_in_socket = {
    .name = "ball-in-socket",
    .doc = "A ball with clearance in a socket, in the plane a journal in its bearing; both give way as in ball-on-plane.",
    .parameters = {
        { "socket", "m", "radius of the socket around frame 1", NAN, NULL },
        { "radius", "m", "of the ball around frame 2; 0: a point", NAN, NULL },
        COMPLIANT_PARAMETERS,
    },
    .requirements = {
        { "radius >= 0 and socket > radius", "'radius' must not be negative, and 'socket' must be larger" },
        COMPLIANT_REQUIREMENTS,
    },
    .force = COMPLIANT_FORCE("radius", NORMAL),
    .torque = COMPLIANT_TORQUE("radius", NORMAL),
    .potential = COMPLIANT_POTENTIAL,
    .loss = COMPLIANT_LOSS,
    .channels = {
        { "depth", "m", "norm(d) - (socket - radius)" },
        { "rate", "m/s", "-vel(d) . " NORMAL },
        COMPLIANT_CHANNELS("radius", NORMAL),
    },
};
