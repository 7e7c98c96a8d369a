/* Clutches, brakes, freewheels: dry friction along a coordinate, or along a sum of coordinates. Sliding and stuck are modes,
 * whose instants are located. Stuck, a stiff spring with a damper holds the coordinate where it stopped; it lets go when it
 * would have to hold more than the friction can. */
#include <math.h>
#include "tenon/sys/device.h"

#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }

/* rate is that of the port. Modes: 0 stuck, 1 forward, 2 backward. */
#define FRICTION(PORT, EFFORT) \
    .family = "mechanics", .flows = { HEAT_FLOW }, \
    .modes = { "stuck", "forward", "backward" }, \
    .start_mode = "if(" PORT ".rate > 0, 1, if(" PORT ".rate < 0, 2, 0))", \
    .memories = { { "held", NULL, PORT ".position", PORT ".position" } }, \
    .switches = { { "forward", "stuck", "-" PORT ".rate" }, { "backward", "stuck", PORT ".rate" }, \
                  { "stuck", "forward", "hold - limit" }, { "stuck", "backward", "-hold - limit" } }, \
    .stored = "if(mode < 0.5, stiffness * (" PORT ".position - held)^2 / 2, 0 J)", \
    .loss = "-(" EFFORT ") * " PORT ".rate - if(mode < 0.5, stiffness * (" PORT ".position - held) * " PORT ".rate, 0)"

#define CHANNELS(PORT, EFFORT, UNIT) \
    { "hold", UNIT, "stiffness * (" PORT ".position - held) + damping * " PORT ".rate" }, \
    { EFFORT, UNIT, "if(mode < 0.5, -hold, if(mode < 1.5, -capacity, capacity))" }

static const tn_force_type clutch = {
    .name = "clutch",
    .doc = "Friction clutch or brake along an angle, or a sum of angles such as { motor.angle: 1, load.angle: -1 }; slides and "
           "sticks.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "capacity", "N m", "torque while it slides; any expression that is not negative", NAN, NULL },
        { "limit", "N m", "largest torque while it sticks", NAN, "capacity" },
        { "stiffness", "N m/rad", "while it sticks", 1e6, NULL },
        { "damping", "N m s/rad", "while it sticks", NAN, "stiffness * 1e-3 s" },
    },
    .requirements = { { "capacity >= 0 and limit >= 0", "'capacity' and 'limit' must not be negative" },
                      { "stiffness > 0 and damping >= 0", "'stiffness' must be positive, 'damping' not negative" } },
    .channels = { CHANNELS("shaft", "torque", "N m") },
    .effort = { "torque" },
    .device = &(const tn_device){ .ports = { { "shaft", TN_PORT_ROTARY, "angle that slips", false, 0 }, HEAT },
                                  FRICTION("shaft", "torque") },
};

static const tn_force_type slide_brake = {
    .name = "slide-brake",
    .doc = "Dry friction along a length, or a sum of coordinates; slides and sticks.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "capacity", "N", "force while it slides; any expression that is not negative", NAN, NULL },
        { "limit", "N", "largest force while it sticks", NAN, "capacity" },
        { "stiffness", "N/m", "while it sticks", 1e8, NULL },
        { "damping", "N s/m", "while it sticks", NAN, "stiffness * 1e-3 s" },
    },
    .requirements = { { "capacity >= 0 and limit >= 0", "'capacity' and 'limit' must not be negative" },
                      { "stiffness > 0 and damping >= 0", "'stiffness' must be positive, 'damping' not negative" } },
    .channels = { CHANNELS("slide", "force", "N") },
    .effort = { "force" },
    .device = &(const tn_device){ .ports = { { "slide", TN_PORT_TRANSLATIONAL, "way that slips", false, 0 }, HEAT },
                                  FRICTION("slide", "force") },
};

/* Free while the angle falls; the torque of the spring only pushes it back. */
static const tn_force_type freewheel = {
    .name = "freewheel",
    .doc = "One-way clutch: the angle, or sum of angles, may fall but not rise.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "stiffness", "N m/rad", "while it holds", 1e6, NULL },
        { "damping", "N m s/rad", "while it holds", NAN, "stiffness * 1e-3 s" },
    },
    .requirements = { { "stiffness > 0 and damping >= 0", "'stiffness' must be positive, 'damping' not negative" } },
    .channels = {
        { "hold", "N m", "stiffness * (shaft.position - held) + damping * shaft.rate" },
        { "torque", "N m", "if(mode < 0.5, 0 N m, -hold)" },
    },
    .effort = { "torque" },
    .device = &(const tn_device){
        .family = "mechanics", .ports = { { "shaft", TN_PORT_ROTARY, "angle that must not rise", false, 0 }, HEAT },
        .flows = { HEAT_FLOW }, .modes = { "free", "holding" }, .start_mode = "if(shaft.rate > 0, 1, 0)",
        .memories = { { "held", NULL, "shaft.position", "shaft.position" } },
        .switches = { { "free", "holding", "shaft.rate" }, { "holding", "free", "-hold" } },
        .stored = "if(mode < 0.5, 0 J, stiffness * (shaft.position - held)^2 / 2)",
        .loss = "if(mode < 0.5, 0 W, damping * shaft.rate^2)",
    },
};

const tn_force_type *const tn_devices_clutches[] = { &clutch, &slide_brake, &freewheel, NULL };
