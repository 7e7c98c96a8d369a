/* Zip archives in memory, with bounds on what comes out of them. */
#ifndef TN_FILES_ARCHIVE_H
#define TN_FILES_ARCHIVE_H

#include "mem.h"

typedef struct tn_archive tn_archive;

/* data must outlive the archive. TN_ERROR_FILE with a diagnostic at the file when it is no archive or truncated. */
int tn_archive_open(tn_archive **out, tn_context *context, const char *file, const char *data, size_t size);
void tn_archive_close(tn_archive *archive);
/* Owned: tn_free; a 0 follows the last byte. TN_ERROR_FILE with a diagnostic when there is no such entry, or it has more than
 * limit bytes, whatever its header says. */
int tn_archive_read(char **data, size_t *size, tn_archive *archive, const char *entry, size_t limit);
bool tn_archive_has(tn_archive *archive, const char *entry);
/* The entries in their order; NULL: there are no more. Folders end in '/'. */
const char *tn_archive_entry(tn_archive *archive, size_t index);
/* Whether the entry is a link or anything else that is neither a file nor a folder. */
bool tn_archive_is_special(tn_archive *archive, size_t index);

#endif
