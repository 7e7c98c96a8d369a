/* USD text (.usda): prims with metadata and attributes as a tree. Values are kept as flat lists of numbers or texts, which is
 * all that a reader of mechanisms needs. */
#include "usd_reader.h"

#include "diag.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200, MOST_PRIMS = 500000 };

typedef struct usd_scan {
    usd_reader *reader;
    const char *at, *end;
    const usd_layer *layer;
    int line, depth;
    bool failed;
} usd_scan;

static tn_span here(const usd_scan *s)
{
    return (tn_span){ s->layer->path, s->line, 1 };
}

static void fail(usd_scan *s, const char *what)
{
    if (!s->failed)
        USD_ERROR(s->reader, here(s), "USD text: %s", what);
    s->failed = true;
    s->at = s->end;
}

/* Blanks and comments. */
static void skip(usd_scan *s)
{
    while (s->at < s->end) {
        if (*s->at == '\n')
            s->line++;
        if (isspace((unsigned char)*s->at) || *s->at == ';') {
            s->at++;
        } else if (*s->at == '#') {
            while (s->at < s->end && *s->at != '\n')
                s->at++;
        } else {
            return;
        }
    }
}

static bool take_character(usd_scan *s, char c)
{
    skip(s);
    if (s->at < s->end && *s->at == c) {
        s->at++;
        return true;
    }
    return false;
}

static const char *word(usd_scan *s)
{
    skip(s);
    const char *begin = s->at;
    while (s->at < s->end && (isalnum((unsigned char)*s->at) || strchr("_:.!", *s->at)))
        s->at++;
    const char *copy = tn_arena_strndup(s->reader->machine->arena, begin, (size_t)(s->at - begin));
    return copy ? copy : "";
}

/* A text in quotes (one or three), <path> or @asset@. */
static const char *quoted(usd_scan *s)
{
    char close = *s->at == '<' ? '>' : *s->at;
    size_t marks = close != '>' && s->end - s->at > 2 && s->at[1] == close && s->at[2] == close ? 3 : 1;
    s->at += marks;
    const char *begin = s->at;
    while (s->at < s->end) {
        if (*s->at == close && (marks == 1 || (s->end - s->at > 2 && s->at[1] == close && s->at[2] == close)))
            break;
        s->line += *s->at == '\n';
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    }
    if (s->at >= s->end) {
        fail(s, "a text does not end");
        return "";
    }
    const char *copy = tn_arena_strndup(s->reader->machine->arena, begin, (size_t)(s->at - begin));
    s->at += marks;
    return copy ? copy : "";
}

/* ---- values ---- */

typedef struct usd_values {
    usd_attribute *attribute;
    size_t number_capacity, text_capacity;
} usd_values;

static void add_number(usd_scan *s, usd_values *v, double value)
{
    usd_attribute *a = v->attribute;
    if (a->number_count == v->number_capacity) {
        size_t more = v->number_capacity ? 2 * v->number_capacity : 4;
        double *list = tn_arena_alloc(s->reader->machine->arena, more, sizeof *list);
        if (!list) {
            fail(s, "out of memory");
            return;
        }
        if (a->number_count > 0)
            memcpy(list, a->numbers, a->number_count * sizeof *list);
        a->numbers = list;
        v->number_capacity = more;
    }
    a->numbers[a->number_count++] = value;
}

static void add_text(usd_scan *s, usd_values *v, const char *text)
{
    usd_attribute *a = v->attribute;
    if (a->text_count == v->text_capacity) {
        size_t more = v->text_capacity ? 2 * v->text_capacity : 4;
        const char **list = tn_arena_alloc(s->reader->machine->arena, more, sizeof *list);
        if (!list) {
            fail(s, "out of memory");
            return;
        }
        if (a->text_count > 0)
            memcpy(list, a->texts, a->text_count * sizeof *list);
        a->texts = list;
        v->text_capacity = more;
    }
    a->texts[a->text_count++] = text;
}

/* Jumps over a bracket with everything in it. */
static void skip_bracket(usd_scan *s)
{
    int depth = 0;
    do {
        skip(s);
        if (s->at >= s->end) {
            fail(s, "a bracket does not end");
            return;
        }
        if (strchr("\"'@<", *s->at)) {
            quoted(s);
            continue;
        }
        depth += strchr("([{", *s->at) ? 1 : strchr(")]}", *s->at) ? -1 : 0;
        s->at++;
    } while (depth > 0 && !s->failed);
}

static void read_value(usd_scan *s, usd_values *v)
{
    skip(s);
    if (s->at >= s->end || ++s->depth > DEEPEST) {
        fail(s, s->at >= s->end ? "a value is missing" : "brackets are nested too deep");
        return;
    }
    char c = *s->at;
    if (c == '(' || c == '[') {
        char close = c == '(' ? ')' : ']';
        s->at++;
        while (!take_character(s, close) && !s->failed) {
            read_value(s, v);
            if (!take_character(s, ','))
                skip(s);
        }
    } else if (c == '{') {
        skip_bracket(s);               /* dictionaries and time samples */
    } else if (strchr("\"'@<", c)) {
        const char *text = quoted(s);
        if (c == '@') {                /* with the prim in the asset: "@file@/path" */
            skip(s);
            bool inside = s->at < s->end && *s->at == '<';
            text = tn_machine_text(s->reader->machine, "@%s@%s", text, inside ? quoted(s) : "");
        }
        add_text(s, v, text);
    } else if (isdigit((unsigned char)c) || strchr("+-.", c) || strncmp(s->at, "inf", 3) == 0 || strncmp(s->at, "nan", 3) == 0) {
        char *end;
        add_number(s, v, strtod(s->at, &end));
        if (end == s->at)
            fail(s, "a number was expected");
        s->at = end;
    } else {
        const char *name = word(s);
        if (!name[0])
            fail(s, "a value was expected");
        else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
            add_number(s, v, name[0] == 't');
        else if (strcmp(name, "None") != 0)
            add_text(s, v, name);
    }
    s->depth--;
}

static usd_attribute *new_attribute(usd_scan *s, usd_attribute **list, const char *name)
{
    usd_attribute *a = tn_arena_alloc(s->reader->machine->arena, 1, sizeof *a);
    if (!a) {
        fail(s, "out of memory");
        return NULL;
    }
    *a = (usd_attribute){ .name = name, .place = here(s), .next = *list };
    *list = a;
    return a;
}

/* "{ string look = "red" ... }" as a list of names and choices. */
static void read_selections(usd_scan *s, usd_values *v)
{
    if (!take_character(s, '{')) {
        fail(s, "'{' was expected behind variants");
        return;
    }
    while (!take_character(s, '}') && !s->failed) {
        word(s);                       /* the type, string */
        skip(s);
        add_text(s, v, s->at < s->end && *s->at == '"' ? quoted(s) : word(s));
        if (!take_character(s, '='))
            fail(s, "'=' was expected in variants");
        else
            read_value(s, v);
    }
}

/* "{ 0: value, ... }": the first sample. */
static void read_first_sample(usd_scan *s, usd_values *v)
{
    skip(s);
    const char *begin = s->at;
    int line = s->line;
    usd_attribute time = { .name = "" };
    tn_machine_leave_out(s->reader->machine, here(s), "time samples behind the first");
    if (take_character(s, '{') && !take_character(s, '}')) {
        read_value(s, &(usd_values){ .attribute = &time });
        if (take_character(s, ':'))
            read_value(s, v);
        s->at = begin;
        s->line = line;
        skip_bracket(s);
    }
}

/* "( key = value ... )" behind a prim or at the beginning of a layer. */
static void read_metadata(usd_scan *s, usd_attribute **list)
{
    while (!take_character(s, ')') && !s->failed) {
        skip(s);
        if (s->at < s->end && strchr("\"'", *s->at)) {     /* a comment as a string */
            quoted(s);
            continue;
        }
        const char *name = word(s);
        bool deleted = strcmp(name, "delete") == 0;
        while (name[0] && !take_character(s, '=') && !s->failed) {   /* "prepend apiSchemas = " and types of dictionaries */
            skip(s);
            if (s->at < s->end && *s->at == '[') {
                skip_bracket(s);
                continue;
            }
            const char *next = word(s);
            if (!next[0])
                break;
            name = next;
        }
        usd_attribute *a = name[0] ? new_attribute(s, list, deleted ? "deleted" : name) : NULL;
        if (!a) {
            fail(s, "metadata are not understood");
            return;
        }
        if (strcmp(name, "variants") == 0)
            read_selections(s, &(usd_values){ .attribute = a });
        else
            read_value(s, &(usd_values){ .attribute = a });
        take_character(s, ',');
    }
}

/* ---- prims ---- */

usd_prim *tn_usd_new_prim(usd_reader *r, const usd_layer *layer, usd_prim *parent, const char *type, const char *name, tn_span place)
{
    usd_prim *prim = tn_arena_alloc(r->machine->arena, 1, sizeof *prim);
    if (!prim || ++r->made > MOST_PRIMS) {
        USD_ERROR(r, place, prim ? "more than %d prims" : "out of memory", MOST_PRIMS);
        return NULL;
    }
    *prim = (usd_prim){ .layer = layer, .type = type, .name = name, .parent = parent, .place = place, .joint = -1 };
    prim->path = parent ? tn_machine_text(r->machine, "%s/%s", parent->parent ? parent->path : "", name) : "/";
    if (parent) {
        if (parent->last)
            parent->last->next = prim;
        else
            parent->first = prim;
        parent->last = prim;
    }
    return prim;
}

static void read_content(usd_scan *s, usd_prim *prim);

static void read_prim(usd_scan *s, usd_prim *parent, bool abstract)
{
    skip(s);
    const char *type = s->at < s->end && *s->at == '"' ? "" : word(s);
    skip(s);
    if (s->at >= s->end || *s->at != '"') {
        fail(s, "the name of a prim was expected");
        return;
    }
    usd_prim *prim = tn_usd_new_prim(s->reader, s->layer, parent, type, quoted(s), here(s));
    if (!prim) {
        s->failed = true;
        s->at = s->end;
        return;
    }
    prim->abstract = abstract;
    if (take_character(s, '('))
        read_metadata(s, &prim->metadata);
    if (!take_character(s, '{'))
        fail(s, "'{' was expected behind a prim");
    else if (++s->depth > DEEPEST)
        fail(s, "prims are nested too deep");
    else
        read_content(s, prim);
    s->depth--;
}

/* "uniform token physics:axis = "X" ( ... )"; the last word before "=" is the name. */
static void read_attribute(usd_scan *s, usd_prim *prim, const char *first)
{
    const char *name = first;
    while (!s->failed) {
        skip(s);
        if (s->at >= s->end || strchr("=}(", *s->at))
            break;
        if (*s->at == '[') {           /* of "point3f[]" */
            skip_bracket(s);
            continue;
        }
        const char *next = word(s);
        if (!next[0] || strcmp(next, "def") == 0)
            break;
        name = next;
        skip(s);
        /* An attribute without a value ends at its name: the next word begins another. */
        if (s->at < s->end && *s->at == '[')
            skip_bracket(s);
        const char *peek = s->at;
        int line = s->line;
        skip(s);
        bool newline = s->line > line;
        if (peek < s->at && newline && s->at < s->end && *s->at != '=' && *s->at != '(')
            return;
    }
    if (take_character(s, '=')) {
        size_t length = strlen(name), tail = strlen(".timeSamples");
        bool sampled = length > tail && strcmp(name + length - tail, ".timeSamples") == 0;
        if (sampled)
            name = tn_machine_text(s->reader->machine, "%.*s", (int)(length - tail), name);
        usd_attribute *a = new_attribute(s, &prim->attributes, name);
        if (a && sampled)
            read_first_sample(s, &(usd_values){ .attribute = a });
        else if (a)
            read_value(s, &(usd_values){ .attribute = a });
    }
    if (take_character(s, '(')) {
        usd_attribute *ignored = NULL;
        read_metadata(s, &ignored);
    }
}

/* "variantSet "look" = { "red" ( ... ) { ... } ... }": each is kept as a prim of its own, in the place of its owner. */
static void read_variants(usd_scan *s, usd_prim *owner)
{
    skip(s);
    const char *set = s->at < s->end && *s->at == '"' ? quoted(s) : "";
    if (!take_character(s, '=') || !take_character(s, '{'))
        fail(s, "'= {' was expected behind a variantSet");
    while (!s->failed && !take_character(s, '}')) {
        skip(s);
        if (s->at >= s->end || *s->at != '"' || ++s->depth > DEEPEST) {
            fail(s, "the name of a variant was expected");
            return;
        }
        usd_variant *v = tn_arena_alloc(s->reader->machine->arena, 1, sizeof *v);
        usd_prim *content = v ? tn_usd_new_prim(s->reader, s->layer, NULL, "", owner->name, here(s)) : NULL;
        if (!content) {
            fail(s, "out of memory");
            return;
        }
        content->parent = owner->parent;
        content->path = owner->path;
        *v = (usd_variant){ set, quoted(s), content, NULL };
        usd_variant **tail = &owner->variants;
        while (*tail)
            tail = &(*tail)->next;
        *tail = v;
        if (take_character(s, '('))
            read_metadata(s, &content->metadata);
        if (take_character(s, '{'))
            read_content(s, content);
        else
            fail(s, "'{' was expected behind a variant");
        s->depth--;
    }
}

static void read_content(usd_scan *s, usd_prim *prim)
{
    bool layer = prim == s->layer->root;
    while (!s->failed) {
        if (!layer && take_character(s, '}'))
            return;
        skip(s);
        if (s->at >= s->end) {
            if (!layer)
                fail(s, "a prim does not end: '}' is missing");
            return;
        }
        const char *name = word(s);
        if (strcmp(name, "def") == 0 || strcmp(name, "over") == 0 || strcmp(name, "class") == 0) {
            read_prim(s, prim, name[0] == 'c');
        } else if (strcmp(name, "variantSet") == 0) {
            read_variants(s, prim);
        } else if (name[0]) {
            read_attribute(s, prim, name);
        } else {
            fail(s, "a prim or an attribute was expected");
        }
    }
}

int tn_usd_parse(usd_reader *r, usd_layer *layer, const char *data, size_t size)
{
    usd_scan s = { .reader = r, .at = data, .end = data + size, .line = 1, .layer = layer };
    layer->root = tn_usd_new_prim(r, layer, NULL, "", "", here(&s));
    if (layer->root && take_character(&s, '('))
        read_metadata(&s, &layer->root->metadata);
    if (layer->root && !s.failed)
        read_content(&s, layer->root);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(r->machine);
}

/* ---- looking up ---- */

static const usd_attribute *find_in(const usd_attribute *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

const usd_attribute *tn_usd_get(const usd_prim *prim, const char *name)
{
    return find_in(prim->attributes, name);
}

const usd_attribute *tn_usd_meta(const usd_prim *prim, const char *name)
{
    return find_in(prim->metadata, name);
}

bool tn_usd_numbers(usd_reader *r, const usd_prim *prim, const char *name, double *out, size_t n)
{
    const usd_attribute *a = tn_usd_get(prim, name);
    if (!a || a->number_count == 0)
        return false;
    if (a->number_count != n) {
        USD_ERROR(r, a->place, "%s of '%s': expected %zu numbers, there are %zu", name, prim->path, n, a->number_count);
        return false;
    }
    for (size_t k = 0; k < n; k++)
        if (isnan(a->numbers[k])) {
            USD_ERROR(r, a->place, "%s of '%s' is not a number", name, prim->path);
            return false;
        }
    memcpy(out, a->numbers, n * sizeof *out);
    return true;
}

double tn_usd_number(usd_reader *r, const usd_prim *prim, const char *name, double otherwise)
{
    tn_usd_numbers(r, prim, name, &otherwise, 1);
    return otherwise;
}

const char *tn_usd_token(const usd_prim *prim, const char *name, const char *otherwise)
{
    const usd_attribute *a = tn_usd_get(prim, name);
    return a && a->text_count > 0 ? a->texts[0] : otherwise;
}

bool tn_usd_has_schema(const usd_prim *prim, const char *schema)
{
    for (const usd_attribute *a = prim->metadata; a; a = a->next)
        for (size_t i = 0; strcmp(a->name, "apiSchemas") == 0 && i < a->text_count; i++)
            if (strcmp(a->texts[i], schema) == 0)
                return true;
    return false;
}

usd_prim *tn_usd_find(const usd_reader *r, const char *path)
{
    int index = tn_index_find(r->paths, path);
    return index < 0 ? NULL : r->prims[index];
}
