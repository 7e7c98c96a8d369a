/* Checks of XML texts before they are parsed, and access to trees of elements. */
#ifndef TN_FILES_XML_TEXT_H
#define TN_FILES_XML_TEXT_H

#include "xml.h"

/* A copy of the text that is safe to parse: UTF-8 with replacement characters, also for control characters, without entity declarations (an error).
 * Owned: tn_free. */
int tn_xml_screen(char **out, size_t *out_size, tn_context *context, tn_span start, const char *data, size_t size);
/* Without white space around it; NULL when out of memory. */
const char *tn_xml_trimmed(tn_arena *arena, const char *text);
void tn_xml_append(tn_xml *parent, tn_xml *element);

#endif
