/* Kinematics: positions, velocities and accelerations that the drives determine, solved at every time instead of being
 * integrated. */
#ifndef TN_ANALYSIS_KINEMATICS_H
#define TN_ANALYSIS_KINEMATICS_H

#include "stepper.h"

typedef struct tn_kinematics tn_kinematics;

/* Whether the drives determine all of the motion at the state the stepper is in. If not, why says which joints can
 * still move, or what else has to be integrated. 1: yes, 0: no; or a negative code. */
enum { TN_WHY_TEXT = 600 };
int tn_kinematics_applies(tn_stepper *stepper, char why[TN_WHY_TEXT]);

/* Becomes the stepper's source of states from its present state on; the stepper's solver must decide ranks. Steps are
 * of stepper->h, shorter where Newton's method asks for it. A step ends with TN_ERROR_STEP and a diagnostic at a dead
 * point, where the motion jumps, and where drives contradict others. A singular position that the motion passes is a
 * warning. The stepper must outlive it. */
int tn_kinematics_create(tn_kinematics **out, tn_stepper *stepper);
void tn_kinematics_destroy(tn_kinematics *kinematics);

#endif
