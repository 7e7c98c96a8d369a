/* Hydraulic devices. Pressures count from ambient; dp = a.pressure - b.pressure, the flow q goes from a to b. A volume V of
 * oil with free air stores V c(p) (oil.h). With air c grows without bound towards p = -p0, which is all of cavitation that is modelled. */
#include <math.h>
#include "oil.h"
#include "tenon/sys/device.h"

#define A_AND_B { "a", "hydraulic", "", false, 0 }, { "b", "hydraulic", "", false, 0 }
#define DP { "dp", "Pa", "a.pressure - b.pressure" }
#define FLOWS { "a", "flow", "q" }, { "b", "flow", "-(q)" }
#define HEAT { "heat", "thermal", "takes the losses", true, 0 }
#define HEAT_FLOW { "heat", "heat", "-(loss)" }
/* Turbulent flow through an area, linear about dp = 0: smooth. */
#define ORIFICE(area) "cd * (" area ") * sqrt(2 / density) * dp / (dp^2 + critical_pressure^2)^0.25"
#define CRITICAL(area) "if(critical > 0, critical, density / 2 * (12 * viscosity / (cd * sqrt(4 * max(" area \
                       ", 1e-12 m^2) / pi)))^2)"

static const tn_force_type volume = {
    .name = "volume",
    .doc = "Oil in a volume, which may be an expression of the motion.",
    .place = TN_PLACE_NONE,
    .parameters = { { "volume", "m^3", "", NAN, NULL }, { "pressure", "Pa", "at the start", NAN, "0" } },
    .requirements = { { "volume > 0", "'volume' must be positive" }, TN_OIL_BEARS("a") },
    .device = &(const tn_device){
        .family = "hydraulic", .ports = { { "a", "hydraulic", "", false, 0 } },
        .flows = { { "a", "flow", "volume.rate" } },
        .stores = { { "a", "capacity", "volume * " TN_OIL_SOFT("a") } }, .starts = { { "a", "pressure", "pressure" } },
        .stored = "volume * " TN_OIL_ENERGY("a"), .supplied = "if(volume.moves, (" TN_OIL_ENERGY("a") " - a.pressure) * volume.rate, 0 W)",
    },
};

static const tn_force_type hose = {
    .name = "hose",
    .doc = "Oil in a volume whose wall gives way.",
    .place = TN_PLACE_NONE,
    .parameters = { { "volume", "m^3", "", NAN, NULL }, { "expansion", "1/Pa", "of the volume, per pressure", 0.0, NULL },
                    { "pressure", "Pa", "at the start", NAN, "0" } },
    .requirements = { { "volume > 0 and expansion >= 0", "'volume' must be positive, 'expansion' not negative" }, TN_OIL_BEARS("a") },
    .device = &(const tn_device){
        .family = "hydraulic", .ports = { { "a", "hydraulic", "", false, 0 } },
        .flows = { { "a", "flow", "volume.rate" } },
        .stores = { { "a", "capacity", "volume * (expansion + " TN_OIL_SOFT("a") ")" } },
        .starts = { { "a", "pressure", "pressure" } },
        .stored = "volume * (expansion * a.pressure^2 / 2 + " TN_OIL_ENERGY("a") ")",
        .supplied = "if(volume.moves, (expansion * a.pressure^2 / 2 + " TN_OIL_ENERGY("a") " - a.pressure) * volume.rate, 0 W)",
    },
};

static const tn_force_type orifice = {
    .name = "orifice",
    .doc = "A sharp opening: turbulent flow, laminar about zero; the area may be an expression.",
    .place = TN_PLACE_NONE,
    .parameters = { { "area", "m^2", "", NAN, NULL }, { "cd", "", "discharge coefficient", 0.7, NULL },
                    { "critical", "Pa", "pressure where laminar flow ends; 0: from a Reynolds number of 12", 0.0, NULL } },
    .requirements = { { "area >= 0 and cd > 0 and critical >= 0",
                        "'area' and 'critical' must not be negative, 'cd' positive" } },
    .channels = { DP, { "critical_pressure", "Pa", CRITICAL("area") }, { "q", "m^3/s", ORIFICE("area") } },
    .device = &(const tn_device){ .family = "hydraulic", .ports = { A_AND_B, HEAT }, .flows = { FLOWS, HEAT_FLOW },
                                  .loss = "dp * q" },
};

static const tn_force_type laminar = {
    .name = "laminar",
    .doc = "q = conductance dp.",
    .place = TN_PLACE_NONE,
    .parameters = { { "conductance", "m^3/s/Pa", "", NAN, NULL } },
    .requirements = { { "conductance > 0", "'conductance' must be positive" } },
    .channels = { DP, { "q", "m^3/s", "conductance * dp" } },
    .device = &(const tn_device){ .family = "hydraulic", .ports = { A_AND_B, HEAT }, .flows = { FLOWS, HEAT_FLOW },
                                  .loss = "dp * q" },
};

/* Darcy: dp = friction (length / diameter) (density / 2) u |u|; friction 64/Re up to Re = 2000, Blasius from 4000, linear in
 * Re between. With inertia the flow is a state: q' = (dp - loss(q)) section / (density length). */
#define PIPE_PARAMETERS                                                                                              \
    { "length", "m", "", NAN, NULL }, { "diameter", "m", "inside", NAN, NULL }, { "pressure", "Pa", "at the start", NAN, "0" }
#define PIPE_CHANNELS                                                                                                \
    DP, { "section", "m^2", "pi / 4 * diameter^2" },                                                                 \
    { "re", "", "abs(q) * diameter / (section * viscosity)" },                                                       \
    { "turbulent", "", "0.3164 * max(re, 1000)^(-0.25)" },                                                           \
    { "factor", "", "if(re < 2000, 64, re * if(re > 4000, turbulent, 0.032 + (re - 2000) / 2000 * (0.3164 * "      \
                    "4000^(-0.25) - 0.032)))" },                                                                     \
    { "drop", "Pa", "factor * viscosity * density * length / (2 * diameter^2) * q / section" }
#define PIPE_STORES                                                                                                  \
    .stores = { { "a", "capacity", "section * length / 2 * " TN_OIL_SOFT("a") },                                            \
                { "b", "capacity", "section * length / 2 * " TN_OIL_SOFT("b") } },                                          \
    .starts = { { "a", "pressure", "pressure" }, { "b", "pressure", "pressure" } }
#define PIPE_ENERGY "section * length / 2 * (" TN_OIL_ENERGY("a") " + " TN_OIL_ENERGY("b") ")"

static const tn_force_type pipe = {
    .name = "pipe",
    .doc = "Friction by Darcy's law, laminar and turbulent; half of its oil is at each end.",
    .place = TN_PLACE_NONE,
    .parameters = { PIPE_PARAMETERS },
    .requirements = { { "length > 0 and diameter > 0", "'length' and 'diameter' must be positive" } },
    .channels = { PIPE_CHANNELS },
    .device = &(const tn_device){
        .family = "hydraulic", .ports = { A_AND_B, HEAT }, .flows = { FLOWS, HEAT_FLOW },
        .unknowns = { { "q", "m^3/s", NULL, 1e-4 } }, .equations = { "dp - drop" }, PIPE_STORES,
        .stored = PIPE_ENERGY, .loss = "dp * q",
    },
};

static const tn_force_type pipe_inertia = {
    .name = "pipe-inertia",
    .doc = "A pipe whose flow q is a state: the oil in it has mass.",
    .place = TN_PLACE_NONE,
    .parameters = { PIPE_PARAMETERS, { "initial", "m^3/s", "flow at the start", 0.0, NULL } },
    .requirements = { { "length > 0 and diameter > 0", "'length' and 'diameter' must be positive" } },
    .states = { { "q", "m^3/s", "initial", "(dp - drop) * section / (density * length)" } },
    .channels = { PIPE_CHANNELS },
    .device = &(const tn_device){
        .family = "hydraulic", .ports = { A_AND_B, HEAT }, .flows = { FLOWS, HEAT_FLOW }, PIPE_STORES,
        .stored = "density * length / section * q^2 / 2 + " PIPE_ENERGY, .loss = "drop * q",
    },
};

static const tn_force_type check_valve = {
    .name = "check-valve",
    .doc = "Opens from a to b between its cracking and its full pressure.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "cracking", "Pa", "pressure difference where it begins to open", NAN, NULL },
        { "full", "Pa", "pressure difference where it is open", NAN, NULL },
        { "area", "m^2", "of the open valve", NAN, NULL },
        { "leak", "m^2", "area of the closed valve", 1e-10, NULL },
        { "cd", "", "discharge coefficient", 0.7, NULL },
        { "critical", "Pa", "as of an orifice", 0.0, NULL },
    },
    .requirements = { { "full > cracking and area > 0 and leak >= 0 and cd > 0",
                        "'full' must be above 'cracking', 'area' and 'cd' positive, 'leak' not negative" } },
    .channels = {
        DP, { "opening", "", "clamp((dp - cracking) / (full - cracking), 0, 1)" },
        { "critical_pressure", "Pa", CRITICAL("area") },
        { "q", "m^3/s", ORIFICE("leak + opening * (area - leak)") },
    },
    .device = &(const tn_device){ .family = "hydraulic", .ports = { A_AND_B, HEAT }, .flows = { FLOWS, HEAT_FLOW },
                                  .loss = "dp * q" },
};

static const tn_force_type relief_valve = {
    .name = "relief-valve",
    .doc = "Lets oil pass from a to b above its opening pressure: in proportion to the excess, or through an area that opens with it.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "opening", "Pa", "pressure difference where it begins to open", NAN, NULL },
        { "gradient", "m^3/s/Pa", "flow per excess of pressure", 0.0, NULL },
        { "leak", "m^3/s/Pa", "of the closed valve", 0.0, NULL },
        { "area", "m^2", "of the valve wide open, in place of the gradient", 0.0, NULL },
        { "range", "Pa", "excess of pressure that opens the area", 0.0, NULL },
        { "cd", "", "discharge coefficient of the area", 0.7, NULL },
        { "critical", "Pa", "as of an orifice", 0.0, NULL },
    },
    .requirements = {
        { "gradient >= 0 and area >= 0 and leak >= 0 and cd > 0", "'gradient', 'area' and 'leak' must not be negative, 'cd' positive" },
        { "(gradient > 0 or area > 0) and not (gradient > 0 and area > 0)", "give 'gradient', or 'area' with 'range', and not both" },
        { "not (area > 0) or range > 0", "'area' needs a positive 'range': the excess of pressure that opens all of it" },
    },
    .channels = {
        DP, { "lift", "", "clamp((dp - opening) / if(area > 0, range, 1 Pa), 0, 1)" },
        { "critical_pressure", "Pa", CRITICAL("area") },
        { "q", "m^3/s", "gradient * max(0 Pa, dp - opening) + leak * dp + " ORIFICE("area * lift") },
    },
    .device = &(const tn_device){ .family = "hydraulic", .ports = { A_AND_B, HEAT }, .flows = { FLOWS, HEAT_FLOW },
                                  .loss = "dp * q" },
};

/* Paths of a 4/3 valve: each an orifice of leak + area clamp(|x| - overlap, 0, 1) where it is open. */
#define PATH(from, to, open)                                                                                         \
    "cd * (leak + area * clamp((" open ") - overlap, 0, 1)) * sqrt(2 / density) * (" from ".pressure - " to           \
    ".pressure) / ((" from ".pressure - " to ".pressure)^2 + critical_pressure^2)^0.25"

static const tn_force_type valve_4_3 = {
    .name = "valve-4-3",
    .doc = "Directional valve: spool > 0 opens p-a and b-t, spool < 0 opens p-b and a-t.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "spool", "", "-1 to 1; any expression, such as the output of a lag", NAN, NULL },
        { "area", "m^2", "of each open path", NAN, NULL },
        { "overlap", "", "part of the spool's way that opens nothing", 0.0, NULL },
        { "leak", "m^2", "area of closed paths", 1e-12, NULL },
        { "cd", "", "discharge coefficient", 0.7, NULL },
        { "critical", "Pa", "as of an orifice", 0.0, NULL },
    },
    .requirements = { { "area > 0 and leak >= 0 and cd > 0 and overlap >= 0",
                        "'area' and 'cd' must be positive, 'leak' and 'overlap' not negative" } },
    .channels = {
        { "critical_pressure", "Pa", CRITICAL("area") },
        { "pa", "m^3/s", PATH("p", "a", "spool") }, { "pb", "m^3/s", PATH("p", "b", "-spool") },
        { "at", "m^3/s", PATH("a", "t", "-spool") }, { "bt", "m^3/s", PATH("b", "t", "spool") },
    },
    .device = &(const tn_device){
        .family = "hydraulic",
        .ports = { { "p", "hydraulic", "supply", false, 0 }, { "t", "hydraulic", "tank", false, 0 },
                   { "a", "hydraulic", "", false, 0 }, { "b", "hydraulic", "", false, 0 }, HEAT },
        .flows = { { "p", "flow", "pa + pb" }, { "t", "flow", "-(at + bt)" }, { "a", "flow", "at - pa" },
                   { "b", "flow", "bt - pb" }, HEAT_FLOW },
        .loss = "pa * (p.pressure - a.pressure) + pb * (p.pressure - b.pressure) + at * (a.pressure - t.pressure) +"
                " bt * (b.pressure - t.pressure)",
    },
};

static const tn_force_type flow_source = {
    .name = "flow-source",
    .doc = "A given flow from a to b.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "m^3/s", "any expression", NAN, NULL } },
    .channels = { DP, { "q", "m^3/s", "value" } },
    .device = &(const tn_device){ .family = "hydraulic", .ports = { A_AND_B }, .flows = { FLOWS }, .supplied = "-dp * q" },
};

static const tn_force_type pressure_source = {
    .name = "pressure-source",
    .doc = "A given pressure against the tank.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "Pa", "any expression", NAN, NULL } },
    .device = &(const tn_device){
        .family = "hydraulic", .ports = { { "a", "hydraulic", "", false, -1 } }, .flows = { { "a", "flow", "q" } },
        .unknowns = { { "q", "m^3/s", NULL, 1e-4 } }, .equations = { "a.pressure - value" }, .supplied = "-a.pressure * q",
    },
};

/* Gas volume V0 (p_g / P)^(1/n) at the absolute pressure P = max(a.pressure + ambient, filling). */
static const tn_force_type accumulator = {
    .name = "accumulator",
    .doc = "Gas behind a bladder: stores oil above its filling pressure.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "volume", "m^3", "of the gas at the filling pressure", NAN, NULL },
        { "filling", "Pa", "absolute pressure of the gas without oil", NAN, NULL },
        { "exponent", "", "of the change of state: 1 slow, 1.4 fast", 1.4, NULL },
        { "dead", "m^3", "oil below the filling pressure", NAN, "0.01 * volume" },
        { "pressure", "Pa", "at the start", NAN, "0" },
    },
    .requirements = { { "volume > 0 and filling > 0 and exponent >= 1 and dead > 0",
                        "'volume', 'filling' and 'dead' must be positive, 'exponent' at least 1" } },
    .channels = {
        { "absolute", "Pa", "max(a.pressure + ambient, filling)" },
        { "gas", "m^3", "volume * (filling / absolute)^(1 / exponent)" },
        { "oil", "m^3", "volume - gas" },
        { "rise", "", "absolute / filling" },
    },
    .device = &(const tn_device){
        .family = "hydraulic", .ports = { { "a", "hydraulic", "", false, 0 } },
        .stores = { { "a", "capacity", "if(a.pressure + ambient > filling, gas / (exponent * absolute), dead / bulk_modulus)" } },
        .starts = { { "a", "pressure", "pressure" } },
        .stored = "dead / bulk_modulus * min(a.pressure, filling - ambient)^2 / 2 + volume * (if(exponent > 1.000001, filling *"
                  " (rise^((exponent - 1) / exponent) - 1) / max(exponent - 1, 1e-6), filling * log(rise)) + ambient *"
                  " (rise^(-1 / exponent) - 1))",
    },
};

const tn_force_type *const tn_devices_hydraulic[] = {
    &volume, &hose, &orifice, &laminar, &pipe, &pipe_inertia, &check_valve, &relief_valve, &valve_4_3, &flow_source,
    &pressure_source, &accumulator, NULL
};
