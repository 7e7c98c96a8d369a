/* The YAML parser while it works, shared by yaml_tree.c (values and limits) and yaml_comments.c (the rest). */
#ifndef TN_IO_YAML_PARSER_H
#define TN_IO_YAML_PARSER_H

#include <yaml.h>
#include "source_tree.h"

enum { TN_NO_LINE = -1 };

/* A collection that is being read. Its entries are on the stack from first on; the entry before holds itself. */
typedef struct tn_yaml_level {
    tn_node *node;
    size_t first;
    size_t weight;             /* nodes below, aliases counted in full */
    int anchor;                /* -1: none */
    int column;                /* of a block's entries; those of a flow have none of their own */
} tn_yaml_level;

/* An item of a list or a pair of a map, with its comments. */
typedef struct tn_yaml_entry {
    tn_node *key;              /* NULL: an item of a list */
    tn_node *value;
    tn_comment *above;
    const char *beside;
    bool blank_above;
} tn_yaml_entry;

typedef struct tn_yaml_anchor {
    const char *name;
    const tn_node *node;
    size_t weight;             /* 0: still open, an alias now would be recursive */
} tn_yaml_anchor;

typedef struct tn_yaml_parser {
    tn_context *context;
    tn_arena *arena;
    tn_span place;             /* of the first character */
    size_t budget;
    size_t aliases;
    tn_yaml_level levels[TN_YAML_DEPTH];
    int depth;
    tn_yaml_entry *entries;    /* the first is the document */
    size_t count, capacity;
    bool key_open;             /* the last entry has no value yet */
    tn_yaml_anchor *anchors;
    size_t anchor_count, anchor_capacity;
    bool duplicates;
    /* With comments: */
    tn_source *out;            /* NULL: values only */
    tn_source_scan scan;
    tn_source_cursor begin, end;
    size_t from, to;           /* bytes of the event */
    size_t next_comment, next_text;
    tn_comment *pending, *newest;          /* comments on lines of their own, for the entry to come */
    size_t last;               /* the entry that comments at the end of last_line belong to */
    long last_line;
} tn_yaml_parser;

/* yaml_tree.c */
int tn_yaml_run(tn_yaml_parser *p, const char *text, size_t size);
bool tn_yaml_expects_key(const tn_yaml_parser *p);

/* yaml_comments.c: called for every event when comments are wanted. */
/* Assigns the comments before the event. */
int tn_yaml_comments_before(tn_yaml_parser *p, const yaml_event_t *event);
/* Style, tag, quotes, and comments before the text itself. */
int tn_yaml_keep_text(tn_yaml_parser *p, tn_node *node, yaml_scalar_style_t style);
/* The tag of a list or map that begins, and the column of its entries. */
int tn_yaml_keep_open(tn_yaml_parser *p, tn_node *node, const yaml_event_t *event, int *column);
int tn_yaml_keep_close(tn_yaml_parser *p, const tn_yaml_level *level);
/* The pending comments belong to this entry. */
void tn_yaml_take_pending(tn_yaml_parser *p, tn_yaml_entry *entry);
/* Does a blank line come before the event? */
bool tn_yaml_blank_above(const tn_yaml_parser *p);
/* The comments of an entry go to its key or item. */
int tn_yaml_keep_entry(tn_yaml_parser *p, const tn_yaml_entry *entry);

#endif
