/* Every integrator keeps the order it claims, on trees and loops; dense output; steps that meet the end of a run. */
#include "mechanisms.h"
#include "mem.h"
#include "session_impl.h"

static const double UNTIL = 0.5;       /* s */

typedef struct course {
    const char *name;
    machine (*build)(void);
    double step, long_step;            /* s: coarse enough for errors above round-off at order 5, at order 8 */
    double slack;                      /* of order 8: on the loops round-off comes before the slope has settled */
    bool gyroscopic;                   /* forces depend on velocities: lagging ones (newmark-pec) cost an order */
} course;

static machine planar_four_bar(void)
{
    return four_bar(2);
}

static machine spatial_four_bar(void)
{
    return four_bar(3);
}

static const course courses[] = {
    { "spatial pendulum", spatial_pendulum, 0.01, 0.05, 0.2, true },
    { "planar four-bar", planar_four_bar, 0.01, 0.025, 0.6, false },
    { "spatial four-bar", spatial_four_bar, 0.01, 0.025, 0.6, false },
};

static int length(const machine *m)
{
    return m->session->system->positions + m->session->system->velocities;
}

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* The state at a time, as accurate as can be. */
static void exact(const course *c, double t, double *y)
{
    machine m = c->build();
    machine_run(&m, accurate(t));
    memcpy(y, m.session->stepper->y, (size_t)length(&m) * sizeof(double));
    machine_close(&m);
}

/* Fixed steps for adaptive integrators too: any error is accepted, and no step is longer than the first. */
static tn_solve forced(const tn_integrator_type *integrator, double step)
{
    tn_solve solve = fixed_steps(integrator->name, step, UNTIL);
    solve.max_step = step;
    solve.tolerance = solve.absolute_tolerance = 1e30;
    for (int k = 0; k < TN_METHOD_PARAMETERS && integrator->parameters[k].name; k++)
        if (strcmp(integrator->parameters[k].name, "fixed") == 0)
            assert_int_equal(tn_solve_set(&solve, "fixed", 1), TN_OK);
    return solve;
}

typedef struct errors {
    double end, middle;                /* of the state at UNTIL, and half a step before it from dense output */
} errors;

static errors errors_of(const course *c, const tn_integrator_type *integrator, double step)
{
    double expected[64], y[64];
    machine m = c->build();
    tn_summary summary = machine_run(&m, forced(integrator, step));
    errors e;
    assert_int_equal(summary.steps, lround(UNTIL / step));
    assert_true(summary.max_drift <= 1e-10);
    exact(c, UNTIL, expected);
    e.end = distance(length(&m), m.session->stepper->y, expected);
    exact(c, UNTIL - step / 2, expected);
    machine_must(&m, tn_stepper_interpolate(m.session->stepper, UNTIL - step / 2, y));
    e.middle = distance(length(&m), y, expected);
    machine_close(&m);
    return e;
}

static void check_orders(const course *c, const tn_integrator_type *integrator)
{
    double step = integrator->order > 5 ? c->long_step : integrator->order == 1 ? c->step / 8 : c->step;
    errors coarse = errors_of(c, integrator, step), fine = errors_of(c, integrator, step / 2);
    double end = log2(coarse.end / fine.end), middle = log2(coarse.middle / fine.middle);
    int dense = !integrator->interpolate ? 3 : integrator->order > 5 ? 7 : 4;  /* cubic Hermite polynomials: 3 */
    int order = integrator->carry && !c->gyroscopic ? 2 : integrator->order;
    if (fabs(end - order) > (integrator->order > 5 ? c->slack : 0.2))
        fail_msg("%s on the %s: order %.3f, not %d (errors %.3g, %.3g)", integrator->name, c->name, end, order,
                 coarse.end, fine.end);
    if (middle < fmin(integrator->order, dense) - 0.2)
        fail_msg("%s on the %s: dense output of order %.3f (errors %.3g, %.3g)", integrator->name, c->name, middle,
                 coarse.middle, fine.middle);
}

static void test_orders(void **state)
{
    (void)state;
    for (size_t c = 0; c < TN_LENGTH(courses); c++)
        for (int k = 0; tn_integrator_types[k]; k++)
            if (!tn_integrator_types[k]->advance &&    /* these choose their order, too */
                strcmp(tn_integrator_types[k]->name, "modular") != 0)      /* of what is between parts: test_modular */
                check_orders(&courses[c], tn_integrator_types[k]);
}

/* Steps are whole where they fit, and the last one is cut where they do not. */
static void test_last_step(void **state)
{
    (void)state;
    static const struct { double step, until; long steps; } cases[] = {
        { 0.01, 1, 100 }, { 0.001, 0.7, 700 }, { 0.03, 0.1, 4 }, { 0.2, 0.1, 1 }, { 0.1, 0.3, 3 },
    };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        machine m = double_pendulum(2);
        tn_summary summary = machine_run(&m, fixed_steps("rk4", cases[k].step, cases[k].until));
        assert_int_equal(summary.steps, cases[k].steps);
        assert_near(tn_session_time(m.session), cases[k].until, 1e-14);
        machine_close(&m);
    }
}

typedef struct sampling {
    long count;
    double last;
} sampling;

static void on_sample(void *user, const double *values, size_t count)
{
    sampling *s = user;
    assert_int_equal(count, 1);
    assert_near(values[0], 0.01 * (double)s->count, 1e-15);
    s->last = values[0];
    s->count++;
}

/* Samples lie on their grid whatever the steps do. */
static void test_sample_times(void **state)
{
    (void)state;
    for (int k = 0; tn_integrator_types[k]; k++) {
        machine m = double_pendulum(2);
        sampling s = { 0 };
        tn_solve solve = fixed_steps(tn_integrator_types[k]->name, 0.003, 0.5);
        solve.record = 0.01;
        machine_start(&m, solve);
        tn_session_on_sample(m.session, on_sample, &s);
        assert_int_equal(tn_session_run(m.session), TN_NEWS_END);
        assert_int_equal(s.count, 51);
        assert_near(s.last, 0.5, 1e-15);
        machine_close(&m);
    }
}

/* The error follows the tolerance: in proportion with one-step methods; with those that choose their order, errors of
 * many more steps add up. */
static void check_adaptive_error(const tn_integrator_type *integrator, const double *expected)
{
    for (double tolerance = 1e-5; tolerance > 1e-11; tolerance /= 100) {
        machine m = courses[1].build();
        tn_solve solve = accurate(UNTIL);
        solve.integrator = integrator->name;
        solve.tolerance = solve.absolute_tolerance = tolerance;
        machine_run(&m, solve);
        double error = distance(length(&m), m.session->stepper->y, expected);
        if (!(error < (integrator->advance ? 1000 : 100) * tolerance))
            fail_msg("%s is off by %.3g with the tolerance %g", integrator->name, error, tolerance);
        machine_close(&m);
    }
}

static void test_adaptive_error(void **state)
{
    (void)state;
    double expected[64];
    exact(&courses[1], UNTIL, expected);
    for (int k = 0; tn_integrator_types[k]; k++)
        if (tn_integrator_types[k]->order >= 5)
            check_adaptive_error(tn_integrator_types[k], expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_last_step),
        cmocka_unit_test(test_sample_times),
        cmocka_unit_test(test_adaptive_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
