/* Pulley strand: the straight piece of cable from pulley 1 to pulley 2, which turn about z1. Radii have signs: positive where the
 * pulley is on the left of the cable, seen along it and against z1, negative on the right; 0 is a point.
 * With d in the plane across z1 and c = radius_2 - radius_1 the piece has the length l = sqrt(d . d - c^2) and the direction
 *     e ~ l d - c z1 x d
 * No equations: the cable over several pulleys is a coupler. A pulley of radius r adds r (angle_1 of the piece that leaves - angle_2
 * of the piece that comes), the arc on it; frames that turn with a drum wind the cable up.
 * Free: everything. Coordinates: length = l (with d along z1: the hypotenuse), angle_1 and angle_2 = angle of e in frames 1
 * and 2, counted over full turns. */
#include "tenon/sys/joint.h"

#define ACROSS "(d . x1)^2 + (d . y1)^2 - (radius_2 - radius_1)^2"
#define ALONG "sqrt(" ACROSS ")"
/* e times d . d */
#define DIRECTION "(" ALONG " * (d . x1) + (radius_2 - radius_1) * (d . y1)) * x1 + " \
                  "(" ALONG " * (d . y1) - (radius_2 - radius_1) * (d . x1)) * y1"

const tn_joint_type tn_joint_pulley_strand = {
    .name = "pulley-strand",
    .doc = "Straight piece of cable between two pulleys: measures a length, holds nothing by itself.",
    .planar = {
        .coordinates = { { "length", "m", ALONG },
                         { "angle_1", "rad", "turn(x1, y1, " DIRECTION ")" },
                         { "angle_2", "rad", "turn(x2, y2, " DIRECTION ")" } },
    },
    .spatial = {
        .coordinates = { { "length", "m", "sqrt(" ACROSS " + (d . z1)^2)" },
                         { "angle_1", "rad", "turn(x1, y1, " DIRECTION ")" },
                         { "angle_2", "rad", "turn(x2, y2, " DIRECTION ")" } },
    },
    .conditions = {
        { "(d . x1)^2 + (d . y1)^2 - (radius_2 - radius_1)^2", "the pulleys are too near to each other for their radii" },
    },
    .planar_axis = TN_AXIS_NONE,
    .parameters = {
        { "radius_1", "m", "of pulley 1: positive, the cable keeps it on its left; negative, on its right; 0: a point", 0, NULL },
        { "radius_2", "m", "of pulley 2, as radius_1", 0, NULL },
    },
    .glyph = "rod",
};
