/* Functions of expressions: values, branches, dimensions, messages. */
#include "expr_world.h"
#include "units.h"

static double number(const char *text, tn_output_info *info)
{
    tn_context *context = tn_context_create(NULL);
    tn_expr_error error;
    double value = NAN;
    if (tn_expr_number(context, text, &strict, &value, info, &error) < 0)
        fail_msg("%s: %s", text, error.message);
    tn_context_destroy(context);
    return value;
}

typedef struct number_case {
    const char *text;
    double value;
    bool known;
    tn_dim dim;
} number_case;

static const number_case numbers[] = {
    { "2 < 3", 1, true, { 0, 0, 0, 0, 0 } },             { "3 < 2", 0, true, { 0, 0, 0, 0, 0 } },
    { "2 < 2", 0, true, { 0, 0, 0, 0, 0 } },             { "2 <= 2", 1, true, { 0, 0, 0, 0, 0 } },
    { "3 > 2", 1, true, { 0, 0, 0, 0, 0 } },             { "2 >= 3", 0, true, { 0, 0, 0, 0, 0 } },
    { "1 + 1 < 3 * 1", 1, true, { 0, 0, 0, 0, 0 } },     { "1 < 2 and 2 < 3", 1, true, { 0, 0, 0, 0, 0 } },
    { "1 < 2 and 3 < 2", 0, true, { 0, 0, 0, 0, 0 } },   { "2 < 1 or 2 < 3", 1, true, { 0, 0, 0, 0, 0 } },
    { "not 2 < 1", 1, true, { 0, 0, 0, 0, 0 } },         { "not not 5", 1, true, { 0, 0, 0, 0, 0 } },
    { "1 or 1 and 0", 1, true, { 0, 0, 0, 0, 0 } },      { "(1 or 1) and 0", 0, true, { 0, 0, 0, 0, 0 } },
    { "not 1 or 1", 1, true, { 0, 0, 0, 0, 0 } },        { "not(1 or 1)", 0, true, { 0, 0, 0, 0, 0 } },
    { "3 m < 4 m and 2 s > 1 s", 1, true, { 0, 0, 0, 0, 0 } },
    { "if(2 < 3, 4 m, 5)", 4, true, { 1, 0, 0, 0, 0 } }, { "if(2 > 3, 4 m, 5)", 5, true, { 1, 0, 0, 0, 0 } },
    { "if(zero > 0, 1 / zero, 6)", 6, false, { 0, 0, 0, 0, 0 } },
    { "if(not zero > 0, 6, log(zero) + sqrt(-1))", 6, true, { 0, 0, 0, 0, 0 } },
    { "if(zero > 0 and 1 / zero < 3, 1, 2)", 2, false, { 0, 0, 0, 0, 0 } },
    { "if(zero < 1 or 1 / zero < 3, 1, 2)", 1, false, { 0, 0, 0, 0, 0 } },
    { "if(zero > 0, if(1 / zero > 1, 1, 2), 3)", 3, false, { 0, 0, 0, 0, 0 } },
    { "min(3, 1, 2)", 1, false, { 0, 0, 0, 0, 0 } },     { "max(3 m, 4, 2 m)", 4, true, { 1, 0, 0, 0, 0 } },
    { "min(4, 3)", 3, false, { 0, 0, 0, 0, 0 } },        { "max(1,2,3,4,5,6,7,8,9,10)", 10, false, { 0, 0, 0, 0, 0 } },
    { "clamp(5, 1, 3)", 3, false, { 0, 0, 0, 0, 0 } },   { "clamp(0, 1, 3)", 1, false, { 0, 0, 0, 0, 0 } },
    { "clamp(2 m, 1, 3)", 2, true, { 1, 0, 0, 0, 0 } },
    { "step(1, 0, 2)", 0.5, true, { 0, 0, 0, 0, 0 } },   { "step(-1 s, 0 s, 2 s)", 0, true, { 0, 0, 0, 0, 0 } },
    { "step(3, 0, 2)", 1, true, { 0, 0, 0, 0, 0 } },     { "step(0.2, 0, 1)", 0.05792, true, { 0, 0, 0, 0, 0 } },
    { "step(1 s, 0, 2 s, 10 m, 30 m)", 20, true, { 1, 0, 0, 0, 0 } },
    { "step(9 s, 0, 2 s, 10, 30)", 30, false, { 0, 0, 0, 0, 0 } },
    { "step(-9, 2, 1)", 1, true, { 0, 0, 0, 0, 0 } },
    { "sign(-3 m)", -1, true, { 0, 0, 0, 0, 0 } },       { "sign(0)", 0, true, { 0, 0, 0, 0, 0 } },
    { "sign(1e-9)", 1, true, { 0, 0, 0, 0, 0 } },        { "tanh(1)", 0.76159415595576488812, true, { 0, 0, 0, 0, 0 } },
    { "sinh(1)", 1.17520119364380145688, true, { 0, 0, 0, 0, 0 } },
    { "cosh(1)", 1.54308063481524377848, true, { 0, 0, 0, 0, 0 } },
    { "log10(1000)", 3, true, { 0, 0, 0, 0, 0 } },       { "floor(-1.5)", -2, true, { 0, 0, 0, 0, 0 } },
    { "floor(1.5)", 1, true, { 0, 0, 0, 0, 0 } },        { "mod(7, 3)", 1, false, { 0, 0, 0, 0, 0 } },
    { "mod(-7, 3)", 2, false, { 0, 0, 0, 0, 0 } },       { "mod(7, -3)", -2, false, { 0, 0, 0, 0, 0 } },
    { "mod(-7, -3)", -1, false, { 0, 0, 0, 0, 0 } },     { "mod(6 m, 3 m)", 0, true, { 1, 0, 0, 0, 0 } },
    { "hypot(3 m, 4 m)", 5, true, { 1, 0, 0, 0, 0 } },
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_LENGTH(numbers); i++) {
        tn_output_info info;
        double value = number(numbers[i].text, &info);
        if (!(fabs(value - numbers[i].value) <= 4e-16 * fabs(numbers[i].value)))
            fail_msg("%s = %.17g, expected %.17g", numbers[i].text, value, numbers[i].value);
        assert_int_equal(info.dim_known, numbers[i].known);
        assert_true(tn_dim_equal(info.dim, numbers[i].dim));
    }
}

/* What is evaluated later agrees with what is folded when compiled: constants become the leaf q. */
static void test_folding_is_evaluation(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "q < 3", "3 < q", "q <= 2", "q >= 2", "q > 2", "q > 1 and q < 3", "q < 1 or q > 5", "not q", "min(q, 1, 5)",
        "max(q, 1, 5)", "clamp(q, 3, 4)", "step(q, 0, 8)", "step(q, 0, 8, 3, 7)", "sign(q)", "sinh(q)", "cosh(q)",
        "tanh(q)", "log10(q)", "floor(q / 3)", "mod(q, 0.7)", "hypot(q, 1)", "if(q > 1, 5, 6)", "if(q > 3, 5, 6)",
    };
    for (size_t i = 0; i < TN_LENGTH(texts); i++) {
        char folded[64];
        size_t length = 0;
        for (const char *c = texts[i]; *c; c++)
            folded[length++] = *c == 'q' ? '2' : *c;
        folded[length] = '\0';
        tn_output_info info;
        double expected = number(folded, &info);
        bench b;
        bench_open(&b, texts[i], &loose);
        b.leaves[0].x[0] = 2;
        assert_true(bench_value(&b, 0, 0, 0) == expected);
        bench_close(&b);
    }
}

/* Value, time derivatives, gradient and tangent are those of the branch that is taken, to the bit. */
static void test_other_branch_does_not_matter(void **state)
{
    (void)state;
    static const struct { const char *text, *taken; } cases[] = {
        { "if(q > 0, sqrt(q) + log(q) * s1, s1^2 * sin(q))", "s1^2 * sin(q)" },
        { "if(q >= 0, s1^2 * cos(q), exp(1000 + s1) / q)", "s1^2 * cos(q)" },
        { "if(q > 0, norm(M) / q, s1)", "s1" },
        { "if(q > 0 and 1 / q > 3, unit(M) . N, 2 * s1)", "2 * s1" },
        { "if(s1 > 0 or 1 / q > 3, s1 * q, sqrt(q)) * 3", "s1 * q * 3" },
        { "max(s1 * s1, log(q))", "s1 * s1" },
        { "min(s1 + q, 1 / q)", "s1 + q" },
        { "clamp(1 / q, q * s1, s1 + q)", "s1 + q" },
        { "3 * if(q > 0, (M / q).x, M.y)", "3 * M.y" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        double results[2][3 + 1 + 3 * LEAVES] = { { 0 } };
        for (int k = 0; k < 2; k++) {
            bench b;
            bench_open(&b, k == 0 ? cases[i].text : cases[i].taken, &loose);
            b.leaves[1] = (tn_leaf){ .x = { 2 }, .dx = { 3 }, .ddx = { 4 } };
            b.leaves[0] = (tn_leaf){ .x = { 0 }, .dx = { 5 }, .ddx = { 6 } };
            b.leaves[2] = (tn_leaf){ .x = { 0, 0, 0 }, .dx = { 1, 2, 3 } };
            for (int derivative = 0; derivative < 3; derivative++)
                results[k][derivative] = bench_value(&b, 2, 0, derivative);
            tn_tape_tangent(b.tape, b.leaves, b.work);
            results[k][3] = tn_tape_tangent_value(b.tape, b.work, 0, 0);
            tn_tape_gradient(b.tape, b.work, 0, 0, &results[k][4]);
            bench_close(&b);
        }
        for (size_t k = 0; k < TN_LENGTH(results[0]); k++)
            if (results[0][k] != results[1][k] || !isfinite(results[0][k]))
                fail_msg("%s, number %zu: %g, expected %g", cases[i].text, k, results[0][k], results[1][k]);
    }
}

/* A condition that is no number must not choose quietly. */
static void test_no_number_goes_on(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "if(sqrt(q) > 0, 1, 2)", "sqrt(q) < 3", "sqrt(q) <= 3", "not sqrt(q)", "sqrt(q) and 1", "sqrt(q) or 0",
        "min(sqrt(q), 1)", "min(1, sqrt(q))", "max(sqrt(q), 1)", "max(1, sqrt(q))", "clamp(sqrt(q), 1, 2)",
        "sign(sqrt(q))", "floor(sqrt(q))", "step(sqrt(q), 0, 1)", "law(sqrt(q))", "integral(law, sqrt(q))",
        "mod(1, q + 1)",
    };
    for (size_t i = 0; i < TN_LENGTH(texts); i++) {
        bench b;
        bench_open(&b, texts[i], &loose);
        b.leaves[0].x[0] = -1;
        if (!isnan(bench_value(&b, 2, 0, 0)))
            fail_msg("%s is a number", texts[i]);
        bench_close(&b);
    }
}

/* The ramp joins its ends with two continuous derivatives, and so does a drive made of it. */
static void test_step_is_smooth(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "step(t, 1, 3, -2, 5)", &loose);
    static const struct { double t, x, dx, ddx; } ends[] = { { 1, -2, 0, 0 }, { 3, 5, 0, 0 }, { 2, 1.5, 6.5625, 0 } };
    for (size_t i = 0; i < TN_LENGTH(ends); i++)
        for (int side = -1; side <= 1; side++) {
            b.input.t = ends[i].t + side * 1e-9;
            assert_near(bench_value(&b, 2, 0, 0), ends[i].x, 1e-8);
            assert_near(bench_value(&b, 2, 0, 1), ends[i].dx, 1e-7);
            assert_near(bench_value(&b, 2, 0, 2), ends[i].ddx, 1e-6);
        }
    bench_close(&b);
}

/* The second derivative is a symmetric form: motion and change may be swapped; along the motion it is ddx. */
static void test_tangent_polarisation(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "norm(d) * sin(q) + s1^3", "atan2(q, s1 + 4) * (3 + q)^s1", "cross(M, N) . x1 / (2 + q^2)",
        "unit(d).x * tanh(q)", "hypot(q, s1) + mod(9 + q, 2 + s1 / 9) * step(q, -3, 3)",
        "law(q) * integral(law, s1) + max(q, s1)", "angle * q",
    };
    uint32_t seed = 5;
    for (size_t i = 0; i < TN_LENGTH(texts); i++) {
        char rate[128];
        bench b, value;
        snprintf(rate, sizeof rate, "vel(%s)", texts[i]);
        bench_open(&value, texts[i], &loose);
        tn_curve *law_of_value = world_law;
        bench_open(&b, rate, &loose);
        tn_leaf u[LEAVES] = { 0 }, v[LEAVES] = { 0 };
        double mixed[2];
        for (int k = 0; k < LEAVES; k++) {
            random_vector(&seed, 3, 1, b.leaves[k].x);
            random_vector(&seed, 3, 1, u[k].x);
            random_vector(&seed, 3, 1, v[k].x);
        }
        for (int swap = 0; swap < 2; swap++) {
            for (int k = 0; k < LEAVES; k++)
                memcpy(b.leaves[k].dx, swap ? v[k].x : u[k].x, sizeof u[k].x);
            bench_value(&b, 1, 0, 0);
            tn_tape_tangent(b.tape, swap ? u : v, b.work);
            mixed[swap] = tn_tape_tangent_value(b.tape, b.work, 0, 0);
        }
        assert_near(mixed[0], mixed[1], 1e-13 * (1 + fabs(mixed[0])));
        for (int k = 0; k < LEAVES; k++) {
            random_vector(&seed, 3, 1, b.leaves[k].ddx);
            memcpy(u[k].x, b.leaves[k].dx, sizeof u[k].x);
            memcpy(u[k].dx, b.leaves[k].ddx, sizeof u[k].dx);
        }
        memcpy(value.leaves, b.leaves, sizeof b.leaves);
        double along = bench_value(&value, 2, 0, 2);
        bench_value(&b, 1, 0, 0);
        tn_tape_tangent(b.tape, u, b.work);
        assert_near(tn_tape_tangent_value(b.tape, b.work, 0, 0), along, 1e-13 * (1 + fabs(along)));
        bench_close(&b);
        world_law = law_of_value;
        bench_close(&value);
    }
}

static void test_trouble_in_words(void **state)
{
    (void)state;
    static const struct { const char *text, *words; } cases[] = {      /* q = 0, s1 = -2, M = 0, N = (1, 1, 1) */
        { "3 + 1 / q", "division by zero" },
        { "sin(1 / q) * sqrt(s1)", "division by zero" },
        { "sin(q) * sqrt(s1)", "square root of a negative number" },
        { "M / q + N", "division by zero" },
        { "unit(M)", "division by the length of a zero vector" },
        { "log(q)", "log of zero" },
        { "2 - log10(s1)", "log of a negative number" },
        { "asin(s1)", "asin of a number beyond 1" },
        { "acos(2 + q)", "acos of a number beyond 1" },
        { "exp(-999 * s1)", "overflow in exp" },
        { "sinh(-999 * s1)", "overflow in sinh" },
        { "cosh(-999 * s1)", "overflow in cosh" },
        { "q^-1", "zero to a negative power" },
        { "s1^0.5", "a negative number to a power that is not whole" },
        { "s1^1e9", "overflow in a power" },
        { "s1^(q + 0.5)", "a negative number to a power that is not whole" },
        { "mod(s1, q)", "mod by zero" },
        { "step(t, q, q)", "division by zero" },
        { "1e300 * s1 * 1e300", "overflow in a product" },
        { "8e307 * s1 + 7e307 * s1", "overflow in a sum" },
        { "if(q < 1, 1 / q, log(q))", "division by zero" },
        { "if(q > 1, 1 / q, log(q))", "log of zero" },
        { "if(1 / q * 0 > 1, 1 / q, log(q))", "division by zero" },
        { "max(log(q), 1 / q)", "division by zero" },
        { "min(log(q), 1 / q)", "log of zero" },
        { "vel(sqrt(q))", "rate of a square root at zero" },
        { "vel(log(q))", "log of zero" },
        { "vel(q^0.5)", "rate of a power at zero" },
        { "vel(asin(1 + q))", "rate of asin at 1" },
        { "N.x / q", "division by zero" },
        { "law(1 / q)", "division by zero" },
        { "F", "a quantity in it is not finite" },
        { "R + N", "a quantity in it is not finite" },
        { "vel(y1) . N", "a rate in it is not finite" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        bench b;
        char words[80] = "";
        bench_open(&b, cases[i].text, &loose);
        b.leaves[0].dx[0] = 1;
        b.leaves[1].x[0] = -2;
        b.leaves[3] = (tn_leaf){ .x = { 1, 1, 1 } };
        b.leaves[6].dx[2] = b.leaves[VALUE_LEAF].x[0] = b.leaves[VALUE_LEAF3].x[1] = INFINITY;
        bench_value(&b, 1, 0, 0);
        assert_true(tn_tape_trouble(b.tape, b.work, 0, words, sizeof words));
        if (strcmp(words, cases[i].words) != 0)
            fail_msg("%s: %s, expected %s", cases[i].text, words, cases[i].words);
        bench_close(&b);
    }
}

/* The length of a zero vector has no direction to change in: its rate and gradient count as zero. */
static void test_zero_length_is_quiet(void **state)
{
    (void)state;
    bench b;
    double gradient[3 * LEAVES] = { 0 };
    bench_open(&b, "norm(M)", &loose);
    b.leaves[2].dx[1] = 1;
    assert_near(bench_value(&b, 2, 0, 0), 0, 0);
    assert_near(tn_tape_value(b.tape, b.work, 0, 0, 1), 0, 0);
    tn_tape_gradient(b.tape, b.work, 0, 0, gradient);
    for (int k = 0; k < 3 * LEAVES; k++)
        assert_near(gradient[k], 0, 0);
    bench_close(&b);
}

static void test_no_trouble(void **state)
{
    (void)state;
    static const char *const texts[] = { "q", "if(q > 0, 1 / q, 2)", "N", "sqrt(q)", "norm(M)" };
    for (size_t i = 0; i < TN_LENGTH(texts); i++) {
        bench b;
        char words[80] = "none";
        bench_open(&b, texts[i], &loose);
        bench_value(&b, 1, 0, 0);
        assert_false(tn_tape_trouble(b.tape, b.work, 0, words, sizeof words));
        assert_string_equal(words, "none");
        bench_close(&b);
    }
}

static void test_messages(void **state)
{
    (void)state;
    static const struct { const char *text; int offset; const char *message; } cases[] = {
        { "q == 1", 2, "unexpected '==' where an operator is expected; computed numbers are hardly ever equal, write "
                       "abs(a - b) < tolerance" },
        { "q = 1", 2, "unexpected '=' where an operator is expected; computed numbers are hardly ever equal, write "
                      "abs(a - b) < tolerance" },
        { "if(q && n, 1, 2)", 5, "unexpected '&&' where ')' or ',' is expected; the word for it is 'and'" },
        { "q || n", 2, "unexpected '||' where an operator is expected; the word for it is 'or'" },
        { "! q", 0, "unexpected '!' where a number, a name or '(' is expected; the word for it is 'not'" },
        { "q != 1", 2, "unexpected '!=' where an operator is expected; the word for it is 'not'" },
        { "1 < q < 2", 6, "comparisons do not chain; write a < b and b < c" },
        { "1 <", 3, "the text ends where a number, a name or '(' is expected" },
        { "q < s1", 2, "cannot compare a number with length (m)" },
        { "s1 >= t", 3, "cannot compare length (m) with time (s)" },
        { "M < N", 2, "'<' compares numbers, not vectors; use norm() or a component" },
        { "q < 1 and M", 6, "'and' needs conditions such as a < b, not a vector" },
        { "s1 or q < 1", 3, "'or' needs conditions such as a < b, not length (m)" },
        { "not t", 0, "'not' needs conditions such as a < b, not time (s)" },
        { "q and", 5, "the text ends where a number, a name or '(' is expected" },
        { "1 + if(s1, 1, 2)", 4, "if() needs a condition such as a < b first, not length (m)" },
        { "if(q > 0, s1, t)", 0, "if() cannot give length (m) or time (s)" },
        { "if(1 < 2, s1, t)", 0, "if() cannot give length (m) or time (s)" },
        { "if(q > 0, M, N)", 0, "argument 2 of if() must be a number, not a vector" },
        { "if(q > 0, 1)", 0, "if() takes 3 arguments, not 2" },
        { "if(q > 0, 1 / 0, 2)", 12, "the value of this operation is not a finite number" },
        { "if(1 < 2, 1 / 0, 2)", 12, "the value of this operation is not a finite number" },
        { "min(q)", 0, "min() takes 2 or more arguments, not 1" },
        { "min(q, s1)", 0, "min() cannot compare a number with length (m)" },
        { "max(1, 2 m, 3 s)", 0, "max() cannot compare length (m) with time (s)" },
        { "clamp(q, 1, 2 m)", 0, "clamp() cannot compare a number with length (m)" },
        { "clamp(q, 3, 2)", 0, "clamp() needs its bounds in order: clamp(x, low, high)" },
        { "step(t, 0, 1 m)", 0, "step() cannot compare time (s) with length (m)" },
        { "step(t, 1, 1)", 0, "step() needs two places that differ: step(x, x0, x1)" },
        { "step(t, 0, 1, 2)", 0, "step() takes 3 or 5 arguments, not 4" },
        { "step(t, 0, 1, 2 m, 3 s)", 0, "step() cannot compare length (m) with time (s)" },
        { "step(t, 0, 1 s, 2 m, 3) + q", 24, "cannot add length (m) to a number" },
        { "tanh(s1)", 0, "tanh() needs a number or an angle, not length (m)" },
        { "floor(t)", 0, "floor() needs a number or an angle, not time (s): multiply it by a rate such as 2 rad/s" },
        { "mod(s1, t)", 0, "mod() cannot compare length (m) with time (s)" },
        { "mod(1, 0)", 0, "the value of this operation is not a finite number" },
        { "hypot(s1, t)", 0, "hypot() cannot compare length (m) with time (s)" },
        { "stpe(t, 0, 1)", 0, "unknown function 'stpe'; did you mean 'step'?" },
        { "1 + max", 4, "'max' is a function; write max(...)" },
        { "log(q, 2)", 0, "log() takes 1 argument, not 2" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++)
        expect_error_at(cases[i].text, cases[i].offset, cases[i].message);
}

/* parts[0], then parts[1] count times, then parts[2] */
static const char *repeat(const char *const parts[3], int count)
{
    static char text[5000];
    int length = snprintf(text, sizeof text, "%s", parts[0]);
    for (int i = 0; i < count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s", parts[1]);
    snprintf(text + length, sizeof text - (size_t)length, "%s", parts[2]);
    return text;
}

static void test_hostile_texts(void **state)
{
    (void)state;
    static const char *const deep = "the expression is nested deeper than 64 levels";
    tn_output_info info;
    expect_error(repeat((const char *const[]){ "min(1", ",1", ")" }, 2000),
                 "min() takes at most 32 arguments, not 2001");
    expect_error(repeat((const char *const[]){ "step(1", ",1", ")" }, 2000),
                 "step() takes 3 or 5 arguments, not 2001");
    expect_error(repeat((const char *const[]){ "sin(1", ",1", ")" }, 2000), "sin() takes 1 argument, not 2001");
    assert_true(number(repeat((const char *const[]){ "max(1", ",2", ")" }, 31), &info) == 2);
    expect_error(repeat((const char *const[]){ "", "not ", "1" }, 1000), deep);
    expect_error(repeat((const char *const[]){ "", "if(1,", "1" }, 800), deep);
    expect_error(repeat((const char *const[]){ "", "if(0,1,", "1" }, 500), deep);
    expect_error(repeat((const char *const[]){ "", "min(", "1" }, 1000), deep);
    assert_true(number(repeat((const char *const[]){ "1", " and 1", "" }, 600), &info) == 1);
    assert_true(number(repeat((const char *const[]){ "0", " or 0", " or 1" }, 600), &info) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_folding_is_evaluation),
        cmocka_unit_test(test_other_branch_does_not_matter),
        cmocka_unit_test(test_no_number_goes_on),
        cmocka_unit_test(test_step_is_smooth),
        cmocka_unit_test(test_tangent_polarisation),
        cmocka_unit_test(test_trouble_in_words),
        cmocka_unit_test(test_zero_length_is_quiet),
        cmocka_unit_test(test_no_trouble),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_hostile_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
