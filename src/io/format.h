/* Proof that a formatted text is as good as the original. */
#ifndef TN_IO_FORMAT_H
#define TN_IO_FORMAT_H

#include "yaml_tree.h"

/* after must mean what root is, the tree of before, and have the same comments. TN_ERROR_MODEL with a diagnostic when
 * not. Maps are compared by key. before[size] must be 0. */
int tn_format_verify(tn_context *context, const char *name, const tn_node *root, const char *before, size_t size,
                     const char *after);

#endif
