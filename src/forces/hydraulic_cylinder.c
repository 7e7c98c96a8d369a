/* Hydraulic cylinder between the origins of frames 1 and 2, x = |N - M| - closed_length. Chamber a extends it, chamber
 * b pulls it in; their pressures pa and pb are states:
 *     push     area_a pa - area_b pb
 *     pa'      bulk_modulus (flow_a - area_a x' - leakage (pa - pb)) / (dead_a + area_a x)
 *     pb'      bulk_modulus (flow_b + area_b x' + leakage (pa - pb)) / (dead_b + area_b (stroke - x))
 * Pressures count from ambient; cavitation is not modelled, nor are the ends of the stroke. The oil keeps energy of its
 * own: the power of the push is booked as work. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_hydraulic_cylinder = {
    .name = "hydraulic-cylinder",
    .doc = "Two chambers of oil between two points, fed by given flows.",
    .parameters = {
        { "area_a", "m^2", "of the piston in chamber a, which extends", NAN, NULL },
        { "area_b", "m^2", "of the piston in chamber b", NAN, "area_a" },
        { "stroke", "m", "way of the piston", NAN, NULL },
        { "closed_length", "m", "distance of the points when pulled in", NAN, NULL },
        { "bulk_modulus", "Pa", "of the oil", 1.4e9, NULL },
        { "dead_a", "m^3", "oil in chamber a and its line when pulled in", NAN, "0.05 * area_a * stroke" },
        { "dead_b", "m^3", "oil in chamber b and its line when extended", NAN, "0.05 * area_b * stroke" },
        { "flow_a", "m^3/s", "flow into chamber a", 0.0, NULL },
        { "flow_b", "m^3/s", "flow into chamber b", 0.0, NULL },
        { "leakage", "m^3/s/Pa", "flow from a to b per pressure difference", 0.0, NULL },
        { "pressure_a", "Pa", "of chamber a at the start", 0.0, NULL },
        { "pressure_b", "Pa", "of chamber b at the start", 0.0, NULL },
    },
    .requirements = {
        { "area_a > 0 and area_b >= 0 and stroke > 0 and dead_a > 0 and dead_b > 0",
          "'area_a', 'stroke', 'dead_a' and 'dead_b' must be positive" },
        { "bulk_modulus > 0 and leakage >= 0", "'bulk_modulus' must be positive, 'leakage' not negative" },
    },
    .along = { "norm(d)" },
    .effort = { "force" },
    .states = {
        { "pa", "Pa", "pressure_a",
          "bulk_modulus * (flow_a - area_a * rate - leakage * (pa - pb)) / volume_a" },
        { "pb", "Pa", "pressure_b",
          "bulk_modulus * (flow_b + area_b * rate + leakage * (pa - pb)) / volume_b" },
    },
    .channels = {
        { "extension", "m", "q - closed_length" },
        { "rate", "m/s", "vel(q)" },
        { "volume_a", "m^3", "dead_a + area_a * extension" },
        { "volume_b", "m^3", "dead_b + area_b * (stroke - extension)" },
        { "force", "N", "area_a * pa - area_b * pb" },
    },
};
