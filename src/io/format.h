/* The normal form of model files: its parts, and proof that a formatted text is as good as the original. */
#ifndef TN_IO_FORMAT_H
#define TN_IO_FORMAT_H

#include "keys.h"
#include "source_tree.h"

/* Keys in the order of the section's table, and so within. */
int tn_format_arrange(const tn_source *source, tn_node *node, const tn_section *section);
/* The top level stands on lines of its own, and so do the entities it declares. */
void tn_format_spread(tn_node *root);

/* after must mean what before does, which is a map, and have the same comments. TN_ERROR_MODEL with a diagnostic when not.
 * Maps are compared by key. before[size] must be 0. */
int tn_format_verify(tn_context *context, const char *name, const char *before, size_t size, const char *after);

#endif
