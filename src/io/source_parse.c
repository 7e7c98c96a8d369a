/* A text into a source tree. The parser's events give the tree, the scan gives the comments, and their places bring
 * them together: a comment on a line of its own belongs to the entry that follows, a comment at the end of a line to
 * the entry that ends there. */
#include "source_tree.h"
#include "yaml_tree.h"
#include <string.h>
#include <yaml.h>

enum { NO_LINE = -1 };

/* A list or map that is being read. Its entries are on the stack from first on; the entry before holds itself. */
typedef struct level {
    tn_source_node *node;
    size_t first;
    int column;                /* of a block's entries; those of a flow have none of their own */
} level;

typedef struct parser {
    tn_source *out;
    tn_source_scan scan;
    tn_source_cursor begin, end;
    size_t next_comment, next_text;
    tn_comment *pending, *newest;          /* comments on lines of their own, for the entry to come */
    level levels[TN_YAML_DEPTH];
    int depth;
    tn_source_entry *entries;  /* the first is the document */
    size_t count, capacity;
    bool key_open;             /* the last entry has no value yet */
    size_t last;               /* the entry that comments at the end of last_line belong to */
    long last_line;
} parser;

static char *slice(const parser *p, size_t from, size_t to)
{
    return tn_arena_strndup(p->out->arena, p->begin.text + from, to - from);
}

static void append_source_parse(tn_comment **list, tn_comment *more)
{
    while (*list != NULL)
        list = &(*list)->next;
    *list = more;
}

/* Is the line above the one with this offset blank, and nothing but dashes before it on its own? */
static bool blank_above(const char *text, size_t offset)
{
    while (offset > 0 && (text[offset - 1] == ' ' || text[offset - 1] == '-' || text[offset - 1] == '\t'))
        offset--;
    int breaks = 0;
    for (; offset > 0 && strchr(" \t\r\n", text[offset - 1]) != NULL; offset--)
        breaks += text[offset - 1] == '\n';
    return breaks > 1;
}

static tn_comment *make_comment(const parser *p, const tn_source_piece *piece)
{
    tn_comment *comment = tn_arena_alloc(p->out->arena, 1, sizeof *comment);
    const char *text = slice(p, piece->offset, piece->offset + piece->length);
    if (comment == NULL || text == NULL)
        return NULL;
    *comment = (tn_comment){ .text = text, .column = piece->column,
                             .blank_above = piece->alone && blank_above(p->begin.text, piece->offset) };
    return comment;
}

/* There is room for one comment beside an entry; an earlier one moves above. */
static int move_above(const parser *p, tn_source_entry *entry)
{
    if (entry->beside == NULL)
        return TN_OK;
    tn_comment *moved = tn_arena_alloc(p->out->arena, 1, sizeof *moved);
    if (moved == NULL)
        return TN_ERROR_MEMORY;
    moved->text = entry->beside;
    append_source_parse(&entry->above, moved);
    entry->beside = NULL;
    return TN_OK;
}

/* Hands out the comments before an offset. */
static int take_comments(parser *p, size_t before)
{
    for (; p->next_comment < p->scan.comments.count; p->next_comment++) {
        const tn_source_piece *piece = &p->scan.comments.items[p->next_comment];
        if (piece->offset >= before)
            break;
        tn_comment *comment = make_comment(p, piece);
        if (comment == NULL)
            return TN_ERROR_MEMORY;
        if (!piece->alone && p->last_line == (long)piece->line) {
            TN_TRY(move_above(p, &p->entries[p->last]));
            p->entries[p->last].beside = comment->text;
            continue;
        }
        append_source_parse(p->pending != NULL ? &p->newest : &p->pending, comment);
        p->newest = comment;
    }
    return TN_OK;
}

static void take_pending(parser *p, tn_source_entry *entry)
{
    append_source_parse(&entry->above, p->pending);
    p->pending = NULL;
}

static int push_entry(parser *p, size_t offset)
{
    TN_TRY(tn_grow(p->out->context, &p->entries, &p->capacity, p->count + 1, sizeof *p->entries));
    tn_source_entry *entry = &p->entries[p->count++];
    bool flow = p->depth > 0 && p->levels[p->depth - 1].node->style == TN_STYLE_FLOW;
    *entry = (tn_source_entry){ .blank_above = !flow && blank_above(p->begin.text, offset) };
    take_pending(p, entry);
    return TN_OK;
}

static bool expects_key(const parser *p)
{
    return !p->key_open && p->depth > 0 && p->levels[p->depth - 1].node->kind == TN_SOURCE_MAP;
}

/* Puts a node where it belongs: into the document, as a key, as a value or as an item. */
static int place_source_parse(parser *p, tn_source_node *node, size_t offset)
{
    bool is_value = p->key_open, is_key = expects_key(p);
    if (!is_value)
        TN_TRY(push_entry(p, offset));
    tn_source_entry *entry = &p->entries[p->count - 1];
    if (is_value && node->style != TN_STYLE_BLOCK)
        take_pending(p, entry);
    if (is_key)
        entry->key = node;
    else
        entry->value = node;
    p->key_open = is_key;
    return TN_OK;
}

static void ends_here(parser *p, size_t entry, long line)
{
    p->last = entry;
    p->last_line = line;
}

/* Tag and quotes of the node between two offsets. */
static int take_texts(parser *p, tn_source_node *node, size_t from, size_t to, tn_source_piece *quotes)
{
    const tn_source_pieces *texts = &p->scan.texts;
    for (; p->next_text < texts->count && texts->items[p->next_text].offset < to; p->next_text++) {
        const tn_source_piece *piece = &texts->items[p->next_text];
        if (piece->offset < from)
            continue;
        if (!piece->is_tag)
            *quotes = *piece;
        else if ((node->tag = slice(p, piece->offset, piece->offset + piece->length)) == NULL)
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

static int make_node(parser *p, tn_source_node **out, tn_source_kind kind, tn_source_style style,
                     const yaml_char_t *anchor)
{
    tn_source_node *node = tn_arena_alloc(p->out->arena, 1, sizeof *node);
    if (node == NULL)
        return TN_ERROR_MEMORY;
    node->kind = (unsigned char)kind;
    node->style = (unsigned char)style;
    if (anchor != NULL && (node->anchor = tn_arena_strdup(p->out->arena, (const char *)anchor)) == NULL)
        return TN_ERROR_MEMORY;
    p->out->references += anchor != NULL || kind == TN_SOURCE_ALIAS;
    *out = node;
    return TN_OK;
}

/* A folded block's lines without their indentation. Leaves the spelling open when the block is not of the simple kind:
 * with an indentation of its own, or beginning with a blank line. */
static int keep_lines(parser *p, tn_source_node *node, const tn_source_piece *block)
{
    char *lines = slice(p, block->offset, block->offset + block->length);
    if (lines == NULL)
        return TN_ERROR_MEMORY;
    size_t head = strcspn(lines, "#\n");
    const char *from = lines + strcspn(lines, "\n");
    from += *from == '\n';
    size_t indent = strspn(from, " ");
    if (strcspn(lines, "123456789") < head || strchr(lines, '\r') != NULL || strchr("\n", from[indent]) != NULL)
        return TN_OK;
    char *to = lines;
    while (*from != '\0') {
        size_t skip = strspn(from, " ");
        from += skip < indent ? skip : indent;
        size_t length = strcspn(from, "\n");
        length += from[length] == '\n';
        memmove(to, from, length);
        to += length;
        from += length;
    }
    while (to[-1] == '\n')                                 /* the first line is not empty */
        to--;
    *to = '\0';
    node->spelling = lines;
    return TN_OK;
}

/* Keeps quotes where they fit on one line. */
static int keep_quotes(parser *p, tn_source_node *node, const tn_source_piece *quotes)
{
    const char *text = p->begin.text + quotes->offset;
    for (size_t i = 0; i < quotes->length; i++)
        if (tn_source_break(text + i) > 0)
            return TN_OK;
    node->spelling = slice(p, quotes->offset, quotes->offset + quotes->length);
    return node->spelling != NULL ? TN_OK : TN_ERROR_MEMORY;
}

static tn_source_style scalar_style(yaml_scalar_style_t style, bool is_key)
{
    switch (style) {
    case YAML_PLAIN_SCALAR_STYLE: return TN_STYLE_PLAIN;
    case YAML_LITERAL_SCALAR_STYLE: return is_key ? TN_STYLE_QUOTED : TN_STYLE_LITERAL;
    case YAML_FOLDED_SCALAR_STYLE: return is_key ? TN_STYLE_QUOTED : TN_STYLE_FOLDED;
    default: return TN_STYLE_QUOTED;
    }
}

static int on_scalar(parser *p, const yaml_event_t *event, size_t from, size_t to)
{
    tn_source_node *node;
    tn_source_piece quotes = { 0 };
    yaml_scalar_style_t written = event->data.scalar.style;
    TN_TRY(make_node(p, &node, TN_SOURCE_TEXT, scalar_style(written, expects_key(p)), event->data.scalar.anchor));
    node->text = tn_arena_strndup(p->out->arena, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (node->text == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(take_texts(p, node, from, to, &quotes));
    if (node->style == TN_STYLE_FOLDED)
        TN_TRY(keep_lines(p, node, &quotes));
    else if (written == YAML_SINGLE_QUOTED_SCALAR_STYLE || written == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        TN_TRY(keep_quotes(p, node, &quotes));
    TN_TRY(take_comments(p, to));                          /* "&anchor  # comment" may stand before the text itself */
    TN_TRY(place_source_parse(p, node, from));
    bool block = written == YAML_LITERAL_SCALAR_STYLE || written == YAML_FOLDED_SCALAR_STYLE;
    ends_here(p, p->count - 1, block ? NO_LINE : (long)event->end_mark.line);      /* a block ends on a next line */
    return TN_OK;
}

static int on_alias(parser *p, const yaml_event_t *event, size_t from)
{
    tn_source_node *node;
    TN_TRY(make_node(p, &node, TN_SOURCE_ALIAS, TN_STYLE_PLAIN, NULL));
    node->text = tn_arena_strdup(p->out->arena, (const char *)event->data.alias.anchor);
    if (node->text == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(place_source_parse(p, node, from));
    ends_here(p, p->count - 1, (long)event->end_mark.line);
    return TN_OK;
}

/* to is where the first entry begins, but for a list whose dashes are not indented: there it is behind the dash. */
static int on_open(parser *p, const yaml_event_t *event, tn_source_kind kind, bool flow, const yaml_char_t *anchor,
                   size_t from, size_t to)
{
    tn_source_node *node;
    tn_source_piece none;
    TN_TRY(make_node(p, &node, kind, flow ? TN_STYLE_FLOW : TN_STYLE_BLOCK, anchor));
    TN_TRY(take_texts(p, node, from, to, &none));
    TN_TRY(place_source_parse(p, node, from));
    p->key_open = false;
    int column = (int)event->end_mark.column;
    if (kind == TN_SOURCE_LIST && p->begin.text[to] != '-')
        column--;
    p->levels[p->depth++] = (level){ node, p->count, flow ? -1 : column };
    if (flow || node->anchor != NULL || node->tag != NULL)
        ends_here(p, p->count - 1, (long)event->start_mark.line);
    return TN_OK;
}

static int outer_column(const parser *p)
{
    for (int i = p->depth - 1; i >= 0; i--)
        if (p->levels[i].column >= 0)
            return p->levels[i].column;
    return -1;
}

/* Comments after the last entry: those indented like the entries stay, the others are for what follows. */
static void keep_below(parser *p, const level *l)
{
    tn_comment **keep = &p->pending;
    if (l->node->style == TN_STYLE_FLOW)
        while (*keep != NULL)
            keep = &(*keep)->next;
    while (*keep != NULL && (*keep)->column >= l->column && (*keep)->column > outer_column(p))
        keep = &(*keep)->next;
    tn_comment *rest = *keep;
    *keep = NULL;
    l->node->below = p->pending;
    p->pending = rest;
}

/* "[ {", a comment, "a: 1 } ]": above the first entry of an item is above the item. */
static void lift_first(parser *p, const level *l)
{
    tn_source_entry *owner = &p->entries[l->first - 1], *first = owner + 1;
    if (owner->key != NULL || p->depth == 0 || l->node->anchor != NULL || l->node->tag != NULL)
        return;
    append_source_parse(&owner->above, first->above);
    first->above = NULL;
}

static int on_close(parser *p, const yaml_event_t *event)
{
    const level *l = &p->levels[--p->depth];
    tn_source_node *node = l->node;
    size_t count = p->count - l->first;
    if (count == 0)
        take_pending(p, &p->entries[l->first - 1]);
    else
        lift_first(p, l);
    keep_below(p, l);
    node->entries = tn_arena_alloc(p->out->arena, count, sizeof *node->entries);
    if (node->entries == NULL)
        return TN_ERROR_MEMORY;
    if (count > 0)
        memcpy(node->entries, p->entries + l->first, count * sizeof *node->entries);
    node->count = (unsigned)count;
    p->count = l->first;
    p->last_line = NO_LINE;
    if (node->style == TN_STYLE_FLOW)
        ends_here(p, p->count - 1, (long)event->end_mark.line);
    return TN_OK;
}

static int on_event(parser *p, const yaml_event_t *event)
{
    size_t from = tn_source_offset(&p->begin, event->start_mark.index);
    size_t to = tn_source_offset(&p->end, event->end_mark.index);
    TN_TRY(take_comments(p, from));
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(p, event, from, to);
    case YAML_ALIAS_EVENT:
        return on_alias(p, event, from);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(p, event, TN_SOURCE_LIST, event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                       event->data.sequence_start.anchor, from, to);
    case YAML_MAPPING_START_EVENT:
        return on_open(p, event, TN_SOURCE_MAP, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                       event->data.mapping_start.anchor, from, to);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(p, event);
    default:
        return TN_OK;
    }
}

static int read_events(parser *p, yaml_parser_t *yaml)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(yaml, &event))
            return yaml->error == YAML_MEMORY_ERROR ? TN_ERROR_MEMORY : TN_ERROR_MODEL;
        more = event.type != YAML_STREAM_END_EVENT;
        int code = on_event(p, &event);
        yaml_event_delete(&event);
        TN_TRY(code);
    }
    return take_comments(p, p->begin.size);
}

/* What the file begins with belongs to the file, up to the last blank line above the first entry. */
static void split_head(tn_source *out, const tn_source_entry *document)
{
    tn_source_node *root = document->value;
    out->head = document->above;
    if (root->count == 0)
        return;
    tn_source_entry *first = &root->entries[0];
    append_source_parse(&out->head, first->above);
    first->above = NULL;
    out->head_apart = out->head != NULL && first->blank_above;
    first->blank_above = false;
    tn_comment *last = NULL;
    for (tn_comment *c = out->head; c != NULL && c->next != NULL && !out->head_apart; c = c->next)
        if (c->next->blank_above)
            last = c;
    if (last == NULL)
        return;
    out->head_apart = true;
    first->above = last->next;
    first->above->blank_above = false;
    last->next = NULL;
}

/* What is left when the document has ended. */
static int finish(parser *p)
{
    tn_source_entry *document = &p->entries[0];
    tn_source *out = p->out;
    out->root = document->value;
    TN_TRY(move_above(p, document));
    append_source_parse(&out->root->below, p->pending);
    split_head(out, document);
    for (size_t i = 0; i < p->scan.directives.count; i++) {
        tn_comment *directive = make_comment(p, &p->scan.directives.items[i]);
        if (directive == NULL)
            return TN_ERROR_MEMORY;
        append_source_parse(&out->directives, directive);
    }
    return TN_OK;
}

int tn_source_parse(tn_source *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                    size_t size)
{
    *out = (tn_source){ .context = context, .arena = arena };
    tn_source_cursor start = { .text = text, .size = size };
    parser p = { .out = out, .begin = start, .end = start, .last_line = NO_LINE };
    yaml_parser_t yaml;
    if (!yaml_parser_initialize(&yaml))
        return TN_ERROR_MEMORY;
    yaml_parser_set_encoding(&yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml, (const unsigned char *)text, size);
    int code = tn_source_scan_text(&p.scan, context, file, text, size);
    if (code >= 0)
        code = read_events(&p, &yaml);
    if (code >= 0)
        code = finish(&p);
    yaml_parser_delete(&yaml);
    tn_source_scan_free(&p.scan, context);
    tn_free(context, p.entries);
    return code;
}
