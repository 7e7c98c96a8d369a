/* A small reader of JSON: objects, arrays, strings, numbers and words. */
#include "json_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

typedef struct json_scan {
    tn_arena *arena;
    const char *at, *end;
    int depth;
} json_scan;

static void skip(json_scan *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool take_character(json_scan *s, char c)
{
    skip(s);
    if (s->at >= s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static const char *read_string(json_scan *s)
{
    const char *begin = ++s->at;
    while (s->at < s->end && *s->at != '"')
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    if (s->at >= s->end)
        return NULL;
    return tn_arena_strndup(s->arena, begin, (size_t)(s->at++ - begin));
}

static tn_json_node *read_node(json_scan *s);

static bool read_children(json_scan *s, tn_json_node *node, char close)
{
    tn_json_node **end = &node->first;
    if (take_character(s, close))
        return true;
    do {
        const char *key = NULL;
        skip(s);
        if (close == '}') {
            if (s->at >= s->end || *s->at != '"' || !(key = read_string(s)) || !take_character(s, ':'))
                return false;
        }
        *end = read_node(s);
        if (!*end)
            return false;
        (*end)->key = key;
        end = &(*end)->next;
        node->count++;
    } while (take_character(s, ','));
    if (close == ']') {
        node->items = tn_arena_alloc(s->arena, node->count, sizeof(tn_json_node *));
        if (!node->items)
            return false;
        size_t k = 0;
        for (tn_json_node *child = node->first; child; child = child->next)
            node->items[k++] = child;
    }
    return take_character(s, close);
}

static tn_json_node *read_node(json_scan *s)
{
    tn_json_node *node = tn_arena_alloc(s->arena, 1, sizeof *node);
    skip(s);
    if (!node || s->at >= s->end || s->depth >= DEEPEST)
        return NULL;
    node->kind = *s->at;
    if (*s->at == '{' || *s->at == '[') {
        char close = *s->at++ == '{' ? '}' : ']';
        s->depth++;
        bool good = read_children(s, node, close);
        s->depth--;
        return good ? node : NULL;
    }
    if (*s->at == '"') {
        node->text = read_string(s);
        return node->text ? node : NULL;
    }
    if (isdigit((unsigned char)*s->at) || *s->at == '-') {
        char digits[64];
        size_t n = 0;
        while (s->at < s->end && n < sizeof digits - 1 && *s->at && strchr("+-.eE0123456789", *s->at))
            digits[n++] = *s->at++;
        digits[n] = 0;
        node->kind = '0';
        node->number = strtod(digits, NULL);
        return node;
    }
    const char *begin = s->at;
    while (s->at < s->end && isalpha((unsigned char)*s->at))
        s->at++;
    return s->at > begin ? node : NULL;
}

tn_json_node *tn_json_read(tn_arena *arena, const char *data, size_t size)
{
    json_scan s = { arena, data, data + size, 0 };
    return read_node(&s);
}

const tn_json_node *tn_json_member(const tn_json_node *node, const char *key)
{
    const tn_json_node *child = node && node->kind == '{' ? node->first : NULL;
    while (child && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

const tn_json_node *tn_json_element(const tn_json_node *node, size_t index)
{
    return node && node->kind == '[' && index < node->count ? node->items[index] : NULL;
}

double tn_json_number(const tn_json_node *node, const char *key, double otherwise)
{
    const tn_json_node *child = tn_json_member(node, key);
    return child && child->kind == '0' ? child->number : otherwise;
}

const char *tn_json_text(const tn_json_node *node, const char *key)
{
    const tn_json_node *child = tn_json_member(node, key);
    return child && child->kind == '"' ? child->text : NULL;
}
