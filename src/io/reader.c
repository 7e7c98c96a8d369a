/* Reading a model: files and includes first, then section by section over all files. */
#include "reader.h"
#include "decimal.h"
#include "file.h"
#include "hash.h"
#include "reread.h"
#include <string.h>
#include <sys/stat.h>

enum { INCLUDE_DEPTH = 16, FILES_MAX = 1000 };

/* The files that are being included in each other, innermost first. */
typedef struct chain {
    const char *identity;      /* see identify */
    const char *file;
    int depth;
    const struct chain *up;
} chain;

static int load_text(tn_reader *r, const char *text, size_t size, const char *folder, const chain *here);

static bool is_loaded(const tn_reader *r, const char *identity)
{
    for (size_t i = 0; i < r->loaded_count; i++)
        if (strcmp(r->loaded[i], identity) == 0)
            return true;
    return false;
}

static int remember(tn_reader *r, const char *identity)
{
    TN_TRY(tn_grow(r->context, &r->loaded, &r->loaded_capacity, r->loaded_count + 1, sizeof *r->loaded));
    r->loaded[r->loaded_count++] = identity;
    return TN_OK;
}

/* Device and inode, so that one file is one file by whatever path; the path itself when there is no such file. */
static const char *identify(tn_reader *r, const char *path)
{
    char text[64];
    struct stat status;
    if (stat(path, &status) < 0)
        return tn_arena_strdup(r->arena, path);
    snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    return tn_arena_strdup(r->arena, text);
}

/* Writes "a.yaml -> b.yaml -> a.yaml". */
static void chain_text(const chain *from, const char *back_to, char *buffer, size_t size)
{
    const chain *links[INCLUDE_DEPTH + 1];
    size_t count = 0, used = 0;
    for (const chain *c = from; c != NULL && count <= INCLUDE_DEPTH; c = c->up) {
        links[count++] = c;
        if (strcmp(c->identity, back_to) == 0)
            break;
    }
    const char *first = links[count - 1]->file;
    while (count > 0 && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%.80s -> ", links[--count]->file);
    if (used < size)
        snprintf(buffer + used, size - used, "%.80s", first);
}

static bool is_cycle(tn_reader *r, tn_span span, const chain *here, const char *identity)
{
    for (const chain *c = here; c != NULL; c = c->up) {
        if (strcmp(c->identity, identity) != 0)
            continue;
        char text[500];
        chain_text(here, identity, text, sizeof text);
        tn_read_error(r, span, "cyclic include: %s", text);
        return true;
    }
    return false;
}

static tn_origin_file file_of(const char *path, const char *text, size_t size)
{
    return (tn_origin_file){ path, text, size, tn_hash_bytes(TN_HASH_START, text, size) };
}

/* From the texts given, or from disk. */
static int load_file(tn_reader *r, const tn_node *node, const char *path, const char *folder, const chain *next)
{
    char *text = NULL;
    size_t size = 0;
    const tn_origin_file *given = r->given != NULL ? tn_origin_find(r->given, path) : NULL;
    if (given != NULL && given->text != NULL)
        return load_text(r, given->text, given->size, folder, next);
    if (!tn_read_ok(r, tn_file_read(&text, &size, r->context, path, node->span, TN_FILE_LIMIT))) {
        r->incomplete = true;
        return r->stop;
    }
    int code = load_text(r, text, size, folder, next);
    tn_free(r->context, text);
    return code;
}

bool tn_read_note_file(tn_reader *r, const char *path, tn_span span)
{
    if (r->origin == NULL)
        return true;
    const char *absolute = tn_path_absolute(r->arena, path);
    tn_origin_file file = { .path = absolute };
    if (!tn_read_ok(r, absolute == NULL ? TN_ERROR_MEMORY : TN_OK) ||
        !tn_read_ok(r, tn_file_identify(&file.size, &file.hash, r->context, path, span)))
        return false;
    const tn_origin_file *given = r->given != NULL ? tn_origin_find(r->given, absolute) : NULL;
    if (given != NULL && (given->size != file.size || given->hash != file.hash)) {
        tn_read_error(r, span, "'%s' is not the file it was", path);
        return false;
    }
    return tn_read_ok(r, tn_origin_add(r->origin, &file));
}

static int load_include(tn_reader *r, const tn_node *node, const char *folder, const chain *here)
{
    const char *given = tn_read_text(r, node, "include");
    if (given == NULL)
        return TN_OK;
    char *path = tn_path_join(r->model->arena, folder, given);
    const char *identity = path != NULL ? identify(r, path) : NULL;
    char *own_folder = path != NULL ? tn_path_folder(r->arena, path) : NULL;
    if (path == NULL || identity == NULL || own_folder == NULL)
        return TN_ERROR_MEMORY;
    if (is_cycle(r, node->span, here, identity) || is_loaded(r, identity))
        return TN_OK;
    if (here->depth == INCLUDE_DEPTH || r->loaded_count == FILES_MAX) {
        tn_read_error(r, node->span, "too many includes: at most %d files, %d deep", FILES_MAX, INCLUDE_DEPTH);
        return TN_OK;
    }
    chain next = { identity, path, here->depth + 1, here };
    return load_file(r, node, path, own_folder, &next);
}

static void check_version(tn_reader *r, const tn_node *root, const tn_node *const *values, bool included)
{
    if (values[TOP_TENON] == NULL && !included)
        tn_read_error(r, root->span, "'tenon: 1' is missing: it says which version of the format this is");
    tn_read_choice(r, values[TOP_TENON], &tn_section_top.keys[TOP_TENON], 0);
}

/* Parses one file, loads what it includes, and adds it to the documents. Negative ends reading. */
static int load_text(tn_reader *r, const char *text, size_t size, const char *folder, const chain *here)
{
    TN_TRY(remember(r, here->identity));
    const char *path = tn_path_absolute(r->arena, here->file);
    tn_origin_file file = file_of(path, text, size);
    TN_TRY(path != NULL ? tn_origin_add(r->origin, &file) : TN_ERROR_MEMORY);
    const tn_node *root;
    int code = tn_yaml_parse(&root, r->arena, r->context, here->file, text, size, &r->node_budget);
    bool good = tn_read_ok(r, code);
    if (r->stop == TN_OK && (root == NULL || root->kind != TN_NODE_MAP)) {
        tn_span start = { here->file, 1, 1 };
        if (good)
            tn_read_error(r, root != NULL ? root->span : start, "a model file is a map that begins with 'tenon: 1'");
        r->incomplete = true;
    }
    if (r->stop < 0 || r->incomplete)
        return r->stop;
    tn_document document = { .folder = folder };
    tn_read_keys(r, root, &tn_section_top, document.values, NULL, 0, NULL);
    check_version(r, root, document.values, here->up != NULL);
    size_t count;
    const tn_node *const *includes = tn_read_list(r, &document.values[TOP_INCLUDE], "include", &count);
    for (size_t i = 0; i < count && r->stop == TN_OK; i++)
        TN_TRY(load_include(r, includes[i], folder, here));
    TN_TRY(tn_grow(r->context, &r->documents, &r->document_capacity, r->document_count + 1, sizeof *r->documents));
    r->documents[r->document_count++] = document;
    return r->stop;
}

/* The files may differ in what they leave out, not in what they say. */
static void read_dimension(tn_reader *r)
{
    int dimension = -1;
    const tn_key *key = &tn_section_top.keys[TOP_DIMENSION];
    for (size_t i = 0; i < r->document_count; i++) {
        const tn_node *node = r->documents[i].values[TOP_DIMENSION];
        int choice = tn_read_choice(r, node, key, -1);
        if (choice >= 0 && dimension >= 0 && choice != dimension)
            tn_read_error(r, node->span, "'dimension' is %d in an included file", dimension + 2);
        dimension = choice >= 0 ? choice : dimension;
    }
    r->model->dimension = dimension == 0 ? 2 : 3;
}

static void read_head(tn_reader *r, const tn_node *const *values)
{
    const char *name = tn_read_text(r, values[TOP_NAME], "name");
    if (name != NULL)
        tn_read_ok(r, tn_model_set_name(r->model, name));
    tn_read_gravity(r, values[TOP_GRAVITY]);
}

static void read_named(tn_reader *r, int section, tn_pair_reader read)
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++) {
        r->folder = r->documents[i].folder;
        tn_read_pairs(r, r->documents[i].values[section], &tn_section_top.keys[section], read);
    }
}

static void read_section(tn_reader *r, int section, void (*read)(tn_reader *r, const tn_node *node))
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++) {
        r->folder = r->documents[i].folder;
        r->what = tn_section_top.keys[section].name;
        read(r, r->documents[i].values[section]);
        r->what = NULL;
    }
}

void tn_read_contents(tn_reader *r)
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++)
        read_head(r, r->documents[i].values);
    read_named(r, TOP_TABLES, tn_read_table);
    read_named(r, TOP_JOINT_TYPES, tn_read_own_type);
    read_named(r, TOP_BODIES, tn_read_body);
    read_named(r, TOP_JOINTS, tn_read_joint);
    read_named(r, TOP_JOINTS, tn_read_coupling);
    read_named(r, TOP_DRIVES, tn_read_drive);
    read_named(r, TOP_FORCES, tn_read_force);
    read_named(r, TOP_CONTACTS, tn_read_contact);
    read_named(r, TOP_STATES, tn_read_state);
    read_named(r, TOP_INITIAL, tn_read_initial);
    read_named(r, TOP_EVENTS, tn_read_event);
    read_section(r, TOP_OUTPUTS, tn_read_outputs);
    read_named(r, TOP_GROUPS, tn_read_group);
    read_section(r, TOP_SOLVE, tn_read_solve);
    read_section(r, TOP_EXPECT, tn_read_expect);
}

static int read_files(tn_reader *r, const char *text, size_t size, const char *name, const char *folder)
{
    r->arena = tn_arena_create(r->context);
    char *file = tn_arena_strdup(r->model->arena, name);
    const char *identity = r->arena != NULL ? identify(r, name) : NULL;
    if (file == NULL || identity == NULL)
        return TN_ERROR_MEMORY;
    const char *absolute = tn_path_absolute(r->arena, folder);
    TN_TRY(absolute != NULL ? tn_origin_create(&r->origin, r->context, absolute) : TN_ERROR_MEMORY);
    r->model->origin = r->origin;
    r->file = file;
    chain main_file = { identity, file, 0, NULL };
    TN_TRY(load_text(r, text, size, folder, &main_file));
    TN_TRY(tn_origin_set_parameters(r->origin, r->settings, r->setting_count));
    if (!r->incomplete) {
        read_dimension(r);
        tn_read_parameters(r);
        tn_read_contents(r);
    }
    return r->stop < 0 ? r->stop : r->errors > 0 ? TN_ERROR_MODEL : TN_OK;
}

typedef struct source {
    const char *text;
    size_t size;
    const char *name, *folder;
    const tn_setting *settings;
    size_t setting_count;
    const tn_origin *given;
} source;

static int read_model(tn_model **out, tn_context *context, const source *s)
{
    tn_reader r = { .context = context, .node_budget = TN_YAML_NODES, .settings = s->settings,
                    .setting_count = s->setting_count, .given = s->given };
    TN_TRY(tn_model_create(&r.model, context, 3));
    int code = read_files(&r, s->text, s->size, s->name, s->folder);
    tn_arena_destroy(r.arena);
    tn_free(context, r.documents);
    tn_free(context, r.loaded);
    tn_free(context, r.parameters);
    if (code < 0)
        tn_model_destroy(r.model);
    else
        *out = r.model;
    return code;
}

static int read_source(tn_model **out, tn_context *context, const source *s)
{
    *out = NULL;
    if (s->size > TN_FILE_LIMIT)
        return tn_fail(context, TN_ERROR_FILE, ((tn_span){ s->name, 0, 0 }), "the text is larger than 64 MiB");
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = read_model(out, context, s);
    tn_decimal_end(&decimal);
    return code;
}

int tn_model_read_text(tn_model **out, tn_context *context, const char *text, size_t size, const char *name,
                       const char *base_folder)
{
    return read_source(out, context, &(source){ text, size, name, base_folder != NULL ? base_folder : "", NULL, 0,
                                                NULL });
}

int tn_model_read_with(tn_model **out, tn_context *context, const char *path, const tn_setting *parameters,
                       size_t count)
{
    *out = NULL;
    char *text;
    size_t size;
    TN_TRY(tn_file_read(&text, &size, context, path, TN_NOWHERE, TN_FILE_LIMIT));
    tn_arena *arena = tn_arena_create(context);
    char *folder = arena != NULL ? tn_path_folder(arena, path) : NULL;
    int code = TN_ERROR_MEMORY;
    if (folder != NULL)
        code = read_source(out, context, &(source){ text, size, path, folder, parameters, count, NULL });
    tn_arena_destroy(arena);
    tn_free(context, text);
    return code;
}

int tn_model_reread(tn_model **out, tn_context *context, const tn_origin *origin, const tn_setting *parameters,
                    size_t count)
{
    const tn_origin_file *main = &origin->files[0];
    return read_source(out, context, &(source){ main->text, main->size, main->path, origin->folder, parameters, count,
                                                origin });
}

int tn_model_read_in_place(tn_model **out, tn_context *context, const tn_origin *origin, const char *text, size_t size)
{
    return read_source(out, context, &(source){ text, size, origin->files[0].path, origin->folder, NULL, 0, origin });
}

int tn_model_read(tn_model **out, tn_context *context, const char *path)
{
    return tn_model_read_with(out, context, path, NULL, 0);
}
