/* Drive of a coordinate by its acceleration:  q' = speed, speed' = motion(t), from the coordinate's start value and
 * rate. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_drive_acceleration = {
    .name = "drive-acceleration",
    .doc = "Prescribes the acceleration of a joint coordinate as a function of time.",
    .drives = true,
    .joints = 1,
    .planar = { .velocity_equations = { "vel(q1) - speed" } },
    .spatial = { .velocity_equations = { "vel(q1) - speed" } },
    .glyph = "drive",
};
