/* Events against closed forms: when they fire, in which order, what they do, and how endless chains end. */
#include "event_runs.h"
#include <float.h>

#define PI 3.14159265358979323846

/* ---- a ball thrown upwards ---- */

/* When the ball passes the height on its way up (-1) or down (1). */
static double passes(double height, double way)
{
    return (5 + way * sqrt(25 - 2 * G * (height - 1))) / G;
}

static void check_throw(const char *solve)
{
    run x = run_parts(ball,
        "events:\n"
        "  land: { when: ball.position.y, crosses: down, do: stop }\n"
        "  rise: { when: ball.position.y - 2, crosses: up }\n"
        "  fall: { when: ball.position.y - 2, crosses: down }\n"
        "  level: { when: ball.position.y - 1.5 m }\n"
        "  apex: { when: ball.velocity.y }\n"
        "  slow: { when: energy.kinetic - 5 }\n", solve);
    const double tolerance = 1e-12;
    assert_int_equal(x.code, TN_NEWS_STOPPED);
    assert_string_equal(tn_session_summary(x.session).stopped_by, "land");
    assert_int_equal(tn_session_fired_count(x.session), 8);
    assert_fired(&x, 0, "level", TN_FIRED_UP, passes(1.5, -1), tolerance);
    assert_fired(&x, 1, "slow", TN_FIRED_DOWN, 2 / G, tolerance);
    assert_fired(&x, 2, "rise", TN_FIRED_UP, passes(2, -1), tolerance);
    assert_fired(&x, 3, "apex", TN_FIRED_DOWN, 5 / G, tolerance);
    assert_fired(&x, 4, "fall", TN_FIRED_DOWN, passes(2, 1), tolerance);
    assert_fired(&x, 5, "slow", TN_FIRED_UP, 8 / G, tolerance);
    assert_fired(&x, 6, "level", TN_FIRED_DOWN, passes(1.5, 1), tolerance);
    assert_fired(&x, 7, "land", TN_FIRED_DOWN, passes(0, 1), tolerance);
    assert_near(tn_session_time(x.session), passes(0, 1), tolerance);
    assert_near(value_of(&x, "ball.position.y"), 0, tolerance);
    close_run(&x);
}

/* A parabola is exact in all of these: what is left is the error of location. */
static void test_projectile(void **state)
{
    (void)state;
    static const char *const solves[] = {
        "solve: { until: 3, record: 0.1 }\n",
        "solve: { until: 3, record: step, step: 3 }\n",
        "solve: { until: 3, record: 0.7, integrator: dop853 }\n",
        "solve: { until: 3, record: 0.01, integrator: rk4, step: 0.4 }\n",
        "solve: { until: 3, record: 0.01, integrator: rk4, step: 0.003 }\n",
        "solve: { until: 3, record: 0.01, integrator: heun, step: 2 }\n",
        "solve: { until: 3, record: 0.01, integrator: newmark, step: 0.05 }\n",
    };
    for (size_t k = 0; k < sizeof solves / sizeof solves[0]; k++)
        check_throw(solves[k]);
}

/* Both crossings of a pair lie in one piece of one long step; so does a double root, and a miss. */
static void test_pairs_and_touches(void **state)
{
    (void)state;
    char events[900];
    const double apex = 1 + 12.5 / G;
    snprintf(events, sizeof events,
             "events:\n"
             "  pair: { when: ball.position.y - %.17g }\n"
             "  graze: { when: ball.position.y - %.17g }\n"
             "  below: { when: ball.position.y - %.17g, crosses: up }\n"
             "  above: { when: ball.position.y - %.17g, crosses: down }\n"
             "  missed: { when: ball.position.y - %.17g }\n"
             "  near: { when: ball.position.y - %.17g, touch: 2 mm }\n",
             apex - 1e-4, apex, apex, apex, apex + 1e-3, apex + 1e-3);
    run x = run_parts(ball, events, "solve: { until: 1, step: 1, record: 0 }\n");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_int_equal(tn_session_fired_count(x.session), 5);
    assert_fired(&x, 0, "pair", TN_FIRED_UP, passes(apex - 1e-4, -1), 1e-12);
    assert_fired(&x, 1, "graze", TN_FIRED_TOUCH, 5 / G, 1e-12);
    assert_fired(&x, 2, "below", TN_FIRED_TOUCH, 5 / G, 1e-12);
    assert_fired(&x, 3, "near", TN_FIRED_TOUCH, 5 / G, 1e-12);
    assert_fired(&x, 4, "pair", TN_FIRED_DOWN, passes(apex - 1e-4, 1), 1e-12);
    close_run(&x);
}

/* What fires together fires in the order of the model; an event that is at zero from the start is not armed. */
static void test_same_instant(void **state)
{
    (void)state;
    run x = run_parts(ball,
        "events:\n"
        "  c: { when: 0.25 - t }\n"
        "  a: { when: t - 0.25 }\n"
        "  b: { when: 2 * t - 0.5 }\n"
        "  start: { when: ball.position.x }\n", "solve: { until: 1, record: 0.25 }\n");
    assert_int_equal(tn_session_fired_count(x.session), 3);
    assert_fired(&x, 0, "c", TN_FIRED_DOWN, 0.25, 4 * DBL_EPSILON);
    assert_fired(&x, 1, "a", TN_FIRED_UP, 0.25, 4 * DBL_EPSILON);
    assert_fired(&x, 2, "b", TN_FIRED_UP, 0.25, 4 * DBL_EPSILON);
    close_run(&x);
}

/* ---- a pendulum ---- */

/* Complete elliptic integral K of the modulus k, by the arithmetic-geometric mean. */
static double elliptic_K(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    while (fabs(a - b) > 1e-15) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

/* Released from the horizontal (modulus sin 45 deg): through the bottom every half period. The period is known. */
static void check_bottom(const char *solve, double tolerance)
{
    run x = run_parts(pendulum,
        "events:\n"
        "  bottom: { when: bob.position.x }\n"
        "  fastest: { when: bar.reaction.force.x, crosses: up }\n", solve);
    double quarter = elliptic_K(sqrt(0.5)) / sqrt(G);
    size_t bottoms = 0;
    for (size_t k = 0; k < tn_session_fired_count(x.session); k++) {
        tn_fired fired = tn_session_fired(x.session, k);
        if (strcmp(fired.event, "bottom") == 0) {
            assert_int_equal(fired.kind, bottoms % 2 ? TN_FIRED_UP : TN_FIRED_DOWN);
            assert_near(fired.time, (2 * (double)bottoms++ + 1) * quarter, tolerance);
        }
    }
    assert_int_equal(bottoms, 17);
    assert_near(value_of(&x, "bottom.count"), 17, 0);
    close_run(&x);
}

static void test_pendulum_passes_the_bottom(void **state)
{
    (void)state;
    check_bottom("solve: { until: 20, integrator: dop853, tolerance: 1e-13, absolute_tolerance: 1e-13 }\n", 1e-10);
    check_bottom("solve: { until: 20, integrator: dop853, tolerance: 1e-13, absolute_tolerance: 1e-13, "
                 "record: 0.33 }\n", 1e-10);
    check_bottom("solve: { until: 20, integrator: dopri5, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n", 1e-7);
    check_bottom("solve: { until: 20, integrator: rk4, step: 2 ms }\n", 1e-8);
}

static double first_bottom(const char *integrator, double step)
{
    char solve[120];
    snprintf(solve, sizeof solve, "solve: { until: 2, integrator: %s, step: %.17g }\n", integrator, step);
    run x = run_parts(pendulum, "events: { bottom: { when: bob.position.x, do: stop } }\n", solve);
    assert_int_equal(x.code, TN_NEWS_STOPPED);
    double t = tn_session_time(x.session);
    close_run(&x);
    return t;
}

/* The time of an event is as good as the integrator: its error falls with the order. */
static void test_order_of_event_times(void **state)
{
    (void)state;
    static const struct { const char *integrator; int order; } methods[] = { { "rk4", 4 }, { "newmark", 2 } };
    const double exact = elliptic_K(sqrt(0.5)) / sqrt(G);
    for (size_t k = 0; k < 2; k++) {
        double coarse = fabs(first_bottom(methods[k].integrator, 0.02) - exact);
        double fine = fabs(first_bottom(methods[k].integrator, 0.005) - exact);
        double slope = log2(coarse / fine) / 2;
        if (slope < methods[k].order - 0.4)
            fail_msg("%s: order %g", methods[k].integrator, slope);
    }
}

/* The paper's pendulum swaps its pinned end where it comes up to the height of the pin: it touches the height and turns
 * back there. Without the swap it touches at the same times, first on one side, then on the other. */
static void check_turns(const char *model, const char *channel, double first)
{
    char events[160];
    snprintf(events, sizeof events, "events: { turn: { when: %s, crosses: up } }\n", channel);
    run x = run_parts(model, events,
                      "solve: { until: 7.5, integrator: dop853, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n");
    assert_int_equal(tn_session_fired_count(x.session), (size_t)(7.5 / first));
    for (size_t k = 0; k < tn_session_fired_count(x.session); k++)
        assert_fired(&x, k, "turn", TN_FIRED_TOUCH, (double)(k + 1) * first, 2e-10);
    close_run(&x);
}

static void test_turns_of_the_topology_pendulum(void **state)
{
    (void)state;
    check_turns(pendulum, "bob.position.y", 1.183920973789);
    check_turns("tenon: 1\n"
                "dimension: 2\n"
                "gravity: [0, -9.81]\n"
                "bodies:\n"
                "  link:\n"
                "    shapes: [ { rod: { from: [0, 0], to: [1, 0] }, mass: 1 } ]\n"
                "    frames: { end: { at: [1, 0] } }\n"
                "joints: { pin: { type: revolute, between: [ground, link], at: [0, 0] } }\n",
                "link.end.position.y", 0.966667427187);
}

/* ---- arming ---- */

/* A signal with ripple, counted by walking along it in steps of 10 microseconds. */
static int count_by_walking(double hysteresis, int direction, double until)
{
    int side = 0, count = 0;
    for (double t = 0; t < until; t += 1e-5) {
        double g = sin(t) + 0.3 * sin(20 * t);
        if (side * g < 0) {
            count += direction == 0 || side == -direction;
            side = 0;
        }
        if (fabs(g) > hysteresis)
            side = g > 0 ? 1 : -1;
    }
    return count;
}

static void test_hysteresis(void **state)
{
    (void)state;
    run x = run_parts(ball,
        "events:\n"
        "  raw: { when: sin(1 * t) + 0.3 * sin(20 * t) }\n"
        "  up: { when: sin(1 * t) + 0.3 * sin(20 * t), crosses: up }\n"
        "  some: { when: sin(1 * t) + 0.3 * sin(20 * t), hysteresis: 0.2 }\n"
        "  calm: { when: sin(1 * t) + 0.3 * sin(20 * t), hysteresis: 0.5 }\n"
        "  first: { when: sin(1 * t) + 0.3 * sin(20 * t), once: yes }\n",
        "solve: { until: 30, max_step: 20 ms }\n");
    assert_near(value_of(&x, "raw.count"), count_by_walking(0, 0, 30), 0);
    assert_near(value_of(&x, "up.count"), count_by_walking(0, 1, 30), 0);
    assert_near(value_of(&x, "some.count"), count_by_walking(0.2, 0, 30), 0);
    assert_near(value_of(&x, "calm.count"), 9, 0);
    assert_near(value_of(&x, "first.count"), 1, 0);
    run alone = run_parts(ball, "events: { calm: { when: sin(1 * t) + 0.3 * sin(20 * t), hysteresis: 0.5 } }\n",
                          "solve: { until: 30, max_step: 5 ms }\n");
    assert_near(value_of(&alone, "calm.count"), 9, 0);
    close_run(&alone);
    assert_true(value_of(&x, "some.count") > 9 && value_of(&x, "some.count") < value_of(&x, "raw.count"));
    close_run(&x);
}

/* ---- actions ---- */

static void test_log_counters_and_timers(void **state)
{
    (void)state;
    run x = run_parts(ball,
        "events:\n"
        "  tick: { when: sin(10 * t), crosses: up, do: { log: 'tick {tick.count} at {{{t}}}, {ball.position.x}' } }\n"
        "  third: { when: tick.count - 3, crosses: up, do: [ { log: three }, { reset: tick } ] }\n"
        "  later: { when: t - third.time - 0.05, crosses: up }\n"
        "  enough: { when: third.count - 2, do: stop }\n",
        "solve: { until: 30, max_step: 20 ms }\n");
    const double period = 2 * PI / 10;
    assert_int_equal(x.code, TN_NEWS_STOPPED);
    assert_string_equal(tn_session_summary(x.session).stopped_by, "enough");
    assert_int_equal(tn_session_summary(x.session).events, 6 + 2 + 1 + 1);
    assert_fired(&x, 2, "tick", TN_FIRED_UP, 3 * period, 1e-12);
    assert_fired(&x, 3, "third", TN_FIRED_UP, 3 * period, 1e-12);
    assert_fired(&x, 4, "later", TN_FIRED_UP, 3 * period + 0.05, 1e-12);
    assert_near(tn_session_time(x.session), 6 * period, 1e-12);
    assert_near(value_of(&x, "tick.count"), 0, 0);
    assert_near(value_of(&x, "third.time"), 6 * period, 1e-12);
    assert_int_equal(tn_session_log_count(x.session), 8);
    assert_string_equal(tn_session_log_entry(x.session, 1).text, "tick 2 at {1.25663706 s}, 1.25663706 m");
    assert_string_equal(tn_session_log_entry(x.session, 3).text, "three");
    assert_string_equal(tn_session_log_entry(x.session, 3).event, "third");
    assert_string_equal(tn_session_log_entry(x.session, 8).text, "");
    assert_true(isnan(tn_session_fired(x.session, 1000).time));
    close_run(&x);
}

/* Two that undo each other at one instant, without end. */
static void test_endless_rounds(void **state)
{
    (void)state;
    run x = run_parts(ball,
        "events:\n"
        "  go: { when: t - 0.5 }\n"
        "  ping: { when: '0.5 - mod(go.count + pong.count, 2)' }\n"
        "  pong: { when: '0.5 - mod(ping.count, 2)' }\n", "solve: { until: 1 }\n");
    assert_int_equal(x.code, TN_ERROR_STEP);
    must_say(&x.r, "9:3: event 'pong' and others set each other off without end at t = 0.5 s");
    assert_near(tn_session_time(x.session), 0.5, 1e-12);
    close_run(&x);
}

/* The work of a damper, cut off at events: the balance holds, and the run goes on as without them. */
static void test_work_up_to_events(void **state)
{
    (void)state;
    static const char damped[] =
        "tenon: 1\n"
        "dimension: 2\n"
        "bodies: { mass: { type: particle, mass: 1, position: [1, 0] } }\n"
        "forces: { damper: { type: spring, between: [ground, mass], stiffness: 40, damping: 0.5, length: 0.5 } }\n"
        "outputs: [energy]\n";
    static const char solve[] =
        "solve: { until: 5, integrator: dop853, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n";
    run with = run_parts(damped,
        "events: { pass: { when: mass.position.x - 0.5 m }, work: { when: energy.work + 2 } }\n", solve);
    run without = run_parts(damped, "", solve);
    assert_true(tn_session_fired_count(with.session) > 8);
    assert_near(value_of(&with, "energy.work"), value_of(&without, "energy.work"), 1e-9);
    assert_near(value_of(&with, "mass.position.x"), value_of(&without, "mass.position.x"), 1e-9);
    assert_near(tn_session_summary(with.session).energy_error, 0, 1e-9);
    close_run(&without);
    close_run(&with);
}

/* ---- chains without end ---- */

/* z = log(1 - t), so that sin(20 z) is zero at t = 1 - exp(-k pi / 20) for all k: infinitely often before t = 1. */
static const char chain[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies: { dot: { type: particle, mass: 1 } }\n"
    "states: { z: { rate: '-1 / (1 s - t)' } }\n";
static const char chain_solve[] =
    "solve: { until: 2, integrator: dop853, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n";

static void assert_chain(const run *x)
{
    size_t count = tn_session_fired_count(x->session);
    assert_in_range(count, 60, 80);
    for (size_t k = 0; k < count; k++)
        assert_near(tn_session_fired(x->session, k).time, 1 - exp(-(double)(k + 1) * PI / 20), 1e-10);
}

static void test_endless_chain_fails(void **state)
{
    (void)state;
    run x = run_parts(chain, "events:\n  ring: { when: sin(20 * z) }\n", chain_solve);
    assert_int_equal(x.code, TN_ERROR_STEP);
    must_say(&x.r, "6:3: event 'ring' fires without end at t = 0.9999");
    assert_chain(&x);
    assert_near(tn_session_time(x.session), 1, 1e-4);
    close_run(&x);
}

static void test_endless_chain_stops(void **state)
{
    (void)state;
    run x = run_parts(chain, "events:\n  ring: { when: sin(20 * z), zeno: stop }\n", chain_solve);
    assert_int_equal(x.code, TN_NEWS_STOPPED);
    assert_string_equal(tn_session_summary(x.session).stopped_by, "ring");
    assert_non_null(strstr(tn_session_log_entry(x.session, 0).text, "fires without end at t = 0.9999"));
    assert_chain(&x);
    close_run(&x);
}

/* The rate is finite now, but the step stays short: the run goes on when the event is off. */
static void test_endless_chain_switches_off(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\n"
                      "dimension: 2\n"
                      "bodies: { dot: { type: particle, mass: 1 } }\n"
                      "states: { z: { rate: '-1 / max(1 s - t, 1e-7 s)' } }\n",
                      "events:\n  ring: { when: sin(20 * z), zeno: off }\n", chain_solve);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_chain(&x);
    assert_near(tn_session_time(x.session), 2, 1e-12);
    close_run(&x);
}

/* ---- the model ---- */

static void refuse_event(const char *event, const char *words)
{
    char text[1200];
    snprintf(text, sizeof text, "%sevents:\n%s", ball, event);
    refused(text, words);
}

static void test_wrong_events(void **state)
{
    (void)state;
    refuse_event("  e: { crosses: up }\n", "7:6: event 'e': 'when' is missing");
    refuse_event("  e: { when: t, crosses: sideways }\n", "'crosses' is sideways, must be both or up or down");
    refuse_event("  e: { when: t, hysteresis: -1 }\n",
                 "7:29: event 'e': 'hysteresis' must be a number that is not negative");
    refuse_event("  e: { when: t, touch: 2 * t }\n", "'touch' must be a number");
    refuse_event("  e: { wen: t }\n", "unknown key 'wen'; did you mean 'when'?");
    refuse_event("  e: { when: t, do: [ [stop] ] }\n", "an action is 'stop' or a map");
    refuse_event("  e: { when: t, do: [ {} ] }\n", "an action is 'stop' or a map");
    refuse_event("  ball: { when: t }\n", "event 'ball': the name is already taken by a body");
    refuse_event("  energy: { when: t }\n", "event 'energy': the name is reserved");
    refuse_event("  e: { when: t }\nouputs: [t]\n", "unknown key 'ouputs'; did you mean 'outputs'?");
}

static void refuse_session(const char *event, const char *words)
{
    char text[1200];
    tn_session *session = NULL;
    snprintf(text, sizeof text, "%sevents:\n%s", ball, event);
    reading r = accepted(text);
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_ERROR_MODEL);
    must_say(&r, words);
    done(&r);
}

static void test_wrong_expressions(void **state)
{
    (void)state;
    refuse_session("  e: { when: ball.postion.y }\n", "7:14: 'when' of event 'e'");
    refuse_session("  e: { when: ball.position }\n", "is a vector");
    refuse_session("  e: { when: ball.position.y, hysteresis: 2 s }\n",
                   "hysteresis and touch are in 's', 'when' is in 'm'");
    refuse_session("  e: { when: t, do: { log: '{ball.mas}' } }\n", "7:");
    refuse_session("  e: { when: t, do: { log: 'at {t' } }\n", "'}' is missing in '{t'");
    refuse_session("  e: { when: t, do: { log: [1] } }\n", "a text must follow 'log'");
    refuse_session("  e: { when: t, do: { reset: f } }\n", "there is no event 'f'");
    refuse_session("  e: { when: t, do: [ { log: a, reset: counters } ] }\n", "nothing else goes with 'log'");
    refuse_session("  e: { when: t, do: halt }\n", "an action is 'stop' or a map such as { log: text }, not");
    refuse_session("  e: { when: e.value }\n", "is defined by itself");
}

static void test_from_c(void **state)
{
    (void)state;
    reading r = accepted(ball);
    tn_session *session = NULL;
    const tn_action actions[] = { { .text = "{ log: 'down at {t}' }" }, { .text = "stop" } };
    tn_event_def def = tn_event_default("ball.position.y");
    def.crosses = TN_CROSSES_DOWN;
    def.actions = actions;
    def.action_count = 2;
    assert_int_equal(tn_model_add_event(r.model, "land", &def), TN_OK);
    assert_int_equal(tn_model_add_event(r.model, "land", &def), TN_ERROR_MODEL);
    must_say(&r, "event 'land': the name is already taken by an event");
    assert_int_equal(tn_model_add_event(r.model, "empty", &(tn_event_def){ 0 }), TN_ERROR_MODEL);
    def.hysteresis = NAN;
    assert_int_equal(tn_model_add_event(r.model, "nan", &def), TN_ERROR_MODEL);
    tn_body_def body = tn_body_default();
    body.mass = body.inertia[2] = 1;
    tn_id id;
    assert_int_equal(tn_model_add_body(&id, r.model, "land", &body), TN_ERROR_MODEL);
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_advance(session, 0.1), TN_OK);
    assert_int_equal(tn_session_advance(session, 10), TN_NEWS_STOPPED);
    assert_near(tn_session_time(session), passes(0, 1), 1e-12);
    assert_string_equal(tn_session_log_entry(session, 0).text, "down at 1.1906035 s");
    assert_int_equal(tn_session_advance(session, 0.1), TN_OK);
    assert_null(tn_session_summary(session).stopped_by);
    tn_session_close(session);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projectile),
        cmocka_unit_test(test_pairs_and_touches),
        cmocka_unit_test(test_same_instant),
        cmocka_unit_test(test_pendulum_passes_the_bottom),
        cmocka_unit_test(test_order_of_event_times),
        cmocka_unit_test(test_turns_of_the_topology_pendulum),
        cmocka_unit_test(test_hysteresis),
        cmocka_unit_test(test_log_counters_and_timers),
        cmocka_unit_test(test_endless_rounds),
        cmocka_unit_test(test_work_up_to_events),
        cmocka_unit_test(test_endless_chain_fails),
        cmocka_unit_test(test_endless_chain_stops),
        cmocka_unit_test(test_endless_chain_switches_off),
        cmocka_unit_test(test_wrong_events),
        cmocka_unit_test(test_wrong_expressions),
        cmocka_unit_test(test_from_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
