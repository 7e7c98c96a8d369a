/* JSON texts as trees, for formats that contain JSON. Depth is bounded; everything lives in the arena. */
#ifndef TN_IMPORT_JSON_TREE_H
#define TN_IMPORT_JSON_TREE_H

#include "mem.h"

typedef struct tn_json_node tn_json_node;
struct tn_json_node {
    char kind;                 /* { [ " 0 t f n */
    const char *key;           /* in an object; NULL otherwise */
    const char *text;          /* of a string, escapes as they stand in the file */
    double number;
    tn_json_node *first, *next;
    size_t count;              /* of children */
    tn_json_node **items;      /* of an array: its children by number */
};

/* The root; NULL: not JSON, or out of memory. */
tn_json_node *tn_json_read(tn_arena *arena, const char *data, size_t size);
/* A member of an object by its key, an element of an array; NULL: there is none, or the node is NULL. */
const tn_json_node *tn_json_member(const tn_json_node *node, const char *key);
const tn_json_node *tn_json_element(const tn_json_node *node, size_t index);
/* The number of a member; otherwise when there is none. */
double tn_json_number(const tn_json_node *node, const char *key, double otherwise);
const char *tn_json_text(const tn_json_node *node, const char *key);

#endif
