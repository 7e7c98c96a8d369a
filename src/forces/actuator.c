/* A push of any size along the line between the origins of frames 1 and 2. It is given from outside, so its power is
 * booked as work. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_actuator = {
    .name = "actuator",
    .doc = "Push along the line between two points.",
    .parameters = {
        { "value", "N", "push: positive drives the points apart", NAN, NULL },
    },
    .along = { "norm(d)" },
    .effort = { "value" },
    .channels = {
        { "length", "m", "q" },
        { "rate", "m/s", "vel(q)" },
        { "force", "N", "value" },
    },
};
