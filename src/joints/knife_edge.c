/* Knife edge: the point N of body 2 moves over body 1 along the blade, never sideways.
 *     (d' - w1 x d) . y2 = 0                    1 equation at velocity level
 * d' - w1 x d is the velocity of N as seen from body 1; x2 points along the blade, y2 sideways.
 * Free: any position can be reached; no velocity along y2. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_knife_edge = {
    .name = "knife-edge",
    .doc = "Skate: a point of body 2 moves over body 1 along x of frame 2 only.",
    .planar = {
        .velocity_equations = { "(vel(d) - cross(w1, d)) . y2" },
    },
    .spatial = {
        .velocity_equations = { "(vel(d) - cross(w1, d)) . y2" },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "blade",
};
