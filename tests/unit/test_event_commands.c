/* Events that change the model or its state while it runs, against closed forms. */
#include "event_runs.h"

/* A ball that keeps a part of its speed at each bounce, by a command that sets the state. Fallen from 1 m, it bounces
 * at T (1 + 2 r + 2 r^2 + ...), T = sqrt(2 h / g), and would do so infinitely often before T (1 + r) / (1 - r). */
static void check_bounces(double r)
{
    char event[400];
    snprintf(event, sizeof event,
             "events:\n"
             "  bounce:\n"
             "    when: ball.position.y\n"
             "    crosses: down\n"
             "    do: { state: { ball: { velocity: ['{ball.velocity.x}', '{-%g * ball.velocity.y}'] } } }\n", r);
    run x = run_parts("tenon: 1\n"
                      "dimension: 2\n"
                      "gravity: [0, -9.81]\n"
                      "bodies: { ball: { type: particle, mass: 1, position: [0, 1], velocity: [0.5, 0] } }\n"
                      "outputs: [ball.position]\n", event, "solve: { until: 200, record: 0.1 }\n");
    double fall = sqrt(2 / G), t = fall;
    assert_int_equal(x.code, TN_ERROR_STEP);
    must_say(&x.r, "event 'bounce' fires without end");
    assert_near(tn_session_time(x.session), fall * (1 + r) / (1 - r), 2e-4 * fall);
    for (size_t k = 0; k < tn_session_fired_count(x.session); k++) {
        assert_fired(&x, k, "bounce", TN_FIRED_DOWN, t, 1e-8);
        t += 2 * fall * pow(r, (double)(k + 1));
    }
    assert_near(value_of(&x, "ball.position.x"), 0.5 * tn_session_time(x.session), 1e-9);
    assert_near(value_of(&x, "energy.error"), 0, 1e-10);
    close_run(&x);
}

static void test_bouncing_ball(void **state)
{
    (void)state;
    check_bounces(0.5);
    check_bounces(0.8);
    check_bounces(0.98);
}

/* The paper's pendulum itself: where the free end comes up to the height of the pin, it is pinned there and the other
 * end set free. It walks along the line, one length a turn, and loses nothing. */
static void check_walk(const char *inertia, double first)
{
    char model[1600];
    snprintf(model, sizeof model,
             "tenon: 1\n"
             "dimension: 2\n"
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  link:\n"
             "    mass: 1\n"
             "    com: [0.5, 0]\n"
             "    inertia: %s\n"
             "    frames: { a: { at: [0, 0] }, b: { at: [1, 0] } }\n"
             "joints: { pin: { type: revolute, between: [ground, link.a] } }\n"
             "events:\n"
             "  pin_b:\n"
             "    when: link.b.position.y\n"
             "    crosses: up\n"
             "    do:\n"
             "      remove: pin\n"
             "      add:\n"
             "        joints: { pin: { type: revolute, between: [ground, link], at: ['{link.b.position.x}', 0] } }\n"
             "  pin_a:\n"
             "    when: link.a.position.y\n"
             "    crosses: up\n"
             "    do:\n"
             "      remove: pin\n"
             "      add:\n"
             "        joints: { pin: { type: revolute, between: [ground, link], at: ['{link.a.position.x}', 0] } }\n",
             inertia);
    run x = run_parts(model, "",
                      "solve: { until: 8, integrator: dop853, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n");
    if (x.code < 0)
        tn_diagnostics_print(x.r.context, stderr);
    assert_int_equal(x.code, TN_NEWS_END);
    size_t count = (size_t)(8 / first);
    assert_int_equal(tn_session_fired_count(x.session), count);
    for (size_t k = 0; k < count; k++)
        assert_fired(&x, k, k % 2 ? "pin_a" : "pin_b", TN_FIRED_TOUCH, (double)(k + 1) * first, 1e-9);
    const char *held = count % 2 ? "link.b.position.x" : "link.a.position.x";
    assert_near(fabs(value_of(&x, held)), (double)count, 1e-9);
    assert_near(value_of(&x, "energy.total"), 0, 1e-9);
    close_run(&x);
}

static void test_walking_pendulum(void **state)
{
    (void)state;
    check_walk("0.25", 1.183920973789);
    check_walk("1 / 12", 0.966667427187);
}

/* A joint that its own load breaks: the event then watches something that is gone, and waits. */
static void test_fuse(void **state)
{
    (void)state;
    run x = run_parts(pendulum,
        "events: { fuse: { when: 'hypot(bar.reaction.force.x, bar.reaction.force.y) - 20 N', do: { remove: bar } } }\n",
        "solve: { until: 2, integrator: dop853, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_diagnostics_count(x.r.context), 0);
    assert_int_equal(tn_session_fired_count(x.session), 1);
    assert_string_equal(tn_session_log_entry(x.session, 0).text, "removed bar");
    /* tension 3 m g sin(angle below the horizontal) = 20 N there, so y = -20 / (3 g) and v^2 = -2 g y */
    double y = -20 / (3 * G), speed = sqrt(-2 * G * y), t = 2 - tn_session_fired(x.session, 0).time;
    double vy = -speed * sqrt(1 - y * y);
    assert_near(value_of(&x, "bob.position.y"), y + vy * t - G * t * t / 2, 1e-8);
    close_run(&x);
}

/* Back to the moment before an edit: the events are as they were then. */
static void test_undo(void **state)
{
    (void)state;
    reading r = accepted("tenon: 1\n"
                         "dimension: 2\n"
                         "bodies: { ball: { type: particle, mass: 1, velocity: [1, 0] } }\n"
                         "events: { passed: { when: ball.position.x - 1 } }\n");
    tn_session *session = NULL;
    double count;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_advance(session, 0.5), TN_OK);
    const char *command = "{ add: { events: { late: { when: t - 2, do: stop } } } }";
    assert_int_equal(tn_session_apply(NULL, session, command), TN_OK);
    assert_int_equal(tn_session_advance(session, 5), TN_NEWS_STOPPED);
    assert_near(tn_session_time(session), 2, 1e-12);
    assert_int_equal(tn_session_fired_count(session), 2);
    assert_int_equal(tn_session_undo(NULL, session, true), TN_OK);
    assert_near(tn_session_time(session), 0.5, 0);
    assert_int_equal(tn_session_fired_count(session), 0);
    assert_int_equal(tn_session_value(&count, session, "passed.count"), TN_OK);
    assert_near(count, 0, 0);
    assert_int_equal(tn_session_advance(session, 5), TN_OK);
    assert_int_equal(tn_session_fired_count(session), 1);
    assert_near(tn_session_fired(session, 0).time, 1, 1e-12);
    tn_session_close(session);
    done(&r);
}

static void test_failing_command(void **state)
{
    (void)state;
    run x = run_parts(ball, "events:\n  late: { when: t - 1, do: [ { log: before }, { remove: bal } ] }\n", "");
    assert_int_equal(x.code, TN_ERROR_MODEL);
    must_say(&x.r, "no body, joint, force, contact or subsystem 'bal'; did you mean 'ball'?");
    must_say(&x.r, "7:47: event 'late': this command has failed at t = 1 s");
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_walking_pendulum),
        cmocka_unit_test(test_fuse),
        cmocka_unit_test(test_undo),
        cmocka_unit_test(test_failing_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
