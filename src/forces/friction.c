/* Friction along a coordinate q of a joint: Coulomb's law with a smooth sign, and a viscous part.
 *     normal force   n = reaction_share reaction + preload        reaction: size of the joint's reaction force
 *     coefficient    mu = coefficient + (static_coefficient - coefficient) exp(-(q'/stribeck_speed)^2)
 *     effort         -(mu n tanh(q'/speed) + viscous q'),  along an angle with mu n radius
 * tanh leaves a body that should stick creeping at less than speed. All of it is loss: its power is booked as work. */
#include <math.h>
#include "tenon/sys/force.h"

const tn_force_type tn_force_friction = {
    .name = "friction",
    .doc = "Dry and viscous friction along a coordinate of a joint, dry friction by the joint's own reaction.",
    .place = TN_PLACE_JOINT,
    .parameters = {
        { "coefficient", "", "friction force per normal force while sliding", 0.0, NULL },
        { "static_coefficient", "", "the same near rest", NAN, "coefficient" },
        { "stribeck_speed", "m/s|rad/s", "rate over which the static coefficient fades", 0.01, NULL },
        { "speed", "m/s|rad/s", "rate below which the sign of the motion is smoothed", 0.001, NULL },
        { "radius", "m", "along an angle: where the bearing rubs", 0.0, NULL },
        { "preload", "N", "normal force on top of the reaction", 0.0, NULL },
        { "reaction_share", "", "share of the reaction in the normal force; 0: the normal force is the preload alone", 1.0, NULL },
        { "viscous", "N s/m|N m s/rad", "effort per rate", 0.0, NULL },
    },
    .requirements = {
        { "speed > 0 and stribeck_speed > 0", "'speed' and 'stribeck_speed' must be positive" },
        { "coefficient >= 0 and static_coefficient >= 0 and viscous >= 0 and reaction_share >= 0",
          "coefficients of friction and the share of the reaction must not be negative" },
        { "radius <= 0|radius > 0 or coefficient <= 0 and static_coefficient <= 0",
          "dry friction needs a 'radius' along an angle, and has none along a length" },
    },
    .effort = { "effort" },
    .channels = {
        { "normal", "N", "reaction_share * reaction + preload" },
        { "rate", "m/s|rad/s", "vel(q)" },
        { "dry", "N", "(coefficient + (static_coefficient - coefficient) * exp(-(rate / stribeck_speed)^2)) * normal * "
                      "tanh(rate / speed)" },
        { "effort", "N|N m", "-(dry + viscous * rate)|-(dry * radius + viscous * rate)" },
    },
};
