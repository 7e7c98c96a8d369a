/* Model files: loading, what they include, what they use as subsystems. A file that is used more than once is parsed
 * once, but counts with its full size each time, so that no model is larger than the limit. */
#include "file.h"
#include "hash.h"
#include "reader.h"
#include <string.h>
#include <sys/stat.h>

enum { FILE_DEPTH = 16, FILES_MAX = 1000 };
/* Nodes that a subsystem counts with whatever its file has: names and tables take memory, too. */
enum { SUBSYSTEM_NODES = 100 };

/* The files that are being included in or used by each other, innermost first. */
struct tn_file_chain {
    const char *identity;      /* see identify */
    const char *file;
    int depth;
    const tn_file_chain *up;
};

struct tn_parsed_file {
    const char *identity, *file;
    const tn_node *root;       /* NULL: wrong, and reported */
    size_t nodes;
    tn_parsed_file *next;
};

/* ---- who is who ---- */

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
    if (tn_context_in_memory(r->context) || stat(path, &status) < 0)
        return tn_arena_strdup(r->arena, path);
    snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    return tn_arena_strdup(r->arena, text);
}

static const tn_file_chain *make_chain(tn_reader *r, const char *file, const tn_file_chain *up)
{
    tn_file_chain *chain = tn_arena_alloc(r->arena, 1, sizeof *chain);
    const char *identity = identify(r, file);
    if (chain == NULL || identity == NULL)
        return NULL;
    *chain = (tn_file_chain){ identity, file, up != NULL ? up->depth + 1 : 0, up };
    return chain;
}

/* Writes "a.yaml -> b.yaml -> a.yaml"; back_to NULL: all, and not back to the first. */
static void chain_text(const tn_file_chain *from, const char *back_to, char *buffer, size_t size)
{
    const tn_file_chain *links[FILE_DEPTH + 1];
    size_t count = 0, used = 0;
    for (const tn_file_chain *c = from; c != NULL && count <= FILE_DEPTH; c = c->up) {
        links[count++] = c;
        if (back_to != NULL && strcmp(c->identity, back_to) == 0)
            break;
    }
    const char *first = links[count - 1]->file;
    while (count > 0 && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%.80s -> ", links[--count]->file);
    if (used < size)
        snprintf(buffer + used, size - used, "%.80s", back_to != NULL ? first : "...");
}

static bool is_cycle(tn_reader *r, tn_span span, const tn_file_chain *next, const char *word)
{
    for (const tn_file_chain *c = next->up; c != NULL; c = c->up) {
        if (strcmp(c->identity, next->identity) != 0)
            continue;
        char text[500];
        chain_text(next->up, next->identity, text, sizeof text);
        tn_read_error(r, span, "cyclic %s: %s", word, text);
        return true;
    }
    return false;
}

static bool is_too_deep(tn_reader *r, tn_span span, const tn_file_chain *next)
{
    if (next->depth <= FILE_DEPTH && r->loaded_count < FILES_MAX)
        return false;
    tn_read_error(r, span, "too many includes: at most %d files, %d deep", FILES_MAX, FILE_DEPTH);
    return true;
}

/* ---- texts ---- */

static tn_parsed_file *find_parsed(const tn_reader *r, const char *identity)
{
    for (tn_parsed_file *p = *r->parsed; p != NULL; p = p->next)
        if (strcmp(p->identity, identity) == 0)
            return p;
    return NULL;
}

static int note_text(tn_reader *r, const char *file, const char *text, size_t size)
{
    const char *path = tn_path_absolute(r->arena, file);
    tn_origin_file noted = { path, text, size, tn_hash_bytes(TN_HASH_START, text, size) };
    return path != NULL ? tn_origin_add(r->origin, &noted) : TN_ERROR_MEMORY;
}

static int parse(tn_parsed_file **out, tn_reader *r, const tn_file_chain *here, const char *text, size_t size)
{
    tn_parsed_file *p = tn_arena_alloc(r->arena, 1, sizeof *p);
    size_t before = r->node_budget;
    TN_TRY(p != NULL ? note_text(r, here->file, text, size) : TN_ERROR_MEMORY);
    bool good = tn_read_ok(r, tn_yaml_parse(&p->root, r->arena, r->context, here->file, text, size, &r->node_budget));
    p->identity = here->identity;
    p->file = here->file;
    p->nodes = before - r->node_budget;
    p->next = *r->parsed;
    *r->parsed = p;
    *out = p;
    if (r->stop < 0)
        return r->stop;
    if (p->root == NULL || p->root->kind != TN_NODE_MAP) {
        tn_span start = { here->file, 1, 1 };
        if (good)
            tn_read_error(r, p->root != NULL ? p->root->span : start,
                          "a model file is a map that begins with 'tenon: 1'");
        p->root = NULL;
    }
    return r->stop;
}

static const tn_origin_file *find_given(const tn_reader *r, const char *path)
{
    const tn_origin_file *found = r->given != NULL ? tn_origin_find(r->given, path) : NULL;
    return found == NULL && r->also_given != NULL ? tn_origin_find(r->also_given, path) : found;
}

/* "subsystem 'front_left'": what is being read, for messages of others. NULL: nothing in particular. */
static const char *reading(const tn_reader *r, char buffer[TN_PATH_SIZE + 40])
{
    if (r->what == NULL || r->name == NULL)
        return r->what;
    snprintf(buffer, TN_PATH_SIZE + 40, "%.36s '%s'", r->what, r->name);
    return buffer;
}

/* From the texts given, or from disk. *out stays NULL when there is no such file. */
static int parse_file(tn_parsed_file **out, tn_reader *r, tn_span span, const tn_file_chain *here)
{
    char *text = NULL, who[TN_PATH_SIZE + 40];
    size_t size = 0;
    const char *path = tn_path_absolute(r->arena, here->file);
    if (path == NULL)
        return TN_ERROR_MEMORY;
    const tn_origin_file *given = find_given(r, path);
    if (given != NULL && given->text != NULL)
        return parse(out, r, here, given->text, given->size);
    if (!tn_read_ok(r, tn_file_read(&text, &size, r->context, here->file, span, reading(r, who), TN_FILE_LIMIT)))
        return r->stop;
    int code = parse(out, r, here, text, size);
    tn_free(r->context, text);
    return code;
}

static int get_file(tn_parsed_file **out, tn_reader *r, tn_span span, const tn_file_chain *here)
{
    *out = find_parsed(r, here->identity);
    if (*out == NULL)
        return parse_file(out, r, span, here);
    if (r->node_budget < (*out)->nodes) {
        tn_read_error(r, span, "the model is too large");
        return r->stop = TN_ERROR_MODEL;
    }
    r->node_budget -= (*out)->nodes;
    return TN_OK;
}

bool tn_read_note_file(tn_reader *r, const char *path, tn_span span)
{
    if (r->origin == NULL)
        return true;
    char who[TN_PATH_SIZE + 40];
    const char *absolute = tn_path_absolute(r->arena, path);
    tn_origin_file file = { .path = absolute };
    if (!tn_read_ok(r, absolute == NULL ? TN_ERROR_MEMORY : TN_OK) ||
        !tn_read_ok(r, tn_file_identify(&file.size, &file.hash, r->context, path, span, reading(r, who))))
        return false;
    const tn_origin_file *given = find_given(r, absolute);
    if (given != NULL && (given->size != file.size || given->hash != file.hash)) {
        tn_read_error(r, span, "'%s' is not the file it was", path);
        return false;
    }
    return tn_read_ok(r, tn_origin_add(r->origin, &file));
}

/* ---- documents ---- */

static int load_reader_files(tn_reader *r, const tn_file_chain *here, const tn_parsed_file *file, bool main);

static int load_include(tn_reader *r, const tn_node *node, const char *folder, const tn_file_chain *here)
{
    const char *given = tn_read_text(r, node, "include");
    if (given == NULL)
        return TN_OK;
    char *path = tn_path_join(r->model->arena, folder, given);
    const tn_file_chain *next = path != NULL ? make_chain(r, path, here) : NULL;
    if (next == NULL)
        return TN_ERROR_MEMORY;
    if (is_cycle(r, node->span, next, "include") || is_loaded(r, next->identity) || is_too_deep(r, node->span, next))
        return TN_OK;
    tn_parsed_file *file;
    TN_TRY(get_file(&file, r, node->span, next));
    return load_reader_files(r, next, file, false);
}

static void check_version(tn_reader *r, const tn_node *root, const tn_node *const *values, bool main)
{
    if (values[TOP_TENON] == NULL && main)
        tn_read_error(r, root->span, "'tenon: 1' is missing: it says which version of the format this is");
    tn_read_choice(r, values[TOP_TENON], &tn_section_top.keys[TOP_TENON], 0);
}

/* Loads what a file includes, and adds it to the documents. Negative ends reading. */
static int load_reader_files(tn_reader *r, const tn_file_chain *here, const tn_parsed_file *file, bool main)
{
    TN_TRY(remember(r, here->identity));
    if (file == NULL || file->root == NULL) {
        r->incomplete = true;
        return r->stop;
    }
    tn_document document = { .chain = here, .folder = main && here->up == NULL ? r->folder
                                                                             : tn_path_folder(r->arena, here->file) };
    if (document.folder == NULL)
        return TN_ERROR_MEMORY;
    tn_read_keys(r, file->root, &tn_section_top, document.values, NULL, 0, NULL);
    check_version(r, file->root, document.values, main);
    size_t count;
    const tn_node *const *includes = tn_read_list(r, &document.values[TOP_INCLUDE], "include", &count);
    for (size_t i = 0; i < count && r->stop == TN_OK; i++)
        TN_TRY(load_include(r, includes[i], document.folder, here));
    TN_TRY(tn_grow(r->context, &r->documents, &r->document_capacity, r->document_count + 1, sizeof *r->documents));
    r->documents[r->document_count++] = document;
    return r->stop;
}

int tn_load_main(tn_reader *r, const char *text, size_t size)
{
    const tn_file_chain *here = make_chain(r, r->file, NULL);
    tn_parsed_file *file = NULL;
    if (here == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(parse(&file, r, here, text, size));
    return load_reader_files(r, here, file, true);
}

const tn_file_chain *tn_load_follow(tn_reader *r, const tn_node *use, const char *path)
{
    const tn_file_chain *next = make_chain(r, path, r->chain);
    if (next == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return NULL;
    }
    bool good = !is_cycle(r, use->span, next, "use of subsystems");
    if (good && next->depth > FILE_DEPTH) {
        char text[500];
        chain_text(next->up, NULL, text, sizeof text);
        tn_read_error(r, use->span, "subsystems are nested more than %d deep: %s", FILE_DEPTH, text);
        good = false;
    }
    return good ? next : NULL;
}

int tn_load_used(tn_reader *r, tn_span span, const tn_file_chain *here)
{
    tn_parsed_file *file = NULL;
    TN_TRY(get_file(&file, r, span, here));
    if (r->node_budget < SUBSYSTEM_NODES) {
        tn_read_error(r, span, "the model is too large");
        return r->stop = TN_ERROR_MODEL;
    }
    r->node_budget -= SUBSYSTEM_NODES;
    return load_reader_files(r, here, file, true);
}

/* ---- files of events ---- */

static int note_later(tn_reader *r, const tn_node *node, const char *folder, const tn_file_chain *here);

/* Files that a map of sections includes or uses, seen from the folder. */
static int note_sections(tn_reader *r, const tn_node *sections, const char *folder, const tn_file_chain *here)
{
    const tn_node *include = tn_node_get(sections, "include"), *subsystems = tn_node_get(sections, "subsystems");
    size_t count = include == NULL ? 0 : include->kind == TN_NODE_LIST ? include->count : 1;
    for (size_t i = 0; i < count; i++)
        TN_TRY(note_later(r, include->kind == TN_NODE_LIST ? include->as.items[i] : include, folder, here));
    for (unsigned i = 0; subsystems != NULL && subsystems->kind == TN_NODE_MAP && i < subsystems->count; i++)
        TN_TRY(note_later(r, tn_node_get(subsystems->as.items[2 * i + 1], "use"), folder, here));
    return TN_OK;
}

static int note_later(tn_reader *r, const tn_node *node, const char *folder, const tn_file_chain *here)
{
    if (node == NULL || node->kind != TN_NODE_TEXT || tn_node_empty(node))
        return TN_OK;
    char *path = tn_path_join(r->model->arena, folder, node->as.text);
    const tn_file_chain *next = path != NULL ? make_chain(r, path, here) : NULL;
    const char *inner = next != NULL ? tn_path_folder(r->arena, path) : NULL;
    tn_parsed_file *file = NULL;
    if (inner == NULL)
        return TN_ERROR_MEMORY;
    if (find_parsed(r, next->identity) != NULL || next->depth > FILE_DEPTH)
        return TN_OK;
    TN_TRY(get_file(&file, r, node->span, next));
    return file != NULL && file->root != NULL ? note_sections(r, file->root, inner, next) : r->stop;
}

void tn_load_for_variant(tn_reader *r, const tn_node *use)
{
    if (use == NULL || use->kind != TN_NODE_TEXT || tn_read_is_library(use->as.text) || tn_read_is_fmu(use->as.text))
        return;
    int code = note_later(r, use, r->folder, r->chain);
    r->stop = code < 0 ? code : r->stop;
}

void tn_load_for_action(tn_reader *r, const tn_node *action)
{
    static const int keys[] = { COMMAND_ADD, COMMAND_REPLACE };
    for (size_t k = 0; k < TN_LENGTH(keys) && r->stop == TN_OK; k++) {
        int code = note_sections(r, tn_node_get(action, tn_section_command.keys[keys[k]].name), r->origin->folder, NULL);
        r->stop = code < 0 ? code : r->stop;
    }
}
