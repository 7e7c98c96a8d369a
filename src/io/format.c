/* Model texts in normal form: the keys in the order of the key tables, the rest as source_write.c lays it out. Before
 * the result is handed out it is read again and must mean the same and have the same comments. */
#include "format.h"
#include "diag.h"
#include "file.h"
#include "keys.h"
#include "source_tree.h"
#include "tenon/model.h"
#include <string.h>

static const tn_key *find_key(const tn_section *section, const tn_source_node *key)
{
    for (int i = 0; key->kind == TN_SOURCE_TEXT && i < TN_MAX_KEYS && section->keys[i].name != NULL; i++)
        if (strcmp(section->keys[i].name, key->text) == 0)
            return &section->keys[i];
    return NULL;
}

static bool has_reference(const tn_source_node *node)
{
    if (node->kind == TN_SOURCE_ALIAS || node->anchor != NULL)
        return true;
    for (unsigned i = 0; i < node->count; i++)
        if ((node->entries[i].key != NULL && has_reference(node->entries[i].key)) ||
            has_reference(node->entries[i].value))
            return true;
    return false;
}

/* Do the entries with anchors and aliases follow each other as before? */
static bool keeps_references(const tn_source_entry *before, const tn_source_entry *after, unsigned count)
{
    unsigned next = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!has_reference(before[i].key) && !has_reference(before[i].value))
            continue;
        while (!has_reference(after[next].key) && !has_reference(after[next].value))
            next++;
        if (after[next++].value != before[i].value)
            return false;
    }
    return true;
}

/* Sorts by the section's table, other keys last; equal keys keep their order. An alias must not come before its anchor:
 * a map in which it could keeps its order. */
static int sort_entries(const tn_source *source, tn_source_node *map, const tn_section *section)
{
    tn_source_entry *sorted = tn_arena_alloc(source->arena, map->count, sizeof *sorted);
    if (sorted == NULL)
        return TN_ERROR_MEMORY;
    unsigned count = 0;
    for (int rank = 0; rank <= TN_MAX_KEYS; rank++) {
        const tn_key *wanted = rank < TN_MAX_KEYS && section->keys[rank].name != NULL ? &section->keys[rank] : NULL;
        if (wanted == NULL && rank < TN_MAX_KEYS)
            continue;
        for (unsigned i = 0; i < map->count; i++)
            if (find_key(section, map->entries[i].key) == wanted)
                sorted[count++] = map->entries[i];
    }
    if (source->references == 0 || keeps_references(map->entries, sorted, map->count))
        map->entries = sorted;
    return TN_OK;
}

static int arrange_each(const tn_source *source, tn_source_node *node, const tn_section *section)
{
    for (unsigned i = 0; i < node->count; i++)
        TN_TRY(tn_format_arrange(source, node->entries[i].value, section));
    return TN_OK;
}

int tn_format_arrange(const tn_source *source, tn_source_node *node, const tn_section *section)
{
    if (node->kind != TN_SOURCE_MAP)
        return TN_OK;
    TN_TRY(sort_entries(source, node, section));
    for (unsigned i = 0; i < node->count; i++) {
        const tn_key *key = find_key(section, node->entries[i].key);
        tn_source_node *value = node->entries[i].value;
        if (key == NULL || key->section == NULL)
            continue;
        if (key->kind == TN_VALUE_SECTION)
            TN_TRY(tn_format_arrange(source, value, key->section));
        else if (value->kind == (key->kind == TN_VALUE_NAMED ? TN_SOURCE_MAP : TN_SOURCE_LIST))
            TN_TRY(arrange_each(source, value, key->section));
    }
    return TN_OK;
}

void tn_format_spread(tn_source_node *root)
{
    root->spread = true;
    for (unsigned i = 0; i < root->count; i++) {
        const tn_key *key = find_key(&tn_section_top, root->entries[i].key);
        tn_source_node *value = root->entries[i].value;
        if (key != NULL && key->kind == TN_VALUE_NAMED && !key->section->open && value->kind == TN_SOURCE_MAP)
            value->spread = value->count > 0;
    }
}

/* text[size] is 0; root is what the text means. */
static int format_checked(char **out, tn_context *context, const char *text, size_t size, const char *name,
                          const tn_node *root)
{
    tn_arena *arena = tn_arena_create(context);
    if (arena == NULL)
        return TN_ERROR_MEMORY;
    tn_source source;
    int code = tn_source_parse(&source, arena, context, name, text, size);
    if (code >= 0)
        code = tn_format_arrange(&source, source.root, &tn_section_top);
    if (code >= 0) {
        tn_format_spread(source.root);
        code = tn_source_write(out, &source);
    }
    tn_arena_destroy(arena);
    if (code >= 0 && strlen(*out) > TN_FILE_LIMIT)
        code = tn_fail(context, TN_ERROR_FILE, ((tn_span){ name, 0, 0 }), "formatted, it would be larger than 64 MiB");
    return code < 0 ? code : tn_format_verify(context, name, root, text, size, *out);
}

static int format_copy(char **out, tn_context *context, tn_arena *arena, const char *text, size_t size,
                       const char *name)
{
    const tn_span begin = { name, 1, 1 };
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return tn_fail(context, TN_ERROR_MODEL, begin, "this is UTF-16; only UTF-8 can be formatted");
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const tn_node *root;
    size_t budget = TN_YAML_NODES;
    char *copy = tn_arena_strndup(arena, text + mark, size - mark);
    if (copy == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_yaml_parse(&root, arena, context, name, copy, size - mark, &budget));
    if (root == NULL || root->kind != TN_NODE_MAP)
        return tn_fail(context, TN_ERROR_MODEL, root != NULL ? root->span : begin,
                       "a model file is a map that begins with 'tenon: 1'");
    return format_checked(out, context, copy, size - mark, name, root);
}

int tn_format_text(char **out, tn_context *context, const char *text, size_t size, const char *name)
{
    *out = NULL;
    if (size > TN_FILE_LIMIT)
        return tn_fail(context, TN_ERROR_FILE, ((tn_span){ name, 0, 0 }), "the text is larger than 64 MiB");
    tn_arena *arena = tn_arena_create(context);
    if (arena == NULL)
        return TN_ERROR_MEMORY;
    int code = format_copy(out, context, arena, text, size, name);
    tn_arena_destroy(arena);
    if (code < 0) {
        tn_free(context, *out);
        *out = NULL;
    }
    return code;
}
