/* Whole files in memory, and paths. */
#ifndef TN_IO_FILE_H
#define TN_IO_FILE_H

#include "mem.h"

/* Size limit of model files, meshes, and tables as text (a hundred thousand bodies take about a third of it). */
enum { TN_FILE_LIMIT = 64 << 20, TN_TABLE_LIMIT = 256 << 20 };

/* Reads the bytes of a file, followed by a NUL that size does not count. Owned: tn_free. TN_ERROR_FILE with a
 * diagnostic at where (TN_NOWHERE: at the file itself) when it cannot be read or has more bytes than limit; the message
 * begins with the text who, if given. */
int tn_file_read(char **data, size_t *size, tn_context *context, const char *path, tn_span where, const char *who,
                 size_t limit);
/* Size and hash of a file of any size; otherwise like tn_file_read. */
int tn_file_identify(size_t *size, uint64_t *hash, tn_context *context, const char *path, tn_span where,
                     const char *who);
/* Writes all bytes. False: errno gives the reason. */
bool tn_write_all(int file, const char *data, size_t size);
/* Creates or replaces a whole file: at any instant, even after a power failure, either the old or the new file exists,
 * complete. Bytes for a pipe or device are written into it. TN_ERROR_FILE with a diagnostic; the old file is unchanged then. */
int tn_file_replace(tn_context *context, const char *path, const char *data, size_t size);
/* path as seen from folder: unchanged when absolute or when folder is empty. NULL when out of memory. */
char *tn_path_join(tn_arena *arena, const char *folder, const char *path);
/* The absolute path; unchanged when the working folder is unknown. NULL when out of memory. */
char *tn_path_absolute(tn_arena *arena, const char *path);
/* The folder part of a path, "" when it has none. NULL when out of memory. */
char *tn_path_folder(tn_arena *arena, const char *path);

#endif
