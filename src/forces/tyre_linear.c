/* Linear tyre (tyre.h): forces in proportion to the slips, within the circle of friction:
 *     f = (cx kappa, -cy alpha), shortened to friction load;   mz = -trail fy */
#include "tyre.h"

const tn_force_type tn_force_tyre_linear = {
    .name = "tyre-linear",
    .doc = "Tyre whose forces grow in proportion to the slips, up to friction; in space.",
    .parameters = {
        TYRE_PARAMETERS,
        { "cx", "N", "longitudinal force per slip", NAN, NULL },
        { "cy", "N/rad", "lateral force per slip angle", NAN, NULL },
        { "friction", "", "coefficient: largest force over load", 1.0, NULL },
        { "trail", "m", "pneumatic trail", 0.0, NULL },
    },
    .requirements = { TYRE_REQUIREMENTS, { "cx >= 0 and cy >= 0 and friction >= 0", "'cx', 'cy' and 'friction' must not be negative" } },
    .states = { TYRE_STATES },
    .force = TYRE_FORCE,
    .torque = TYRE_TORQUE,
    .channels = {
        TYRE_CHANNELS,
        { "share", "", "min(1, friction * load / max(hypot(cx * kappa, cy * alpha), 1e-9 N))" },
        { "fx", "N", "share * cx * kappa" },
        { "fy", "N", "-share * cy * alpha" },
        { "mz", "N m", "-trail * fy" },
    },
};
