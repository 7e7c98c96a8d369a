/* Random YAML, with comments wherever they may be: the formatted text means the same, has every comment once, and is in
 * normal form. Meaning is compared by flattening both trees into sorted lines, which the formatter does not do. */
#include "format_model.h"
#include "random.h"
#include "yaml_tree.h"

enum { TEXT_SIZE = 1 << 16, DEPTH = 4, ROUNDS = 3000, LINES = 4000 };

typedef struct writer {
    char text[TEXT_SIZE];
    size_t used;
    uint32_t seed;
    int names, comments, anchors;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->used += (size_t)vsnprintf(w->text + w->used, TEXT_SIZE - w->used, format, arguments);
    va_end(arguments);
    assert_true(w->used < TEXT_SIZE);
}

static bool chance(writer *w, int percent)
{
    return (int)(next_random(&w->seed) % 100) < percent;
}

static int pick(writer *w, int count)
{
    return (int)(next_random(&w->seed) % (uint32_t)count);
}

static void put_comment(writer *w)
{
    put(w, "# c%d.%s", ++w->comments, chance(w, 20) ? " [x, : y" : "");
}

/* The end of a line: perhaps a comment, perhaps lines of comments and blank ones after it. */
static void end_line(writer *w)
{
    if (chance(w, 25)) {
        put(w, "%*s", 1 + pick(w, 5), "");
        put_comment(w);
    }
    put(w, "%s\n", chance(w, 10) ? " " : "");
    while (chance(w, 20)) {
        put(w, "%*s", pick(w, 8), "");
        if (chance(w, 60))
            put_comment(w);
        put(w, "\n");
    }
}

static const char *const scalars[] = {
    "1", "1.50", "-0.0", "12 mm", "2 * r", "\"quoted\"", "'it''s'", "\"a: b\"", "\"x # y\"", "\"5\"", "\"null\"", "~",
    "null", "a:b", "http://x/y", "-x", "\"- x\"", "\"t\\tt\"", "\"\\u00e9\\u2028\\x07\"", "\xc3\xa9\xe2\x80\x94", "yes",
    "'yes'", "\"[x]\"", "\"f(x, y)\"", "\"\"", "''", "\"say \\\"x\\\"\"", "'\"'", "\"\\\\\"", "\"' \"", "x#y", "0x1F",
    "'%x'", "\"@x\"", "=", "'='", "\"---\"", "\"...\"", "'? x'", "a'b", "a\"b", "\"\\n\"", "\" x\\n\\n y \"",
    "step (t)", "100%", "\"2001-12-14\"", "12:30:45", "'1_000'"
};
static const char *const in_blocks[] = { "f(x, y)", "x [y] {z}", "", "a, b", "what?", "x\n                 y" };

static void put_scalar(writer *w, bool block)
{
    if (block && chance(w, 15))
        put(w, "%s", in_blocks[pick(w, (int)TN_LENGTH(in_blocks))]);
    else
        put(w, "%s", scalars[pick(w, (int)TN_LENGTH(scalars))]);
}

static void put_key(writer *w)
{
    static const char *const forms[] = { "k%d", "\"k %d\"", "'k: %d'", "k-%d.x", "\"%d\"" };
    char key[40];
    snprintf(key, sizeof key, forms[pick(w, (int)TN_LENGTH(forms))], ++w->names);
    put(w, "%s", key);
}

/* Where a flow may break its line. */
static void flow_space(writer *w)
{
    if (chance(w, 12)) {
        put(w, " ");
        end_line(w);
        put(w, "%*s", 12, "");
    } else {
        put(w, "%s", chance(w, 50) ? " " : "");
    }
}

static void put_flow(writer *w, int depth)
{
    bool map = chance(w, 50);
    put(w, "%s", map ? "{" : "[");
    flow_space(w);
    for (int count = pick(w, 5); count > 0; count--) {
        if (map) {
            put_key(w);
            put(w, ": ");
        }
        if (w->anchors > 0 && chance(w, 8))
            put(w, "*a%d ", 1 + pick(w, w->anchors));
        else if (depth > 0 && chance(w, 30))
            put_flow(w, depth - 1);
        else
            put_scalar(w, false);
        flow_space(w);
        if (count > 1)
            put(w, ", ");
        flow_space(w);
    }
    put(w, "%s", map ? "}" : "]");
}

static void put_block_text(writer *w, int indent)
{
    static const char *const heads[] = { "|", "|-", "|+", ">", ">-" };
    put(w, "%s\n", heads[pick(w, (int)TN_LENGTH(heads))]);
    for (int lines = 1 + pick(w, 4); lines > 0; lines--)
        put(w, "%*stext %d # not a comment\n%s", indent + 2, "", lines, chance(w, 20) ? "\n" : "");
}

static void put_block(writer *w, int indent, int depth);

/* After "key:" or "-". */
static void put_value(writer *w, int indent, int depth)
{
    bool named = chance(w, 10);
    if (!named && w->anchors > 0 && chance(w, 8)) {
        put(w, " *a%d", 1 + pick(w, w->anchors));
        end_line(w);
        return;
    }
    if (named)
        put(w, " &b%d", ++w->names);
    int kind = pick(w, 10);
    if (kind == 0) {
        put(w, " ");
        put_block_text(w, indent);
    } else if (kind < 4 && depth > 0) {
        end_line(w);
        put_block(w, indent + 1 + pick(w, 3), depth - 1);
    } else if (kind < 7) {
        put(w, " ");
        put_flow(w, 2);
        end_line(w);
    } else {
        bool anchored = !named && chance(w, 10);
        put(w, " %s", anchored ? "&a" : "");
        if (anchored)
            put(w, "%d ", w->anchors + 1);
        put_scalar(w, true);
        w->anchors += anchored;
        end_line(w);
    }
}

static void put_block(writer *w, int indent, int depth)
{
    static const char *const known[] = { "solve", "tenon", "joints", "mass", "bodies", "type", "name", "at", "frames",
                                         "gravity", "shapes", "between", "outputs" };
    bool map = depth == DEPTH || chance(w, 60);
    int first = pick(w, (int)TN_LENGTH(known)), step = 0;
    for (int count = 1 + pick(w, 5); count > 0; count--) {
        put(w, "%*s", indent, "");
        if (!map) {
            put(w, "-");
        } else if (chance(w, 40)) {
            put(w, "%s:", known[(first + step++) % (int)TN_LENGTH(known)]);
        } else {
            put_key(w);
            put(w, ":");
        }
        put_value(w, indent, depth);
    }
}

typedef struct lines {
    char *items[LINES];
    size_t count;
} lines;

static void flatten(lines *out, const tn_node *node, const char *path)
{
    char line[2000];
    if (node->kind == TN_NODE_TEXT || node->count == 0) {
        bool text = node->kind == TN_NODE_TEXT;
        snprintf(line, sizeof line, "%s = %d %d %s", path, node->kind, text && tn_node_empty(node),
                 text ? node->as.text : "");
        assert_true(out->count < LINES);
        out->items[out->count] = malloc(strlen(line) + 1);
        strcpy(out->items[out->count++], line);
        return;
    }
    bool map = node->kind == TN_NODE_MAP;
    for (unsigned i = 0; i < node->count; i++) {
        if (map)
            snprintf(line, sizeof line, "%s/%s", path, node->as.items[2 * i]->as.text);
        else
            snprintf(line, sizeof line, "%s[%u]", path, i);
        flatten(out, node->as.items[map ? 2 * i + 1 : i], line);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* False when the text cannot be read. */
static bool meaning(lines *out, const char *text)
{
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    const tn_node *root;
    size_t budget = TN_YAML_NODES;
    bool good = tn_yaml_parse(&root, arena, context, "f", text, strlen(text), &budget) == TN_OK;
    out->count = 0;
    if (good)
        flatten(out, root, "");
    qsort(out->items, out->count, sizeof *out->items, by_text);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    return good;
}

static void forget(lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
}

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
        count++;
    return count;
}

static void check(const writer *w, const lines *before)
{
    static lines after;
    formatted f = format_bytes(w->text, w->used);
    if (f.code < 0) {
        tn_diagnostics_print(f.context, stderr);
        fail_msg("refused:\n%s", w->text);
    }
    assert_true(meaning(&after, f.text));
    bool same = after.count == before->count;
    for (size_t i = 0; i < before->count && same; i++)
        same = strcmp(before->items[i], after.items[i]) == 0;
    if (!same)
        fail_msg("the meaning changed:\n%s\n---\n%s", w->text, f.text);
    for (int i = 1; i <= w->comments; i++) {
        char word[20];
        snprintf(word, sizeof word, "# c%d.", i);
        if (occurrences(f.text, word) != 1)
            fail_msg("comment %d:\n%s\n---\n%s", i, w->text, f.text);
    }
    assert_null(strstr(f.text, "\t"));
    must_become(f.text, strlen(f.text), f.text);
    drop(&f);
    forget(&after);
}

static void test_random_texts(void **state)
{
    (void)state;
    static writer w;
    static lines before;
    int accepted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        w = (writer){ .seed = (uint32_t)round };
        if (chance(&w, 50))
            end_line(&w);
        put_block(&w, 0, DEPTH);
        if (meaning(&before, w.text)) {
            check(&w, &before);
            accepted++;
        }
        forget(&before);
    }
    assert_true(accepted > ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_texts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
