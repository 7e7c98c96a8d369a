/* Components that take steps of their own within macro steps (integrator modular): the motor written by hand against
 * the closed form, parts and components in one model, what is refused, histories to the bit.
 *
 * Motor with its housing held and a flywheel on its shaft: with the speed w, inertia Je of rotor, shaft and flywheel,
 *     L i' = V - R i - n K w,    Je w' = n K i
 * from rest, a sum of two exponentials with the roots of s^2 + R/L s + n^2 K^2 / (L Je) = 0. */
#include "nested_components.h"
#include "live_runs.h"
#include <math.h>

static const double V = 12, R = 1.2, L = 0.6e-3, K = 0.04, N = 8, ROTOR = 5e-6, SHAFT = 1e-5, FLYWHEEL = 4e-3;

static const char MOTOR[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { flywheel: { mass: 0.3 kg, inertia: 4e-3 kg m^2, position: [0, 0] } }\n"
    "subsystems: { motor: { use: " TENON_MOTOR ", parameters: { voltage: 12, gear_ratio: 8 } } }\n"
    "joints:\n"
    "  foot: { type: fixed, between: [ground, motor.housing] }\n"
    "  hub: { type: fixed, between: [motor.shaft, flywheel] }\n";

static machine motor(void)
{
    return machine_text(MOTOR);
}

static double speed(double t)
{
    double je = N * N * ROTOR + SHAFT + FLYWHEEL, k = N * K, half = R / L / 2;
    double root = sqrt(half * half - k * k / (L * je)), s1 = -half + root, s2 = -half - root;
    return V / k * (1 - (s2 * exp(s1 * t) - s1 * exp(s2 * t)) / (s2 - s1));
}

static tn_solve modular(double step, double until, int corrections, int interpolation)
{
    tn_solve solve = fixed_steps("modular", step, until);
    tn_solve_set(&solve, "corrections", corrections);
    tn_solve_set(&solve, "interpolation", interpolation);
    return solve;
}

/* Largest error of the speed over its end value, at the ends of macro steps after from. */
static double motor_error(double h, int corrections, int interpolation, double from)
{
    machine m = motor();
    double most = 0;
    machine_start(&m, modular(h, 0.2, corrections, interpolation));
    for (int k = 1; k * h < 0.2 + h / 2; k++) {
        run_to(&m, k * h);
        if (k * h > from)
            most = fmax(most, fabs(value(&m, "flywheel.angular_velocity") - speed(k * h)));
    }
    machine_close(&m);
    return most / (V / (N * K));
}

static void check_motor_order(int interpolation, double order)
{
    double coarse = motor_error(1.25e-3, 2, interpolation, 0.05), fine = motor_error(0.625e-3, 2, interpolation, 0.05);
    if (!(fabs(log2(coarse / fine) - order) < 0.15))
        fail_msg("interpolation %d: errors %.3g, %.3g are not of order %g", interpolation, coarse, fine, order);
}

/* Ten times the motor's electrical time constant in a macro step, 50 of its own; shorter ones by their order. */
static void test_motor(void **state)
{
    (void)state;
    assert_true(motor_error(5e-3, 2, 0, 0) < 4e-3);
    assert_true(motor_error(5e-3, 2, 1, 0) < 1.3e-2);
    check_motor_order(0, 2);
    check_motor_order(1, 3);
}

/* ---- a chain of two rods, the lower one a component with a step of its own ---- */

static const char ROD[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { rod: { mass: 2, inertia: 0.1, position: [1.35, 0], frames: { head: { at: [-0.35, 0] } } } }\n"
    "solve: { integrator: %s }\n";
static const char UPPER[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { upper: { mass: 2, inertia: 0.15, position: [0.5, 0] }%s }\n"
    "joints: { hook: { type: revolute, between: [ground, upper], at: [0, 0] } }\n";

static machine open_chain(void)
{
    machine m = machine_format(UPPER, ", rod: { mass: 2, inertia: 0.1, position: [1.35, 0] }");
    add_pin(&m, "elbow", "upper", "rod", 1, 0);
    return m;
}

static machine coupled_chain(const char *integrator)
{
    static const char *const names[] = { "head" }, *const targets[] = { "rod.head" };
    test_component_define(0, machine_format(ROD, integrator), names, targets, 1);
    machine m = machine_format(UPPER, "");
    test_component_add(&m, "lower", 0);
    add_pin(&m, "elbow", "upper", "lower.head", 1, 0);
    return m;
}

static void close_chain(machine *m)
{
    machine_close(m);
    test_components_close();
    test_components[0] = (test_component){ 0 };
}

static double chain_error(double h)
{
    machine open = open_chain(), component = coupled_chain("rk4, step: 1 ms");
    machine_run(&open, accurate(0.5));
    tn_summary summary = machine_run(&component, modular(h, 0.5, 2, 1));
    double error = fmax(fabs(value(&open, "upper.angle") - value(&component, "upper.angle")),
                        fabs(value(&open, "rod.angle") - value(&component, "lower.head.angle")));
    assert_true(summary.max_drift <= 1e-10);
    machine_close(&open);
    close_chain(&component);
    return error;
}

static void test_order_of_a_chain(void **state)
{
    (void)state;
    double coarse = chain_error(0.01), fine = chain_error(0.005);
    if (!(log2(coarse / fine) > 1.8 && fine < 2e-3))
        fail_msg("errors %.3g, %.3g", coarse, fine);
}

/* Work that goes into the component is what the rest loses, to the order of the trapezoidal rule. */
static double balance_error(double h)
{
    machine m = coupled_chain("rk4, step: 1 ms");
    machine_run(&m, modular(h, 0.5, 4, 1));
    double error = fabs(value(&m, "energy.error"));
    close_chain(&m);
    return error;
}

static void test_energy_balance(void **state)
{
    (void)state;
    double coarse = balance_error(0.01), fine = balance_error(0.005);
    if (!(coarse / fine > 3.5 && fine < 1e-3))
        fail_msg("errors %.3g, %.3g J", coarse, fine);
}

/* ---- histories ---- */

static void test_histories_go_on_to_the_bit(void **state)
{
    (void)state;
    machine m = motor();
    machine branch = { .context = m.context };
    machine_start(&m, modular(2e-3, 0.2, 2, 1));
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.01));
    run_to(&m, 0.05);
    machine_must(&m, tn_session_branch(&branch.session, m.session));
    run_to(&m, 0.1);
    run_to(&branch, 0.1);
    uint64_t end = tn_session_hash(m.session);
    assert_true(tn_session_hash(branch.session) == end);
    machine_must(&m, tn_session_seek(m.session, 0.05));
    run_to(&m, 0.1);
    assert_true(tn_session_hash(m.session) == end);
    tn_session_close(branch.session);
    machine_close(&m);
}

static void test_saved_runs_go_on_to_the_bit(void **state)
{
    (void)state;
    place p = new_place();
    machine m = motor(), loaded = { .context = tn_context_create(NULL) };
    machine_start(&m, modular(2e-3, 0.2, 2, 1));
    run_to(&m, 0.05);
    machine_must(&m, tn_session_save(m.session, p.saved));
    machine_must(&loaded, tn_session_load(&loaded.session, loaded.context, p.saved));
    run_to(&m, 0.1);
    run_to(&loaded, 0.1);
    assert_true(tn_session_hash(m.session) == tn_session_hash(loaded.session));
    machine_close(&loaded);
    machine_close(&m);
    remove_place(&p);
}

/* ---- refusals ---- */

static void check_refused(machine *m, const char *text)
{
    tn_solve solve = modular(5e-3, 0.1, 2, 1);
    assert_true(tn_session_open(&m->session, m->model, &solve) < 0);
    assert_non_null(strstr(tn_diagnostics_get(m->context, 0)->message, text));
    machine_close(m);
}

static void test_components_without_steps_are_refused(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nsubsystems: { lower: { use: " FREE_BODY " } }\n");
    check_refused(&m, "component 'lower' has no steps of its own");
}

static void test_settings_of_a_library_are_refused(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\ndimension: 2\n"
                               "subsystems: { motor: { use: " TENON_MOTOR ", solve: { step: 0.1 ms } } }\n";
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    assert_true(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", ".") < 0);
    assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, "takes its steps as its library was made to"));
    tn_context_destroy(context);
    machine m = motor();
    machine_start(&m, modular(2e-3, 0.2, 2, 1));
    assert_true(tn_session_apply(NULL, m.session, "{ set: { motor.solve: { step: 1 ms } } }") < 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_order_of_a_chain),
        cmocka_unit_test(test_energy_balance),
        cmocka_unit_test(test_histories_go_on_to_the_bit),
        cmocka_unit_test(test_saved_runs_go_on_to_the_bit),
        cmocka_unit_test(test_components_without_steps_are_refused),
        cmocka_unit_test(test_settings_of_a_library_are_refused),
    };
    int failed = cmocka_run_group_tests_name("condensed", tests, NULL, NULL);
    test_component_level = TN_DISCLOSE_OPEN;
    return failed + cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
