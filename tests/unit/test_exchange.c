/* An integrator of our own, with event indicators and samples, goes the same way as the session's: what tools with model
 * exchange need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "near.h"
#include "tenon/tenon.h"

enum { MOST = 64 };

/* A tool that knows the session by rates, indicators and instants alone. */
typedef struct tool {
    tn_session *session;
    size_t size, indicators;
    double t, next;
    double y[MOST];
    int events;
} tool;

static void must(const tn_session *session, int code)
{
    if (code < 0)
        tn_diagnostics_print(tn_session_context(session), stderr);
    assert_true(code >= 0);
}

/* The classical Runge-Kutta method. */
static void step(const tool *w, double h, double *end)
{
    static const double part[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1. / 6, 1. / 3, 1. / 3, 1. / 6 };
    double at[MOST], rate[MOST] = { 0 };
    memcpy(end, w->y, sizeof w->y);
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < w->size; i++)
            at[i] = w->y[i] + part[k] * h * rate[i];
        must(w->session, tn_session_rate_at(rate, w->session, w->t + part[k] * h, at));
        for (size_t i = 0; i < w->size; i++)
            end[i] += weight[k] * h * rate[i];
    }
}

static bool is_due(const tool *w, double t, const double *y)
{
    double values[MOST];
    must(w->session, tn_session_indicators_at(values, w->session, t, y));
    for (size_t k = 0; k < w->indicators; k++)
        if (!(values[k] > 0))
            return true;
    return false;
}

/* Samples, branches, modes and events; true: the run ends. */
static bool handle(tool *w)
{
    int code = tn_session_handle_events(w->session);
    must(w->session, code);
    assert_int_equal(tn_session_state_size(w->session), w->size);
    tn_session_state(w->y, w->session);
    w->next = tn_session_next_sample(w->session);
    assert_false(is_due(w, w->t, w->y));
    w->events++;
    return code == TN_NEWS_STOPPED;
}

/* Goes to a time; true: an event has ended the run. */
static bool go(tool *w, double until, double h)
{
    while (w->t < until) {
        double end[MOST], limit = fmin(until, w->next), length = w->t + h >= limit - 1e-9 * h ? limit - w->t : h;
        step(w, length, end);
        bool due = is_due(w, w->t + length, end);
        for (double low = 0, high = length; due && high - low > 1e-15;) {
            double middle = (low + high) / 2;
            if (middle == low || middle == high)
                break;
            length = middle;
            step(w, length, end);
            *(is_due(w, w->t + length, end) ? &high : &low) = middle;
            length = high;
        }
        if (due)
            step(w, length, end);
        w->t = length == limit - w->t ? limit : w->t + length;
        memcpy(w->y, end, sizeof w->y);
        must(w->session, tn_session_follow(w->session, w->t, w->y));
        tn_session_state(w->y, w->session);
        if ((due || w->t >= w->next) && handle(w))
            return true;
    }
    return false;
}

typedef struct pair {
    tn_context *context;
    tn_model *model;
    tn_session *own, *other;       /* solved by the session, and by the tool */
    tool tool;
} pair;

static void open_pair(pair *p, const char *text)
{
    *p = (pair){ .context = tn_context_create(NULL) };
    int code = tn_model_read_text(&p->model, p->context, text, strlen(text), "model.yaml", ".");
    if (code == TN_OK)
        code = tn_session_open(&p->own, p->model, NULL);
    if (code == TN_OK)
        code = tn_session_open(&p->other, p->model, NULL);
    if (code < 0)
        tn_diagnostics_print(p->context, stderr);
    assert_int_equal(code, TN_OK);
    assert_null(tn_session_exchange_refusal(p->other));
    p->tool = (tool){ .session = p->other, .size = tn_session_state_size(p->other),
                      .indicators = tn_session_indicator_count(p->other) };
    assert_true(p->tool.size <= MOST && p->tool.indicators <= MOST);
    tn_session_state(p->tool.y, p->other);
    handle(&p->tool);
}

static void close_pair(pair *p)
{
    tn_session_close(p->own);
    tn_session_close(p->other);
    tn_model_destroy(p->model);
    tn_context_destroy(p->context);
}

/* Both sessions agree in a channel at some times. */
static void compare(const char *text, const char *channel, double until, double tolerance, int least_events)
{
    enum { TIMES = 7 };
    pair p;
    open_pair(&p, text);
    for (int k = 1; k <= TIMES; k++) {
        double own, other, t = k * until / TIMES;
        assert_int_equal(tn_session_advance_to(p.own, t), TN_OK);
        assert_false(go(&p.tool, t, 1e-3));
        assert_int_equal(tn_session_value(&own, p.own, channel), TN_OK);
        assert_int_equal(tn_session_value(&other, p.other, channel), TN_OK);
        assert_near(other, own, tolerance);
    }
    assert_true(p.tool.events >= least_events);
    close_pair(&p);
}

#define CART "tenon: 1\ndimension: 2\nbodies: { cart: { type: particle, mass: 1 kg, position: [0.3, 0] } }\n"
#define EXACT "solve: { until: 9 s, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n"

/* Branches of kinks change: the force is cut off. */
static void test_kinks(void **state)
{
    (void)state;
    compare(CART "devices: { lim: { type: limiter, u: 20 * sin(3 rad/s * t) - cart.position.x / 1 m, low: -5, high: 5 } }\n"
            "forces: { f: { type: force, on: cart, value: [lim.y * 1 N, 0] } }\n" EXACT, "cart.position.x", 3, 1e-8, 5);
}

/* A controller takes samples, and a pulse width its duty. */
static void test_samples(void **state)
{
    (void)state;
    compare(CART "devices:\n"
            "  c: { type: discrete-pid, period: 70 ms, target: 1 m, measured: cart.position.x, kp: 20, kd: 5, ki: 1 }\n"
            "  w: { type: pwm, duty: 0.3, period: 0.19 s }\n"
            "forces: { f: { type: force, on: cart, value: [(c.y + w.y) * 1 N, 0] } }\n" EXACT, "cart.position.x", 2, 1e-9, 30);
}

/* Modes of a relay with hysteresis. */
static void test_modes(void **state)
{
    (void)state;
    compare(CART "devices: { r: { type: relay, u: cart.position.x, on: 0.1, off: -0.1, low: 1, high: -1 } }\n"
            "forces: { f: { type: force, on: cart, value: [r.y * 3 N, 0] } }\n" EXACT, "cart.position.x", 3, 1e-8, 3);
}

/* An event gives another velocity: a ball that bounces off the ground. Closed form of the second arc. */
static void test_state_events(void **state)
{
    (void)state;
    pair p;
    double height;
    open_pair(&p, "tenon: 1\ndimension: 2\ngravity: [0, -10]\nbodies: { ball: { type: particle, mass: 1, position: [0, 5] } }\n"
              "events: { bounce: { when: ball.position.y, crosses: down,\n"
              "  do: { state: { ball: { velocity: [0, \"{-0.5 * ball.velocity.y}\"] } } } } }\n" EXACT);
    assert_false(go(&p.tool, 1.5, 1e-2));              /* down in 1 s; up with 5 m/s */
    assert_int_equal(tn_session_value(&height, p.other, "ball.position.y"), TN_OK);
    assert_near(height, 5 * 0.5 - 5 * 0.25, 1e-10);
    assert_int_equal(tn_session_fired_count(p.other), 1);
    assert_near(tn_session_fired(p.other, 0).time, 1, 1e-11);
    close_pair(&p);
}

static void test_stop(void **state)
{
    (void)state;
    pair p;
    open_pair(&p, "tenon: 1\ndimension: 2\ngravity: [0, -10]\nbodies: { ball: { type: particle, mass: 1, position: [0, 5] } }\n"
              "events: { low: { when: ball.position.y, do: stop } }\n" EXACT);
    assert_true(go(&p.tool, 2, 1e-2));
    assert_near(p.tool.t, 1, 1e-11);
    close_pair(&p);
}

#define CHAIN(fuse, rate) \
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n" \
    "  a: { mass: 1 kg, com: [0.5, 0], inertia: 0.1 kg m^2, frames: { tip: { at: [1, 0] } } }\n" \
    "  b: { mass: 1 kg, com: [0.5, 0], inertia: 0.1 kg m^2, position: [1, 0] }\njoints:\n" \
    "  p: { type: revolute, between: [ground, a] }\n" \
    "  q: { type: revolute, between: [a.tip, b]" fuse " }\ninitial: { p: { rate: " rate " rad/s } }\n" EXACT

/* A joint breaks under its load: the model is edited. */
static void test_fuse(void **state)
{
    (void)state;
    compare(CHAIN(", fuse: { force: 22 N }", "0"), "b.position.y", 1.4, 1e-7, 2);
}

/* Angles are counted over full turns. */
static void test_turns(void **state)
{
    (void)state;
    compare(CHAIN("", "9"), "p.angle", 2.1, 1e-6, 1);
}

static void refuses(const char *text, const char *reason)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model;
    tn_session *session;
    assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", "."), TN_OK);
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    assert_string_equal(tn_session_exchange_refusal(session), reason);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_refusals(void **state)
{
    (void)state;
    refuses(CART "devices: { d: { type: delay, u: cart.position.x, time: 0.1 s } }\n", "it has delays of continuous signals");
    refuses("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, com: [1, 0], inertia: 1 } }\n"
            "joints: { p: { type: revolute, between: [ground, a], limits: { angle: [-1, 1] } } }\n", "its joints have limits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_state_events),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_fuse),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
