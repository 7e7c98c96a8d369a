/* Reads whole text files, and replaces them safely. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "text_file.h"
#include "output.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_LIMIT = TN_TEXT_LIMIT + 1 };

static int read_failed(const char *path, int error)
{
    tn_path_print(stderr, path);
    fprintf(stderr, ": error: %s\n", strerror(error));
    return TN_EXIT_FILE;
}

static int read_stream(char **text, size_t *size, FILE *in, const char *path)
{
    size_t capacity = 1 << 16;
    *size = 0;
    for (*text = NULL;; capacity *= 2) {
        char *grown = realloc(*text, capacity);
        if (!grown)
            return tn_out_of_memory();
        *text = grown;
        errno = 0;
        *size += fread(grown + *size, 1, capacity - *size, in);
        if (ferror(in))
            return read_failed(path, errno);
        if (*size < capacity || *size >= READ_LIMIT)
            return TN_EXIT_OK;
    }
}

int tn_text_file_read(char **text, size_t *size, const char *path)
{
    *text = NULL;
    *size = 0;
    if (strcmp(path, "-") == 0)
        return read_stream(text, size, stdin, "standard input");
    FILE *in = fopen(path, "rb");
    if (!in)
        return read_failed(path, errno);
    int status = read_stream(text, size, in, path);
    fclose(in);
    return status;
}

static mode_t new_file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* To the disk, not only to the system. */
static bool write_through(int file, const char *text, mode_t mode)
{
    FILE *out = fdopen(file, "w");
    if (!out) {
        close(file);
        return false;
    }
    errno = 0;
    bool good = fputs(text, out) != EOF && fflush(out) == 0 && fchmod(file, mode) == 0 && fsync(file) == 0;
    return fclose(out) == 0 && good;
}

/* path is a regular file, or nothing yet. */
static int replace(const char *path, const char *text, mode_t mode)
{
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    char *temporary = malloc(length + sizeof suffix);
    if (!temporary)
        return tn_out_of_memory();
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof suffix);
    int file = mkstemp(temporary), status = TN_EXIT_OK;
    if (file < 0 || !write_through(file, text, mode) || rename(temporary, path) != 0) {
        status = tn_file_failed(path);
        if (file >= 0)
            unlink(temporary);
    }
    free(temporary);
    return status;
}

static int write_directly(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return tn_file_failed(path);
    fputs(text, out);
    return tn_file_close(out, path);
}

int tn_text_file_replace(const char *path, const char *text)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return errno == ENOENT ? replace(path, text, new_file_mode()) : tn_file_failed(path);
    if (!S_ISREG(there.st_mode))
        return write_directly(path, text);
    char *target = access(path, W_OK) == 0 ? realpath(path, NULL) : NULL;      /* the file, not the link to it */
    int status = target ? replace(target, text, there.st_mode & 07777) : tn_file_failed(path);
    free(target);
    return status;
}
