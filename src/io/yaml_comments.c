/* Comments, blank lines and spellings of a YAML text. The parser's events give the tree, the scan gives the comments, and their
 * places bring them together: a comment on a line of its own belongs to the entry that follows, a comment at the end of a
 * line to the entry that ends there. */
#include "yaml_parser.h"
#include "diag.h"
#include <string.h>

typedef tn_yaml_parser parser;

static char *slice(const parser *p, size_t from, size_t to)
{
    return tn_arena_strndup(p->arena, p->begin.text + from, to - from);
}

static void append_yaml_comments(tn_comment **list, tn_comment *more)
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
    tn_comment *comment = tn_arena_alloc(p->arena, 1, sizeof *comment);
    const char *text = slice(p, piece->offset, piece->offset + piece->length);
    if (comment == NULL || text == NULL)
        return NULL;
    *comment = (tn_comment){ .text = text, .column = piece->column,
                             .blank_above = piece->alone && blank_above(p->begin.text, piece->offset) };
    return comment;
}

/* There is room for one comment beside an entry; an earlier one moves above. */
static int move_above(const parser *p, tn_yaml_entry *entry)
{
    if (entry->beside == NULL)
        return TN_OK;
    tn_comment *moved = tn_arena_alloc(p->arena, 1, sizeof *moved);
    if (moved == NULL)
        return TN_ERROR_MEMORY;
    moved->text = entry->beside;
    append_yaml_comments(&entry->above, moved);
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
        append_yaml_comments(p->pending != NULL ? &p->newest : &p->pending, comment);
        p->newest = comment;
    }
    return TN_OK;
}

void tn_yaml_take_pending(parser *p, tn_yaml_entry *entry)
{
    append_yaml_comments(&entry->above, p->pending);
    p->pending = NULL;
}

int tn_yaml_comments_before(parser *p, const yaml_event_t *event)
{
    p->from = tn_source_offset(&p->begin, event->start_mark.index);
    p->to = tn_source_offset(&p->end, event->end_mark.index);
    return take_comments(p, p->from);
}

bool tn_yaml_blank_above(const parser *p)
{
    return blank_above(p->begin.text, p->from);
}

int tn_yaml_keep_entry(parser *p, const tn_yaml_entry *entry)
{
    if (entry->above == NULL && entry->beside == NULL && !entry->blank_above)
        return TN_OK;
    tn_written *written = tn_node_write(p->arena, entry->key != NULL ? entry->key : entry->value);
    if (written == NULL)
        return TN_ERROR_MEMORY;
    written->above = entry->above;
    written->beside = entry->beside;
    written->blank_above = entry->blank_above;
    return TN_OK;
}

/* Tag and quotes of the event's node. */
static int take_texts(parser *p, tn_node *node, tn_source_piece *quotes)
{
    const tn_source_pieces *texts = &p->scan.texts;
    for (; p->next_text < texts->count && texts->items[p->next_text].offset < p->to; p->next_text++) {
        const tn_source_piece *piece = &texts->items[p->next_text];
        if (piece->offset < p->from)
            continue;
        if (!piece->is_tag) {
            *quotes = *piece;
            continue;
        }
        tn_written *written = tn_node_write(p->arena, node);
        if (written == NULL || (written->tag = slice(p, piece->offset, piece->offset + piece->length)) == NULL)
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

static int keep_spelling(const parser *p, tn_node *node, const char *spelling)
{
    tn_written *written = spelling != NULL ? tn_node_write(p->arena, node) : NULL;
    if (written == NULL)
        return TN_ERROR_MEMORY;
    written->spelling = spelling;
    return TN_OK;
}

/* A folded block's lines without their indentation. Leaves the spelling open when the block is not of the simple kind:
 * with an indentation of its own, or beginning with a blank line. */
static int keep_lines(const parser *p, tn_node *node, const tn_source_piece *block)
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
    return keep_spelling(p, node, lines);
}

/* Keeps quotes where they fit on one line. */
static int keep_quotes(const parser *p, tn_node *node, const tn_source_piece *quotes)
{
    const char *text = p->begin.text + quotes->offset;
    for (size_t i = 0; i < quotes->length; i++)
        if (tn_source_break(text + i) > 0)
            return TN_OK;
    return keep_spelling(p, node, slice(p, quotes->offset, quotes->offset + quotes->length));
}

int tn_yaml_keep_text(parser *p, tn_node *node, yaml_scalar_style_t style)
{
    tn_source_piece quotes = { 0 };
    TN_TRY(take_texts(p, node, &quotes));
    if (node->style == TN_STYLE_FOLDED)
        TN_TRY(keep_lines(p, node, &quotes));
    else if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        TN_TRY(keep_quotes(p, node, &quotes));
    return take_comments(p, p->to);                        /* "&anchor  # comment" may stand before the text itself */
}

/* to is where the first entry begins, but for a list whose dashes are not indented: there it is behind the dash. */
int tn_yaml_keep_open(parser *p, tn_node *node, const yaml_event_t *event, int *column)
{
    tn_source_piece none;
    if (node->style == TN_STYLE_BLOCK)
        *column = (int)event->end_mark.column - (node->kind == TN_NODE_LIST && p->begin.text[p->to] != '-');
    return take_texts(p, node, &none);
}

static int outer_column(const parser *p)
{
    for (int i = p->depth - 1; i >= 0; i--)
        if (p->levels[i].column >= 0)
            return p->levels[i].column;
    return -1;
}

/* Comments after the last entry: those indented like the entries stay, the others are for what follows. */
static int keep_below(parser *p, const tn_yaml_level *l)
{
    tn_comment **keep = &p->pending;
    if (l->node->style == TN_STYLE_FLOW)
        while (*keep != NULL)
            keep = &(*keep)->next;
    while (*keep != NULL && (*keep)->column >= l->column && (*keep)->column > outer_column(p))
        keep = &(*keep)->next;
    tn_comment *rest = *keep;
    *keep = NULL;
    tn_comment *below = p->pending;
    p->pending = rest;
    if (below == NULL)
        return TN_OK;
    tn_written *written = tn_node_write(p->arena, l->node);
    if (written == NULL)
        return TN_ERROR_MEMORY;
    written->below = below;
    return TN_OK;
}

/* "[ {", a comment, "a: 1 } ]": above the first entry of an item is above the item. */
static void lift_first(const parser *p, const tn_yaml_level *l)
{
    tn_yaml_entry *owner = &p->entries[l->first - 1], *first = owner + 1;
    if (owner->key != NULL || p->depth == 0 || l->node->written != NULL)
        return;
    append_yaml_comments(&owner->above, first->above);
    first->above = NULL;
}

int tn_yaml_keep_close(parser *p, const tn_yaml_level *l)
{
    if (p->count == l->first)
        tn_yaml_take_pending(p, &p->entries[l->first - 1]);
    else
        lift_first(p, l);
    return keep_below(p, l);
}

/* Comments above the first entry belong to the file, up to the last blank line before that entry. */
static void split_head(tn_source *out, const tn_yaml_entry *document)
{
    tn_written *first = out->root->count > 0 ? tn_node_head(out->root, 0)->written : NULL;
    out->head = document->above;
    if (first == NULL)
        return;
    append_yaml_comments(&out->head, first->above);
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

/* Comments after the end of the document. */
static int finish(parser *p)
{
    tn_source *out = p->out;
    TN_TRY(take_comments(p, p->begin.size));
    if (p->count == 0)
        return TN_OK;
    tn_yaml_entry *document = &p->entries[0];
    out->root = document->value;
    if (out->root->kind == TN_NODE_TEXT)
        return TN_OK;
    tn_written *written = tn_node_write(p->arena, out->root);
    if (written == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(move_above(p, document));
    append_yaml_comments(&written->below, p->pending);
    if (document->above != NULL && out->root->count > 0 && tn_node_write(p->arena, tn_node_head(out->root, 0)) == NULL)
        return TN_ERROR_MEMORY;
    split_head(out, document);
    for (size_t i = 0; i < p->scan.directives.count; i++) {
        tn_comment *directive = make_comment(p, &p->scan.directives.items[i]);
        if (directive == NULL)
            return TN_ERROR_MEMORY;
        append_yaml_comments(&out->directives, directive);
    }
    return TN_OK;
}

/* Where the text begins behind its byte order mark. */
static int skip_mark(const char **text, size_t *size, tn_context *context, const char *file)
{
    if (*size >= 2 && (memcmp(*text, "\xff\xfe", 2) == 0 || memcmp(*text, "\xfe\xff", 2) == 0))
        return tn_fail(context, TN_ERROR_MODEL, ((tn_span){ file, 1, 1 }),
                       "this is UTF-16; only UTF-8 can be changed or formatted");
    size_t mark = *size >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *text += mark;
    *size -= mark;
    return TN_OK;
}

int tn_source_parse(tn_source *out, tn_arena *arena, tn_context *context, tn_span place, const char *text, size_t size,
                    size_t *budget)
{
    TN_TRY(skip_mark(&text, &size, context, place.file));
    *out = (tn_source){ .context = context, .arena = arena, .text = tn_arena_strndup(arena, text, size), .size = size };
    tn_source_cursor start = { .text = out->text, .size = size };
    parser p = { .context = context, .arena = arena, .place = place, .budget = *budget, .out = out, .begin = start,
                 .end = start };
    if (start.text == NULL)
        return TN_ERROR_MEMORY;
    int code = tn_source_scan_text(&p.scan, context, place.file, start.text, size);
    if (code >= 0)
        code = tn_yaml_run(&p, start.text, size);
    if (code >= 0)
        code = finish(&p);
    *budget = p.budget;
    tn_source_scan_free(&p.scan, context);
    tn_free(context, p.entries);
    return code >= 0 && p.duplicates ? TN_ERROR_MODEL : code;
}

tn_node *tn_node_head(const tn_node *node, unsigned index)
{
    return (tn_node *)node->as.items[node->kind == TN_NODE_MAP ? 2 * index : index];
}

tn_node *tn_node_value(const tn_node *node, unsigned index)
{
    return (tn_node *)node->as.items[node->kind == TN_NODE_MAP ? 2 * index + 1 : index];
}

const tn_written *tn_node_written(const tn_node *node)
{
    static const tn_written nothing = { 0 };
    return node->written != NULL ? node->written : &nothing;
}

tn_source_entry tn_source_at(const tn_node *node, unsigned index)
{
    tn_node *head = tn_node_head(node, index);
    const tn_written *written = tn_node_written(head);
    return (tn_source_entry){ node->kind == TN_NODE_MAP ? head : NULL, tn_node_value(node, index), written->above,
                              written->beside, written->blank_above };
}
