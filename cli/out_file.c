/* Files that commands write: whole or not at all, and by one program at a time. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "out_file.h"
#include "output.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(tn_out_file *out)
{
    free(out->target);
    free(out->part);
    *out = (tn_out_file){ 0 };
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(tn_allocate(size, 1), text, size);
}

/* The path without links; a file that does not exist yet is its own target. */
static char *resolve(const char *path)
{
    char *found = realpath(path, NULL);
    return found ? found : copy_text(path);
}

static int open_directly(tn_out_file *out, const char *path)
{
    free(out->part);
    free(out->target);
    out->part = NULL;
    out->target = copy_text(path);
    out->stream = fopen(path, "wb");
    return out->stream ? TN_EXIT_OK : tn_file_failed(path);
}

static int refuse_second_writer(tn_out_file *out, int file, const char *path)
{
    fputs("tenon: error: cannot write '", stderr);
    tn_path_print(stderr, path);
    fputs("': another program is writing it\n", stderr);
    close(file);
    forget(out);
    return TN_EXIT_FILE;
}

/* A part that a killed program left is taken over: its lock went with the program. */
static int open_part(tn_out_file *out, const char *path, mode_t mode)
{
    int file = open(out->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
        return open_directly(out, path);
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return refuse_second_writer(out, file, path);
    if (ftruncate(file, 0) != 0 || (mode && fchmod(file, mode) != 0) || !(out->stream = fdopen(file, "wb"))) {
        int status = tn_file_failed(path);
        close(file);
        unlink(out->part);
        forget(out);
        return status;
    }
    return TN_EXIT_OK;
}

int tn_out_open(tn_out_file *out, const char *path)
{
    static const char suffix[] = ".part";
    struct stat there;
    bool exists = stat(path, &there) == 0;
    *out = (tn_out_file){ 0 };
    if (path[0] == '\0')                               /* its part would have a name */
        return tn_file_failed(path);
    *out = (tn_out_file){ .target = resolve(path) };
    if (exists && !S_ISREG(there.st_mode))
        return open_directly(out, path);
    if (exists && access(path, W_OK) != 0) {
        int status = tn_file_failed(path);
        forget(out);
        return status;
    }
    size_t length = strlen(out->target);
    out->part = tn_allocate(length + sizeof suffix, 1);
    memcpy(out->part, out->target, length);
    memcpy(out->part + length, suffix, sizeof suffix);
    return open_part(out, path, exists ? there.st_mode & 07777 : 0);
}

const char *tn_out_name(const tn_out_file *out)
{
    return out->part ? out->part : out->target;
}

int tn_out_finish(tn_out_file *out)
{
    if (!out->stream)
        return TN_EXIT_OK;
    bool lost = ferror(out->stream) != 0;
    errno = 0;
    bool good = fflush(out->stream) == 0 && !lost && (!out->part || fsync(fileno(out->stream)) == 0);
    if (good && out->part)
        good = rename(out->part, out->target) == 0;        /* still locked */
    int error = errno;
    if (fclose(out->stream) != 0 && good) {
        error = errno;
        good = false;
    }
    errno = error;
    int status = good ? TN_EXIT_OK : tn_file_failed(out->target);
    if (!good && out->part)
        unlink(out->part);
    forget(out);
    return status;
}

void tn_out_abandon(tn_out_file *out, bool keep)
{
    if (!out->stream)
        return;
    fclose(out->stream);
    if (out->part && !keep)
        unlink(out->part);
    else if (out->part)
        fprintf(stderr, "tenon: what could be written is in '%s'\n", out->part);
    forget(out);
}

static int refuse_input(const char *command, const char *option, const char *path, const char *what)
{
    fprintf(stderr, "tenon %s: %s: '", command, option);
    tn_path_print(stderr, path);
    fprintf(stderr, "' is %s\n", what);
    return TN_EXIT_USAGE;
}

int tn_out_check(const char *command, const char *option, const char *path, const char *operand, const tn_model *model)
{
    if (operand && tn_same_file(path, operand))
        return refuse_input(command, option, path, "the model itself");
    for (size_t k = 1; model && k < tn_model_file_count(model); k++)       /* the first is the operand */
        if (tn_same_file(path, tn_model_file_at(model, k).path))
            return refuse_input(command, option, path, "a file that the model uses");
    return TN_EXIT_OK;
}

int tn_state_write(tn_out_file *out, tn_context *context, tn_session *session, cJSON *diagnostics)
{
    int status = tn_diagnostics_flush(context, tn_session_write_state(session, out->stream), diagnostics);
    if (status == TN_EXIT_OK)
        return tn_out_finish(out);
    tn_out_abandon(out, false);
    return status;
}
