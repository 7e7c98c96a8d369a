/* The helper of STEP files when it is killed, hangs, stops half-way, gets no memory, or nobody wants its answer any more: a
 * message in bounded time, and nothing else. */
#define _XOPEN_SOURCE 700
#include "near.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tenon/context.h>
#include <tenon/import.h>
#include <unistd.h>

typedef struct place {
    char folder[64], file[128], helper[128];
} place;

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static place make_place(const char *script)
{
    place p = { .folder = "/tmp/tenon-helper-XXXXXX" };
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.file, sizeof p.file, "%s/a.step", p.folder);
    snprintf(p.helper, sizeof p.helper, "%s/helper", p.folder);
    write_text(p.file, "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n");
    write_text(p.helper, script);
    assert_int_equal(chmod(p.helper, 0755), 0);
    return p;
}

static bool always(void *user)
{
    (*(int *)user)++;
    return true;
}

static void check_message(const char *script, tn_import_options options, const char *wanted)
{
    place p = make_place(script);
    const char *const files[] = { p.file };
    tn_context *context = tn_context_create(NULL);
    tn_import *import = NULL;
    options.helper = p.helper;
    assert_int_equal(tn_import_read(&import, context, files, 1, &options), TN_ERROR_FILE);
    assert_null(import);
    assert_true(tn_diagnostics_count(context) > 0);
    if (!strstr(tn_diagnostics_get(context, 0)->message, wanted))
        fail_msg("'%s' does not say '%s'", tn_diagnostics_get(context, 0)->message, wanted);
    tn_context_destroy(context);
    unlink(p.file);
    unlink(p.helper);
    assert_int_equal(rmdir(p.folder), 0);      /* nothing else was left there */
}

static void test_trouble(void **state)
{
    (void)state;
    tn_import_options options = tn_import_default();
    check_message("#!/bin/sh\nkill -9 $$\n", options, "tenon-cad failed");
    check_message("#!/bin/sh\necho oops >&2\nexit 3\n", options, "oops");
    check_message("#!/bin/sh\necho 'part 0 1'\n", options, "tenon-cad failed");
    check_message("#!/bin/sh\necho 'part x'\necho end\n", options, "not understood");
    check_message("#!/bin/sh\necho 'occurrence 0 7 99 0 0 0 1 0 0 0 1 0 0 0 1 a'\necho end\n", options, "not understood");
    options.helper_time = 0.3;
    check_message("#!/bin/sh\nexec sleep 100\n", options, "ended after 0.3 s");
    options = tn_import_default();
    options.helper_memory = 1e5;
    check_message("#!/bin/sh\necho end\n", options, "tenon-cad failed");
}

static void test_cancelled(void **state)
{
    (void)state;
    int asked = 0;
    tn_import_options options = tn_import_default();
    options.cancelled = always;
    options.user = &asked;
    check_message("#!/bin/sh\nexec sleep 100\n", options, "cancelled");
    assert_int_equal(asked, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trouble),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
