/* Clutches, brakes, freewheels: dry friction along a coordinate, or along a sum of coordinates. Sliding and stuck are modes,
 * whose instants are located. Stuck, an equation holds the coordinate where it stopped, among those of the joints; it lets go
 * when it would have to hold more than the friction can. */
#include <math.h>
#include "tenon/sys/device.h"

#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }

/* rate is that of the port. Modes: 0 stuck, 1 forward, 2 backward. A rate of 1e-12 against the way is round-off: what a stop holds while the
 * friction is at its limit neither sticks nor slides, and would change its mode with every step. */
#define POSITIVE(x) "max(" x ", 0 * " x ")"           /* nothing presses it together: it is free */
#define FRICTION(PORT, SPEED) \
    .family = "mechanics", .flows = { HEAT_FLOW }, \
    .modes = { "stuck", "forward", "backward" }, .hold_mode = "stuck", .hold_port = PORT, \
    .start_mode = "if(" PORT ".rate > 1e-12 " SPEED ", 1, if(" PORT ".rate < -1e-12 " SPEED ", 2, 0))", \
    .memories = { { "held", NULL, PORT ".position", PORT ".position" } }, \
    .switches = { { "forward", "stuck", "-" PORT ".rate - 1e-12 " SPEED }, { "backward", "stuck", PORT ".rate - 1e-12 " SPEED }, \
                  { "stuck", "forward", "hold - " POSITIVE("limit") }, { "stuck", "backward", "-hold - " POSITIVE("limit") } }, \
    .loss = "-rubbing * " PORT ".rate"

/* rubbing is what other devices may read: the effort while it slides. */
#define CHANNELS(EFFORT, UNIT) \
    { "rubbing", UNIT, "if(mode < 0.5, 0 " UNIT ", if(mode < 1.5, -1, 1) * " POSITIVE("capacity") ")" }, \
    { EFFORT, UNIT, "rubbing - hold" }

static const tn_force_type clutch = {
    .name = "clutch",
    .doc = "Friction clutch or brake along an angle, or a sum of angles such as { motor.angle: 1, load.angle: -1 }; slides and "
           "sticks.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "capacity", "N m", "torque while it slides; any expression, below zero it is free", NAN, NULL },
        { "limit", "N m", "largest torque while it sticks", NAN, "capacity" },
    },
    .requirements = { { "capacity >= 0 and limit >= 0", "'capacity' and 'limit' must not be negative" } },
    .channels = { CHANNELS("torque", "N m") },
    .effort = { "rubbing" },
    .device = &(const tn_device){ .ports = { { "shaft", TN_PORT_ROTARY, "angle that slips", false, 0 }, HEAT },
                                  FRICTION("shaft", "rad/s") },
};

static const tn_force_type slide_brake = {
    .name = "slide-brake",
    .doc = "Dry friction along a length, or a sum of coordinates; slides and sticks.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "capacity", "N", "force while it slides; any expression, below zero it is free", NAN, NULL },
        { "limit", "N", "largest force while it sticks", NAN, "capacity" },
    },
    .requirements = { { "capacity >= 0 and limit >= 0", "'capacity' and 'limit' must not be negative" } },
    .channels = { CHANNELS("force", "N") },
    .effort = { "rubbing" },
    .device = &(const tn_device){ .ports = { { "slide", TN_PORT_TRANSLATIONAL, "way that slips", false, 0 }, HEAT },
                                  FRICTION("slide", "m/s") },
};

/* Euler: the tension grows by exp(friction wrap) at most along the part of a drum that is wrapped. */
static const tn_force_type capstan = {
    .name = "capstan",
    .doc = "Rope, belt or cable around a drum, with friction: sticks while its tight end pulls with less than exp(friction wrap) times the "
           "tension of its slack end.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "tension", "N", "of the slack end; any expression, below zero it is free", NAN, NULL },
        { "friction", "", "coefficient", NAN, NULL },
        { "wrap", "rad", "angle around which it lies on the drum", NAN, NULL },
    },
    .requirements = { { "friction >= 0 and wrap >= 0", "'friction' and 'wrap' must not be negative" } },
    .channels = { { "capacity", "N", "tension * (exp(friction * wrap) - 1)" }, { "limit", "N", "capacity" }, CHANNELS("force", "N") },
    .effort = { "rubbing" },
    .device = &(const tn_device){ .ports = { { "slide", TN_PORT_TRANSLATIONAL, "way of the rope on the drum, such as { rope.position: 1, "
                                                                             "drum.angle: -radius }", false, 0 }, HEAT },
                                  FRICTION("slide", "m/s") },
};

/* The clutch lets go where it would have to pull, beyond round-off. */
static const tn_force_type freewheel = {
    .name = "freewheel",
    .doc = "One-way clutch: the angle, or sum of angles, may fall but not rise.",
    .place = TN_PLACE_NONE,
    .channels = { { "rubbing", "N m", "0 N m" }, { "torque", "N m", "-hold" } },
    .effort = { "rubbing" },
    .device = &(const tn_device){
        .family = "mechanics", .ports = { { "shaft", TN_PORT_ROTARY, "angle that must not rise", false, 0 } },
        .modes = { "free", "holding" }, .hold_mode = "holding", .hold_port = "shaft",
        .start_mode = "if(shaft.rate < -1e-12 rad/s, 0, 1)",
        .memories = { { "held", NULL, "shaft.position", "shaft.position" } },
        .switches = { { "free", "holding", "shaft.rate" }, { "holding", "free", "-hold - 1e-9 N m" } },
        .loss = "0 W",
    },
};

const tn_force_type *const tn_devices_clutches[] = { &clutch, &slide_brake, &capstan, &freewheel, NULL };
