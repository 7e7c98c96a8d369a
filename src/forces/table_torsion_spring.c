/* Spring by a table along a coordinate q of a joint, an angle or a length:
 *     effort       -(law(q - rest) + damping q')
 *     potential    integral of law */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_table_torsion_spring = {
    .name = "table-torsion-spring",
    .doc = "Spring along a coordinate of a joint whose pull over deflection is a table, with a damper.",
    .place = TN_PLACE_JOINT,
    .parameters = {
        { "law", TN_UNIT_TABLE, "pull towards smaller values (N or N m) over deflection (m or rad)", NAN, NULL },
        { "rest", "m|rad", "coordinate at which the deflection is zero", 0.0, NULL },
        { "damping", "N s/m|N m s/rad", "effort per rate", 0.0, NULL },
    },
    .effort = { "effort" },
    .potential = "integral(law, deflection)",
    .loss = "damping * rate^2",
    .channels = {
        { "deflection", "m|rad", "q - rest" },
        { "rate", "m/s|rad/s", "vel(q)" },
        { "effort", "N|N m", "-(law(deflection) + damping * rate)" },
    },
};
