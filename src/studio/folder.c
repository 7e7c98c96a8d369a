/* Files of the served folder, by names that clients send. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "folder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No absolute path, no "..", nothing hidden: what is left is within the folder but for links. */
static bool looks_inside(const char *path)
{
    if (path[0] == '/' || path[0] == '\0')
        return false;
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (part[0] == '.' || part[0] == '/' || part[0] == '\0')
            return false;
    return true;
}

bool tn_folder_hides(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && strstr(path + length, "/.") != NULL;
}

bool tn_folder_find(char out[TN_PATH_SIZE], const char *folder, const char *path)
{
    char joined[TN_PATH_SIZE];
    struct stat there;
    int length = looks_inside(path) ? snprintf(joined, sizeof joined, "%s/%s", folder, path) : -1;
    if (length < 0 || (size_t)length >= sizeof joined)
        return false;
    char *root = realpath(folder, NULL), *whole = realpath(joined, NULL);
    size_t n = root ? strlen(root) : 0;
    bool good = root && whole && strncmp(whole, root, n) == 0 && (whole[n] == '/' || n == 1) &&
                !tn_folder_hides(root, whole) && strlen(whole) < TN_PATH_SIZE && stat(whole, &there) == 0 &&
                S_ISREG(there.st_mode);
    if (good)
        snprintf(out, TN_PATH_SIZE, "%s", whole);
    free(root);
    free(whole);
    return good;
}

bool tn_folder_locate(char *out, size_t size, const char *folder, const char *path)
{
    char *root = realpath(folder, NULL), *whole = realpath(path, NULL);
    size_t n = root ? strlen(root) : 0;
    out[0] = '\0';
    if (root && whole && strncmp(whole, root, n) == 0 && whole[n] == '/' && !tn_folder_hides(root, whole) &&
        strlen(whole + n + 1) < size)
        snprintf(out, size, "%s", whole + n + 1);
    free(root);
    free(whole);
    return out[0] != '\0';
}

long long tn_folder_modified(const char *folder, const char *path)
{
    char joined[TN_PATH_SIZE];
    struct stat there;
    int length = snprintf(joined, sizeof joined, "%s/%s", folder, path);
    if (length < 0 || (size_t)length >= sizeof joined || lstat(joined, &there) != 0)
        return 0;
    return there.st_mtim.tv_sec * 1000000000LL + there.st_mtim.tv_nsec;
}

bool tn_folder_make(const char *folder, const char *path)
{
    char whole[TN_PATH_SIZE], inside[TN_PATH_SIZE];
    int length = snprintf(whole, sizeof whole, "%s/%s", folder, path);
    if (length < 0 || (size_t)length >= sizeof whole)
        return false;
    for (char *slash = whole + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        bool made = mkdir(whole, 0777) == 0 || errno == EEXIST;
        if (!made || !tn_folder_locate(inside, sizeof inside, folder, whole)) {    /* a link may lead elsewhere */
            errno = made ? EPERM : errno;
            return false;
        }
    }
    return true;
}

bool tn_folder_name_good(const char *name)
{
    static const char *const endings[] = { ".yaml", ".yml", ".json" };
    size_t length = strlen(name);
    bool ends = false;
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        size_t n = strlen(endings[k]);
        ends = ends || (length > n && strcmp(name + length - n, endings[k]) == 0);
    }
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\' || (unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return ends && name[0] != '.' && length < 200;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "wbx");
    if (!out)
        return false;
    bool good = fwrite(text, 1, size, out) == size && fflush(out) == 0 && fsync(fileno(out)) == 0;
    return fclose(out) == 0 && good;
}

bool tn_folder_write(const char *folder, const char *name, const char *text, size_t size)
{
    char path[TN_PATH_SIZE], beside[TN_PATH_SIZE];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    int longer = snprintf(beside, sizeof beside, "%s/%.*s.%s.%ld.new", folder, (int)(last - name), name, last,
                          (long)getpid());
    if (length < 0 || longer < 0 || (size_t)length >= sizeof path || (size_t)longer >= sizeof beside) {
        errno = ENAMETOOLONG;
        return false;
    }
    unlink(beside);                                    /* left by a program that was killed */
    bool good = write_file(beside, text, size) && rename(beside, path) == 0;   /* a link is replaced, not followed */
    int reason = errno;
    if (!good)
        unlink(beside);
    errno = reason;
    return good;
}

bool tn_folder_append(const char *folder, const char *name, size_t offset, const unsigned char *bytes, size_t size)
{
    char path[TN_PATH_SIZE];
    struct stat there;
    errno = ENOENT;
    if (!tn_folder_find(path, folder, name))
        return false;
    int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return false;
    errno = EINVAL;
    bool good = fstat(file, &there) == 0 && S_ISREG(there.st_mode) && (size_t)there.st_size == offset;
    while (good && size > 0) {
        ssize_t written = write(file, bytes, size);
        good = written > 0;
        bytes += good ? (size_t)written : 0;
        size -= good ? (size_t)written : 0;
    }
    int reason = errno;
    good = close(file) == 0 && good;
    errno = reason;
    return good;
}

char *tn_file_load(size_t *size, const char *path, size_t limit)
{
    struct stat there;
    FILE *in = fopen(path, "rb");
    char *bytes = NULL;
    errno = EFBIG;
    if (in && fstat(fileno(in), &there) == 0 && S_ISREG(there.st_mode) && (size_t)there.st_size <= limit)
        bytes = malloc((size_t)there.st_size + 1);
    if (bytes) {
        *size = fread(bytes, 1, (size_t)there.st_size, in);
        bytes[*size] = '\0';
    }
    if (in)
        fclose(in);
    return bytes;
}

char *tn_file_load_text(const char *path)
{
    size_t size;
    char *text = tn_file_load(&size, path, 3 << 20);
    if (text && strlen(text) == size)
        return text;
    free(text);
    return NULL;
}

void tn_path_folder_of(char out[TN_PATH_SIZE], const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(out, TN_PATH_SIZE, ".");
    else
        snprintf(out, TN_PATH_SIZE, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

const char *tn_folder_shorten(const char *message)
{
    const char *file = message;
    if (message[0] != '/')
        return message;
    for (const char *c = message; *c; c++) {
        if (*c == '/')
            file = c + 1;
        if (*c == ':' && c[1] >= '0' && c[1] <= '9')
            return file;
    }
    return message;
}
