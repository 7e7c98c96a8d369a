/* The reader of Ondsel assemblies: what its files share. */
#ifndef TN_IMPORT_ASMT_READER_H
#define TN_IMPORT_ASMT_READER_H

#include "source.h"

/* A line of the file, with those that are one tab further in. */
typedef struct asmt_node asmt_node;
struct asmt_node {
    const char *text;
    int line;
    asmt_node *first, *last, *next;
};

typedef struct asmt_marker {
    tn_pose pose;              /* in the body's frame */
    int body;
    int frame;                 /* of the body, for expressions; -1: not asked for yet */
} asmt_marker;

typedef struct asmt_reader {
    tn_machine *machine;
    const tn_source_files *files;
    asmt_node *root;
    tn_name_index *markers, *joints;   /* by path: "/Assembly1/Part1/Marker1" */
    asmt_marker *marker_list;
    size_t marker_count, marker_capacity;
    int table_count;           /* splines so far */
    bool failed;
} asmt_reader;

#define ASMT_ERROR(r, node, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, tn_asmt_place(r, node), __VA_ARGS__))

tn_span tn_asmt_place(const asmt_reader *r, const asmt_node *node);
asmt_node *tn_asmt_child(const asmt_node *node, const char *name);
/* The text of the first line below a word; NULL: none. */
const char *tn_asmt_value(const asmt_node *node, const char *name);
double tn_asmt_number(asmt_reader *r, const asmt_node *node, const char *name, double otherwise);
/* The marker that a joint, motion, limit or force names; NULL with an error when there is none. */
asmt_marker *tn_asmt_marker(asmt_reader *r, const asmt_node *item, const char *which);

/* Joints, motions, limits and forces of an assembly. */
void tn_asmt_sets(asmt_reader *r, const asmt_node *assembly, const char *path);
void tn_asmt_motion(asmt_reader *r, const asmt_node *motion);
void tn_asmt_limit(asmt_reader *r, const asmt_node *limit);
void tn_asmt_force(asmt_reader *r, const asmt_node *force);

/* A function of the file as an expression without units, of SI units; NULL with a text in why when it has no counterpart.
 * i, j: the markers that rIJ(self) and vrIJ(self) mean; NULL: none. In the arena. */
const char *tn_asmt_expression(asmt_reader *r, const asmt_node *node, asmt_marker *i, asmt_marker *j, char why[160]);

#endif
