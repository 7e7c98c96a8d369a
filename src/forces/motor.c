/* Motor: effort along a coordinate q of a joint, the wanted value clamped to the available effort. When driving, the
 * available effort falls from limit at rest to zero at no_load_speed; when braking, it is limit.
 * The effort is an input from outside: its power is booked as work. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_motor = {
    .name = "motor",
    .doc = "Effort along a coordinate of a joint, within the limits of a motor.",
    .place = TN_PLACE_JOINT,
    .parameters = {
        { "value", "N|N m", "wanted effort, towards larger values of the coordinate", NAN, NULL },
        { "limit", "N|N m", "largest effort either way; 0: none", 0.0, NULL },
        { "no_load_speed", "m/s|rad/s", "rate at which no driving effort is left; 0: none", 0.0, NULL },
    },
    .requirements = {
        { "limit >= 0 and no_load_speed >= 0", "'limit' and 'no_load_speed' must not be negative" },
        { "limit > 0 or no_load_speed <= 0", "'no_load_speed' needs a 'limit', the effort at rest" },
    },
    .effort = { "effort" },
    .channels = {
        { "rate", "m/s|rad/s", "vel(q)" },
        { "lower", "N|N m", "-limit * if(no_load_speed > 0, clamp(1 + rate / no_load_speed, 0, 1), 1)" },
        { "upper", "N|N m", "limit * if(no_load_speed > 0, clamp(1 - rate / no_load_speed, 0, 1), 1)" },
        { "effort", "N|N m", "if(limit > 0, clamp(value, lower, upper), value)" },
    },
};
