/* Zip archives in a build without libzip: says so. */
#include "archive.h"

#include "diag.h"

int tn_archive_open(tn_archive **out, tn_context *context, const char *file, const char *data, size_t size)
{
    (void)out, (void)data, (void)size;
    return tn_fail(context, TN_ERROR_FILE, ((tn_span){ file, 0, 0 }),
                   "this build has no libzip, which files of this format need");
}

void tn_archive_close(tn_archive *archive)
{
    (void)archive;
}

bool tn_archive_has(tn_archive *archive, const char *entry)
{
    (void)archive, (void)entry;
    return false;
}

int tn_archive_read(char **data, size_t *size, tn_archive *archive, const char *entry, size_t limit)
{
    (void)data, (void)size, (void)archive, (void)entry, (void)limit;
    return TN_ERROR_FILE;
}

const char *tn_archive_entry(tn_archive *archive, size_t index)
{
    (void)archive, (void)index;
    return NULL;
}

bool tn_archive_is_special(tn_archive *archive, size_t index)
{
    (void)archive, (void)index;
    return false;
}
