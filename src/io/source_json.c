/* Recognizes sources that are JSON, and writes them as JSON again. */
#include "source_tree.h"
#include "file.h"
#include <ctype.h>
#include <string.h>

enum { LINE_WIDTH = 120, INDENT = 2 };

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(const char *p)
{
    p += *p == '-';
    size_t digits = strspn(p, "0123456789");
    if (digits == 0 || (p[0] == '0' && digits > 1))
        return false;
    p += digits;
    if (*p == '.') {
        digits = strspn(p + 1, "0123456789");
        if (digits == 0)
            return false;
        p += digits + 1;
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        digits = strspn(p, "0123456789");
        if (digits == 0)
            return false;
        p += digits;
    }
    return *p == '\0';
}

static bool is_string(const char *p)
{
    if (p == NULL || *p != '"')
        return false;
    for (p++; p[1] != '\0'; p++) {
        if ((unsigned char)*p < ' ')
            return false;
        if (*p != '\\')
            continue;
        p++;
        if (strchr("\"\\/bfnrtu", *p) == NULL)
            return false;
    }
    return true;
}

static bool is_json_text(const tn_node *node)
{
    const char *text = node->as.text;
    if (node->style != TN_STYLE_PLAIN)
        return is_string(tn_node_written(node)->spelling);
    return is_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || strcmp(text, "null") == 0;
}

static bool is_json(const tn_node *node)
{
    const tn_written *written = tn_node_written(node);
    if (written->alias != NULL || written->anchor != NULL || written->tag != NULL)
        return false;
    if (node->kind == TN_NODE_TEXT)
        return is_json_text(node);
    if (node->style != TN_STYLE_FLOW || written->below != NULL)
        return false;
    for (unsigned i = 0; i < node->count; i++) {
        const tn_source_entry e_at = tn_source_at(node, i), *e = &e_at;
        if (e->above != NULL || e->beside != NULL || !is_json(e->value))
            return false;
        if (e->key != NULL && (e->key->style == TN_STYLE_PLAIN || !is_json(e->key)))
            return false;
    }
    return true;
}

bool tn_source_is_json(const tn_source *source)
{
    return source->head == NULL && source->directives == NULL && is_json(source->root);
}

static const char *spelled(const tn_node *node)
{
    return node->style == TN_STYLE_PLAIN ? node->as.text : tn_node_written(node)->spelling;
}

/* { "a": 1, "b": [2, 3] } on one line; more than limit as soon as that is certain. */
static size_t json_width(const tn_node *node, size_t limit)
{
    if (node->kind == TN_NODE_TEXT)
        return tn_source_width(spelled(node), strlen(spelled(node)));
    size_t width = node->kind == TN_NODE_MAP && node->count > 0 ? 4 : 2;
    for (unsigned i = 0; i < node->count && width <= limit; i++) {
        const tn_source_entry e_at = tn_source_at(node, i), *e = &e_at;
        width += (i > 0 ? 2 : 0) + (e->key != NULL ? json_width(e->key, limit) + 2 : 0) + json_width(e->value, limit);
    }
    return width;
}

/* used: how far the line is filled. */
static void add_json(tn_text *out, const tn_node *node, size_t indent, size_t used)
{
    if (node->kind == TN_NODE_TEXT) {
        tn_text_add(out, "%s", spelled(node));
        return;
    }
    bool map = node->kind == TN_NODE_MAP;
    bool spread = node->count > 0 && (node->spread || used + json_width(node, LINE_WIDTH) + 1 > LINE_WIDTH);
    const char *space = map && node->count > 0 ? " " : "";
    tn_text_add(out, "%c%s", map ? '{' : '[', spread ? "" : space);
    for (unsigned i = 0; i < node->count && out->length <= TN_FILE_LIMIT; i++) {
        const tn_source_entry e_at = tn_source_at(node, i), *e = &e_at;
        if (spread)
            tn_text_add(out, "%s\n%*s", i > 0 ? "," : "", (int)(indent + INDENT), "");
        else
            tn_text_add(out, "%s", i > 0 ? ", " : "");
        if (e->key != NULL)
            tn_text_add(out, "%s: ", spelled(e->key));
        size_t filled = indent + INDENT + (e->key != NULL ? json_width(e->key, LINE_WIDTH) + 2 : 0);
        add_json(out, e->value, indent + INDENT, spread ? filled : 0);
    }
    if (spread)
        tn_text_add(out, "\n%*s%c", (int)indent, "", map ? '}' : ']');
    else
        tn_text_add(out, "%s%c", space, map ? '}' : ']');
}

int tn_source_write_json(char **out, const tn_source *source)
{
    tn_text text;
    tn_text_begin(&text, source->context);
    add_json(&text, source->root, 0, 0);
    tn_text_add(&text, "\n");
    return tn_text_take(&text, out);
}
