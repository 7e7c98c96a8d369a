/* Joint types that imported machines need and Tenon does not have, by their equations. */
#include "writer.h"

static const tn_joint_type_text types[] = {
    { "line-in-plane", "equations: [\"d . z1\", \"z1 . z2\"]" },
    { "axis-angle", "parameters: { cosine: number }, equations: [\"z1 . z2 - cosine\"]" },
    { "line-at-distance-of-plane",
      "parameters: { distance: length }, equations: [\"d . z1 - distance\", \"z1 . z2\"]" },
    { "parallel-at-distance", "parameters: { distance: length }, equations: [\"x1 . z2\", \"y1 . z2\", "
      "\"norm(d - (d . z1) * z1) - distance\"]" },
    { "crank-rod", "parameters: { distance: length }, equations: [\"x1 . z2\", \"y1 . z2\", \"d . z1\", "
      "\"norm(d - (d . z1) * z1) - distance\"]" },
    { "screw-row", "parameters: { lead: length, offset: length }, equations: [\"position - lead / (2 * pi) * angle - offset\"], "
      "coordinates: { position: d . z1, angle: \"turn(x1, y1, x2)\" }" },
    { "no-rotation", "equations: [\"2 * (z1 . y2 - y1 . z2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)\", "
      "\"2 * (x1 . z2 - z1 . x2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)\", "
      "\"2 * (y1 . x2 - x1 . y2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)\"]" },
    { "slide-and-turn", "equations: [\"d . y1\", \"d . z1\", \"x1 . z2\", \"y1 . z2\"], "
      "coordinates: { position: d . x1, angle: \"turn(x1, y1, x2)\" }" },
    { "cross-slide", "equations: [\"d . z1\", \"2 * (z1 . y2 - y1 . z2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)\", "
      "\"2 * (x1 . z2 - z1 . x2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)\", "
      "\"2 * (y1 . x2 - x1 . y2) / (1 + x1 . x2 + y1 . y2 + z1 . z2)\"], coordinates: { x: d . x1, y: d . y1 }" },
};

tn_joint_type_text tn_extra_type(size_t index)
{
    return index < TN_LENGTH(types) ? types[index] : (tn_joint_type_text){ NULL, NULL };
}

void tn_write_joint_types(tn_text *text)
{
    for (size_t i = 0; i < TN_LENGTH(types); i++)
        tn_text_add(text, "  %s: { %s }\n", types[i].name, types[i].text);
}
