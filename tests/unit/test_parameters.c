/* Parameters of a model file from outside: what they are, other values for them, and quantities with units. */
#include "read_model.h"

static const char MODEL[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "parameters: { r: 300 mm, L: 2 * r, mass: 5, k: 2 kN/m, turn: 90 deg }\n"
    "bodies:\n"
    "  crank: { mass: mass, inertia: 1, com: [L, r] }\n";

typedef struct fixture {
    char folder[64], path[300];
    tn_context *context;
    tn_model *model;
} fixture;

static fixture open_fixture(void)
{
    fixture f = { .context = tn_context_create(NULL) };
    assert_non_null(f.context);
    temporary_folder(f.folder, sizeof f.folder);
    write_text(f.folder, "m.yaml", MODEL);
    snprintf(f.path, sizeof f.path, "%s/m.yaml", f.folder);
    return f;
}

static void close_fixture(fixture *f)
{
    tn_model_destroy(f->model);
    tn_context_destroy(f->context);
    remove(f->path);
    remove(f->folder);
}

static void assert_com(const fixture *f, double x, double y)
{
    double mass, com[3], inertia[6];
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, f->model, tn_model_find(f->model, "crank")), TN_OK);
    assert_near(com[0], x, 1e-15);
    assert_near(com[1], y, 1e-15);
}

static bool said(const fixture *f, const char *text)
{
    for (size_t i = 0; i < tn_diagnostics_count(f->context); i++)
        if (strstr(tn_diagnostics_get(f->context, i)->message, text) != NULL)
            return true;
    return false;
}

/* "2 * rad" is a length that is called so. */
static void test_angles_are_known_by_their_text(void **state)
{
    (void)state;
    static const struct { const char *name, *shown, *written; } expected[] = {
        { "rad", "m", NULL }, { "w", "rad/s", "rpm" }, { "v", "rad/s", "rad" }, { "f", "1/s", NULL }, { "b", "rad", "deg" },
        { "c", "", NULL }, { "d", NULL, NULL },
    };
    fixture f = open_fixture();
    write_text(f.folder, "m.yaml", "tenon: 1\ndimension: 2\nparameters: { rad: 3 mm, w: 300 rpm, v: 2 rad/s, f: 5 Hz, b: 20deg, "
                                   "c: 20 %, d: 2 * rad }\n");
    assert_int_equal(tn_model_read(&f.model, f.context, f.path), TN_OK);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        tn_parameter_value p = tn_model_parameter(f.model, i);
        const char *texts[] = { p.name, expected[i].name, p.shown, expected[i].shown, p.written, expected[i].written };
        for (size_t k = 0; k < 6; k += 2) {
            assert_int_equal(texts[k] == NULL, texts[k + 1] == NULL);
            if (texts[k] != NULL)
                assert_string_equal(texts[k], texts[k + 1]);
        }
    }
    close_fixture(&f);
}

static void test_listed_with_units(void **state)
{
    (void)state;
    static const tn_parameter_value expected[] = {
        { .name = "r", .value = 0.3, .unit = "m" }, { .name = "L", .value = 0.6 }, { .name = "mass", .value = 5 },
        { .name = "k", .value = 2000, .unit = "kg/s^2" }, { .name = "turn", .value = 1.5707963267948966, .unit = "" },
    };
    fixture f = open_fixture();
    assert_int_equal(tn_model_read(&f.model, f.context, f.path), TN_OK);
    assert_int_equal(tn_model_parameter_count(f.model), 5);
    for (size_t i = 0; i < 5; i++) {
        tn_parameter_value p = tn_model_parameter(f.model, i);
        assert_string_equal(p.name, expected[i].name);
        assert_near(p.value, expected[i].value, 1e-12);
        assert_int_equal(p.unit == NULL, expected[i].unit == NULL);
        if (p.unit != NULL)
            assert_string_equal(p.unit, expected[i].unit);
    }
    assert_null(tn_model_parameter(f.model, 5).name);
    close_fixture(&f);
}

/* r = 0.1 also changes L = 2 r; L = 1 changes L only. */
static void test_other_values(void **state)
{
    (void)state;
    fixture f = open_fixture();
    const tn_setting radius[] = { { "r", 0.1 } }, length[] = { { "L", 7 }, { "L", 1 } };
    assert_int_equal(tn_model_read_with(&f.model, f.context, f.path, radius, 1), TN_OK);
    assert_com(&f, 0.2, 0.1);
    tn_model_destroy(f.model);
    assert_int_equal(tn_model_read_with(&f.model, f.context, f.path, length, 2), TN_OK);
    assert_com(&f, 1, 0.3);
    assert_near(tn_model_parameter(f.model, 1).value, 1, 0);
    close_fixture(&f);
}

static void test_wrong_settings(void **state)
{
    (void)state;
    fixture f = open_fixture();
    const tn_setting wrong[] = { { "masss", 1 }, { "q", 1 }, { "r", NAN } };
    assert_int_equal(tn_model_read_with(&f.model, f.context, f.path, wrong, 3), TN_ERROR_ARGUMENT);
    assert_null(f.model);
    assert_true(said(&f, "no parameter 'masss'; did you mean 'mass'?"));
    assert_true(said(&f, "no parameter 'q'"));
    assert_true(said(&f, "'r': must be a finite number"));
    close_fixture(&f);
}

static void test_quantities(void **state)
{
    (void)state;
    static const struct { const char *text, *unit; double value; } good[] = {
        { "300 mm", "m", 0.3 }, { "0.3", "m", 0.3 }, { "2 * 15 cm", NULL, 0.3 }, { "180 deg", "", 3.141592653589793 },
        { "3 kN/m", "kg/s^2", 3000 }, { " -1e-3 ", "kg", -1e-3 },
    };
    static const struct { const char *text, *unit, *words; } bad[] = {
        { "300 kg", "m", "mass, where length (m) is expected" }, { "1 mn", NULL, "unknown unit" },
        { "", NULL, "''" }, { "r", "m", "'r'" }, { "1/0", "m", "finite" }, { "1 m", "parsec", "not a unit" },
    };
    fixture f = open_fixture();
    double value;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(tn_quantity_parse(&value, f.context, good[i].text, good[i].unit), TN_OK);
        assert_near(value, good[i].value, 1e-12);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        value = 42;
        assert_int_equal(tn_quantity_parse(&value, f.context, bad[i].text, bad[i].unit), TN_ERROR_ARGUMENT);
        assert_true(said(&f, bad[i].words));
        assert_near(value, 42, 0);
        tn_diagnostics_clear(f.context);
    }
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_with_units), cmocka_unit_test(test_angles_are_known_by_their_text),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_wrong_settings),
        cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
