/* The context: creation, file access rules, files in memory, remembered numbers. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "context_impl.h"
#include "diag.h"
#include "expr.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *reallocate_default(void *user, void *pointer, size_t size)
{
    (void)user;
    if (size > 0)
        return realloc(pointer, size);
    free(pointer);
    return NULL;
}

tn_context *tn_context_create(const tn_context_options *options)
{
    tn_context start = { .reallocate = reallocate_default };
    if (options && options->reallocate) {
        start.reallocate = options->reallocate;
        start.user = options->user;
    }
    tn_context *context = start.reallocate(start.user, NULL, sizeof *context);
    if (context)
        *context = start;
    return context;
}

void tn_context_destroy(tn_context *context)
{
    if (!context)
        return;
    tn_diagnostics_clear(context);
    tn_free(context, context->diagnostics);
    tn_free(context, context->folder);
    tn_free(context, context->tokens);
    tn_free(context, context->authority);
    tn_free(context, context->remembered);
    tn_free(context, context->objects);
    tn_program_functions_free(context);
    context->reallocate(context->user, context, 0);
}

int tn_context_confine(tn_context *context, const char *folder)
{
    char *whole = folder ? realpath(folder, NULL) : NULL;
    if (folder && !whole)
        return tn_fail(context, TN_ERROR_FILE, ((tn_span){ folder, 0, 0 }), "%s", strerror(errno));
    char *own = whole ? tn_strdup(context, whole) : NULL;
    free(whole);
    if (folder && !own)
        return TN_ERROR_MEMORY;
    tn_free(context, context->folder);
    context->folder = own;
    return TN_OK;
}

bool tn_context_may_read(const tn_context *context, const char *path)
{
    if (!context->folder)
        return true;
    char *whole = realpath(path, NULL);
    size_t length = strlen(context->folder);
    bool below = whole && strncmp(whole, context->folder, length) == 0 &&
                 (whole[length] == '/' || context->folder[length - 1] == '/');
    bool hidden = below && strstr(whole + length - (context->folder[length - 1] == '/'), "/.");
    struct stat there;                                 /* opening a pipe would wait for a writer, for ever */
    bool file = below && stat(whole, &there) == 0 && (S_ISREG(there.st_mode) || S_ISDIR(there.st_mode));
    free(whole);
    return file && !hidden;
}

void tn_context_set_team(tn_context *context, const tn_team *team)
{
    context->team = team;
}

const tn_team *tn_context_team(const tn_context *context)
{
    return context->team;
}

void tn_context_refuse_libraries(tn_context *context, bool refuse)
{
    context->no_libraries = refuse;
}

bool tn_context_refuses_libraries(const tn_context *context)
{
    return context->no_libraries;
}

int tn_context_credentials(tn_context *context, const char *tokens, const char *authority)
{
    char *own_tokens = tokens ? tn_strdup(context, tokens) : NULL;
    char *own_authority = authority ? tn_strdup(context, authority) : NULL;
    if ((tokens && !own_tokens) || (authority && !own_authority)) {
        tn_free(context, own_tokens);
        tn_free(context, own_authority);
        return TN_ERROR_MEMORY;
    }
    tn_free(context, context->tokens);
    tn_free(context, context->authority);
    context->tokens = own_tokens;
    context->authority = own_authority;
    return TN_OK;
}

int tn_context_credentials_of_environment(tn_context *context)
{
    return tn_context_credentials(context, getenv("TENON_TOKEN"), getenv("TENON_AUTHORITY"));
}

const char *tn_context_authority(const tn_context *context)
{
    return context->authority;
}

/* "a:1=x,b:2=y,z" for the server "b:2" gives "y", for others "z". */
void tn_context_token(char *out, size_t room, const tn_context *context, const char *server)
{
    size_t length = strlen(server);
    if (room > 0)
        out[0] = '\0';
    for (const char *entry = context->tokens; entry && *entry;) {
        const char *end = strchr(entry, ',');
        size_t size = end ? (size_t)(end - entry) : strlen(entry);
        bool named = size > length && strncmp(entry, server, length) == 0 && entry[length] == '=';
        bool any = !memchr(entry, '=', size);
        const char *token = named ? entry + length + 1 : entry;
        size_t token_size = size - (size_t)(token - entry);
        if ((named || any) && token_size < room) {
            memcpy(out, token, token_size);
            out[token_size] = '\0';
        }
        if (named)
            return;
        entry += size + (end ? 1 : 0);
    }
}

int tn_context_remember(tn_context *context, uint64_t key, int value)
{
    TN_TRY(tn_grow(context, &context->remembered, &context->remembered_capacity, context->remembered_count + 1,
                   sizeof *context->remembered));
    context->remembered[context->remembered_count++] = (struct tn_remembered){ key, value };
    return TN_OK;
}

bool tn_context_recall(const tn_context *context, uint64_t key, int *value)
{
    for (size_t k = 0; k < context->remembered_count; k++)
        if (context->remembered[k].key == key) {
            *value = context->remembered[k].value;
            return true;
        }
    return false;
}

void tn_context_give(tn_context *context, const tn_memory_file *files, size_t count)
{
    context->given = files;
    context->given_count = count;
}

bool tn_context_in_memory(const tn_context *context)
{
    return context->given != NULL;
}

const tn_memory_file *tn_context_given(const tn_context *context, const char *path)
{
    for (size_t k = 0; k < context->given_count; k++)
        if (strcmp(context->given[k].path, path) == 0)
            return &context->given[k];
    return NULL;
}

const char *tn_error_text(int code)
{
    switch (code) {
    case TN_OK: return "success";
    case TN_NEWS_END: return "end of the run";
    case TN_NEWS_INTERRUPTED: return "interrupted";
    case TN_NEWS_STOPPED: return "stopped by an event";
    case TN_ERROR_MEMORY: return "out of memory";
    case TN_ERROR_ARGUMENT: return "a call that makes no sense";
    case TN_ERROR_STALE: return "the entity is gone";
    case TN_ERROR_FILE: return "a file cannot be read or written";
    case TN_ERROR_MODEL: return "the model is wrong";
    case TN_ERROR_ASSEMBLY: return "the mechanism cannot be assembled";
    case TN_ERROR_STEP: return "a step cannot be taken";
    case TN_ERROR_TEAM: return "a process that shares the work is gone";
    default: return code < 0 ? "unknown error" : "unknown news";
    }
}

const char *tn_version(void)
{
    return TENON_VERSION;
}

int tn_version_number(void)
{
    return TENON_VERSION_NUMBER;
}

int tn_context_list_add(tn_context *context, void *object)
{
    TN_TRY(tn_grow(context, &context->objects, &context->object_capacity, context->object_count + 1, sizeof *context->objects));
    context->objects[context->object_count++] = object;
    return TN_OK;
}

void tn_context_list_remove(tn_context *context, const void *object)
{
    size_t kept = 0;
    for (size_t k = 0; k < context->object_count; k++)
        if (context->objects[k] != object)
            context->objects[kept++] = context->objects[k];
    context->object_count = kept;
}

void *tn_context_list_at(const tn_context *context, size_t index)
{
    return index < context->object_count ? context->objects[index] : NULL;
}
