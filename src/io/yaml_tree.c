#include "yaml_tree.h"
#include "diag.h"
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A collection that is being read: its children are on the parser's stack from first_child on. */
typedef struct level {
    tn_node *node;
    size_t first_child;
    size_t weight;             /* nodes below, aliases counted in full */
    int anchor;                /* -1: none */
} level;

typedef struct anchor {
    const char *name;
    const tn_node *node;
    size_t weight;             /* 0: still open, an alias now would be recursive */
} anchor;

typedef struct parser {
    tn_context *context;
    tn_arena *arena;
    tn_span place;             /* of the first character */
    size_t budget;
    size_t aliases;
    level levels[TN_YAML_DEPTH];
    int depth;
    const tn_node **children;
    size_t child_count, child_capacity;
    anchor *anchors;
    size_t anchor_count, anchor_capacity;
    const tn_node *root;
    bool duplicates;
} parser;

static tn_span span_of(const parser *p, yaml_mark_t mark)
{
    int column = (int)mark.column + (mark.line == 0 ? p->place.column : 1);
    return (tn_span){ p->place.file, (int)mark.line + p->place.line, column };
}

/* Takes weight nodes from what the file may still use. */
static int charge(parser *p, size_t weight, tn_span span)
{
    if (weight > p->budget)
        return tn_fail(p->context, TN_ERROR_MODEL, span,
                       "too many values: a model may have %d, aliases counted in full", TN_YAML_NODES);
    p->budget -= weight;
    return TN_OK;
}

static int add_child(parser *p, const tn_node *node, size_t weight)
{
    if (p->depth == 0) {
        p->root = node;
        return TN_OK;
    }
    level *parent = &p->levels[p->depth - 1];
    bool is_key = parent->node->kind == TN_NODE_MAP && (p->child_count - parent->first_child) % 2 == 0;
    if (is_key && node->kind != TN_NODE_TEXT)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "a key must be a text, not %s", tn_node_kind_text(node));
    parent->weight += weight;
    TN_TRY(tn_grow(p->context, &p->children, &p->child_capacity, p->child_count + 1, sizeof *p->children));
    p->children[p->child_count++] = node;
    return TN_OK;
}

static int make_node(parser *p, tn_node **out, tn_node_kind kind, const yaml_event_t *event)
{
    tn_span span = span_of(p, event->start_mark);
    TN_TRY(charge(p, 1, span));
    tn_node *node = tn_arena_alloc(p->arena, 1, sizeof *node);
    if (node == NULL)
        return TN_ERROR_MEMORY;
    node->span = span;
    node->kind = (unsigned char)kind;
    node->begin = (unsigned)event->start_mark.index;
    node->end = (unsigned)event->end_mark.index;
    *out = node;
    return TN_OK;
}

/* Remembers the node under its anchor's name; *index is -1 when it has none. */
static int add_anchor(parser *p, int *index, const yaml_char_t *name, const tn_node *node, size_t weight)
{
    *index = -1;
    if (name == NULL)
        return TN_OK;
    if (p->anchor_count == TN_YAML_ANCHORS)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "more than %d anchors", TN_YAML_ANCHORS);
    TN_TRY(tn_grow(p->context, &p->anchors, &p->anchor_capacity, p->anchor_count + 1, sizeof *p->anchors));
    char *copy = tn_arena_strdup(p->arena, (const char *)name);
    if (copy == NULL)
        return TN_ERROR_MEMORY;
    p->anchors[p->anchor_count] = (anchor){ copy, node, weight };
    *index = (int)p->anchor_count++;
    return TN_OK;
}

static int on_alias(parser *p, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    tn_span span = span_of(p, event->start_mark);
    if (++p->aliases > TN_YAML_ALIASES)
        return tn_fail(p->context, TN_ERROR_MODEL, span, "more than %d aliases", TN_YAML_ALIASES);
    for (size_t i = p->anchor_count; i-- > 0;) {           /* the latest of a name counts */
        const anchor *a = &p->anchors[i];
        if (strcmp(a->name, name) != 0)
            continue;
        if (a->weight == 0)
            return tn_fail(p->context, TN_ERROR_MODEL, span, "alias '*%s' is inside what it refers to", name);
        TN_TRY(charge(p, a->weight, span));
        return add_child(p, a->node, a->weight);
    }
    return tn_fail(p->context, TN_ERROR_MODEL, span, "alias '*%s' refers to nothing", name);
}

static int on_scalar(parser *p, const yaml_event_t *event)
{
    tn_node *node;
    int index;
    TN_TRY(make_node(p, &node, TN_NODE_TEXT, event));
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (strlen(text) != length)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "a text must not contain a NUL character");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->as.text = tn_arena_strndup(p->arena, text, length);
    if (node->as.text == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(add_anchor(p, &index, event->data.scalar.anchor, node, 1));
    return add_child(p, node, 1);
}

static int on_open(parser *p, const yaml_event_t *event, tn_node_kind kind, const yaml_char_t *anchor_name)
{
    tn_node *node;
    TN_TRY(make_node(p, &node, kind, event));
    if (p->depth == TN_YAML_DEPTH)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "nested deeper than %d levels", TN_YAML_DEPTH);
    level *l = &p->levels[p->depth];
    *l = (level){ .node = node, .first_child = p->child_count, .weight = 1 };
    TN_TRY(add_anchor(p, &l->anchor, anchor_name, node, 0));
    p->depth++;
    return TN_OK;
}

static int by_text_then_place(const void *a, const void *b)
{
    const tn_node *x = *(const tn_node *const *)a, *y = *(const tn_node *const *)b;
    int order = strcmp(x->as.text, y->as.text);
    if (order == 0)
        order = (x->span.line > y->span.line) - (x->span.line < y->span.line);
    return order != 0 ? order : (x->span.column > y->span.column) - (x->span.column < y->span.column);
}

/* Sorted, so that large maps cost n log n; all duplicates of the map are reported. */
static int check_duplicates(parser *p, const tn_node *map)
{
    const tn_node **keys = tn_alloc(p->context, map->count, sizeof *keys);
    if (keys == NULL)
        return TN_ERROR_MEMORY;
    for (unsigned i = 0; i < map->count; i++)
        keys[i] = map->as.items[2 * i];
    qsort(keys, map->count, sizeof *keys, by_text_then_place);
    for (unsigned i = 1; i < map->count; i++) {
        if (strcmp(keys[i]->as.text, keys[i - 1]->as.text) != 0)
            continue;
        tn_fail(p->context, TN_ERROR_MODEL, keys[i]->span, "duplicate key '%s', already given in line %d",
                keys[i]->as.text, keys[i - 1]->span.line);
        p->duplicates = true;
    }
    tn_free(p->context, keys);
    return TN_OK;
}

static int on_close(parser *p, const yaml_event_t *event)
{
    level *l = &p->levels[--p->depth];
    tn_node *node = l->node;
    node->end = (unsigned)event->end_mark.index;
    size_t count = p->child_count - l->first_child;
    const tn_node **items = tn_arena_alloc(p->arena, count, sizeof *items);
    if (items == NULL)
        return TN_ERROR_MEMORY;
    if (count > 0)
        memcpy(items, p->children + l->first_child, count * sizeof *items);
    p->child_count = l->first_child;
    node->as.items = items;
    node->count = (unsigned)(node->kind == TN_NODE_MAP ? count / 2 : count);
    if (l->anchor >= 0)
        p->anchors[l->anchor].weight = l->weight;
    if (node->kind == TN_NODE_MAP && node->count > 1)
        TN_TRY(check_duplicates(p, node));
    return add_child(p, node, l->weight);
}

static int on_event(parser *p, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return on_alias(p, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(p, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(p, event, TN_NODE_LIST, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return on_open(p, event, TN_NODE_MAP, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(p, event);
    case YAML_DOCUMENT_START_EVENT:
        if (p->root == NULL)
            return TN_OK;
        return tn_fail(p->context, TN_ERROR_MODEL, span_of(p, event->start_mark), "a file holds one document only");
    default:
        return TN_OK;
    }
}

static int report_problem(const parser *p, const yaml_parser_t *yaml)
{
    if (yaml->error == YAML_MEMORY_ERROR)
        return TN_ERROR_MEMORY;
    const char *problem = yaml->problem != NULL ? yaml->problem : "this is not YAML";
    const char *context = yaml->context != NULL ? yaml->context : "";
    yaml_mark_t mark = yaml->error == YAML_READER_ERROR ? yaml->mark : yaml->problem_mark;
    return tn_fail(p->context, TN_ERROR_MODEL, span_of(p, mark), "%s%s%s", context, context[0] ? ", " : "", problem);
}

static int read_events(parser *p, yaml_parser_t *yaml)
{
    int code = TN_OK;
    for (bool more = true; more && code >= 0;) {
        yaml_event_t event;
        if (!yaml_parser_parse(yaml, &event))
            return report_problem(p, yaml);
        more = event.type != YAML_STREAM_END_EVENT;
        int now = on_event(p, &event);
        yaml_event_delete(&event);
        code = now < 0 ? now : code;
    }
    return code;
}

int tn_yaml_parse_at(const tn_node **root, tn_arena *arena, tn_context *context, tn_span place, const char *text,
                     size_t size, size_t *budget)
{
    *root = NULL;
    yaml_parser_t yaml;
    if (!yaml_parser_initialize(&yaml))
        return TN_ERROR_MEMORY;
    yaml_parser_set_input_string(&yaml, (const unsigned char *)text, size);
    parser p = { .context = context, .arena = arena, .place = place, .budget = *budget };
    int code = read_events(&p, &yaml);
    yaml_parser_delete(&yaml);
    tn_free(context, p.children);
    tn_free(context, p.anchors);
    *budget = p.budget;
    if (code < 0)
        return code;
    *root = p.root;
    return p.duplicates ? TN_ERROR_MODEL : TN_OK;
}

int tn_yaml_parse(const tn_node **root, tn_arena *arena, tn_context *context, const char *file, const char *text,
                  size_t size, size_t *budget)
{
    return tn_yaml_parse_at(root, arena, context, (tn_span){ file, 1, 1 }, text, size, budget);
}

bool tn_node_empty(const tn_node *node)
{
    if (node->kind != TN_NODE_TEXT || node->quoted)
        return false;
    const char *text = node->as.text;
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

const char *tn_node_kind_text(const tn_node *node)
{
    static const char *const names[] = { "a text", "a list", "a map" };
    return names[node->kind];
}
