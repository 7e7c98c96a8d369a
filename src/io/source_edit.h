/* Changes of a source tree. New nodes are in the source's arena; a result of false always means: out of memory. */
#ifndef TN_IO_SOURCE_EDIT_H
#define TN_IO_SOURCE_EDIT_H

#include "source_tree.h"

/* The tree of a text that need not have been looked at before, with aliases written out. root must be a map:
 * TN_ERROR_MODEL with a diagnostic otherwise. */
int tn_source_open(tn_source *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                   size_t size);

/* The index of the entry with this key, -1: none, or the node is not a map; and its value, NULL: none. */
int tn_source_find(const tn_node *map, const char *key);
tn_node *tn_source_get(const tn_node *map, const char *key);
/* Its text; NULL when it has none. */
const char *tn_source_get_text(const tn_node *map, const char *key);

tn_node *tn_source_make_text(const tn_source *source, const char *text);
tn_node *tn_source_make_map(const tn_source *source, bool flow);
tn_node *tn_source_make_list(const tn_source *source);
/* A copy of a node, which may belong to another source. */
tn_node *tn_source_copy(const tn_source *source, const tn_node *node);

/* Sets the value of a key: replaces the existing value, or adds an entry at the end. */
bool tn_source_put(const tn_source *source, tn_node *map, const char *key, tn_node *value);
bool tn_source_put_text(const tn_source *source, tn_node *map, const char *key, const char *text);
/* A new entry before the index-th or (index >= count) at the end; key NULL: the item of a list. NULL key of a map and
 * NULL values: out of memory. */
bool tn_source_insert(const tn_source *source, tn_node *node, unsigned index, tn_node *key, tn_node *value);
bool tn_source_append(const tn_source *source, tn_node *list, tn_node *value);
/* Another value for an entry, which keeps its comments. */
bool tn_source_put_at(const tn_source *source, tn_node *node, unsigned index, tn_node *value);
void tn_source_drop(tn_node *node, unsigned index);
/* Drops the entry under a key, if there is one. */
void tn_source_drop_key(tn_node *map, const char *key);

#endif
