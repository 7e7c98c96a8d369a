/* Texts of expressions: units, dimensions, shared nodes, messages, hostile input. */
#include "alloc.h"
#include "expr_tape.h"
#include "expr_world.h"
#include "units.h"

typedef struct number_case {
    const char *text;
    double value;
    bool known;
    tn_dim dim;
} number_case;

static double number(const char *text, const tn_scope *scope, tn_output_info *info)
{
    tn_context *context = tn_context_create(NULL);
    tn_expr_error error;
    double value = NAN;
    if (tn_expr_number(context, text, scope, &value, info, &error) < 0)
        fail_msg("%s: %s", text, error.message);
    tn_context_destroy(context);
    return value;
}

static void test_numbers_and_units(void **state)
{
    (void)state;
    static const number_case cases[] = {
        { "1.5", 1.5, false, { 0, 0, 0, 0, 0 } },        { ".5e1", 5, false, { 0, 0, 0, 0, 0 } },
        { "2.", 2, false, { 0, 0, 0, 0, 0 } },           { "1e-3", 1e-3, false, { 0, 0, 0, 0, 0 } },
        { "0.1", 0.1, false, { 0, 0, 0, 0, 0 } },        { "1.797e308", 1.797e308, false, { 0, 0, 0, 0, 0 } },
        { "1 + 2 * 3", 7, false, { 0, 0, 0, 0, 0 } },    { "-2^2", -4, false, { 0, 0, 0, 0, 0 } },
        { "2^-1", 0.5, false, { 0, 0, 0, 0, 0 } },       { "2^3^2", 512, false, { 0, 0, 0, 0, 0 } },
        { "8 / 4 / 2", 1, false, { 0, 0, 0, 0, 0 } },    { "5 - 3 - 1", 1, false, { 0, 0, 0, 0, 0 } },
        { "(-2)^3", -8, false, { 0, 0, 0, 0, 0 } },      { "3 * -2", -6, false, { 0, 0, 0, 0, 0 } },
        { "3 m/s", 3, true, { 1, 0, -1, 0, 0 } },        { "3 m / s", 3, true, { 1, 0, -1, 0, 0 } },
        { "9.81 m/s^2", 9.81, true, { 1, 0, -2, 0, 0 } },{ "12 mm", 0.012, true, { 1, 0, 0, 0, 0 } },
        { "12mm", 0.012, true, { 1, 0, 0, 0, 0 } },      { "5 N m", 5, true, { 2, 1, -2, 0, 0 } },
        { "2 N m s/rad", 2, true, { 2, 1, -1, 0, 0 } },  { "10 1/s", 10, true, { 0, 0, -1, 0, 0 } },
        { "45 deg", PI / 4, true, { 0, 0, 0, 0, 0 } },   { "60 rpm", 2 * PI, true, { 0, 0, -1, 0, 0 } },
        { "25 %", 0.25, true, { 0, 0, 0, 0, 0 } },       { "25%", 0.25, true, { 0, 0, 0, 0, 0 } },
        { "3 m/two", 1.5, true, { 1, 0, 0, 0, 0 } },     { "3 m/(2)", 1.5, false, { 0, 0, 0, 0, 0 } },
        { "3 m + 2", 5, true, { 1, 0, 0, 0, 0 } },       { "3 m * 2 m", 6, true, { 2, 0, 0, 0, 0 } },
        { "2 mm^2", 2e-6, true, { 2, 0, 0, 0, 0 } },     { "(3 m)^2", 9, true, { 2, 0, 0, 0, 0 } },
        { "sqrt(16 m^2)", 4, true, { 1, 0, 0, 0, 0 } },  { "sqrt(9 m)", 3, false, { 0, 0, 0, 0, 0 } },
        { "sin(30 deg)", 0.5, true, { 0, 0, 0, 0, 0 } }, { "pi", PI, false, { 0, 0, 0, 0, 0 } },
        { "atan2(1 m, 1 m)", PI / 4, true, { 0, 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        tn_output_info info;
        double value = number(cases[i].text, &strict, &info);
        assert_near(value, cases[i].value, 4e-16 * fabs(cases[i].value));
        assert_int_equal(info.dim_known, cases[i].known);
        assert_true(tn_dim_equal(info.dim, cases[i].dim));
        assert_true(info.constant && !info.vector && !info.timed && !info.velocity);
    }
}

/* Units are written in more than one way: with points, raised digits and parentheses. A name of the model comes before a unit behind
 * "*". */
static void test_units_as_people_write_them(void **state)
{
    (void)state;
    static const struct { const char *text, *same; } cases[] = {
        { "3 kg*m^2", "3 kg m^2" },               { "3 kg * m^2", "3 kg m^2" },        { "3 kg.m^2", "3 kg m^2" },
        { "3 kg\xc2\xb7m\xc2\xb2", "3 kg m^2" },  { "3 N\xe2\x8b\x85m", "3 N m" },    { "3 m/s\xc2\xb2", "3 m/s^2" },
        { "3 mm\xc2\xb3", "3 mm^3" },             { "3 s\xe2\x81\xbb\xc2\xb9", "3 1/s" }, { "3 W/(m K)", "3 W/m/K" },
        { "3 J/(kg*K)", "3 J/kg/K" },             { "3 N/(m/s)", "3 N s/m" },          { "3 N*m/rad", "3 N m/rad" },
        { "3 Nm", "3 N m" },                      { "3 kNm/rad", "3000 N m" },         { "3 Nmm", "0.003 N m" },
        { "3 l/min", "5e-5 m^3/s" },                { "3 kOhm", "3 kohm" },              { "3 N*two", "6 N" },
        { "2 N*h", "6 N" },                       { "3 N*min(1 m, 2 m)", "3 N m" },      { "3 N/min(1 m, 2 m)", "3 N/m" },
        { "3 N/(two)", "1.5 N" },                 { "20 \xc2\xb0" "C", "20 degC" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        tn_output_info info, same;
        const double value = number(cases[i].text, &strict, &info), wanted = number(cases[i].same, &strict, &same);
        assert_near(value, wanted, 4e-16 * fabs(wanted));
        if (!tn_dim_equal(info.dim, same.dim))
            fail_msg("%s: its dimension is not that of %s", cases[i].text, cases[i].same);
    }
}

/* A number in a decimal unit is the double nearest to its value in SI, to the bit; 4.35 * 1e3 and 0.57 * 1e-3 are not. */
static void test_decimal_units_are_exact(void **state)
{
    (void)state;
    static const struct { const char *text; double value; } cases[] = {
        { "1.3 ms", 0.0013 },       { "35.7 mm", 0.0357 },      { "0.57 mm", 0.00057 },     { "4.35 kN", 4350 },
        { "0.7 mm^3", 0.7e-9 },     { "8.1 kN/mm", 8.1e6 },     { "1.1 bar", 1.1e5 },       { "7.3 g/cm^3", 7300 },
        { "2.9 um/ms", 0.0029 },    { "12.7 %", 0.127 },        { "1.9e-3 kg", 1.9e-3 },    { "33.3 L", 0.0333 },
        { "-2.3 mm", -0.0023 },     { "1e300 mm", 1e297 },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        tn_output_info info;
        const double value = number(cases[i].text, NULL, &info);
        if (value != cases[i].value)
            fail_msg("%s: %.17g in place of %.17g", cases[i].text, value, cases[i].value);
    }
}

static void test_symbols_win_over_units(void **state)
{
    (void)state;
    static const struct { const char *text; double value; tn_dim dim; bool timed; } cases[] = {
        { "3 m/L", 3 / 0.7, { 0, 0, 0, 0, 0 }, false },
        { "3 m/t", 3 / 4.0, { 1, 0, -1, 0, 0 }, true },
        { "3 m/s * t", 12, { 1, 0, 0, 0, 0 }, true },
        { "3 m/n/s1", 1 / 0.5, { 0, 0, 0, 0, 0 }, false },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        bench b;
        bench_open(&b, cases[i].text, &strict);
        b.input.t = 4;
        b.leaves[1].x[0] = 0.5;
        assert_near(bench_value(&b, 0, 0, 0), cases[i].value, 1e-15 * cases[i].value);
        assert_true(b.info.dim_known && tn_dim_equal(b.info.dim, cases[i].dim));
        assert_int_equal(b.info.timed, cases[i].timed);
        bench_close(&b);
    }
}

static void test_output_info(void **state)
{
    (void)state;
    static const struct { const char *text; tn_output_info info; } cases[] = {
        { "d", { .vector = true, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
        { "d . d - L^2", { .dim = { 2, 0, 0, 0, 0 }, .dim_known = true } },
        { "vel(M) . x1", { .velocity = true, .dim = { 1, 0, -1, 0, 0 }, .dim_known = true } },
        { "vel(M) - cross(w1, d)", { .vector = true, .velocity = true, .dim = { 1, 0, -1, 0, 0 }, .dim_known = true } },
        { "L * sin(t / 1 s)", { .timed = true, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
        { "n + 1", { .constant = true, .dim_known = true } },
        { "unit(d)", { .vector = true, .dim_known = true } },
        { "2 * L", { .constant = true } },
        { "angle", { .dim_known = true } },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        bench b;
        bench_open(&b, cases[i].text, &strict);
        const tn_output_info *e = &cases[i].info, i2 = tn_tape_output(b.tape, 0);
        assert_true(i2.vector == e->vector && i2.velocity == e->velocity && i2.timed == e->timed);
        assert_true(i2.constant == e->constant && i2.dim_known == e->dim_known && tn_dim_equal(i2.dim, e->dim));
        bench_close(&b);
    }
}

static void test_outputs_share_nodes(void **state)
{
    (void)state;
    static const struct { const char *text; size_t nodes; } cases[] = {
        { "d . x1", 5 },                   /* M, N, d, x1, product */
        { "x1 . d", 5 },
        { "(N - M) . d", 6 },
        { "2 * 3 + 4 - 9 + d . x1", 8 },   /* the constants leave one node behind */
        { "angle", 13 },                   /* y1, two products, atan2, turns */
        { "angle2", 14 },                  /* counts for itself */
    };
    tn_context *context = tn_context_create(NULL);
    tn_tape *tape;
    tn_expr_error error;
    tn_output_info info;
    assert_int_equal(tn_tape_create(&tape, context), TN_OK);
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        assert_int_equal(tn_tape_add(tape, cases[i].text, &strict, &info, &error), TN_OK);
        assert_int_equal(tn_tape_add(tape, "tan(7) + wrong", &strict, &info, &error), TN_ERROR_MODEL);
        assert_int_equal(tape->count, cases[i].nodes);
    }
    assert_int_equal(tn_tape_outputs(tape), TN_LENGTH(cases));
    tn_tape_destroy(tape);
    tn_context_destroy(context);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct { const char *text; int offset; const char *message; } cases[] = {
        { "", 0, "the expression is empty" },
        { "  ", 0, "the expression is empty" },
        { "2 * agnle", 4, "unknown name 'agnle'; did you mean 'angle'?" },
        { "snorm(M)", 0, "unknown function 'snorm'; did you mean 'norm'?" },
        { "1 + sin", 4, "'sin' is a function; write sin(...)" },
        { "2 * mm", 4, "unknown name 'mm' (a unit stands directly behind its number); did you mean 'M'?" },
        { "2 ~ 3", 2, "unexpected '~' where an operator is expected" },
        { "2 \x01", 2, "unexpected character 0x01 where an operator is expected" },
        { "q q", 2, "unexpected 'q' where an operator is expected" },
        { "2 +", 3, "the text ends where a number, a name or '(' is expected" },
        { "2 * )", 4, "unexpected ')' where a number, a name or '(' is expected" },
        { "(q + 1", 6, "the text ends where ')' is expected" },
        { "sin(q", 5, "the text ends where ')' or ',' is expected" },
        { "1 + sin()", 4, "sin() takes 1 argument, not 0" },
        { "atan2(q)", 0, "atan2() takes 2 arguments, not 1" },
        { "cross(M,N,M,N,M)", 0, "cross() takes 2 arguments, not 5" },
        { "sin(M)", 0, "argument 1 of sin() must be a number, not a vector" },
        { "cross(M, q)", 0, "argument 2 of cross() must be a vector, not a number" },
        { "q . M", 2, "'.' is the scalar product of two vectors; use * to multiply by a number" },
        { "M * N", 2, "'*' cannot multiply two vectors; use a . b for the scalar product or cross(a, b)" },
        { "q / M", 2, "cannot divide by a vector; use norm() for its length" },
        { "M^2", 1, "'^' needs numbers; the square of a vector a is a . a" },
        { "M + q", 2, "'+' cannot join a vector and a number" },
        { "L + t", 2, "cannot add length (m) to time (s)" },
        { "L - t", 2, "cannot subtract time (s) from length (m)" },
        { "q + L", 2, "cannot add a number to length (m)" },
        { "1 m^5 + L", 6, "cannot add m^5 to length (m)" },
        { "sin(3 m)", 0, "sin() needs a number or an angle, not length (m)" },
        { "atan2(L, t)", 0, "atan2() cannot compare length (m) with time (s)" },
        { "2^L", 1, "an exponent must be a number, not length (m)" },
        { "3 ms2", 2, "unknown unit 'ms2'; write 'ms^2'" },
        { "3 Kilograms", 2, "unknown unit 'Kilograms'; write 'kg'" },
        { "3 m/degrees", 4, "unknown name 'degrees'" },
        { "1,5 kg", 1, "unexpected ',' where an operator is expected; decimals have a point" },
        { "3 kg m2", 5, "unknown unit 'm2'; write 'm^2'" },
        { "3 Nms", 2, "unknown unit 'Nms'; write units apart, as in 'N m s'" },
        { "3 N . kg", 6, "unknown name 'kg' (a unit stands directly behind its number)" },
        { "3 N/(2*kg)", 7, "unknown name 'kg' (a unit stands directly behind its number)" },
        { "3 N/()", 5, "unexpected ')' where a number, a name or '(' is expected" },
        { "3 N\xc2\xb7" "M", 3, "unknown unit '\xc2\xb7M'; write '*' in place of '\xc2\xb7' (U+00B7)" },
        { "3 zorkmid", 2, "unknown unit 'zorkmid'" },
        { "L\xc2\xb2", 0, "unknown name 'L\xc2\xb2'; write '^2' in place of '\xc2\xb2' (U+00B2)" },
        { "3\xc2\xa0kg", 1, "unknown unit '\xc2\xa0kg'; write ' ' in place of '\xc2\xa0' (U+00A0)" },
        { "\xe2\x88\x92 3", 0, "unknown name '\xe2\x88\x92'; write '-' in place of '\xe2\x88\x92' (U+2212)" },
        { "3 L", 2, "'L' is not a unit; write * to multiply by it" },
        { "5 1 m", 2, "unexpected '1' where an operator is expected" },
        { "1e999", 0, "the number is too large" },
        { "1e308 km", 0, "the number is too large" },
        { "1 / 0", 2, "the value of this operation is not a finite number" },
        { "log(-1)", 0, "the value of this operation is not a finite number" },
        { "vel(vel(M))", 0, "vel() of something that is a velocity already; accelerations are channels of their own" },
        { "vel(w1)", 0, "vel() of something that is a velocity already; accelerations are channels of their own" },
        { "turn(x1, y1, N)", 0, "turn() counts turns and is allowed in coordinates of joints only" },
        { "1 + twice", 4, "in 'twice': only one turn() is allowed in a coordinate" },
        { "1 + broken", 4, "in 'broken': unknown name 'tpyo'" },
        { "1 + loop", 4, "in 'pool': 'loop' is defined by itself" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++)
        expect_error_at(cases[i].text, cases[i].offset, cases[i].message);
}

static void test_limits(void **state)
{
    (void)state;
    static char text[33002];
    expect_error("2 * L", "the value must be a number that does not change");
    expect_error("d", "the value must be a number that does not change");
    memset(text, ' ', 33000);
    expect_error(text, "the expression is longer than 32768 characters");
    static const char nests[] = { '(', '-' };
    for (size_t i = 0; i < TN_LENGTH(nests); i++) {
        memset(text, nests[i], 4000);
        text[4000] = '\0';
        expect_error(text, "the expression is nested deeper than 64 levels");
    }
    memset(text, '1', 100);
    text[100] = '\0';
    expect_error(text, "a number of more than 64 digits");
    memset(text, 'x', 300);
    text[300] = '\0';
    expect_error(text, "a name of more than 255 characters");
}

static void test_tape_is_full(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_tape *tape;
    tn_expr_error error;
    tn_output_info info;
    int status = TN_OK;
    assert_int_equal(tn_tape_create(&tape, context), TN_OK);
    for (int i = 0; i < 5000 && status == TN_OK; i++) {
        char text[32];
        snprintf(text, sizeof text, "q + %d", i);
        status = tn_tape_add(tape, text, &strict, &info, &error);
    }
    assert_int_equal(status, TN_ERROR_MODEL);
    assert_string_equal(error.message, "the expression is too large: more than 4096 operations");
    assert_true(tape->count > 4000);
    tn_tape_destroy(tape);
    tn_context_destroy(context);
}

/* Whatever the text, the answer is a tape that evaluates or a message that points into the text. */
static void try_text(const char *text)
{
    tn_context *context = tn_context_create(NULL);
    bench b = { .context = context, .input = { .leaves = b.leaves, .parameters = parameters, .memory = b.memory } };
    tn_expr_error error;
    double gradient[3 * LEAVES] = { 0 };
    world_open(context);
    assert_int_equal(tn_tape_create(&b.tape, context), TN_OK);
    int status = tn_tape_add(b.tape, text, &strict, &b.info, &error);
    if (status == TN_OK) {
        b.work = tn_alloc(context, tn_tape_work(b.tape), sizeof(double));
        bench_value(&b, 2, 0, 0);
        tn_tape_gradient(b.tape, b.work, 0, 0, gradient);
        tn_tape_tangent(b.tape, b.leaves, b.work);
        char words[80];
        tn_tape_trouble(b.tape, b.work, 0, words, sizeof words);
    } else {
        assert_int_equal(status, TN_ERROR_MODEL);
        assert_true(error.message[0] != '\0');
        assert_true(error.offset >= 0 && (size_t)error.offset <= strlen(text));
    }
    bench_close(&b);
}

static void test_garbage_never_crashes(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "q", "M", "N", "x1", "w1", "L", "t", "d", "angle", "loop", "b1", "vel(", "turn(", "cross(", "norm(", "sin(",
        "(", ")", ")", ",", ".", " . ", "+", "-", "*", "/",
        "^", "^2", "1", "2.5", "1e", "1e9", " mm", " m/s", "%", " ", "\t", "1/s",
        "pi", "#", "\xC2\xB5m", "\xff", "\x01", "mm^-", "F", "R", ".x", "crank.tip", "crank", "pin-a.angle", "-a",
        "law(", "law", "integral(", "integral(law,", "if(", "min(", "max(", "clamp(", "step(", "mod(", "<", "<=", ">",
        "=", "and", " and ", " or ", "not ", "zero", "!", "&&",
    };
    uint32_t seed = 11;
    for (int i = 0; i < 20000; i++) {
        char text[400] = "";
        int count = (int)(next_random(&seed) % 24);
        for (int k = 0; k < count; k++)
            strcat(text, pieces[next_random(&seed) % TN_LENGTH(pieces)]);
        try_text(text);
    }
    for (int i = 0; i < 5000; i++) {
        char text[64] = "";
        int count = (int)(next_random(&seed) % 60);
        for (int k = 0; k < count; k++)
            text[k] = (char)(next_random(&seed) & 255);
        try_text(text);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    int status = TN_ERROR_MEMORY;
    for (long n = 1; status == TN_ERROR_MEMORY; n++) {
        test_alloc memory = { .fail_at = n };
        tn_context *context = test_context(&memory);
        tn_tape *tape = NULL;
        if (context && (status = tn_tape_create(&tape, context)) == TN_OK) {
            tn_expr_error error;
            tn_output_info info;
            status = tn_tape_add(tape, "d . x1 + cross(d, M) . unit(N) * sin(q)^2 + angle", &loose, &info, &error);
            assert_int_equal(tn_tape_outputs(tape), status == TN_OK ? 1 : 0);
            tn_tape_destroy(tape);
        }
        assert_true(status == TN_OK || status == TN_ERROR_MEMORY);
        tn_context_destroy(context);
        assert_int_equal(memory.alive, 0);
    }
    assert_int_equal(status, TN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_units),
        cmocka_unit_test(test_units_as_people_write_them),
        cmocka_unit_test(test_decimal_units_are_exact),
        cmocka_unit_test(test_symbols_win_over_units),
        cmocka_unit_test(test_output_info),
        cmocka_unit_test(test_outputs_share_nodes),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_tape_is_full),
        cmocka_unit_test(test_garbage_never_crashes),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
