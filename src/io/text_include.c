/* Included files become part of the text that includes them. */
#include "text_include.h"

#include <string.h>
#include "file.h"

/* A text into which others are merged. */
typedef struct merger {
    tn_source *source;
    const tn_origin *origin;
    const char **included;         /* paths of files so far */
    size_t count, capacity;
} merger;

static bool is_included(const merger *m, const char *path)
{
    for (size_t k = 0; k < m->count; k++)
        if (strcmp(m->included[k], path) == 0)
            return true;
    return false;
}

/* Files named in an included text are relative to it; in the whole they are named from the root. */
static bool move_paths(const merger *m, tn_node *node, const char *folder)
{
    for (unsigned i = 0; node->kind != TN_NODE_TEXT && i < node->count; i++) {
        const char *key = node->kind == TN_NODE_MAP ? node->as.items[2 * i]->as.text : "";
        tn_node *value = tn_node_value(node, i);
        bool is_path = value->kind == TN_NODE_TEXT && (strcmp(key, "file") == 0 || strcmp(key, "use") == 0);
        char *path = is_path ? tn_path_join(m->source->arena, folder, value->as.text) : NULL;
        if (is_path ? path == NULL ||
                          !tn_source_put_at(m->source, node, i, tn_source_make_text(m->source, path))
                    : !move_paths(m, value, folder))
            return false;
    }
    return true;
}

/* Included files are read first; the including file overrides their values. */
static bool merge_section(const tn_source *source, tn_node *into, const tn_node *from)
{
    unsigned at = 0;
    bool both = into->kind == from->kind && into->kind != TN_NODE_TEXT;
    for (unsigned i = 0; both && i < from->count; i++) {
        const tn_source_entry e = tn_source_at(from, i);
        if (e.key != NULL && tn_source_find(into, e.key->as.text) >= 0)
            continue;
        if (!tn_source_insert(source, into, at++, e.key, e.value))
            return false;
    }
    return true;
}

static bool merge_file(merger *m, const tn_node *file, const char *folder)
{
    for (unsigned i = 0; i < file->count; i++) {
        tn_node *value = tn_node_value(file, i);
        const char *key = file->as.items[2 * i]->as.text;
        tn_node *there = tn_source_get(m->source->root, key);
        if (strcmp(key, "include") == 0 || strcmp(key, "tenon") == 0)
            continue;
        if (strcmp(key, "events") != 0 && !move_paths(m, value, folder))
            return false;
        bool vector = strcmp(key, "gravity") == 0;
        if (there == NULL ? !tn_source_insert(m->source, m->source->root, UINT32_MAX, tn_node_head(file, i), value)
                          : !vector && !merge_section(m->source, there, value))
            return false;
    }
    return true;
}

static int include_all(merger *m, const tn_node *root, const char *folder);

/* Later files first, since each is put before what is there. */
static int include_one(merger *m, const char *folder, const char *given)
{
    const char *path = tn_path_join(m->source->arena, folder, given);
    path = path != NULL ? tn_path_absolute(m->source->arena, path) : NULL;
    const char *own_folder = path != NULL ? tn_path_folder(m->source->arena, path) : NULL;
    const tn_origin_file *file = path != NULL ? tn_origin_find(m->origin, path) : NULL;
    tn_source source;
    if (own_folder == NULL)
        return TN_ERROR_MEMORY;
    if (file == NULL || file->text == NULL || is_included(m, file->path))
        return TN_OK;
    TN_TRY(tn_grow(m->origin->context, &m->included, &m->capacity, m->count + 1, sizeof *m->included));
    m->included[m->count++] = file->path;
    TN_TRY(tn_source_open(&source, m->source->arena, m->origin->context, file->path, file->text, file->size));
    if (!merge_file(m, source.root, own_folder))
        return TN_ERROR_MEMORY;
    return include_all(m, source.root, own_folder);
}

static int include_all(merger *m, const tn_node *root, const char *folder)
{
    const tn_node *list = tn_source_get(root, "include");
    if (list == NULL)
        return TN_OK;
    if (list->kind == TN_NODE_TEXT)
        return include_one(m, folder, list->as.text);
    for (unsigned i = list->count; i > 0; i--)
        TN_TRY(include_one(m, folder, list->as.items[i - 1]->as.text));
    return TN_OK;
}

int tn_text_include(tn_source *source, const tn_origin *origin)
{
    merger m = { .source = source, .origin = origin };
    int code = include_all(&m, source->root, origin->folder);
    tn_free(origin->context, m.included);
    tn_source_drop_key(source->root, "include");
    return code;
}
