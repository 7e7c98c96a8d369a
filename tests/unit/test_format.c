/* Model texts in normal form: layout, comments in all places, quotes, order, JSON, hostile texts, edits. */
#include "alloc.h"
#include "all_sections.h"
#include "format_model.h"
#include "random.h"
#include "source_edit.h"
#include <dirent.h>
#include <time.h>

static void test_layout(void **state)
{
    (void)state;
    becomes("{tenon: 1,dimension: 2}", "tenon: 1\ndimension: 2\n");
    becomes("tenon:   1   \n\n\n\nname: x\t\n", "tenon: 1\n\nname: x\n");
    becomes("tenon: 1\r\nname: x\r\n", "tenon: 1\nname: x\n");
    becomes("\xef\xbb\xbftenon: 1", "tenon: 1\n");
    becomes("---\ntenon: 1\n...\n", "tenon: 1\n");
    becomes("%YAML 1.1\n---\ntenon: 1\n", "%YAML 1.1\n---\ntenon: 1\n");
    becomes("{}", "{}\n");
    becomes("gravity:\n- 0\n- -9.81\n", "gravity: [0, -9.81]\n");
    becomes("joints:\n  j:\n     type: revolute\n     between:\n     - ground\n     - a\n",
            "joints:\n  j: { type: revolute, between: [ground, a] }\n");
    becomes("joints: {j: {type: revolute},k: {type: fixed}}",
            "joints:\n  j: { type: revolute }\n  k: { type: fixed }\n");
    becomes("bodies:\n  a:\n    shapes:\n    - rod: {to: [1,0]}\n      mass: 1 kg\n    frames: {f: {at: [1,0]}}\n",
            "bodies:\n  a:\n    shapes: [ { rod: { to: [1, 0] }, mass: 1 kg } ]\n    frames: { f: { at: [1, 0] } }\n");
    becomes("a:\n  - - 1\n    - x: |\n        text\n  -\n    b:\n", "a:\n  - - 1\n    - x: |\n        text\n  - b:\n");
}

static void test_width(void **state)
{
    (void)state;
    char text[400], block[400];
    for (int extra = 0; extra <= 1; extra++) {             /* 120 columns, and one more */
        int used = snprintf(text, sizeof text, "a: { b: 1, c: ");
        snprintf(text + used, sizeof text - (size_t)used, "%0*d }\n", 120 - used - 2 + extra, 7);
        snprintf(block, sizeof block, "a:\n  b: 1\n  c: %0*d\n", 120 - used - 2 + extra, 7);
        becomes(text, extra ? block : text);
    }
    /* Characters, not bytes: 60 letters of two bytes each. */
    char letters[200] = "a: [";
    for (int i = 0; i < 60; i++)
        strcat(letters, "\xc3\xa9");
    strcat(letters, ", b]\n");
    becomes(letters, letters);
    /* What was a block becomes a flow only when it is short. */
    becomes("a:\n  b: 1234567890123456789012345678901234567890\n  c: 1234567890123456789012345678901234567890\n",
            "a:\n  b: 1234567890123456789012345678901234567890\n  c: 1234567890123456789012345678901234567890\n");
}

static void test_comments(void **state)
{
    (void)state;
    const char *cases[][2] = {
        { "# head\n#two\ntenon: 1", "# head\n#two\ntenon: 1\n" },
        { "# head\n\n\n# first\ntenon: 1", "# head\n\n# first\ntenon: 1\n" },
        { "# head\nname: x\ntenon: 1\n", "# head\ntenon: 1\nname: x\n" },
        { "# head\n\n# name\nname: x\n# version\ntenon: 1\n", "# head\n\n# version\ntenon: 1\n# name\nname: x\n" },
        { "a: 1 # one\nbb: 2    # two\n", "a: 1   # one\nbb: 2  # two\n" },
        { "a: 1 # one\n\nbb: 2 # two\n", "a: 1  # one\n\nbb: 2  # two\n" },
        { "a: # head\n  # above\n  b: 1 # beside\n  # below\n",
          "a:  # head\n  # above\n  b: 1  # beside\n  # below\n" },
        { "a: # x\n  1\n", "a: 1  # x\n" },
        { "a:\n  # x\n  1 # y\n", "# x\na: 1  # y\n" },
        { "a: # x\n  1 # y\n", "# x\na: 1  # y\n" },
        { "a: [1, # one\n 2 # two\n ] # all\n", "a:  # all\n  - 1  # one\n  - 2  # two\n" },
        { "a: { # open\n b: 1 }", "a: { b: 1 }  # open\n" },
        { "a: [ # none\n]", "a: []  # none\n" },
        { "a: [\n # none\n]", "# none\na: []\n" },
        { "a: { b: 1,\n # last\n }", "a:\n  b: 1\n  # last\n" },
        { "a:\n  - # dash\n    b: 1\n", "a:\n  # dash\n  - { b: 1 }\n" },
        { "a: [ {\n # inner\n b: 1 } ]", "a:\n  # inner\n  - { b: 1 }\n" },
        { "a:\n- 1\n# c\nb: 2\n", "a: [1]\n# c\nb: 2\n" },
        { "a:\n  b:\n    c: 1\n    # of c\n  # of b\n# of a\nd: 2\n",
          "a:\n  b:\n    c: 1\n    # of c\n  # of b\n# of a\nd: 2\n" },
        { "a: | # block\n  text\n# c\nb: 1\n", "a: |  # block\n  text\n# c\nb: 1\n" },
        { "a: &x # anchor\n  b: 1\n", "a: &x  # anchor\n  b: 1\n" },
        { "a: \"x\"#close\n", "a: x  #close\n" },
        { "a: 'x # y'\n", "a: 'x # y'\n" },
        { "a: 1\n\n# end\n", "a: 1\n\n# end\n" },
        { "{ a: 1 } # after\n", "# after\na: 1\n" },
        { "# before\n--- # start\na: 1\n...\n# end\n", "# before\n# start\na: 1\n# end\n" },
        { "a: 1   # trailing space   \n", "a: 1  # trailing space\n" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++)
        becomes(cases[i][0], cases[i][1]);
}

static void test_blank_lines(void **state)
{
    (void)state;
    becomes("a:\n\n  b: 1\n\n\n  c: 2\n\n  # d\n  d: 3\n", "a:\n  b: 1\n\n  c: 2\n\n  # d\n  d: 3\n");
    becomes("name: x\nbodies: {a: {mass: 1}}\njoints: {j: {type: fixed}}\nsolve: {until: 1}\n",
            "name: x\n\nbodies:\n  a: { mass: 1 }\n\njoints:\n  j: { type: fixed }\n\nsolve: { until: 1 }\n");
    becomes("a: |\n  x\n\nb: 1\n", "a: |\n  x\n\nb: 1\n");
}

static void test_quotes(void **state)
{
    (void)state;
    becomes("a: \"plain\"\nb: '5 mm'\nc: \"x.y\"\n", "a: plain\nb: 5 mm\nc: x.y\n");
    /* What would be a number, a truth value or nothing without quotes keeps them. */
    becomes("a: '5'\nb: \"null\"\nc: '~'\nd: ''\ne: \"yes\"\nf: '1e5'\ng: '2001-01-01'\nh: '.inf'\n",
            "a: '5'\nb: \"null\"\nc: '~'\nd: ''\ne: \"yes\"\nf: '1e5'\ng: '2001-01-01'\nh: '.inf'\n");
    becomes("a: 'x: y'\nb: '- x'\nc: ' x'\nd: '#x'\ne: \"a\\tb\"\nf: 'x:'\ng: '*x'\n",
            "a: 'x: y'\nb: '- x'\nc: ' x'\nd: '#x'\ne: \"a\\tb\"\nf: 'x:'\ng: '*x'\n");
    /* Commas need quotes in a flow only. */
    becomes("a: 'f(x, y)'\nb: ['f(x, y)', 1]\n", "a: f(x, y)\nb: ['f(x, y)', 1]\n");
    becomes("a:\n  b: f(x, y)\n", "a:\n  b: f(x, y)\n");
    becomes("a: \"two\n  lines\"\nb: one\n  line\nc: \"x\n\n  \\\"y\\\"\"\n",
            "a: two lines\nb: one line\nc: \"x\\n\\\"y\\\"\"\n");
    becomes("\"a b\": 1\n'c: d': 2\n", "a b: 1\n'c: d': 2\n");
    becomes("a: 0.50\nb: 1e-08\nc: 007\nd: +3.\n", "a: 0.50\nb: 1e-08\nc: 007\nd: +3.\n");
}

static void test_blocks(void **state)
{
    (void)state;
    becomes("a: |-\n    x\n      y\n\n    z\nb: >\n   one\n   two\n\n   three\n",
            "a: |-\n  x\n    y\n\n  z\nb: >\n  one\n  two\n\n  three\n");
    becomes("a: |2\n    x\n   y\n", "a: |2\n    x\n   y\n");
    becomes("a: |+\n  x\n\n\nb: 1\n", "a: \"x\\n\\n\\n\"\n\nb: 1\n");
    becomes("a: >2\n    x\n    y\n", "a: |2\n    x\n    y\n");
    becomes("? |\n  key\n: 1\n", "\"key\\n\": 1\n");
}

static void test_references(void **state)
{
    (void)state;
    becomes("a: &x 1\nb: [*x,*x]\n", "a: &x 1\nb: [*x, *x]\n");
    becomes("a: &x y\n*x : &z {b: 1}\nc: *z", "a: &x y\n*x : &z { b: 1 }\nc: *z\n");
}

static void test_references_keep_order(void **state)
{
    (void)state;
    /* name would go before gravity, but its alias must not. */
    becomes("gravity: &g [0, 0]\nname: *g\ntenon: 1\n", "gravity: &g [0, 0]\nname: *g\ntenon: 1\n");
    becomes("name: &n x\ntenon: 1\ngravity: *n\n", "tenon: 1\nname: &n x\ngravity: *n\n");
    becomes("a: !!str 5\nb: &x !t\n  c: 1\n", "a: !!str 5\nb: &x !t { c: 1 }\n");
}

static void test_unusual_keys(void **state)
{
    (void)state;
    char text[3000], expected[3000];
    becomes("?\n: 1\na: {? b, c: 2}\n", "?\n: 1\na:\n  b:\n  c: 2\n");
    snprintf(text, sizeof text, "? %01200d # c\n: {d: 1}\n", 7);
    snprintf(expected, sizeof expected, "? %01200d  # c\n:\n  d: 1\n", 7);
    becomes(text, expected);
}

static void test_order(void **state)
{
    (void)state;
    becomes("solve: {step: 1 ms, alpha: 20, until: 1}\nzzz: 1\nbodies:\n  b: {frames: {z: {}, a: {}}, mass: 1}\n"
            "  a: {mass: 2}\nparameters: {r: 1, L: 2}\ntenon: 1\ninclude: [b.yaml, a.yaml]\n",
            "tenon: 1\nparameters: { r: 1, L: 2 }\ninclude: [b.yaml, a.yaml]\n\nbodies:\n"
            "  b: { mass: 1, frames: { z: {}, a: {} } }\n  a: { mass: 2 }\n\n"
            "solve: { until: 1, step: 1 ms, alpha: 20 }\nzzz: 1\n");
}

static void test_json(void **state)
{
    (void)state;
    becomes("{\"tenon\":1,\"bodies\":{\"a\":{\"mass\":1.50,\"com\":[0,\"L/2\"]}},\"name\":\"\\u00e9 \xe2\x80\x94\"}",
            "{\n  \"tenon\": 1,\n  \"name\": \"\\u00e9 \xe2\x80\x94\",\n  \"bodies\": {\n"
            "    \"a\": { \"mass\": 1.50, \"com\": [0, \"L/2\"] }\n  }\n}\n");
    becomes("{\"a\": 01}", "a: 01\n");                      /* not JSON after all */
    becomes("{\"a\": [], \"b\": {}, \"c\": null}", "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": null\n}\n");
}

static void test_refused(void **state)
{
    (void)state;
    const struct { const char *text, *words; } cases[] = {
        { "", "1:1: a model file is a map" },
        { "# only this\n", "1:1: a model file is a map" },
        { "[1, 2]", "1:1: a model file is a map" },
        { "a: [1, 2", "did not find expected" },
        { "a: 1\na: 2\n", "2:1: duplicate key 'a'" },
        { "a: 1\n---\nb: 2\n", "one document" },
        { "a: *x", "refers to nothing" },
        { "\xff\xfe" "a", "UTF-16" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        formatted f = format_bytes(cases[i].text, strlen(cases[i].text));
        reading r = { .context = f.context };
        assert_true(f.code < 0);
        must_say(&r, cases[i].words);
        drop(&f);
    }
}

static void test_models_of_the_repository(void **state)
{
    (void)state;
    const char *const folders[] = { "examples", "validation" };
    int models = 0;
    for (size_t i = 0; i < TN_LENGTH(folders); i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR, folders[i]);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            const char *end = strrchr(entry->d_name, '.');
            if (end == NULL || strcmp(end, ".yaml") != 0)
                continue;
            char text[20000];
            snprintf(path, sizeof path, "%s/%s/%s", TENON_SOURCE_DIR, folders[i], entry->d_name);
            FILE *in = fopen(path, "rb");
            assert_non_null(in);
            size_t size = fread(text, 1, sizeof text - 1, in);
            fclose(in);
            assert_true(size < sizeof text - 1);
            text[size] = '\0';
            becomes(text, text);
            models++;
        }
        closedir(folder);
    }
    assert_true(models > 20);
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    int accepted = 0;
    for (size_t size = 0; size < sizeof good; size++)
        accepted += answers(good, size);
    assert_true(accepted > 20 && (size_t)accepted < sizeof good - 20);
}

static void test_damaged(void **state)
{
    (void)state;
    const char printable[] = "abcxyz0159.-+*/^[]{}:, \"'&#\n|>%!?";
    uint32_t seed = 7;
    char text[sizeof good];
    int accepted = 0;
    for (int round = 0; round < 6000; round++) {
        memcpy(text, good, sizeof good);
        for (uint32_t flips = 1 + next_random(&seed) % 3; flips > 0; flips--) {
            char c = round % 3 == 0 ? (char)next_random(&seed) : printable[next_random(&seed) % (sizeof printable - 1)];
            text[next_random(&seed) % (sizeof good - 1)] = c;
        }
        accepted += answers(text, sizeof good - 1);
    }
    assert_true(accepted > 1000);
}

static void test_deep_nesting(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    const char *openers[] = { "[", "{", "- ", "? ", "{a: ", "&a [" };
    char *text = malloc(SIZE);
    for (size_t i = 0; i < TN_LENGTH(openers); i++) {
        size_t length = strlen(openers[i]);
        for (size_t at = 0; at + length <= SIZE; at += length)
            memcpy(text + at, openers[i], length);
        assert_false(answers(text, SIZE - SIZE % length));
    }
    free(text);
}

/* Sixty levels deep every item takes a line of its own and 120 spaces: far more than the text itself. */
static void test_indentation_bomb(void **state)
{
    (void)state;
    enum { LEVELS = 60, ITEMS = 1000000 };
    const char *const forms[][3] = { { "a: ", "x,", "" }, { "{\"a\": ", "1,", "}" } };
    for (size_t f = 0; f < TN_LENGTH(forms); f++) {
        char *text = malloc(2 * ITEMS + 2 * LEVELS + 20), *p = text + sprintf(text, "%s", forms[f][0]);
        for (int i = 0; i < LEVELS; i++)
            *p++ = '[';
        for (int i = 0; i < ITEMS; i++)
            p += sprintf(p, "%s", forms[f][1]);
        p += sprintf(p, "2");
        for (int i = 0; i < LEVELS; i++)
            *p++ = ']';
        p += sprintf(p, "%s", forms[f][2]);
        formatted out = format_bytes(text, (size_t)(p - text));
        assert_int_equal(out.code, TN_ERROR_FILE);
        drop(&out);
        free(text);
    }
}

static void test_too_many_comments(void **state)
{
    (void)state;
    size_t count = TN_SOURCE_COMMENTS + 1, used = 5;
    char *text = malloc(2 * count + 10);
    memcpy(text, "a: 1\n", used);
    for (size_t i = 0; i < count; i++, used += 2)
        memcpy(text + used, "#\n", 2);
    formatted f = format_bytes(text, used);
    assert_int_equal(f.code, TN_ERROR_MODEL);
    drop(&f);
    f = format_bytes(text, used - 2);
    assert_int_equal(f.code, TN_OK);
    drop(&f);
    free(text);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    const char text[] = "# head\nname: 'x # y' # n\ntenon: 1\na: [ {b: &x [1, 2]}, *x, # c\n \"\n\" ]\nd: >\n  e\n";
    int code = TN_ERROR_MEMORY;
    for (long n = 2; code != TN_OK; n++) {
        test_alloc a = { .fail_at = n };
        tn_context *context = test_context(&a);
        assert_non_null(context);
        char *out;
        code = tn_format_text(&out, context, text, sizeof text - 1, "model.yaml");
        assert_true(code == TN_OK || code == TN_ERROR_MEMORY);
        assert_int_equal(code == TN_OK, out != NULL);
        tn_text_free(context, out);
        tn_context_destroy(context);
        assert_int_equal(a.alive, 0);
    }
}

/* Time grows with the size, not with its square: four times the bodies, less than ten times the time. */
static double seconds_to_format(int bodies)
{
    char *text = malloc(200 * (size_t)bodies + 100);
    size_t used = (size_t)sprintf(text, "solve: {until: 1}\nbodies:\n");
    for (int i = 0; i < bodies; i++)
        used += (size_t)sprintf(text + used, "  # body %d\n  b%d: {inertia: 1/12, mass: \"m\", frames: {e: {at: [L,0]}}}"
                                " # %d\n", i, i, i);
    clock_t start = clock();
    formatted f = format_bytes(text, used);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(f.code, TN_OK);
    drop(&f);
    free(text);
    return seconds;
}

static void test_large_models(void **state)
{
    (void)state;
    double small = seconds_to_format(5000), large = seconds_to_format(20000);
    assert_true(large < 10 * small + 0.1);
}

/* The tree is made to be changed: what is not touched keeps its comments. */
static void test_edits(void **state)
{
    (void)state;
    const char text[] = "# head\na: 1 # one\n# two\nb: 'x # y'\nc: [1, 2] # three\n";
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_source source;
    size_t budget = TN_YAML_NODES;
    assert_int_equal(tn_source_parse(&source, arena, context, (tn_span){ "f", 1, 1 }, text, sizeof text - 1, &budget),
                     TN_OK);
    tn_node_value(source.root, 0)->as.text = "12 mm";
    tn_node_value(source.root, 1)->as.text = "it's: \"new\"";
    tn_node_value(source.root, 1)->written->spelling = NULL;
    tn_source_drop(tn_node_value(source.root, 2), 0);
    char *out;
    assert_int_equal(tn_source_write(&out, &source), TN_OK);
    assert_string_equal(out, "# head\na: 12 mm  # one\n# two\nb: 'it''s: \"new\"'\nc: [2]  # three\n");
    tn_free(context, out);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),         cmocka_unit_test(test_width),
        cmocka_unit_test(test_comments),       cmocka_unit_test(test_blank_lines),
        cmocka_unit_test(test_quotes),         cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_references),     cmocka_unit_test(test_references_keep_order),
        cmocka_unit_test(test_unusual_keys),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_json),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_models_of_the_repository),
        cmocka_unit_test(test_cut_anywhere),   cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_indentation_bomb),
        cmocka_unit_test(test_deep_nesting),   cmocka_unit_test(test_too_many_comments),
        cmocka_unit_test(test_memory_runs_out), cmocka_unit_test(test_large_models),
        cmocka_unit_test(test_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
