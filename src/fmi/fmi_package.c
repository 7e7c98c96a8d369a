/* FMU archives: their description, and unpacking them. Only what lies inside the archive is written, only into a new folder. */
#define _XOPEN_SOURCE 700    /* nftw, mkdtemp */
#include "fmi_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "archive.h"
#include "diag.h"
#include "hash.h"

static const size_t FILE_LIMIT = (size_t)2 << 30, DESCRIPTION_LIMIT = (size_t)64 << 20;
enum { MOST_ENTRIES = 100000, PATH_SIZE = 1024 };

static int read_whole(char **data, size_t *size, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return TN_ERROR_FILE;
    int code = fseek(file, 0, SEEK_END) == 0 ? TN_OK : TN_ERROR_FILE;
    long length = code == TN_OK ? ftell(file) : -1;
    if (length < 0 || (size_t)length > FILE_LIMIT || fseek(file, 0, SEEK_SET) != 0)
        code = TN_ERROR_FILE;
    *size = code == TN_OK ? (size_t)length : 0;
    *data = code == TN_OK ? malloc(*size + 1) : NULL;
    if (code == TN_OK && (!*data || fread(*data, 1, *size, file) != *size)) {
        code = *data ? TN_ERROR_FILE : TN_ERROR_MEMORY;
        free(*data);
        *data = NULL;
    }
    fclose(file);
    return code;
}

/* Relative, and without a part that leads out of its folder. */
static bool stays_inside(const char *name)
{
    if (name[0] == '/' || name[0] == '\0' || strchr(name, '\\') || strlen(name) > PATH_SIZE / 2)
        return false;
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    return true;
}

/* Refuses entries that would be written elsewhere, whether or not they are used. */
static int check_entries(tn_fmi *fmi, tn_archive *archive, const tn_fmi_request *request)
{
    for (size_t k = 0; k <= MOST_ENTRIES; k++) {
        const char *name = tn_archive_entry(archive, k);
        if (!name)
            return TN_OK;
        if (!stays_inside(name))
            return tn_fail(fmi->context, TN_ERROR_MODEL, request->span, "%s: the archive '%s' has an entry '%.100s', which "
                           "leads out of its folder", request->who, request->path, name);
        if (tn_archive_is_special(archive, k))
            return tn_fail(fmi->context, TN_ERROR_MODEL, request->span, "%s: the entry '%.100s' of the archive '%s' is a "
                           "link, not a file", request->who, name, request->path);
    }
    return tn_fail(fmi->context, TN_ERROR_MODEL, request->span, "%s: the archive '%s' has more than %d entries",
                   request->who, request->path, MOST_ENTRIES);
}

static const char *platform(int version)
{
#if defined(__x86_64__)
    return version == 2 ? "linux64" : "x86_64-linux";
#elif defined(__aarch64__)
    return version == 2 ? "linux64-aarch64" : "aarch64-linux";
#else
    return "unknown";
#endif
}

static void find_library(tn_archive *archive, int version, tn_fmi_kind *kind)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "binaries/%s/%s.so", platform(version), kind->there ? kind->identifier : "");
    kind->library = kind->there && tn_archive_has(archive, path);
}

int tn_fmi_package_read(tn_fmi *fmi, const tn_fmi_request *request)
{
    char *data = NULL, *text = NULL;
    size_t size = 0, length = 0;
    tn_archive *archive = NULL;
    int code = read_whole(&data, &size, request->path);
    if (code == TN_ERROR_FILE)
        return tn_fail(fmi->context, TN_ERROR_MODEL, request->span, "%s: '%s' cannot be read", request->who, request->path);
    TN_TRY(code);
    fmi->stamp = tn_hash_bytes(TN_HASH_START, data, size);
    code = tn_archive_open(&archive, fmi->context, fmi->path, data, size);
    if (code == TN_OK)
        code = check_entries(fmi, archive, request);
    if (code == TN_OK)
        code = tn_archive_read(&text, &length, archive, "modelDescription.xml", DESCRIPTION_LIMIT);
    if (code == TN_OK)
        code = tn_fmi_describe(&fmi->description, fmi->arena, fmi->context, fmi->path, text, length);
    if (code == TN_OK) {
        find_library(archive, fmi->description.version, &fmi->description.exchange);
        find_library(archive, fmi->description.version, &fmi->description.simulation);
    }
    tn_free(fmi->context, text);
    tn_archive_close(archive);
    free(data);
    return code == TN_ERROR_FILE ? TN_ERROR_MODEL : code;
}

/* ---- unpacking ---- */

void tn_fmi_library_path(const tn_fmi *fmi, char *path, size_t size)
{
    snprintf(path, size, "%s/binaries/%s/%s.so", fmi->folder, platform(fmi->description.version), fmi->kind->identifier);
}

/* Makes the folders that lead to the file. */
static bool make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool good = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!good)
            return false;
    }
    return true;
}

static int write_entry(tn_fmi *fmi, tn_archive *archive, const char *name)
{
    char path[PATH_SIZE], *data = NULL;
    size_t size = 0, folder = strlen(fmi->folder);
    snprintf(path, sizeof path, "%s/%s", fmi->folder, name);
    if (!make_folders(path, folder + 1))
        return TN_ERROR_FILE;
    if (name[strlen(name) - 1] == '/')
        return TN_OK;
    TN_TRY(tn_archive_read(&data, &size, archive, name, FILE_LIMIT));
    FILE *file = fopen(path, "wbx");
    bool good = file && fwrite(data, 1, size, file) == size;
    good = file && fclose(file) == 0 && good;
    tn_free(fmi->context, data);
    return good && chmod(path, 0700) == 0 ? TN_OK : TN_ERROR_FILE;
}

/* Libraries of this platform, resources; not sources, documentation and libraries of others. */
static bool is_needed(const tn_fmi *fmi, const char *name)
{
    char ours[60];
    snprintf(ours, sizeof ours, "binaries/%s/", platform(fmi->description.version));
    return strncmp(name, ours, strlen(ours)) == 0 || strncmp(name, "resources/", 10) == 0 ||
           strcmp(name, "modelDescription.xml") == 0;
}

static int write_entries(tn_fmi *fmi, tn_archive *archive)
{
    for (size_t k = 0; k < MOST_ENTRIES; k++) {
        const char *name = tn_archive_entry(archive, k);
        if (!name)
            return TN_OK;
        if (is_needed(fmi, name) && (!stays_inside(name) || tn_archive_is_special(archive, k)))
            return TN_ERROR_FILE;
        if (is_needed(fmi, name))
            TN_TRY(write_entry(fmi, archive, name));
    }
    return TN_OK;
}

/* ---- folders ---- */

#define FOLDER_NAME "tenon-fmu-"
/* s: a younger folder may be of a program that has not locked it yet. */
static const double YOUNG = 60;

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    enum { OPEN_FILES = 16 };
    nftw(path, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS);
}

/* Removes a folder of this user that no program holds: the system lets go of the lock when a program ends, however it ends. */
static void remove_if_left(const char *path)
{
    struct stat status;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    if (fstat(folder, &status) == 0 && status.st_uid == getuid() && difftime(time(NULL), status.st_mtime) > YOUNG &&
        flock(folder, LOCK_EX | LOCK_NB) == 0)
        remove_folder(path);
    close(folder);
}

/* Programs that were killed could not remove their folders. */
static void remove_left_folders(const char *place)
{
    char path[PATH_SIZE];
    DIR *all = opendir(place);
    const struct dirent *entry;
    while (all && (entry = readdir(all)))
        if (strncmp(entry->d_name, FOLDER_NAME, strlen(FOLDER_NAME)) == 0 &&
            snprintf(path, sizeof path, "%s/%s", place, entry->d_name) < (int)sizeof path)
            remove_if_left(path);
    if (all)
        closedir(all);
}

/* Makes the folder and holds it. */
static bool make_folder(tn_fmi *fmi)
{
    const char *place = getenv("TMPDIR");
    place = place && strlen(place) < 40 ? place : "/tmp";
    remove_left_folders(place);
    snprintf(fmi->folder, sizeof fmi->folder, "%s/" FOLDER_NAME "XXXXXX", place);
    if (!mkdtemp(fmi->folder)) {
        fmi->folder[0] = '\0';
        return false;
    }
    fmi->hold = open(fmi->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fmi->hold >= 0)
        flock(fmi->hold, LOCK_SH);
    return true;
}

void tn_fmi_package_remove(tn_fmi *fmi)
{
    if (!fmi->folder[0])
        return;
    remove_folder(fmi->folder);
    if (fmi->hold >= 0)
        close(fmi->hold);
    fmi->folder[0] = '\0';
}

int tn_fmi_package_unpack(tn_fmi *fmi, char *trouble)
{
    char *data = NULL, path[PATH_SIZE];
    size_t size = 0;
    tn_archive *archive = NULL;
    if (fmi->folder[0])
        return TN_OK;
    if (!make_folder(fmi)) {
        snprintf(trouble, TN_FMI_TROUBLE, "no temporary folder can be made for '%.80s'", fmi->path);
        return TN_ERROR_STEP;
    }
    int code = read_whole(&data, &size, fmi->path);
    if (code == TN_OK)
        code = tn_archive_open(&archive, fmi->context, fmi->path, data, size);
    if (code == TN_OK)
        code = write_entries(fmi, archive);
    tn_archive_close(archive);
    free(data);
    tn_fmi_library_path(fmi, path, sizeof path);
    if (code == TN_OK && access(path, R_OK) == 0)
        return TN_OK;
    snprintf(trouble, TN_FMI_TROUBLE, "'%.120s' cannot be unpacked", fmi->path);
    tn_fmi_package_remove(fmi);
    return TN_ERROR_STEP;
}
