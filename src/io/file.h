/* Whole files in memory, and paths. */
#ifndef TN_IO_FILE_H
#define TN_IO_FILE_H

#include "mem.h"

/* No model file, mesh or table is larger. A hundred thousand bodies take about a third of it. */
enum { TN_FILE_LIMIT = 64 << 20 };

/* The bytes of a file, followed by a NUL that size does not count. Owned: tn_free. TN_ERROR_FILE with a diagnostic at
 * where (TN_NOWHERE: at the file itself) when it cannot be read or is larger than TN_FILE_LIMIT. */
int tn_file_read(char **data, size_t *size, tn_context *context, const char *path, tn_span where);
/* path as seen from folder: unchanged when absolute or when folder is empty. NULL when out of memory. */
char *tn_path_join(tn_arena *arena, const char *folder, const char *path);
/* The folder part of a path, "" when it has none. NULL when out of memory. */
char *tn_path_folder(tn_arena *arena, const char *path);

#endif
