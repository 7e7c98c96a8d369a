/* Ideal gas in a cylinder between the origins of frames 1 and 2, q = |N - M|. States: pressure p and temperature T over
 * that of the surroundings; volume V = dead_volume + area (q - closed_length). With n the content p V / T of gas,
 * c = T when gas leaves and 1 when it comes in:
 *     push     area (p - ambient)
 *     n'       -leak ambient (p - ambient)
 *     p'       exponent (c n' - p V') / V + p (1/T - 1) / heat_time
 *     T'       T (1 - exponent) V' / V + T (exponent c - T) n' / (p V) + (1 - T) / heat_time
 * Without leak and heat p V^exponent is constant. The gas keeps energy and heat of its own: the power of the push is
 * booked as work. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_gas_cylinder = {
    .name = "gas-cylinder",
    .doc = "Gas that pushes two points apart, with pressure and temperature of its own.",
    .parameters = {
        { "area", "m^2", "of the piston", NAN, NULL },
        { "filling_pressure", "Pa", "pressure at the start, absolute", NAN, NULL },
        { "dead_volume", "m^3", "volume of gas when closed", 0.0, NULL },
        { "closed_length", "m", "distance of the points when closed", 0.0, NULL },
        { "ambient", "Pa", "pressure outside", 101325.0, NULL },
        { "exponent", "", "of p V^exponent: 1.4 air, 1 isothermal", 1.4, NULL },
        { "heat_time", "s", "time constant of heat exchange with the surroundings; 0: none", 0.0, NULL },
        { "leak", "m^3/s/Pa", "volume flow, measured outside, per pressure difference", 0.0, NULL },
    },
    .requirements = {
        { "area > 0 and filling_pressure > 0 and ambient >= 0", "'area' and 'filling_pressure' must be positive" },
        { "exponent >= 1 and heat_time >= 0 and leak >= 0",
          "'exponent' must be at least 1, and 'heat_time' and 'leak' not negative" },
    },
    .along = { "norm(d)" },
    .effort = { "force" },
    .states = {
        { "pressure", "Pa", "filling_pressure",
          "exponent * (carried * inflow - pressure * area * rate) / volume + pressure / temperature * heating" },
        { "temperature", "", "1",
          "temperature * ((1 - exponent) * area * rate + (exponent * carried - temperature) * inflow / pressure) "
          "/ volume + heating" },
    },
    .channels = {
        { "length", "m", "q" },
        { "rate", "m/s", "vel(q)" },
        { "volume", "m^3", "dead_volume + area * (q - closed_length)" },
        { "inflow", "W", "leak * ambient * (ambient - pressure)" },
        { "carried", "", "if(pressure > ambient, temperature, 1)" },
        { "heating", "1/s", "if(heat_time > 0, (1 - temperature) / heat_time, 0)" },
        { "force", "N", "area * (pressure - ambient)" },
    },
};
