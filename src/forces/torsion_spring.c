/* Spring and damper along a coordinate q of a joint, an angle or a length:
 *     effort       -(stiffness (q - rest) + damping q' + preload)
 *     potential    stiffness (q - rest)^2 / 2 + preload (q - rest) */
#include "tenon/sys/force.h"

const tn_force_type tn_force_torsion_spring = {
    .name = "torsion-spring",
    .doc = "Spring and damper along a coordinate of a joint.",
    .place = TN_PLACE_JOINT,
    .parameters = {
        { "stiffness", "N/m|N m/rad", "effort per deflection", 0.0, NULL },
        { "rest", "m|rad", "coordinate at which the spring alone pulls nothing", 0.0, NULL },
        { "damping", "N s/m|N m s/rad", "effort per rate", 0.0, NULL },
        { "preload", "N|N m", "constant pull towards smaller values on top", 0.0, NULL },
    },
    .effort = { "effort" },
    .potential = "stiffness * deflection^2 / 2 + preload * deflection",
    .loss = "damping * rate^2",
    .channels = {
        { "deflection", "m|rad", "q - rest" },
        { "rate", "m/s|rad/s", "vel(q)" },
        { "effort", "N|N m", "-(stiffness * deflection + damping * rate + preload)" },
    },
};
