/* A model file as it is written: a tree that keeps comments, blank lines, spellings, anchors and aliases.
 *
 * Where yaml_tree.h gives what a text means, this gives what its author wrote. The tree is plain data in an arena: it
 * may be changed freely and written again, and what was not changed keeps its comments and spellings. To change a text,
 * set text and clear spelling. */
#ifndef TN_IO_SOURCE_TREE_H
#define TN_IO_SOURCE_TREE_H

#include "mem.h"

enum { TN_SOURCE_COMMENTS = 1000000 };     /* as many as a file may have: about 100 bytes each */

typedef struct tn_comment tn_comment;
struct tn_comment {
    const char *text;          /* "# like this": no line break, no trailing space */
    tn_comment *next;
    int column;                /* where it was read, from 0 */
    bool blank_above;
};

typedef enum tn_source_kind { TN_SOURCE_TEXT, TN_SOURCE_ALIAS, TN_SOURCE_LIST, TN_SOURCE_MAP } tn_source_kind;
typedef enum tn_source_style {
    TN_STYLE_PLAIN, TN_STYLE_QUOTED, TN_STYLE_LITERAL, TN_STYLE_FOLDED,    /* texts */
    TN_STYLE_BLOCK, TN_STYLE_FLOW                                          /* lists and maps */
} tn_source_style;

typedef struct tn_source_entry tn_source_entry;
typedef struct tn_source_node {
    unsigned char kind;        /* tn_source_kind */
    unsigned char style;       /* tn_source_style, as it was read */
    bool spread;               /* a map: one entry a line even if it would fit, and set apart from its neighbours */
    unsigned count;            /* entries */
    const char *anchor, *tag;  /* NULL: none; the tag as written, "!!str" */
    const char *text;          /* texts: what it means; aliases: the anchor's name */
    const char *spelling;      /* texts: with quotes; folded: the lines without indentation; NULL: follows from text */
    tn_source_entry *entries;  /* lists and maps */
    tn_comment *below;         /* lists and maps: comments after the last entry */
} tn_source_node;

/* An item of a list or a pair of a map, with the comments that belong to it. */
struct tn_source_entry {
    tn_source_node *key;       /* NULL: an item of a list */
    tn_source_node *value;
    tn_comment *above;         /* on lines of their own */
    const char *beside;        /* at the end of its line; NULL: none */
    bool blank_above;          /* between the comments above, or the entry before, and this */
};

typedef struct tn_source {
    tn_context *context;
    tn_arena *arena;
    tn_comment *directives;    /* "%YAML 1.1" */
    tn_comment *head;          /* what the file begins with */
    bool head_apart;           /* a blank line follows it */
    tn_source_node *root;      /* a map or a list */
    size_t references;         /* anchors and aliases */
} tn_source;

/* The text must have passed tn_yaml_parse, which knows the limits and explains mistakes, its root must be a map or
 * list, it must be UTF-8 without byte order mark, and text[size] must be 0. Everything is in the arena; the text need
 * not be kept. TN_ERROR_MODEL with a diagnostic when there are more than TN_SOURCE_COMMENTS comments. */
int tn_source_parse(tn_source *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                    size_t size);
/* In normal form, as JSON when the source is. A text beyond TN_FILE_LIMIT ends early, still beyond it: indentation can
 * multiply a hostile source. Owned: tn_free. */
int tn_source_write(char **out, const tn_source *source);

/* Every value is JSON, spelled as JSON, and there is nothing else. */
bool tn_source_is_json(const tn_source *source);
int tn_source_write_json(char **out, const tn_source *source);
/* The characters of a UTF-8 text: how wide it is on the screen, more or less. */
size_t tn_source_width(const char *text, size_t size);
/* How a text is written on one line, in flow or block surroundings: quoted only where needed. "" when nothing has to be
 * written, NULL when out of memory. */
const char *tn_source_spell(tn_arena *arena, tn_source_node *node, bool flow);
/* Would the text read the same without quotes? */
bool tn_source_plain(const char *text, bool flow);

/* The parts of a text that a YAML parser drops, in order of their offsets. */
typedef struct tn_source_piece {
    size_t offset, length;     /* bytes */
    size_t line;               /* from 0 */
    int column;                /* from 0, in characters */
    bool alone;                /* comments: nothing but space before it on its line */
    bool is_tag;               /* not a comment nor a text: a tag */
} tn_source_piece;
typedef struct tn_source_pieces {
    tn_source_piece *items;
    size_t count, capacity;
} tn_source_pieces;
typedef struct tn_source_scan {
    tn_source_pieces comments;
    tn_source_pieces texts;    /* quotes, blocks and tags */
    tn_source_pieces directives;
} tn_source_scan;
/* text[size] must be 0. TN_ERROR_MODEL with a diagnostic when there are too many comments. */
int tn_source_scan_text(tn_source_scan *out, tn_context *context, const char *file, const char *text, size_t size);
void tn_source_scan_free(tn_source_scan *scan, tn_context *context);

/* Bytes of the line break that begins there, 0 when none does. YAML 1.1 has five. */
size_t tn_source_break(const char *at);
/* Bytes before a character, for character counts that come in nearly ascending order. */
typedef struct tn_source_cursor {
    const char *text;
    size_t size, index, offset;
} tn_source_cursor;
size_t tn_source_offset(tn_source_cursor *cursor, size_t index);

#endif
