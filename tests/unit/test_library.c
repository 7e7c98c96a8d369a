/* Libraries that are named by a model: good ones are loaded, each kind of bad one is refused with its own words, in a
 * process of its own, and this one lives on. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "alloc.h"
#include "tenon/library.h"
#include "tenon/sys/component.h"

static const tn_span PLACE = { "model.yaml", 4, 12 };

static void path_of(char path[400], const char *name)
{
    snprintf(path, 400, TENON_BAD_LIBRARIES "/%s.so", name);
}

static int open_named(tn_library **out, tn_context *context, const char *name)
{
    char path[400];
    path_of(path, name);
    *out = NULL;
    return tn_library_open(out, context, path, "subsystem 'left'", PLACE);
}

static void test_a_good_one(void **state)
{
    (void)state;
    test_alloc alloc = { 0 };
    tn_context *context = test_context(&alloc);
    tn_library *library, *again;
    assert_int_equal(open_named(&library, context, "good"), TN_OK);
    const tn_component_type *type = tn_library_type(library);
    assert_string_equal(type->name, "free body");
    assert_int_equal(tn_library_states(library), 12);
    assert_int_equal(open_named(&again, context, "good"), TN_OK);
    assert_ptr_equal(tn_library_type(again), type);
    assert_ptr_equal(tn_library_hold(again), again);
    tn_library_release(again);
    tn_library_release(again);
    tn_library_release(library);
    assert_int_equal(open_named(&library, context, "OPEN_GOOD"), TN_OK);
    assert_int_equal(tn_library_type(library)->disclosure, TN_DISCLOSE_OPEN);
    tn_library_release(library);
    tn_context_destroy(context);
    assert_int_equal(alloc.alive, 0);
}

typedef struct bad {
    const char *name, *words;
} bad;
static const bad all_bad[] = {
    { "CRASH_AT_LOADING", "crashes while it is loaded (Segmentation fault)" },
    { "NO_ENTRY", "is no component: it exports no function tenon_component" },
    { "NO_TYPE", "is damaged, or no component" },
    { "WRONG_VERSION", "was made for version 3 of the component interface; this program has 2" },
    { "WRONG_SIZE", "bytes where version 2 of the interface has" },
    { "NO_PORTS", "is no component: it has no ports" },
    { "NO_CONDENSE", "lacks the function 'condense' that level 2 needs" },
    { "CRASH_IN_CREATE", "crashes in 'create' (Segmentation fault)" },
    { "ABORT_IN_CREATE", "crashes in 'create' (Aborted)" },
    { "EXIT_IN_CREATE", "ends the program in 'create'" },
    { "HANG_IN_CREATE", "does not come back within 5 s in 'create'" },
    { "REFUSE_IN_CREATE", "'create' fails: no licence" },
    { "NEGATIVE_STATES", "'state_count' gives no number of states" },
    { "FEWER_STATES", "'point' writes more than 11 numbers" },
    { "NO_AXES", "the axes of a port are not perpendicular" },
    { "CENTER_NOT_TOLD", "'port_center': not all numbers are finite" },
    { "NOT_A_NUMBER", "'condense': not all numbers are finite" },
    { "NOT_SYMMETRIC", "'condense': D is not symmetric" },
    { "INDEFINITE", "'condense': D is not positive semidefinite" },
    { "TOO_MUCH", "'condense' writes more than 36 numbers" },
    { "OTHER_ANSWER", "'respond' gives another answer than D and r" },
    { "ROOT_OTHER", "'condense_root' gives another D than 'condense'" },
    { "ROOT_TOO_MANY", "'condense_root' gives more rows than there are columns" },
    { "ROOT_TOO_MUCH", "'condense_root' writes more than 36 numbers" },
    { "ROOT_FAILS", "'condense_root' fails" },
    { "CRASH_IN_TAKE", "crashes in 'take' (Segmentation fault)" },
    { "OPEN_MISSING", "lacks the function 'take_open' that level 3 needs" },
    { "OPEN_NOTHING", "'open' leaves something out" },
    { "OPEN_NO_ROWS", "'open': the structure is incomplete" },
    { "OPEN_NOT_WRITTEN", "'write_to': M and G are not where they shall be" },
    { "OPEN_NOT_A_NUMBER", "'open': not all numbers are finite" },
    { "OPEN_NOT_SYMMETRIC", "'open': a mass block is not symmetric" },
    { "OPEN_NO_MASS", "'open': a mass block is not symmetric, or has no positive diagonal" },
    { "OPEN_WRONG_BODY", "'open': a port is on a body that does not exist" },
    { "OPEN_WRONG_COLUMNS", "'open': the columns or mass blocks of a body are not in place" },
    { "OPEN_WRONG_BLOCK", "'open': the rows or blocks of a constraint are not in place" },
    { "OPEN_WRONG_PIN", "'open': a pin does not fit its constraint" },
    { "OPEN_CIRCLE", "'open': the groups are no tree" },
    { "OPEN_TOO_MUCH", "'take_open' writes more than 12 numbers" },
    { "OPEN_BAD_POWER", "'take_open': power: not all numbers are finite" },
};

static void test_bad_ones(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    for (size_t k = 0; k < sizeof all_bad / sizeof all_bad[0]; k++) {
        tn_library *library;
        assert_true(open_named(&library, context, all_bad[k].name) < 0);
        assert_null(library);
        const tn_diagnostic *d = tn_diagnostics_get(context, 0);
        assert_non_null(d);
        if (!strstr(d->message, all_bad[k].words))
            fail_msg("%s: %s", all_bad[k].name, d->message);
        assert_int_equal(strncmp(d->message, "subsystem 'left': '/", 20), 0);
        assert_string_equal(d->span.file, "model.yaml");
        assert_int_equal(d->span.line, 4);
        assert_null(tn_diagnostics_get(context, 1));
        tn_diagnostics_clear(context);
    }
    tn_context_destroy(context);
}

/* The last of the messages; they are cleared. */
static void expect_words(tn_context *context, int code, int expected, const char *words)
{
    assert_int_equal(code, expected);
    const tn_diagnostic *d = tn_diagnostics_get(context, 0);
    assert_non_null(d);
    if (!strstr(d->message, words))
        fail_msg("%s", d->message);
    tn_diagnostics_clear(context);
}

static void test_what_is_no_library(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_library *library;
    expect_words(context, open_named(&library, context, "missing"), TN_ERROR_FILE, "No such file");
    expect_words(context, tn_library_open(&library, context, TENON_SOURCE_DIR "/README.md", NULL, PLACE),
                 TN_ERROR_ARGUMENT, "cannot be loaded");
    expect_words(context, tn_library_open(&library, context, TENON_SOURCE_DIR, NULL, PLACE), TN_ERROR_ARGUMENT,
                 "cannot be loaded");
    tn_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_library *library;
    tn_context_refuse_libraries(context, true);
    expect_words(context, open_named(&library, context, "good"), TN_ERROR_ARGUMENT, "libraries are refused here");
    expect_words(context, open_named(&library, context, "CRASH_AT_LOADING"), TN_ERROR_ARGUMENT, "refused");
    tn_context_refuse_libraries(context, false);
    assert_int_equal(tn_context_confine(context, TENON_SOURCE_DIR "/src"), TN_OK);
    expect_words(context, open_named(&library, context, "good"), TN_ERROR_FILE, "outside of the folder");
    tn_context_destroy(context);
}

/* A name without a folder is never looked for in the system's folders. */
static void test_no_search(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_library *library;
    expect_words(context, tn_library_open(&library, context, "libm.so.6", NULL, PLACE), TN_ERROR_FILE, "No such file");
    tn_context_destroy(context);
}

/* With other values than the defaults. */
static void test_values(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_library *library;
    tn_component_setting setting = { .size = sizeof setting, .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    assert_int_equal(open_named(&library, context, "good"), TN_OK);
    assert_int_equal(tn_library_try(library, &setting, NULL, NULL, PLACE), TN_OK);
    setting.p[0] = 0.0 / 0.0;
    expect_words(context, tn_library_try(library, &setting, NULL, NULL, PLACE), TN_ERROR_ARGUMENT, "'point': not all");
    tn_library_release(library);
    tn_context_destroy(context);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    for (long failing = 1; failing <= 2; failing++) {
        test_alloc alloc = { 0 };
        tn_context *context = test_context(&alloc);
        long alive = alloc.alive;
        tn_library *library;
        alloc.fail_at = alloc.calls + failing;
        assert_int_equal(open_named(&library, context, "good"), TN_ERROR_MEMORY);
        assert_int_equal(alloc.alive, alive);
        tn_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_one),
        cmocka_unit_test(test_bad_ones),
        cmocka_unit_test(test_what_is_no_library),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_search),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
