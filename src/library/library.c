/* Opens the library of a component: finds the file, tries it in another process, loads it. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "tenon/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "diag.h"
#include "hash.h"
#include "isolated.h"
#include "libraries.h"
#include "link.h"
#include "mem.h"
#include "probe.h"

/* The caller that needs a library, and the place in the model file, for messages. */
typedef struct asker {
    tn_context *context;
    const char *path, *who;
    tn_span span;
} asker;

struct tn_library {
    tn_context *context;
    char *path;                    /* absolute, without links, or the address of a server; allocated by malloc */
    void *handle;
    const tn_component_type *type;
    tn_isolated_library *isolated; /* NULL: the library is loaded here */
    uint64_t stamp;                /* of the file */
    int states;
    atomic_int holders;
};

/* Identifies the file and its version. */
static uint64_t stamp(const struct stat *file)
{
    const uint64_t parts[] = { (uint64_t)file->st_dev, (uint64_t)file->st_ino, (uint64_t)file->st_size,
                               (uint64_t)file->st_mtim.tv_sec, (uint64_t)file->st_mtim.tv_nsec };
    return tn_hash_bytes(TN_HASH_START, parts, sizeof parts);
}

static int fail(const asker *a, int code, const char *trouble)
{
    return tn_fail(a->context, code, a->span, "%.100s%s'%.200s' %s", a->who ? a->who : "", a->who ? ": " : "", a->path,
                   trouble);
}

static int cannot_load(const asker *a, const char *reason)
{
    char trouble[TN_VERDICT_TEXT];
    snprintf(trouble, sizeof trouble, "cannot be loaded: %.200s", reason);
    return fail(a, TN_ERROR_FILE, trouble);
}

static int find_file(tn_library *library, const asker *a, struct stat *file)
{
    if (tn_context_refuses_libraries(a->context))
        return fail(a, TN_ERROR_ARGUMENT, "is not loaded: libraries are refused here");
    library->path = realpath(a->path, NULL);
    if (!library->path || stat(library->path, file) < 0)
        return cannot_load(a, strerror(errno));
    if (!tn_context_may_read(a->context, library->path))
        return cannot_load(a, "it is outside of the folder");
    return TN_OK;
}

/* Tries the library, once for each version of a file. */
static int probe(tn_library *library, const asker *a, uint64_t key)
{
    char trouble[TN_VERDICT_TEXT];
    if (tn_context_recall(a->context, key, &library->states))
        return TN_OK;
    int code = tn_probe(&library->states, trouble, library->path, NULL, NULL);
    return code < 0 ? fail(a, code, trouble) : tn_context_remember(a->context, key, library->states);
}

/* The file that the address was loaded from has been deleted or replaced. */
static bool is_replaced(const void *address)
{
    static const char gone[] = " (deleted)\n";
    char line[512];
    unsigned long begin, end;
    bool inside = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !inside && fgets(line, sizeof line, maps))
        inside = sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin <= (unsigned long)address &&
                 (unsigned long)address < end;
    if (maps)
        fclose(maps);
    size_t length = inside ? strlen(line) : 0;
    return length >= sizeof gone && strcmp(line + length - (sizeof gone - 1), gone) == 0;
}

static int load_library(tn_library *library, const asker *a)
{
    char trouble[TN_VERDICT_TEXT];
    tn_loader_lock();
    library->handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    tn_loader_unlock();
    if (!library->handle)
        return cannot_load(a, dlerror());
    if (is_replaced(dlsym(library->handle, TN_COMPONENT_SYMBOL)))
        return cannot_load(a, "an earlier version of it is still in use");
    library->type = tn_trial_type(library->handle, trouble);
    return library->type ? TN_OK : fail(a, TN_ERROR_ARGUMENT, trouble);
}

/* server: NULL: a process on this machine. */
static int describe_library(tn_library *library, const asker *a, const tn_isolated_server *server)
{
    char trouble[TN_VERDICT_TEXT];
    int code = tn_isolated_open(&library->isolated, a->context, library->path, server, trouble);
    if (code < 0)
        return code == TN_ERROR_MEMORY ? code : fail(a, code, trouble);
    library->type = tn_isolated_type(library->isolated);
    return TN_OK;
}

static int open_library(tn_library *library, const asker *a, bool isolate)
{
    struct stat file;
    TN_TRY(find_file(library, a, &file));
    library->stamp = stamp(&file);
    TN_TRY(probe(library, a, library->stamp));
    return isolate ? describe_library(library, a, NULL) : load_library(library, a);
}

/* The server has tried its library before it serves it. */
static int open_served(tn_library *library, const asker *a)
{
    tn_link_address address;
    char trouble[TN_STREAM_TEXT], server[sizeof address.host + sizeof address.port], token[TN_LINK_TOKEN];
    if (tn_context_refuses_libraries(a->context))
        return fail(a, TN_ERROR_ARGUMENT, "is not asked: components of other machines are refused here");
    if (tn_link_parse(&address, a->path, trouble) < 0)
        return fail(a, TN_ERROR_ARGUMENT, trouble);
    snprintf(server, sizeof server, "%s:%s", address.host, address.port);
    tn_context_token(token, sizeof token, a->context, server);
    library->path = strdup(a->path);
    library->states = -1;
    if (!library->path)
        return TN_ERROR_MEMORY;
    return describe_library(library, a, &(tn_isolated_server){ token, tn_context_authority(a->context) });
}

static int make_library(tn_library **out, tn_context *context, const asker *a, bool isolate)
{
    tn_library *library = tn_alloc(context, 1, sizeof *library);
    if (!library)
        return TN_ERROR_MEMORY;
    library->context = context;
    library->holders = 1;
    int code = tn_link_is_address(a->path) ? open_served(library, a) : open_library(library, a, isolate);
    if (code < 0) {
        tn_library_release(library);
        return code;
    }
    *out = library;
    return TN_OK;
}

bool tn_library_is_address(const char *path)
{
    return tn_link_is_address(path);
}

int tn_library_open(tn_library **out, tn_context *context, const char *path, const char *who, tn_span span)
{
    return make_library(out, context, &(asker){ context, path, who, span }, false);
}

int tn_library_open_isolated(tn_library **out, tn_context *context, const char *path, const char *who, tn_span span)
{
    return make_library(out, context, &(asker){ context, path, who, span }, true);
}

int tn_library_create(void **self, const tn_library *library, const tn_component_host *host,
                      const tn_component_setting *setting, const double *parameters)
{
    return library->isolated ? tn_isolated_create(self, library->isolated, host, setting, parameters)
                             : library->type->create(self, host, setting, parameters);
}

bool tn_library_same(const tn_library *a, const tn_library *b)
{
    return a && b && a->isolated && b->isolated && a->stamp == b->stamp && strcmp(a->path, b->path) == 0;
}

int tn_library_try(const tn_library *library, const tn_component_setting *setting, const double *parameters,
                   const char *who, tn_span span)
{
    const asker a = { library->context, library->path, who, span };
    char trouble[TN_VERDICT_TEXT];
    if (tn_link_is_address(library->path))
        return TN_OK;                                  /* its server answers for it; creating it tells */
    int states, code = tn_probe(&states, trouble, library->path, setting, parameters);
    return code < 0 ? fail(&a, code, trouble) : TN_OK;
}

tn_library *tn_library_hold(tn_library *library)
{
    library->holders++;
    return library;
}

void tn_library_release(tn_library *library)
{
    if (!library || --library->holders > 0)
        return;
    tn_loader_lock();
    if (library->handle)
        dlclose(library->handle);
    tn_loader_unlock();
    tn_isolated_close(library->isolated);
    free(library->path);
    tn_free(library->context, library);
}

const tn_component_type *tn_library_type(const tn_library *library)
{
    return library->type;
}

int tn_library_states(const tn_library *library)
{
    return library->states;
}
