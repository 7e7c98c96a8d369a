/* Spring by a table along a coordinate q of a joint, an angle or a length:
 *     effort       -(law(q - rest) + damping q')
 *     potential    integral of law */
#include <math.h>
#include "tenon/sys/force.h"

#define EFFORT "-(law(q - rest) + damping * vel(q))"

const tn_force_type tn_force_table_torsion_spring = {
    .name = "table-torsion-spring",
    .doc = "Spring along a coordinate of a joint whose pull over deflection is a table, with a damper.",
    .place = TN_PLACE_JOINT,
    .parameters = {
        { "law", TN_UNIT_TABLE, "pull towards smaller values (N or N m) over deflection (m or rad)", NAN, NULL },
        { "rest", "m|rad", "coordinate at which the deflection is zero", 0.0, NULL },
        { "damping", "N s/m|N m s/rad", "effort per rate", 0.0, NULL },
    },
    .effort = { EFFORT },
    .potential = "integral(law, q - rest)",
    .loss = "damping * vel(q)^2",
    .channels = {
        { "deflection", "m|rad", "q - rest" },
        { "rate", "m/s|rad/s", "vel(q)" },
        { "effort", "N|N m", EFFORT },
    },
};
