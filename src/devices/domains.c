/* The domains in which devices meet. A node that stores has its across variables as states:
 *     electrical   v' = sum of currents / capacity
 *     hydraulic    p' = sum of flows / capacity
 *     thermal      T' = sum of heats / capacity
 *     pneumatic    p' = ((kappa - 1) (sum of enthalpies + heat) - kappa p swell) / volume
 *                  T' = T (p'/p + swell/volume - sum of mass flows R T / (p volume))       ideal gas, swell = V'
 * Sums count out of the devices, into the node. */
#include <math.h>
#include "tenon/sys/device.h"

extern const tn_domain tn_domain_electrical, tn_domain_hydraulic, tn_domain_pneumatic, tn_domain_thermal;

static const tn_force_type electrical_node = {
    .name = "electrical-node", .doc = "A node where electrical ports meet.", .place = TN_PLACE_NONE,
    .parameters = { { "voltage", "V", "voltage at the start, where the node stores; a guess elsewhere", NAN, "0" },
                    { "end", "", "1: one port alone at the node is meant", 0.0, NULL } },
    .states = { { "voltage", "V", "start.voltage", "current / capacity" } },
    .device = &(const tn_device){ .family = "nodes", .node = &tn_domain_electrical },
};

static const tn_force_type hydraulic_node = {
    .name = "hydraulic-node", .doc = "A node where hydraulic ports meet.", .place = TN_PLACE_NONE,
    .parameters = { { "pressure", "Pa", "pressure at the start, where the node stores; a guess elsewhere", NAN, "0" },
                    { "end", "", "1: one port alone at the node is meant", 0.0, NULL } },
    .states = { { "pressure", "Pa", "start.pressure", "flow / capacity" } },
    .device = &(const tn_device){ .family = "nodes", .node = &tn_domain_hydraulic },
};

static const tn_force_type thermal_node = {
    .name = "thermal-node", .doc = "A node where thermal ports meet.", .place = TN_PLACE_NONE,
    .parameters = { { "temperature", "K", "temperature at the start, where the node stores; a guess elsewhere", NAN,
                      "ambient" },
                    { "end", "", "1: one port alone at the node is meant", 0.0, NULL } },
    .states = { { "temperature", "K", "start.temperature", "heat / capacity" } },
    .device = &(const tn_device){ .family = "nodes", .node = &tn_domain_thermal },
};

static const tn_force_type pneumatic_node = {
    .name = "pneumatic-node", .doc = "A node where pneumatic ports meet.", .place = TN_PLACE_NONE,
    .parameters = { { "pressure", "Pa", "absolute pressure at the start", NAN, "ambient" },
                    { "temperature", "K", "temperature at the start", NAN, "ambient_temperature" },
                    { "end", "", "1: one port alone at the node is meant", 0.0, NULL } },
    .states = {
        { "pressure", "Pa", "start.pressure", "((kappa - 1) * (enthalpy + heat) - kappa * pressure * swell) / volume" },
        { "temperature", "K", "start.temperature",
          "temperature * (((kappa - 1) * (enthalpy + heat) - kappa * pressure * swell) / volume / pressure"
          " + swell / volume - mass * gas_constant * temperature / (pressure * volume))" },
    },
    .device = &(const tn_device){ .family = "nodes", .node = &tn_domain_pneumatic },
};

static const tn_force_type hydraulic_medium = {
    .name = "hydraulic-medium", .doc = "The oil of hydraulic devices.", .place = TN_PLACE_NONE,
    .parameters = {
        { "density", "kg/m^3", "of the oil", 860.0, NULL },
        { "bulk_modulus", "Pa", "of the oil without air", 1.4e9, NULL },
        { "viscosity", "m^2/s", "kinematic", 46e-6, NULL },
        { "air", "", "part of the volume that is free air, at ambient pressure", 0.0, NULL },
        { "ambient", "Pa", "pressure of the surroundings, absolute", 101325.0, NULL },
    },
    .requirements = {
        { "density > 0 and bulk_modulus > 0 and viscosity > 0 and ambient > 0",
          "'density', 'bulk_modulus', 'viscosity' and 'ambient' must be positive" },
        { "air >= 0 and air < 1", "'air' must be between 0 and 1" },
    },
    .device = &(const tn_device){ .family = "media", .medium = true },
};

static const tn_force_type pneumatic_medium = {
    .name = "pneumatic-medium", .doc = "The gas of pneumatic devices: ideal.", .place = TN_PLACE_NONE,
    .parameters = {
        { "gas_constant", "J/kg/K", "of the gas", 287.05, NULL },
        { "kappa", "", "ratio of the specific heats", 1.4, NULL },
        { "ambient", "Pa", "pressure of the surroundings, absolute", 101325.0, NULL },
        { "ambient_temperature", "K", "of the surroundings", 293.15, NULL },
    },
    .requirements = {
        { "gas_constant > 0 and kappa > 1 and ambient > 0 and ambient_temperature > 0",
          "'gas_constant', 'ambient' and 'ambient_temperature' must be positive, 'kappa' greater than 1" },
    },
    .device = &(const tn_device){ .family = "media", .medium = true },
};

static const tn_force_type thermal_medium = {
    .name = "thermal-medium", .doc = "The surroundings of thermal devices.", .place = TN_PLACE_NONE,
    .parameters = { { "ambient", "K", "temperature of the surroundings", 293.15, NULL } },
    .requirements = { { "ambient > 0", "'ambient' must be positive" } },
    .device = &(const tn_device){ .family = "media", .medium = true },
};

const tn_domain tn_domain_electrical = {
    .name = "electrical", .doc = "Voltages against ground, and currents.",
    .across = { { "voltage", "V", "0", 1 } }, .through = { { "current", "A" } }, .sums = { { "capacity", "F" } },
    .node = &electrical_node,
};

const tn_domain tn_domain_hydraulic = {
    .name = "hydraulic", .doc = "Pressures above ambient, and volume flows; isothermal.",
    .across = { { "pressure", "Pa", "0", 1e5 } }, .through = { { "flow", "m^3/s" } },
    .sums = { { "capacity", "m^3/Pa" } }, .node = &hydraulic_node, .medium = &hydraulic_medium,
};

const tn_domain tn_domain_thermal = {
    .name = "thermal", .doc = "Temperatures, and heat flows.",
    .across = { { "temperature", "K", "ambient", 300 } }, .through = { { "heat", "W" } },
    .sums = { { "capacity", "J/K" } }, .energy = "heat", .node = &thermal_node, .medium = &thermal_medium,
};

const tn_domain tn_domain_pneumatic = {
    .name = "pneumatic", .doc = "Absolute pressures and temperatures of an ideal gas; mass and enthalpy flows.",
    .across = { { "pressure", "Pa", "ambient", 1e5 }, { "temperature", "K", "ambient_temperature", 300 } },
    .through = { { "mass", "kg/s" }, { "enthalpy", "W" } },
    .sums = { { "volume", "m^3" }, { "swell", "m^3/s" }, { "heat", "W" } },
    .energy = "enthalpy", .node = &pneumatic_node, .medium = &pneumatic_medium, .needs_storage = true,
};

const tn_domain *const tn_domains[] = {
    &tn_domain_electrical, &tn_domain_hydraulic, &tn_domain_pneumatic, &tn_domain_thermal, NULL
};
