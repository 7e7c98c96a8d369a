/* Definitions that all tyres share. Body 1 is the road: its plane is z1 = height above M, tilted by slopes. Body 2 is the wheel, N its
 * centre, y2 its axle, which points to the left of a wheel that rolls forwards.
 *     n   normal of the road           r   unit vector in the plane of the wheel from the road to the centre
 *     x   unit(y2 x n), forwards       y   n x x, to the left
 *     depth = radius - distance of the centre from the road along r;  load = stiffness depth + damping depth'
 *     vx      velocity of the centre along x;     slip_x, slip_y   velocity of the tread in the patch, on the road
 *     kappa = -slip_x / |vx|,  tan alpha = slip_y / |vx|; with a relaxation length s
 *     deflection_x' = -slip_x - |vx| deflection_x / s,   kappa = deflection_x / s;   alpha alike
 *     camber = asin(y2 . n)
 * Signs are those of ISO 8855 at the wheel: fx forwards, fy to the left, mz about n. A law gives fx, fy and mz. */
#ifndef TN_FORCES_TYRE_H
#define TN_FORCES_TYRE_H

#include <math.h>
#include "tenon/sys/force.h"

#define TYRE_N "unit(z1 - slope_x * x1 - slope_y * y1)"
#define TYRE_R "unit(" TYRE_N " - (" TYRE_N " . y2) * y2)"
#define TYRE_X "unit(cross(y2, " TYRE_N "))"
#define TYRE_Y "cross(" TYRE_N ", " TYRE_X ")"
#define TYRE_VELOCITY "(vel(d) - cross(w1, d))"
#define TYRE_SLIP "(" TYRE_VELOCITY " - effective * cross(w2 - w1, " TYRE_R "))"

#define TYRE_PARAMETERS \
    { "radius", "m", "of the free tyre", NAN, NULL }, \
    { "stiffness", "N/m", "vertical", NAN, NULL }, \
    { "damping", "N s/m", "vertical", 0.0, NULL }, \
    { "height", "m", "of the road above frame 1, under the wheel; any expression: a road profile", 0.0, NULL }, \
    { "slope_x", "", "rise of the road along x1, under the wheel", 0.0, NULL }, \
    { "slope_y", "", "rise of the road along y1, under the wheel", 0.0, NULL }, \
    { "rolling_radius", "m", "of rolling without slip; 0: distance of the centre from the road", 0.0, NULL }, \
    { "rolling_resistance", "", "coefficient", 0.0, NULL }, \
    { "relaxation_x", "m", "relaxation length of the longitudinal slip; 0: slip without delay", 0.0, NULL }, \
    { "relaxation_y", "m", "relaxation length of the lateral slip; 0: slip without delay", 0.0, NULL }, \
    { "speed", "m/s", "slips without delay fade below this speed", 0.1, NULL }

#define TYRE_REQUIREMENTS \
    { "radius > 0 and stiffness > 0 and damping >= 0", "'radius' and 'stiffness' must be positive, 'damping' not negative" }, \
    { "relaxation_x >= 0 and relaxation_y >= 0 and speed > 0 and rolling_radius >= 0", \
      "relaxation lengths and 'rolling_radius' must not be negative, 'speed' must be positive" }

/* In the air deflections die out within this time (s). */
#define TYRE_AIR "0.01 s"
#define TYRE_STATES \
    { "deflection_x", "m", "0", "if(relaxation_x > 0, if(load > 0, -slip_x - abs(vx) * deflection_x / relaxation_x, " \
                                "-deflection_x / " TYRE_AIR "), 0 m/s)" }, \
    { "deflection_y", "m", "0", "if(relaxation_y > 0, if(load > 0, slip_y - abs(vx) * deflection_y / relaxation_y, " \
                                "-deflection_y / " TYRE_AIR "), 0 m/s)" }

#define TYRE_CHANNELS \
    { "depth", "m", "radius - (d . z1 - height) * (z1 . " TYRE_N ") / (" TYRE_R " . " TYRE_N ")" }, \
    { "load", "N", "if(depth > 0, max(0, stiffness * depth + damping * vel(radius - (d . z1 - height) * (z1 . " TYRE_N ") / (" \
                   TYRE_R " . " TYRE_N "))), 0)" }, \
    { "effective", "m", "if(rolling_radius > 0, rolling_radius, radius - depth)" }, \
    { "vx", "m/s", TYRE_VELOCITY " . " TYRE_X }, \
    { "slip_x", "m/s", TYRE_SLIP " . " TYRE_X }, \
    { "slip_y", "m/s", TYRE_SLIP " . (" TYRE_Y ")" }, \
    { "kappa", "", "if(relaxation_x > 0, deflection_x / max(relaxation_x, 1e-6 m), -slip_x / sqrt(vx^2 + speed^2))" }, \
    { "alpha", "rad", "atan(if(relaxation_y > 0, deflection_y / max(relaxation_y, 1e-6 m), slip_y / sqrt(vx^2 + speed^2)))" }, \
    { "camber", "rad", "asin(clamp(y2 . " TYRE_N ", -1, 1))" }

#define TYRE_FORCE "load * " TYRE_N " + fx * " TYRE_X " + fy * " TYRE_Y
#define TYRE_TORQUE \
    "cross(-(radius - depth) * " TYRE_R ", load * " TYRE_N " + fx * " TYRE_X " + fy * " TYRE_Y ") + mz * " TYRE_N \
    " - rolling_resistance * load * (radius - depth) * tanh(vx / speed) * y2"

#endif
