/* Named expressions and functions with arguments: the same motion as the laws written out, everywhere they may stand; wrong
 * ones are refused with names. */
#include "live_runs.h"
#include <math.h>

static const char HEAD[] = "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { arm: { mass: 2 kg, inertia: 0.05 kg m^2, com: [0.5, 0] }, wheel: { mass: 1, inertia: 1 } }\n"
    "joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0] },\n"
    "          axle: { type: revolute, between: [ground, wheel], at: [2, 0] } }\n";

static const char WITH[] =
    "let:\n"
    "  speed: vel(pin.angle)\n"
    "  lift: 3 N m * sin(2 rad/s * t)\n"
    "  square: (x) -> x^2\n"
    "  brake: '(w, c) -> -c * w * abs(w)'\n"
    "  poly: '(x) -> square(x) + square(square(x))'\n"
    "  begin: 0.1 * square(2)\n"
    "drives: { d: { joint: axle, angle: 'poly(t / 1 s)' } }\n"
    "forces: { f: { type: torque, on: arm, value: 'brake(speed, 0.1 N m s^2) + lift' } }\n"
    "devices: { s: { type: lag, u: square(speed), time: 0.1 s } }\n"
    "initial: { pin: { angle: begin } }\n";

static const char WITHOUT[] =
    "drives: { d: { joint: axle, angle: '(t / 1 s)^2 + ((t / 1 s)^2)^2' } }\n"
    "forces: { f: { type: torque, on: arm,\n"
    "  value: '-0.1 N m s^2 * vel(pin.angle) * abs(vel(pin.angle)) + 3 N m * sin(2 rad/s * t)' } }\n"
    "devices: { s: { type: lag, u: vel(pin.angle)^2, time: 0.1 s } }\n"
    "initial: { pin: { angle: 0.4 } }\n";

static machine begun(const char *rest)
{
    machine m = machine_format("%s%s", HEAD, rest);
    machine_start(&m, accurate(2));
    return m;
}

static void test_names_stand_for_their_texts(void **state)
{
    (void)state;
    machine a = begun(WITH), b = begun(WITHOUT);
    run_to(&a, 1);
    run_to(&b, 1);
    assert_near(value(&a, "pin.angle"), value(&b, "pin.angle"), 1e-12);
    assert_near(value(&a, "s.y"), value(&b, "s.y"), 1e-12);
    assert_near(value(&a, "axle.angle"), 2, 1e-12);
    assert_near(value(&a, "speed"), value(&a, "pin.rate"), 1e-14);
    assert_near(value(&a, "lift"), 3 * sin(2), 1e-14);
    machine_close(&a);
    machine_close(&b);
}

/* Setting a name changes all that use it; undo takes it back; the text says so. */
static void test_names_are_set(void **state)
{
    (void)state;
    machine m = begun(WITH);
    char *text = NULL;
    run_to(&m, 0.5);
    const uint64_t before = tn_session_hash(m.session);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ set: { lift.value: 5 N m } }"));
    assert_near(value(&m, "lift"), 5, 0);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ set: { lift.value: '5 N m * cos(1 rad/s * t)' } }"));
    assert_near(value(&m, "lift"), 5 * cos(0.5), 1e-15);
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "lift: 5 N m * cos(1 rad/s * t)"));
    free(text);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    assert_near(value(&m, "lift"), 3 * sin(1), 1e-15);
    machine_close(&m);
}

static void check_refused(const char *rest, const char *message)
{
    char text[4000];
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    bool found = false;
    snprintf(text, sizeof text, "%s%s", HEAD, rest);
    int code = tn_model_read_text(&model, context, text, strlen(text), "model.yaml", ".");
    code = code < 0 ? code : tn_session_open(&session, model, NULL);
    assert_true(code < 0);
    for (size_t k = 0; k < tn_diagnostics_count(context); k++)
        found = found || strstr(tn_diagnostics_get(context, k)->message, message) != NULL;
    if (!found)
        print_error("wanted '%s', got '%s'\n", message, tn_diagnostics_get(context, 0)->message);
    assert_true(found);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

#define TORQUE(value) "forces: { f: { type: torque, on: arm, value: '" value "' } }\n"

static void test_wrong_names(void **state)
{
    (void)state;
    check_refused("let: { f2: '(x) -> f2(x)' }\n" TORQUE("1 N m * f2(1)"), "'f2' is defined by itself");
    check_refused("let: { a: b + 1, b: a + 1 }\n" TORQUE("1 N m * a"), "is defined by itself");
    check_refused("let: { g: '(x, y) -> x * y' }\n" TORQUE("1 N m * g(1)"), "'g' takes 2 arguments, not 1");
    check_refused("let: { g: '(x, y) -> x * y' }\n" TORQUE("1 N m * g"), "'g' is a function; write g(...)");
    check_refused("let: { g: '(x) -> x + 1 m' }\n" TORQUE("1 N * g(2 s)"), "cannot add");
    check_refused("let: { g: pin.reaction.torque }\n" TORQUE("g"), "follows from the forces");
    check_refused("let: { g: vel(pin.angle) }\ninitial: { pin: { angle: g } }\n", "in 'g'");
    check_refused("let: { t: 1 }\n", "already taken");
    check_refused("let: { g: [1, 2] }\n", "must be an expression");
    check_refused("let: { g: 3 kg }\n" TORQUE("g"), "must be a torque");
    check_refused("outputs: ['vel(pin.angle)']\n", "needs a name: { NAME: vel(pin.angle) }");
}

/* 'tenon check' finds mistakes of functions that nothing calls, whether they are meant for numbers or for vectors. */
static void test_functions_that_nothing_calls(void **state)
{
    (void)state;
    static const struct { const char *text, *message; } lets[] = {
        { "(x) -> x + nonsense", "let 'g': in 'g': unknown name 'nonsense'" },
        { "(x) -> 3 m + 2 s", "cannot add length (m) to time (s)" },
        { "(x) -> sin(x", "')' or ',' is expected" },
        { "(x, y) -> g(x)", "defined by itself" },
        { "(v) -> unit(v) . arm.foo", "unknown name 'arm.foo'" },
        { "(w, c) -> -c * w * abs(w)", NULL }, { "(v, k) -> k * (v . v)", NULL }, { "(x, n) -> x^n", NULL }, { "(v) -> v", NULL },
        { "(x) -> vel(x) + arm.acceleration.x", NULL },
    };
    for (size_t k = 0; k < TN_LENGTH(lets); k++) {
        char text[4000];
        tn_context *context = tn_context_create(NULL);
        tn_model *model = NULL;
        snprintf(text, sizeof text, "%slet: { g: '%s' }\n", HEAD, lets[k].text);
        assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", "."), TN_OK);
        int code = tn_model_check(model);
        if ((code < 0) != (lets[k].message != NULL))
            fail_msg("%s: %d", lets[k].text, code);
        if (lets[k].message) {
            assert_int_equal(tn_diagnostics_count(context), 1);
            assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, lets[k].message));
        }
        tn_model_destroy(model);
        tn_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_stand_for_their_texts),
        cmocka_unit_test(test_names_are_set),
        cmocka_unit_test(test_wrong_names),
        cmocka_unit_test(test_functions_that_nothing_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
