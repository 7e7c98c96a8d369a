/* Kinematics: positions, velocities and accelerations that the drives determine, solved at every time instead of being
 * integrated. */
#ifndef TN_ANALYSIS_KINEMATICS_H
#define TN_ANALYSIS_KINEMATICS_H

#include "stepper.h"

typedef struct tn_kinematics tn_kinematics;

/* Returns 1 if the drives determine all of the motion at the stepper's state, 0 if not, or a negative code. At 0, why
 * names the joints that can still move, or the states that must be integrated. */
enum { TN_WHY_TEXT = 600 };
int tn_kinematics_applies(tn_stepper *stepper, char why[TN_WHY_TEXT]);

/* Makes a source of states and installs it in the stepper, from the present state on. The stepper's solver must decide
 * ranks. Steps have the length stepper->h, or less if Newton's method needs shorter steps. A step ends with
 * TN_ERROR_STEP and a diagnostic at a dead point, at a jump of the motion, and where drives contradict joints or other
 * drives. A singular position that the motion passes gives a warning. The stepper must outlive the source. */
int tn_kinematics_create(tn_kinematics **out, tn_stepper *stepper);
void tn_kinematics_destroy(tn_kinematics *kinematics);

#endif
