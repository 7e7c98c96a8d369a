/* How texts are written: plain where that means the same, else in quotes. */
#include "source_tree.h"
#include <ctype.h>
#include <string.h>

/* Whether the character needs no escape, by the YAML reader's rules. Never called for line breaks and NULs. */
static bool is_printable(unsigned long c)
{
    return (c >= 0x20 && c <= 0x7e) || (c >= 0xa0 && c <= 0xd7ff && c != 0x2028 && c != 0x2029) ||
           (c >= 0xe000 && c <= 0xfffd && c != 0xfeff) || (c >= 0x10000 && c <= 0x10ffff);
}

/* The character of a valid UTF-8 text, and how many bytes it takes. */
static unsigned long decode(const char *text, int *bytes)
{
    unsigned char first = (unsigned char)text[0];
    *bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    unsigned long c = *bytes == 1 ? first : first & (0x7fu >> *bytes);
    for (int i = 1; i < *bytes; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return c;
}

static bool all_printable(const char *text)
{
    for (int bytes; *text != '\0'; text += bytes)
        if (!is_printable(decode(text, &bytes)))
            return false;
    return true;
}

/* A colon ends a key, a hash begins a comment, and flows have brackets and commas of their own. */
static bool has_indicator(const char *text, bool flow)
{
    const char *of_flow = ",[]{}?";
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == ':' && (p[1] == '\0' || p[1] == ' ' || strchr(of_flow, p[1]) != NULL))
            return true;
        if (*p == '#' && p > text && p[-1] == ' ')
            return true;
        if (flow && strchr(of_flow, *p) != NULL)
            return true;
    }
    return false;
}

bool tn_source_plain(const char *text, bool flow)
{
    size_t length = strlen(text);
    if (length == 0 || text[0] == ' ' || text[length - 1] == ' ' || strchr("?:,[]{}#&*!|>'\"%@`", text[0]) != NULL)
        return false;
    if (text[0] == '-' && (text[1] == '\0' || text[1] == ' ' || strchr(",[]{}?-", text[1]) != NULL))
        return false;
    return strncmp(text, "...", 3) != 0 && !has_indicator(text, flow) && all_printable(text);
}

/* A plain text that YAML would take for a number, a date, a truth value or nothing: by the old rules or the new. */
static bool reads_as_value(const char *text)
{
    static const char *const words[] = { "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<",
                                         ".inf", "-.inf", "+.inf", ".nan" };
    char lower[8] = "";
    for (size_t i = 0; i + 1 < sizeof lower && text[i] != '\0'; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    for (size_t i = 0; i < TN_LENGTH(words); i++)
        if (strlen(text) < sizeof lower && strcmp(lower, words[i]) == 0)
            return true;
    size_t sign = strspn(text, "+-.");
    return isdigit((unsigned char)text[sign]) && text[strspn(text, "0123456789abcdefABCDEFoxOX_.:+-TtZz ")] == '\0';
}

/* In double quotes, or in single ones when that saves escapes. */
static const char *quote(tn_arena *arena, const char *text)
{
    bool single = strpbrk(text, "\"\\") != NULL && all_printable(text);
    char *out = tn_arena_alloc(arena, 4 * strlen(text) + 3, 1), *p = out;     /* "\\x1b" is the longest for a byte */
    if (out == NULL)
        return NULL;
    *p++ = single ? '\'' : '"';
    for (int bytes; *text != '\0'; text += bytes) {
        unsigned long c = decode(text, &bytes);
        if (!is_printable(c)) {
            p += c == '\n' ? sprintf(p, "\\n") : c == '\t' ? sprintf(p, "\\t")
               : c <= 0xff ? sprintf(p, "\\x%02lx", c) : sprintf(p, c <= 0xffff ? "\\u%04lx" : "\\U%08lx", c);
            continue;
        }
        if (single ? c == '\'' : c == '"' || c == '\\')
            *p++ = single ? '\'' : '\\';
        memcpy(p, text, (size_t)bytes);
        p += bytes;
    }
    *p = single ? '\'' : '"';
    return out;
}

const char *tn_source_spell(tn_arena *arena, tn_node *node, bool flow)
{
    bool was_plain = node->style == TN_STYLE_PLAIN;
    if (was_plain && node->as.text[0] == '\0')
        return node->as.text;
    if (tn_source_plain(node->as.text, flow) && (was_plain || !reads_as_value(node->as.text)))
        return node->as.text;
    tn_written *written = tn_node_write(arena, node);
    if (written != NULL && written->spelling == NULL)
        written->spelling = quote(arena, node->as.text);
    return written != NULL ? written->spelling : NULL;
}
