/* Electrical machines and batteries. v = p.voltage - n.voltage; the current i goes into p; w = shaft.rate. */
#include <math.h>
#include "tenon/sys/device.h"

#define P_AND_N { "p", "electrical", "positive", false, 0 }, { "n", "electrical", "negative", false, 0 }
#define SHAFT { "shaft", TN_PORT_ROTARY, "what it turns", false, 0 }
#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define VOLTAGE { "v", "V", "p.voltage - n.voltage" }
#define CURRENT_FLOWS { "p", "current", "i" }, { "n", "current", "-(i)" }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }

static const tn_force_type emf = {
    .name = "emf",
    .doc = "Ideal conversion: v = constant w, torque constant i.",
    .place = TN_PLACE_NONE,
    .parameters = { { "constant", "V s/rad", "also N m/A", NAN, NULL } },
    .requirements = { { "abs(constant) > 0", "'constant' must not be zero" } },
    .channels = { VOLTAGE, { "torque", "N m", "constant * i" } },
    .effort = { "torque" },
    .device = &(const tn_device){
        .family = "machines", .ports = { P_AND_N, SHAFT }, .flows = { CURRENT_FLOWS }, .unknowns = { { "i", "A", NULL, 1 } },
        .equations = { "p.voltage - n.voltage - constant * shaft.rate" },
    },
};

/* inductance i' = v - resistance i - constant w,  torque = constant i - friction w */
static const tn_force_type dc_motor = {
    .name = "dc-motor",
    .doc = "Direct current motor with winding and shaft; its current i is a state.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "resistance", "ohm", "of the winding", NAN, NULL },
        { "inductance", "H", "of the winding", NAN, NULL },
        { "constant", "V s/rad", "also N m/A", NAN, NULL },
        { "friction", "N m s/rad", "viscous, of the bearings", 0.0, NULL },
        { "initial", "A", "current at the start", 0.0, NULL },
    },
    .requirements = { { "resistance > 0 and inductance > 0 and friction >= 0",
                        "'resistance' and 'inductance' must be positive, 'friction' not negative" } },
    .states = { { "i", "A", "initial", "(v - resistance * i - constant * shaft.rate) / inductance" } },
    .channels = { VOLTAGE, { "torque", "N m", "constant * i - friction * shaft.rate" } },
    .effort = { "torque" },
    .device = &(const tn_device){
        .family = "machines", .ports = { P_AND_N, SHAFT, HEAT }, .flows = { CURRENT_FLOWS, HEAT_FLOW },
        .stored = "inductance * i^2 / 2", .loss = "resistance * i^2 + friction * shaft.rate^2",
    },
};

/* inductance i' = v - resistance i - constant x',  force = constant i - friction x' */
static const tn_force_type voice_coil = {
    .name = "voice-coil",
    .doc = "Coil in the field of a magnet: a linear motor or a loudspeaker; its current i is a state.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "resistance", "ohm", "of the winding", NAN, NULL },
        { "inductance", "H", "of the winding", NAN, NULL },
        { "constant", "N/A", "force factor B l, also V s/m; may be an expression of the position", NAN, NULL },
        { "friction", "N s/m", "viscous, of the guide", 0.0, NULL },
        { "initial", "A", "current at the start", 0.0, NULL },
    },
    .requirements = { { "resistance > 0 and inductance > 0 and friction >= 0",
                        "'resistance' and 'inductance' must be positive, 'friction' not negative" } },
    .states = { { "i", "A", "initial", "(v - resistance * i - constant * slide.rate) / inductance" } },
    .channels = { VOLTAGE, { "force", "N", "constant * i - friction * slide.rate" } },
    .effort = { "force" },
    .device = &(const tn_device){
        .family = "machines",
        .ports = { P_AND_N, { "slide", TN_PORT_TRANSLATIONAL, "what it pushes", false, 0 }, HEAT },
        .flows = { CURRENT_FLOWS, HEAT_FLOW },
        .stored = "inductance * i^2 / 2", .loss = "resistance * i^2 + friction * slide.rate^2",
    },
};

/* In the rotor's axes, w_e = pairs w:
 *     ld id' = vd - R id + w_e lq iq,   lq iq' = vq - R iq - w_e (ld id + flux)
 *     torque = 1.5 pairs (flux iq + (ld - lq) id iq)
 * The inverter scales the wanted voltages onto v / sqrt(3) and takes the power 1.5 (vd id + vq iq) from the bus. */
static const tn_force_type pmsm = {
    .name = "pmsm",
    .doc = "Permanent magnet synchronous machine with an averaged inverter on a direct current bus.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "pairs", "", "of poles", NAN, NULL },
        { "resistance", "ohm", "of a phase", NAN, NULL },
        { "ld", "H", "inductance along the magnet", NAN, NULL },
        { "lq", "H", "inductance across", NAN, "ld" },
        { "flux", "Wb", "of the magnet", NAN, NULL },
        { "vd_wanted", "V", "voltage along the magnet", 0.0, NULL },
        { "vq_wanted", "V", "voltage across", NAN, NULL },
        { "friction", "N m s/rad", "viscous, of the bearings", 0.0, NULL },
    },
    .requirements = { { "pairs > 0 and resistance > 0 and ld > 0 and lq > 0 and friction >= 0",
                        "'pairs', 'resistance', 'ld' and 'lq' must be positive, 'friction' not negative" } },
    .states = {
        { "id", "A", "0", "(vd - resistance * id + pairs * shaft.rate * lq * iq) / ld" },
        { "iq", "A", "0", "(vq - resistance * iq - pairs * shaft.rate * (ld * id + flux)) / lq" },
    },
    .channels = {
        VOLTAGE,
        { "scale", "", "min(1, max(v, 0 V) / (sqrt(3) * max(hypot(vd_wanted, vq_wanted), 1e-9 V)))" },
        { "vd", "V", "scale * vd_wanted" }, { "vq", "V", "scale * vq_wanted" },
        { "torque", "N m", "1.5 * pairs * (flux * iq + (ld - lq) * id * iq) - friction * shaft.rate" },
        { "i", "A", "1.5 * (vd * id + vq * iq) / max(v, 1 V)" },
    },
    .effort = { "torque" },
    .device = &(const tn_device){
        .family = "machines", .ports = { P_AND_N, SHAFT, HEAT }, .flows = { CURRENT_FLOWS, HEAT_FLOW },
        .stored = "0.75 * (ld * id^2 + lq * iq^2)",
        .loss = "1.5 * resistance * (id^2 + iq^2) + friction * shaft.rate^2",
        .supplied = "1.5 * (vd * id + vq * iq) - v * i",               /* 0 but for a bus below 1 V */
    },
};

/* soc' = i / capacity,  c1 u1' = i - u1 / r1,  v = ocv(soc) + resistance i + u1;  i goes in: charging is positive */
static const tn_force_type battery = {
    .name = "battery",
    .doc = "Open circuit voltage by a table of the state of charge, a resistance and a relaxing voltage.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "ocv", TN_UNIT_TABLE, "open circuit voltage, V, over the state of charge, 0 to 1", NAN, NULL },
        { "capacity", "C", "charge of the full battery", NAN, NULL },
        { "resistance", "ohm", "in series", NAN, NULL },
        { "r1", "ohm", "of the relaxing voltage", 1e-3, NULL },
        { "c1", "F", "of the relaxing voltage", 1e3, NULL },
        { "soc_start", "", "state of charge at the start", 1.0, NULL },
    },
    .requirements = { { "capacity > 0 and resistance >= 0 and r1 > 0 and c1 > 0",
                        "'capacity', 'r1' and 'c1' must be positive, 'resistance' not negative" },
                      { "soc_start >= 0 and soc_start <= 1", "'soc_start' must be between 0 and 1" },
                      { "soc >= -1e-6 and soc <= 1 + 1e-6", "'soc' must stay between 0 and 1: the battery is empty, or too full" } },
    .states = { { "soc", "", "soc_start", "i / capacity" }, { "u1", "V", "0", "(i - u1 / r1) / c1" } },
    .channels = { VOLTAGE, { "power", "W", "-v * i" } },
    .device = &(const tn_device){
        .family = "machines", .ports = { P_AND_N, HEAT }, .flows = { CURRENT_FLOWS, HEAT_FLOW },
        .unknowns = { { "i", "A", NULL, 1 } },
        .equations = { "p.voltage - n.voltage - ocv(soc) - resistance * i - u1" },
        .stored = "c1 * u1^2 / 2", .loss = "resistance * i^2 + u1^2 / r1", .supplied = "-ocv(soc) * i",
    },
};

const tn_force_type *const tn_devices_machines[] = { &emf, &dc_motor, &voice_coil, &pmsm, &battery, NULL };
