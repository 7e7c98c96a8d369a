/* The settings of section `solve`: every row of the table has its default, its check, its key, its journal text and its
 * place in the documents. */
#include "near.h"
#include "diag.h"
#include "entry.h"
#include "keys.h"
#include "solve_table.h"

#include <string.h>

static tn_solve changed(const tn_solve_row *row)
{
    tn_solve solve = tn_solve_default();
    if (row->kind == TN_SOLVE_NUMBER)
        *tn_solve_number(row, &solve) = 0.123456789012345678;
    else if (row->kind == TN_SOLVE_NAME)
        *tn_solve_name(row, &solve) = "other";
    else
        tn_solve_set_choice(row, &solve, 1);
    return solve;
}

static void test_every_row_counts(void **state)
{
    (void)state;
    const tn_solve usual = tn_solve_default();
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        tn_solve solve = changed(&tn_solve_rows[k]), back = solve;
        assert_false(tn_solve_same(&usual, &solve));
        assert_int_equal(tn_solve_agrees(&usual, &solve, TN_SOLVE_STEPPER),
                         !(tn_solve_rows[k].flags & TN_SOLVE_STEPPER));
        tn_solve_copy(&tn_solve_rows[k], &back, &usual);
        assert_true(tn_solve_same(&usual, &back));
        assert_string_equal(tn_section_solve.keys[k].name, tn_solve_rows[k].name);
    }
    assert_null(tn_section_solve.keys[TN_SOLVE_ROWS].name);
}

/* Illegal numbers and empty names are refused with the name of the row; NaN and infinity where the row allows them. */
static void test_checks(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_model *model;
    assert_int_equal(tn_model_create(&model, context, 2), TN_OK);
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        const tn_solve_row *row = &tn_solve_rows[k];
        const double numbers[] = { -1, 0, NAN, INFINITY };
        const bool legal[] = { false, row->sign == TN_NOT_NEGATIVE, row->flags & TN_SOLVE_OR_NAN,
                               row->flags & TN_SOLVE_OR_INFINITE };
        for (size_t i = 0; row->kind == TN_SOLVE_NUMBER && i < TN_LENGTH(numbers); i++) {
            tn_solve solve = tn_solve_default();
            *tn_solve_number(row, &solve) = numbers[i];
            assert_int_equal(tn_model_set_solve(model, &solve), legal[i] ? TN_OK : TN_ERROR_MODEL);
        }
        if (row->kind == TN_SOLVE_NAME) {
            tn_solve solve = tn_solve_default();
            *tn_solve_name(row, &solve) = "";
            assert_int_equal(tn_model_set_solve(model, &solve), TN_ERROR_MODEL);
        }
    }
    tn_model_destroy(model);
    tn_context_destroy(context);
}

/* What a journal has to say of a row, or of all rows where row is NULL, is read back bit for bit. */
static void test_journal(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        tn_solve solve = changed(&tn_solve_rows[k]), back;
        tn_arena *arena = tn_arena_create(context);
        size_t budget = TN_YAML_NODES;
        char *written = NULL;
        tn_text text;
        const tn_node *root;
        tn_text_begin(&text, context);
        assert_int_equal(tn_solve_set_for(&solve, "alpha", "elbow", 0.1), TN_OK);
        tn_solve_write(&text, &solve);
        assert_int_equal(tn_text_take(&text, &written), TN_OK);
        assert_int_equal(tn_yaml_parse(&root, arena, context, "journal", written, strlen(written), &budget), TN_OK);
        assert_int_equal(tn_solve_read(&back, context, root), TN_OK);
        assert_true(tn_solve_same(&solve, &back));
        tn_free(context, written);
        tn_arena_destroy(arena);
    }
    tn_context_destroy(context);
}

/* Texts of the first versions lack some rows; a word that a choice does not have is refused. */
static void test_journal_of_others(void **state)
{
    (void)state;
    static const char old[] = "{ scheme: projection, integrator: rk4, solver: direct, until: 1, step: 0.5, max_step: inf, "
                              "tolerance: 1e-8, absolute_tolerance: 1e-8, record: 0, assemble: strict, gap_tolerance: 1, "
                              "impact: %s, resting_speed: nan, settings: [] }";
    tn_context *context = tn_context_create(NULL);
    for (int k = 0; k < 2; k++) {
        char text[sizeof old + 20];
        tn_arena *arena = tn_arena_create(context);
        const tn_node *root;
        size_t budget = TN_YAML_NODES;
        tn_solve back;
        snprintf(text, sizeof text, old, k ? "pushing" : "newton");
        assert_int_equal(tn_yaml_parse(&root, arena, context, "journal", text, strlen(text), &budget), TN_OK);
        assert_int_equal(tn_solve_read(&back, context, root), k ? TN_ERROR_MODEL : TN_OK);
        if (k == 0) {
            assert_int_equal(back.impact, TN_IMPACT_NEWTON);
            assert_int_equal(back.assemble, TN_ASSEMBLE_STRICT);
            assert_int_equal(back.contact, TN_CONTACT_AUTOMATIC);
            assert_near(back.trust_energy, tn_solve_default().trust_energy, 0);
            assert_true(isnan(back.contact_step));
        }
        tn_arena_destroy(arena);
    }
    tn_context_destroy(context);
}

/* docs/model-format.md names every row. */
static void test_documents(void **state)
{
    (void)state;
    FILE *file = fopen(TENON_SOURCE_DIR "/docs/model-format.md", "rb");
    assert_non_null(file);
    static char page[200000];
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        char name[80];
        snprintf(name, sizeof name, "`%s`", tn_solve_rows[k].name);
        if (!strstr(page, name))
            fail_msg("docs/model-format.md does not name %s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_counts), cmocka_unit_test(test_checks), cmocka_unit_test(test_journal),
        cmocka_unit_test(test_journal_of_others), cmocka_unit_test(test_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
