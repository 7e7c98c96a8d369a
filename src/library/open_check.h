/* What a component of level 3 tells of itself: whether it can be computed with. */
#ifndef TN_LIBRARY_OPEN_CHECK_H
#define TN_LIBRARY_OPEN_CHECK_H

#include "tenon/sys/component.h"

/* What is wrong with its structure, or with where its ports are; NULL: nothing. */
const char *tn_open_structure_trouble(const tn_open_component *open, const tn_component_type *type);
/* What is wrong with its numbers, M and G included (all rows); NULL: nothing. The structure is good. */
const char *tn_open_numbers_trouble(const tn_open_component *open);
/* Doubles in G and M; of a good structure. */
size_t tn_open_rows_size(const tn_structure *structure);
size_t tn_open_mass_size(const tn_structure *structure);

#endif
