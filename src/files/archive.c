/* Zip archives, read by libzip. */
#include "archive.h"

#include "diag.h"

#include <zip.h>

struct tn_archive {
    tn_context *context;
    const char *file;
    zip_t *zip;
};

int tn_archive_open(tn_archive **out, tn_context *context, const char *file, const char *data, size_t size)
{
    zip_error_t error;
    tn_span place = { file, 0, 0 };
    tn_archive *archive = tn_alloc(context, 1, sizeof *archive);
    if (!archive)
        return TN_ERROR_MEMORY;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(data, size, 0, &error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : NULL;
    if (!zip) {
        if (source)
            zip_source_free(source);
        int code = tn_fail(context, TN_ERROR_FILE, place, "is not a whole zip archive: %s", zip_error_strerror(&error));
        zip_error_fini(&error);
        tn_free(context, archive);
        return code;
    }
    zip_error_fini(&error);
    *archive = (tn_archive){ context, file, zip };
    *out = archive;
    return TN_OK;
}

void tn_archive_close(tn_archive *archive)
{
    if (!archive)
        return;
    zip_discard(archive->zip);
    tn_free(archive->context, archive);
}

bool tn_archive_has(tn_archive *archive, const char *entry)
{
    return zip_name_locate(archive->zip, entry, 0) >= 0;
}

const char *tn_archive_entry(tn_archive *archive, size_t index)
{
    return zip_get_name(archive->zip, index, 0);
}

bool tn_archive_is_special(tn_archive *archive, size_t index)
{
    static const unsigned kinds = 0170000, file = 0100000, folder = 0040000;       /* of POSIX modes */
    zip_uint8_t system;
    zip_uint32_t attributes;
    if (zip_file_get_external_attributes(archive->zip, index, 0, &system, &attributes) != 0 || system != ZIP_OPSYS_UNIX)
        return false;
    const unsigned kind = (attributes >> 16) & kinds;
    return kind != 0 && kind != file && kind != folder;
}

int tn_archive_read(char **data, size_t *size, tn_archive *archive, const char *entry, size_t limit)
{
    tn_span place = { archive->file, 0, 0 };
    zip_file_t *file = zip_fopen(archive->zip, entry, 0);
    size_t capacity = 0, used = 0;
    char *text = NULL;
    int code = TN_OK;
    if (!file)
        return tn_fail(archive->context, TN_ERROR_FILE, place, "there is no readable '%s' in the archive", entry);
    while (code >= 0) {
        code = tn_grow(archive->context, &text, &capacity, used + 65536 + 1, 1);
        if (code < 0)
            break;
        zip_int64_t got = zip_fread(file, text + used, capacity - used - 1);
        if (got < 0)
            code = tn_fail(archive->context, TN_ERROR_FILE, place, "'%s' in the archive is damaged", entry);
        if (got <= 0)
            break;
        used += (size_t)got;
        if (used > limit)
            code = tn_fail(archive->context, TN_ERROR_FILE, place, "'%s' in the archive has more than %zu MB", entry,
                           limit >> 20);
    }
    zip_fclose(file);
    if (code < 0) {
        tn_free(archive->context, text);
        return code;
    }
    text[used] = 0;
    *data = text;
    *size = used;
    return TN_OK;
}
