/* Checks that a formatted text has the same meaning and comments as the original. */
#include "format.h"
#include "diag.h"
#include "source_tree.h"
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const tn_node *const *const *)a)[0]->as.text, (*(const tn_node *const *const *)b)[0]->as.text);
}

static int same_value(bool *same, tn_context *context, const tn_node *a, const tn_node *b);

/* Compared by key: pairs are arrays of key and value. */
static int same_map(bool *same, tn_context *context, const tn_node *a, const tn_node *b)
{
    size_t count = a->count;
    const tn_node *const **pairs = tn_alloc(context, 2 * count, sizeof *pairs);
    if (pairs == NULL)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        pairs[i] = a->as.items + 2 * i;
        pairs[count + i] = b->as.items + 2 * i;
    }
    qsort(pairs, count, sizeof *pairs, by_key);
    qsort(pairs + count, count, sizeof *pairs, by_key);
    int code = TN_OK;
    for (size_t i = 0; i < count && *same && code >= 0; i++) {
        *same = strcmp(pairs[i][0]->as.text, pairs[count + i][0]->as.text) == 0;
        if (*same)
            code = same_value(same, context, pairs[i][1], pairs[count + i][1]);
    }
    tn_free(context, pairs);
    return code;
}

/* Quotes do not change the meaning, except that an empty value differs from a quoted empty text or "null". */
static int same_value(bool *same, tn_context *context, const tn_node *a, const tn_node *b)
{
    *same = a->kind == b->kind && a->count == b->count;
    if (!*same)
        return TN_OK;
    if (a->kind == TN_NODE_TEXT)
        *same = strcmp(a->as.text, b->as.text) == 0 && tn_node_empty(a) == tn_node_empty(b);
    if (a->kind == TN_NODE_MAP)
        return same_map(same, context, a, b);
    for (unsigned i = 0; a->kind == TN_NODE_LIST && i < a->count && *same; i++)
        TN_TRY(same_value(same, context, a->as.items[i], b->as.items[i]));
    return TN_OK;
}

static int refuse(tn_context *context, tn_span span, const char *what)
{
    return tn_fail(context, TN_ERROR_MODEL, span, "this cannot be formatted without changing %s", what);
}

typedef struct comment {
    const char *text;
    size_t length;
} comment;

static int by_text(const void *a, const void *b)
{
    const comment *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static void list_comments(comment *out, const char *text, const tn_source_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        out[i] = (comment){ text + pieces->items[i].offset, pieces->items[i].length };
    qsort(out, pieces->count, sizeof *out, by_text);
}

static int compare_comments(tn_context *context, const char *name, const char *before, const tn_source_pieces *old,
                            const char *after, const tn_source_pieces *new)
{
    bool same = old->count == new->count;
    comment *comments = tn_alloc(context, old->count + new->count, sizeof *comments);
    if (comments == NULL)
        return TN_ERROR_MEMORY;
    list_comments(comments, before, old);
    list_comments(comments + old->count, after, new);
    for (size_t i = 0; i < old->count && same; i++)
        same = by_text(&comments[i], &comments[old->count + i]) == 0;
    tn_free(context, comments);
    return same ? TN_OK : refuse(context, (tn_span){ name, 0, 0 }, "its comments");
}

static int verify_comments(tn_context *context, const char *name, const char *before, size_t size, const char *after)
{
    tn_source_scan old, new = { 0 };
    int code = tn_source_scan_text(&old, context, name, before, size);
    if (code >= 0)
        code = tn_source_scan_text(&new, context, name, after, strlen(after));
    if (code >= 0)
        code = compare_comments(context, name, before, &old.comments, after, &new.comments);
    tn_source_scan_free(&old, context);
    tn_source_scan_free(&new, context);
    return code;
}

static int verify_meaning(tn_context *context, tn_arena *arena, const char *name, const char *before, size_t size,
                          const char *after)
{
    const tn_node *root, *again;
    size_t budget = TN_YAML_NODES;
    bool same = false;
    TN_TRY(tn_yaml_parse(&root, arena, context, name, before, size, &budget));
    budget = TN_YAML_NODES;
    int code = tn_yaml_parse(&again, arena, context, name, after, strlen(after), &budget);
    if (code == TN_ERROR_MEMORY)
        return code;
    if (code >= 0 && again != NULL)
        TN_TRY(same_value(&same, context, root, again));
    return same ? TN_OK : refuse(context, root->span, "its meaning");
}

int tn_format_verify(tn_context *context, const char *name, const char *before, size_t size, const char *after)
{
    tn_arena *arena = tn_arena_create(context);
    if (arena == NULL)
        return TN_ERROR_MEMORY;
    int code = verify_meaning(context, arena, name, before, size, after);
    tn_arena_destroy(arena);
    return code < 0 ? code : verify_comments(context, name, before, size, after);
}
