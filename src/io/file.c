/* Reads and replaces whole files; functions for paths. */
#include "file.h"
#include "diag.h"
#include "hash.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A request for a file: the position that names it, and the requester (or NULL). */
typedef struct request {
    tn_context *context;
    const char *path;
    tn_span where;
    const char *who;
} request;

static int refuse(const request *q, const char *reason)
{
    if (q->where.file == NULL)
        return tn_fail(q->context, TN_ERROR_FILE, ((tn_span){ q->path, 0, 0 }), "%s", reason);
    return tn_fail(q->context, TN_ERROR_FILE, q->where, "%s%scannot read '%s': %s", q->who != NULL ? q->who : "",
                   q->who != NULL ? ": " : "", q->path, reason);
}

/* NULL after a diagnostic. */
static FILE *open_to_read(const request *q)
{
    if (!tn_context_may_read(q->context, q->path)) {
        refuse(q, "there is no such file within the folder of the model");
        return NULL;
    }
    FILE *in = fopen(q->path, "rb");
    if (in == NULL)
        refuse(q, strerror(errno));
    return in;
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

static int read_open(char **data, size_t *size, const request *q, FILE *in, size_t limit)
{
    char too_large[48];
    struct stat status;
    snprintf(too_large, sizeof too_large, "the file is larger than %zu MiB", limit >> 20);
    if (fstat(fileno(in), &status) < 0)
        return refuse(q, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse(q, "this is a folder, not a file");
    bool regular = S_ISREG(status.st_mode);
    if (regular && (size_t)status.st_size > limit)
        return refuse(q, too_large);
    TN_TRY(read_stream(data, size, q->context, in, regular ? (size_t)status.st_size : 4096, limit));
    const char *reason = ferror(in) ? strerror(errno) : *size > limit ? too_large : NULL;
    if (reason == NULL)
        return TN_OK;
    tn_free(q->context, *data);
    *data = NULL;
    return refuse(q, reason);
}

static int find_in_memory(const tn_memory_file **out, const request *q)
{
    *out = tn_context_given(q->context, q->path);
    return *out != NULL ? TN_OK : refuse(q, "there is no such file");
}

static int copy_from_memory(char **data, size_t *size, const request *q)
{
    const tn_memory_file *file;
    TN_TRY(find_in_memory(&file, q));
    char *copy = tn_alloc(q->context, file->size + 1, 1);
    if (copy == NULL)
        return TN_ERROR_MEMORY;
    memcpy(copy, file->data, file->size);
    *data = copy;
    *size = file->size;
    return TN_OK;
}

int tn_file_read(char **data, size_t *size, tn_context *context, const char *path, tn_span where, const char *who,
                 size_t limit)
{
    const request q = { context, path, where, who };
    *data = NULL;
    *size = 0;
    if (tn_context_in_memory(context))
        return copy_from_memory(data, size, &q);
    FILE *in = open_to_read(&q);
    if (in == NULL)
        return TN_ERROR_FILE;
    int code = read_open(data, size, &q, in, limit);
    fclose(in);
    return code;
}

int tn_file_identify(size_t *size, uint64_t *hash, tn_context *context, const char *path, tn_span where,
                     const char *who)
{
    const request q = { context, path, where, who };
    char part[1 << 14];
    size_t got;
    *size = 0;
    *hash = TN_HASH_START;
    if (tn_context_in_memory(context)) {
        const tn_memory_file *file;
        TN_TRY(find_in_memory(&file, &q));
        *hash = tn_hash_bytes(*hash, file->data, file->size);
        *size = file->size;
        return TN_OK;
    }
    struct stat status;
    if (tn_context_may_read(context, path) && stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return refuse(&q, "this is a pipe or a device, which cannot be read twice");
    FILE *in = open_to_read(&q);
    if (in == NULL)
        return TN_ERROR_FILE;
    while ((got = fread(part, 1, sizeof part, in)) > 0) {
        *hash = tn_hash_bytes(*hash, part, got);
        *size += got;
    }
    int code = ferror(in) ? refuse(&q, strerror(errno)) : TN_OK;
    fclose(in);
    return code;
}

bool tn_write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno != EINTR)
            return false;
        data += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* A new file beside path; its name into beside. -1: errno says why. */
static int open_beside(char *beside, size_t size, const char *path)
{
    int file = -1;
    errno = EEXIST;
    for (int k = 0; k < 100 && file < 0 && errno == EEXIST; k++) {
        snprintf(beside, size, "%s.%ld-%d.new", path, (long)getpid(), k);
        file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file;
}

/* Flushes to the disk. */
static bool write_through(int file, const char *data, size_t size)
{
    bool good = tn_write_all(file, data, size) && fsync(file) == 0;
    return close(file) == 0 && good;
}

/* The name of a file is on the disk when its folder is. */
static bool sync_folder(const char *folder)
{
    int file = open(folder[0] != '\0' ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return good;
}

static int replace_file(tn_context *context, tn_arena *scratch, const char *path, const char *data, size_t size)
{
    size_t length = strlen(path) + 64;
    char *beside = tn_arena_alloc(scratch, length, 1), *folder = tn_path_folder(scratch, path);
    if (beside == NULL || folder == NULL)
        return TN_ERROR_MEMORY;
    int file = open_beside(beside, length, path);
    bool good = file >= 0 && write_through(file, data, size) && rename(beside, path) == 0;
    const char *reason = good ? "" : strerror(errno);
    if (!good && file >= 0)
        unlink(beside);
    if (good && !sync_folder(folder)) {
        good = false;
        reason = strerror(errno);
    }
    return good ? TN_OK : tn_fail(context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "cannot be written: %s", reason);
}

/* Pipes and devices are not replaced by a file. */
static int write_directly(tn_context *context, const char *path, const char *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0 && tn_write_all(file, data, size);
    const char *reason = good ? "" : strerror(errno);
    if (file >= 0)
        close(file);
    return good ? TN_OK : tn_fail(context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "cannot be written: %s", reason);
}

int tn_file_replace(tn_context *context, const char *path, const char *data, size_t size)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return write_directly(context, path, data, size);
    tn_arena *scratch = tn_arena_create(context);
    int code = scratch != NULL ? replace_file(context, scratch, path, data, size) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
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

char *tn_path_absolute(tn_arena *arena, const char *path)
{
    char folder[4096];
    if (path[0] == '/' || getcwd(folder, sizeof folder) == NULL)
        return tn_arena_strdup(arena, path);
    return tn_path_join(arena, folder, path);
}

char *tn_path_folder(tn_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return tn_arena_strndup(arena, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
}
