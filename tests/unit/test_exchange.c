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

/* Two arms between stops with rebound, and a slide that is pressed against its ends. */
static void test_limits(void **state)
{
    (void)state;
    static const char text[] =
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  a: { mass: 1, com: [0.5, 0], inertia: 0.1, frames: { tip: { at: [1, 0] } } }\n"
        "  b: { mass: 1, com: [0.5, 0], inertia: 0.1, position: [1, 0] }\n"
        "  c: { mass: 1, inertia: 0.1, position: [0.1, 2] }\n"
        "joints:\n"
        "  p: { type: revolute, between: [ground, a], limits: { angle: [-100 deg, 20 deg], restitution: 0.6 } }\n"
        "  q: { type: revolute, between: [a.tip, b], limits: { angle: [-50 deg, 50 deg], restitution: 0.3 } }\n"
        "  s: { type: translational, between: [ground, c], at: [0, 2], limits: { position: [-0.2 m, 0.3 m] } }\n"
        "forces: { f: { type: force, on: c, value: [5 N * sin(4 rad/s * t), 0] } }\n"
        "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n";
    compare(text, "q.angle", 0.7, 1e-7, 2);
    compare(text, "c.position.x", 1, 1e-9, 2);
}

/* A pawl on teeth, and one without teeth, which hold the one way. */
static void test_ratchets(void **state)
{
    (void)state;
    static const char text[] =
        "tenon: 1\ndimension: 2\n"
        "bodies: { a: { mass: 1, inertia: 2 }, b: { mass: 1, inertia: 1 } }\n"
        "joints:\n"
        "  pa: { type: revolute, between: [ground, a], ratchet: { way: up, pitch: 15 deg, restitution: 0.2 } }\n"
        "  pb: { type: revolute, between: [ground, b], ratchet: { way: down, pitch: 0 } }\n"
        "forces:\n"
        "  t1: { type: motor, joint: pa, value: 6 N m * sin(5 rad/s * t) + 1 N m }\n"
        "  t2: { type: motor, joint: pb, value: 5 N m * sin(7 rad/s * t) }\n"
        "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n";
    compare(text, "pa.angle", 1, 1e-6, 3);
    compare(text, "pb.angle", 1, 1e-9, 3);
}

/* A joint that closes where an angle is reached: an impact of all velocities. */
static void test_latch(void **state)
{
    (void)state;
    compare("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "bodies:\n"
            "  a: { mass: 1, com: [0.5, 0], inertia: 0.1, frames: { tip: { at: [1, 0] } } }\n"
            "  b: { mass: 1, com: [0.5, 0], inertia: 0.1, position: [1, 0] }\n"
            "joints:\n"
            "  p: { type: revolute, between: [ground, a] }\n"
            "  q: { type: revolute, between: [a.tip, b] }\n"
            "  lock: { type: fixed, between: [a.tip, b], latch: { when: q.angle + 0.5 rad, closing: snap } }\n"
            "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n", "p.angle", 1.2, 1e-7, 1);
}

/* A clutch, a brake and a freewheel, which hold and let go. */
static void test_holds(void **state)
{
    (void)state;
    static const char text[] =
        "tenon: 1\ndimension: 2\n"
        "bodies:\n"
        "  a: { mass: 1, inertia: 2, angular_velocity: 20 rad/s }\n"
        "  b: { mass: 1, inertia: 1 }\n"
        "  c: { mass: 1, inertia: 1 }\n"
        "  d: { mass: 2, inertia: 1 }\n"
        "joints:\n"
        "  pa: { type: revolute, between: [ground, a] }\n"
        "  pb: { type: revolute, between: [ground, b] }\n"
        "  pc: { type: revolute, between: [ground, c] }\n"
        "  way: { type: translational, between: [ground, d] }\n"
        "devices:\n"
        "  grip: { type: clutch, shaft: { pa.angle: 1, pb.angle: -1 }, capacity: 20 N m, limit: 25 N m }\n"
        "  brake: { type: slide-brake, slide: way.position, capacity: 3 N, limit: 5 N }\n"
        "  free: { type: freewheel, shaft: { pc.angle: 1, pb.angle: -1 } }\n"
        "forces:\n"
        "  t1: { type: motor, joint: pb, value: 60 N m * sin(5 rad/s * t) }\n"
        "  t2: { type: motor, joint: pc, value: 15 N m * sin(9 rad/s * t) }\n"
        "  push: { type: force, on: d, value: [8 N * sin(3 rad/s * t), 0] }\n"
        "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n";
    compare(text, "pc.angle", 1.2, 1e-8, 4);
    compare(text, "way.position", 1.2, 1e-8, 4);
}

#define BALL "tenon: 1\ndimension: 2\ngravity: [0, -10]\n" \
    "bodies:\n" \
    "  ball: { mass: 1, inertia: 0.01, position: [0, 1.1], velocity: [1, 0], shapes: [ { disc: { radius: 0.1 } } ] }\n" \
    "  ground: { shapes: [ { half_space: { at: [0, 0], normal: [0, 1] } } ] }\n" \
    "contacts: { floor: { among: [ground, ball], restitution: 0.5, friction: 0.2 } }\n"
#define SHARP "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n"

/* A ball bounces 20 times, slides, and rolls. A box slides, sticks and slides back on two corners. */
static void test_contacts(void **state)
{
    (void)state;
    compare(BALL SHARP, "ball.angle", 1.6, 1e-9, 20);
    compare("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "bodies:\n"
            "  box: { mass: 1, inertia: 0.05, position: [0, 0.1], velocity: [2, 0], shapes: [ { box: { size: [0.4, 0.2] } } ] }\n"
            "  ground: { shapes: [ { half_space: { at: [0, 0], normal: [0, 1] } } ] }\n"
            "contacts: { floor: { among: [ground, box], friction: 0.3 } }\n"
            "forces: { f: { type: force, on: box, value: [6 N * sin(3 rad/s * t), 0] } }\n" SHARP, "box.position.x", 2, 1e-9, 2);
}

/* A cylinder falls on a surface of triangles: shapes that overlap deeply, as at the end of a long step, are no touch any more. */
static void test_deep_overlap(void **state)
{
    (void)state;
    compare("tenon: 1\ngravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  roller: { shapes: [ { cylinder: { radius: 6 cm, length: 15 cm }, mass: 1 kg } ], position: [0.1, 0.07, 0.22], velocity: [0, 0, -2], "
            "rotation: { axis: [1, 2, 0], angle: 70 deg } }\n"
            "  ground: { shapes: [ { height_field: { spacing: [1, 1], heights: [[0, 0, 0.2], [0, 0.1, 0.2], [0, 0, 0.2]], "
            "at: [-1, -1, 0] } } ] }\n"
            "contacts: { floor: { among: [ground, roller], restitution: 0.1, friction: 0.4 } }\n" SHARP, "roller.position.z", 0.035, 1e-6,
            1);
}

/* Shapes that give way: the force has a kink where the touch begins and ends. */
static void test_soft_contact(void **state)
{
    (void)state;
    compare("tenon: 1\ndimension: 2\ngravity: [0, -10]\n"
            "bodies:\n"
            "  ball: { mass: 1, inertia: 0.01, position: [0, 0.5], shapes: [ { disc: { radius: 0.1 } } ] }\n"
            "  ground: { shapes: [ { half_space: { at: [0, 0], normal: [0, 1] } } ] }\n"
            "contacts: { floor: { among: [ground, ball], stiffness: 20000 } }\n" SHARP, "ball.position.y", 0.6, 1e-5, 2);
}

/* A state that is set while contacts are closed begins with modes of its own. */
static void test_state_while_closed(void **state)
{
    (void)state;
    pair p;
    double y[MOST], height;
    open_pair(&p, BALL SHARP);
    must(p.own, tn_session_advance_to(p.own, 2));
    tn_session_state(y, p.own);
    y[1] += 0.2;
    must(p.own, tn_session_set_state(p.own, 2, y));
    must(p.own, tn_session_advance_to(p.own, 2.1));
    assert_int_equal(tn_session_value(&height, p.own, "ball.position.y"), TN_OK);
    assert_near(height, 0.3 - 0.05, 1e-9);
    close_pair(&p);
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
    refuses(BALL "solve: { contact: time-stepping, step: 1 ms }\n", "its contacts are stepped in time");
}

/* A state in a remote future, on which shapes could meet anywhere before, is refused. */
static void test_remote_future(void **state)
{
    (void)state;
    double gaps[MOST];
    pair p;
    open_pair(&p, BALL);
    assert_int_equal(tn_session_indicators_at(gaps, p.other, 1e300, p.tool.y), TN_ERROR_STEP);
    assert_non_null(strstr(tn_diagnostics_get(p.context, tn_diagnostics_count(p.context) - 1)->message, "take shorter steps"));
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remote_future),
        cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_state_events),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_fuse),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_ratchets),
        cmocka_unit_test(test_latch),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_deep_overlap),
        cmocka_unit_test(test_soft_contact),
        cmocka_unit_test(test_state_while_closed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
