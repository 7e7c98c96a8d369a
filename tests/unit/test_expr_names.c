/* Names of expressions: paths, components, curves, quantities known by value only. */
#include "expr_world.h"

typedef struct name_case {
    const char *text;
    double value;
} name_case;

static void check_values(const name_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bench b;
        bench_open(&b, cases[i].text, &loose);
        for (int leaf = 0; leaf < LEAVES; leaf++)
            for (int k = 0; k < 3; k++) {
                b.leaves[leaf].x[k] = 10 * leaf + k + 1;
                b.leaves[leaf].dx[k] = 1000 * (10 * leaf + k + 1);
            }
        double value = bench_value(&b, 1, 0, 0);
        if (value != cases[i].value)
            fail_msg("%s = %.17g, expected %.17g", cases[i].text, value, cases[i].value);
        bench_close(&b);
    }
}

/* Leaf i has components 10 i + 1, 2, 3: q = 1, s1 = 11, M = (21, 22, 23), x1 = (41, 42, 43). */
static void test_longest_name_is_taken(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "crank.tip.position.x", 11 },            /* a name of its own */
        { "crank.tip.x", 21 },                     /* a component of crank.tip */
        { "crank.tip.y-crank.tip.x", 1 },
        { "crank.tip.position.x-q", 10 },
        { "pin-a.angle", 1 },
        { "2*pin-a.angle^2", 2 },
        { "-pin-a.angle", -1 },
        { "crank.tip.velocity.z", 23000 },
        { "(crank.tip - M).x", 0 },
        { "(M + N).z", 56 },
        { "cross(M, N).x", 22 * 33 - 23 * 32 },
        { "vel(M).y", 22000 },
        { "M.x1", 21 * 41 + 22 * 42 + 23 * 43 },   /* a scalar product, as ever */
        { "M . x1", 21 * 41 + 22 * 42 + 23 * 43 },
        { "M.x1-M.x", 21 * 41 + 22 * 42 + 23 * 43 - 21 },
        { "M.x*M.y", 21 * 22 },
        { "M.x^2", 441 },
        { "seven-two", 11 },
        { "seven - two", 5 },
        { "seven-2", 5 },
        { "two-seven", -5 },
        { "two-seven-two", -9 },
        { "seven-two-two", 9 },
        { "q-s1", -10 },
        { "8 m/m.angle", 2 },                      /* a symbol, though m is a unit */
        { "8 m/m", 8 },
        { "R.z + F", 83 + 71 },
    };
    check_values(cases, TN_LENGTH(cases));
}

static void expect(const char *text, int offset, const char *message)
{
    tn_context *context = tn_context_create(NULL);
    tn_tape *tape;
    tn_expr_error error;
    tn_output_info info;
    world_open(context);
    assert_int_equal(tn_tape_create(&tape, context), TN_OK);
    assert_int_equal(tn_tape_add(tape, text, &strict, &info, &error), TN_ERROR_MODEL);
    assert_string_equal(error.message, message);
    assert_int_equal(error.offset, offset);
    tn_tape_destroy(tape);
    tn_curve_destroy(world_law);
    tn_context_destroy(context);
}

static void test_unknown_paths(void **state)
{
    (void)state;
    expect("2 * crank.tpi.position.x", 4,
           "unknown name 'crank.tpi.position.x'; did you mean 'crank.tip.position.x'?");
    expect("1 + crank.tip.positon.x", 4,
           "unknown name 'crank.tip.positon.x'; did you mean 'crank.tip.position.x'?");
    expect("pin-b.angle", 0, "unknown name 'pin-b.angle'; did you mean 'pin-a.angle'?");
    expect("seve-two", 0, "unknown name 'seve-two'; did you mean 'seven-two'?");
    expect("seven-tow", 6, "unknown name 'tow'; did you mean 'two'?");
    expect("wheel.spoke-2 * q", 0, "unknown name 'wheel.spoke'");
    expect("q-wheel.spoke", 2, "unknown name 'wheel.spoke'");
    expect("wheel-3", 0, "unknown name 'wheel'");
    expect("agnle-1", 0, "unknown name 'agnle'; did you mean 'angle'?");
    expect("sin-3", 0, "'sin' is a function; write sin(...)");
    expect("max.rim-3", 0, "unknown name 'max.rim'");
    expect("q.x", 0, "unknown name 'q.x'");
    expect("M.x.y", 0, "unknown name 'M.x.y'");
    expect("crank.tip(3)", 9, "unexpected '(' where an operator is expected");
    expect("wheel.rim(3)", 0, "unknown name 'wheel.rim'");
}

/* As long as a path may be, and longer. */
static void test_long_paths(void **state)
{
    (void)state;
    static char text[4097], message[700];
    memset(text, 'w', 255);
    for (int i = 10; i < 255; i += 10)
        text[i] = '.';
    snprintf(message, sizeof message, "unknown name '%.255s'", text);
    expect(text, 0, message);
    for (int i = 0; i < 4096; i++)
        text[i] = i % 2 ? '.' : 'M';
    text[4095] = '\0';
    expect(text, 3, "'.' is the scalar product of two vectors; use * to multiply by a number");
    for (int i = 0; i < 4096; i++)
        text[i] = i % 2 ? '-' : 'q';
    text[4095] = '\0';
    bench b;
    bench_open(&b, text, &strict);     /* q - q - q ... */
    b.leaves[0].x[0] = 1;
    assert_true(bench_value(&b, 0, 0, 0) == 1 - 2047);
    bench_close(&b);
}

static void test_known_by_value_only(void **state)
{
    (void)state;
    bench b;
    double gradient[3 * LEAVES] = { 0 };
    bench_open(&b, "F^2 * q + R.y", &loose);
    assert_true(b.info.rateless && !b.info.velocity && !b.info.constant);
    b.leaves[VALUE_LEAF].x[0] = 3;
    b.leaves[0].x[0] = 5;
    b.leaves[VALUE_LEAF3].x[1] = 2;
    assert_true(bench_value(&b, 1, 0, 0) == 47);
    assert_true(isnan(bench_value(&b, 1, 0, 1)));
    tn_tape_gradient(b.tape, b.work, 0, 0, gradient);
    assert_true(gradient[0] == 9 && gradient[3 * VALUE_LEAF] == 30 && gradient[3 * VALUE_LEAF3 + 1] == 1);
    bench_close(&b);
    bench_open(&b, "if(F > 1 N, q, 2 * q)", &strict);  /* decides, but needs no rate */
    assert_true(!b.info.rateless);
    bench_close(&b);
    expect("vel(F)", 0, "vel() of something whose rate is not known");
    expect("q + vel(R . M)", 4, "vel() of something whose rate is not known");
    bench_open(&b, "if(zero > 0, vel(F) + vel(vel(s1)), 7)", &loose);       /* never taken, so never needed */
    assert_true(b.info.constant && bench_value(&b, 0, 0, 0) == 7);
    bench_close(&b);
    expect("if(q > 0, vel(F), 7)", 10, "vel() of something whose rate is not known");
}

static void test_curves_are_called(void **state)
{
    (void)state;
    expect("law + 1", 0, "'law' is a curve; write law(...)");
    expect("law(t)", 0, "law() is a curve over length (m), not over time (s)");
    expect("law(M)", 0, "the argument of law() must be a number, not a vector");
    expect("law(s1, s1)", 6, "unexpected ',' where ')' is expected");
    expect("law(s1) + s1", 8, "cannot add force (kg m/s^2) to length (m)");
    expect("integral(law, s1) + law(s1)", 18, "cannot add torque or energy (kg m^2/s^2) to force (kg m/s^2)");
    expect("integral(q, s1)", 9, "'q' is not a curve");
    expect("integral(lwa, s1)", 9, "unknown name 'lwa'; did you mean 'law'?");
    expect("integral(3, s1)", 9, "unexpected '3' where the name of a curve is expected");
    expect("integral(law)", 0, "integral() takes 2 arguments, not 1");
    tn_context *context = tn_context_create(NULL);
    tn_expr_error error;
    tn_output_info info;
    double value;
    world_open(context);
    assert_int_equal(tn_expr_number(context, "law(5 m) + law(-2 m)", &strict, &value, &info, &error), TN_OK);
    assert_near(value, 5, 1e-14);
    assert_true(info.dim_known && info.constant);
    tn_curve_destroy(world_law);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_name_is_taken),
        cmocka_unit_test(test_unknown_paths),
        cmocka_unit_test(test_long_paths),
        cmocka_unit_test(test_known_by_value_only),
        cmocka_unit_test(test_curves_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
