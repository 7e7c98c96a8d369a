/* Path -> id, for all entities of a model: "crank", "crank.tip", "pivot". */
#ifndef TN_MODEL_NAMES_H
#define TN_MODEL_NAMES_H

#include "mem.h"
#include "tenon/model.h"

typedef struct tn_name_table tn_name_table;

int tn_names_create(tn_name_table **out, tn_context *context);
/* Copies the table; path returns the copy of a path, which is kept in place of the old one. */
int tn_names_clone(tn_name_table **out, const tn_name_table *names, const char *(*path)(const void *user, tn_id id),
                   const void *user);
void tn_names_destroy(tn_name_table *names);
/* Makes room for one more, so that the next put cannot fail. */
int tn_names_reserve(tn_name_table *names);
/* path is kept, not copied, and must not be in the table yet. */
void tn_names_put(tn_name_table *names, const char *path, tn_id id);
/* kind is TN_KIND_NONE when there is no such path. */
tn_id tn_names_find(const tn_name_table *names, const char *path);
void tn_names_remove(tn_name_table *names, const char *path);

#endif
