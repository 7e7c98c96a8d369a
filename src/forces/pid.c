/* PID controller that acts along a coordinate q of a joint. With e = target - measured:
 *     wanted       u = kp e + integral + kd e'          e' is the exact rate
 *     effort       u within -limit ... limit
 *     integral'    ki e + (effort - u) / reset_time     at the limit the integral gives way: no wind-up
 * The effort is an input from outside: its power is booked as work. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_pid = {
    .name = "pid",
    .doc = "PID controller that acts along a coordinate of a joint.",
    .place = TN_PLACE_JOINT,
    .parameters = {
        { "target", "*", "what the measured value should be", NAN, NULL },
        { "measured", "*", "what is controlled", NAN, "q" },
        { "kp", "*", "effort per error", 0.0, NULL },
        { "ki", "*", "effort per error and second", 0.0, NULL },
        { "kd", "*", "effort per rate of the error", 0.0, NULL },
        { "limit", "N|N m", "largest effort either way; 0: none", 0.0, NULL },
        { "reset_time", "s", "time in which the integral gives way at the limit", 0.1, NULL },
    },
    .requirements = {
        { "limit >= 0 and reset_time > 0", "'limit' must not be negative, and 'reset_time' must be positive" },
    },
    .effort = { "effort" },
    .states = {
        { "integral", "N|N m", "0", "if(abs(ki) > 0, ki * error + (effort - wanted) / reset_time, 0)" },
    },
    .channels = {
        { "error", NULL, "target - measured" },
        { "wanted", "N|N m", "kp * error + integral + if(abs(kd) > 0, kd * vel(error), 0)" },
        { "effort", "N|N m", "if(limit > 0, clamp(wanted, -limit, limit), wanted)" },
    },
};
