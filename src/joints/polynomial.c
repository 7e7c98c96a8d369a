/* Polynomial coupling: a joint coordinate is a polynomial of degree 4 of another one; numbers are in SI units.
 *     q1 - (a0 + a1 q2 + a2 q2^2 + a3 q2^3 + a4 q2^4) = 0       1 equation */
#include <math.h>
#include "tenon/sys/joint.h"

#define POLYNOMIAL "(a0 + q2 * (a1 + q2 * (a2 + q2 * (a3 + a4 * q2))))"

const tn_joint_type tn_joint_polynomial = {
    .name = "polynomial",
    .doc = "One joint coordinate is a polynomial of another one.",
    .joints = 2,
    .planar = {
        .equations = { "q1 - " POLYNOMIAL },
    },
    .spatial = {
        .equations = { "q1 - " POLYNOMIAL },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .parameters = {
        { "a0", "", "q1 where q2 is 0; as built when not given", NAN, "q1 - q2 * (a1 + q2 * (a2 + q2 * (a3 + a4 * q2)))" },
        { "a1", "", "coefficient of q2", 0.0, NULL },
        { "a2", "", "coefficient of q2^2", 0.0, NULL },
        { "a3", "", "coefficient of q2^3", 0.0, NULL },
        { "a4", "", "coefficient of q2^4", 0.0, NULL },
    },
    .glyph = "coupler",
};
