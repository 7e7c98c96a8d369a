/* One-dimensional mechanics between coordinates: a port is a coordinate, or a sum of coordinates with factors. */
#include <math.h>
#include "tenon/sys/device.h"

#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }

/* s = position - rest; with backlash the spring acts on s less the gap. */
static const tn_force_type coupling = {
    .name = "coupling",
    .doc = "Spring and damper along a sum of angles, such as { motor.angle: 1, load.angle: -1 }, with backlash.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "stiffness", "N m/rad", "", NAN, NULL },
        { "damping", "N m s/rad", "", 0.0, NULL },
        { "rest", "rad", "where the spring is free", 0.0, NULL },
        { "gap", "rad", "backlash: whole width", 0.0, NULL },
    },
    .requirements = { { "stiffness >= 0 and damping >= 0 and gap >= 0",
                        "'stiffness', 'damping' and 'gap' must not be negative" } },
    .channels = {
        { "twist", "rad", "shaft.position - rest" },
        { "stretched", "rad", "twist - clamp(twist, -gap / 2, gap / 2)" },
        { "torque", "N m", "-(stiffness * stretched + damping * shaft.rate)" },
    },
    .effort = { "torque" },
    .device = &(const tn_device){
        .family = "mechanics", .ports = { { "shaft", TN_PORT_ROTARY, "sum of angles that is held", false, 0 }, HEAT },
        .flows = { HEAT_FLOW }, .stored = "stiffness * stretched^2 / 2", .loss = "damping * shaft.rate^2",
    },
};

/* Strand 1 is stretched by s, strand 2 by -s; a strand cannot push. */
static const tn_force_type belt = {
    .name = "belt",
    .doc = "Belt or chain over two wheels: slide is { wheel1.angle: r1, wheel2.angle: -r2 }; strands go slack.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "stiffness", "N/m", "of each strand", NAN, NULL },
        { "damping", "N s/m", "of the belt", 0.0, NULL },
        { "pretension", "N", "of each strand at rest", NAN, NULL },
    },
    .requirements = { { "stiffness > 0 and damping >= 0 and pretension >= 0",
                        "'stiffness' must be positive, 'damping' and 'pretension' not negative" } },
    .channels = {
        { "tight", "N", "max(0 N, pretension + stiffness * slide.position)" },
        { "slack", "N", "max(0 N, pretension - stiffness * slide.position)" },
        { "force", "N", "-(tight - slack) - damping * slide.rate" },
    },
    .effort = { "force" },
    .device = &(const tn_device){
        .family = "mechanics", .ports = { { "slide", TN_PORT_TRANSLATIONAL, "way of the belt on the first wheel less that on"
                                                                          " the second", false, 0 }, HEAT },
        .flows = { HEAT_FLOW }, .stored = "(tight^2 + slack^2) / (2 * stiffness)", .loss = "damping * slide.rate^2",
    },
};

static const tn_force_type torque_source = {
    .name = "torque-source",
    .doc = "A given torque on an angle, or on a sum of angles.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "N m", "any expression", NAN, NULL } },
    .channels = { { "torque", "N m", "value" } },
    .effort = { "torque" },
    .device = &(const tn_device){ .family = "mechanics", .ports = { { "shaft", TN_PORT_ROTARY, "", false, 0 } },
                                  .supplied = "torque * shaft.rate" },
};

static const tn_force_type force_source = {
    .name = "force-source",
    .doc = "A given force along a length, or along a sum of coordinates.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "N", "any expression", NAN, NULL } },
    .channels = { { "force", "N", "value" } },
    .effort = { "force" },
    .device = &(const tn_device){ .family = "mechanics", .ports = { { "slide", TN_PORT_TRANSLATIONAL, "", false, 0 } },
                                  .supplied = "force * slide.rate" },
};

static const tn_force_type spring_damper = {
    .name = "spring-damper",
    .doc = "Spring and damper along a length, or along a sum of coordinates, with play.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "stiffness", "N/m", "", NAN, NULL },
        { "damping", "N s/m", "", 0.0, NULL },
        { "rest", "m", "where the spring is free", 0.0, NULL },
        { "gap", "m", "play: whole width", 0.0, NULL },
    },
    .requirements = { { "stiffness >= 0 and damping >= 0 and gap >= 0",
                        "'stiffness', 'damping' and 'gap' must not be negative" } },
    .channels = {
        { "way", "m", "slide.position - rest" },
        { "stretched", "m", "way - clamp(way, -gap / 2, gap / 2)" },
        { "force", "N", "-(stiffness * stretched + damping * slide.rate)" },
    },
    .effort = { "force" },
    .device = &(const tn_device){
        .family = "mechanics", .ports = { { "slide", TN_PORT_TRANSLATIONAL, "", false, 0 }, HEAT }, .flows = { HEAT_FLOW },
        .stored = "stiffness * stretched^2 / 2", .loss = "damping * slide.rate^2",
    },
};

const tn_force_type *const tn_devices_mechanics[] = {
    &coupling, &spring_damper, &belt, &torque_source, &force_source, NULL
};
