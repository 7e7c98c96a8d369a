#include "context_impl.h"
#include <stdlib.h>

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
    context->reallocate(context->user, context, 0);
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
    default: return code < 0 ? "unknown error" : "unknown news";
    }
}

const char *tn_version(void)
{
    return TENON_VERSION;
}
