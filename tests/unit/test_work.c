/* The work account between the ends of steps: where one force does all the work, the work is the kinetic energy, in closed
 * form, at samples within long steps and where an event cuts a step. */
#include "event_runs.h"

static const char pushed[] =
    "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { ball: { mass: 2, inertia: 0.1, position: [0, 0] } }\n"
    "forces: { push: { type: force, between: [ground, ball], value: [3 N * (1 + t / 1 s), 0] } }\n"
    "outputs: [energy.work, energy.kinetic]\n"
    "solve: { until: 1, record: 0.013, tolerance: 1e-10 }\n";

/* J at t: the speed is F0 / m (t + t^2 / 2). */
static double work_of_push(double t)
{
    const double mass = 2, speed = 3 / mass * (t + t * t / 2);
    return mass * speed * speed / 2;
}

typedef struct samples {
    long count;
    double worst;              /* J */
} samples;

static void compare_work(void *user, const double *values, size_t count)
{
    samples *s = user;
    assert_int_equal(count, 3);
    s->worst = fmax(s->worst, fmax(fabs(values[1] - work_of_push(values[0])), fabs(values[1] - values[2])));
    s->count++;
}

static void test_within_steps(void **state)
{
    (void)state;
    run x = { .r = accepted(pushed) };
    samples s = { 0 };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    tn_session_on_sample(x.session, compare_work, &s);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_int_equal(s.count, 77);
    assert_true(tn_session_summary(x.session).steps < 20);     /* most samples lie within steps */
    assert_true(s.worst < 1e-13);
    close_run(&x);
}

/* The event cuts a step; the account of the part before it and of the steps after it add up. */
static void test_cut_step(void **state)
{
    (void)state;
    run x = run_parts(pushed, "events: { far: { when: ball.position.x - 0.3 m, do: [ { set: { ball.mass: 2 } } ] } }\n", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_session_fired_count(x.session), 1);
    assert_near(value_of(&x, "energy.work"), work_of_push(1), 1e-12);
    assert_near(value_of(&x, "energy.error"), 0, 1e-12);
    close_run(&x);
    x = run_parts(pushed, "events: { far: { when: ball.position.x - 0.3 m, do: [stop] } }\n", "");
    assert_near(value_of(&x, "energy.work"), work_of_push(tn_session_time(x.session)), 1e-12);
    assert_near(value_of(&x, "energy.work"), value_of(&x, "energy.kinetic"), 1e-12);
    close_run(&x);
}

#define DRIVEN(watch)                                                                                                                 \
    "tenon: 1\ndimension: 2\nbodies: { slider: { mass: 2, inertia: 0.1 } }\n"                                                         \
    "joints: { slide: { type: translational, between: [ground, slider] } }\n"                                                          \
    "drives: { crank: { joint: slide, position: 0.5 * sin(3 rad/s * t) } }\n"                                                          \
    "forces: { rub: { type: torsion-spring, joint: slide, damping: 4 } }\n"                                                            \
    "outputs: [energy.work, energy.kinetic]\n" watch "solve: { until: 2, record: 0.013, tolerance: 1e-10, integrator: dop853 }\n"

/* Work (J) of the drive and the damper from 0 to t. */
static double work_when_driven(double t)
{
    const double mass = 2, fastest = 1.5, speed = fastest * cos(3 * t);
    return mass / 2 * (speed * speed - fastest * fastest);
}

static void compare_driven(void *user, const double *values, size_t count)
{
    samples *s = user;
    assert_int_equal(count, 3);
    s->worst = fmax(s->worst, fabs(values[1] - work_when_driven(values[0])));
    s->count++;
}

/* A drive determines all motion, so that steps grow to a second: five points do not show the power in them. */
static void test_long_steps(void **state)
{
    (void)state;
    run x = { .r = accepted(DRIVEN("")) };
    samples s = { 0 };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    tn_session_on_sample(x.session, compare_driven, &s);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_true(tn_session_summary(x.session).steps < 10);
    assert_true(s.worst < 2e-6);
    assert_true(tn_session_summary(x.session).energy_error < 1e-9);
    close_run(&x);
}

/* The same where an event cuts such a step. */
static void test_long_cut_step(void **state)
{
    (void)state;
    run x = run_parts(DRIVEN("events: { turn: { when: t - 1.9, do: [stop] } }\n"), "", "");
    assert_near(tn_session_time(x.session), 1.9, 1e-9);
    assert_near(value_of(&x, "energy.work"), work_when_driven(1.9), 1e-9);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_steps), cmocka_unit_test(test_cut_step), cmocka_unit_test(test_long_steps),
        cmocka_unit_test(test_long_cut_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
