/* Keys that several tables have. */
#ifndef TN_IO_KEYS_IMPL_H
#define TN_IO_KEYS_IMPL_H

#include "keys.h"

#define TN_POSE_KEYS(at_name, at_doc, first) \
    [(first)] = { .name = at_name, TN_VALUE_VECTOR, "m", at_doc }, \
    [(first) + 1] = { .name = "angle", TN_VALUE_NUMBER, "rad", \
                      "Orientation in a planar model, counted from x towards y." }, \
    [(first) + 2] = { .name = "rotation", TN_VALUE_SECTION, NULL, "Orientation in a spatial model.", \
                      .section = &tn_section_rotation }

#endif
