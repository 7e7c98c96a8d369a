/* A number that programs set while the model runs: value' = slope, slope' = bend, bend' = jerk, jerk' = 0. Between two settings the
 * value holds, or is a polynomial up to a cubic; all are states, so that snapshots, saved runs and undo contain them. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_input = {
    .name = "input",
    .doc = "A number that a program, a controller or another tool sets while the model runs.",
    .place = TN_PLACE_NONE,
    .input = true,
    .parameters = {
        { "default", "*", "value at the start", 0.0, NULL },
        { "low", "*", "smallest value allowed", -1e300, NULL },
        { "high", "*", "largest value allowed", 1e300, NULL },
    },
    .states = { { "value", NULL, "default", "slope" }, { "slope", "1/s", "0", "bend" }, { "bend", "1/s^2", "0", "jerk" },
                { "jerk", "1/s^3", "0", "0" } },
};
