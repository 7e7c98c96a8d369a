/* Values, time derivatives and gradients of expressions against differences. */
#include "expr_world.h"
#include <stdlib.h>

/* Leaves move as x = a + b sin(f t + p), each component in its own way. */
typedef struct motion {
    double a[LEAVES][3], b[LEAVES][3], f[LEAVES][3], p[LEAVES][3];
} motion;

static motion random_motion(uint32_t *seed)
{
    motion m;
    for (int i = 0; i < LEAVES; i++)
        for (int k = 0; k < 3; k++) {
            m.a[i][k] = 2 * uniform(seed) - 1;
            m.b[i][k] = 0.5 * uniform(seed);
            m.f[i][k] = 0.5 + uniform(seed);
            m.p[i][k] = 6 * uniform(seed);
        }
    return m;
}

static void place(tn_leaf leaves[LEAVES], const motion *m, double t)
{
    for (int i = 0; i < LEAVES; i++)
        for (int k = 0; k < 3; k++) {
            double f = m->f[i][k], phase = f * t + m->p[i][k];
            leaves[i].x[k] = m->a[i][k] + m->b[i][k] * sin(phase);
            leaves[i].dx[k] = m->b[i][k] * f * cos(phase);
            leaves[i].ddx[k] = -m->b[i][k] * f * f * sin(phase);
        }
}

static double value_at(bench *b, const motion *m, double t, int component, int derivative)
{
    b->input.t = t;
    place(b->leaves, m, t);
    return bench_value(b, 2, component, derivative);
}

/* Eighth-order central differences. */
static const double weights[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
static const double difference_step = 2e-3;    /* truncation and round-off both near 1e-11 for these motions */
static const double difference_tolerance = 1e-8;

static double time_difference(bench *b, const motion *m, double t, int component, int derivative)
{
    double sum = 0;
    for (int j = 0; j < 4; j++) {
        double s = (j + 1) * difference_step;
        double plus = value_at(b, m, t + s, component, derivative);
        sum += weights[j] * (plus - value_at(b, m, t - s, component, derivative));
    }
    return sum / difference_step;
}

/* Difference of the output with respect to one number. */
static double leaf_difference(bench *b, double *number, int component)
{
    double sum = 0, start = *number;
    for (int j = 0; j < 4; j++) {
        double s = (j + 1) * difference_step;
        *number = start + s;
        double plus = bench_value(b, 1, component, 0);
        *number = start - s;
        sum += weights[j] * (plus - bench_value(b, 1, component, 0));
    }
    *number = start;
    return sum / difference_step;
}

static void check_time_derivatives(bench *b, const motion *m, double t, int component)
{
    if (b->info.rateless) {
        assert_true(isnan(value_at(b, m, t, component, 1)));
        return;
    }
    for (int derivative = 0; derivative < (b->info.velocity ? 1 : 2); derivative++) {
        double expected = time_difference(b, m, t, component, derivative);
        double scale = 1 + fabs(expected) + fabs(value_at(b, m, t, component, derivative));
        assert_near(value_at(b, m, t, component, derivative + 1), expected, difference_tolerance * scale);
    }
}

/* At position level with respect to the leaves, at velocity level with respect to their velocities. */
static void check_gradient(bench *b, const motion *m, double t, int component)
{
    double gradient[3 * LEAVES] = { 0 };
    value_at(b, m, t, component, 0);
    tn_tape_gradient(b->tape, b->work, 0, component, gradient);
    for (int i = 0; i < LEAVES; i++) {
        bool rate = b->info.velocity && i != VELOCITY_LEAF;
        for (int k = 0; k < 3; k++) {
            double expected = leaf_difference(b, rate ? &b->leaves[i].dx[k] : &b->leaves[i].x[k], component);
            assert_near(gradient[3 * i + k], expected, difference_tolerance * (1 + fabs(expected)));
        }
    }
}

/* Everything that the output's value depends on, changed in a random direction. */
static void check_tangent(bench *b, const motion *m, double t, int component, uint32_t *seed)
{
    tn_leaf start[LEAVES], tangents[LEAVES];
    for (int i = 0; i < LEAVES; i++) {
        random_vector(seed, 3, 1, tangents[i].x);
        random_vector(seed, 3, 1, tangents[i].dx);
    }
    b->input.t = t;
    place(b->leaves, m, t);
    memcpy(start, b->leaves, sizeof start);
    double sum = 0;
    for (int j = -4; j <= 4; j++) {
        for (int i = 0; i < LEAVES; i++)
            for (int k = 0; k < 3; k++) {
                b->leaves[i].x[k] = start[i].x[k] + j * difference_step * tangents[i].x[k];
                b->leaves[i].dx[k] = start[i].dx[k] + j * difference_step * tangents[i].dx[k];
            }
        sum += j == 0 ? 0 : (j < 0 ? -1 : 1) * weights[abs(j) - 1] * bench_value(b, 1, component, 0);
    }
    memcpy(b->leaves, start, sizeof start);
    bench_value(b, 1, component, 0);
    tn_tape_tangent(b->tape, tangents, b->work);
    double expected = sum / difference_step;
    assert_near(tn_tape_tangent_value(b->tape, b->work, 0, component), expected,
                difference_tolerance * (1 + fabs(expected)));
}

static void check_text(const char *text, uint32_t *seed)
{
    bench b;
    bench_open(&b, text, &loose);
    motion m = random_motion(seed);
    double t = uniform(seed);
    for (int component = 0; component < (b.info.vector ? 3 : 1); component++) {
        check_time_derivatives(&b, &m, t, component);
        check_gradient(&b, &m, t, component);
        check_tangent(&b, &m, t, component, seed);
    }
    bench_close(&b);
}

static void test_derivatives_of_every_operation(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "q", "M", "t", "q + s1", "M + N", "q - s1", "M - N", "-q", "-M", "q * s1", "q * M", "M * q", "q / (3 + s1)",
        "M / (3 + s1)", "M . N", "cross(M, N)", "norm(M + 3 * N)", "unit(M + 3 * N)", "q^2", "q^3", "(3 + q)^-2", "q^1",
        "q^0", "(3 + q)^0.5", "q^n", "(3 + q)^s1", "2^q", "sin(q)", "cos(q)", "tan(q / 2)", "asin(q / 3)",
        "acos(q / 3)", "atan(q)", "atan2(q, s1 - 4)", "atan2(3 + q, s1)", "sqrt(3 + q)", "exp(q)", "log(3 + q)",
        "abs(q - 3)", "abs(q + 3)", "vel(q)", "vel(M)", "w1", "vel(d) . x1", "vel(norm(N + 3 * x1))", "vel(M) . vel(N)",
        "cross(w1, x1) . M", "w1 . x1 * vel(q)^2", "sin(vel(q)) * q", "vel(q * sin(3 * t)) + L", "angle", "vel(angle)",
        "d . d - L^2", "q * sin(t)^2", "vel(unit(M + 3 * N))", "vel(q)^vel(s1 + 5 * t)^0",
        "sinh(q)", "cosh(q)", "tanh(q)", "log10(3 + q)", "hypot(q, s1 + 3)", "sign(q - 3)", "floor(q / 9 + 0.5)",
        "mod(7 + q, 3 + s1)", "mod(-7 + q, 5 + s1 / 9)", "mod(7 + q, -5 + s1 / 9)", "min(q, 3 + s1)", "min(3 + s1, q)",
        "max(q, 3 + s1)", "max(s1 + 3, q, -5)", "clamp(q, -3, 3)", "clamp(q, s1 + 4, 9)", "clamp(q, -9, s1 - 4)",
        "step(q, -3, 3)", "step(q, 3, 2)", "step(q, s1 - 5, s1 * t + 5, t^2, s1)", "step(t, -1, 2, 1, q)",
        "if(q < 3, s1, 1 / 0.01)", "if(q > 3, s1, q^2)", "if(q >= 3, t, q * s1)", "if(vel(q) < 9, q, s1)",
        "if(q < 3 and s1 < 3, q, s1)", "if(q > 3 or not s1 < 3, q, s1)", "q < 3", "vel(if(q < 3, q * s1, s1))",
        "vel(min(q, 3 + s1) * max(q, s1 - 3))", "vel(mod(7 + q, 3 + s1))", "vel(step(q, -3, 3, s1, 2))",
        "vel(tanh(q) * hypot(s1, 3 + q))", "vel(atan2(3 + q, s1))", "vel((3 + q)^s1)", "vel(abs(q - 3) * q^3)",
        "M.x", "(M + N).y", "cross(M, N).z", "vel(M).x", "w1.z * q", "crank.tip.y + pin-a.angle", "vel(M.x * N.y)",
        "crank.tip.velocity.x", "F", "F * q", "R", "cross(R, M)", "F * vel(q) + R.x", "if(F > 9, q, vel(s1))",
        "vel(if(F > 9, q, s1))", "law(q)", "integral(law, q)", "vel(law(q))", "vel(integral(law, q))",
        "law(law(q) / 3)",
    };
    uint32_t seed = 1;
    for (size_t i = 0; i < TN_LENGTH(texts); i++)
        check_text(texts[i], &seed);
}

/* Random expressions that stay where they are smooth. */
typedef struct writer {
    char text[4000];
    int length;
    uint32_t seed;
    bool velocity;
} writer;

static void write_part(writer *w, bool vector, int depth);

/* pattern with S for a scalar part and V for a vector part */
static void write_pattern(writer *w, const char *pattern, int depth)
{
    for (; *pattern; pattern++) {
        if (*pattern == 'S' || *pattern == 'V')
            write_part(w, *pattern == 'V', depth - 1);
        else
            w->text[w->length++] = *pattern;
    }
    w->text[w->length] = '\0';
}

static void write_part(writer *w, bool vector, int depth)
{
    static const char *const scalar_ends[] = { "q", "s1", "t", "L", "2", "45 deg", "n", "two", "vel(q)", "vel(s1)",
                                                "law(vel(q) / 4)" };
    static const char *const vector_ends[] = { "M", "N", "x1", "d", "w1", "vel(M)", "vel(d)" };
    static const char *const scalars[] = {
        "(S + S)", "(S - S)", "(-S)", "(S * S)", "(S / (2 + (S)^2))", "(V . V)", "norm(V + 4 * x1)", "(S)^2", "(S)^3",
        "(2 + sin(S))^n", "(3 + cos(S))^sin(S)", "sin(S)", "cos(S)", "tan(sin(S))", "asin(sin(S) / 2)",
        "acos(cos(S) / 3)", "atan(S)", "atan2(S, 2 + (S)^2)", "sqrt(1 + (S)^2)", "exp(sin(S))", "log(2 + (S)^2)",
        "abs(3 + sin(S))", "sinh(sin(S))", "cosh(sin(S))", "tanh(S)", "log10(2 + (S)^2)", "hypot(S, 2)",
        "sign(2 + sin(S))", "floor(2.5 + sin(S) / 3)", "mod(7 + sin(S), 5)", "min(sin(S), 3 + sin(S))",
        "max(cos(S), 3 + sin(S), -2)", "clamp(sin(S), -2, 2)", "step(sin(S), -2, 2)",
        "step(sin(S), -2, 2 + (S)^2, S, S)", "if(sin(S) < 2, S, S / (q - q))", "if(cos(S) > 2 or not 1 < 2, S, S)",
        "(V).x", "(V).y", "(V).z", "law(sin(S))", "integral(law, sin(S))",
    };
    static const char *const vectors[] = {
        "(V + V)", "(V - V)", "(-V)", "(S * V)", "(V * S)", "(V / (3 + sin(S)))", "cross(V, V)", "unit(V + 9 * x1)",
    };
    uint32_t pick = next_random(&w->seed);
    if (depth > 0 && vector)
        write_pattern(w, vectors[pick % TN_LENGTH(vectors)], depth);
    else if (depth > 0)
        write_pattern(w, scalars[pick % TN_LENGTH(scalars)], depth);
    else if (vector)
        write_pattern(w, vector_ends[pick % (w->velocity ? 7 : 4)], 0);
    else
        write_pattern(w, scalar_ends[pick % (w->velocity ? 11 : 8)], 0);
}

static void test_derivatives_of_random_expressions(void **state)
{
    (void)state;
    static writer w;
    w.seed = 7;
    for (int i = 0; i < 600; i++) {
        w.length = 0;
        w.velocity = i % 2;
        write_part(&w, i % 3 == 0, 1 + i % 3);
        check_text(w.text, &w.seed);
    }
}

static void test_lower_orders_give_the_same(void **state)
{
    (void)state;
    bench b;
    uint32_t seed = 3;
    motion m = random_motion(&seed);
    bench_open(&b, "cross(d, M) . N * sin(q) + norm(d)^3 / (2 + t) + angle", &loose);
    double full[3], gradient[3][3 * LEAVES] = { { 0 } };
    for (int derivative = 0; derivative < 3; derivative++)
        full[derivative] = value_at(&b, &m, 0.3, 0, derivative);
    for (int order = 0; order < 3; order++) {
        for (int derivative = 0; derivative <= order; derivative++)
            assert_true(bench_value(&b, order, 0, derivative) == full[derivative]);
        tn_tape_gradient(b.tape, b.work, 0, 0, gradient[order]);
    }
    assert_memory_equal(gradient[0], gradient[1], sizeof gradient[0]);
    assert_memory_equal(gradient[0], gradient[2], sizeof gradient[0]);
    bench_close(&b);
}

static void test_turn_counts(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "angle", &strict);
    b.leaves[4].x[0] = b.leaves[6].x[1] = 1;
    for (int direction = -1; direction <= 1; direction += 2) {
        b.memory[0] = 0;
        for (int i = 0; i <= 1000; i++) {
            double expected = direction * i * 0.031;
            b.leaves[3].x[0] = 2 * cos(expected);
            b.leaves[3].x[1] = 2 * sin(expected);
            double value = bench_value(&b, 0, 0, 0);
            assert_near(value, expected, 1e-13);
            b.memory[0] = value;
        }
        assert_true(fabs(b.memory[0]) > 9 * PI);
    }
    bench_close(&b);
}

static void test_no_crash_at_singular_points(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "norm(M)", "unit(M)", "sqrt(q)", "abs(q)", "1 / q", "log(q)", "atan2(q, s1)", "q^-1", "q^0.5",
        "angle", "q^s1", "acos(q + 1)",
    };
    for (size_t i = 0; i < TN_LENGTH(texts); i++) {
        bench b;
        double gradient[3 * LEAVES] = { 0 };
        bench_open(&b, texts[i], &loose);
        bench_value(&b, 2, 0, 0);
        tn_tape_gradient(b.tape, b.work, 0, 0, gradient);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_of_every_operation),
        cmocka_unit_test(test_derivatives_of_random_expressions),
        cmocka_unit_test(test_lower_orders_give_the_same),
        cmocka_unit_test(test_turn_counts),
        cmocka_unit_test(test_no_crash_at_singular_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
