/* Strand: a straight piece of cable between two points. No equations: a coupler of lengths of strands makes the cable, whose
 * tension is the coupler's multiplier.
 * Free: everything. Coordinate: length = |d|. */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_strand = {
    .name = "strand",
    .doc = "Straight piece of cable between two points: measures a length, holds nothing by itself.",
    .planar = {
        .coordinates = { { "length", "m", "norm(d)" } },
    },
    .spatial = {
        .coordinates = { { "length", "m", "norm(d)" } },
    },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_NONE,
    .glyph = "rod",
};
