/* Definitions that all compliant balls share. They touch with the depth of overlap delta >= 0; with the unit normal n from
 * body 1 to body 2, the centre N and the radius r of the ball of body 2, the touch is at C = N - r n:
 *     elastic      e = stiffness delta (delta / scale)^(exponent - 1)                      Hertz: exponent 3/2
 *     normal       F = max(0, e (1 + damping delta'))                                      Hunt and Crossley
 *     slip         u = motion of body 2 against body 1 at C, across n
 *     friction     -friction F u / sqrt(|u|^2 + speed^2)
 *     potential    e delta / (exponent + 1)
 *     loss         (F - e) delta' + friction F |u|^2 / sqrt(|u|^2 + speed^2)
 * Force and torque act at N, so the torque is that of the friction at C. */
#ifndef TN_FORCES_COMPLIANT_H
#define TN_FORCES_COMPLIANT_H

#include <math.h>
#include "tenon/sys/force.h"

#define COMPLIANT_PARAMETERS \
    { "stiffness", "N/m", "force per depth where the depth is 'scale'", NAN, NULL }, \
    { "exponent", "", "of the depth in the force; 1.5: Hertz, 1: linear", 1.5, NULL }, \
    { "scale", "m", "depth to which 'stiffness' belongs", 1.0, NULL }, \
    { "damping", "s/m", "Hunt and Crossley: share of the elastic force per speed of approach", 0.0, NULL }, \
    { "friction", "", "coefficient of dry friction", 0.0, NULL }, \
    { "speed", "m/s", "slip below which friction fades", 0.001, NULL }

#define COMPLIANT_REQUIREMENTS \
    { "stiffness > 0 and exponent >= 1 and scale > 0", \
      "'stiffness' and 'scale' must be positive, and 'exponent' at least 1" }, \
    { "damping >= 0 and friction >= 0 and speed > 0", \
      "'damping' and 'friction' must not be negative, and 'speed' must be positive" }

/* radius: name of the ball's radius; n: the normal. */
#define COMPLIANT_MOTION(radius, n) "vel(d) - cross(w1, d) - " radius " * cross(w2 - w1, " n ")"
#define COMPLIANT_SLIP(radius, n) "cross(cross(" n ", " COMPLIANT_MOTION(radius, n) "), " n ")"
#define COMPLIANT_FORCE(radius, n) "normal_force * " n " - rub * " COMPLIANT_SLIP(radius, n)
#define COMPLIANT_TORQUE(radius, n) "rub * " radius " * cross(" n ", " COMPLIANT_MOTION(radius, n) ")"
#define COMPLIANT_POTENTIAL "elastic * max(0, depth) / (exponent + 1)"
#define COMPLIANT_LOSS "(normal_force - elastic) * rate + rub * slip^2"

#define COMPLIANT_CHANNELS(radius, n) \
    { "elastic", "N", "if(depth > 0, stiffness * depth * (depth / scale)^(exponent - 1), 0)" }, \
    { "normal_force", "N", "max(0, elastic * (1 + damping * rate))" }, \
    { "slip", "m/s", "if(depth > 0, norm(" COMPLIANT_SLIP(radius, n) "), 0)" }, \
    { "rub", "N s/m", "friction * normal_force / sqrt(slip^2 + speed^2)" }, \
    { "friction_force", "N", "rub * slip" }

#endif
