#include "file.h"
#include "diag.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(tn_context *context, const char *path, tn_span where, const char *reason)
{
    if (where.file == NULL)
        return tn_fail(context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "%s", reason);
    return tn_fail(context, TN_ERROR_FILE, where, "cannot read '%s': %s", path, reason);
}

/* Reads to the end or to one byte beyond the limit: pipes and devices do not tell their size. */
static int read_stream(char **data, size_t *size, tn_context *context, FILE *in, size_t expected, size_t limit)
{
    size_t capacity = 0, used = 0, want = expected + 1;
    char *bytes = NULL;
    for (;;) {
        if (tn_grow(context, &bytes, &capacity, want + 1, 1) < 0) {
            tn_free(context, bytes);
            return TN_ERROR_MEMORY;
        }
        used += fread(bytes + used, 1, want - used, in);
        if (used < want || used > limit)
            break;
        want = 2 * want < limit ? 2 * want : limit + 1;
    }
    bytes[used] = '\0';
    *data = bytes;
    *size = used;
    return TN_OK;
}

static int read_open(char **data, size_t *size, tn_context *context, FILE *in, const char *path, tn_span where,
                     size_t limit)
{
    char too_large[48];
    struct stat status;
    snprintf(too_large, sizeof too_large, "the file is larger than %zu MiB", limit >> 20);
    if (fstat(fileno(in), &status) < 0)
        return refuse(context, path, where, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse(context, path, where, "this is a folder, not a file");
    bool regular = S_ISREG(status.st_mode);
    if (regular && (size_t)status.st_size > limit)
        return refuse(context, path, where, too_large);
    TN_TRY(read_stream(data, size, context, in, regular ? (size_t)status.st_size : 4096, limit));
    const char *reason = ferror(in) ? strerror(errno) : *size > limit ? too_large : NULL;
    if (reason == NULL)
        return TN_OK;
    tn_free(context, *data);
    *data = NULL;
    return refuse(context, path, where, reason);
}

int tn_file_read(char **data, size_t *size, tn_context *context, const char *path, tn_span where, size_t limit)
{
    *data = NULL;
    *size = 0;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return refuse(context, path, where, strerror(errno));
    int code = read_open(data, size, context, in, path, where, limit);
    fclose(in);
    return code;
}

char *tn_path_join(tn_arena *arena, const char *folder, const char *path)
{
    size_t length = strlen(folder);
    if (path[0] == '/' || length == 0)
        return tn_arena_strdup(arena, path);
    size_t total = length + strlen(path) + 2;
    char *joined = tn_arena_alloc(arena, total, 1);
    if (joined != NULL)
        snprintf(joined, total, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", path);
    return joined;
}

char *tn_path_folder(tn_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return tn_arena_strndup(arena, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
}
