/* Whole files in memory, and paths. */
#ifndef TN_IO_FILE_H
#define TN_IO_FILE_H

#include "mem.h"

/* No model file or mesh is larger (a hundred thousand bodies take about a third of it), and no table as text. */
enum { TN_FILE_LIMIT = 64 << 20, TN_TABLE_LIMIT = 256 << 20 };

/* The bytes of a file, followed by a NUL that size does not count. Owned: tn_free. TN_ERROR_FILE with a diagnostic at
 * where (TN_NOWHERE: at the file itself) when it cannot be read or has more bytes than limit; who wants it stands in
 * front of that, if given. */
int tn_file_read(char **data, size_t *size, tn_context *context, const char *path, tn_span where, const char *who,
                 size_t limit);
/* Size and hash of a file, of whatever size; as tn_file_read otherwise. */
int tn_file_identify(size_t *size, uint64_t *hash, tn_context *context, const char *path, tn_span where,
                     const char *who);
/* Hands all bytes to the system. False: errno says why. */
bool tn_write_all(int file, const char *data, size_t size);
/* A whole file in place of what is there, or new: at any instant, also when the machine stops, there is the old one or
 * the new one, complete. TN_ERROR_FILE with a diagnostic; the old one is there then. */
int tn_file_replace(tn_context *context, const char *path, const char *data, size_t size);
/* path as seen from folder: unchanged when absolute or when folder is empty. NULL when out of memory. */
char *tn_path_join(tn_arena *arena, const char *folder, const char *path);
/* The same path from the root: as it is when the working folder cannot be told. NULL when out of memory. */
char *tn_path_absolute(tn_arena *arena, const char *path);
/* The folder part of a path, "" when it has none. NULL when out of memory. */
char *tn_path_folder(tn_arena *arena, const char *path);

#endif
