/* Changes of a source tree. */
#include "source_edit.h"
#include "diag.h"
#include <string.h>

/* ---- looking ---- */

int tn_source_find(const tn_node *map, const char *key)
{
    for (unsigned i = 0; map != NULL && map->kind == TN_NODE_MAP && i < map->count; i++)
        if (strcmp(map->as.items[2 * i]->as.text, key) == 0)
            return (int)i;
    return -1;
}

tn_node *tn_source_get(const tn_node *map, const char *key)
{
    return (tn_node *)tn_node_get(map, key);
}

const char *tn_source_get_text(const tn_node *map, const char *key)
{
    const tn_node *node = tn_source_get(map, key);
    return node != NULL && node->kind == TN_NODE_TEXT ? node->as.text : NULL;
}

/* ---- making ---- */

static tn_node *make_source_edit(const tn_source *source, tn_node_kind kind, tn_node_style style)
{
    tn_node *node = tn_arena_alloc(source->arena, 1, sizeof *node);
    if (node != NULL)
        *node = (tn_node){ .kind = (unsigned char)kind, .style = (unsigned char)style };
    return node;
}

tn_node *tn_source_make_text(const tn_source *source, const char *text)
{
    tn_node *node = make_source_edit(source, TN_NODE_TEXT, TN_STYLE_PLAIN);
    if (node == NULL || (node->as.text = tn_arena_strdup(source->arena, text)) == NULL)
        return NULL;
    return node;
}

tn_node *tn_source_make_map(const tn_source *source, bool flow)
{
    return make_source_edit(source, TN_NODE_MAP, flow ? TN_STYLE_FLOW : TN_STYLE_BLOCK);
}

tn_node *tn_source_make_list(const tn_source *source)
{
    return make_source_edit(source, TN_NODE_LIST, TN_STYLE_FLOW);
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

/* Without anchor and alias, which belong to the other source. */
static bool copy_written(const tn_source *source, tn_node *copy)
{
    tn_written *written = NULL;
    if (copy->written == NULL)
        return true;
    written = tn_arena_alloc(source->arena, 1, sizeof *written);
    if (written == NULL)
        return false;
    *written = *copy->written;
    written->anchor = written->alias = NULL;
    copy->written = written;
    return own(source, &written->spelling) && own(source, &written->tag) && own(source, &written->beside) &&
           copy_comments(source, &written->above) && copy_comments(source, &written->below);
}

tn_node *tn_source_copy(const tn_source *source, const tn_node *node)
{
    tn_node *copy = make_source_edit(source, TN_NODE_TEXT, TN_STYLE_PLAIN);
    if (copy == NULL)
        return NULL;
    *copy = *node;
    if (!copy_written(source, copy))
        return NULL;
    if (node->kind == TN_NODE_TEXT)
        return own(source, &copy->as.text) ? copy : NULL;
    size_t count = node->count * (node->kind == TN_NODE_MAP ? 2u : 1u);
    const tn_node **items = tn_arena_alloc(source->arena, count, sizeof *items);
    for (size_t i = 0; items != NULL && i < count; i++)
        if ((items[i] = tn_source_copy(source, node->as.items[i])) == NULL)
            return NULL;
    copy->as.items = items;
    return items != NULL ? copy : NULL;
}

/* ---- changing ---- */

bool tn_source_insert(const tn_source *source, tn_node *node, unsigned index, tn_node *key, tn_node *value)
{
    size_t width = node->kind == TN_NODE_MAP ? 2 : 1, count = width * node->count;
    const tn_node **items = tn_arena_alloc(source->arena, count + width, sizeof *items);
    size_t at = width * (index < node->count ? index : node->count);
    if (items == NULL || value == NULL || (width == 2 && key == NULL))
        return false;
    if (at > 0)
        memcpy(items, node->as.items, at * sizeof *items);
    items[at] = key;
    items[at + width - 1] = value;
    if (at < count)
        memcpy(items + at + width, node->as.items + at, (count - at) * sizeof *items);
    node->as.items = items;
    node->count++;
    return true;
}

bool tn_source_append(const tn_source *source, tn_node *list, tn_node *value)
{
    return tn_source_insert(source, list, list->count, NULL, value);
}

bool tn_source_put_at(const tn_source *source, tn_node *node, unsigned index, tn_node *value)
{
    bool map = node->kind == TN_NODE_MAP;
    tn_node **place = (tn_node **)&node->as.items[map ? 2 * index + 1 : index];
    const tn_written *old = tn_node_written(*place);
    if (value == NULL)
        return false;
    if (!map && (old->above != NULL || old->beside != NULL || old->blank_above)) {
        tn_written *written = tn_node_write(source->arena, value);
        if (written == NULL)
            return false;
        written->above = old->above;
        written->beside = old->beside;
        written->blank_above = old->blank_above;
    }
    *place = value;
    return true;
}

bool tn_source_put(const tn_source *source, tn_node *map, const char *key, tn_node *value)
{
    int index = tn_source_find(map, key);
    if (index >= 0)
        return tn_source_put_at(source, map, (unsigned)index, value);
    return tn_source_insert(source, map, map->count, tn_source_make_text(source, key), value);
}

bool tn_source_put_text(const tn_source *source, tn_node *map, const char *key, const char *text)
{
    return tn_source_put(source, map, key, tn_source_make_text(source, text));
}

void tn_source_drop(tn_node *node, unsigned index)
{
    size_t width = node->kind == TN_NODE_MAP ? 2 : 1;
    const tn_node **items = (const tn_node **)node->as.items;
    memmove(items + width * index, items + width * (index + 1), width * (node->count - index - 1) * sizeof *items);
    node->count--;
}

void tn_source_drop_key(tn_node *map, const char *key)
{
    int index = tn_source_find(map, key);
    if (index >= 0)
        tn_source_drop(map, (unsigned)index);
}

/* ---- opening ---- */

/* Aliases become copies of what they stand for; anchors go. */
static bool write_out(const tn_source *source, tn_node **node)
{
    tn_written *written = (*node)->written;
    if (written != NULL && written->alias != NULL)
        return (*node = tn_source_copy(source, *node)) != NULL;
    if (written != NULL)
        written->anchor = NULL;
    size_t count = (*node)->kind == TN_NODE_TEXT ? 0 : (*node)->count * ((*node)->kind == TN_NODE_MAP ? 2u : 1u);
    for (size_t i = 0; i < count; i++)
        if (!write_out(source, (tn_node **)&(*node)->as.items[i]))
            return false;
    return true;
}

int tn_source_open(tn_source *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                   size_t size)
{
    size_t budget = TN_YAML_NODES;
    const tn_span begin = { file, 1, 1 };
    TN_TRY(tn_source_parse(out, arena, context, begin, text, size, &budget));
    if (out->root == NULL || out->root->kind != TN_NODE_MAP)
        return tn_fail(context, TN_ERROR_MODEL, begin, "this must be a map");
    if (out->references > 0 && !write_out(out, &out->root))
        return TN_ERROR_MEMORY;
    out->references = 0;
    return TN_OK;
}
