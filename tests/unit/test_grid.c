/* Tables of two arguments: values on the grid, exact polynomials, derivatives against differences, outside, wrong grids; in a
 * model, with the derivative of a network that they are part of. */
#include "mechanisms.h"
#include "grid.h"

#include <string.h>

enum { NX = 5, NY = 4 };
static const double xs[NX] = { -1, 0, 0.5, 2, 3 }, ys[NY] = { 0, 1, 3, 3.5 };

static tn_grid *grid_of(tn_context *context, tn_curve_kind kind, tn_curve_outside outside, double (*f)(double, double))
{
    double z[NX * NY];
    tn_curve_error error;
    tn_grid *s = NULL;
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            z[i * NY + j] = f(xs[i], ys[j]);
    const tn_grid_def def = { .x = xs, .y = ys, .z = z, .x_count = NX, .y_count = NY, .kind = kind, .outside = outside };
    assert_int_equal(tn_grid_create(&s, context, &def, &error), TN_OK);
    return s;
}

static double bilinear(double x, double y)
{
    return 2 - x + 3 * y + 0.5 * x * y;
}

static double hills(double x, double y)
{
    return sin(x) * exp(-0.3 * y) + 0.2 * x * y;
}

/* Every kind goes through the points; a bilinear function is met everywhere. */
static void test_values(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    for (int kind = TN_CURVE_SMOOTH; kind <= TN_CURVE_LINEAR; kind++) {
        tn_grid *flat = grid_of(context, (tn_curve_kind)kind, TN_CURVE_EXTEND, bilinear);
        tn_grid *wavy = grid_of(context, (tn_curve_kind)kind, TN_CURVE_HOLD, hills);
        double v[TN_GRID_VALUES];
        for (int i = 0; i < NX; i++)
            for (int j = 0; j < NY; j++) {
                tn_grid_value(wavy, xs[i], ys[j], v);
                assert_near(v[TN_GRID_Z], hills(xs[i], ys[j]), 1e-15);
            }
        for (double x = -1.9; x < 4; x += 0.37)
            for (double y = -1; y < 5 && kind != TN_CURVE_MONOTONE; y += 0.41) {
                tn_grid_value(flat, x, y, v);
                assert_near(v[TN_GRID_Z], bilinear(x, y), 1e-13);
                assert_near(v[TN_GRID_X], -1 + 0.5 * y, 1e-13);
                assert_near(v[TN_GRID_Y], 3 + 0.5 * x, 1e-13);
                assert_near(v[TN_GRID_XY], 0.5, 1e-13);
            }
        tn_grid_value(wavy, 9, -4, v);
        assert_near(v[TN_GRID_Z], hills(3, 0), 1e-15);
        assert_near(v[TN_GRID_X], 0, 0);
        tn_grid_destroy(flat);
        tn_grid_destroy(wavy);
    }
    tn_context_destroy(context);
}

static void test_derivatives(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    const double h = 1e-5;
    for (int kind = TN_CURVE_SMOOTH; kind <= TN_CURVE_LINEAR; kind++)
        for (int outside = TN_CURVE_HOLD; outside <= TN_CURVE_EXTEND; outside++) {
            tn_grid *s = grid_of(context, (tn_curve_kind)kind, (tn_curve_outside)outside, hills);
            for (double x = -1.93; x < 4; x += 0.61)
                for (double y = -0.97; y < 5; y += 0.73) {
                    double v[TN_GRID_VALUES], a[TN_GRID_VALUES], b[TN_GRID_VALUES];
                    tn_grid_value(s, x, y, v);
                    tn_grid_value(s, x + h, y, a);
                    tn_grid_value(s, x - h, y, b);
                    assert_near((a[TN_GRID_Z] - b[TN_GRID_Z]) / (2 * h), v[TN_GRID_X], 1e-8);
                    assert_near((a[TN_GRID_X] - b[TN_GRID_X]) / (2 * h), v[TN_GRID_XX], 1e-8);
                    assert_near((a[TN_GRID_Y] - b[TN_GRID_Y]) / (2 * h), v[TN_GRID_XY], 1e-8);
                    tn_grid_value(s, x, y + h, a);
                    tn_grid_value(s, x, y - h, b);
                    assert_near((a[TN_GRID_Z] - b[TN_GRID_Z]) / (2 * h), v[TN_GRID_Y], 1e-8);
                    assert_near((a[TN_GRID_Y] - b[TN_GRID_Y]) / (2 * h), v[TN_GRID_YY], 1e-8);
                }
            tn_grid_destroy(s);
        }
    tn_context_destroy(context);
}

/* A smooth surface has two continuous derivatives across the lines of its grid, a monotone one does not overshoot. */
static void test_smoothness(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_grid *s = grid_of(context, TN_CURVE_SMOOTH, TN_CURVE_HOLD, hills);
    for (int k = 0; k < TN_GRID_VALUES; k++) {
        double a[TN_GRID_VALUES], b[TN_GRID_VALUES];
        tn_grid_value(s, 0.5 - 1e-9, 1.7, a);
        tn_grid_value(s, 0.5 + 1e-9, 1.7, b);
        assert_near(a[k], b[k], 1e-7);
        tn_grid_value(s, 1.2, 3 - 1e-9, a);
        tn_grid_value(s, 1.2, 3 + 1e-9, b);
        assert_near(a[k], b[k], 1e-7);
    }
    tn_grid_destroy(s);
    const double z[] = { 0, 0, 0, 1, 1, 1, 1, 1, 1 }, lines[] = { 0, 1, 2 };
    tn_curve_error error;
    const tn_grid_def def = { .x = lines, .y = lines, .z = z, .x_count = 3, .y_count = 3, .kind = TN_CURVE_MONOTONE };
    assert_int_equal(tn_grid_create(&s, context, &def, &error), TN_OK);
    for (double x = 0; x <= 2; x += 0.05) {
        double v[TN_GRID_VALUES];
        tn_grid_value(s, x, 0.5, v);
        assert_true(v[TN_GRID_Z] >= 0 && v[TN_GRID_Z] <= 1);
    }
    tn_grid_destroy(s);
    tn_context_destroy(context);
}

/* A motor torque by angle and current; a resistance by voltage and time, solved for; a call with wrong units. */
static void test_in_a_model(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 2 } }\n"
        "joints: { pin: { type: revolute, between: [ground, a] } }\n"
        "tables: { map: { x: [-10 rad, 10 rad], y: [0 A, 4 A], z: [[0 N m, 8 N m], [0 N m, 8 N m]] },\n"
        "          cond: { x: [0 V, 10 V], y: [0 s, 1 s], z: [[1 A/V, 3 A/V], [2 A/V, 4 A/V]], kind: linear } }\n"
        "devices:\n  drive: { type: torque-source, shaft: pin.angle, value: 'map(pin.angle, 2 A)' }\n"
        "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: s, n: k }, resistance: 1 ohm }\n"
        "  G: { type: current-source, at: { p: k, n: ground }, value: 'cond(k.voltage, t) * k.voltage' }\n");
    machine_start(&m, accurate(1));
    run_to(&m, 1);
    assert_near(value(&m, "pin.angle"), 0.5 * 4 / 2, 1e-12);
    /* 10 - v = (3 + v / 10) v at t = 1 s: v^2 / 10 + 4 v - 10 = 0 */
    assert_near(value(&m, "k.voltage"), (-4 + sqrt(20)) / 0.2, 1e-11);
    machine_close(&m);
}

static void check_refused(const char *table, const char *use, const char *message)
{
    char text[600];
    snprintf(text, sizeof text, "tenon: 1\ntables: { map: { %s } }\ndevices: { s: { type: signal, value: '%s' } }\n", table, use);
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_text(&model, context, text, strlen(text), "model.yaml", NULL);
    if (code == TN_OK)
        code = tn_session_open(&session, model, NULL);
    assert_int_equal(code, TN_ERROR_MODEL);
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(context); k++)
        found = found || strstr(tn_diagnostics_get(context, k)->message, message);
    if (!found)
        tn_diagnostics_print(context, stderr);
    assert_true(found);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_wrong_grids(void **state)
{
    (void)state;
    check_refused("x: [0, 1], y: [0, 1], z: [[1, 2]]", "map(1, 1)", "one row for each x");
    check_refused("x: [0, 1], y: [0, 1], z: [[1, 2], [1]]", "map(1, 1)", "row 2 of 'z' must have 2 numbers");
    check_refused("x: [0, 0], y: [0, 1], z: [[1, 2], [1, 2]]", "map(1, 1)", "greater than the one before");
    check_refused("x: [0, 1], y: [0, 1], z: [[1, 2], [.nan, 2]]", "map(1, 1)", "z");
    check_refused("x: [0, 1], y: [0, 1], z: [[1, 2], [1, 2]]", "map(1)", "write map(x, y)");
    check_refused("x: [0 m, 1 m], y: [0, 1], z: [[1, 2], [1, 2]]", "map(1 s, 1)", "first argument of map() is");
    check_refused("x: [0, 1], y: [0, 1], z: [[1, 2], [1, 2]]", "integral(map, 1)", "is not a curve");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_derivatives), cmocka_unit_test(test_smoothness),
        cmocka_unit_test(test_in_a_model), cmocka_unit_test(test_wrong_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
