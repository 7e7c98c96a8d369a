/* Copies of models: they say and do the same as the original, and neither knows of the other. */
#include "alloc.h"
#include "near.h"
#include "rich_model.h"
#include "tenon/session.h"
#include <glob.h>

static void assert_same_id(tn_id a, tn_id b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static tn_model *clone_of(const tn_model *model)
{
    tn_model *clone = NULL;
    assert_int_equal(tn_model_clone(&clone, model), TN_OK);
    return clone;
}

/* After a part of the run. */
static uint64_t hash_after(tn_model *model, double part)
{
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    assert_int_equal(tn_session_advance(session, part * tn_model_solve(model).until), TN_OK);
    uint64_t hash = tn_session_hash(session);
    tn_session_close(session);
    return hash;
}

/* The original is gone before its copy runs. */
static void check_file(tn_context *context, const char *path)
{
    tn_model *model = NULL;
    assert_int_equal(tn_model_read(&model, context, path), TN_OK);
    tn_model *clone = clone_of(model);
    assert_true(tn_model_same(model, clone));
    uint64_t hash = hash_after(model, 0.02);
    tn_model_destroy(model);
    if (hash_after(clone, 0.02) != hash)
        fail_msg("%s: the copy runs differently", path);
    tn_model_destroy(clone);
}

static void test_runs_like_the_original(void **state)
{
    (void)state;
    static const char *const folders[] = { "examples", "validation", "cli/starters" };
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char pattern[512];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s/*.yaml", TENON_SOURCE_DIR, folders[k]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            tn_context *context = tn_context_create(NULL);
            check_file(context, found.gl_pathv[i]);
            tn_context_destroy(context);
        }
        globfree(&found);
    }
}

static void test_everything_is_copied(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = read_rich(context, rich_text), *clone = clone_of(model);
    assert_true(tn_model_same(model, clone));
    tn_span span = tn_model_entity_span(model, tn_model_find(model, "string"));
    tn_span copied = tn_model_entity_span(clone, tn_model_find(clone, "string"));
    assert_string_equal(copied.file, span.file);
    assert_ptr_not_equal(copied.file, span.file);
    assert_int_equal(copied.line, span.line);
    uint64_t hash = hash_after(model, 0.02);
    tn_model_destroy(model);
    assert_true(hash_after(clone, 0.02) == hash);
    tn_model *second = clone_of(clone);
    assert_true(tn_model_same(clone, second));
    tn_model_destroy(clone);
    assert_true(hash_after(second, 0.02) == hash);
    tn_model_destroy(second);
    tn_context_destroy(context);
}

static void test_ids_stay(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = read_rich(context, rich_text);
    tn_id wheel = tn_model_find(model, "wheel"), rim = tn_model_find(model, "wheel.rim");
    tn_id bob = tn_model_find(model, "bob"), shaft = tn_model_find(model, "shaft");
    assert_int_equal(tn_model_remove(model, bob), TN_OK);
    tn_model *clone = clone_of(model);
    assert_same_id(tn_model_find(clone, "wheel"), wheel);
    assert_same_id(tn_model_find(clone, "wheel.rim"), rim);
    assert_same_id(tn_model_find(clone, "shaft"), shaft);
    assert_string_equal(tn_model_entity_name(clone, rim), "rim");
    assert_null(tn_model_entity_name(clone, bob));
    assert_int_equal(tn_model_count(clone, TN_KIND_BODY), tn_model_count(model, TN_KIND_BODY));

    tn_body_def def = tn_body_default();
    tn_id in_model, in_clone;
    def.kind = TN_BODY_PARTICLE;
    def.mass = 1;
    assert_int_equal(tn_model_add_body(&in_model, model, "new", &def), TN_OK);
    assert_int_equal(tn_model_add_body(&in_clone, clone, "new", &def), TN_OK);
    assert_same_id(in_model, in_clone);            /* the free slot is where it was */
    tn_model_destroy(clone);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_edits_stay_apart(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = read_rich(context, rich_text), *before = clone_of(model), *clone = clone_of(model);
    uint64_t hash = hash_after(model, 0.02);
    assert_int_equal(tn_model_remove(clone, tn_model_find(clone, "wheel")), TN_OK);
    assert_int_equal(tn_model_add_output(clone, "t"), TN_OK);
    assert_int_equal(tn_model_set_name(clone, "another"), TN_OK);
    tn_model_set_gravity(clone, (double[3]){ 1, 2, 3 });
    assert_false(tn_model_same(model, clone));
    assert_true(tn_model_same(model, before));
    assert_int_equal(tn_model_find(model, "wheel.rim").kind, TN_KIND_FRAME);
    assert_int_equal(tn_model_find(clone, "wheel.rim").kind, TN_KIND_NONE);
    assert_true(hash_after(model, 0.02) == hash);

    uint64_t edited = hash_after(clone, 0.02);
    assert_true(edited != hash);
    assert_int_equal(tn_model_remove(model, tn_model_find(model, "leaf")), TN_OK);
    assert_true(hash_after(clone, 0.02) == edited);
    assert_true(hash_after(before, 0.02) == hash);
    tn_model_destroy(model);
    tn_model_destroy(before);
    tn_model_destroy(clone);
    tn_context_destroy(context);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    test_alloc a = { 0 };
    tn_context *context = test_context(&a);
    tn_model *model = read_rich(context, rich_text), *clone = NULL;
    long alive = a.alive, needed = a.calls;
    assert_int_equal(tn_model_clone(&clone, model), TN_OK);
    needed = a.calls - needed;
    tn_model_destroy(clone);
    assert_int_equal(a.alive, alive);
    for (long n = 1; n <= needed; n++) {
        a.fail_at = a.calls + n;
        assert_int_equal(tn_model_clone(&clone, model), TN_ERROR_MEMORY);
        assert_null(clone);
        assert_int_equal(a.alive, alive);
    }
    a.fail_at = 0;
    tn_model_destroy(model);
    tn_context_destroy(context);
    assert_int_equal(a.alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_like_the_original),
        cmocka_unit_test(test_everything_is_copied),
        cmocka_unit_test(test_ids_stay),
        cmocka_unit_test(test_edits_stay_apart),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
