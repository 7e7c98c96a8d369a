/* Sampled signals and signals with modes. A sample is taken at offset + k period, k = 0, 1, ...; memories keep their values
 * between samples. Sensors of the mechanism are sampled channels. */
#include <math.h>
#include "tenon/sys/device.h"

#define PERIOD { "period", "s", "between samples", NAN, NULL }, { "offset", "s", "time of the first sample", 0.0, NULL }
#define SAMPLED .family = "sampled", .period = "period", .offset = "offset"
#define POSITIVE_PERIOD { "period >= 1e-12 s and offset >= 0", "'period' must be positive, at least a picosecond, 'offset' not negative" }

static const tn_force_type sample_hold = {
    .name = "sample-hold",
    .doc = "Samples u and holds it.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input; accelerations and reactions too", NAN, NULL }, PERIOD,
                    { "start", "*", "output before the first sample", 0.0, NULL } },
    .requirements = { POSITIVE_PERIOD },
    .device = &(const tn_device){ SAMPLED, .memories = { { "y", NULL, "start", "u" } } },
};

/* At sample k:  integral = integral + increment,  wanted = kp e + integral - kd (measured - last) / period + feedforward
 *     y = clamp(wanted, low, high),  increment = period (ki e + (y - wanted) / tracking), 0 without ki */
static const tn_force_type discrete_pid = {
    .name = "discrete-pid",
    .doc = "Sampled PID controller with limits and anti-windup; its output is held.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "target", "*", "what the measured value should be", NAN, NULL },
        { "measured", "*", "what is controlled", NAN, NULL },
        PERIOD,
        { "kp", "*", "output per error", NAN, NULL },
        { "ki", "*", "output per error and second", 0.0, NULL },
        { "kd", "*", "output per rate of the measured value", 0.0, NULL },
        { "feedforward", "*", "added to the output", 0.0, NULL },
        { "low", "*", "lowest output", -INFINITY, NULL },
        { "high", "*", "highest output", INFINITY, NULL },
        { "tracking", "s", "time in which the integral gives way at a limit", 0.1, NULL },
    },
    .requirements = { POSITIVE_PERIOD, { "tracking > 0", "'tracking' must be positive" },
                      { "low < high", "'low' must be below 'high'" } },
    .channels = {
        { "error", NULL, "target - measured" },
        { "wanted", NULL, "kp * (target - measured) + integral + increment - kd * (measured - last) / period + feedforward" },
    },
    .device = &(const tn_device){
        SAMPLED,
        .memories = { { "y", NULL, "0", "clamp(wanted, low, high)" },
                      { "integral", NULL, "0", "integral + increment" },
                      { "increment", NULL, "0", "period * (ki * error + if(abs(ki) > 0, clamp(wanted, low, high) - wanted, 0) / tracking)" },
                      { "last", NULL, "measured", "measured" } },
    },
};

static const tn_force_type discrete_lag = {
    .name = "discrete-lag",
    .doc = "Sampled first order filter: y = y + factor (u - y).",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, PERIOD, { "factor", "", "0 to 1", NAN, NULL },
                    { "start", "*", "output before the first sample", 0.0, NULL } },
    .requirements = { POSITIVE_PERIOD },
    .device = &(const tn_device){ SAMPLED, .memories = { { "y", NULL, "start", "y + factor * (u - y)" } } },
};

static const tn_force_type unit_delay = {
    .name = "unit-delay",
    .doc = "The sample before the last.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, PERIOD, { "start", "*", "first outputs", 0.0, NULL } },
    .requirements = { POSITIVE_PERIOD },
    .device = &(const tn_device){ SAMPLED, .memories = { { "y", NULL, "start", "last" }, { "last", NULL, "start", "u" } } },
};

/* Both edges are instants: the rising one is a sample, the falling one a located kink. */
static const tn_force_type pwm = {
    .name = "pwm",
    .doc = "Pulse width modulation: y = 1 for a part of each period, else 0; the duty is sampled.",
    .place = TN_PLACE_NONE,
    .parameters = { { "duty", "", "0 to 1", NAN, NULL }, PERIOD },
    .requirements = { POSITIVE_PERIOD },
    .channels = { { "y", "", "if(t < until, 1, 0)" } },
    .device = &(const tn_device){ SAMPLED, .memories = { { "until", "s", "0", "t + clamp(duty, 0, 1) * period" } } },
};

static const tn_force_type relay = {
    .name = "relay",
    .doc = "Switches to high when u rises above on, and to low when u falls below off.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "u", "*", "input", NAN, NULL }, { "on", "*", "", NAN, NULL }, { "off", "*", "below on", NAN, NULL },
        { "low", "*", "output when off", 0.0, NULL }, { "high", "*", "output when on", 1.0, NULL },
        { "start", "", "1: on at the start", 0.0, NULL },
    },
    .requirements = { { "on > off", "'on' must be above 'off'" } },
    .channels = { { "y", NULL, "if(mode > 0.5, high, low)" } },
    .device = &(const tn_device){
        .family = "sampled", .modes = { "off", "on" }, .start_mode = "start",
        .switches = { { "off", "on", "u - on" }, { "on", "off", "off - u" } },
    },
};

static const tn_force_type counter = {
    .name = "counter",
    .doc = "Counts how often u rises above zero.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "hysteresis", "*", "u must fall below minus this in between", 0.0, NULL } },
    .device = &(const tn_device){
        .family = "sampled", .modes = { "below", "above" }, .start_mode = "if(u > 0, 1, 0)",
        .memories = { { "y", "", "0", "y + if(mode < 0.5, 1, 0)" } },
        .switches = { { "below", "above", "u" }, { "above", "below", "-hysteresis - u" } },
    },
};

static const tn_force_type timer = {
    .name = "timer",
    .doc = "y = 1 once u has been positive for a time, until u is no longer positive.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, { "time", "s", "", NAN, NULL } },
    .requirements = { { "time > 0", "'time' must be positive" } },
    .channels = { { "y", "", "if(mode > 1.5, 1, 0)" } },
    .device = &(const tn_device){
        .family = "sampled", .modes = { "idle", "waiting", "done" },
        .switches = { { "idle", "waiting", "u" }, { "waiting", "done", "t - since - time" }, { "waiting", "idle", "-u" },
                      { "done", "idle", "-u" } },
    },
};

static const tn_force_type encoder = {
    .name = "encoder",
    .doc = "Counts of an angle, sampled.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "rad", "the angle", NAN, NULL }, { "counts", "", "per turn", NAN, NULL }, PERIOD },
    .requirements = { POSITIVE_PERIOD, { "counts > 0", "'counts' must be positive" } },
    .channels = { { "step", "rad", "2 * pi / counts" }, { "rate", "rad/s", "(y - last) / period" } },
    .device = &(const tn_device){
        SAMPLED, .memories = { { "y", "rad", "step * floor(u / step)", "step * floor(u / step)" },
                               { "last", "rad", "step * floor(u / step)", "y" } },
    },
};

const tn_force_type *const tn_devices_sampled[] = {
    &sample_hold, &discrete_pid, &discrete_lag, &unit_delay, &pwm, &relay, &counter, &timer, &encoder, NULL
};
