/* Types whose size the lists of the file decide: the reader makes the type of each device from them
 * (src/io/reader_made_types.c). */
#include <math.h>
#include "tenon/sys/device.h"

#define LIST "list"
#define PERIOD { "period", "s", "between samples", NAN, NULL }, { "offset", "s", "time of the first sample", 0.0, NULL }
#define POSITIVE_PERIOD { "period >= 1e-12 s and offset >= 0", "'period' must be positive, at least a picosecond, 'offset' not negative" }

static const tn_device continuous = { .family = "by lists", .made = true };
static const tn_device sampled = { .family = "by lists", .made = true, .period = "period", .offset = "offset" };

static const tn_force_type transfer_function = {
    .name = "transfer-function",
    .doc = "y(s) = numerator(s) / denominator(s) u(s), the highest power first; order up to 10, from rest.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL },
                    { "numerator", LIST, "coefficients, highest power first", NAN, NULL },
                    { "denominator", LIST, "coefficients, highest power first", NAN, NULL } },
    .device = &continuous,
};

static const tn_force_type state_space = {
    .name = "state-space",
    .doc = "x' = A x + B u, y = C x + D u; channels y, or y1, y2, ... where there are several.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", LIST, "inputs", NAN, NULL }, { "A", LIST, "rows", NAN, NULL }, { "B", LIST, "rows", NAN, NULL },
                    { "C", LIST, "rows", NAN, NULL }, { "D", LIST, "rows", NAN, "0" },
                    { "start", LIST, "of the states", NAN, "0" } },
    .device = &continuous,
};

static const tn_force_type discrete_filter = {
    .name = "discrete-filter",
    .doc = "Sampled filter: a0 y(k) = b0 u(k) + b1 u(k-1) + ... - a1 y(k-1) - ...",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, PERIOD, { "numerator", LIST, "b0, b1, ...", NAN, NULL },
                    { "denominator", LIST, "a0, a1, ...", NAN, NULL } },
    .requirements = { POSITIVE_PERIOD },
    .device = &sampled,
};

static const tn_force_type delay_samples = {
    .name = "delay-samples",
    .doc = "y(k) = u(k - count): a shift register.",
    .place = TN_PLACE_NONE,
    .parameters = { { "u", "*", "input", NAN, NULL }, PERIOD, { "count", LIST, "samples", NAN, NULL },
                    { "start", "*", "first outputs", 0.0, NULL } },
    .requirements = { POSITIVE_PERIOD },
    .device = &sampled,
};

static const tn_force_type state_machine = {
    .name = "state-machine",
    .doc = "Modes that give outputs, and switches between them: { from, to, when (> 0), after (time in the mode) }.",
    .place = TN_PLACE_NONE,
    .parameters = { { "modes", LIST, "name -> value of y, or map of outputs", NAN, NULL },
                    { "switches", LIST, "{ from, to, when, after }", NAN, NULL },
                    { "start", LIST, "first mode", NAN, "the first" } },
    .device = &continuous,
};

/* Spatial: ax ay az, wx wy wz; planar: ax ay, wz; along the axes of the frame. */
static const tn_force_type imu = {
    .name = "imu",
    .doc = "Inertial sensor: acceleration less gravity, and angular velocity, along the axes of a body or frame; sampled.",
    .place = TN_PLACE_NONE,
    .parameters = { { "frame", LIST, "body or body.frame where it sits", NAN, NULL }, PERIOD },
    .requirements = { POSITIVE_PERIOD },
    .device = &sampled,
};

/* Spatial: fx fy fz, tx ty tz; planar: fx fy, tz; along the axes of the joint's frame 1. */
static const tn_force_type load_cell = {
    .name = "load-cell",
    .doc = "Force and torque of a joint on its body 2, along the axes of its frame 1; sampled.",
    .place = TN_PLACE_NONE,
    .parameters = { { "joint", LIST, "the joint", NAN, NULL }, PERIOD },
    .requirements = { POSITIVE_PERIOD },
    .device = &sampled,
};

const tn_force_type *const tn_devices_made[] = { &transfer_function, &state_space, &discrete_filter, &delay_samples, &imu, &load_cell,
                                                 &state_machine, NULL };
