/* Spring and damper between the origins of frames 1 and 2, with q = |N - M|:
 *     tension      stiffness (q - length) + damping q' + preload
 *     potential    stiffness (q - length)^2 / 2 + preload (q - length)
 * At q = 0 the direction is unknown and nothing acts; for length = preload = 0 that is the limit. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_spring = {
    .name = "spring",
    .doc = "Spring and damper along the line between two points.",
    .parameters = {
        { "stiffness", "N/m", "tension per stretch", NAN, NULL },
        { "length", "m", "distance at which the spring alone pulls nothing", NAN, NULL },
        { "damping", "N s/m", "tension per stretching speed", 0.0, NULL },
        { "preload", "N", "constant tension on top", 0.0, NULL },
    },
    .along = { "norm(d)" },
    .effort = { "-tension" },
    .potential = "stiffness * (q - length)^2 / 2 + preload * (q - length)",
    .loss = "damping * rate^2",
    .channels = {
        { "length", "m", "q" },
        { "rate", "m/s", "vel(q)" },
        { "tension", "N", "stiffness * (q - length) + damping * rate + preload" },
    },
};
