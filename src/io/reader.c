/* Reading a model: files and includes first, then section by section over all files. */
#include "reader.h"
#include "decimal.h"
#include "file.h"
#include "reread.h"
#include <string.h>

/* Included files may omit this key, but files that state it must agree. */
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

static void enter(tn_reader *r, const tn_document *document)
{
    r->folder = document->folder;
    r->chain = document->chain;
}

static void read_named(tn_reader *r, int section, tn_pair_reader read)
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++) {
        enter(r, &r->documents[i]);
        tn_read_pairs(r, r->documents[i].values[section], &tn_section_top.keys[section], read);
    }
}

static void read_section(tn_reader *r, int section, void (*read)(tn_reader *r, const tn_node *node))
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++) {
        enter(r, &r->documents[i]);
        r->what = tn_section_top.keys[section].name;
        read(r, r->documents[i].values[section]);
        r->what = NULL;
    }
}

/* A subsystem inherits this from the enclosing file, unless it states its own value. */
static void read_inertia_check(tn_reader *r)
{
    r->inertia_warn = r->outer != NULL && r->outer->inertia_warn;
    for (size_t i = 0; i < r->document_count; i++)
        r->inertia_warn = tn_read_choice(r, r->documents[i].values[TOP_INERTIA_CHECK],
                                         &tn_section_top.keys[TOP_INERTIA_CHECK], r->inertia_warn) == 1;
}

void tn_read_contents(tn_reader *r)
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK && r->prefix == NULL; i++)
        read_head(r, r->documents[i].values);
    tn_read_variants(r);
    read_named(r, TOP_TABLES, tn_read_table);
    read_named(r, TOP_JOINT_TYPES, tn_read_own_type);
    read_inertia_check(r);
    read_named(r, TOP_BODIES, tn_read_body);
    read_named(r, TOP_SUBSYSTEMS, tn_read_subsystem);
    read_section(r, TOP_PORTS, tn_read_ports);
    read_named(r, TOP_JOINTS, tn_read_joint);
    read_named(r, TOP_JOINTS, tn_read_coupling);
    read_named(r, TOP_DRIVES, tn_read_drive);
    read_named(r, TOP_FORCES, tn_read_force);
    read_named(r, TOP_DEVICE_TYPES, tn_read_own_device_type);
    read_named(r, TOP_MEDIA, tn_read_medium);
    read_named(r, TOP_DEVICES, tn_read_device);
    read_section(r, TOP_CONNECT, tn_read_connect);
    read_named(r, TOP_NODES, tn_read_node);
    read_section(r, TOP_PORTS, tn_read_node_ports);
    read_named(r, TOP_LET, tn_read_let);
    read_named(r, TOP_CONTACTS, tn_read_contact);
    read_named(r, TOP_STATES, tn_read_state);
    read_named(r, TOP_INPUTS, tn_read_input);
    read_named(r, TOP_INITIAL, tn_read_initial);
    read_named(r, TOP_EVENTS, tn_read_event);
    read_section(r, TOP_OUTPUTS, tn_read_outputs);
    if (r->prefix == NULL)
        read_named(r, TOP_GROUPS, tn_read_group);
    read_section(r, TOP_SOLVE, r->prefix == NULL ? tn_read_solve : tn_read_own_solve);
    if (r->prefix == NULL)
        read_section(r, TOP_EXPECT, tn_read_expect);
    read_section(r, TOP_CHANGES, tn_read_changes);
    tn_read_publish_variants(r);
}

/* False for names that a file which could not be read may define. */
static bool is_own_mistake(void *user, const tn_diagnostic *d)
{
    static const char *const elsewhere[] = { "unknown name '", "unknown function '", ": no ", "no table '" };
    (void)user;
    for (size_t k = 0; k < TN_LENGTH(elsewhere); k++)
        if (strstr(d->message, elsewhere[k]) != NULL)
            return false;
    return true;
}

static void read_all(tn_reader *r)
{
    tn_report_mark mark = tn_report_now(r->context);
    read_dimension(r);
    tn_read_parameters(r);
    tn_read_contents(r);
    if (r->incomplete)
        tn_report_filter(r->context, mark, is_own_mistake, NULL);
    else
        tn_read_settings_used(r);
    for (size_t k = 0; k < r->parameter_count && r->stop == TN_OK; k++)
        if (r->parameters[k].state == TN_PARAMETER_WRONG)
            tn_read_mistaken(r, r->parameters[k].name);
}

static int read_files(tn_reader *r, const char *text, size_t size, const char *name, const char *folder)
{
    r->arena = tn_arena_create(r->context);
    char *file = tn_arena_strdup(r->model->arena, name);
    if (file == NULL || r->arena == NULL)
        return TN_ERROR_MEMORY;
    const char *absolute = tn_path_absolute(r->arena, folder);
    TN_TRY(absolute != NULL ? tn_origin_create(&r->origin, r->context, absolute) : TN_ERROR_MEMORY);
    r->model->origin = r->origin;
    r->file = file;
    r->folder = folder;
    TN_TRY(tn_load_main(r, text, size));
    TN_TRY(tn_origin_set_parameters(r->origin, r->settings, r->setting_count));
    if (r->document_count > 0)
        read_all(r);
    return r->stop < 0 ? r->stop : r->errors > 0 ? TN_ERROR_MODEL : TN_OK;
}

typedef struct source {
    const char *text;
    size_t size;
    const char *name, *folder;
    const tn_setting *settings;
    size_t setting_count;
    const tn_origin *given, *also_given;
    bool for_check;                        /* a model with mistakes is returned, too */
} source;

static int read_model(tn_model **out, tn_context *context, const source *s)
{
    tn_parsed_file *parsed = NULL;
    tn_reader r = { .context = context, .node_budget = TN_YAML_NODES, .settings = s->settings,
                    .setting_count = s->setting_count, .given = s->given, .also_given = s->also_given,
                    .parsed = &parsed, .for_check = s->for_check };
    TN_TRY(tn_model_create(&r.model, context, 3));
    int code = read_files(&r, s->text, s->size, s->name, s->folder);
    tn_arena_destroy(r.arena);
    tn_free(context, r.documents);
    tn_free(context, r.loaded);
    tn_free(context, r.parameters);
    r.model->faulty = code < 0;
    if (code == TN_OK || (s->for_check && code == TN_ERROR_MODEL && !r.incomplete))
        *out = r.model;
    else
        tn_model_destroy(r.model);
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
    return read_source(out, context, &(source){ .text = text, .size = size, .name = name,
                                                .folder = base_folder != NULL ? base_folder : "" });
}

int tn_model_read_text_with(tn_model **out, tn_context *context, const tn_model_source *text, const char *base_folder,
                            const tn_setting *parameters, size_t count)
{
    return read_source(out, context, &(source){ .text = text->text, .size = text->size, .name = text->name,
                                                .folder = base_folder != NULL ? base_folder : "", .settings = parameters,
                                                .setting_count = count });
}

static int add_text(tn_origin *origin, tn_arena *arena, const tn_model_source *text, const char *folder)
{
    char *path = tn_path_join(arena, folder, text->name);
    tn_origin_file file = { path != NULL ? tn_path_absolute(arena, path) : NULL, text->text, text->size, 0 };
    return file.path != NULL ? tn_origin_add(origin, &file) : TN_ERROR_MEMORY;
}

static int read_texts(tn_model **out, tn_arena *arena, tn_origin *origin, const tn_model_source *texts, size_t count,
                      const char *folder)
{
    if (arena == NULL)
        return TN_ERROR_MEMORY;
    for (size_t k = 1; k < count; k++)
        TN_TRY(add_text(origin, arena, &texts[k], folder));
    return read_source(out, origin->context, &(source){ .text = texts[0].text, .size = texts[0].size,
                                                        .name = texts[0].name, .folder = folder, .given = origin });
}

int tn_model_read_texts(tn_model **out, tn_context *context, const tn_model_source *texts, size_t count,
                        const char *base_folder)
{
    tn_origin *origin = NULL;
    const char *folder = base_folder != NULL ? base_folder : "";
    *out = NULL;
    if (count == 0)
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no text to read");
    TN_TRY(tn_origin_create(&origin, context, folder));
    tn_arena *arena = tn_arena_create(context);
    int code = read_texts(out, arena, origin, texts, count, folder);
    tn_arena_destroy(arena);
    tn_origin_release(origin);
    return code;
}

static int read_path(tn_model **out, tn_context *context, const char *path, source s)
{
    *out = NULL;
    char *text;
    TN_TRY(tn_file_read(&text, &s.size, context, path, TN_NOWHERE, NULL, TN_FILE_LIMIT));
    tn_arena *arena = tn_arena_create(context);
    int code = TN_ERROR_MEMORY;
    s.text = text;
    s.name = path;
    s.folder = arena != NULL ? tn_path_folder(arena, path) : NULL;
    if (s.folder != NULL)
        code = read_source(out, context, &s);
    tn_arena_destroy(arena);
    tn_free(context, text);
    return code;
}

int tn_model_read_with(tn_model **out, tn_context *context, const char *path, const tn_setting *parameters,
                       size_t count)
{
    return read_path(out, context, path, (source){ .settings = parameters, .setting_count = count });
}

int tn_model_read_to_check(tn_model **out, tn_context *context, const char *path)
{
    return read_path(out, context, path, (source){ .for_check = true });
}

int tn_model_reread(tn_model **out, tn_context *context, const tn_origin *origin, const tn_setting *parameters,
                    size_t count)
{
    const tn_origin_file *main = &origin->files[0];
    return read_source(out, context, &(source){ .text = main->text, .size = main->size, .name = main->path,
                                                .folder = origin->folder, .settings = parameters, .setting_count = count,
                                                .given = origin });
}

int tn_model_read_in_place(tn_model **out, const tn_origin *origin, const tn_origin *files, const char *text,
                           size_t size)
{
    return read_source(out, origin->context, &(source){ .text = text, .size = size, .name = origin->files[0].path,
                                                        .folder = origin->folder, .given = files,
                                                        .also_given = origin });
}

int tn_model_read(tn_model **out, tn_context *context, const char *path)
{
    return tn_model_read_with(out, context, path, NULL, 0);
}
