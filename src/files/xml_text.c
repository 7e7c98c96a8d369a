/* Helpers around XML that need no parser: screening of texts, looking into trees. */
#include "xml_text.h"

#include "diag.h"

#include <string.h>
#include <strings.h>

/* Length of the UTF-8 sequence at text, 0 when there is none. */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    size_t n = text[0] < 0x80 ? 1 : text[0] >= 0xc2 && text[0] < 0xe0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3
             : text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* Declared encodings other than UTF-8 are left to the parser. */
static bool is_declared_otherwise(const char *data, size_t size)
{
    char head[200] = "";
    if (size >= 2 && ((unsigned char)data[0] >= 0xfe || data[0] == 0 || data[1] == 0))
        return true;           /* UTF-16 */
    memcpy(head, data, size < sizeof head - 1 ? size : sizeof head - 1);
    const char *end = strstr(head, "?>"), *encoding = strstr(head, "encoding");
    if (!end || !encoding || encoding > end)
        return false;
    encoding += strcspn(encoding, "\"'");
    return encoding[0] && strncasecmp(encoding + 1, "utf-8", 5) != 0;
}

/* Where the text goes on after spaces and comments. */
static size_t skip_comments(const char *text, size_t size, size_t at)
{
    for (;;) {
        while (at < size && text[at] && strchr(" \t\r\n", text[at]))
            at++;
        if (at + 4 >= size || strncmp(text + at, "<!--", 4) != 0)
            return at;
        for (at += 4; at + 2 < size && strncmp(text + at, "-->", 3) != 0; )
            at++;
        at += 3;
    }
}

/* Spaces take the place of the XML declaration: the text is UTF-8 by now, and in many files the declaration stands too late or is
 * misspelt. One at the very start that declares another encoding stays. */
static void blank_declaration(char *text, size_t size, bool encoded)
{
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, at = skip_comments(text, size, mark);
    if ((encoded && at == mark) || at + 6 >= size || strncmp(text + at, "<?xml", 5) != 0 || !strchr(" \t\r\n", text[at + 5]))
        return;
    size_t end = at;
    while (end + 1 < size && (text[end] != '?' || text[end + 1] != '>'))
        end++;
    for (size_t i = at; end + 1 < size && i < end + 2; i++)
        text[i] = text[i] == '\n' ? '\n' : ' ';
}

/* The line of an entity declaration, 0: there is none. */
static int find_entity(const char *text, size_t size)
{
    int line = 1;
    for (size_t i = 0; i + 8 < size; i++) {
        if (text[i] == '\n')
            line++;
        else if (text[i] == '<' && text[i + 1] == '!' && strncmp(text + i, "<!ENTITY", 8) == 0)
            return line;
    }
    return 0;
}

int tn_xml_screen(char **out, size_t *out_size, tn_context *context, tn_span start, const char *data, size_t size)
{
    bool as_is = is_declared_otherwise(data, size);
    char *copy = tn_alloc(context, (as_is ? 1 : 3) * size + 1, 1);
    size_t used = 0;
    if (!copy)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < size; ) {
        size_t n = as_is ? 1 : utf8_length((const unsigned char *)data + i, size - i);
        unsigned char c = (unsigned char)data[i];
        bool control = !as_is && c < 0x20 && c != '\t' && c != '\n' && c != '\r';
        n = control ? 0 : n;
        if (n > 0) {
            memcpy(copy + used, data + i, n);
        } else {
            memcpy(copy + used, "\xef\xbf\xbd", 3);
        }
        used += n > 0 ? n : 3;
        i += n > 0 ? n : 1;
    }
    blank_declaration(copy, used, as_is);
    start.line = find_entity(copy, used);
    if (start.line > 0) {
        tn_free(context, copy);
        return tn_fail(context, TN_ERROR_MODEL, start, "the file declares entities, which are not accepted; "
                                                       "write their text in place");
    }
    *out = copy;
    *out_size = used;
    return TN_OK;
}

const char *tn_xml_trimmed(tn_arena *arena, const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    return length > 0 ? tn_arena_strndup(arena, text, length) : "";
}

void tn_xml_append(tn_xml *parent, tn_xml *element)
{
    element->parent = parent;
    element->next = NULL;
    if (!parent)
        return;
    if (parent->last)
        parent->last->next = element;
    else
        parent->first = element;
    parent->last = element;
}

tn_xml *tn_xml_child(const tn_xml *element, const char *name)
{
    tn_xml *child = element ? element->first : NULL;
    while (child && name && strcmp(child->name, name) != 0)
        child = child->next;
    return child;
}

tn_xml *tn_xml_next(const tn_xml *element, const char *name)
{
    tn_xml *next = element->next;
    while (next && name && strcmp(next->name, name) != 0)
        next = next->next;
    return next;
}

const char *tn_xml_get(const tn_xml *element, const char *name)
{
    for (const tn_xml_attribute *a = element ? element->attributes : NULL; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

bool tn_xml_is(const tn_xml *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

const char *tn_xml_child_text(const tn_xml *element, const char *name)
{
    const tn_xml *child = tn_xml_child(element, name);
    return child ? child->text : NULL;
}

int tn_xml_set(tn_arena *arena, tn_xml *element, const char *name, const char *value)
{
    tn_xml_attribute **end = &element->attributes;
    for (; *end; end = &(*end)->next)
        if (strcmp((*end)->name, name) == 0)
            break;
    if (!*end) {
        *end = tn_arena_alloc(arena, 1, sizeof **end);
        if (!*end)
            return TN_ERROR_MEMORY;
        (*end)->name = tn_arena_strdup(arena, name);
    }
    (*end)->value = tn_arena_strdup(arena, value);
    if ((*end)->name && (*end)->value)
        return TN_OK;
    (*end)->name = (*end)->value = "";
    return TN_ERROR_MEMORY;
}
