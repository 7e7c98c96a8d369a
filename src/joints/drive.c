/* Drive of a coordinate by its value:  q = motion(t). */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_drive = {
    .name = "drive",
    .doc = "Prescribes a joint coordinate as a function of time.",
    .drives = true,
    .joints = 1,
    .planar = { .equations = { "q1 - motion" } },
    .spatial = { .equations = { "q1 - motion" } },
    .glyph = "drive",
};
