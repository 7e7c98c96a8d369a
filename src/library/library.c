#include "library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include "diag.h"
#include "mem.h"

struct tn_library {
    tn_context *context;
    void *handle;
    const tn_component_type *type;
    atomic_int holders;
};

/* dlsym gives data pointers; functions of shared libraries have the same representation (POSIX). */
static tn_component_entry entry_of(void *handle)
{
    void *symbol = dlsym(handle, TN_COMPONENT_SYMBOL);
    tn_component_entry entry;
    memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

static int load(tn_library *library, const char *path, tn_span span)
{
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle)
        return tn_fail(library->context, TN_ERROR_FILE, span, "'%.200s' cannot be loaded: %.300s", path, dlerror());
    tn_component_entry entry = entry_of(library->handle);
    if (!entry)
        return tn_fail(library->context, TN_ERROR_ARGUMENT, span,
                       "'%.200s' is no component: it exports no function " TN_COMPONENT_SYMBOL, path);
    library->type = entry();
    if (!library->type || library->type->version != TN_COMPONENT_VERSION)
        return tn_fail(library->context, TN_ERROR_ARGUMENT, span,
                       "'%.200s' was made for version %u of the component interface, not %d", path,
                       library->type ? library->type->version : 0, TN_COMPONENT_VERSION);
    return TN_OK;
}

int tn_library_open(tn_library **out, tn_context *context, const char *path, tn_span span)
{
    tn_library *library = tn_alloc(context, 1, sizeof *library);
    if (!library)
        return TN_ERROR_MEMORY;
    library->context = context;
    library->holders = 1;
    int code = load(library, path, span);
    if (code < 0) {
        tn_library_release(library);
        return code;
    }
    *out = library;
    return TN_OK;
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
    if (library->handle)
        dlclose(library->handle);
    tn_free(library->context, library);
}

const tn_component_type *tn_library_type(const tn_library *library)
{
    return library->type;
}

int tn_library_states(const tn_library *library)
{
    (void)library;
    return -1;
}
