/* Model files that are cut, damaged, huge or malicious: always an answer, never a crash, bounded time and memory. */
#include "all_sections.h"
#include "random.h"
#include "read_model.h"
#include "tenon/sys/joint.h"
#include <time.h>
#include <unistd.h>

/* A text that is refused must say why. */
static void must_answer(const char *text, size_t size)
{
    reading r = read_bytes(text, size);
    if (r.code < 0) {
        assert_null(r.model);
        assert_true(tn_diagnostics_count(r.context) > 0);
    } else {
        assert_non_null(r.model);
    }
    done(&r);
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    reading r = accepted(good);
    done(&r);
    for (size_t size = 0; size < sizeof good - 1; size++)
        must_answer(good, size);
}

static void test_damaged_bytes(void **state)
{
    (void)state;
    uint32_t seed = 1;
    char text[sizeof good];
    for (int round = 0; round < 4000; round++) {
        memcpy(text, good, sizeof good);
        for (uint32_t flips = 1 + next_random(&seed) % 4; flips > 0; flips--)
            text[next_random(&seed) % (sizeof good - 1)] = (char)next_random(&seed);
        must_answer(text, sizeof good - 1);
    }
}

/* Damage that YAML does not notice: another printable character. */
static void test_damaged_words(void **state)
{
    (void)state;
    const char printable[] = "abcxyz0159.-+*/^[]{}:, \"'&#";
    uint32_t seed = 7;
    char text[sizeof good];
    for (int round = 0; round < 4000; round++) {
        memcpy(text, good, sizeof good);
        text[next_random(&seed) % (sizeof good - 1)] = printable[next_random(&seed) % (sizeof printable - 1)];
        must_answer(text, sizeof good - 1);
    }
}

static void test_garbage(void **state)
{
    (void)state;
    uint32_t seed = 3;
    char bytes[300];
    for (int round = 0; round < 1000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)next_random(&seed);
        must_answer(bytes, sizeof bytes);
    }
}

static void test_deep_nesting(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    const char *openers[] = { "[", "{", "- ", "? ", "{a: ", "&a [" };
    char *text = malloc(SIZE);
    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        size_t length = strlen(openers[i]);
        for (size_t at = 0; at + length <= SIZE; at += length)
            memcpy(text + at, openers[i], length);
        reading r = read_bytes(text, SIZE - SIZE % length);
        assert_true(r.code < 0);
        done(&r);
    }
    free(text);
}

/* A chain of parameters, last first, must not nest evaluations without end. */
static void test_long_parameter_chain(void **state)
{
    (void)state;
    enum { LINKS = 20000 };
    char *text = malloc(40 * LINKS);
    size_t used = (size_t)sprintf(text, "tenon: 1\nparameters:\n");
    for (int i = 0; i < LINKS; i++)
        used += (size_t)sprintf(text + used, "  p%d: p%d + 1\n", i, i + 1);
    used += (size_t)sprintf(text + used, "  p%d: 0\n", LINKS);
    reading r = read_bytes(text, used);
    assert_int_equal(r.code, TN_ERROR_MODEL);
    must_say(&r, "deep");
    done(&r);
    free(text);
}

static void test_huge_file(void **state)
{
    (void)state;
    char folder[64], path[100];
    temporary_folder(folder, sizeof folder);
    write_text(folder, "huge.yaml", "tenon: 1\n");
    snprintf(path, sizeof path, "%s/huge.yaml", folder);
    assert_int_equal(truncate(path, 100 << 20), 0);
    clock_t start = clock();
    reading r = read_path(path);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
    assert_int_equal(r.code, TN_ERROR_FILE);
    must_say(&r, "larger than 64 MiB");
    done(&r);
    assert_int_equal(truncate(path, 60 << 20), 0);         /* within the limit, but NULs */
    r = read_path(path);
    assert_int_equal(r.code, TN_ERROR_MODEL);
    done(&r);
    remove(path);
}

static void test_not_a_file(void **state)
{
    (void)state;
    reading r = read_path("/tmp");
    assert_int_equal(r.code, TN_ERROR_FILE);
    must_say(&r, "folder");
    done(&r);
    r = read_path("/nonexistent/model.yaml");
    assert_int_equal(r.code, TN_ERROR_FILE);
    must_say(&r, "No such file");
    done(&r);
    r = read_path("/dev/zero");
    assert_int_equal(r.code, TN_ERROR_FILE);
    done(&r);
}

static void test_include_of_itself_and_depth(void **state)
{
    (void)state;
    char folder[64], name[40], text[100];
    temporary_folder(folder, sizeof folder);
    write_text(folder, "self.yaml", "tenon: 1\ninclude: ./self.yaml\n");
    reading r = read_in(folder, "self.yaml");
    must_say(&r, "2:10: cyclic include: ");
    done(&r);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "n%d.yaml", i);
        snprintf(text, sizeof text, "tenon: 1\ninclude: n%d.yaml\n", i + 1);
        write_text(folder, name, text);
    }
    r = read_in(folder, "n0.yaml");
    must_say(&r, "too many includes");
    done(&r);
}

typedef struct scarce {
    long left;                 /* allocations that still succeed */
} scarce;

static void *reallocate_scarcely(void *user, void *pointer, size_t size)
{
    scarce *s = user;
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    return s->left-- > 0 ? realloc(pointer, size) : NULL;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    int code = TN_ERROR_MEMORY;
    for (long n = 2; code != TN_OK; n++) {
        scarce s = { n };
        tn_context_options options = { reallocate_scarcely, &s };
        tn_context *context = tn_context_create(&options);
        assert_non_null(context);
        tn_model *model = NULL;
        code = tn_model_read_text(&model, context, good, sizeof good - 1, "model.yaml", "");
        assert_true(code == TN_OK || code == TN_ERROR_MEMORY);
        assert_int_equal(code == TN_OK, model != NULL);
        tn_model_destroy(model);
        tn_context_destroy(context);
    }
}

/* Errors everywhere must not make suggestions quadratic. */
static void test_all_wrong(void **state)
{
    (void)state;
    enum { BODIES = 20000 };
    char *text = malloc(200 * BODIES);
    size_t used = (size_t)sprintf(text, "tenon: 1\nbodies:\n");
    for (int i = 0; i < BODIES; i++)
        used += (size_t)sprintf(text + used, "  body%d: { mass: 1, inertia: [1, 1, 1] }\n", i);
    used += (size_t)sprintf(text + used, "joints:\n");
    for (int i = 0; i < BODIES; i++)
        used += (size_t)sprintf(text + used, "  j%d: { type: revolute, between: [ground, bdy%d] }\n", i, i);
    clock_t start = clock();
    reading r = read_bytes(text, used);
    assert_int_equal(r.code, TN_ERROR_MODEL);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 30);
    done(&r);
    free(text);
}

/* Time grows with the size, not with its square: four times the bodies, less than ten times the time. */
static double seconds_to_read(int bodies)
{
    char *text = malloc(300 * (size_t)bodies + 100);
    size_t used = (size_t)sprintf(text, "tenon: 1\ndimension: 2\nparameters: { m: 1 kg, L: 50 cm }\nbodies:\n");
    for (int i = 0; i < bodies; i++)
        used += (size_t)sprintf(text + used,
                                "  b%d: { mass: m, com: [L/2, 0], inertia: 1/12, position: [%d, 0], "
                                "frames: { end: { at: [L, 0] } } }\n", i, i);
    used += (size_t)sprintf(text + used, "joints:\n");
    for (int i = 1; i < bodies; i++)
        used += (size_t)sprintf(text + used, "  j%d: { type: revolute, between: [b%d.end, b%d] }\n", i, i - 1, i);
    clock_t start = clock();
    reading r = read_bytes(text, used);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(r.code, TN_OK);
    assert_int_equal(tn_model_count(r.model, TN_KIND_JOINT), bodies - 1);
    done(&r);
    free(text);
    return seconds;
}

static void test_large_models(void **state)
{
    (void)state;
    double small = seconds_to_read(5000), large = seconds_to_read(20000);
    assert_true(large < 10 * small + 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_damaged_words),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_long_parameter_chain),
        cmocka_unit_test(test_huge_file),
        cmocka_unit_test(test_not_a_file),
        cmocka_unit_test(test_include_of_itself_and_depth),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_all_wrong),
        cmocka_unit_test(test_large_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
