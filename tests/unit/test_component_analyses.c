/* Equilibria, vibrations and linear models with components: those of the open model. */
#include "component_examples.h"
#include "component_pendulum.h"

/* By differences through components: of frequencies, 1/s. */
static const double SAME = 1e-6;

static int by_rate(const void *left, const void *right)
{
    const tn_mode *a = left, *b = right;
    double order = a->value.im != b->value.im ? a->value.im - b->value.im : a->value.re - b->value.re;
    return (order > 0) - (order < 0);
}

/* Modes in an order that round-off does not change: by imaginary part. */
static void sorted_modes(tn_mode *out, size_t count, const tn_modes *modes)
{
    assert_int_equal(count, modes->count);
    memcpy(out, modes->items, count * sizeof *out);
    qsort(out, count, sizeof *out, by_rate);
}

static void compare_modes(machine *open, machine *component)
{
    enum { MOST = 60 };
    tn_modes *a, *b;
    tn_mode left[MOST], right[MOST];
    machine_must(open, tn_session_modes(&a, open->session));
    machine_must(component, tn_session_modes(&b, component->session));
    assert_true(a->count <= MOST);
    assert_int_equal(a->freedoms, b->freedoms);
    sorted_modes(left, a->count, a);
    sorted_modes(right, a->count, b);
    for (size_t k = 0; k < a->count; k++) {
        assert_near(left[k].value.re, right[k].value.re, SAME * fmax(1, fabs(left[k].value.re)));
        assert_near(left[k].value.im, right[k].value.im, SAME * fmax(1, fabs(left[k].value.im)));
    }
    tn_modes_destroy(open->context, a);
    tn_modes_destroy(component->context, b);
}

/* Two springs, so that both bars swing, with a damper. */
#define SPRINGS \
    "forces:\n" \
    "  hold: { type: spring, between: [ground, upper.tip], stiffness: 300, length: 0.2, damping: 2 }\n" \
    "  shake: { type: force, on: upper, value: [\"3 * t\", 0] }\n"

static machine sprung(bool component)
{
    return machine_format(HEAD "bodies:\n"
                          "  upper: { mass: 1.5, inertia: 0.08, com: [0.4, 0], position: [0, 0], angle: -20 deg,\n"
                          "           frames: { tip: { at: [0.5, 0.3] } } }\n%s%s"
                          "joints:\n" SHOULDER ELBOW SPRINGS,
                          component ? "" : "  lower: { mass: 2, inertia: 0.2, position: [1.05, -0.3] }\n",
                          component ? "subsystems:\n  lower: { use: " FREE_BODY ", at: [1.05, -0.3],\n"
                                "           parameters: { mass: 2 kg, inertia: 0.2 } }\n" : "",
                          component ? "lower.hub" : "lower");
}

/* In motion, at any state. */
static void test_modes_of_a_moving_pendulum(void **state)
{
    (void)state;
    machine open = sprung(false), component = sprung(true);
    machine_start(&open, fixed_steps("rk4", 1e-3, 1));
    machine_start(&component, fixed_steps("rk4", 1e-3, 1));
    compare_modes(&open, &component);
    run_to(&open, 0.2);
    run_to(&component, 0.2);
    compare_modes(&open, &component);
    machine_close(&open);
    machine_close(&component);
}

static void rest(machine *m, tn_equilibrium **out)
{
    machine_must(m, tn_session_statics(out, m->session, NULL));
}

static void test_equilibrium_of_a_pendulum(void **state)
{
    (void)state;
    machine open = sprung(false), component = sprung(true);
    tn_equilibrium *a, *b;
    machine_start(&open, fixed_steps("rk4", 1e-3, 1));
    machine_start(&component, fixed_steps("rk4", 1e-3, 1));
    rest(&open, &a);
    rest(&component, &b);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->freedoms, b->freedoms);
    compare(&open, &component, "upper.angle", 1e-10);
    compare(&open, &component, "elbow.angle", 1e-10);
    compare(&open, &component, "hold.length", 1e-10);
    compare_modes(&open, &component);
    tn_equilibrium_destroy(open.context, a);
    tn_equilibrium_destroy(component.context, b);
    machine_close(&open);
    machine_close(&component);
}

/* Upright is an equilibrium, which is left; nearest takes it as it is. */
static void test_unstable_equilibria_are_left(void **state)
{
    (void)state;
    machine m = machine_text(HEAD "bodies:\n"
                             "  upper: { mass: 1.5, inertia: 0.08, com: [0.4, 0], position: [0, 0], angle: 90 deg }\n"
                             "subsystems:\n  lower: { use: " FREE_BODY ", at: [0, 1.1],\n"
                             "           parameters: { mass: 2 kg, inertia: 0.2 } }\n"
                             "joints:\n" SHOULDER
                             "  elbow: { type: revolute, between: [upper, lower.hub], at: [0, 0.8] }\n");
    tn_statics_options nearest = tn_statics_default();
    tn_equilibrium *found;
    nearest.nearest = true;
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    machine_must(&m, tn_session_statics(&found, m.session, &nearest));
    assert_int_equal(found->kind, TN_EQUILIBRIUM_UNSTABLE);
    assert_near(value(&m, "lower.hub.position.y"), 1.1, 1e-12);
    tn_equilibrium_destroy(m.context, found);
    rest(&m, &found);
    assert_int_equal(found->kind, TN_EQUILIBRIUM_STABLE);
    assert_near(value(&m, "lower.hub.position.y"), -1.1, 1e-12);
    tn_equilibrium_destroy(m.context, found);
    machine_close(&m);
}

/* The response of output i to input j at a real s: C (s - A)^-1 B + D. */
static double response(const tn_linear_system *l, double s, size_t i, size_t j)
{
    enum { MOST = 12 };
    double m[MOST][MOST + 1], sum = l->D[i * l->input_count + j];
    size_t n = l->state_count;
    assert_true(n <= MOST);
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++)
            m[r][c] = (r == c ? s : 0) - l->A[r * n + c];
        m[r][n] = l->B[r * l->input_count + j];
    }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t r = k; r < n; r++)
            best = fabs(m[r][k]) > fabs(m[best][k]) ? r : best;
        for (size_t c = 0; c <= n; c++) {
            double x = m[k][c];
            m[k][c] = m[best][c];
            m[best][c] = x;
        }
        for (size_t r = 0; r < n; r++)
            for (size_t c = n + 1; c-- > k && r != k;)
                m[r][c] -= m[r][k] / m[k][k] * m[k][c];
    }
    for (size_t k = 0; k < n; k++)
        sum += l->C[i * n + k] * m[k][n] / m[k][k];
    return sum;
}

/* Whatever coordinates are chosen, inputs do the same to outputs. */
static void test_linear_models(void **state)
{
    (void)state;
    static const char *const inputs[] = { "shake.value.x", "shake.value.y" };
    static const char *const outputs[] = { "upper.angle", "elbow.rate", "elbow.reaction.force.x", "hold.length",
                                           "upper.acceleration.y" };
    tn_linear_request request = { inputs, TN_LENGTH(inputs), outputs, TN_LENGTH(outputs) };
    machine open = sprung(false), component = sprung(true);
    for (int moving = 0; moving <= 1; moving++) {
        tn_linear_system *a, *b;
        machine_must(&open, moving ? TN_OK : tn_session_open(&open.session, open.model, NULL));
        machine_must(&component, moving ? TN_OK : tn_session_open(&component.session, component.model, NULL));
        run_to(&open, 0.3 * moving);
        run_to(&component, 0.3 * moving);
        machine_must(&open, tn_session_linearize(&a, open.session, &request));
        machine_must(&component, tn_session_linearize(&b, component.session, &request));
        assert_int_equal(a->state_count, b->state_count);
        for (size_t i = 0; i < TN_LENGTH(outputs); i++)
            for (size_t j = 0; j < TN_LENGTH(inputs); j++)
                for (double s = 0.5; s < 40; s *= 3)
                    assert_near(response(a, s, i, j), response(b, s, i, j), SAME * fmax(1, fabs(response(a, s, i, j))));
        tn_linear_system_destroy(open.context, a);
        tn_linear_system_destroy(component.context, b);
    }
    machine_close(&open);
    machine_close(&component);
}

/* Under the load of a passenger, from the start and from the middle of the motion. */
static void check_car(bool moving)
{
    machine open = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml"), component = car_with_component();
    machine *both[] = { &open, &component };
    tn_equilibrium *found[2];
    tn_statics_options options = tn_statics_default();
    options.time = moving ? NAN : 5;
    for (int k = 0; k < 2; k++) {
        machine_start(both[k], fixed_steps("rk4", 4e-3, 5));
        if (moving)
            run_to(both[k], 2.7);
        machine_must(both[k], tn_session_statics(&found[k], both[k]->session, &options));
        assert_near(0.55 - value(both[k], "chassis.position.z"), 0.011243790, 1e-8);
    }
    assert_int_equal(found[0]->kind, found[1]->kind);
    assert_int_equal(found[0]->freedoms, found[1]->freedoms);
    assert_true(found[1]->residual < 1e-6 * found[1]->load);
    compare(&open, &component, "chassis.orientation.x", 1e-10);
    compare(&open, &component, "rear_left.hub.wheel.position.z", 1e-10);
    compare(&open, &component, "arm_chassis_fl.reaction.force.z", 1e-7);
    compare_modes(&open, &component);
    for (int k = 0; k < 2; k++) {
        tn_equilibrium_destroy(both[k]->context, found[k]);
        machine_close(both[k]);
    }
    test_components_close();
}

static void test_equilibrium_of_a_car(void **state)
{
    (void)state;
    check_car(false);
#ifndef TENON_SANITIZED                                /* the same calls once more, ten seconds long */
    check_car(true);
#endif
}

/* What is inside has to be integrated; drives tell what they had to do all the same. */
static void test_efforts_of_drives(void **state)
{
    (void)state;
    machine both[2];
    for (int k = 0; k < 2; k++) {
        both[k] = machine_format(HEAD "bodies:\n" UPPER "%s%sjoints:\n" SHOULDER ELBOW
                                 "drives: { motor: { joint: shoulder, angle: '0.3 * sin(4 * t)' } }\n",
                                 k == 0 ? "  lower: { mass: 2, inertia: 0.2, position: [1.05, -0.3] }\n" : "",
                                 k == 0 ? "" : "subsystems:\n  lower: { use: " FREE_BODY ", at: [1.05, -0.3],\n"
                                               "           parameters: { mass: 2 kg, inertia: 0.2 } }\n",
                                 k == 0 ? "lower" : "lower.hub");
        tn_solve solve = fixed_steps("rk4", 1e-3, 0.5);
        machine_must(&both[k], tn_session_open_inverse(&both[k].session, both[k].model, &solve));
        machine_must(&both[k], tn_session_run(both[k].session));
    }
    assert_true(machine_says(&both[1], "component 'lower' has to be integrated; it is found by forward dynamics"));
    compare(&both[0], &both[1], "motor.torque", 1e-9);
    tn_drive_load a = tn_session_drive_load(both[0].session, 0), b = tn_session_drive_load(both[1].session, 0);
    assert_near(a.peak, b.peak, 1e-9);
    assert_near(a.work, b.work, 1e-9);
    machine_close(&both[0]);
    machine_close(&both[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_of_a_moving_pendulum),
        cmocka_unit_test(test_equilibrium_of_a_pendulum),
        cmocka_unit_test(test_unstable_equilibria_are_left),
        cmocka_unit_test(test_linear_models),
        cmocka_unit_test(test_efforts_of_drives),
        cmocka_unit_test(test_equilibrium_of_a_car),
    };
    int failed = cmocka_run_group_tests_name("condensed", tests, NULL, NULL);
    test_component_level = TN_DISCLOSE_OPEN;
    return failed + cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
