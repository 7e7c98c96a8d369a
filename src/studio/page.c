/* The files of the page: by path, compressed or inflated. */
#include "page.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

const tn_page_file *tn_page_find(const tn_page_file *files, const char *path)
{
    if (strcmp(path, "/index.html") == 0)
        path = "/";
    for (; files->path; files++)
        if (strcmp(files->path, path) == 0)
            return files;
    return NULL;
}

/* "gzip", "gzip;q=0.5", "br, gzip": yes; "gzip;q=0": no. "*" is not taken for gzip. */
bool tn_page_accepts_gzip(const char *accept)
{
    static const char name[] = "gzip";
    while (accept && *accept) {
        accept += strspn(accept, " \t,");
        size_t length = strcspn(accept, ",");
        if (length >= sizeof name - 1 && strncasecmp(accept, name, sizeof name - 1) == 0) {
            const char *rest = accept + sizeof name - 1;
            rest += strspn(rest, " \t");
            if (*rest == '\0' || *rest == ',')
                return true;
            if (*rest == ';') {
                const char *quality = strchr(rest, '=');
                return !quality || quality > accept + length || strtod(quality + 1, NULL) > 0;
            }
        }
        accept += length;
    }
    return false;
}

/* A gzip file ends with the size of its content. */
static size_t inflated_size(const tn_page_file *file)
{
    const unsigned char *end = file->bytes + file->size - 4;
    return (size_t)end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 | (size_t)end[3] << 24;
}

unsigned char *tn_page_inflate(size_t *size, const tn_page_file *file)
{
    static const int GZIP_WINDOW = 15 + 16;            /* of zlib: the largest window, with a gzip head */
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)file->bytes, .avail_in = (uInt)file->size };
    *size = inflated_size(file);
    unsigned char *content = malloc(*size + 1);
    if (!content || inflateInit2(&stream, GZIP_WINDOW) != Z_OK) {
        free(content);
        return NULL;
    }
    stream.next_out = content;
    stream.avail_out = (uInt)*size;
    int end = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (end == Z_STREAM_END && stream.avail_out == 0)
        return content;
    free(content);
    return NULL;
}
