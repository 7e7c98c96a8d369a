/* The first pass over a text: finds its comments, quotes, blocks, tags and directives. */
#include "source_tree.h"
#include "diag.h"
#include <string.h>
#include <yaml.h>

typedef struct scanner {
    tn_context *context;
    const char *file;
    tn_source_scan *out;
    tn_source_cursor cursor;
    size_t end;                /* of the token before */
} scanner;

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t tn_source_offset(tn_source_cursor *c, size_t index)
{
    for (; c->index < index && c->offset < c->size; c->index++)
        do
            c->offset++;
        while (c->offset < c->size && is_continuation(c->text[c->offset]));
    for (; c->index > index && c->offset > 0; c->index--)
        do
            c->offset--;
        while (c->offset > 0 && is_continuation(c->text[c->offset]));
    return c->offset;
}

size_t tn_source_width(const char *text, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++)
        width += !is_continuation(text[i]);
    return width;
}

size_t tn_source_break(const char *at)
{
    if (at[0] == '\n')
        return 1;
    if (at[0] == '\r')
        return at[1] == '\n' ? 2 : 1;
    if (strncmp(at, "\xc2\x85", 2) == 0)
        return 2;
    return strncmp(at, "\xe2\x80\xa8", 3) == 0 || strncmp(at, "\xe2\x80\xa9", 3) == 0 ? 3 : 0;
}

static size_t line_begin(const char *text, size_t at)
{
    while (at > 0 && tn_source_break(text + at - 1) != 1 && (at < 2 || tn_source_break(text + at - 2) != 2) &&
           (at < 3 || tn_source_break(text + at - 3) != 3))
        at--;
    return at;
}

static int add_piece(scanner *s, tn_source_pieces *pieces, tn_source_piece piece)
{
    TN_TRY(tn_grow(s->context, &pieces->items, &pieces->capacity, pieces->count + 1, sizeof *pieces->items));
    pieces->items[pieces->count++] = piece;
    return TN_OK;
}

static bool only_space(const char *text, size_t from, size_t to)
{
    while (from < to && (text[from] == ' ' || text[from] == '\t'))
        from++;
    return from == to;
}

static int add_comment(scanner *s, size_t at, size_t length, size_t line)
{
    const char *text = s->cursor.text;
    size_t begin = line_begin(text, at);
    if (s->out->comments.count == TN_SOURCE_COMMENTS)
        return tn_fail(s->context, TN_ERROR_MODEL, ((tn_span){ s->file, (int)line + 1, 1 }), "more than %d comments",
                       TN_SOURCE_COMMENTS);
    while (text[at + length - 1] == ' ' || text[at + length - 1] == '\t')
        length--;
    return add_piece(s, &s->out->comments,
                     (tn_source_piece){ .offset = at, .length = length, .line = line,
                                        .column = (int)tn_source_width(text + begin, at - begin),
                                        .alone = only_space(text, begin, at) });
}

/* The comments between two tokens, of which the first ends on the given line. */
static int scan_gap(scanner *s, size_t from, size_t to, size_t line)
{
    const char *text = s->cursor.text;
    for (size_t at = from; at < to;) {
        size_t length = tn_source_break(text + at);
        if (length > 0) {
            line++;
        } else if (text[at] == '#') {
            while (at + length < to && tn_source_break(text + at + length) == 0)
                length++;
            TN_TRY(add_comment(s, at, length, line));
        } else {
            length = 1;
        }
        at += length;
    }
    return TN_OK;
}

/* A block's first line may end in a comment: "key: |   # like this". */
static int scan_block_head(scanner *s, size_t from, size_t to, size_t line)
{
    const char *text = s->cursor.text;
    size_t end = from;
    while (end < to && tn_source_break(text + end) == 0)
        end++;
    return scan_gap(s, from, end, line);
}

static int scan_token(scanner *s, const yaml_token_t *token, size_t *line)
{
    size_t begin = tn_source_offset(&s->cursor, token->start_mark.index);
    if (begin > s->end)
        TN_TRY(scan_gap(s, s->end, begin, *line));
    size_t end = tn_source_offset(&s->cursor, token->end_mark.index);
    if (end <= s->end)
        return TN_OK;
    tn_source_piece piece = { .offset = begin, .length = end - begin, .line = token->start_mark.line,
                              .is_tag = token->type == YAML_TAG_TOKEN };
    yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;
    if (token->type == YAML_SCALAR_TOKEN)
        style = token->data.scalar.style;
    if (token->type == YAML_VERSION_DIRECTIVE_TOKEN || token->type == YAML_TAG_DIRECTIVE_TOKEN)
        TN_TRY(add_piece(s, &s->out->directives, piece));
    else if (piece.is_tag || (style != YAML_ANY_SCALAR_STYLE && style != YAML_PLAIN_SCALAR_STYLE))
        TN_TRY(add_piece(s, &s->out->texts, piece));
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
        TN_TRY(scan_block_head(s, begin, end, token->start_mark.line));
    s->end = end;
    *line = token->end_mark.line;
    return TN_OK;
}

/* How much deeper the text is nested after the token. */
static int nesting(yaml_token_type_t type)
{
    switch (type) {
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN:
    case YAML_BLOCK_SEQUENCE_START_TOKEN:
    case YAML_BLOCK_MAPPING_START_TOKEN:
        return 1;
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN:
    case YAML_BLOCK_END_TOKEN:
        return -1;
    default:
        return 0;
    }
}

/* Ends where the parser will complain: deeper texts take a time that grows with the square of their length. */
static int scan_tokens(scanner *s, yaml_parser_t *yaml)
{
    size_t line = 0;
    int depth = 0;
    bool more = true;
    while (more && s->out->texts.count <= TN_YAML_NODES && depth <= TN_YAML_DEPTH) {
        yaml_token_t token;
        if (!yaml_parser_scan(yaml, &token))               /* the parser says what is wrong */
            return yaml->error == YAML_MEMORY_ERROR ? TN_ERROR_MEMORY : TN_OK;
        more = token.type != YAML_STREAM_END_TOKEN;
        depth += nesting(token.type);
        int code = scan_token(s, &token, &line);
        yaml_token_delete(&token);
        TN_TRY(code);
    }
    return more ? TN_OK : scan_gap(s, s->end, s->cursor.size, line);
}

int tn_source_scan_text(tn_source_scan *out, tn_context *context, const char *file, const char *text, size_t size)
{
    *out = (tn_source_scan){ 0 };
    yaml_parser_t yaml;
    if (!yaml_parser_initialize(&yaml))
        return TN_ERROR_MEMORY;
    yaml_parser_set_encoding(&yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml, (const unsigned char *)text, size);
    scanner s = { .context = context, .file = file, .out = out, .cursor = { .text = text, .size = size } };
    int code = scan_tokens(&s, &yaml);
    yaml_parser_delete(&yaml);
    return code;
}

void tn_source_scan_free(tn_source_scan *scan, tn_context *context)
{
    tn_free(context, scan->comments.items);
    tn_free(context, scan->texts.items);
    tn_free(context, scan->directives.items);
}
