/* The tree of a YAML text: places, limits, aliases, duplicate keys. */
#include "yaml_tree.h"
#include "read_model.h"

typedef struct tree {
    tn_context *context;
    tn_arena *arena;
    const tn_node *root;
    int code;
} tree;

static tree parse_bytes(const char *text, size_t size, size_t budget)
{
    tree t = { .context = tn_context_create(NULL) };
    t.arena = tn_arena_create(t.context);
    t.code = tn_yaml_parse(&t.root, t.arena, t.context, "f.yaml", text, size, &budget);
    return t;
}

static tree parse(const char *text)
{
    return parse_bytes(text, strlen(text), TN_YAML_NODES);
}

static void drop(tree *t)
{
    tn_arena_destroy(t->arena);
    tn_context_destroy(t->context);
}

static const char *message(const tree *t)
{
    const tn_diagnostic *d = tn_diagnostics_get(t->context, 0);
    return d != NULL ? d->message : "";
}

static void test_places(void **state)
{
    (void)state;
    tree t = parse("a: 1\nb:\n  - x\n  - 'two words'\n  - { c: }\n");
    assert_int_equal(t.code, TN_OK);
    assert_int_equal(t.root->kind, TN_NODE_MAP);
    assert_int_equal(t.root->count, 2);
    const tn_node *list = t.root->as.items[3];
    assert_int_equal(list->kind, TN_NODE_LIST);
    assert_int_equal(list->count, 3);
    const tn_node *words = list->as.items[1];
    assert_string_equal(words->as.text, "two words");
    assert_true(words->quoted);
    assert_int_equal(words->span.line, 4);
    assert_int_equal(words->span.column, 5);
    assert_string_equal(words->span.file, "f.yaml");
    const tn_node *map = list->as.items[2];
    assert_int_equal(map->span.column, 5);
    assert_true(tn_node_empty(map->as.items[1]));
    assert_false(tn_node_empty(words));
    drop(&t);
}

static void test_empty(void **state)
{
    (void)state;
    tree t = parse("# nothing\n");
    assert_int_equal(t.code, TN_OK);
    assert_null(t.root);
    drop(&t);
}

static void test_duplicates_keep_the_tree(void **state)
{
    (void)state;
    tree t = parse("a: 1\nb: 2\na: 3\nb: 4\n");
    assert_int_equal(t.code, TN_ERROR_MODEL);
    assert_non_null(t.root);
    assert_int_equal(tn_diagnostics_count(t.context), 2);
    assert_int_equal(tn_diagnostics_get(t.context, 0)->span.line, 3);
    assert_non_null(strstr(message(&t), "duplicate key 'a', already given in line 1"));
    drop(&t);
}

static void test_faults(void **state)
{
    (void)state;
    const struct { const char *text, *words; } cases[] = {
        { "a: [1, 2", "did not find" },
        { "a: 1\n---\nb: 2\n", "one document" },
        { "[1, 2]: 3", "a key must be a text, not a list" },
        { "a: *nowhere", "alias '*nowhere' refers to nothing" },
        { "a: &a [1, *a]", "alias '*a' is inside what it refers to" },
        { "a: \"\\0\"", "NUL" },
        { "a: \xff\xfe", "no text in UTF-8 (byte 0xff)" },
        { "a: \x01", "control characters" },
        { "\tb: 1", "not with tabs" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        tree t = parse(cases[i].text);
        if (t.code != TN_ERROR_MODEL || strstr(message(&t), cases[i].words) == NULL)
            fail_msg("case %zu: '%s'", i, message(&t));
        assert_true(tn_diagnostics_get(t.context, 0)->span.line > 0);
        drop(&t);
    }
}

static void test_depth(void **state)
{
    (void)state;
    char text[1000];
    for (int depth = TN_YAML_DEPTH; depth <= TN_YAML_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        tree t = parse_bytes(text, 2 * (size_t)depth, TN_YAML_NODES);
        assert_int_equal(t.code, depth <= TN_YAML_DEPTH ? TN_OK : TN_ERROR_MODEL);
        drop(&t);
    }
}

/* Each level has nine aliases of the one before: 9^9 values when written out, though the tree is small. */
static void test_alias_bomb(void **state)
{
    (void)state;
    char text[4000] = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i <= 9; i++) {
        char line[200];
        int used = snprintf(line, sizeof line, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            used += snprintf(line + used, sizeof line - (size_t)used, "*a%d%s", i - 1, k < 8 ? ", " : "]\n");
        strcat(text, line);
    }
    tree t = parse(text);
    assert_int_equal(t.code, TN_ERROR_MODEL);
    assert_non_null(strstr(message(&t), "too many values"));
    assert_true(tn_arena_used(t.arena) < 100000);
    drop(&t);
}

static void test_alias_shares(void **state)
{
    (void)state;
    tree t = parse("a: &v [1, 2]\nb: *v\n");
    assert_int_equal(t.code, TN_OK);
    assert_ptr_equal(t.root->as.items[1]->as.items, t.root->as.items[3]->as.items);
    drop(&t);
}

static void test_node_budget(void **state)
{
    (void)state;
    const char *text = "[1, 2, 3, 4]";
    for (size_t budget = 0; budget <= 5; budget++) {
        tree t = parse_bytes(text, strlen(text), budget);
        assert_int_equal(t.code, budget < 5 ? TN_ERROR_MODEL : TN_OK);
        drop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),       cmocka_unit_test(test_empty),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_duplicates_keep_the_tree),
        cmocka_unit_test(test_depth),        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_alias_shares), cmocka_unit_test(test_node_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
