/* YAML into a tree whose every node knows where it was written. The one parser of model files, commands, journals and
 * scripts: what only reads a text takes the values, and what writes it again (source_tree.h) asks for comments, blank
 * lines, spellings, anchors and aliases, too.
 *
 * Bounded whatever the input: depth, nodes and anchors are limited, and an alias shares the node it refers to but
 * counts with its full size, so that a tree walk costs no more than the limit. Duplicate keys are errors. */
#ifndef TN_IO_YAML_TREE_H
#define TN_IO_YAML_TREE_H

#include "mem.h"

enum {
    TN_YAML_DEPTH = 64,
    TN_YAML_NODES = 10000000,  /* under 60 bytes each; a body with its joint takes about 50 nodes */
    TN_YAML_ANCHORS = 1000,
    TN_YAML_ALIASES = 100000
};

typedef enum tn_node_kind { TN_NODE_TEXT, TN_NODE_LIST, TN_NODE_MAP } tn_node_kind;

typedef enum tn_node_style {
    TN_STYLE_PLAIN, TN_STYLE_QUOTED, TN_STYLE_LITERAL, TN_STYLE_FOLDED,    /* texts */
    TN_STYLE_BLOCK, TN_STYLE_FLOW                                          /* lists and maps */
} tn_node_style;

typedef struct tn_comment tn_comment;
struct tn_comment {
    const char *text;          /* "# like this": no line break, no trailing space */
    tn_comment *next;
    int column;                /* where it was read, from 0 */
    bool blank_above;
};

/* Comments, style and spelling of a node. A key, or an item of a list, has the comments of its entry. */
typedef struct tn_written {
    const char *anchor, *tag;  /* NULL: none; the tag as written, "!!str" */
    const char *alias;         /* the node is a copy of the one with this anchor; NULL: it stands for itself */
    const char *spelling;      /* texts: with quotes; folded: the lines without indentation; NULL: follows from text */
    tn_comment *above;         /* comments on lines of their own before the entry */
    const char *beside;        /* the comment at the end of its line; NULL: none */
    bool blank_above;          /* between the comments above, or the entry before, and this */
    tn_comment *below;         /* lists and maps: comments after the last entry */
} tn_written;

typedef struct tn_node tn_node;
struct tn_node {
    tn_span span;
    unsigned char kind;        /* tn_node_kind */
    bool quoted;               /* text in quotes or a block: never a number or a null */
    unsigned char style;       /* tn_node_style, as it was read */
    bool spread;               /* a map: one entry a line even if it would fit, and set apart from its neighbours */
    unsigned count;            /* items of a list, pairs of a map */
    unsigned begin, end;       /* where its text stands, in characters; space and comments may come before the end */
    union {
        const char *text;      /* no NUL inside */
        const tn_node *const *items;   /* list: the items; map: key, value, key, value, ...; keys are texts */
    } as;
    tn_written *written;       /* NULL: none, or not requested */
};

/* One document. budget is how many nodes may still be made (TN_YAML_NODES for a first file) and is reduced. *root is
 * NULL for an empty file. file and the arena must outlive the tree. TN_ERROR_MODEL with diagnostics; when only keys
 * are duplicate the tree is there nevertheless, so that the reader can look for further mistakes. */
int tn_yaml_parse(const tn_node **root, tn_arena *arena, tn_context *context, const char *file, const char *text,
                  size_t size, size_t *budget);
/* The same for a text that is part of a file: it begins at the place given. */
int tn_yaml_parse_at(const tn_node **root, tn_arena *arena, tn_context *context, tn_span place, const char *text,
                     size_t size, size_t *budget);
/* The value under a key; NULL: there is none, or it is no map. */
const tn_node *tn_node_get(const tn_node *map, const char *key);
/* The comments, style and spelling of a node, to be changed; NULL when out of memory. */
tn_written *tn_node_write(tn_arena *arena, tn_node *node);
/* Nothing was written: "key:", "~" or "null". */
bool tn_node_empty(const tn_node *node);
/* "a text", "a list" or "a map", for messages. */
const char *tn_node_kind_text(const tn_node *node);

#endif
