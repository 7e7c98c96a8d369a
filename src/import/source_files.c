/* Files that an imported file refers to: found by the rules of its format, and only inside the folders that may be read. */
#define _XOPEN_SOURCE 700    /* realpath */
#include "source.h"

#include "diag.h"
#include "file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UPWARDS = 4, MOST_ROOTS = 32 };     /* folders above the main file where its package may begin */
static const size_t SOURCE_LIMIT = (size_t)512 << 20;      /* bytes of a file that is read */

/* The absolute path without links, in the arena; NULL: there is no such file. */
static const char *real_path(tn_machine *machine, const char *path)
{
    char *found = realpath(path, NULL);
    if (!found)
        return NULL;
    const char *copy = tn_arena_strdup(machine->arena, found);
    free(found);
    return copy;
}

/* The folder of an absolute path, without a slash at its end; "/" for those in the root. */
static const char *parent_folder(tn_machine *machine, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    return tn_arena_strndup(machine->arena, path, length > 0 ? length : 1);
}

static bool exists_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && access(path, F_OK) == 0;
}

/* The folder of the package around the main file: the nearest that says so, or else the one above the file's own. */
static const char *package_root(tn_machine *machine, const char *folder, const char *highest)
{
    static const char *const marks[] = { "package.xml", "model.config", "manifest.xml", "meshes", "urdf", "robots", "models" };
    enum { SURE = 3, NEAR = 6 };       /* marks of a package by itself; from here on in the two nearest folders only */
    const char *at = folder, *root = folder;
    for (int level = 0; level < UPWARDS && at && strcmp(at, "/") != 0; level++) {
        for (size_t i = 0; i < TN_LENGTH(marks); i++)
            if ((i < NEAR || level < 2) && exists_in(at, marks[i])) {
                root = at;
                if (i < SURE)
                    return root;
            }
        if (highest && strcmp(at, highest) == 0)
            break;
        at = parent_folder(machine, at);
    }
    return root;
}

static bool is_below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0 || length == 1);
}

static void add_root(tn_source_files *files, const char *root)
{
    for (size_t i = 0; i < files->root_count; i++)
        if (is_below(files->roots[i], root))
            return;
    if (files->root_count < MOST_ROOTS)
        files->roots[files->root_count++] = root;
}

int tn_source_begin(tn_source_files *out, tn_machine *machine, const char *const *paths, size_t count)
{
    *out = (tn_source_files){ .machine = machine, .main = paths[0] };
    out->roots = tn_arena_alloc(machine->arena, MOST_ROOTS, sizeof *out->roots);
    const char *main_path = real_path(machine, paths[0]);
    if (!main_path)
        return tn_fail(machine->context, TN_ERROR_FILE, ((tn_span){ paths[0], 0, 0 }), "cannot be read: no such file");
    out->folder = parent_folder(machine, main_path);
    if (!out->roots || !out->folder)
        return TN_ERROR_MEMORY;
    const char *highest = machine->options->root ? real_path(machine, machine->options->root) : NULL;
    if (machine->options->root && (!highest || !is_below(highest, main_path)))
        return tn_fail(machine->context, TN_ERROR_FILE, ((tn_span){ paths[0], 0, 0 }), "is outside of the folder that may be read");
    add_root(out, package_root(machine, out->folder, highest));
    for (size_t i = 1; i < count; i++) {
        struct stat status;
        const char *path = real_path(machine, paths[i]);
        if (!path || stat(path, &status) != 0)
            return tn_fail(machine->context, TN_ERROR_FILE, ((tn_span){ paths[i], 0, 0 }), "no such file or folder");
        const char *root = S_ISDIR(status.st_mode) ? path : parent_folder(machine, path);
        if (root && (!highest || is_below(highest, root)))
            add_root(out, root);
    }
    return tn_arena_status(machine->arena);
}

static bool is_inside(const tn_source_files *files, const char *path)
{
    for (size_t i = 0; i < files->root_count; i++) {
        size_t length = strlen(files->roots[i]);
        if (strncmp(path, files->roots[i], length) == 0 && (path[length] == '/' || length == 1))
            return true;
    }
    return false;
}

/* folder/name when it is a file inside the allowed folders. *outside: there is one, elsewhere. */
static const char *try_file(const tn_source_files *files, const char *folder, const char *name, bool *outside)
{
    char joined[PATH_MAX];
    struct stat status;
    if (snprintf(joined, sizeof joined, "%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name) >=
        (int)sizeof joined)
        return NULL;
    const char *path = real_path(files->machine, joined);
    if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    if (is_inside(files, path))
        return path;
    *outside = true;
    return NULL;
}

/* "pkg/rest" below every folder around the main file and the given ones and in their "models", and "rest" in those called
 * pkg. */
static const char *find_in_package(const tn_source_files *files, const char *name, bool *outside)
{
    const char *rest = strchr(name, '/');
    for (size_t i = 0; i <= files->root_count; i++) {
        const char *at = i == 0 ? files->folder : files->roots[i - 1];
        for (int level = 0; level < UPWARDS && at && at[0]; level++) {
            const char *found = try_file(files, at, name, outside);
            if (!found && rest)
                found = try_file(files, at, rest + 1, outside);
            if (!found)
                found = try_file(files, at, tn_machine_text(files->machine, "models/%s", name), outside);
            if (found)
                return found;
            if (strcmp(at, "/") == 0)
                break;
            at = parent_folder(files->machine, at);
        }
    }
    return NULL;
}

/* A reference as a path: '/' for '\\', and "%20" as the character it stands for. */
static const char *plain_path(tn_machine *machine, const char *reference)
{
    char *copy = tn_arena_strdup(machine->arena, reference), *to = copy;
    for (const char *at = copy; copy && *at; at++) {
        unsigned code = 0;
        if (*at == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2]) && sscanf(at + 1, "%2x", &code) == 1 &&
            code > 0) {
            *to++ = (char)code;
            at += 2;
        } else {
            *to++ = *at == '\\' ? '/' : *at;
        }
    }
    if (to)
        *to = 0;
    return copy ? copy : "";
}

const char *tn_source_search(const tn_source_files *files, const char *folder, const char *reference, bool *outside)
{
    static const char find[] = "$(find ";
    const char *name = plain_path(files->machine, reference);
    if (strncmp(name, "file://", 7) == 0)
        name += 7;
    if (strncmp(name, find, sizeof find - 1) == 0 && strchr(name, ')')) {      /* of launch files: the folder of a package */
        const char *package = name + sizeof find - 1, *end = strchr(name, ')');
        return find_in_package(files, tn_machine_text(files->machine, "%.*s%s", (int)(end - package), package, end + 1),
                               outside);
    }
    const char *scheme = strstr(name, "://");
    if (scheme)
        return find_in_package(files, scheme + 3, outside);
    const char *found = try_file(files, folder ? folder : files->folder, name, outside);
    return found ? found : find_in_package(files, name[0] == '/' ? name + 1 : name, outside);
}

const char *tn_source_folder(const tn_source_files *files, tn_span place)
{
    return place.file && strcmp(place.file, files->main) != 0 && strchr(place.file, '/')
           ? parent_folder(files->machine, place.file) : NULL;
}

const char *tn_source_locate(const tn_source_files *files, const char *folder, const char *reference, tn_span place)
{
    bool outside = false;
    const char *found = tn_source_search(files, folder, reference, &outside);
    if (found) {
        tn_machine_add_file(files->machine, found);
        return found;
    }
    if (outside)
        tn_machine_note_add(files->machine, TN_WARNING, place, "'%s' is outside the folder of the import (%s): not read; "
                            "name its folder beside the file to allow it", reference, files->roots[0]);
    else
        tn_machine_note_add(files->machine, TN_WARNING, place, "'%s' was not found; name the folder it is in beside the "
                            "file", reference);
    return NULL;
}

int tn_source_load(char **data, size_t *size, const tn_source_files *files, const char *path, tn_span place)
{
    return tn_file_read(data, size, files->machine->context, path, place, NULL, SOURCE_LIMIT);
}
