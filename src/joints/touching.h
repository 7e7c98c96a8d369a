/* What sticking touches have in common. */
#ifndef TN_JOINTS_TOUCHING_H
#define TN_JOINTS_TOUCHING_H

#include "tenon/sys/joint.h"

/* Velocity of body 2's material where it touches, relative to body 1's there: d' - w1 x d + (w2 - w1) x arm, with the
 * arm from N to the touch. */
#define TN_SLIP(arm) "(vel(d) - cross(w1, d) + cross(w2 - w1, " arm "))"

#define TN_TOUCH_RADIUS2 { "radius2", "m", "the part of the radius that is on body 2", 0, NULL }

#endif
