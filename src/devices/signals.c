/* Continuous signals: devices without ports. Their output is y; gain, sum and product need no device, since every parameter
 * may be an expression. */
#include <math.h>
#include "tenon/sys/device.h"

static const tn_device plain = { .family = "signals" };

static const tn_force_type signal = {
    .name = "signal",
    .doc = "A named expression.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "*", "the expression", NAN, NULL } },
    .channels = { { "y", NULL, "value" } },
    .device = &plain,
};

/* time y' = gain u - y */
static const tn_force_type lag = {
    .name = "lag",
    .doc = "First order lag.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "u", "*", "input", NAN, NULL },
        { "time", "s", "time constant", NAN, NULL },
        { "gain", "*", "output per input at rest", 1.0, NULL },
        { "start", "*", "output at the start", 0.0, NULL },
    },
    .requirements = { { "time > 0", "'time' must be positive" } },
    .states = { { "y", NULL, "start", "(gain * u - y) / time" } },
    .device = &plain,
};

/* y(t) = u(t - time); the engine keeps the past of u (system/delay.h). */
static const tn_force_type delay = {
    .name = "delay",
    .doc = "y(t) = u(t - time): dead time of a continuous signal.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "u", "*", "input", NAN, NULL },
        { "time", "s", "delay; a number", NAN, NULL },
        { "before", "*", "output until the start of the run has gone by a delay ago; a number", 0.0, NULL },
        { "steps", "", "largest number of pieces of the past that are kept; a step is one or several", 1000.0, NULL },
    },
    .requirements = { { "time >= 1e-12 s", "'time' must be positive, at least a picosecond" },
                      { "steps >= 2", "'steps' must be at least 2" } },
    .channels = { { "y", NULL, "delayed" } },
    .device = &(const tn_device){ .family = "signals", .history = "u" },
};

static const tn_force_type integrator = {
    .name = "integrator",
    .doc = "y' = u.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "start", "*", "output at the start", 0.0, NULL } },
    .states = { { "y", NULL, "start", "u" } },
    .device = &plain,
};

/* f' = (u - f) / time,  y = (u - f) / time */
static const tn_force_type derivative = {
    .name = "derivative",
    .doc = "Filtered derivative.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "time", "s", "of the filter", NAN, NULL } },
    .requirements = { { "time > 0", "'time' must be positive" } },
    .states = { { "f", NULL, "u", "(u - f) / time" } },
    .channels = { { "y", NULL, "(u - f) / time" } },
    .device = &plain,
};

/* e = target - measured,  f' = (measured - f) / filter
 * wanted = kp (weight target - measured) + integral - kd (measured - f) / filter + feedforward
 * y = clamp(wanted, low, high),  integral' = ki e + (y - wanted) / tracking: no wind-up at the limits; without ki the
 * integral stays what it is */
static const tn_force_type pid = {
    .name = "pid",
    .doc = "PID controller with a filtered derivative of the measured value, limits and anti-windup.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "target", "*", "what the measured value should be", NAN, NULL },
        { "measured", "*", "what is controlled", NAN, NULL },
        { "kp", "*", "output per error", NAN, NULL },
        { "ki", "*", "output per error and second", 0.0, NULL },
        { "kd", "*", "output per rate of the measured value", 0.0, NULL },
        { "filter", "s", "time of the filter of the derivative", 0.01, NULL },
        { "weight", "", "of the target in the proportional part", 1.0, NULL },
        { "feedforward", "*", "added to the output", 0.0, NULL },
        { "low", "*", "lowest output", -INFINITY, NULL },
        { "high", "*", "highest output", INFINITY, NULL },
        { "tracking", "s", "time in which the integral gives way at a limit", 0.1, NULL },
    },
    .requirements = { { "filter > 0 and tracking > 0", "'filter' and 'tracking' must be positive" },
                      { "low < high", "'low' must be below 'high'" } },
    .states = {
        { "integral", NULL, "0", "ki * error + if(abs(ki) > 0, y - wanted, 0) / tracking" },
        { "f", NULL, "measured", "(measured - f) / filter" },
    },
    .channels = {
        { "error", NULL, "target - measured" },
        { "wanted", NULL, "kp * (weight * target - measured) + integral - kd * (measured - f) / filter + feedforward" },
        { "y", NULL, "clamp(wanted, low, high)" },
    },
    .device = &plain,
};

static const tn_force_type limiter = {
    .name = "limiter",
    .doc = "y = u, between low and high.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "low", "*", "", NAN, NULL }, { "high", "*", "", NAN, NULL } },
    .requirements = { { "low < high", "'low' must be below 'high'" } },
    .channels = { { "y", NULL, "clamp(u, low, high)" } },
    .device = &plain,
};

static const tn_force_type dead_zone = {
    .name = "dead-zone",
    .doc = "y = 0 between low and high, and the excess beyond.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "low", "*", "", NAN, NULL }, { "high", "*", "", NAN, NULL } },
    .requirements = { { "low < high", "'low' must be below 'high'" } },
    .channels = { { "y", NULL, "u - clamp(u, low, high)" } },
    .device = &plain,
};

static const tn_force_type rate_limiter = {
    .name = "rate-limiter",
    .doc = "Follows u with a limited rate.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "u", "*", "input", NAN, NULL },
        { "rise", "*", "largest rate upwards", NAN, NULL },
        { "fall", "*", "largest rate downwards", NAN, "rise" },
        { "time", "s", "of following within the limits", 1e-3, NULL },
        { "start", "*", "output at the start", NAN, "u" },
    },
    .requirements = { { "rise > 0 and fall > 0 and time > 0", "'rise', 'fall' and 'time' must be positive" } },
    .states = { { "y", NULL, "start", "clamp((u - y) / time, -fall, rise)" } },
    .device = &plain,
};

static const tn_force_type quantizer = {
    .name = "quantizer",
    .doc = "Rounds to whole multiples of a step.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "step", "*", "", NAN, NULL } },
    .requirements = { { "step > 0", "'step' must be positive" } },
    .channels = { { "y", NULL, "step * floor(u / step + 0.5)" } },
    .device = &plain,
};

const tn_force_type *const tn_devices_signals[] = {
    &signal, &lag, &integrator, &derivative, &delay, &pid, &limiter, &dead_zone, &rate_limiter, &quantizer, NULL
};
