/* Delays of continuous signals: equations with exact solutions, jumps that come out on time, snapshots, long delays, wrong values. */
#include "mechanisms.h"
#include "tenon/inputs.h"

#include <string.h>

/* x' = -x(t - 1), x = 1 up to the start: by the method of steps a polynomial in each second. */
static double polynomial(double t)
{
    double sum = 0, factorial = 1;
    for (int n = 0; t - (n - 1) >= 0; n++) {
        factorial *= n > 0 ? n : 1;
        sum += (n % 2 ? -1 : 1) * pow(t - (n - 1), n) / factorial;
    }
    return sum;
}

static const char EQUATION[] = "tenon: 1\ndevices:\n  x: { type: integrator, u: -d.y, start: 1 }\n"
    "  d: { type: delay, u: x.y, time: 1 s, before: 1 }\n"
    "  w: { type: delay, u: sin(3 rad/s * t), time: 0.35 s }\n";

static void check_equation(const char *integrator, double tolerance)
{
    machine m = machine_text(EQUATION);
    tn_solve solve = accurate(6);
    if (integrator) {
        solve.integrator = integrator;
        solve.tolerance = solve.absolute_tolerance = 1e-9;
    }
    machine_start(&m, solve);
    for (double t = 0.5; t <= 6; t += 0.5) {
        run_to(&m, t);
        assert_near(value(&m, "x.y"), polynomial(t), tolerance);
        assert_near(value(&m, "d.y"), t < 1 ? 1 : polynomial(t - 1), tolerance);
        assert_near(value(&m, "w.y"), sin(3 * (t - 0.35)), fmax(tolerance, 1e-11));
    }
    machine_close(&m);
}

static void test_equation(void **state)
{
    (void)state;
    check_equation(NULL, 1e-13);
    check_equation("cvode", 1e-8);
    check_equation("ida", 1e-8);
}

/* A rectangle comes out after 0.3 s with its edges, and its integral is exact; a sampled staircase, too. */
static void test_jumps(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n"
        "  d: { type: delay, u: 'if(t > 0.2 s and t < 0.5 s, 2, 0)', time: 0.3 s }\n"
        "  area: { type: integrator, u: d.y }\n"
        "  hold: { type: sample-hold, u: t / 1 s, period: 0.1 s }\n"
        "  late: { type: delay, u: hold.y, time: 0.25 s, before: -1 }\n"
        "  steps: { type: integrator, u: late.y }\n");
    machine_start(&m, accurate(2));
    run_to(&m, 0.6);
    assert_near(value(&m, "area.y"), 0.2, 1e-13);
    run_to(&m, 1);
    assert_near(value(&m, "area.y"), 0.6, 1e-13);
    /* -1 for 0.25 s, then 0.1 k for 0.1 s each, 0.05 s of the eighth */
    assert_near(value(&m, "steps.y"), -0.25 + 0.1 * (0.1 + 0.2 + 0.3 + 0.4 + 0.5 + 0.6) + 0.05 * 0.7, 1e-13);
    machine_close(&m);
}

/* A snapshot within the delay is taken up to the bit; also as a text in another session. */
static void test_snapshot(void **state)
{
    (void)state;
    machine m = machine_text(EQUATION), other = machine_text(EQUATION);
    tn_state_snapshot *snapshot = NULL, *read = NULL;
    char *text = NULL;
    machine_start(&m, accurate(4));
    machine_start(&other, accurate(4));
    run_to(&m, 1.7);
    machine_must(&m, tn_session_take_snapshot(&snapshot, m.session));
    machine_must(&m, tn_state_snapshot_write(&text, snapshot));
    run_to(&m, 4);
    const uint64_t hash = tn_session_hash(m.session);
    machine_must(&m, tn_session_restore(m.session, snapshot));
    run_to(&m, 4);
    assert_int_equal(tn_session_hash(m.session), hash);
    machine_must(&other, tn_state_snapshot_read(&read, other.context, text, strlen(text)));
    machine_must(&other, tn_session_restore(other.session, read));
    run_to(&other, 4);
    assert_int_equal(tn_session_hash(other.session), hash);
    tn_state_snapshot_destroy(snapshot);
    tn_state_snapshot_destroy(read);
    tn_text_free(m.context, text);
    machine_close(&m);
    machine_close(&other);
}

/* A delay longer than the run gives what was before; an edit of another device keeps the past. */
static void test_long_delay(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n  d: { type: delay, u: t / 1 s, time: 100 s, before: 7 }\n"
        "  e: { type: delay, u: t / 1 s, time: 0.5 s }\n  g: { type: signal, value: 1 }\n");
    machine_start(&m, accurate(2));
    run_to(&m, 1);
    assert_near(value(&m, "d.y"), 7, 0);
    assert_near(value(&m, "e.y"), 0.5, 1e-14);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ replace: { devices: { g: { type: lag, u: 1, time: 1 s } } } }"));
    run_to(&m, 1.2);
    assert_near(value(&m, "e.y"), 0.7, 1e-14);
    machine_close(&m);
}

/* The past of thousands of steps in room for 100: steps that are one polynomial become one piece, with the edges of a rectangle where they are. */
static void test_many_steps(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n  d: { type: delay, u: sin(3 rad/s * t), time: 1.5 s, steps: 100 }\n"
        "  e: { type: delay, u: 'if(t > 0.2 s and t < 0.5 s, 2, 0)', time: 1.5 s, steps: 100 }\n  area: { type: integrator, u: e.y }\n");
    machine_start(&m, fixed_steps("rk4", 1e-3, 6));
    for (double t = 0.25; t <= 6; t += 0.25) {
        run_to(&m, t);
        assert_near(value(&m, "d.y"), t < 1.5 ? 0 : sin(3 * (t - 1.5)), 1e-10);
    }
    assert_near(value(&m, "area.y"), 0.6, 1e-12);
    machine_close(&m);
}

static void check_refused(const char *device, int code, const char *message)
{
    machine m = machine_format("tenon: 1\ndevices:\n  s: { type: signal, value: t / 1 s }\n  d: { type: delay, %s }\n", device);
    tn_solve solve = fixed_steps("rk4", 1e-3, 2);
    int got = tn_session_open(&m.session, m.model, &solve);
    if (got == TN_OK)
        got = tn_session_run(m.session);
    assert_int_equal(got, code);
    assert_non_null(strstr(tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message, message));
    machine_close(&m);
}

static void test_wrong_values(void **state)
{
    (void)state;
    check_refused("u: 1, time: 0 s", TN_ERROR_MODEL, "'time' must be positive");
    check_refused("u: 1, time: 1 s * s.y", TN_ERROR_MODEL, "'time' must be a number");
    check_refused("u: sin(2e4 rad/s * t), time: 1 s, steps: 100", TN_ERROR_STEP, "raise its 'steps'");
    check_refused("u: s.y, time: 5 s, steps: 3000", TN_NEWS_END, "its delay of 5 s is longer than the run of 2 s");
}

static void count_row(void *user, const double *values, size_t count)
{
    (void)values;
    (void)count;
    ++*(int *)user;
}

/* Twenty times 0.3 s is 6 s but for round-off: the jump that has gone round twenty times ends the last step next to the end of the run. */
static void test_last_row(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n  x: { type: integrator, u: -d.y, start: 1 }\n  d: { type: delay, u: x.y, time: 0.3 s, before: 1 }\n"
                             "outputs: [x.y]\n");
    tn_solve solve = accurate(6);
    solve.record = 0.1;
    int rows = 0;
    machine_start(&m, solve);
    tn_session_on_sample(m.session, count_row, &rows);
    run_to(&m, 6);
    assert_int_equal(rows, 61);
    machine_close(&m);
}

/* Mackey and Glass: steps that are much longer than those of the past below them would pass over what it did. Against a reference at a tighter
 * tolerance; the bound is 30 tolerances. */
static void test_steps_see_the_past(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\ndevices:\n  x: { type: integrator, u: 0.2 * d.y / (1 + d.y^10) - 0.1 * x.y, start: 0.5 }\n"
                               "  d: { type: delay, u: x.y, time: 17 s, before: 0.5 }\n";
    machine rough = machine_text(text), fine = machine_text(text);
    tn_solve solve = accurate(119);
    solve.integrator = "dop853";
    machine_start(&fine, solve);
    solve.tolerance = solve.absolute_tolerance = 1e-10;
    machine_start(&rough, solve);
    for (double t = 1; t <= 119; t++) {
        run_to(&rough, t);
        run_to(&fine, t);
        assert_near(value(&rough, "x.y"), value(&fine, "x.y"), 1e-8);
    }
    machine_close(&rough);
    machine_close(&fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equation),   cmocka_unit_test(test_jumps),        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_long_delay), cmocka_unit_test(test_wrong_values), cmocka_unit_test(test_last_row),
        cmocka_unit_test(test_steps_see_the_past), cmocka_unit_test(test_many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
