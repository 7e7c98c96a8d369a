/* A number x with a rate of its own, x' = rate: a pressure, a filter, the memory of a controller. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_state = {
    .name = "state",
    .doc = "A number with a rate of its own that acts on nothing by itself.",
    .place = TN_PLACE_NONE,
    .parameters = {
        { "initial", "*", "value at the start", 0.0, NULL },
        { "rate", "*", "change per second", 0.0, NULL },
    },
    .states = { { "value", NULL, "initial", "rate" } },
};
