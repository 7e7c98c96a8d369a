/* Loads libraries when they are first used. */
#include "late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void *tn_late_find(tn_late *library, const char *name)
{
    pthread_mutex_lock(&turn);
    if (!library->tried) {
        library->tried = true;
        library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        if (!library->handle)
            fprintf(stderr, "tenon: the library for %s cannot be loaded: %s\n", library->what, dlerror());
    }
    void *found = library->handle ? dlsym(library->handle, name) : NULL;
    pthread_mutex_unlock(&turn);
    return found;
}
