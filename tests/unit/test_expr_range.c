/* Ranges of expressions over time: every value lies within its bounds, over an instant they are the value, and over shorter
 * intervals they come nearer. */
#include "expr_world.h"

static const char *const texts[] = {
    "t", "3 - 2 * t", "t * t", "t * (4 - t)", "1 / (t + 7)", "t / (t - 1)", "(t - 1)^2", "(t - 1)^3", "abs(t - 2)^1.5", "(t + 9)^-1",
    "sin(2 * t)", "cos(3 * t) * sin(t)", "tan(0.1 * t)", "atan(t)", "exp(-((t - 1.3) / 0.01)^2)", "log(t + 8)", "log10(t + 8)",
    "sqrt(t + 8)", "sinh(t)", "cosh(t)", "tanh(20 * t)", "asin(t / 20)", "acos(t / 20)", "abs(t)", "sign(t - 1)", "floor(3 * t)",
    "mod(t, 1.7)", "mod(t, -0.9)", "min(t, 2)", "max(t, 1 - t)", "clamp(t, -1, 1)", "step(t, 1, 1.2)", "step(t, 0, 3, 5, -2)",
    "if(t > 1, if(t < 1.001, 100, 0), 0)", "if(t > 1 and t < 2 or not t < 4, 3, 1)", "if(t <= 1, t, -t)", "law(t)", "law(2 * t - 1)",
    "n * t + L", "hypot(t, 2)",
};

static void test_bounds_hold(void **state)
{
    (void)state;
    uint32_t random = 5;
    for (size_t k = 0; k < TN_LENGTH(texts); k++) {
        bench b;
        bench_open(&b, texts[k], &loose);
        const size_t size = tn_tape_size(b.tape), last = size - 1;
        bool *clock = tn_alloc(b.context, 2 * size, sizeof *clock);
        double *low = tn_alloc(b.context, 2 * size, sizeof *low), *high = low + size;
        const int watched = tn_tape_clocks(b.tape, clock, clock + size);
        assert_int_equal(watched, strcmp(texts[k], "t") == 0 ? 0 : 1);
        for (int n = 0; n < 300; n++) {
            double t0 = between(&random, -4, 6), t1 = t0 + pow(10, between(&random, -5, 0.7)), t = between(&random, t0, t1);
            b.input.t = t;
            tn_tape_forward(b.tape, &b.input, 0, b.work);
            double value = tn_tape_value(b.tape, b.work, 0, 0, 0), slack = 1e-12 * (1 + fabs(value));
            tn_tape_ranges(b.tape, parameters, clock, t0, t1, low, high);
            if (!(low[last] - slack <= value && value <= high[last] + slack))
                fail_msg("%s: %.17g at %.17g is not in [%.17g, %.17g]", texts[k], value, t, low[last], high[last]);
            tn_tape_ranges(b.tape, parameters, clock, t, t, low, high);
            if (isfinite(low[last]) && isfinite(high[last])) {
                assert_near(low[last], value, slack);
                assert_near(high[last], value, slack);
            }
        }
        tn_free(b.context, clock);
        tn_free(b.context, low);
        bench_close(&b);
    }
}

/* A pulse of a microsecond shows in the bounds over ten seconds, and its place is found by halving. */
static void test_short_pulse(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "if(t > 3.123456, if(t < 3.123457, 1, 0), 0)", &loose);
    const size_t size = tn_tape_size(b.tape), last = size - 1;
    bool *clock = tn_alloc(b.context, 2 * size, sizeof *clock);
    double *low = tn_alloc(b.context, 2 * size, sizeof *low), *high = low + size, t0 = 0, t1 = 10;
    tn_tape_clocks(b.tape, clock, clock + size);
    for (int k = 0; k < 21; k++) {
        double middle = 0.5 * (t0 + t1);
        tn_tape_ranges(b.tape, parameters, clock, t0, middle, low, high);
        if (high[last] == 1)
            t1 = middle;
        else
            t0 = middle;
        tn_tape_ranges(b.tape, parameters, clock, t0, t1, low, high);
        assert_true(high[last] == 1);
    }
    assert_near(t0, 3.123456, 6e-6);
    tn_free(b.context, clock);
    tn_free(b.context, low);
    bench_close(&b);
}

/* What the motion takes part in is no clock, but what acts on it is watched. */
static void test_watched(void **state)
{
    (void)state;
    static const struct { const char *text; int watched; } cases[] = {
        { "q", 0 }, { "q + sin(t)", 1 }, { "q * t", 0 }, { "if(t > 2, q, 0)", 1 }, { "sin(t) * q + cos(t) * s1", 2 }, { "7 + n", 0 },
        { "vel(sin(t))", 1 },
    };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        bench b;
        bench_open(&b, cases[k].text, &loose);
        const size_t size = tn_tape_size(b.tape);
        bool *clock = tn_alloc(b.context, 2 * size, sizeof *clock);
        if (tn_tape_clocks(b.tape, clock, clock + size) != cases[k].watched)
            fail_msg("%s", cases[k].text);
        tn_free(b.context, clock);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_hold),
        cmocka_unit_test(test_short_pulse),
        cmocka_unit_test(test_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
