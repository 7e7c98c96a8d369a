/* Spring by a table between the origins of frames 1 and 2, with q = |N - M|:
 *     tension      law(q - length) + damping q'
 *     potential    integral of law */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_table_spring = {
    .name = "table-spring",
    .doc = "Spring between two points whose tension over stretch is a table, with a damper.",
    .parameters = {
        { "law", TN_UNIT_TABLE, "tension (N) over stretch (m)", NAN, NULL },
        { "length", "m", "distance at which the stretch is zero", NAN, NULL },
        { "damping", "N s/m", "tension per stretching speed", 0.0, NULL },
    },
    .along = { "norm(d)" },
    .effort = { "-tension" },
    .potential = "integral(law, q - length)",
    .loss = "damping * rate^2",
    .channels = {
        { "length", "m", "q" },
        { "rate", "m/s", "vel(q)" },
        { "tension", "N", "law(q - length) + damping * rate" },
    },
};
