/* XML files as trees whose elements know their place. Bounded whatever the input: size, depth and number of elements;
 * entities are refused, and nothing is ever fetched. */
#ifndef TN_FILES_XML_H
#define TN_FILES_XML_H

#include "mem.h"

typedef struct tn_xml_attribute {
    const char *name, *value;
    struct tn_xml_attribute *next;
} tn_xml_attribute;

typedef struct tn_xml tn_xml;
struct tn_xml {
    const char *name;          /* without namespace */
    const char *space;         /* prefix of the namespace; "" for none */
    const char *text;          /* of the element itself, trimmed; "" for none */
    tn_xml_attribute *attributes;
    tn_xml *parent, *first, *last, *next;
    tn_span place;
};

enum { TN_XML_LIMIT = 256 << 20, TN_XML_DEPTH = 1500, TN_XML_ELEMENTS = 5000000 };

/* The root element. Text that is not UTF-8 is taken with replacement characters. TN_ERROR_MODEL with a diagnostic at the
 * place; file stands for it in messages and must outlive the tree. */
int tn_xml_parse(tn_xml **root, tn_arena *arena, tn_context *context, const char *file, const char *data, size_t size);

/* The first child with the name, NULL: none; the next sibling with the name. name NULL: any. */
tn_xml *tn_xml_child(const tn_xml *element, const char *name);
tn_xml *tn_xml_next(const tn_xml *element, const char *name);
/* NULL: there is none. */
const char *tn_xml_get(const tn_xml *element, const char *name);
bool tn_xml_is(const tn_xml *element, const char *name);
/* The text of a child element, trimmed; NULL: there is no such child. */
const char *tn_xml_child_text(const tn_xml *element, const char *name);
/* The element for building trees: adds an attribute, or replaces its value. */
int tn_xml_set(tn_arena *arena, tn_xml *element, const char *name, const char *value);

#endif
