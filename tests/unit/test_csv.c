/* Tables: what is written is read back to the last bit; faults name their place. */
#include "read_model.h"
#include "sink.h"
#include "tenon/results.h"

static void test_round_trip(void **state)
{
    (void)state;
    char folder[64], path[100];
    snprintf(path, sizeof path, "%s/table.csv", temporary_folder(folder, sizeof folder));
    const tn_channel channels[] = { { "t", "s" }, { "crank.position.x", "m" }, { "ratio", "" } };
    const double rows[2][3] = { { 0.1, 1.0 / 3.0, -1e-300 }, { 2, 4.9406564584124654e-324, 1.7976931348623157e308 } };
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    tn_context *context = tn_context_create(NULL);
    tn_sink *sink;
    assert_int_equal(tn_sink_open_csv(&sink, context, out, &(tn_sink_header){ .channels = channels, .count = 3 }), TN_OK);
    assert_int_equal(sink->type->row(sink, rows[0]), TN_OK);
    assert_int_equal(sink->type->row(sink, rows[1]), TN_OK);
    assert_int_equal(sink->type->close(sink), TN_OK);
    fclose(out);

    char line[100];
    FILE *in = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, "t [s],crank.position.x [m],ratio\n");
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, "0.1,0.33333333333333331,-1e-300\n");       /* a decimal is written as one */
    fclose(in);

    tn_results *table;
    assert_int_equal(tn_results_read(&table, context, path), TN_OK);
    assert_int_equal(tn_results_columns(table), 3);
    assert_int_equal(tn_results_rows(table), 2);
    for (size_t k = 0; k < 3; k++) {
        const double column[2] = { rows[0][k], rows[1][k] };
        assert_memory_equal(tn_results_values(table, k), column, sizeof column);
        assert_string_equal(tn_results_column(table, k).name, channels[k].name);
        assert_string_equal(tn_results_column(table, k).unit, channels[k].unit);
    }
    assert_null(tn_results_model(table));
    assert_int_equal(tn_results_find(table, "crank.position.x"), 1);
    assert_int_equal(tn_results_find(table, "position"), -1);
    assert_int_equal(tn_results_require(table, "ratio"), 2);
    assert_int_equal(tn_results_require(table, "crank.positon.x"), TN_ERROR_ARGUMENT);
    assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, "did you mean 'crank.position.x'?"));
    tn_results_destroy(table);
    tn_context_destroy(context);
}

static void test_comments_and_line_ends(void **state)
{
    (void)state;
    char folder[64], path[100];
    snprintf(path, sizeof path, "%s/t.csv", temporary_folder(folder, sizeof folder));
    write_text(folder, "t.csv", "# source\r\n\r\n \"t\" [s] , x\r\n0, 1\r\n# between\r\n1,2");
    tn_context *context = tn_context_create(NULL);
    tn_results *table;
    assert_int_equal(tn_results_read(&table, context, path), TN_OK);
    assert_string_equal(tn_results_column(table, 0).name, "t");
    assert_string_equal(tn_results_column(table, 0).unit, "s");
    assert_string_equal(tn_results_column(table, 1).name, "x");
    assert_int_equal(tn_results_rows(table), 2);
    assert_near(tn_results_values(table, 1)[1], 2, 0);
    tn_results_destroy(table);
    tn_context_destroy(context);
}

static void test_faults(void **state)
{
    (void)state;
    const struct { const char *text; int line; const char *words; } cases[] = {
        { "t,x\n0,1\n1\n", 3, "too short" }, { "t,x\n0,1,2\n", 2, "more than" },
        { "t,x\n0,one\n", 2, "missing" },    { "# only this\n", 0, "no header" },
        { "t,,x\n", 1, "without a name" },   { "", 0, "no header" },
        { "t,x\n0,\n", 2, "missing" },       { "t,x\n,1\n", 2, "missing" },
        { "a,b,c\n1\n1\n1\n1\n", 2, "too short" },
    };
    char folder[64], path[100];
    snprintf(path, sizeof path, "%s/t.csv", temporary_folder(folder, sizeof folder));
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        write_text(folder, "t.csv", cases[i].text);
        tn_context *context = tn_context_create(NULL);
        tn_results *table;
        assert_int_equal(tn_results_read(&table, context, path), TN_ERROR_FILE);
        assert_null(table);
        const tn_diagnostic *d = tn_diagnostics_get(context, 0);
        assert_non_null(d);
        assert_int_equal(d->span.line, cases[i].line);
        assert_non_null(strstr(d->message, cases[i].words));
        assert_string_equal(d->span.file, path);
        tn_context_destroy(context);
    }
}

static void test_binary_is_refused(void **state)
{
    (void)state;
    char folder[64], path[100];
    snprintf(path, sizeof path, "%s/t.csv", temporary_folder(folder, sizeof folder));
    write_file(folder, "t.csv", "t,x\0\n0,1\n", 10);
    tn_context *context = tn_context_create(NULL);
    tn_results *table;
    assert_int_equal(tn_results_read(&table, context, path), TN_ERROR_FILE);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_comments_and_line_ends),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_binary_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
