/* Folders that appear complete or not at all. */
#include "writer.h"

#include "diag.h"
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder_failed(const tn_folder *folder, const char *what)
{
    return tn_fail(folder->machine->context, TN_ERROR_FILE, ((tn_span){ folder->path, 0, 0 }), "%s: %s", what,
                   strerror(errno));
}

int tn_folder_begin(tn_folder *out, tn_machine *machine, const char *path)
{
    char buffer[PATH_MAX];
    struct stat status;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    path = tn_arena_strndup(machine->arena, path, length);
    *out = (tn_folder){ .machine = machine, .path = path };
    if (!path)
        return TN_ERROR_MEMORY;
    if (stat(path, &status) == 0) {
        snprintf(buffer, sizeof buffer, "%.*s/import.yaml", PATH_MAX - 20, path);
        if (access(buffer, F_OK) != 0)
            return tn_fail(machine->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "exists and was not made by an "
                           "import: choose another folder with -o");
        out->update = true;
        out->work = tn_arena_strdup(machine->arena, path);
        return out->work ? TN_OK : TN_ERROR_MEMORY;
    }
    snprintf(buffer, sizeof buffer, "%.*s.XXXXXX", PATH_MAX - 20, path);
    if (!mkdtemp(buffer))
        return folder_failed(out, "cannot be made");
    chmod(buffer, 0755);
    out->work = tn_arena_strdup(machine->arena, buffer);
    return out->work ? TN_OK : TN_ERROR_MEMORY;
}

int tn_folder_put(tn_folder *folder, const char *name, const char *data, size_t size)
{
    char path[PATH_MAX];
    const char *slash = strchr(name, '/');
    if (slash) {
        snprintf(path, sizeof path, "%s/%.*s", folder->work, (int)(slash - name), name);
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return folder_failed(folder, "cannot be written");
    }
    snprintf(path, sizeof path, "%s/%s", folder->work, name);
    return tn_file_replace(folder->machine->context, path, data, size);
}

/* Removes a folder of files and folders of files. */
static void remove_folder(const char *path, int depth)
{
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list)); ) {
        char inside[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inside, sizeof inside, "%.*s/%s", PATH_MAX - 300, path, entry->d_name);
        if (unlink(inside) != 0 && depth < 2)
            remove_folder(inside, depth + 1);
    }
    if (list)
        closedir(list);
    rmdir(path);
}

int tn_folder_end(tn_folder *folder, int code)
{
    if (folder->update || !folder->work)
        return code;
    if (code >= 0 && rename(folder->work, folder->path) != 0)
        code = folder_failed(folder, "cannot be made");
    if (code < 0)
        remove_folder(folder->work, 0);
    return code;
}
