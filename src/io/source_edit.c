#include "source_edit.h"

#include "diag.h"
#include "yaml_tree.h"
#include <string.h>

/* ---- looking ---- */

tn_source_entry *tn_source_find(const tn_source_node *map, const char *key)
{
    for (unsigned i = 0; map != NULL && map->kind == TN_SOURCE_MAP && i < map->count; i++)
        if (map->entries[i].key->kind == TN_SOURCE_TEXT && strcmp(map->entries[i].key->text, key) == 0)
            return &map->entries[i];
    return NULL;
}

tn_source_node *tn_source_get(const tn_source_node *map, const char *key)
{
    const tn_source_entry *entry = tn_source_find(map, key);
    return entry != NULL ? entry->value : NULL;
}

const char *tn_source_get_text(const tn_source_node *map, const char *key)
{
    const tn_source_node *node = tn_source_get(map, key);
    return node != NULL && node->kind == TN_SOURCE_TEXT ? node->text : NULL;
}

/* ---- making ---- */

static tn_source_node *make_source_edit(const tn_source *source, tn_source_kind kind, tn_source_style style)
{
    tn_source_node *node = tn_arena_alloc(source->arena, 1, sizeof *node);
    if (node != NULL)
        *node = (tn_source_node){ .kind = (unsigned char)kind, .style = (unsigned char)style };
    return node;
}

tn_source_node *tn_source_make_text(const tn_source *source, const char *text)
{
    tn_source_node *node = make_source_edit(source, TN_SOURCE_TEXT, TN_STYLE_PLAIN);
    if (node == NULL || (node->text = tn_arena_strdup(source->arena, text)) == NULL)
        return NULL;
    return node;
}

tn_source_node *tn_source_make_map(const tn_source *source, bool flow)
{
    return make_source_edit(source, TN_SOURCE_MAP, flow ? TN_STYLE_FLOW : TN_STYLE_BLOCK);
}

tn_source_node *tn_source_make_list(const tn_source *source)
{
    return make_source_edit(source, TN_SOURCE_LIST, TN_STYLE_FLOW);
}

static bool own(const tn_source *source, const char **text)
{
    return *text == NULL || (*text = tn_arena_strdup(source->arena, *text)) != NULL;
}

static bool copy_comments(const tn_source *source, tn_comment **list)
{
    for (tn_comment **at = list; *at != NULL; at = &(*at)->next) {
        tn_comment *copy = tn_arena_alloc(source->arena, 1, sizeof *copy);
        if (copy == NULL)
            return false;
        *copy = **at;
        *at = copy;
        if (!own(source, &copy->text))
            return false;
    }
    return true;
}

static bool copy_entry(const tn_source *source, tn_source_entry *to, const tn_source_entry *from)
{
    *to = *from;
    to->key = from->key != NULL ? tn_source_copy(source, from->key) : NULL;
    to->value = tn_source_copy(source, from->value);
    return (from->key == NULL || to->key != NULL) && to->value != NULL && copy_comments(source, &to->above) &&
           own(source, &to->beside);
}

tn_source_node *tn_source_copy(const tn_source *source, const tn_source_node *node)
{
    tn_source_node *copy = make_source_edit(source, TN_SOURCE_TEXT, TN_STYLE_PLAIN);
    if (copy == NULL)
        return NULL;
    *copy = *node;
    copy->entries = tn_arena_alloc(source->arena, node->count, sizeof *copy->entries);
    if (copy->entries == NULL || !own(source, &copy->text) || !own(source, &copy->spelling) ||
        !own(source, &copy->anchor) || !own(source, &copy->tag) || !copy_comments(source, &copy->below))
        return NULL;
    for (unsigned i = 0; i < node->count; i++)
        if (!copy_entry(source, &copy->entries[i], &node->entries[i]))
            return NULL;
    return copy;
}

/* ---- changing ---- */

bool tn_source_insert(const tn_source *source, tn_source_node *node, unsigned index, const tn_source_entry *entry)
{
    tn_source_entry *entries = tn_arena_alloc(source->arena, node->count + 1, sizeof *entries), copy;
    index = index < node->count ? index : node->count;
    if (entries == NULL || !copy_entry(source, &copy, entry))
        return false;
    if (index > 0)
        memcpy(entries, node->entries, index * sizeof *entries);
    entries[index] = copy;
    if (index < node->count)
        memcpy(entries + index + 1, node->entries + index, (node->count - index) * sizeof *entries);
    node->entries = entries;
    node->count++;
    return true;
}

bool tn_source_put(const tn_source *source, tn_source_node *map, const char *key, tn_source_node *value)
{
    tn_source_entry *there = tn_source_find(map, key);
    if (value == NULL)
        return false;
    if (there != NULL) {
        there->value = value;
        return true;
    }
    tn_source_node *name = tn_source_make_text(source, key);
    return name != NULL &&
           tn_source_insert(source, map, map->count, &(tn_source_entry){ .key = name, .value = value });
}

bool tn_source_put_text(const tn_source *source, tn_source_node *map, const char *key, const char *text)
{
    return tn_source_put(source, map, key, tn_source_make_text(source, text));
}

void tn_source_drop(tn_source_node *node, const tn_source_entry *entry)
{
    size_t index = (size_t)(entry - node->entries);
    memmove(node->entries + index, node->entries + index + 1, (node->count - index - 1) * sizeof *entry);
    node->count--;
}

void tn_source_drop_key(tn_source_node *map, const char *key)
{
    const tn_source_entry *entry = tn_source_find(map, key);
    if (entry != NULL)
        tn_source_drop(map, entry);
}

/* ---- opening ---- */

typedef struct anchors {
    const tn_source *source;
    tn_source_node **nodes;
    size_t count;
} anchors;

/* Aliases become copies of what they stand for, which comes before them; anchors go. */
static bool write_out(anchors *a, tn_source_node **node)
{
    if ((*node)->kind == TN_SOURCE_ALIAS) {
        size_t k = a->count;
        while (k > 0 && strcmp(a->nodes[k - 1]->anchor, (*node)->text) != 0)
            k--;
        *node = tn_source_copy(a->source, a->nodes[k - 1]);
        return *node != NULL;
    }
    for (unsigned i = 0; i < (*node)->count; i++) {
        tn_source_entry *e = &(*node)->entries[i];
        if ((e->key != NULL && !write_out(a, &e->key)) || !write_out(a, &e->value))
            return false;
    }
    if ((*node)->anchor != NULL)
        a->nodes[a->count++] = *node;
    return true;
}

static void forget_anchors(tn_source_node *node)
{
    node->anchor = NULL;
    for (unsigned i = 0; i < node->count; i++) {
        if (node->entries[i].key != NULL)
            forget_anchors(node->entries[i].key);
        forget_anchors(node->entries[i].value);
    }
}

static int write_out_aliases(tn_source *source)
{
    anchors a = { .source = source };
    if (source->references == 0)
        return TN_OK;
    a.nodes = tn_arena_alloc(source->arena, source->references, sizeof *a.nodes);
    if (a.nodes == NULL || !write_out(&a, &source->root))
        return TN_ERROR_MEMORY;
    forget_anchors(source->root);
    source->references = 0;
    return TN_OK;
}

int tn_source_open(tn_source *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                   size_t size)
{
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, budget = TN_YAML_NODES;
    const tn_node *root;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return tn_fail(context, TN_ERROR_MODEL, ((tn_span){ file, 1, 1 }), "this is UTF-16; only UTF-8 can be changed");
    char *copy = tn_arena_strndup(arena, text + mark, size - mark);
    if (copy == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_yaml_parse(&root, arena, context, file, copy, size - mark, &budget));
    if (root == NULL || root->kind != TN_NODE_MAP)
        return tn_fail(context, TN_ERROR_MODEL, ((tn_span){ file, 1, 1 }), "this must be a map");
    TN_TRY(tn_source_parse(out, arena, context, file, copy, size - mark));
    return write_out_aliases(out);
}
