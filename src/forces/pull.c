/* Pull of a point N of body 2 towards a target T that a user moves, for example with a mouse. The pull prescribes an
 * acceleration, so that light and heavy, free and jointed bodies respond alike:
 *     wanted   a = omega^2 (T - d) - 2 damping omega d',  no larger than cap
 *     force    mass a                mass: effective mass matrix of the mechanism at the point
 * d, T, a and mass are seen from frame 1, the world as a rule. T, mass and the energy put in so far are states; T and
 * mass change only when the session sets them: T by the user, mass with the pose of the mechanism. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_pull = {
    .name = "pull",
    .doc = "Pull of a point towards a target, scaled by what has to move with it.",
    .internal = true,
    .parameters = {
        { "mass.xx", "kg", "effective mass of the mechanism at the point at the start", NAN, NULL },
        { "mass.yy", "kg", "the same along y", NAN, NULL },
        { "mass.zz", "kg", "along z", NAN, NULL },
        { "mass.xy", "kg", "between x and y", 0.0, NULL },
        { "mass.xz", "kg", "between x and z", 0.0, NULL },
        { "mass.yz", "kg", "between y and z", 0.0, NULL },
        { "omega", "rad/s", "how quickly the point follows", 12.0, NULL },
        { "damping", "", "1: without overshoot", 1.0, NULL },
        { "cap", "m/s^2", "largest acceleration that is asked for", 200.0, NULL },
        { "start.x", "m", "target at the start", NAN, NULL },
        { "start.y", "m", "the same along y", NAN, NULL },
        { "start.z", "m", "along z", 0.0, NULL },
    },
    .requirements = {
        { "omega > 0 and damping >= 0 and cap > 0", "'omega' and 'cap' must be positive, 'damping' not negative" },
    },
    .force = "force.x * x1 + force.y * y1 + force.z * z1",
    .states = {
        { "target_x", "m", "start.x", "0 m/s" },
        { "target_y", "m", "start.y", "0 m/s" },
        { "target_z", "m", "start.z", "0 m/s" },
        { "mass_xx", "kg", "mass.xx", "0 kg/s" },
        { "mass_yy", "kg", "mass.yy", "0 kg/s" },
        { "mass_zz", "kg", "mass.zz", "0 kg/s" },
        { "mass_xy", "kg", "mass.xy", "0 kg/s" },
        { "mass_xz", "kg", "mass.xz", "0 kg/s" },
        { "mass_yz", "kg", "mass.yz", "0 kg/s" },
        { "energy", "J", "0 J", "force.x * vel(d . x1) + force.y * vel(d . y1) + force.z * vel(d . z1)" },
    },
    .channels = {
        { "distance", "m", "norm(target_x * x1 + target_y * y1 + target_z * z1 - d)" },
        { "wanted.x", "m/s^2", "omega^2 * (target_x - d . x1) - 2 * damping * omega * vel(d . x1)" },
        { "wanted.y", "m/s^2", "omega^2 * (target_y - d . y1) - 2 * damping * omega * vel(d . y1)" },
        { "wanted.z", "m/s^2", "omega^2 * (target_z - d . z1) - 2 * damping * omega * vel(d . z1)" },
        { "part", "", "min(1, cap / max(1e-9 * cap, hypot(wanted.x, hypot(wanted.y, wanted.z))))" },
        { "force.x", "N", "part * (mass_xx * wanted.x + mass_xy * wanted.y + mass_xz * wanted.z)" },
        { "force.y", "N", "part * (mass_xy * wanted.x + mass_yy * wanted.y + mass_yz * wanted.z)" },
        { "force.z", "N", "part * (mass_xz * wanted.x + mass_yz * wanted.y + mass_zz * wanted.z)" },
    },
};
