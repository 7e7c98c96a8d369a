/* Drag of a medium that fills the space of frame 1 and moves with it, and in it with the velocity wind (along the axes
 * of frame 1; of the world when that is ground). With u = velocity of N against the medium there, w = w2 - w1:
 *     force     -(linear + quadratic |u|) u        on body 2 at N
 *     torque    -(angular + angular_quadratic |w|) w
 * No potential: its power is booked as work. */
#include "tenon/sys/force.h"

#define AGAINST "(vel(d) - cross(w1, d) - wind.x * x1 - wind.y * y1 - wind.z * z1)"

const tn_force_type tn_force_drag = {
    .name = "drag",
    .doc = "Drag of a medium on a point and on the turning of its body, linear and quadratic in the speed.",
    .parameters = {
        { "linear", "N s/m", "force per speed", 0.0, NULL },
        { "quadratic", "N s^2/m^2", "force per square of the speed: density * drag coefficient * area / 2", 0.0, NULL },
        { "angular", "N m s/rad", "torque per angular velocity", 0.0, NULL },
        { "angular_quadratic", "N m s^2/rad^2", "torque per square of the angular velocity", 0.0, NULL },
        { "wind.x", "m/s", "velocity of the medium along x", 0.0, NULL },
        { "wind.y", "m/s", "along y", 0.0, NULL },
        { "wind.z", "m/s", "along z", 0.0, NULL },
    },
    .force = "-(linear + quadratic * speed) * " AGAINST,
    .torque = "-(angular + angular_quadratic * norm(w2 - w1)) * (w2 - w1)",
    .channels = {
        { "speed", "m/s", "norm" AGAINST },
        { "resistance", "N", "(linear + quadratic * speed) * speed" },
    },
};
