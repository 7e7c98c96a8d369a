/* Hydraulic machines and cylinders: between oil and mechanism. */
#include <math.h>
#include "oil.h"
#include "tenon/sys/device.h"

#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }
/* q from a to b = displacement w - leak (b - a);  torque -displacement (b - a) - friction w: a pump raises the pressure from
 * a to b when it is turned forwards, and takes torque; with pressure at a it is a motor. */
static const tn_force_type pump = {
    .name = "pump",
    .doc = "Displacement machine: pump, or motor.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "displacement", "m^3/rad", "per angle; an expression where it is variable", NAN, NULL },
        { "leak", "m^3/s/Pa", "back, per pressure difference", 0.0, NULL },
        { "friction", "N m s/rad", "viscous", 0.0, NULL },
    },
    .requirements = { { "leak >= 0 and friction >= 0", "'leak' and 'friction' must not be negative" } },
    .channels = {
        { "dp", "Pa", "b.pressure - a.pressure" },
        { "q", "m^3/s", "displacement * shaft.rate - leak * dp" },
        { "torque", "N m", "-displacement * dp - friction * shaft.rate" },
    },
    .effort = { "torque" },
    .device = &(const tn_device){
        .family = "hydraulic",
        .ports = { { "a", "hydraulic", "inlet", false, 0 }, { "b", "hydraulic", "outlet", false, 0 },
                   { "shaft", TN_PORT_ROTARY, "what turns it", false, 0 }, HEAT },
        .flows = { { "a", "flow", "q" }, { "b", "flow", "-(q)" }, HEAT_FLOW },
        .loss = "leak * dp^2 + friction * shaft.rate^2",
    },
};

/* x = position - closed_length;  force area_a a - area_b b - friction x'
 * Flows are volumes of oil at the pressure of their node. Oil that comes into a chamber is compressed already: with it comes
 * the energy e(p) per volume, which the account counts as supplied. */
static const tn_force_type cylinder = {
    .name = "hydraulic-cylinder",
    .doc = "Two chambers of oil that push a coordinate or the distance of two frames; ends are limits of the joint.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "bore", "m", "diameter of the piston, in place of the areas", NAN, "0" },
        { "rod", "m", "diameter of the rod, in place of the areas", NAN, "0" },
        { "area_a", "m^2", "of the piston in chamber a, which extends", NAN, "pi / 4 * bore^2" },
        { "area_b", "m^2", "of the piston in chamber b", NAN, "pi / 4 * (bore^2 - rod^2)" },
        { "stroke", "m", "way of the piston", NAN, NULL },
        { "closed_length", "m", "position when pulled in", NAN, NULL },
        { "dead_a", "m^3", "oil in chamber a and its line when pulled in", NAN, "0.05 * area_a * stroke" },
        { "dead_b", "m^3", "oil in chamber b and its line when extended", NAN, "0.05 * area_b * stroke" },
        { "leak", "m^3/s/Pa", "from a to b per pressure difference", 0.0, NULL },
        { "friction", "N s/m", "viscous", 0.0, NULL },
        { "pressure_a", "Pa", "of chamber a at the start", NAN, "0" },
        { "pressure_b", "Pa", "of chamber b at the start", NAN, "0" },
    },
    .requirements = {
        { "area_a > 0 and area_b >= 0", "give 'bore' and 'rod', or 'area_a' and 'area_b': the piston has no area" },
        { "stroke > 0 and dead_a > 0 and dead_b > 0", "'stroke', 'dead_a' and 'dead_b' must be positive" },
        { "leak >= 0 and friction >= 0", "'leak' and 'friction' must not be negative" },
        { "volume_a > 0 and volume_b > 0", "a chamber must have a volume: the piston is beyond its stroke; give the joint 'limits'" },
        TN_OIL_BEARS("a"), TN_OIL_BEARS("b"),
    },
    .channels = {
        { "extension", "m", "slide.position - closed_length" },
        { "volume_a", "m^3", "dead_a + area_a * extension" },
        { "volume_b", "m^3", "dead_b + area_b * (stroke - extension)" },
        { "dp", "Pa", "a.pressure - b.pressure" },
        { "force", "N", "area_a * a.pressure - area_b * b.pressure - friction * slide.rate" },
    },
    .effort = { "force" },
    .device = &(const tn_device){
        .family = "hydraulic",
        .ports = { { "a", "hydraulic", "chamber that extends it", false, 1 },
                   { "b", "hydraulic", "chamber that pulls it in", true, 2 },
                   { "slide", TN_PORT_TRANSLATIONAL, "what it pushes", false, 0 }, HEAT },
        .flows = { { "a", "flow", "area_a * slide.rate + leak * dp" }, { "b", "flow", "-(area_b * slide.rate + leak * dp)" },
                   HEAT_FLOW },
        .stores = { { "a", "capacity", "volume_a * " TN_OIL_SOFT("a") }, { "b", "capacity", "volume_b * " TN_OIL_SOFT("b") } },
        .starts = { { "a", "pressure", "pressure_a" }, { "b", "pressure", "pressure_b" } },
        .stored = "volume_a * " TN_OIL_ENERGY("a") " + volume_b * " TN_OIL_ENERGY("b"),
        .supplied = "(area_a * " TN_OIL_ENERGY("a") " - area_b * " TN_OIL_ENERGY("b") ") * slide.rate",
        .loss = "leak * dp^2 + friction * slide.rate^2",
    },
};

const tn_force_type *const tn_devices_hydraulic_actuators[] = { &pump, &cylinder, NULL };
