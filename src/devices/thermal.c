/* Thermal devices. Heat flows h from a to b. */
#include <math.h>
#include "tenon/sys/device.h"

#define A_AND_B { "a", "thermal", "", false, 0 }, { "b", "thermal", "", false, 0 }
#define DT { "dt", "K", "a.temperature - b.temperature" }
#define FLOWS .flows = { { "a", "heat", "h" }, { "b", "heat", "-(h)" } }

static const tn_force_type capacity = {
    .name = "heat-capacity",
    .doc = "A mass that keeps heat.",
    .place = TN_PLACE_NONE,
    .parameters = { { "capacity", "J/K", "", NAN, NULL }, { "temperature", "K", "at the start", NAN, "ambient" } },
    .requirements = { { "capacity > 0", "'capacity' must be positive" },
                      { "temperature > 0", "'temperature' is absolute: it must be positive" },
                      { "a.temperature > 0", "the absolute temperature must stay above zero: more heat is taken than there is" } },
    .device = &(const tn_device){
        .family = "thermal", .ports = { { "a", "thermal", "", false, 0 } }, .stores = { { "a", "capacity", "capacity" } },
        .starts = { { "a", "temperature", "temperature" } }, .stored = "capacity * a.temperature",
    },
};

static const tn_force_type conductor = {
    .name = "conductor",
    .doc = "h = conductance (Ta - Tb).",
    .place = TN_PLACE_NONE,
    .parameters = { { "conductance", "W/K", "", NAN, NULL } },
    .requirements = { { "conductance > 0", "'conductance' must be positive" } },
    .channels = { DT, { "h", "W", "conductance * dt" } },
    .device = &(const tn_device){ .family = "thermal", .ports = { A_AND_B }, FLOWS },
};

static const tn_force_type convection = {
    .name = "convection",
    .doc = "h = coefficient area (Ta - Tb); the coefficient may be an expression.",
    .place = TN_PLACE_NONE,
    .parameters = { { "coefficient", "W/m^2/K", "", NAN, NULL }, { "area", "m^2", "", NAN, NULL } },
    .requirements = { { "area > 0 and coefficient >= 0", "'area' must be positive, 'coefficient' not negative" } },
    .channels = { DT, { "h", "W", "coefficient * area * dt" } },
    .device = &(const tn_device){ .family = "thermal", .ports = { A_AND_B }, FLOWS },
};

static const tn_force_type radiation = {
    .name = "radiation",
    .doc = "h = emissivity sigma area (Ta^4 - Tb^4).",
    .place = TN_PLACE_NONE,
    .parameters = { { "emissivity", "", "", 1.0, NULL }, { "area", "m^2", "", NAN, NULL } },
    .requirements = { { "area > 0 and emissivity > 0", "'area' and 'emissivity' must be positive" } },
    .channels = { { "h", "W", "emissivity * 5.670374419e-8 W/m^2/K^4 * area * (a.temperature^4 - b.temperature^4)" } },
    .device = &(const tn_device){ .family = "thermal", .ports = { A_AND_B }, FLOWS },
};

static const tn_force_type heat_source = {
    .name = "heat-source",
    .doc = "A given heat flow into its node.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "W", "any expression", NAN, NULL } },
    .device = &(const tn_device){ .family = "thermal", .ports = { { "a", "thermal", "", false, 0 } },
                                  .flows = { { "a", "heat", "-(value)" } }, .supplied = "value" },
};

static const tn_force_type temperature_source = {
    .name = "temperature-source",
    .doc = "Holds the temperature of its node.",
    .place = TN_PLACE_NONE,
    .parameters = { { "value", "K", "any expression", NAN, NULL } },
    .requirements = { { "value > 0", "'value' is an absolute temperature: it must be positive" } },
    .device = &(const tn_device){
        .family = "thermal", .ports = { { "a", "thermal", "", false, -1 } }, .flows = { { "a", "heat", "h" } },
        .unknowns = { { "h", "W", NULL, 100 } }, .equations = { "a.temperature - value" }, .supplied = "-h",
    },
};

const tn_force_type *const tn_devices_thermal[] = {
    &capacity, &conductor, &convection, &radiation, &heat_source, &temperature_source, NULL
};
