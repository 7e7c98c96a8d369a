/* Pneumatic devices: ideal gas, absolute pressures. The enthalpy that goes with a mass flow m is m kappa R / (kappa - 1) T of
 * the side it comes from. */
#include <math.h>
#include "tenon/sys/device.h"

#define HEAT { "wall", "thermal", "the wall; ambient where it is open", true, -1 }   /* the gas holds its temperature */
/* Gas that is sucked out of a closed volume without end. */
#define GAS_IS_THERE(port) { port ".pressure > 0 and " port ".temperature > 0", "the gas must have an absolute pressure and temperature above zero" }
#define CP "kappa * gas_constant / (kappa - 1)"
/* ISO 6358: m = C rho0 p_up sqrt(T0 / T_up) psi(p_down / p_up); psi is 1 up to the critical ratio b, elliptic up to the
 * laminar ratio, linear from there to no flow. */
#define UP(x, y, what) "if(" x ".pressure > " y ".pressure, " x "." what ", " y "." what ")"
#define RATIO(x, y) "(min(" x ".pressure, " y ".pressure) / max(" x ".pressure, " y ".pressure))"
#define ELLIPSE(r) "sqrt(max(1 - ((max(" r ", ratio) - ratio) / (1 - ratio))^2, 1e-12))"
#define PSI(r) "if(" r " < laminar, " ELLIPSE("min(" r ", laminar)") ", " ELLIPSE("laminar") " * (1 - " r ") / (1 - laminar))"
#define ISO(x, y, conductance)                                                                                       \
    "if(" x ".pressure > " y ".pressure, 1, -1) * (" conductance ") * reference_density * max(" x ".pressure, " y      \
    ".pressure) * sqrt(reference_temperature / (" UP(x, y, "temperature") ")) * (" PSI(RATIO(x, y)) ")"
#define ISO_PARAMETERS                                                                                               \
    { "ratio", "", "critical pressure ratio b", 0.3, NULL },                                                         \
    { "laminar", "", "pressure ratio where laminar flow begins", 0.999, NULL },                                      \
    { "reference_density", "kg/m^3", "rho0 of ISO 6358", 1.185, NULL },                                              \
    { "reference_temperature", "K", "T0 of ISO 6358", 293.15, NULL }

static const tn_force_type chamber = {
    .name = "chamber",
    .doc = "Gas in a volume, which may be an expression; heat comes through the wall.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "volume", "m^3", "", NAN, NULL },
        { "swell", "m^3/s", "rate of the volume", NAN, "volume.rate" },
        { "pressure", "Pa", "at the start, absolute", NAN, "ambient" },
        { "temperature", "K", "at the start", NAN, "ambient_temperature" },
        { "conductance", "W/K", "of the wall", 0.0, NULL },
    },
    .requirements = { { "volume > 0 and conductance >= 0", "'volume' must be positive, 'conductance' not negative" },
                      { "pressure > 0 and temperature > 0", "'pressure' and 'temperature' at the start are absolute: they must be positive" },
                      GAS_IS_THERE("a") },
    .channels = { { "mass", "kg", "a.pressure * volume / (gas_constant * a.temperature)" },
                  { "heat", "W", "conductance * (wall.temperature - a.temperature)" } },
    .device = &(const tn_device){
        .family = "pneumatic", .ports = { { "a", "pneumatic", "", false, 0 }, HEAT },
        .flows = { { "wall", "heat", "conductance * (wall.temperature - a.temperature)" } },
        .stores = { { "a", "volume", "volume" }, { "a", "swell", "swell" },
                    { "a", "heat", "conductance * (wall.temperature - a.temperature)" } },
        .starts = { { "a", "pressure", "pressure" }, { "a", "temperature", "temperature" } },
        .stored = "a.pressure * volume / (kappa - 1)", .supplied = "-a.pressure * swell",
    },
};

static const tn_force_type reservoir = {
    .name = "reservoir",
    .doc = "Holds pressure and temperature of its node.",
    .place = TN_PLACE_NONE,
    .parameters = { { "pressure", "Pa", "absolute", NAN, NULL }, { "temperature", "K", "", NAN, "ambient_temperature" } },
    .requirements = { { "pressure > 0 and temperature > 0", "'pressure' and 'temperature' must be positive" } },
    .device = &(const tn_device){
        .family = "pneumatic", .ports = { { "a", "pneumatic", "", false, -1 } },
        .flows = { { "a", "mass", "m" }, { "a", "enthalpy", "h" } },
        .unknowns = { { "m", "kg/s", NULL, 1e-3 }, { "h", "W", NULL, 100 } },
        .equations = { "a.pressure - pressure", "a.temperature - temperature" }, .supplied = "-h",
    },
};

static const tn_force_type iso_orifice = {
    .name = "iso-orifice",
    .doc = "Flow of gas by ISO 6358; the conductance may be an expression: a valve.",
    .place = TN_PLACE_NONE,
    .parameters = { { "conductance", "m^3/s/Pa", "sonic conductance C", NAN, NULL }, ISO_PARAMETERS },
    .requirements = { { "conductance >= 0 and ratio >= 0 and ratio < laminar and laminar < 1",
                        "'conductance' must not be negative, 'ratio' below 'laminar', 'laminar' below 1" } },
    .channels = { { "m", "kg/s", ISO("a", "b", "conductance") },
                  { "h", "W", "m * " CP " * " UP("a", "b", "temperature") } },
    .device = &(const tn_device){
        .family = "pneumatic", .ports = { { "a", "pneumatic", "", false, 0 }, { "b", "pneumatic", "", false, 0 } },
        .flows = { { "a", "mass", "m" }, { "b", "mass", "-(m)" }, { "a", "enthalpy", "h" }, { "b", "enthalpy", "-(h)" } },
    },
};

static const tn_force_type cylinder = {
    .name = "pneumatic-cylinder",
    .doc = "Two chambers of gas that push a coordinate or the distance of two frames; ends are limits of the joint.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "area_a", "m^2", "of the piston in chamber a, which extends", NAN, NULL },
        { "area_b", "m^2", "of the piston in chamber b", NAN, "area_a" },
        { "stroke", "m", "way of the piston", NAN, NULL },
        { "closed_length", "m", "position when pulled in", 0.0, NULL },
        { "dead_a", "m^3", "gas in chamber a when pulled in", NAN, "0.05 * area_a * stroke" },
        { "dead_b", "m^3", "gas in chamber b when extended", NAN, "0.05 * area_b * stroke" },
        { "friction", "N s/m", "viscous", 0.0, NULL },
        { "conductance", "W/K", "of the wall of each chamber", 0.0, NULL },
        { "pressure_a", "Pa", "of chamber a at the start, absolute", NAN, "ambient" },
        { "pressure_b", "Pa", "of chamber b at the start, absolute", NAN, "ambient" },
    },
    .requirements = {
        { "area_a > 0 and area_b > 0 and stroke > 0 and dead_a > 0 and dead_b > 0",
          "areas, 'stroke', 'dead_a' and 'dead_b' must be positive" },
        { "friction >= 0 and conductance >= 0", "'friction' and 'conductance' must not be negative" },
        { "pressure_a > 0 and pressure_b > 0", "'pressure_a' and 'pressure_b' are absolute: they must be positive" },
        { "volume_a > 0 and volume_b > 0", "a chamber must have a volume: the piston is beyond its stroke; give the joint 'limits'" },
    },
    .channels = {
        { "extension", "m", "slide.position - closed_length" },
        { "volume_a", "m^3", "dead_a + area_a * extension" },
        { "volume_b", "m^3", "dead_b + area_b * (stroke - extension)" },
        { "force", "N", "area_a * (a.pressure - ambient) - area_b * (b.pressure - ambient) - friction * slide.rate" },
    },
    .effort = { "force" },
    .device = &(const tn_device){
        .family = "pneumatic",
        .ports = { { "a", "pneumatic", "chamber that extends it", false, 1 },
                   { "b", "pneumatic", "chamber that pulls it in; ambient where it is open", true, 2 },
                   { "slide", TN_PORT_TRANSLATIONAL, "what it pushes", false, 0 }, HEAT },
        .flows = { { "wall", "heat", "conductance * (wall.temperature - a.temperature) + b.connected * conductance * (wall.temperature - b.temperature)" } },
        .stores = { { "a", "volume", "volume_a" }, { "a", "swell", "area_a * slide.rate" },
                    { "a", "heat", "conductance * (wall.temperature - a.temperature)" },
                    { "b", "volume", "volume_b" }, { "b", "swell", "-area_b * slide.rate" },
                    { "b", "heat", "conductance * (wall.temperature - b.temperature)" } },
        .starts = { { "a", "pressure", "pressure_a" }, { "b", "pressure", "pressure_b" } },
        .stored = "(a.pressure * volume_a + b.connected * b.pressure * volume_b) / (kappa - 1)", .loss = "friction * slide.rate^2",
        .supplied = "-ambient * (area_a - b.connected * area_b) * slide.rate",
    },
};

#define VALVE_PATH(x, y, open) ISO(x, y, "conductance * (leak + (1 - leak) * clamp(" open ", 0, 1))")

static const tn_force_type valve_5_2 = {
    .name = "pneumatic-valve-5-2",
    .doc = "Directional valve: spool 1 connects p-a and b-r, spool -1 connects p-b and a-r.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "spool", "", "-1 to 1; any expression", NAN, NULL },
        { "conductance", "m^3/s/Pa", "sonic conductance of an open path", NAN, NULL },
        { "leak", "", "part of the conductance that remains when closed", 1e-6, NULL },
        ISO_PARAMETERS,
    },
    .requirements = { { "conductance > 0 and leak >= 0 and ratio >= 0 and ratio < laminar and laminar < 1",
                        "'conductance' must be positive, 'leak' not negative, 'ratio' below 'laminar', 'laminar' below 1" } },
    .channels = {
        { "pa", "kg/s", VALVE_PATH("p", "a", "spool") }, { "pb", "kg/s", VALVE_PATH("p", "b", "-spool") },
        { "ar", "kg/s", VALVE_PATH("a", "r", "-spool") }, { "br", "kg/s", VALVE_PATH("b", "r", "spool") },
        { "hpa", "W", "pa * " CP " * " UP("p", "a", "temperature") }, { "hpb", "W", "pb * " CP " * " UP("p", "b", "temperature") },
        { "har", "W", "ar * " CP " * " UP("a", "r", "temperature") }, { "hbr", "W", "br * " CP " * " UP("b", "r", "temperature") },
    },
    .device = &(const tn_device){
        .family = "pneumatic",
        .ports = { { "p", "pneumatic", "supply", false, 0 }, { "r", "pneumatic", "exhaust", false, 0 },
                   { "a", "pneumatic", "", false, 0 }, { "b", "pneumatic", "", false, 0 } },
        .flows = { { "p", "mass", "pa + pb" }, { "p", "enthalpy", "hpa + hpb" }, { "r", "mass", "-(ar + br)" },
                   { "r", "enthalpy", "-(har + hbr)" }, { "a", "mass", "ar - pa" }, { "a", "enthalpy", "har - hpa" },
                   { "b", "mass", "br - pb" }, { "b", "enthalpy", "hbr - hpb" } },
    },
};

static const tn_force_type mass_source = {
    .name = "gas-source",
    .doc = "A given mass flow of gas of a given temperature into its node.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "kg/s", "into the node", NAN, NULL }, { "temperature", "K", "", NAN, "ambient_temperature" } },
    .requirements = { { "temperature > 0", "'temperature' is absolute: it must be positive" } },
    .device = &(const tn_device){
        .family = "pneumatic", .ports = { { "a", "pneumatic", "", false, 0 } },
        .flows = { { "a", "mass", "-(value)" },
                   { "a", "enthalpy", "-(value) * " CP " * if(value > 0, temperature, a.temperature)" } },
        .supplied = "value * " CP " * if(value > 0, temperature, a.temperature)",
    },
};

const tn_force_type *const tn_devices_pneumatic[] = {
    &chamber, &reservoir, &iso_orifice, &cylinder, &valve_5_2, &mass_source, NULL
};
