/* Touching cone (touch-cone) without sliding: the material at the contact point N - radius2 n has no relative velocity,
 * n = cosine unit(d - (d . z1) z1) + sine z1.
 *     cosine |d - (d . z1) z1| + sine d . z1 - radius = 0       1 equation
 *     slip at that point along e and n x e      2 equations at velocity level, e = unit(z1 x d)
 * Free: rolling, pivoting. */
#include <math.h>
#include "touching.h"

#define NORMAL "(sqrt(1 - sine^2) * unit(d - (d . z1) * z1) + sine * z1)"

const tn_joint_type tn_joint_stick_cone = {
    .name = "stick-cone",
    .doc = "A point of body 2 keeps its distance from a cone of body 1 and what touches does not slide.",
    .internal = true,
    .spatial = {
        .equations = { TN_CONE_GAP },
        .velocity_equations = {
            TN_SLIP("-radius2 * " NORMAL) TN_TANGENT("unit(cross(z1, d))", "cross(" NORMAL ", unit(cross(z1, d)))"),
            TN_SLIP("-radius2 * " NORMAL) TN_TANGENT("cross(" NORMAL ", unit(cross(z1, d)))", "unit(cross(z1, d))"),
        },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the side", NAN, NULL },
        TN_TOUCH_RADIUS2,
        { "sine", "", "of half the opening angle", NAN, NULL },
        TN_TOUCH_LAW,
    },
    .glyph = "foot",
};
