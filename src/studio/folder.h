/* Files by names that strangers send: only those within a folder. */
#ifndef TN_STUDIO_FOLDER_H
#define TN_STUDIO_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { TN_PATH_SIZE = 4096 };

/* The path of an existing file by its path within the folder, links followed and found to stay there. False: it names
 * nothing there. */
bool tn_folder_find(char out[TN_PATH_SIZE], const char *folder, const char *path);
/* Whether a path below the folder leads to a hidden file, or through a hidden folder. */
bool tn_folder_hides(const char *folder, const char *path);
/* The path of a file within the folder, links followed; false and an empty text: it is elsewhere, or hidden. */
bool tn_folder_locate(char *out, size_t size, const char *folder, const char *path);
/* When a file of the folder was last changed, ns since 1970; 0: there is none. A link is not followed. */
long long tn_folder_modified(const char *folder, const char *path);
/* Makes the folders above a path within the folder. False: errno says why. */
bool tn_folder_make(const char *folder, const char *path);
/* Whether it is fit as the name of a new model: no path, not hidden, ends in .yaml, .yml or .json. */
bool tn_folder_name_good(const char *name);
/* Writes a whole file there, beside it first; name may be a path within the folder. False: errno says why. */
bool tn_folder_write(const char *folder, const char *name, const char *text, size_t size);
/* Adds bytes to the end of a file of the folder that has exactly offset bytes; links are not followed. False: errno says
 * why. */
bool tn_folder_append(const char *folder, const char *name, size_t offset, const unsigned char *bytes, size_t size);
/* The whole of a file and a zero, by malloc; NULL: errno says why, or it is larger than limit. */
char *tn_file_load(size_t *size, const char *path, size_t limit);
/* A file that is text, of at most 3 MiB, by malloc; NULL: it is none. */
char *tn_file_load_text(const char *path);
/* The folder part of a path, "." when it has none. */
void tn_path_folder_of(char out[TN_PATH_SIZE], const char *path);

/* A message "/path/FILE:LINE:COLUMN: ..." from FILE on: people are not told paths of the server. Other messages stay. */
const char *tn_folder_shorten(const char *message);

#endif
