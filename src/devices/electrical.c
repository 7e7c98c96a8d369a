/* Electrical devices. v = p.voltage - n.voltage; the current i goes into p and out of n. A device with losses has an
 * optional port "heat", which takes them. */
#include <math.h>
#include "tenon/sys/device.h"

#define P_AND_N { "p", "electrical", "positive", false, 0 }, { "n", "electrical", "negative", false, 0 }
#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define VOLTAGE { "v", "V", "p.voltage - n.voltage" }
#define CURRENT_FLOWS { "p", "current", "i" }, { "n", "current", "-(i)" }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }

static const tn_force_type resistor = {
    .name = "resistor",
    .doc = "i = v / resistance.",
    .place = TN_PLACE_NONE,
    .parameters = { { "resistance", "ohm", "may be an expression, of a temperature for example", NAN, NULL } },
    .requirements = { { "resistance > 0", "'resistance' must be positive" } },
    .channels = { VOLTAGE, { "i", "A", "v / resistance" } },
    .device = &(const tn_device){ .family = "electrical", .ports = { P_AND_N, HEAT },
                                  .flows = { CURRENT_FLOWS, HEAT_FLOW }, .loss = "v * i" },
};

/* (capacitance u)' = i,  v = u + series_resistance i */
static const tn_force_type capacitor = {
    .name = "capacitor",
    .doc = "A capacitor between two nodes; its voltage u is a state.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "capacitance", "F", "one that changes with the motion or with time keeps its charge", NAN, NULL },
        { "series_resistance", "ohm", "in series", 0.0, NULL },
        { "initial", "V", "voltage at the start", 0.0, NULL },
    },
    .requirements = { { "capacitance > 0 and series_resistance >= 0",
                        "'capacitance' must be positive, 'series_resistance' not negative" } },
    .states = { { "u", "V", "initial", "if(capacitance.moves, (i - u * capacitance.rate) / capacitance, i / capacitance)" } },
    .channels = { VOLTAGE },
    .device = &(const tn_device){
        .family = "electrical", .ports = { P_AND_N, HEAT }, .flows = { CURRENT_FLOWS, HEAT_FLOW },
        .unknowns = { { "i", "A", NULL, 1 } }, .equations = { "p.voltage - n.voltage - series_resistance * i - u" },
        .stored = "capacitance * u^2 / 2", .loss = "series_resistance * i^2", .supplied = "if(capacitance.moves, -capacitance.rate * u^2 / 2, 0 W)",
    },
};

static const tn_force_type inductor = {
    .name = "inductor",
    .doc = "i' = v / inductance; its current i is a state.",
    .place = TN_PLACE_NONE,
    .parameters = { { "inductance", "H", "one that changes with the motion or with time keeps its flux", NAN, NULL }, { "initial", "A", "current at the start", 0.0, NULL } },
    .requirements = { { "inductance > 0", "'inductance' must be positive" } },
    .states = { { "i", "A", "initial", "if(inductance.moves, (v - i * inductance.rate) / inductance, v / inductance)" } },
    .channels = { VOLTAGE },
    .device = &(const tn_device){ .family = "electrical", .ports = { P_AND_N }, .flows = { CURRENT_FLOWS },
                                  .stored = "inductance * i^2 / 2", .supplied = "if(inductance.moves, -inductance.rate * i^2 / 2, 0 W)" },
};

static const tn_force_type voltage_source = {
    .name = "voltage-source",
    .doc = "v = value, whatever the current is.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "V", "any expression: a controlled source", NAN, NULL } },
    .channels = { VOLTAGE },
    .device = &(const tn_device){
        .family = "electrical", .ports = { P_AND_N }, .flows = { CURRENT_FLOWS }, .unknowns = { { "i", "A", NULL, 1 } },
        .equations = { "p.voltage - n.voltage - value" }, .supplied = "-v * i",
    },
};

static const tn_force_type current_source = {
    .name = "current-source",
    .doc = "i = value, into p and out of n, whatever the voltage is.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "A", "any expression: a controlled source", NAN, NULL } },
    .channels = { VOLTAGE, { "i", "A", "value" } },
    .device = &(const tn_device){ .family = "electrical", .ports = { P_AND_N }, .flows = { CURRENT_FLOWS },
                                  .supplied = "-v * i" },
};

static const tn_force_type switch_type = {
    .name = "switch",
    .doc = "A small resistance when closed, a small conductance when open.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "closed", "", "closed while positive; any expression", NAN, NULL },
        { "on_resistance", "ohm", "", 1e-3, NULL },
        { "off_conductance", "S", "", 1e-9, NULL },
    },
    .requirements = { { "on_resistance > 0 and off_conductance >= 0",
                        "'on_resistance' must be positive, 'off_conductance' not negative" } },
    .channels = { VOLTAGE, { "i", "A", "v * if(closed > 0, 1 / on_resistance, off_conductance)" } },
    .device = &(const tn_device){ .family = "electrical", .ports = { P_AND_N, HEAT },
                                  .flows = { CURRENT_FLOWS, HEAT_FLOW }, .loss = "v * i" },
};

/* Parametrized by s, which is a voltage over the knee while blocking and a current while conducting:
 *     v - knee = s (s < 0),  on_resistance s (s >= 0);     i = off_conductance (v) (s < 0),  s + off_conductance knee */
static const tn_force_type diode = {
    .name = "diode",
    .doc = "Conducts from p to n above its knee; two straight lines.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "knee", "V", "voltage where it begins to conduct", 0.0, NULL },
        { "on_resistance", "ohm", "", 1e-3, NULL },
        { "off_conductance", "S", "", 1e-8, NULL },
    },
    .requirements = { { "knee >= 0 and on_resistance >= 0 and off_conductance >= 0",
                        "'knee', 'on_resistance' and 'off_conductance' must not be negative" } },
    .channels = { VOLTAGE, { "i", "A", "if(s < 0, off_conductance * s * 1 V, s * 1 A) + off_conductance * knee" } },
    .device = &(const tn_device){
        .family = "electrical", .ports = { P_AND_N, HEAT }, .flows = { CURRENT_FLOWS, HEAT_FLOW },
        .unknowns = { { "s", "", "-1", 1 } },
        .equations = { "p.voltage - n.voltage - knee - if(s < 0, s * 1 V, on_resistance * s * 1 A)" }, .loss = "v * i",
    },
};

/* i = saturation (e^(v / (emission thermal_voltage)) - 1), continued by its tangent beyond 40 thermal voltages. */
static const tn_force_type diode_exponential = {
    .name = "diode-exponential",
    .doc = "Shockley's diode.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "saturation", "A", "saturation current", NAN, NULL },
        { "thermal_voltage", "V", "", 25.85e-3, NULL },
        { "emission", "", "emission coefficient", 1.0, NULL },
    },
    .requirements = { { "saturation > 0 and thermal_voltage > 0 and emission > 0", "all parameters must be positive" } },
    .channels = {
        VOLTAGE,
        { "u", "", "v / (emission * thermal_voltage)" },
        { "i", "A", "saturation * (if(u > 40, exp(40) * (1 + u - 40), exp(min(u, 40))) - 1)" },
    },
    .device = &(const tn_device){ .family = "electrical", .ports = { P_AND_N, HEAT },
                                  .flows = { CURRENT_FLOWS, HEAT_FLOW }, .loss = "v * i" },
};

/* Ideal: s is the output; within the limits p and n have the same voltage, at a limit the output stays there. */
static const tn_force_type op_amp = {
    .name = "op-amp",
    .doc = "Ideal operational amplifier against ground, with limits where given.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "low", "V", "lowest output", -INFINITY, NULL },
        { "high", "V", "highest output", INFINITY, NULL },
    },
    .requirements = { { "low < high", "'low' must be below 'high'" } },
    .device = &(const tn_device){
        .family = "electrical",
        .ports = { { "p", "electrical", "input that is not inverted; no current", false, 0 },
                   { "n", "electrical", "inverted input; no current", false, 0 },
                   { "out", "electrical", "output", false, -1 } },
        .flows = { { "out", "current", "-(i)" } },
        .unknowns = { { "i", "A", NULL, 1 }, { "s", "V", NULL, 1 } },
        .equations = { "p.voltage - n.voltage - (s - clamp(s, low, high))", "out.voltage - clamp(s, low, high)" },
        .supplied = "out.voltage * i",
    },
};

static const tn_force_type transformer = {
    .name = "transformer",
    .doc = "Ideal: v1 = ratio v2, i2 = -ratio i1.",
    .place = TN_PLACE_NONE,
    .parameters = { { "ratio", "", "turns of the first winding per turn of the second", NAN, NULL } },
    .requirements = { { "abs(ratio) > 0", "'ratio' must not be zero" } },
    .channels = { { "v1", "V", "p1.voltage - n1.voltage" }, { "v2", "V", "p2.voltage - n2.voltage" },
                  { "i2", "A", "-ratio * i1" } },
    .device = &(const tn_device){
        .family = "electrical",
        .ports = { { "p1", "electrical", "first winding", false, 1 }, { "n1", "electrical", "first winding", false, 1 },
                   { "p2", "electrical", "second winding", false, 2 }, { "n2", "electrical", "second winding", false, 2 } },
        .flows = { { "p1", "current", "i1" }, { "n1", "current", "-(i1)" }, { "p2", "current", "i2" },
                   { "n2", "current", "-(i2)" } },
        .unknowns = { { "i1", "A", NULL, 1 } }, .equations = { "p1.voltage - n1.voltage - ratio * (p2.voltage - n2.voltage)" },
    },
};

static const tn_force_type variable_resistor = {
    .name = "potentiometer",
    .doc = "A resistance with a tap: position 0 is at n, 1 at p.",
    .place = TN_PLACE_NONE,
    .parameters = { { "resistance", "ohm", "from p to n", NAN, NULL }, { "position", "", "of the tap, 0 to 1", NAN, NULL },
                    { "smallest", "ohm", "that remains at the ends", 1e-3, NULL } },
    .requirements = { { "resistance > 0 and smallest > 0", "'resistance' and 'smallest' must be positive" } },
    .channels = {
        { "upper", "ohm", "smallest + resistance * clamp(1 - position, 0, 1)" },
        { "lower", "ohm", "smallest + resistance * clamp(position, 0, 1)" },
        { "i", "A", "(p.voltage - tap.voltage) / upper" },
        { "i_low", "A", "(tap.voltage - n.voltage) / lower" },
    },
    .device = &(const tn_device){
        .family = "electrical", .ports = { P_AND_N, { "tap", "electrical", "sliding contact", false, 0 }, HEAT },
        .flows = { { "p", "current", "i" }, { "n", "current", "-(i_low)" }, { "tap", "current", "i_low - i" }, HEAT_FLOW },
        .loss = "upper * i^2 + lower * i_low^2",
    },
};

const tn_force_type *const tn_devices_electrical[] = {
    &resistor, &capacitor, &inductor, &voltage_source, &current_source, &switch_type, &diode, &diode_exponential, &op_amp,
    &transformer, &variable_resistor, NULL
};
