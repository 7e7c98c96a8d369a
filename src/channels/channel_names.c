/* Names and units of channels, from the rows of the table; the list of channel kinds for users. */
#include <stdio.h>
#include <string.h>
#include "channels.h"

static const char *const vector_parts[] = { ".x", ".y", ".z" };
static const char *const quaternion_parts[] = { ".w", ".x", ".y", ".z" };
static const char *const xyz_parts[] = { "_x", "_y", "_z" };
static const char *const angle_parts[] = { "_1", "_2", "_3" };
static const char *const matrix_parts[] = { "_xx", "_yy", "_zz", "_xy", "_xz", "_yz" };

int tn_channel_parts(tn_channel_shape shape, int dimension)
{
    switch (shape) {
    case TN_SHAPED_NUMBER: return 1;
    case TN_SHAPED_VECTOR: return dimension;
    case TN_SHAPED_VECTOR3: case TN_SHAPED_XYZ: case TN_SHAPED_ANGLES: return 3;
    case TN_SHAPED_TURN: return dimension == 2 ? 1 : 3;
    case TN_SHAPED_QUATERNION: return 4;
    case TN_SHAPED_MATRIX: return 6;
    }
    return 0;
}

const char *tn_channel_part(tn_channel_shape shape, int dimension, int component)
{
    switch (shape) {
    case TN_SHAPED_NUMBER: return "";
    case TN_SHAPED_TURN: return dimension == 2 ? "" : vector_parts[component];
    case TN_SHAPED_VECTOR: case TN_SHAPED_VECTOR3: return vector_parts[component];
    case TN_SHAPED_QUATERNION: return quaternion_parts[component];
    case TN_SHAPED_XYZ: return xyz_parts[component];
    case TN_SHAPED_ANGLES: return angle_parts[component];
    case TN_SHAPED_MATRIX: return matrix_parts[component];
    }
    return "";
}

/* ---- list for users ---- */

static const struct { const char *group, *prefix; } owners[] = {
    [TN_OF_MODEL] = { "the whole model", "" },
    [TN_OF_FRAME] = { "bodies and frames", "NAME" },
    [TN_OF_COORDINATE] = { "joints", "NAME.COORDINATE" },
    [TN_OF_LIMIT] = { "joints", "NAME.COORDINATE" },
    [TN_OF_RATCHET] = { "joints", "NAME.COORDINATE" },
    [TN_OF_JOINT] = { "joints", "NAME" },
    [TN_OF_POINT] = { "joints", "NAME.reaction_about.FRAME" },
    [TN_OF_COUPLING] = { "couplings", "NAME" },
    [TN_OF_DRIVE] = { "drives", "NAME" },
    [TN_OF_ANY_JOINT] = { "joints, couplings and drives", "NAME" },
    [TN_OF_FORCE] = { "forces", "NAME" },
    [TN_OF_ENDS] = { "forces", "NAME" },
    [TN_OF_CONTACT] = { "contacts", "NAME" },
    [TN_OF_EVENT] = { "events", "NAME" },
    [TN_OF_PULL] = { "a pull", "pull" },
};

size_t tn_channel_kind_count(void)
{
    size_t count = 0;
    while (tn_channel_table[count].value)
        count++;
    return count;
}

tn_channel_kind tn_channel_kind_at(size_t index)
{
    static const char *const levels[] = { "motion", "solved", "dynamics", "reactions" };
    if (index >= tn_channel_kind_count())
        return (tn_channel_kind){ 0 };
    const tn_channel_row *row = &tn_channel_table[index];
    return (tn_channel_kind){ .group = owners[row->owner].group, .unit = row->unit,
                              .angle_unit = row->angle_unit, .doc = row->doc,
                              .level = levels[row->level] };
}

const char *tn_channel_kind_name(size_t index, char *buffer, size_t size)
{
    const tn_channel_row *row = &tn_channel_table[index < tn_channel_kind_count() ? index : 0];
    const char *prefix = owners[row->owner].prefix;
    int parts = tn_channel_parts(row->shape, 3);
    snprintf(buffer, size, "%s%s%s%s%s", prefix, prefix[0] && row->name[0] ? "." : "", row->name,
             tn_channel_part(row->shape, 3, 0), parts > 1 ? " ..." : "");
    return buffer;
}
