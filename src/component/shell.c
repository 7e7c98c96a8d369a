/* The code of a compiled component: a separate library, which reads its subsystem from the end of its own file. It
 * exports one function. Messages to the host state the kind of error and contain no names from inside. */
#define _GNU_SOURCE                /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include "diag.h"
#include "file.h"
#include "nested.h"
#include "payload.h"
#include "wrapper.h"

__attribute__((visibility("default"))) const tn_component_type *tenon_component(void);

/* Read once, at the first call into the library; constant afterwards. */
static struct {
    pthread_once_t once;
    tn_context *context;
    tn_arena *arena;
    tn_payload payload;
    tn_component_type type;
    bool good;
} library = { .once = PTHREAD_ONCE_INIT };

/* ---- a component ---- */

static int fail(const tn_component_host *host, int code, const char *message)
{
    host->report(host->user, TN_ERROR, message);
    return code;
}

static int read_model(tn_model **out, tn_context *context, const tn_component_setting *setting, const double *values)
{
    const tn_payload *p = &library.payload;
    tn_context_give(context, p->files, p->file_count);
    return tn_wrapper_read(out, context, &(tn_wrapper){ .folder = "", .file = p->files[0].path,
                                                        .dimension = p->dimension, .setting = setting,
                                                        .parameters = p->parameters, .values = values,
                                                        .parameter_count = p->parameter_count });
}

static int make_shell(tn_nested **out, tn_model *model, const tn_component_host *host)
{
    const tn_subsystem *subsystem = tn_wrapped(model);
    const tn_solve *solve = subsystem->solve ? subsystem->solve : &model->solve;
    const char *const *ports = NULL;
    int count;
    TN_TRY(tn_wrapped_ports(&ports, &count, model));
    return tn_nested_create(out, model, ports, count, solve, host);
}

static int create_shell(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *parameters)
{
    const tn_context_options options = { .reallocate = host->reallocate, .user = host->user };
    tn_context *context = tn_context_create(&options);
    tn_model *model = NULL;
    tn_nested *n = NULL;
    int code = context ? read_model(&model, context, setting, parameters) : TN_ERROR_MEMORY;
    if (code >= 0) {
        code = make_shell(&n, model, host);
        if (code == TN_ERROR_ASSEMBLY)
            fail(host, code, "what is inside cannot be put together with these parameters");
        else if (code < 0 && code != TN_ERROR_MEMORY)
            fail(host, code, "what is inside has no start with these parameters");
    } else if (code != TN_ERROR_MEMORY) {
        fail(host, code, "these parameters make no model");
    }
    if (code < 0) {
        tn_model_destroy(model);
        tn_context_destroy(context);
        return code;
    }
    n->own_model = model;
    *self = n;
    return TN_OK;
}

/* ---- the library ---- */

static int read_payload(const char *path)
{
    char *bytes = NULL;
    size_t size;
    library.context = tn_context_create(NULL);
    library.arena = library.context ? tn_arena_create(library.context) : NULL;
    if (!library.arena)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_file_read(&bytes, &size, library.context, path, TN_NOWHERE, NULL, TN_TABLE_LIMIT));
    int code = tn_payload_read(&library.payload, library.arena, bytes, size);
    tn_free(library.context, bytes);
    return code;
}

/* Removes the functions of higher levels of disclosure. */
static void disclose(tn_component_type *type, tn_disclosure level)
{
    type->disclosure = level;
    if (level < TN_DISCLOSE_CONDENSED) {
        type->condense = NULL;
        type->free_answer = NULL;
        type->condense_root = NULL;
    }
    if (level < TN_DISCLOSE_OPEN) {
        type->open = NULL;
        type->write_to = NULL;
        type->take_open = NULL;
    }
}

static void begin_shell(void)
{
    Dl_info info;
    if (dladdr(&library, &info) == 0 || read_payload(info.dli_fname) < 0)
        return;
    const tn_payload *p = &library.payload;
    library.type = tn_nested_type;
    library.type.name = p->name;
    library.type.doc = "A compiled subsystem.";
    library.type.dimension = p->dimension;
    disclose(&library.type, p->disclosure);
    library.type.ports = p->ports;
    library.type.port_is_frame = p->port_is_frame;
    library.type.port_count = p->port_count;
    library.type.parameters = p->parameters;
    library.type.parameter_count = p->parameter_count;
    library.type.create = create_shell;
    library.good = true;
}

const tn_component_type *tenon_component(void)
{
    pthread_once(&library.once, begin_shell);
    return library.good ? &library.type : NULL;
}

__attribute__((destructor)) static void end(void)
{
    if (library.arena)
        tn_arena_destroy(library.arena);
    tn_context_destroy(library.context);
}
