/* Formulas that the sticking joint types (stick-*) share. */
#ifndef TN_JOINTS_TOUCHING_H
#define TN_JOINTS_TOUCHING_H

#include "tenon/sys/joint.h"

/* Velocity of the material of body 2 at the contact point, relative to body 1: d' - w1 x d + (w2 - w1) x arm, with the
 * arm from N to the contact point. */
#define TN_SLIP(arm) "(vel(d) - cross(w1, d) + cross(w2 - w1, " arm "))"

#define TN_TOUCH_RADIUS2 { "radius2", "m", "the part of the radius that is on body 2", 0, NULL }

#endif
