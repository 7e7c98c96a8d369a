/* A text as its author wrote it, to be changed and written again: the tree of yaml_tree.h with comments, blank lines,
 * spellings, anchors and aliases. It is plain data in an arena, and what is not changed keeps its comments and
 * spellings. To change a text, set as.text and clear the spelling. */
#ifndef TN_IO_SOURCE_TREE_H
#define TN_IO_SOURCE_TREE_H

#include "yaml_tree.h"

enum { TN_SOURCE_COMMENTS = 1000000 };     /* as many as a file may have: about 100 bytes each */

/* An item of a list or a pair of a map, with the comments that belong to it. */
typedef struct tn_source_entry {
    tn_node *key;              /* NULL: an item of a list */
    tn_node *value;
    const tn_comment *above;   /* on lines of their own */
    const char *beside;        /* at the end of its line; NULL: none */
    bool blank_above;          /* between the comments above, or the entry before, and this */
} tn_source_entry;
tn_source_entry tn_source_at(const tn_node *node, unsigned index);
/* The node that has the comments of an entry: its key, or the item. */
tn_node *tn_node_head(const tn_node *node, unsigned index);
tn_node *tn_node_value(const tn_node *node, unsigned index);
/* Comments, style and spelling of the node; never NULL. */
const tn_written *tn_node_written(const tn_node *node);

typedef struct tn_source {
    tn_context *context;
    tn_arena *arena;
    const char *text;          /* as it was read, without byte order mark; text[size] is 0 */
    size_t size;
    tn_comment *directives;    /* "%YAML 1.1" */
    tn_comment *head;          /* what the file begins with */
    bool head_apart;           /* a blank line follows it */
    tn_node *root;             /* NULL: the text is empty */
    size_t references;         /* anchors and aliases */
} tn_source;

/* As tn_yaml_parse_at; the root may be anything. A byte order mark is skipped, UTF-16 refused. Everything is in the
 * arena; the text need not be kept. */
int tn_source_parse(tn_source *out, tn_arena *arena, tn_context *context, tn_span place, const char *text, size_t size,
                    size_t *budget);
/* Writes a root that is a map or list in normal form, as JSON when the source is JSON. A result above TN_FILE_LIMIT is
 * cut off, but still above the limit: indentation can multiply the size of a hostile source. Owned: tn_free. */
int tn_source_write(char **out, const tn_source *source);

/* Every value is JSON, spelled as JSON, and there is nothing else. */
bool tn_source_is_json(const tn_source *source);
int tn_source_write_json(char **out, const tn_source *source);
/* The number of characters of a UTF-8 text: approximately its width on the screen. */
size_t tn_source_width(const char *text, size_t size);
/* How a text is written on one line, in flow or block surroundings: quoted only where needed. "" when nothing has to be
 * written, NULL when out of memory. */
const char *tn_source_spell(tn_arena *arena, tn_node *node, bool flow);
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
/* text[size] must be 0. Ends where the text is no YAML. TN_ERROR_MODEL with a diagnostic when there are too many
 * comments. */
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
