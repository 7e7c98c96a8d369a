/* YAML events into a tree of values, within limits. */
#include "yaml_parser.h"
#include "diag.h"
#include <stdlib.h>
#include <string.h>

typedef tn_yaml_parser parser;
typedef tn_yaml_level level;
typedef tn_yaml_anchor anchor;

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

bool tn_yaml_expects_key(const parser *p)
{
    return !p->key_open && p->depth > 0 && p->levels[p->depth - 1].node->kind == TN_NODE_MAP;
}

static int push_entry(parser *p)
{
    TN_TRY(tn_grow(p->context, &p->entries, &p->capacity, p->count + 1, sizeof *p->entries));
    tn_yaml_entry *entry = &p->entries[p->count++];
    bool flow = p->depth > 0 && p->levels[p->depth - 1].node->style == TN_STYLE_FLOW;
    *entry = (tn_yaml_entry){ .blank_above = p->out != NULL && !flow && tn_yaml_blank_above(p) };
    tn_yaml_take_pending(p, entry);
    return TN_OK;
}

/* Puts a node where it belongs: into the document, as a key, as a value or as an item. */
static int place_yaml_tree(parser *p, tn_node *node)
{
    bool is_value = p->key_open, is_key = tn_yaml_expects_key(p);
    if (is_key && node->kind != TN_NODE_TEXT)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "a key must be a text, not %s", tn_node_kind_text(node));
    if (!is_value)
        TN_TRY(push_entry(p));
    tn_yaml_entry *entry = &p->entries[p->count - 1];
    if (is_value && node->style != TN_STYLE_BLOCK)
        tn_yaml_take_pending(p, entry);
    if (is_key)
        entry->key = node;
    else
        entry->value = node;
    p->key_open = is_key;
    return TN_OK;
}

/* Adds the weight of a complete node to its parent. */
static void count_in(parser *p, size_t weight)
{
    if (p->depth > 0)
        p->levels[p->depth - 1].weight += weight;
}

static void ends_here(parser *p, size_t line)
{
    p->last = p->count - 1;
    p->last_line = (long)line;
}

static int make_node(parser *p, tn_node **out, tn_node_kind kind, tn_node_style style, const yaml_event_t *event)
{
    tn_span span = span_of(p, event->start_mark);
    TN_TRY(charge(p, 1, span));
    tn_node *node = tn_arena_alloc(p->arena, 1, sizeof *node);
    if (node == NULL)
        return TN_ERROR_MEMORY;
    node->span = span;
    node->kind = (unsigned char)kind;
    node->style = (unsigned char)style;
    node->begin = (unsigned)event->start_mark.index;
    node->end = (unsigned)event->end_mark.index;
    *out = node;
    return TN_OK;
}

/* Remembers the node under its anchor's name; *index is -1 when it has none. */
static int add_anchor(parser *p, int *index, const yaml_char_t *name, tn_node *node, size_t weight)
{
    *index = -1;
    if (name == NULL)
        return TN_OK;
    if (p->anchor_count == TN_YAML_ANCHORS)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "more than %d anchors", TN_YAML_ANCHORS);
    TN_TRY(tn_grow(p->context, &p->anchors, &p->anchor_capacity, p->anchor_count + 1, sizeof *p->anchors));
    char *copy = tn_arena_strdup(p->arena, (const char *)name);
    tn_written *written = copy != NULL && p->out != NULL ? tn_node_write(p->arena, node) : NULL;
    if (copy == NULL || (p->out != NULL && written == NULL))
        return TN_ERROR_MEMORY;
    if (p->out != NULL) {
        written->anchor = copy;
        p->out->references++;
    }
    p->anchors[p->anchor_count] = (anchor){ copy, node, weight };
    *index = (int)p->anchor_count++;
    return TN_OK;
}

/* The node again, with what is in it. */
static int place_alias(parser *p, const anchor *a, const yaml_event_t *event)
{
    tn_node *node = tn_arena_alloc(p->arena, 1, sizeof *node);
    if (node == NULL)
        return TN_ERROR_MEMORY;
    *node = *a->node;
    node->written = NULL;
    if (p->out != NULL) {
        tn_written *written = tn_node_write(p->arena, node);
        if (written == NULL)
            return TN_ERROR_MEMORY;
        written->alias = a->name;
        p->out->references++;
    }
    TN_TRY(place_yaml_tree(p, node));
    count_in(p, a->weight);
    ends_here(p, event->end_mark.line);
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
        return place_alias(p, a, event);
    }
    return tn_fail(p->context, TN_ERROR_MODEL, span, "alias '*%s' refers to nothing", name);
}

static tn_node_style style_of(yaml_scalar_style_t style, bool is_key)
{
    switch (style) {
    case YAML_PLAIN_SCALAR_STYLE: return TN_STYLE_PLAIN;
    case YAML_LITERAL_SCALAR_STYLE: return is_key ? TN_STYLE_QUOTED : TN_STYLE_LITERAL;
    case YAML_FOLDED_SCALAR_STYLE: return is_key ? TN_STYLE_QUOTED : TN_STYLE_FOLDED;
    default: return TN_STYLE_QUOTED;
    }
}

/* Names, titles and messages end up on terminals. Texts of several lines may be whole files, with comments in any
 * language, and are read by this parser again. */
static bool steers_terminals(const char *text)
{
    bool found = false;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\n')
            return false;
        found |= tn_control_bytes(c) > 0 && *c != '\r';
    }
    return found;
}

static int on_scalar(parser *p, const yaml_event_t *event)
{
    tn_node *node;
    int index;
    yaml_scalar_style_t style = event->data.scalar.style;
    TN_TRY(make_node(p, &node, TN_NODE_TEXT, style_of(style, tn_yaml_expects_key(p)), event));
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (strlen(text) != length)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "a text must not contain a NUL character");
    if (steers_terminals(text))
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "a text must not contain control characters");
    node->quoted = style != YAML_PLAIN_SCALAR_STYLE;
    node->as.text = tn_arena_strndup(p->arena, text, length);
    if (node->as.text == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(add_anchor(p, &index, event->data.scalar.anchor, node, 1));
    if (p->out != NULL)
        TN_TRY(tn_yaml_keep_text(p, node, style));
    TN_TRY(place_yaml_tree(p, node));
    count_in(p, 1);
    ends_here(p, event->end_mark.line);
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
        p->last_line = TN_NO_LINE;                         /* a block ends on a next line */
    return TN_OK;
}

static int on_open(parser *p, const yaml_event_t *event, tn_node_kind kind, bool flow, const yaml_char_t *anchor_name)
{
    tn_node *node;
    TN_TRY(make_node(p, &node, kind, flow ? TN_STYLE_FLOW : TN_STYLE_BLOCK, event));
    if (p->depth == TN_YAML_DEPTH)
        return tn_fail(p->context, TN_ERROR_MODEL, node->span, "nested deeper than %d levels", TN_YAML_DEPTH);
    level next = { .node = node, .weight = 1, .column = -1 };
    TN_TRY(add_anchor(p, &next.anchor, anchor_name, node, 0));
    if (p->out != NULL)
        TN_TRY(tn_yaml_keep_open(p, node, event, &next.column));
    TN_TRY(place_yaml_tree(p, node));
    p->key_open = false;
    next.first = p->count;
    p->levels[p->depth++] = next;
    if (flow || node->written != NULL)
        ends_here(p, event->start_mark.line);
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

/* The entries of the level from the stack into the node. */
static int take_entries(parser *p, const level *l)
{
    tn_node *node = l->node;
    size_t count = p->count - l->first, width = node->kind == TN_NODE_MAP ? 2 : 1;
    const tn_node **items = tn_arena_alloc(p->arena, width * count, sizeof *items);
    if (items == NULL)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const tn_yaml_entry *entry = &p->entries[l->first + i];
        if (width == 2)
            items[2 * i] = entry->key;
        items[width * i + width - 1] = entry->value;
        if (p->out != NULL)
            TN_TRY(tn_yaml_keep_entry(p, entry));
    }
    node->as.items = items;
    node->count = (unsigned)count;
    p->count = l->first;
    return TN_OK;
}

static int on_close(parser *p, const yaml_event_t *event)
{
    const level *l = &p->levels[--p->depth];
    tn_node *node = l->node;
    node->end = (unsigned)event->end_mark.index;
    if (p->out != NULL)
        TN_TRY(tn_yaml_keep_close(p, l));
    TN_TRY(take_entries(p, l));
    if (l->anchor >= 0)
        p->anchors[l->anchor].weight = l->weight;
    if (node->kind == TN_NODE_MAP && node->count > 1)
        TN_TRY(check_duplicates(p, node));
    count_in(p, l->weight);
    p->last_line = TN_NO_LINE;
    if (node->style == TN_STYLE_FLOW)
        ends_here(p, event->end_mark.line);
    return TN_OK;
}

static int on_event(parser *p, const yaml_event_t *event)
{
    if (p->out != NULL)
        TN_TRY(tn_yaml_comments_before(p, event));
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return on_alias(p, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(p, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(p, event, TN_NODE_LIST, event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                       event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return on_open(p, event, TN_NODE_MAP, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                       event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(p, event);
    case YAML_DOCUMENT_START_EVENT:
        if (p->count == 0)
            return TN_OK;
        return tn_fail(p->context, TN_ERROR_MODEL, span_of(p, event->start_mark), "a file holds one document only");
    default:
        return TN_OK;
    }
}

/* Where a byte of the text stands. */
static yaml_mark_t mark_of(const char *text, size_t offset)
{
    yaml_mark_t mark = { .index = offset };
    for (size_t k = 0; k < offset; k++) {
        mark.column = text[k] == '\n' ? 0 : mark.column + ((text[k] & 0xc0) != 0x80);
        mark.line += text[k] == '\n';
    }
    return mark;
}

/* The library stops at a byte that is no character, and tells its offset only. */
static int report_bytes(const parser *p, const yaml_parser_t *yaml, const char *text, size_t size)
{
    size_t offset = yaml->problem_offset < size ? yaml->problem_offset : size;
    const char *problem = yaml->problem != NULL ? yaml->problem : "this is not YAML";
    for (int back = 0; back < 3 && offset > 0 && (unsigned char)text[offset] < 0xc0 && strstr(problem, "trailing") != NULL; back++)
        offset--;                                      /* to the byte with which the character would begin */
    const tn_span span = span_of(p, mark_of(text, offset));
    if (offset < size && strstr(problem, "UTF-8") != NULL)
        return tn_fail(p->context, TN_ERROR_MODEL, span, "this is no text in UTF-8 (byte 0x%02x): save the file as UTF-8", (unsigned char)text[offset]);
    return tn_fail(p->context, TN_ERROR_MODEL, span, "%s", problem);
}

static int report_problem(const parser *p, const yaml_parser_t *yaml, const char *text, size_t size)
{
    if (yaml->error == YAML_MEMORY_ERROR)
        return TN_ERROR_MEMORY;
    if (yaml->error == YAML_READER_ERROR)
        return report_bytes(p, yaml, text, size);
    const char *problem = yaml->problem != NULL ? yaml->problem : "this is not YAML";
    const char *context = yaml->context != NULL ? yaml->context : "";
    const yaml_mark_t mark = yaml->problem_mark;
    if (mark.index < size && text[mark.index] == '\t' && strstr(problem, "cannot start any token") != NULL)
        return tn_fail(p->context, TN_ERROR_MODEL, span_of(p, mark), "lines are indented with spaces, not with tabs");
    return tn_fail(p->context, TN_ERROR_MODEL, span_of(p, mark), "%s%s%s", context, context[0] ? ", " : "", problem);
}

static int read_events(parser *p, yaml_parser_t *yaml, const char *text, size_t size)
{
    int code = TN_OK;
    for (bool more = true; more && code >= 0;) {
        yaml_event_t event;
        if (!yaml_parser_parse(yaml, &event))
            return report_problem(p, yaml, text, size);
        more = event.type != YAML_STREAM_END_EVENT;
        int now = on_event(p, &event);
        yaml_event_delete(&event);
        code = now < 0 ? now : code;
    }
    return code;
}

int tn_yaml_run(parser *p, const char *text, size_t size)
{
    yaml_parser_t yaml;
    if (!yaml_parser_initialize(&yaml))
        return TN_ERROR_MEMORY;
    if (p->out != NULL)
        yaml_parser_set_encoding(&yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml, (const unsigned char *)text, size);
    p->last_line = TN_NO_LINE;
    int code = read_events(p, &yaml, text, size);
    yaml_parser_delete(&yaml);
    tn_free(p->context, p->anchors);
    return code;
}

int tn_yaml_parse_at(const tn_node **root, tn_arena *arena, tn_context *context, tn_span place, const char *text,
                     size_t size, size_t *budget)
{
    parser p = { .context = context, .arena = arena, .place = place, .budget = *budget };
    int code = tn_yaml_run(&p, text, size);
    *root = code >= 0 && p.count > 0 ? p.entries[0].value : NULL;
    *budget = p.budget;
    tn_free(context, p.entries);
    return code >= 0 && p.duplicates ? TN_ERROR_MODEL : code;
}

int tn_yaml_parse(const tn_node **root, tn_arena *arena, tn_context *context, const char *file, const char *text,
                  size_t size, size_t *budget)
{
    return tn_yaml_parse_at(root, arena, context, (tn_span){ file, 1, 1 }, text, size, budget);
}

const tn_node *tn_node_get(const tn_node *map, const char *key)
{
    for (unsigned i = 0; map != NULL && map->kind == TN_NODE_MAP && i < map->count; i++)
        if (strcmp(map->as.items[2 * i]->as.text, key) == 0)
            return map->as.items[2 * i + 1];
    return NULL;
}

tn_written *tn_node_write(tn_arena *arena, tn_node *node)
{
    if (node->written == NULL)
        node->written = tn_arena_alloc(arena, 1, sizeof *node->written);
    return node->written;
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
