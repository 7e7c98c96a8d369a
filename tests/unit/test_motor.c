/* The component written by hand, examples/component_from_scratch: current and speed after the voltage is switched on
 * against the closed form, by the rates that a model would integrate and by its own step.
 *
 * With housing fixed or free the shaft has one inertia Je against the housing, and with w = phi'
 *     L i' = V - R i - n K w,    Je w' = n K i - n^2 b w
 * whose deviation from the steady state is a sum of two exponentials with the roots of
 *     s^2 + (R/L + n^2 b/Je) s + (n^2 K^2 + n^2 b R) / (L Je) = 0. */
#define _XOPEN_SOURCE 700
#include "near.h"
#include "tenon/library.h"
#include "tenon/sys/component.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOLTAGE, RESISTANCE, INDUCTANCE, CONSTANT, RATIO, ROTOR, SHAFT, MASS, HOUSING, FRICTION, VALUES };
enum { STATES = 9, COLUMNS = 6, CURRENT = 8, SPEED = 7, TURN = 2, SHAFT_TURN = 5 };

/* Two real roots; two complex ones (a small inductance damps). */
static const double sets[2][VALUES] = {
    { 24, 1.2, 0.6e-3, 0.04, 10, 5e-6, 1e-5, 0.5, 2e-4, 1e-6 },
    { 12, 0.5, 8e-3, 0.05, 4, 2e-6, 3e-6, 0.3, 1e-3, 0 },
};

typedef struct bench {
    tn_context *context;
    tn_library *library;
    tn_component motor;
} bench;

static void *reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    if (size > 0)
        return realloc(pointer, size);
    free(pointer);
    return NULL;
}

static void report(void *user, tn_severity severity, const char *message)
{
    (void)severity;
    snprintf(user, 200, "%s", message);
}

static char said[200];
static const tn_component_host host = { sizeof host, said, reallocate, report };
static const tn_component_setting setting = { sizeof setting, { 1, 2, 0 }, { { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } },
                                              { 0, -9.81, 0 } };

static bench open_motor(const double *values)
{
    bench b = { .context = tn_context_create(NULL) };
    int code = tn_library_open(&b.library, b.context, TENON_MOTOR, NULL, (tn_span){ 0, 0, 0 });
    if (code < 0)
        tn_diagnostics_print(b.context, stderr);
    assert_int_equal(code, TN_OK);
    b.motor.type = tn_library_type(b.library);
    assert_int_equal(b.motor.type->create(&b.motor.self, &host, &setting, values), TN_OK);
    assert_int_equal(b.motor.type->state_count(b.motor.self), STATES);
    return b;
}

static void close_motor(bench *b)
{
    b->motor.type->destroy(b->motor.self);
    tn_library_release(b->library);
    tn_context_destroy(b->context);
}

/* Of the shaft against the housing. */
static double inertia(const double *v, bool housing_fixed)
{
    double a = v[HOUSING] + v[ROTOR] + v[SHAFT], b = v[RATIO] * v[ROTOR] + v[SHAFT];
    double c = v[RATIO] * v[RATIO] * v[ROTOR] + v[SHAFT];
    return housing_fixed ? c : c - b * b / a;
}

/* Current and speed t after switching on, from rest. */
static void closed_form(const double *v, double je, double t, double *current, double *speed)
{
    double n = v[RATIO], k = n * v[CONSTANT], b = n * n * v[FRICTION];
    double damping = v[RESISTANCE] / v[INDUCTANCE] + b / je;
    double stiffness = (k * k + b * v[RESISTANCE]) / (v[INDUCTANCE] * je);
    double complex root = csqrt(damping * damping / 4 - stiffness), s1 = -damping / 2 + root, s2 = -damping / 2 - root;
    double end_speed = k * v[VOLTAGE] / (k * k + b * v[RESISTANCE]);
    /* w = w_end (1 - (s2 e1 - s1 e2) / (s2 - s1)), since w and w' begin at zero */
    double complex e1 = cexp(s1 * t), e2 = cexp(s2 * t);
    *speed = creal(end_speed * (1 - (s2 * e1 - s1 * e2) / (s2 - s1)));
    double complex rate = end_speed * -(s2 * s1 * (e1 - e2)) / (s2 - s1);
    *current = creal(je * rate + b * *speed) / k;
}

static void test_roots_are_of_both_kinds(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double *v = sets[k];
        double je = inertia(v, true), n = v[RATIO], b = n * n * v[FRICTION];
        double damping = v[RESISTANCE] / v[INDUCTANCE] + b / je;
        double stiffness = (n * n * v[CONSTANT] * v[CONSTANT] + b * v[RESISTANCE]) / (v[INDUCTANCE] * je);
        assert_true((damping * damping / 4 > stiffness) == (k == 0));
    }
}

/* ---- its own step ---- */

static void test_own_step(void **state)
{
    (void)state;
    static const double none[COLUMNS] = { 0 };
    for (int k = 0; k < 2; k++) {
        bench b = open_motor(sets[k]);
        double y[STATES], t, current, speed, je = inertia(sets[k], false);
        for (int step = 1; step <= 20; step++) {
            assert_int_equal(b.motor.type->advance(b.motor.self, step * 2.5e-3, none, none), TN_OK);
            b.motor.type->point(b.motor.self, &t, y);
            closed_form(sets[k], je, t, &current, &speed);
            assert_near(t, step * 2.5e-3, 1e-15);
            assert_near(y[CURRENT], current, 1e-4 * sets[k][VOLTAGE] / sets[k][RESISTANCE]);
            assert_near(y[SPEED], speed, 1e-4 * sets[k][VOLTAGE] / (sets[k][RATIO] * sets[k][CONSTANT]));
            assert_near(y[1], 2 - 9.81 * t * t / 2, 1e-12);       /* it falls meanwhile */
        }
        close_motor(&b);
    }
}

/* ---- the rates, with the housing held ---- */

/* The torque on the housing that keeps it from turning: from D and r. */
static double holding_torque(bench *b)
{
    double D[COLUMNS * COLUMNS], r[COLUMNS];
    assert_int_equal(b->motor.type->condense(b->motor.self, TN_RANK_DECIDE, D), TN_OK);
    assert_int_equal(b->motor.type->free_answer(b->motor.self, TN_ASK_ACCELERATIONS, r), TN_OK);
    return -r[TURN] / D[TURN + TURN * COLUMNS];
}

static void held_rate(bench *b, double t, const double *y, double *rate)
{
    double tau[COLUMNS] = { 0 };
    assert_int_equal(b->motor.type->place(b->motor.self, t, y), TN_OK);
    tau[TURN] = holding_torque(b);
    assert_int_equal(b->motor.type->take(b->motor.self, TN_ASK_ACCELERATIONS, tau, rate), TN_OK);
}

static void runge_kutta(bench *b, double t, double h, double *y)
{
    static const double node[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 };
    double rate[STATES] = { 0 }, stage[STATES], sum[STATES] = { 0 };
    for (int s = 0; s < 4; s++) {
        for (int j = 0; j < STATES; j++)
            stage[j] = y[j] + node[s] * h * rate[j];
        held_rate(b, t + node[s] * h, stage, rate);
        for (int j = 0; j < STATES; j++)
            sum[j] += weight[s] * rate[j];
    }
    for (int j = 0; j < STATES; j++)
        y[j] += h * sum[j];
}

static void test_rates(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int k = 0; k < 2; k++) {
        bench b = open_motor(sets[k]);
        double y[STATES], current, speed, je = inertia(sets[k], true);
        b.motor.type->point(b.motor.self, NULL, y);
        double theta = y[TURN];
        assert_near(theta, acos(-1) / 2, 1e-15);
        for (int step = 0; step < 2000; step++) {
            runge_kutta(&b, step * h, h, y);
            closed_form(sets[k], je, (step + 1) * h, &current, &speed);
            assert_near(y[CURRENT], current, 1e-8 * sets[k][VOLTAGE] / sets[k][RESISTANCE]);
            assert_near(y[SPEED], speed, 1e-8 * sets[k][VOLTAGE] / (sets[k][RATIO] * sets[k][CONSTANT]));
        }
        assert_near(y[TURN], theta, 1e-12);
        close_motor(&b);
    }
}

static void test_values_that_are_none(void **state)
{
    (void)state;
    double wrong[VALUES];
    memcpy(wrong, sets[0], sizeof wrong);
    wrong[ROTOR] = -1;
    bench b = open_motor(sets[0]);
    void *self = NULL;
    assert_int_equal(b.motor.type->create(&self, &host, &setting, wrong), TN_ERROR_ARGUMENT);
    assert_null(self);
    assert_string_equal(said, "resistance, inductance, mass and inertias must be positive");
    close_motor(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots_are_of_both_kinds),
        cmocka_unit_test(test_own_step),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_values_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
