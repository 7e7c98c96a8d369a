/* Drive of a coordinate by its rate:  q' = motion(t), from the coordinate's start value. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_drive_rate = {
    .name = "drive-rate",
    .doc = "Prescribes the rate of a joint coordinate as a function of time.",
    .drives = true,
    .joints = 1,
    .planar = { .velocity_equations = { "vel(q1) - motion" } },
    .spatial = { .velocity_equations = { "vel(q1) - motion" } },
    .glyph = "drive",
};
