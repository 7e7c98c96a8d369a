/* XML files as trees, parsed by libxml2 without entities, network or unbounded depth. */
#include "xml.h"

#include "diag.h"
#include "xml_text.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

/* Keeps the first error of the parser, with its place. */
typedef struct xml_trouble {
    char text[200];
    int line;
    bool fatal;
} xml_trouble;

static void note_trouble(void *user, xmlErrorPtr error)
{
    xml_trouble *trouble = user;
    if (error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE || trouble->fatal)
        return;                /* an undeclared prefix is no reason to refuse a file */
    trouble->fatal = true;
    trouble->line = error->line;
    snprintf(trouble->text, sizeof trouble->text, "%s", error->message ? error->message : "not XML");
    trouble->text[strcspn(trouble->text, "\r\n")] = 0;
}

typedef struct xml_copy {
    tn_arena *arena;
    tn_context *context;
    const char *file;
    size_t elements;
} xml_copy;

static tn_xml *copy_element(xml_copy *copy, const xmlNode *node)
{
    tn_xml *element = tn_arena_alloc(copy->arena, 1, sizeof *element);
    if (!element)
        return NULL;
    const char *name = (const char *)node->name, *colon = strchr(name, ':');
    element->space = node->ns && node->ns->prefix ? tn_arena_strdup(copy->arena, (const char *)node->ns->prefix)
                     : colon ? tn_arena_strndup(copy->arena, name, (size_t)(colon - name)) : "";
    element->name = tn_arena_strdup(copy->arena, colon ? colon + 1 : name);
    element->text = "";
    element->place = (tn_span){ copy->file, (int)xmlGetLineNo(node), 1 };
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        const char *value = a->children && a->children->content ? (const char *)a->children->content : "";
        tn_xml_set(copy->arena, element, (const char *)a->name, value);
    }
    for (const xmlNode *child = node->children; child; child = child->next)
        if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) && child->content &&
            element->text[0] == 0)
            element->text = tn_xml_trimmed(copy->arena, (const char *)child->content);
    return element->name && element->space && element->text ? element : NULL;
}

/* Copies the tree without recursion, so that its depth is bounded by the limit and not by the stack. */
static int copy_tree(tn_xml **root, xml_copy *copy, const xmlNode *top)
{
    const xmlNode *node = top;
    tn_xml *parent = NULL;
    int depth = 0;
    while (node) {
        tn_xml *element = copy_element(copy, node);
        if (!element)
            return TN_ERROR_MEMORY;
        if (++copy->elements > TN_XML_ELEMENTS)
            return tn_fail(copy->context, TN_ERROR_MODEL, element->place, "more than %d elements", TN_XML_ELEMENTS);
        tn_xml_append(parent, element);
        if (!parent)
            *root = element;
        const xmlNode *child = xmlFirstElementChild((xmlNode *)node);
        if (child) {
            if (++depth > TN_XML_DEPTH)
                return tn_fail(copy->context, TN_ERROR_MODEL, element->place, "elements are nested more than %d deep",
                               TN_XML_DEPTH);
            parent = element;
            node = child;
            continue;
        }
        while (node != top && !xmlNextElementSibling((xmlNode *)node)) {
            node = node->parent;
            parent = parent ? parent->parent : NULL;
            depth--;
        }
        node = node == top ? NULL : xmlNextElementSibling((xmlNode *)node);
    }
    return TN_OK;
}

int tn_xml_parse(tn_xml **root, tn_arena *arena, tn_context *context, const char *file, const char *data, size_t size)
{
    tn_span start = { file, 1, 1 };
    char *clean = NULL;
    if (size > TN_XML_LIMIT)
        return tn_fail(context, TN_ERROR_MODEL, start, "XML text of more than %d MB", TN_XML_LIMIT >> 20);
    TN_TRY(tn_xml_screen(&clean, &size, context, start, data, size));
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    xml_trouble trouble = { .text = "", .line = 1 };
    if (!parser) {
        tn_free(context, clean);
        return TN_ERROR_MEMORY;
    }
    xmlSetStructuredErrorFunc(&trouble, note_trouble);
    xmlDocPtr document = xmlCtxtReadMemory(parser, clean, (int)size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_HUGE |
                                           XML_PARSE_NOBLANKS | XML_PARSE_BIG_LINES | XML_PARSE_COMPACT);
    xmlSetStructuredErrorFunc(NULL, NULL);
    const xmlNode *top = document ? xmlDocGetRootElement(document) : NULL;
    int code = TN_OK;
    if (trouble.fatal || !top)
        code = tn_fail(context, TN_ERROR_MODEL, ((tn_span){ file, trouble.line, 1 }), "not well-formed XML: %s",
                       trouble.text[0] ? trouble.text : "there is no element");
    else
        code = copy_tree(root, &(xml_copy){ arena, context, file, 0 }, top);
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    tn_free(context, clean);
    return code < 0 ? code : tn_arena_status(arena);
}
