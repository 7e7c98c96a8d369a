/* A source tree as a text in normal form.
 *
 * Entries stand on lines of their own ("block") or together on one line ("flow"). A flow stays one as long as it fits;
 * a block becomes one when it is short and simple. Comments need lines, so what has comments inside is a block. */
#include "source_tree.h"
#include "file.h"
#include <string.h>

enum {
    LINE_WIDTH = 120,
    SHORT_WIDTH = 90,          /* what was written as a block becomes a flow up to this width ... */
    SHORT_LEVELS = 2,          /* ... and with so many maps in each other: { tip: { at: [0, 0] } } */
    INDENT = 2,
    COMMENT_GAP = 2,           /* spaces before a comment beside an entry */
    COMMENT_SHIFT = 24,        /* no comment is moved further to be aligned with its neighbours */
    NO_FLOW = LINE_WIDTH + 1,
    MAX_BYTES = 4,             /* of a character */
    KEY_WIDTH = 1000           /* YAML looks 1024 characters far */
};

/* A line without its end: the comment beside it is added when the widths of its neighbours are known. */
typedef struct line {
    size_t begin, end;         /* bytes of the body */
    size_t width, indent;
    const char *beside;
} line;

typedef struct writer {
    tn_context *context;
    tn_arena *arena;
    tn_text body;
    line *lines;
    size_t count, capacity;
} writer;

static void write_block(writer *w, const tn_node *node, size_t indent, bool begun);

static const char *alias_of(const tn_node *node)
{
    return tn_node_written(node)->alias;
}

static bool is_text(const tn_node *node)
{
    return node->kind == TN_NODE_TEXT && alias_of(node) == NULL;
}

static bool is_collection(const tn_node *node)
{
    return (node->kind == TN_NODE_LIST || node->kind == TN_NODE_MAP) && alias_of(node) == NULL;
}

static bool is_empty_text(const tn_node *node)
{
    return is_text(node) && node->style == TN_STYLE_PLAIN && node->as.text[0] == '\0';
}

/* Can the text be a block: not only line breaks, at most one of them at the end, and no other kind of break? */
static bool fits_block(const char *text)
{
    size_t length = strlen(text);
    if (text[strspn(text, "\n")] == '\0' || (length > 1 && strcmp(text + length - 2, "\n\n") == 0))
        return false;
    for (; *text != '\0'; text++)
        if (*text != '\n' && tn_source_break(text) > 0)
            return false;
    return true;
}

static bool is_block_text(const tn_node *node)
{
    bool was = is_text(node) && (node->style == TN_STYLE_LITERAL || node->style == TN_STYLE_FOLDED);
    return was && fits_block(node->as.text);
}

static const char *spell(writer *w, tn_node *node, bool flow)
{
    const char *spelling = tn_source_spell(w->arena, node, flow);
    w->body.broken |= spelling == NULL;
    return spelling != NULL ? spelling : "";
}

static size_t properties_width(const tn_node *node)
{
    const tn_written *written = tn_node_written(node);
    size_t width = written->anchor != NULL ? strlen(written->anchor) + 2 : 0;
    return width + (written->tag != NULL ? tn_source_width(written->tag, strlen(written->tag)) + 1 : 0);
}

static void add_properties(writer *w, const char *before, const tn_node *node, const char *after)
{
    const tn_written *written = tn_node_written(node);
    if (written->anchor != NULL)
        tn_text_add(&w->body, "%s&%s%s", before, written->anchor, after);
    if (written->tag != NULL)
        tn_text_add(&w->body, "%s%s%s", before, written->tag, after);
}

/* "[ { ... } ]", but "[0, 1]" */
static bool is_spaced(const tn_node *node)
{
    if (node->kind == TN_NODE_MAP)
        return true;
    for (unsigned i = 0; i < node->count; i++)
        if (is_collection(tn_node_value(node, i)) && tn_node_value(node, i)->kind == TN_NODE_MAP)
            return true;
    return false;
}

static size_t key_width(writer *w, tn_node *key, bool flow)
{
    if (alias_of(key) != NULL)
        return strlen(alias_of(key)) + 3;
    const char *text = spell(w, key, flow);
    return properties_width(key) + tn_source_width(text, strlen(text)) + 1;
}

/* The width of a node in a flow; more than limit as soon as that is certain, NO_FLOW when it cannot stand there. */
static size_t flow_width(writer *w, tn_node *node, size_t limit)
{
    size_t width = properties_width(node);
    if (alias_of(node) != NULL)
        return strlen(alias_of(node)) + 1;
    if (node->kind == TN_NODE_TEXT) {
        if (is_empty_text(node) || strlen(node->as.text) > MAX_BYTES * limit || is_block_text(node))
            return NO_FLOW;
        const char *text = spell(w, node, true);
        return width + tn_source_width(text, strlen(text));
    }
    if (tn_node_written(node)->below != NULL)
        return NO_FLOW;
    width += node->count == 0 ? 2 : is_spaced(node) ? 4 : 2;
    for (unsigned i = 0; i < node->count && width <= limit; i++) {
        const tn_source_entry e_at = tn_source_at(node, i), *e = &e_at;
        if (e->above != NULL || e->beside != NULL || (e->key != NULL && is_empty_text(e->key)))
            return NO_FLOW;
        width += (i > 0 ? 2 : 0) + (e->key != NULL ? key_width(w, e->key, true) + 1 : 0);
        width += flow_width(w, e->value, limit);
    }
    return width;
}

/* A key that is nothing, or longer than YAML looks for its colon, is announced: "? key", and ": value" below. */
static bool is_announced(writer *w, tn_node *key)
{
    return is_text(key) && (is_empty_text(key) || key_width(w, key, false) > KEY_WIDTH);
}

static void add_key(writer *w, tn_node *key, bool flow)
{
    add_properties(w, "", key, " ");
    if (alias_of(key) != NULL)
        tn_text_add(&w->body, "*%s :", alias_of(key));
    else
        tn_text_add(&w->body, "%s:", spell(w, key, flow));
}

static void add_flow(writer *w, tn_node *node)
{
    add_properties(w, "", node, " ");
    if (alias_of(node) != NULL) {
        tn_text_add(&w->body, "*%s", alias_of(node));
    } else if (node->kind == TN_NODE_TEXT) {
        tn_text_add(&w->body, "%s", spell(w, node, true));
    } else {
        const char *space = node->count > 0 && is_spaced(node) ? " " : "";
        bool map = node->kind == TN_NODE_MAP;
        tn_text_add(&w->body, "%c%s", map ? '{' : '[', space);
        for (unsigned i = 0; i < node->count; i++) {
            tn_text_add(&w->body, "%s", i > 0 ? ", " : "");
            if (map) {
                add_key(w, tn_node_head(node, i), true);
                tn_text_add(&w->body, " ");
            }
            add_flow(w, tn_node_value(node, i));
        }
        tn_text_add(&w->body, "%s%c", space, map ? '}' : ']');
    }
}

/* Maps in each other, at most so many? And no blank lines, nor texts that a flow would have to quote? */
static bool is_simple(const tn_node *node, int levels)
{
    if (alias_of(node) != NULL)
        return true;
    if (node->kind == TN_NODE_TEXT)
        return node->style != TN_STYLE_PLAIN || tn_source_plain(node->as.text, true);
    levels -= node->kind == TN_NODE_MAP;
    if (levels < 0)
        return false;
    for (unsigned i = 0; i < node->count; i++) {
        const tn_source_entry e_at = tn_source_at(node, i), *e = &e_at;
        if ((i > 0 && e->blank_above) || !is_simple(e->value, levels) || (e->key != NULL && !is_simple(e->key, 1)))
            return false;
    }
    return true;
}

/* Does the entry's list or map go on lines of its own? */
static bool is_spread(writer *w, const tn_source_entry *e, size_t indent)
{
    tn_node *node = e->value;
    if (!is_collection(node) || node->count == 0)
        return false;
    if (node->spread)
        return true;
    bool was_flow = node->style == TN_STYLE_FLOW;
    size_t limit = was_flow ? LINE_WIDTH : SHORT_WIDTH;
    size_t used = indent + (e->key != NULL ? key_width(w, e->key, false) : 1) + 1;
    if (used + flow_width(w, node, limit) > limit)
        return true;
    return !was_flow && (e->beside != NULL || !is_simple(node, SHORT_LEVELS));
}

static void begin_line(writer *w, size_t indent)
{
    if (tn_grow(w->context, &w->lines, &w->capacity, w->count + 1, sizeof *w->lines) < 0) {
        w->body.broken = true;
        return;
    }
    w->lines[w->count++] = (line){ .begin = w->body.length, .indent = indent };
    tn_text_add(&w->body, "%*s", (int)indent, "");
}

static void add_comments(writer *w, const tn_comment *first, size_t indent)
{
    for (const tn_comment *c = first; c != NULL; c = c->next) {
        if (c != first && c->blank_above)
            begin_line(w, 0);
        begin_line(w, indent);
        tn_text_add(&w->body, "%s", c->text);
    }
}

/* "- key: ...": the item's first entry stands on the line of its dash. */
static bool shares_line(writer *w, const tn_source_entry *e, size_t indent)
{
    const tn_written *written = tn_node_written(e->value);
    return e->key == NULL && written->anchor == NULL && written->tag == NULL && is_spread(w, e, indent);
}

/* The comments above an entry, and those of the entries that share its line. */
static void add_above(writer *w, const tn_source_entry *e, size_t indent)
{
    tn_source_entry first;
    add_comments(w, e->above, indent);
    for (size_t column = indent; shares_line(w, e, column); column += INDENT) {
        if (e->beside != NULL)
            add_comments(w, &(tn_comment){ .text = e->beside }, indent);
        first = tn_source_at(e->value, 0);
        e = &first;
        add_comments(w, e->above, indent);
    }
    if (e->above != NULL && e->blank_above)
        begin_line(w, 0);
}

/* The lines of a literal block, or of a folded one as they were. */
static void add_block_text(writer *w, const tn_node *node, size_t indent)
{
    bool folded = node->style == TN_STYLE_FOLDED && tn_node_written(node)->spelling != NULL;
    bool indented = !folded && strchr(" \t", node->as.text[strspn(node->as.text, "\n")]) != NULL;
    bool open_end = node->as.text[strlen(node->as.text) - 1] != '\n';
    tn_text_add(&w->body, " %c%s%s", folded ? '>' : '|', indented ? "2" : "", open_end ? "-" : "");
    for (const char *rest = folded ? tn_node_written(node)->spelling : node->as.text; *rest != '\0';) {
        size_t size = strcspn(rest, "\n");
        begin_line(w, size > 0 ? indent + INDENT : 0);
        tn_text_add(&w->body, "%.*s", (int)size, rest);
        rest += size + (rest[size] == '\n');
    }
}

/* Writes the value after a key or a dash: the rest of its line, and the lines below that belong to the value. */
static void add_value(writer *w, const tn_source_entry *e, size_t indent)
{
    tn_node *node = e->value;
    bool shares = shares_line(w, e, indent);
    if (shares || is_spread(w, e, indent)) {
        add_properties(w, " ", node, "");
        tn_text_add(&w->body, "%s", shares ? " " : "");
        write_block(w, node, indent + INDENT, shares);
    } else if (is_block_text(node)) {
        add_properties(w, " ", node, "");
        add_block_text(w, node, indent);
    } else if (is_text(node)) {
        const char *text = spell(w, node, false);
        add_properties(w, " ", node, "");
        tn_text_add(&w->body, "%s%s", text[0] != '\0' ? " " : "", text);
    } else {
        tn_text_add(&w->body, " ");
        add_flow(w, node);
    }
}

/* begun: the line and the comments above it are there already. */
static void write_entry(writer *w, const tn_source_entry *e, size_t indent, bool begun)
{
    if (!begun) {
        add_above(w, e, indent);
        begin_line(w, indent);
    }
    if (w->body.broken)
        return;
    if (!shares_line(w, e, indent))
        w->lines[w->count - 1].beside = e->beside;
    if (e->key == NULL) {
        tn_text_add(&w->body, "-");
    } else if (is_announced(w, e->key)) {
        tn_text_add(&w->body, "?");
        add_properties(w, " ", e->key, "");
        tn_text_add(&w->body, "%s%s", is_empty_text(e->key) ? "" : " ", spell(w, e->key, false));
        begin_line(w, indent);
        tn_text_add(&w->body, ":");
    } else {
        add_key(w, e->key, false);
    }
    add_value(w, e, indent);
}

static void write_block(writer *w, const tn_node *node, size_t indent, bool begun)
{
    for (unsigned i = 0; i < node->count && !w->body.broken && w->body.length <= TN_FILE_LIMIT; i++) {
        const tn_source_entry e_at = tn_source_at(node, i), *e = &e_at;
        bool apart = e->above != NULL ? e->above->blank_above : e->blank_above;
        if (i > 0 && (apart || e->value->spread || tn_node_value(node, i - 1)->spread))
            begin_line(w, 0);
        write_entry(w, e, indent, begun && i == 0);
    }
    const tn_comment *below = tn_node_written(node)->below;
    if (below != NULL && below->blank_above)
        begin_line(w, 0);
    add_comments(w, below, indent);
}

static void write_source(writer *w, const tn_source *source)
{
    const tn_node *root = source->root;
    add_comments(w, source->directives, 0);
    if (source->directives != NULL) {
        begin_line(w, 0);
        tn_text_add(&w->body, "---");
    }
    add_comments(w, source->head, 0);
    if (source->head != NULL && (source->head_apart || (root->count > 0 && tn_source_at(root, 0).above != NULL)))
        begin_line(w, 0);
    if (root->count == 0) {
        begin_line(w, 0);
        tn_text_add(&w->body, root->kind == TN_NODE_MAP ? "{}" : "[]");
    }
    write_block(w, root, 0, false);
}

/* Sets the ends and widths of the lines. */
static void measure_lines(writer *w)
{
    for (size_t i = 0; i < w->count; i++) {
        line *l = &w->lines[i];
        l->end = i + 1 < w->count ? l[1].begin : w->body.length;
        l->width = tn_source_width(w->body.data + l->begin, l->end - l->begin);
    }
}

/* Neighbours: lines of the same indentation without blank lines and comments between them. Returns the first line that
 * is not among those of the given one, and the column for their comments. */
static size_t find_group(const writer *w, size_t first, size_t *column)
{
    size_t low = w->lines[first].width, high = low, i = first;
    for (; i < w->count; i++) {
        const line *l = &w->lines[i];
        if (l->width == 0 || l->indent != w->lines[first].indent || w->body.data[l->begin + l->indent] == '#')
            break;
        if (l->beside == NULL)
            continue;
        size_t lower = l->width < low ? l->width : low, higher = l->width > high ? l->width : high;
        if (higher - lower > COMMENT_SHIFT)
            break;
        low = lower;
        high = higher;
    }
    *column = high + COMMENT_GAP;
    return i;
}

static int join_lines(char **out, writer *w)
{
    tn_text text;
    tn_text_begin(&text, w->context);
    measure_lines(w);
    size_t group = 0, column = 0;
    for (size_t i = 0; i < w->count; i++) {
        const line *l = &w->lines[i];
        tn_text_add(&text, "%.*s", (int)(l->end - l->begin), w->body.data + l->begin);
        if (l->beside != NULL && i >= group)
            group = find_group(w, i, &column);
        if (l->beside != NULL)
            tn_text_add(&text, "%*s%s", (int)(column - l->width), "", l->beside);
        tn_text_add(&text, "\n");
    }
    return tn_text_take(&text, out);
}

int tn_source_write(char **out, const tn_source *source)
{
    *out = NULL;
    if (tn_source_is_json(source))
        return tn_source_write_json(out, source);
    writer w = { .context = source->context, .arena = source->arena };
    tn_text_begin(&w.body, source->context);
    write_source(&w, source);
    int code = w.body.broken ? TN_ERROR_MEMORY : join_lines(out, &w);
    tn_free(source->context, w.body.data);
    tn_free(source->context, w.lines);
    return code;
}
