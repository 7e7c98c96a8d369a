/* Checks the structure and numbers that an open component (disclosure level 3) shows. */
#ifndef TN_LIBRARY_OPEN_CHECK_H
#define TN_LIBRARY_OPEN_CHECK_H

#include "tenon/sys/component.h"

/* The error in its structure or in the bodies of its ports; NULL: none. */
const char *tn_open_structure_trouble(const tn_open_component *open, const tn_component_type *type);
/* The error in its numbers, including M and all rows of G; NULL: none. The structure has passed its check. */
const char *tn_open_numbers_trouble(const tn_open_component *open);
/* Number of doubles in G and M, for a structure that has passed its check. */
size_t tn_open_rows_size(const tn_structure *structure);
size_t tn_open_mass_size(const tn_structure *structure);

#endif
