/* Context, memory, diagnostics, units. */
#include "alloc.h"
#include "diag.h"
#include "mem.h"
#include "near.h"
#include "tenon/sys/utf8.h"
#include "tn_assert.h"
#include "units.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_context_texts(void **state)
{
    (void)state;
    assert_string_equal(tn_version(), TENON_VERSION);
    assert_int_equal(tn_version_number(), TENON_VERSION_NUMBER);
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TENON_VERSION_MAJOR, TENON_VERSION_MINOR, TENON_VERSION_PATCH);
    assert_string_equal(tn_version(), text);
    assert_true(TENON_VERSION_NUMBER >= TENON_VERSION_AT(0, 1, 0) && TENON_VERSION_NUMBER < TENON_VERSION_AT(1, 0, 0));
    for (int code = TN_ERROR_STEP; code <= TN_NEWS_STOPPED; code++)
        for (int other = TN_ERROR_STEP; other < code; other++)
            assert_string_not_equal(tn_error_text(code), tn_error_text(other));
    assert_string_equal(tn_error_text(-1000), "unknown error");
    tn_context *context = tn_context_create(NULL);
    assert_non_null(context);
    tn_context_destroy(context);
    tn_context_destroy(NULL);
}

static void test_alloc_clears_and_checks_overflow(void **state)
{
    (void)state;
    test_alloc memory = { 0 };
    tn_context *context = test_context(&memory);
    unsigned char *bytes = tn_alloc(context, 100, 3);
    for (int i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    tn_free(context, bytes);
    void *nothing = tn_alloc(context, 0, 8);
    assert_non_null(nothing);
    tn_free(context, nothing);
    tn_free(context, NULL);
    assert_null(tn_alloc(context, SIZE_MAX / 2, 3));
    char *copy = tn_strdup(context, "pivot");
    assert_string_equal(copy, "pivot");
    tn_free(context, copy);
    tn_context_destroy(context);
    assert_int_equal(memory.alive, 0);
}

static void test_grow_keeps_and_clears(void **state)
{
    (void)state;
    test_alloc memory = { 0 };
    tn_context *context = test_context(&memory);
    int *array = NULL;
    size_t capacity = 0;
    for (size_t n = 1; n <= 1000; n++) {
        assert_int_equal(tn_grow(context, &array, &capacity, n, sizeof *array), TN_OK);
        assert_int_equal(array[n - 1], 0);
        array[n - 1] = (int)n;
    }
    for (size_t n = 1; n <= 1000; n++)
        assert_int_equal(array[n - 1], (int)n);
    assert_true(memory.calls < 20);
    size_t before = capacity;
    assert_int_equal(tn_grow(context, &array, &capacity, SIZE_MAX / 2, sizeof *array), TN_ERROR_MEMORY);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(tn_grow(context, &array, &capacity, before + 1, sizeof *array), TN_ERROR_MEMORY);
    assert_int_equal(capacity, before);
    assert_int_equal(array[999], 1000);
    tn_free(context, array);
    tn_context_destroy(context);
    assert_int_equal(memory.alive, 0);
}

/* Invariants end the program where they are looked for, and are not evaluated elsewhere. */
static void test_invariants(void **state)
{
    (void)state;
    int evaluated = 0;
    TN_ASSERT(++evaluated == 1);
    TN_ASSERT_INDEX((size_t)0, 1);
#ifdef TENON_ASSERTIONS
    assert_int_equal(evaluated, 1);
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        TN_ASSERT_INDEX(1, 1);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
#else
    assert_int_equal(evaluated, 0);
    TN_ASSERT_INDEX(1, 1);
#endif
}

static void test_clock_goes_forward(void **state)
{
    (void)state;
    double first = tn_clock(), last = first;
    for (int k = 0; k < 1000; k++) {
        double now = tn_clock();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > first && last - first < 10);
}

static void test_arena_pieces(void **state)
{
    (void)state;
    test_alloc memory = { 0 };
    tn_context *context = test_context(&memory);
    tn_arena *arena = tn_arena_create(context);
    unsigned char *pieces[200];
    size_t total = 0;
    for (size_t i = 0; i < 200; i++) {
        size_t size = i * i % 997 + 1;
        pieces[i] = tn_arena_alloc(arena, size, 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % (size >= 64 ? 64 : _Alignof(max_align_t)), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)i, size);
        total += size;
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i * i % 997 + 1; k++)
            assert_int_equal(pieces[i][k], i);
    assert_int_equal(tn_arena_used(arena), total);
    assert_string_equal(tn_arena_strndup(arena, "crank.tip", 5), "crank");
    assert_string_equal(tn_arena_strdup(arena, "crank.tip"), "crank.tip");
    assert_non_null(tn_arena_alloc(arena, 3, 2 << 20));
    assert_int_equal(tn_arena_status(arena), TN_OK);
    assert_null(tn_arena_alloc(arena, SIZE_MAX / 8, 8));
    assert_int_equal(tn_arena_status(arena), TN_ERROR_MEMORY);
    assert_non_null(tn_arena_alloc(arena, 1, 8));      /* a later success does not hide the failure */
    assert_int_equal(tn_arena_status(arena), TN_ERROR_MEMORY);
    tn_arena_destroy(arena);
    tn_arena_destroy(NULL);
    tn_context_destroy(context);
    assert_int_equal(memory.alive, 0);
}

static void test_arena_clear(void **state)
{
    (void)state;
    test_alloc memory = { 0 };
    tn_context *context = test_context(&memory);
    tn_arena *arena = tn_arena_create(context);
    long calls[3];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 500; i++) {
            unsigned char *piece = tn_arena_alloc(arena, i % 97 + 1, 3);
            assert_int_equal(piece[0] | piece[3 * (i % 97)], 0);
            memset(piece, 0xff, 3 * (i % 97 + 1));
        }
        assert_non_null(tn_arena_alloc(arena, 1, 300000));
        assert_int_equal(tn_arena_clear(arena), TN_OK);
        assert_int_equal(tn_arena_used(arena), 0);
        calls[round] = memory.calls;
    }
    assert_int_equal(calls[2], calls[0]);
    assert_null(tn_arena_alloc(arena, SIZE_MAX / 8, 8));
    assert_int_equal(tn_arena_clear(arena), TN_OK);
    assert_int_equal(tn_arena_status(arena), TN_OK);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    assert_int_equal(memory.alive, 0);
}

static void count_end(void *user)
{
    ++*(int *)user;
}

/* Takes pieces of all sizes at some depth, and again deeper between a mark and its release: what was taken before a mark stays. */
static void take_at_depth(tn_arena *arena, int depth, int *ended)
{
    enum { PIECES = 40 };
    unsigned char *pieces[PIECES];
    const tn_arena_mark mark = tn_arena_now(arena);
    const size_t used = tn_arena_used(arena);
    const int ended_before = *ended;
    assert_int_equal(tn_arena_on_destroy(arena, count_end, ended), TN_OK);
    for (size_t i = 0; i < PIECES; i++) {
        const size_t size = i == 20 ? 200000 : i * 7 % 53 + 1;
        pieces[i] = tn_arena_alloc(arena, size, 1);
        assert_int_equal(pieces[i][0] | pieces[i][size - 1], 0);
        memset(pieces[i], 16 * depth + (int)i % 16, size);
        if (depth < 4 && i % 13 == 12)
            take_at_depth(arena, depth + 1, ended);
    }
    for (size_t i = 0; i < PIECES; i++)
        assert_int_equal(pieces[i][0], 16 * depth + (int)i % 16);
    const int ended_inside = *ended;
    tn_arena_release(arena, &mark);
    assert_int_equal(tn_arena_used(arena), used);
    assert_int_equal(*ended, ended_inside + 1);
    assert_true(ended_inside >= ended_before);
}

static void test_arena_marks(void **state)
{
    (void)state;
    test_alloc memory = { 0 };
    tn_context *context = test_context(&memory);
    tn_arena *arena = tn_arena_create(context);
    int ended = 0;
    long alive[3];
    for (int round = 0; round < 3; round++) {
        take_at_depth(arena, 0, &ended);
        alive[round] = memory.alive;
    }
    assert_int_equal(alive[2], alive[0]);
    const long calls = memory.calls;                   /* from here on a small piece needs no memory */
    for (int k = 0; k < 100; k++) {
        const tn_arena_mark outer = tn_arena_now(arena);
        assert_non_null(tn_arena_alloc(arena, 1, 100));
        const tn_arena_mark inner = tn_arena_now(arena);
        assert_non_null(tn_arena_alloc(arena, 1, 1000));
        tn_arena_release(arena, &inner);
        tn_arena_release(arena, &outer);
    }
    assert_int_equal(memory.calls, calls);
    const tn_arena_mark mark = tn_arena_now(arena);
    assert_null(tn_arena_alloc(arena, SIZE_MAX / 8, 8));
    tn_arena_release(arena, &mark);
    assert_int_equal(tn_arena_status(arena), TN_OK);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    assert_int_equal(memory.alive, 0);
}

static void test_text_builder(void **state)
{
    (void)state;
    test_alloc memory = { 0 };
    tn_context *context = test_context(&memory);
    tn_text text;
    char *taken;
    tn_text_begin(&text, context);
    assert_int_equal(tn_text_take(&text, &taken), TN_OK);
    assert_string_equal(taken, "");
    tn_free(context, taken);
    tn_text_begin(&text, context);
    for (int i = 0; i < 100; i++)
        tn_text_add(&text, "%02d,", i);
    tn_text_add_json(&text, "a \"q\" \\ \n\x1f \xC2\xB5");
    assert_int_equal(tn_text_take(&text, &taken), TN_OK);
    assert_int_equal(strncmp(taken, "00,01,02,", 9), 0);
    assert_string_equal(taken + 300, "\"a \\\"q\\\" \\\\ \\u000a\\u001f \xC2\xB5\"");
    tn_free(context, taken);
    tn_context_destroy(context);
    assert_int_equal(memory.alive, 0);
}

static const char *word(void *user, size_t index)
{
    const char *const *words = user;
    return words[index];
}

/* Everything of this layer that allocates, once; true when nothing was lost. */
static bool exercise(tn_context *context)
{
    bool complete = true;
    tn_arena *arena = tn_arena_create(context);
    if (arena) {
        complete &= tn_arena_strdup(arena, "tip") != NULL;
        complete &= tn_arena_alloc(arena, 10000, 8) != NULL;
    }
    tn_text text;
    char *taken;
    tn_text_begin(&text, context);
    tn_text_add(&text, "%100d", 7);
    tn_text_add_json(&text, "\n");
    complete &= tn_text_take(&text, &taken) == TN_OK;
    tn_free(context, taken);
    assert_int_equal(tn_fail(context, TN_ERROR_MODEL, ((tn_span){ "a.yaml", 1, 2 }), "wrong"), TN_ERROR_MODEL);
    complete &= tn_diagnostics_count(context) == 1;
    complete &= tn_diagnostics_count(context) == 1 && tn_diagnostics_get(context, 0)->span.file != NULL;
    tn_arena_destroy(arena);
    return complete && arena;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    bool complete = false;
    for (long n = 1; !complete; n++) {
        test_alloc memory = { .fail_at = n };
        tn_context *context = test_context(&memory);
        if (context) {
            complete = exercise(context);
            assert_true(complete == (memory.calls < n));
            tn_context_destroy(context);
        }
        assert_int_equal(memory.alive, 0);
        assert_true(n < 100);
    }
}

static void test_diagnostics_list(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    char file[] = "slider.yaml";
    assert_int_equal(tn_fail(context, TN_ERROR_MODEL, ((tn_span){ file, 19, 34 }), "no frame '%s'", "tpi"),
                     TN_ERROR_MODEL);
    assert_int_equal(tn_warn(context, ((tn_span){ file, 3, 0 }), "odd"), TN_OK);
    tn_fail(context, TN_ERROR_FILE, ((tn_span){ file, 0, 0 }), "cut off");
    tn_report_add(context, TN_OK, TN_NOTE, TN_NOWHERE, "by the way");
    memset(file, 'x', sizeof file - 1);    /* the name is copied */
    assert_int_equal(tn_diagnostics_count(context), 4);
    assert_null(tn_diagnostics_get(context, 4));
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    assert_int_equal(tn_diagnostics_print(context, out), 2);
    fclose(out);
    assert_string_equal(printed, "slider.yaml:19:34: error: no frame 'tpi'\n"
                                 "slider.yaml:3: warning: odd\n"
                                 "slider.yaml: error: cut off\n"
                                 "note: by the way\n");
    free(printed);
    tn_diagnostics_clear(context);
    assert_int_equal(tn_diagnostics_count(context), 0);
    tn_context_destroy(context);
}

static void test_utf8(void **state)
{
    (void)state;
    static const char *const good[] = { "", "abc", "\xc2\x80", "\xe2\x82\xac 5", "\xed\x9f\xbf\xee\x80\x80", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" };
    static const struct { const char *text, *mended; } broken[] = {
        { "\x80", "?" }, { "a\xc3", "a?" }, { "\xc3'", "?'" }, { "\xc0\x80x", "??x" }, { "\xe0\x9f\xbf", "???" }, { "\xe2\x82", "?" },
        { "\xe2\x82z\xac", "?z?" }, { "\xed\xa0\x80", "???" }, { "\xf0\x8f\xbf\xbf", "????" }, { "\xf4\x90\x80\x80", "????" },
        { "\xf0\x9f\x98", "?" }, { "\xff\xfe", "??" }, { "gr\xfc\xdf", "gr??" },
    };
    for (size_t k = 0; k < TN_LENGTH(good); k++) {
        char text[16];
        snprintf(text, sizeof text, "%s", good[k]);
        assert_true(tn_utf8_valid(text, strlen(text)));
        tn_utf8_mend(text);
        assert_string_equal(text, good[k]);
    }
    for (size_t k = 0; k < TN_LENGTH(broken); k++) {
        char text[16];
        snprintf(text, sizeof text, "%s", broken[k].text);
        assert_false(tn_utf8_valid(text, strlen(text)));
        tn_utf8_mend(text);
        assert_string_equal(text, broken[k].mended);
    }
    assert_false(tn_utf8_valid("\xe2\x82\xac", 2));
    tn_context *context = tn_context_create(NULL);
    tn_warn(context, TN_NOWHERE, "no key '%.4s'", "x\xe6\x9c\xac\xe6\x9c\xac");
    tn_warn(context, TN_NOWHERE, "no key '%.3s'", "x\xe6\x9c\xac\xe6\x9c\xac");
    assert_string_equal(tn_diagnostics_get(context, 0)->message, "no key 'x\xe6\x9c\xac'");
    assert_string_equal(tn_diagnostics_get(context, 1)->message, "no key 'x?'");
    tn_context_destroy(context);
}

static void test_diagnostics_are_capped(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    for (int i = 0; i < 1000; i++)
        tn_warn(context, TN_NOWHERE, "warning %d", i);
    assert_int_equal(tn_diagnostics_count(context), 200);
    for (int i = 0; i < 1000; i++)
        tn_fail(context, TN_ERROR_MODEL, TN_NOWHERE, "error %d", i);
    assert_int_equal(tn_diagnostics_count(context), 400);
    assert_string_equal(tn_diagnostics_get(context, 399)->message, "error 199");
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    assert_int_equal(tn_diagnostics_print(context, out), 1000);
    fclose(out);
    assert_non_null(strstr(printed, "error: 800 more errors are not shown\n"));
    free(printed);
    tn_context_destroy(context);
}

static void test_nearest_name(void **state)
{
    (void)state;
    const char *words[] = { "tip", "start", "end", "revolute", "prismatic", "K", NULL };
    static const struct { const char *typed, *meant; } cases[] = {
        { "tpi", "tip" },                  /* swapped */
        { "tips", "tip" }, { "tp", "tip" }, { "top", "tip" },
        { "Start", "start" }, { "k", "K" },/* case only */
        { "revolte", "revolute" }, { "rovelute", "revolute" },
        { "ned", "end" },
        { "tip", NULL },                   /* the same is no help */
        { "cylindrical", NULL }, { "z", NULL }, { "", NULL },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        const char *near = tn_nearest(cases[i].typed, word, words);
        if (cases[i].meant)
            assert_string_equal(near, cases[i].meant);
        else
            assert_null(near);
    }
    char buffer[64];
    assert_string_equal(tn_did_you_mean(buffer, sizeof buffer, "tpi", word, words), "; did you mean 'tip'?");
    assert_string_equal(tn_did_you_mean(buffer, sizeof buffer, "q7", word, words), "");
    char endless[300];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(tn_nearest(endless, word, words));
}

static void test_units(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const struct { const char *text; double factor; tn_dim dim; } cases[] = {
        { "", 1, { 0, 0, 0, 0, 0 } },             { "1", 1, { 0, 0, 0, 0, 0 } },           { "  ", 1, { 0, 0, 0, 0, 0 } },
        { "m", 1, { 1, 0, 0, 0, 0 } },            { "mm", 1e-3, { 1, 0, 0, 0, 0 } },       { "km", 1e3, { 1, 0, 0, 0, 0 } },
        { "um", 1e-6, { 1, 0, 0, 0, 0 } },        { "\xC2\xB5m", 1e-6, { 1, 0, 0, 0, 0 } },{ "\xCE\xBCm", 1e-6, { 1, 0, 0, 0, 0 } },
        { "g", 1e-3, { 0, 1, 0, 0, 0 } },         { "kg", 1, { 0, 1, 0, 0, 0 } },          { "mg", 1e-6, { 0, 1, 0, 0, 0 } },
        { "t", 1e3, { 0, 1, 0, 0, 0 } },          { "min", 60, { 0, 0, 1, 0, 0 } },        { "h", 3600, { 0, 0, 1, 0, 0 } },
        { "ms", 1e-3, { 0, 0, 1, 0, 0 } },        { "kHz", 1e3, { 0, 0, -1, 0, 0 } },      { "1/s", 1, { 0, 0, -1, 0, 0 } },
        { "deg", pi / 180, { 0, 0, 0, 0, 0 } },   { "rev", 2 * pi, { 0, 0, 0, 0, 0 } },    { "mrad", 1e-3, { 0, 0, 0, 0, 0 } },
        { "rpm", pi / 30, { 0, 0, -1, 0, 0 } },   { "%", 0.01, { 0, 0, 0, 0, 0 } },        { "\xC2\xB0", pi / 180, { 0, 0, 0, 0, 0 } },
        { "kN/m", 1e3, { 0, 1, -2, 0, 0 } },      { "kg m^2", 1, { 2, 1, 0, 0, 0 } },      { "N m s/rad", 1, { 2, 1, -1, 0, 0 } },
        { "kg*m^2", 1, { 2, 1, 0, 0, 0 } },       { "N m/s/kg", 1, { 2, 0, -3, 0, 0 } },   { "km/h", 1 / 3.6, { 1, 0, -1, 0, 0 } },
        { "mm^2", 1e-6, { 2, 0, 0, 0, 0 } },      { "m s^-2", 1, { 1, 0, -2, 0, 0 } },     { "cm^-1", 100, { -1, 0, 0, 0, 0 } },
        { "GPa", 1e9, { -1, 1, -2, 0, 0 } },      { "mbar", 100, { -1, 1, -2, 0, 0 } },    { "kW", 1e3, { 2, 1, -3, 0, 0 } },
        { "lbf/in", 4.4482216152605 / 0.0254, { 0, 1, -2, 0, 0 } },                  { "ft / s", 0.3048, { 1, 0, -1, 0, 0 } },
        { "mV", 1e-3, { 2, 1, -3, -1, 0 } },       { "kohm", 1e3, { 2, 1, -3, -2, 0 } }, { "k\xCE\xA9", 1e3, { 2, 1, -3, -2, 0 } },
        { "uF", 1e-6, { -2, -1, 4, 2, 0 } },       { "mH", 1e-3, { 2, 1, -2, -2, 0 } },  { "Wb/A", 1, { 2, 1, -2, -2, 0 } },
        { "W/K", 1, { 2, 1, -3, 0, -1 } },         { "L/min", 1e-3 / 60, { 3, 0, -1, 0, 0 } },
        { "cSt", 1e-6, { 2, 0, -1, 0, 0 } },       { "V s/rad", 1, { 2, 1, -2, -1, 0 } }, { "N m/A", 1, { 2, 1, -2, -1, 0 } },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        double factor;
        tn_dim dim;
        assert_int_equal(tn_unit_parse(cases[i].text, strlen(cases[i].text), &factor, &dim), 0);
        assert_near(factor / cases[i].factor, 1, 4e-16);
        assert_true(tn_dim_equal(dim, cases[i].dim));
    }
}

static void test_wrong_units(void **state)
{
    (void)state;
    const char *const cases[] = {
        "m2", "metre", "kmin", "mdeg", "m/", "/s", "m//s", "m^", "m^x", "m^12", "m 2", "2", "1 1", "*m", "m*", "m..s",
        "KG", "m1/s", "\xC2", "^2",
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        double factor;
        tn_dim dim;
        assert_int_equal(tn_unit_parse(cases[i], strlen(cases[i]), &factor, &dim), -1);
    }
    assert_true(tn_unit_known("mm", 2));
    assert_false(tn_unit_known("m/s", 3));
    assert_false(tn_unit_known("", 0));
    assert_string_equal(tn_nearest("Mpa", tn_unit_candidate, NULL), "MPa");
    assert_string_equal(tn_nearest("degs", tn_unit_candidate, NULL), "deg");
}

static void test_dimension_texts(void **state)
{
    (void)state;
    static const struct { tn_dim dim; const char *text, *name; } cases[] = {
        { { 0, 0, 0, 0, 0 }, "number", "number" },          { { 1, 0, 0, 0, 0 }, "m", "length" },
        { { 2, 1, 0, 0, 0 }, "kg m^2", "moment of inertia" },{ { 0, 0, -1, 0, 0 }, "1/s", "rate" },
        { { 1, 1, -2, 0, 0 }, "kg m/s^2", "force" },        { { 0, 1, -2, 0, 0 }, "kg/s^2", "stiffness" },
        { { 0, 0, 0, 1, 0 }, "A", "current" },              { { 2, 1, -3, -1, 0 }, "kg m^2/s^3/A", "voltage" },
        { { 0, 0, 0, 0, 1 }, "K", "temperature" },          { { 2, 1, -3, 0, -1 }, "kg m^2/s^3/K", "thermal conductance" },
        { { -1, 0, -2, 0, 0 }, "1/m/s^2", "1/m/s^2" },      { { 5, 0, 0, 0, 0 }, "m^5", "m^5" },
    };
    char buffer[64];
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        assert_string_equal(tn_dim_text(cases[i].dim, buffer, sizeof buffer), cases[i].text);
        assert_string_equal(tn_dim_name(cases[i].dim, buffer, sizeof buffer), cases[i].name);
        double factor;
        tn_dim back = { 9, 9, 9, 9, 9 };
        if (i > 0)
            assert_int_equal(tn_unit_parse(cases[i].text, strlen(cases[i].text), &factor, &back), 0);
        assert_true(i == 0 || tn_dim_equal(back, cases[i].dim));
    }
    tn_dim force = tn_dim_product(TN_DIM_MASS, (tn_dim){ 1, 0, -2, 0, 0 }, 1);
    assert_true(tn_dim_equal(force, (tn_dim){ 1, 1, -2, 0, 0 }));
    tn_dim huge = tn_dim_product(TN_DIM_NUMBER, TN_DIM_LENGTH, 1000);
    assert_true(huge.m > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context_texts),
        cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_clock_goes_forward),
        cmocka_unit_test(test_alloc_clears_and_checks_overflow),
        cmocka_unit_test(test_grow_keeps_and_clears),
        cmocka_unit_test(test_arena_pieces),
        cmocka_unit_test(test_arena_clear),
        cmocka_unit_test(test_arena_marks),
        cmocka_unit_test(test_text_builder),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_diagnostics_list),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_diagnostics_are_capped),
        cmocka_unit_test(test_nearest_name),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_wrong_units),
        cmocka_unit_test(test_dimension_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
