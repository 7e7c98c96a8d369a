/* Compiles a subsystem's file to a library: checks it, packs it without comments and private paths, appends it to a
 * copy of the shell, and tries the library. */
#include "tenon/compile.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "diag.h"
#include "file.h"
#include "tenon/library.h"
#include "payload.h"
#include "reader.h"
#include "wrapper.h"

typedef struct job {
    tn_context *context;
    tn_arena *arena;
    const char *path, *folder;         /* of the subsystem; the folder is "" or ends in '/' */
    const tn_compile_options *options;
    tn_model *model;                   /* the subsystem in a wrapper */
    tn_payload payload;
} job;

/* ---- ports and parameters ---- */

static bool is_port(const job *j, const char *name)
{
    for (int k = 0; k < j->payload.port_count; k++)
        if (strcmp(j->payload.ports[k].name, name) == 0)
            return true;
    return false;
}

/* Names the ports that joints with limits need: stop1, stop2, ... where these are free. */
static int describe_stop_ports(job *j, int count)
{
    for (int number = 1; j->payload.port_count < count; number++) {
        char name[24];
        snprintf(name, sizeof name, "stop%d", number);
        if (is_port(j, name))
            continue;
        const char *copy = tn_arena_strdup(j->arena, name);
        if (!copy)
            return TN_ERROR_MEMORY;
        j->payload.ports[j->payload.port_count++].name = copy;
    }
    return TN_OK;
}

static int describe_ports(job *j)
{
    const tn_subsystem *subsystem = tn_wrapped(j->model);
    const char *const *names;
    int count;
    TN_TRY(tn_wrapped_ports(&names, &count, j->model));
    j->payload.ports = tn_arena_alloc(j->arena, (size_t)count, sizeof(tn_port_decl));
    j->payload.port_is_frame = tn_arena_alloc(j->arena, (size_t)count, sizeof(bool));
    if (!j->payload.ports || !j->payload.port_is_frame)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < subsystem->port_count; k++) {
        tn_id target = subsystem->ports[k].target;
        if (target.kind == TN_KIND_FORCE)
            return tn_fail(j->context, TN_ERROR_MODEL, subsystem->ports[k].span, "port '%.80s' is a node of a network: compiled components have "
                           "ports at bodies and frames only", subsystem->ports[k].name);
        uint32_t body = target.kind == TN_KIND_FRAME ? j->model->frames[target.index].body : target.index;
        if (body == 0)
            return tn_fail(j->context, TN_ERROR_MODEL, subsystem->ports[k].span,
                           "port '%.80s' is on ground: attach to the ground of the model instead",
                           subsystem->ports[k].name);
        j->payload.port_is_frame[k] = target.kind == TN_KIND_FRAME;
        j->payload.ports[j->payload.port_count++].name = subsystem->ports[k].name;
    }
    return describe_stop_ports(j, count);
}

/* The next parameter of the subsystem itself, without those of nested subsystems. NULL: at the end. */
static const char *own_parameter(void *user, size_t index)
{
    const tn_model *model = user;
    for (size_t k = 0; k < model->parameter_count; k++) {
        const char *name = strchr(model->parameters[k].name, '.');
        if (name && !strchr(name + 1, '.') && index-- == 0)
            return name + 1;
    }
    return NULL;
}

static const tn_parameter_value *find_parameter(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < model->parameter_count; k++) {
        const char *dot = strchr(model->parameters[k].name, '.');
        if (dot && strcmp(dot + 1, name) == 0)
            return &model->parameters[k];
    }
    return NULL;
}

static int describe_parameters(job *j)
{
    const tn_compile_options *o = j->options;
    j->payload.parameters = tn_arena_alloc(j->arena, o->open_count, sizeof(tn_parameter_decl));
    if (!j->payload.parameters)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < o->open_count; k++) {
        const tn_parameter_value *value = find_parameter(j->model, o->open[k]);
        char hint[160];
        if (!value || strchr(o->open[k], '.'))
            return tn_fail(j->context, TN_ERROR_ARGUMENT, ((tn_span){ j->path, 0, 0 }),
                           "the subsystem has no parameter '%.80s' to stay open%s", o->open[k],
                           tn_did_you_mean(hint, sizeof hint, o->open[k], own_parameter, j->model));
        j->payload.parameters[j->payload.parameter_count++] =
            (tn_parameter_decl){ .name = o->open[k], .unit = value->unit, .initial = value->value };
    }
    return TN_OK;
}

static int describe_name(job *j, const tn_model *alone)
{
    const char *slash = strrchr(j->path, '/'), *base = slash ? slash + 1 : j->path, *dot = strrchr(base, '.');
    const char *title = tn_model_name(alone);
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    j->payload.name = title[0] ? tn_arena_strdup(j->arena, title) : tn_arena_strndup(j->arena, base, length);
    j->payload.dimension = tn_model_dimension(alone);
    j->payload.disclosure = j->options->disclose ? j->options->disclose : TN_DISCLOSE_OPEN;
    return j->payload.name ? TN_OK : TN_ERROR_MEMORY;
}

/* ---- the files ---- */

/* A model file as one line without comments. */
static int pack_model_file(job *j, const tn_origin_file *file, tn_memory_file *out)
{
    const tn_node *root = NULL;
    size_t budget = TN_YAML_NODES;
    tn_text text;
    char *line = NULL;
    TN_TRY(tn_yaml_parse(&root, j->arena, j->context, file->path, file->text, file->size, &budget));
    tn_text_begin(&text, j->context);
    tn_write_node(&text, root);
    TN_TRY(tn_text_take(&text, &line));
    out->data = tn_arena_strdup(j->arena, line);
    out->size = strlen(line);
    tn_free(j->context, line);
    return out->data ? TN_OK : TN_ERROR_MEMORY;
}

/* A mesh or table as it is. */
static int pack_data_file(job *j, const tn_origin_file *file, tn_memory_file *out)
{
    char *data;
    TN_TRY(tn_file_read(&data, &out->size, j->context, file->path, TN_NOWHERE, NULL, TN_FILE_LIMIT));
    if (out->size >= 4 && memcmp(data, "\x89HDF", 4) == 0) {
        tn_free(j->context, data);
        return tn_fail(j->context, TN_ERROR_MODEL, ((tn_span){ file->path, 0, 0 }),
                       "tables of a component are CSV files, not HDF5");
    }
    char *copy = tn_arena_alloc(j->arena, out->size, 1);
    if (copy)
        memcpy(copy, data, out->size);
    tn_free(j->context, data);
    out->data = copy;
    return copy ? TN_OK : TN_ERROR_MEMORY;
}

/* Paths are as written in the files, relative to the subsystem's folder. */
static const char *path_inside(const job *j, const char *path)
{
    const char *folder = j->model->origin->folder;
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 ? path + length + strspn(path + length, "/") : path;
}

static int pack_files(job *j)
{
    const tn_origin *origin = j->model->origin;
    j->payload.files = tn_arena_alloc(j->arena, origin->count, sizeof(tn_memory_file));
    if (!j->payload.files)
        return TN_ERROR_MEMORY;
    for (size_t k = 1; k < origin->count; k++) {               /* the first is the wrapper */
        tn_memory_file *out = &j->payload.files[j->payload.file_count++];
        const tn_origin_file *file = &origin->files[k];
        out->path = path_inside(j, file->path);
        TN_TRY(file->text ? pack_model_file(j, file, out) : pack_data_file(j, file, out));
    }
    return TN_OK;
}

/* ---- the library ---- */

/* Replaces an existing library only after the new library has passed its trial. */
static int try_library(job *j, const char *beside, const char *path)
{
    tn_library *library = NULL;
    TN_TRY(tn_library_open(&library, j->context, beside, NULL, ((tn_span){ j->path, 0, 0 })));
    tn_library_release(library);
    if (rename(beside, path) == 0)
        return TN_OK;
    return tn_fail(j->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "cannot be written");
}

static bool is_one_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* A library in the place of a file that it is made of would be the end of that file. */
static int check_target(const job *j, const char *path)
{
    const tn_origin *origin = j->model->origin;
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return tn_fail(j->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "a library must be a file, not a folder, pipe or device");
    for (size_t k = 1; k < origin->count; k++)                 /* the first is the wrapper */
        if (is_one_file(path, origin->files[k].path))
            return tn_fail(j->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "the library cannot replace a file of the subsystem");
    return TN_OK;
}

static int write_library(job *j, const char *path)
{
    char *code = NULL, *whole = NULL;
    size_t code_size, size;
    const size_t room = strlen(path) + sizeof ".new";
    char *beside = tn_arena_alloc(j->arena, room, 1);
    if (!beside)
        return TN_ERROR_MEMORY;
    snprintf(beside, room, "%s.new", path);
    TN_TRY(tn_file_read(&code, &code_size, j->context, j->options->shell, TN_NOWHERE, NULL, TN_FILE_LIMIT));
    int result = tn_payload_attach(&whole, &size, j->context, code, code_size, &j->payload);
    if (result == TN_OK)
        result = tn_file_replace(j->context, beside, whole, size);
    if (result == TN_OK && (result = try_library(j, beside, path)) < 0)
        remove(beside);
    tn_free(j->context, whole);
    tn_free(j->context, code);
    return result;
}

static int read_subsystem(job *j)
{
    tn_model *alone = NULL;
    TN_TRY(tn_model_read(&alone, j->context, j->path));
    int code = describe_name(j, alone);
    tn_model_destroy(alone);
    TN_TRY(code);
    const char *slash = strrchr(j->path, '/');
    j->folder = tn_path_folder(j->arena, j->path);
    if (!j->folder)
        return TN_ERROR_MEMORY;
    const tn_wrapper wrapper = { .folder = j->folder, .file = slash ? slash + 1 : j->path,
                                 .dimension = j->payload.dimension };
    return tn_wrapper_read(&j->model, j->context, &wrapper);
}

static int run_compile(job *j, const char *library)
{
    TN_TRY(read_subsystem(j));
    TN_TRY(check_target(j, library));
    TN_TRY(tn_wrapped_check(j->model, j->path));
    TN_TRY(describe_ports(j));
    TN_TRY(describe_parameters(j));
    TN_TRY(pack_files(j));
    return write_library(j, library);
}

int tn_compile(tn_context *context, const char *subsystem, const char *library, const tn_compile_options *options)
{
    job j = { .context = context, .arena = tn_arena_create(context), .path = subsystem, .options = options };
    int code = j.arena ? run_compile(&j, library) : TN_ERROR_MEMORY;
    tn_model_destroy(j.model);
    tn_arena_destroy(j.arena);
    return code;
}
