/* Model texts in normal form: the keys in the order of the key tables, the rest as source_write.c lays it out. Before
 * the result is handed out it is read again and must mean the same and have the same comments. */
#include "format.h"
#include "diag.h"
#include "file.h"
#include "keys.h"
#include "source_tree.h"
#include "tenon/model.h"
#include <string.h>

static bool is_map(const tn_node *node)
{
    return node->kind == TN_NODE_MAP && tn_node_written(node)->alias == NULL;
}

static const tn_key *find_key(const tn_section *section, const tn_node *key)
{
    bool alias = tn_node_written(key)->alias != NULL;
    for (int i = 0; !alias && i < TN_MAX_KEYS && section->keys[i].name != NULL; i++)
        if (strcmp(section->keys[i].name, key->as.text) == 0)
            return &section->keys[i];
    return NULL;
}

static bool has_reference(const tn_node *node)
{
    const tn_written *written = tn_node_written(node);
    if (written->alias != NULL || written->anchor != NULL)
        return true;
    for (unsigned i = 0; node->kind != TN_NODE_TEXT && i < node->count; i++)
        if (has_reference(tn_node_head(node, i)) || has_reference(tn_node_value(node, i)))
            return true;
    return false;
}

/* Whether the entries with anchors and aliases keep their order. */
static bool keeps_references(const tn_node *const *before, const tn_node *const *after, unsigned count)
{
    unsigned next = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!has_reference(before[2 * i]) && !has_reference(before[2 * i + 1]))
            continue;
        while (!has_reference(after[2 * next]) && !has_reference(after[2 * next + 1]))
            next++;
        if (after[2 * next++ + 1] != before[2 * i + 1])
            return false;
    }
    return true;
}

/* Sorts by the section's table, other keys last; equal keys keep their order. An alias must not come before its anchor:
 * a map in which it could keeps its order. */
static int sort_entries(const tn_source *source, tn_node *map, const tn_section *section)
{
    const tn_node **sorted = tn_arena_alloc(source->arena, 2 * (size_t)map->count, sizeof *sorted);
    if (sorted == NULL)
        return TN_ERROR_MEMORY;
    unsigned count = 0;
    for (int rank = 0; rank <= TN_MAX_KEYS; rank++) {
        const tn_key *wanted = rank < TN_MAX_KEYS && section->keys[rank].name != NULL ? &section->keys[rank] : NULL;
        if (wanted == NULL && rank < TN_MAX_KEYS)
            continue;
        for (unsigned i = 0; i < map->count; i++)
            if (find_key(section, map->as.items[2 * i]) == wanted)
                memcpy(sorted + 2 * count++, map->as.items + 2 * i, 2 * sizeof *sorted);
    }
    if (source->references == 0 || keeps_references(map->as.items, sorted, map->count))
        map->as.items = sorted;
    return TN_OK;
}

static int arrange_each(const tn_source *source, const tn_node *node, const tn_section *section)
{
    for (unsigned i = 0; i < node->count; i++)
        TN_TRY(tn_format_arrange(source, tn_node_value(node, i), section));
    return TN_OK;
}

int tn_format_arrange(const tn_source *source, tn_node *node, const tn_section *section)
{
    if (!is_map(node))
        return TN_OK;
    TN_TRY(sort_entries(source, node, section));
    for (unsigned i = 0; i < node->count; i++) {
        const tn_key *key = find_key(section, tn_node_head(node, i));
        tn_node *value = tn_node_value(node, i);
        if (key == NULL || key->section == NULL || tn_node_written(value)->alias != NULL)
            continue;
        if (key->kind == TN_VALUE_SECTION)
            TN_TRY(tn_format_arrange(source, value, key->section));
        else if (value->kind == (key->kind == TN_VALUE_NAMED ? TN_NODE_MAP : TN_NODE_LIST))
            TN_TRY(arrange_each(source, value, key->section));
    }
    return TN_OK;
}

void tn_format_spread(tn_node *root)
{
    root->spread = true;
    for (unsigned i = 0; i < root->count; i++) {
        const tn_key *key = find_key(&tn_section_top, tn_node_head(root, i));
        tn_node *value = tn_node_value(root, i);
        if (key != NULL && key->kind == TN_VALUE_NAMED && !key->section->open && is_map(value))
            value->spread = value->count > 0;
    }
}

static int format_source(char **out, tn_source *source, const char *name)
{
    tn_context *context = source->context;
    TN_TRY(tn_format_arrange(source, source->root, &tn_section_top));
    tn_format_spread(source->root);
    TN_TRY(tn_source_write(out, source));
    if (strlen(*out) > TN_FILE_LIMIT)
        return tn_fail(context, TN_ERROR_FILE, ((tn_span){ name, 0, 0 }), "formatted, it would be larger than 64 MiB");
    return tn_format_verify(context, name, source->text, source->size, *out);
}

static int format_text(char **out, tn_context *context, tn_arena *arena, const char *text, size_t size,
                       const char *name)
{
    const tn_span begin = { name, 1, 1 };
    size_t budget = TN_YAML_NODES;
    tn_source source;
    TN_TRY(tn_source_parse(&source, arena, context, begin, text, size, &budget));
    if (source.root == NULL || source.root->kind != TN_NODE_MAP)
        return tn_fail(context, TN_ERROR_MODEL, source.root != NULL ? source.root->span : begin,
                       "a model file is a map that begins with 'tenon: 1'");
    return format_source(out, &source, name);
}

int tn_format_text(char **out, tn_context *context, const char *text, size_t size, const char *name)
{
    *out = NULL;
    if (size > TN_FILE_LIMIT)
        return tn_fail(context, TN_ERROR_FILE, ((tn_span){ name, 0, 0 }), "the text is larger than 64 MiB");
    tn_arena *arena = tn_arena_create(context);
    if (arena == NULL)
        return TN_ERROR_MEMORY;
    int code = format_text(out, context, arena, text, size, name);
    tn_arena_destroy(arena);
    if (code < 0) {
        tn_free(context, *out);
        *out = NULL;
    }
    return code;
}
