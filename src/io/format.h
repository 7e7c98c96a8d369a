/* The normal form of model files: its parts, and the check that a formatted text equals the original. */
#ifndef TN_IO_FORMAT_H
#define TN_IO_FORMAT_H

#include "keys.h"
#include "source_tree.h"

/* Sorts keys into the order of the section's table, also in nested maps. */
int tn_format_arrange(const tn_source *source, tn_node *node, const tn_section *section);
/* The top level stands on lines of its own, and so do the entities it declares. */
void tn_format_spread(tn_node *root);

/* Checks that after has the same meaning and the same comments as before, which is a map. TN_ERROR_MODEL with a
 * diagnostic when not. Maps are compared by key. before[size] must be 0. */
int tn_format_verify(tn_context *context, const char *name, const char *before, size_t size, const char *after);

#endif
