/* A named expression: its name stands for the text wherever expressions stand. "(x, y) -> x * y" is a function. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_let = {
    .name = "let",
    .doc = "A named expression, or a function with arguments: (x, y) -> x * y.",
    .place = TN_PLACE_NONE,
    .named = true,
    .parameters = { { "value", "*", "the expression", NAN, NULL } },
};
