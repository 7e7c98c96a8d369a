/* Brush tyre (tyre.h), after Fiala: bristles with a parabolic pressure in the patch.
 *     s = (cx kappa, cy tan alpha) / (1 + kappa),   u = |s| / (3 friction load)
 *     f = s (1 - u + u^2 / 3) below u = 1, and friction load s / |s| beyond;   fy against the slip
 *     mz = patch / 6 cy tan alpha (1 - u)^3 / (1 + kappa)
 * H. B. Pacejka, Tire and Vehicle Dynamics, chapter 3. */
#include "tyre.h"

#define SHIFT "max(1 + kappa, 0.05)"       /* a wheel that is locked slides in any case */

const tn_force_type tn_force_tyre_brush = {
    .name = "tyre-brush",
    .doc = "Brush tyre (Fiala), longitudinal and lateral slip together; in space.",
    .parameters = {
        TYRE_PARAMETERS,
        { "cx", "N", "longitudinal force per slip", NAN, NULL },
        { "cy", "N/rad", "lateral force per slip angle", NAN, NULL },
        { "friction", "", "coefficient", NAN, NULL },
        { "patch", "m", "length of the contact patch", 0.0, NULL },
    },
    .requirements = { TYRE_REQUIREMENTS, { "cx > 0 and cy > 0 and friction > 0 and patch >= 0",
                                           "'cx', 'cy' and 'friction' must be positive, 'patch' not negative" } },
    .states = { TYRE_STATES },
    .force = TYRE_FORCE,
    .torque = TYRE_TORQUE,
    .channels = {
        TYRE_CHANNELS,
        { "sx", "N", "cx * kappa / " SHIFT },
        { "sy", "N", "cy * tan(alpha) / " SHIFT },
        { "use", "", "sqrt(sx^2 + sy^2 + (1e-6 N)^2) / max(3 * friction * load, 1e-9 N)" },
        { "share", "", "if(use < 1, 1 - use + use^2 / 3, 1 / (3 * max(use, 1)))" },
        { "fx", "N", "if(load > 0, share * sx, 0)" },
        { "fy", "N", "if(load > 0, -share * sy, 0)" },
        { "mz", "N m", "if(load > 0, patch / 6 * sy * max(0, 1 - use)^3, 0)" },
    },
};
