/* Coupler: a linear relation of any number of joint coordinates, factor_1 q_1 + factor_2 q_2 + ... = offset.
 *     sum - offset = 0                          1 equation
 * sum stands for the left side, made from the terms the model gives. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_coupler = {
    .name = "coupler",
    .doc = "Linear relation between the coordinates of any number of joints.",
    .joints = -1,
    .planar = {
        .equations = { "sum - offset" },
    },
    .spatial = {
        .equations = { "sum - offset" },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .parameters = {
        { "offset", "", "value of the sum of factor * coordinate; as built when not given", NAN, "sum" },
    },
    .glyph = "coupler",
};
