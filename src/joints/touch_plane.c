/* Touching a plane: the point N is at a distance from the plane through M with normal z1 (in planar models:
 * the line along x1 with normal y1).
 *     d . z1 - radius = 0                       1 equation
 * Free: everything else, sliding included. Contacts use this type for corners and balls on faces. */
#include <math.h>
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_touch_plane = {
    .name = "touch-plane",
    .doc = "A point of body 2 keeps its distance from a plane of body 1.",
    .internal = true,
    .planar = {
        .equations = { "d . y1 - radius" },
    },
    .spatial = {
        .equations = { "d . z1 - radius" },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_Z,
    .parameters = {
        { "radius", "m", "distance of the point from the plane", NAN, NULL },
    },
    .glyph = "foot",
};
