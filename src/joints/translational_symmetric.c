/* Translational joint in the form that treats both bodies alike (Marquis-Favre et al. 2006, Eq. 21).
 *     d . y1 = 0                   1 equation
 *     d . y2 = 0                   1 equation
 * Singular at M = N, where both rows are equal: use translational where the slide passes there.
 * Free: translation along x1. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_translational_symmetric = {
    .name = "translational-symmetric",
    .doc = "Slide whose two points must never meet: each lies on the axis of the other body.",
    .planar = {
        .equations = { "d . y1", "d . y2" },
        .coordinates = { { "position", "m", "d . x1" } },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "slide",
};
