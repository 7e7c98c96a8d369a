/* Inputs, state vectors, snapshots and controllers of a session. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "near.h"
#include "tenon/tenon.h"

static const char cart[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "inputs:\n"
    "  push: { unit: N, default: 0, low: -10, high: 10 }\n"
    "  level: { default: 2 m }\n"
    "bodies:\n"
    "  cart: { mass: 2 kg, inertia: 0.1, position: [0, 0] }\n"
    "joints:\n"
    "  rail: { type: translational, between: [ground, cart] }\n"
    "forces:\n"
    "  motor: { type: force, on: cart, value: [push, 0] }\n"
    "events:\n"
    "  strong: { when: push - 7 N, crosses: up, do: { log: strong } }\n"
    "outputs: [rail.position, twice: 2 * push, rate: vel(push)]\n"
    "solve: { until: 10 s, record: 0.1 s, integrator: %s, tolerance: 1e-10, absolute_tolerance: 1e-10%s }\n";

typedef struct world {
    tn_context *context;
    tn_model *model;
    tn_session *session;
    tn_id push;
} world;

static void open_world(world *w, const char *integrator, const char *more)
{
    char text[2000];
    int size = snprintf(text, sizeof text, cart, integrator, more);
    *w = (world){ .context = tn_context_create(NULL) };
    assert_int_equal(tn_model_read_text(&w->model, w->context, text, (size_t)size, "cart.yaml", "."), TN_OK);
    int code = tn_session_open(&w->session, w->model, NULL);
    if (code < 0)
        tn_diagnostics_print(w->context, stderr);
    assert_int_equal(code, TN_OK);
    w->push = tn_model_find(w->model, "push");
}

static void close_world(world *w)
{
    tn_session_close(w->session);
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
}

static double value_of(tn_session *session, const char *channel)
{
    double value = NAN;
    int code = tn_session_value(&value, session, channel);
    if (code < 0)
        tn_diagnostics_print(tn_session_context(session), stderr);
    assert_int_equal(code, TN_OK);
    return value;
}

static void test_list(void **state)
{
    (void)state;
    world w;
    open_world(&w, "dopri5", "");
    assert_int_equal(tn_model_input_count(w.model), 2);
    tn_input push = tn_model_input_at(w.model, 0), level = tn_model_input_at(w.model, 1);
    assert_string_equal(push.name, "push");
    assert_string_equal(push.unit, "N");
    assert_true(push.low == -10 && push.high == 10 && push.initial == 0);
    assert_string_equal(level.unit, "m");
    assert_true(level.initial == 2 && isinf(level.low) && isinf(level.high));
    assert_int_equal(tn_model_input_at(w.model, 2).id.kind, TN_KIND_NONE);
    assert_near(value_of(w.session, "level + 1 m"), 3, 0);
    close_world(&w);
}

/* Holding: x = F t^2 / 2m; a ramp: x = F t^2 / 2m + F' t^3 / 6m. Every integrator sees the same motion. */
static void test_motion(void **state)
{
    (void)state;
    static const struct { const char *integrator, *more; double tolerance; } list[] = {
        { "dopri5", "", 1e-11 }, { "rk4", ", step: 10 ms", 1e-11 }, { "dop853", "", 1e-11 }, { "cvode", "", 1e-6 },
        { "ida", "", 1e-6 }, { "generalized-alpha", ", step: 1 ms", 1e-4 }, { "semi-implicit-euler", ", step: 1 ms", 1e-2 },
        { "newmark", ", step: 1 ms", 1e-2 } };
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        world w;
        open_world(&w, list[k].integrator, list[k].more);
        assert_int_equal(tn_session_input(w.session, w.push, 4), TN_OK);
        assert_near(value_of(w.session, "cart.acceleration.x"), 2, 1e-12);
        assert_int_equal(tn_session_advance(w.session, 1), TN_OK);
        assert_near(value_of(w.session, "rail.position"), 1, list[k].tolerance);
        assert_int_equal(tn_session_input_ramp(w.session, w.push, -2, 6), TN_OK);
        assert_near(value_of(w.session, "rate"), 6, 0);
        assert_int_equal(tn_session_advance(w.session, 1), TN_OK);
        assert_near(value_of(w.session, "rail.position"), 1 + 2 - 0.5 + 0.5, list[k].tolerance);
        assert_near(value_of(w.session, "push"), 4, 1e-8);
        close_world(&w);
    }
}

/* Mistakes in the file have their places. */
static void test_reading(void **state)
{
    (void)state;
    static const struct { const char *input, *message; } list[] = {
        { "k: { unit: N }", "input 'k': the name is already taken by a parameter: choose another" },
        { "law: { unit: N }", "input 'law': the name is already taken by a table: choose another" },
        { "pi: { unit: N }", "input 'pi': the name is already taken by the language of expressions: choose another" },
        { "u: { unit: parsec }", "input 'u': 'unit': 'parsec' is not a unit" },
        { "u: { unit: N, default: 3 m }", "input 'u': 'default': 3 m is a length, expected a force (N)" },
        { "u: { default: 3, high: 2 }", "input 'u': 'default', 3, must be between 'low' and 'high'" },
        { "u: { defualt: 3 }", "input 'u': unknown key 'defualt'; did you mean 'default'?" },
        { "u: { default: nan }", NULL }, { "u: 3", NULL }, { "u: { low: t }", NULL }, { "'a b': {}", NULL },
    };
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        char text[500];
        tn_context *context = tn_context_create(NULL);
        tn_model *model = NULL;
        int size = snprintf(text, sizeof text, "tenon: 1\nparameters: { k: 1 }\ntables: { law: { x: [0, 1], y: [0, 1] } }\n"
                            "inputs:\n  %s\n", list[k].input);
        assert_int_equal(tn_model_read_text(&model, context, text, (size_t)size, "m.yaml", "."), TN_ERROR_MODEL);
        assert_int_equal(tn_diagnostics_get(context, 0)->span.line, 5);
        if (list[k].message)
            assert_string_equal(tn_diagnostics_get(context, 0)->message, list[k].message);
        tn_context_destroy(context);
    }
}

static void test_refused(void **state)
{
    (void)state;
    world w;
    open_world(&w, "dopri5", "");
    double value = NAN, rate = NAN;
    const tn_id both[2] = { w.push, tn_model_find(w.model, "rail") };
    const double values[2] = { 1, 1 };
    assert_int_equal(tn_session_input(w.session, w.push, 11), TN_ERROR_ARGUMENT);
    assert_string_equal(tn_diagnostics_get(w.context, 0)->message, "input 'push': 11 N is not between -10 and 10");
    assert_int_equal(tn_session_input(w.session, w.push, NAN), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_input(w.session, w.push, INFINITY), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_input_ramp(w.session, w.push, 0, NAN), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_inputs(w.session, both, values, NULL, 2), TN_ERROR_STALE);
    assert_int_equal(tn_session_input(w.session, (tn_id){ 0 }, 1), TN_ERROR_STALE);
    assert_int_equal(tn_session_input_now(&value, &rate, w.session, w.push), TN_OK);
    assert_true(value == 0 && rate == 0);
    close_world(&w);
}

/* A removed input makes its handle stale. */
static void test_stale(void **state)
{
    (void)state;
    world w;
    open_world(&w, "dopri5", "");
    tn_id level = tn_model_find(w.model, "level");
    assert_int_equal(tn_session_input(w.session, level, 5), TN_OK);
    assert_int_equal(tn_session_input(w.session, w.push, 5), TN_OK);
    assert_int_equal(tn_session_apply(NULL, w.session, "{ remove: level }"), TN_OK);
    assert_int_equal(tn_session_input(w.session, level, 5), TN_ERROR_STALE);
    double value = NAN;
    assert_int_equal(tn_session_input_now(&value, NULL, w.session, w.push), TN_OK);
    assert_true(value == 5);                           /* edits keep the values of other inputs */
    assert_int_equal(tn_session_undo(NULL, w.session, true), TN_OK);
    assert_int_equal(tn_session_input_now(&value, NULL, w.session, level), TN_OK);
    assert_true(value == 5);
    close_world(&w);
}

static long allocations;

static void *count_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    allocations++;
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    return realloc(pointer, size);
}

static void test_no_allocation(void **state)
{
    (void)state;
    char text[2000];
    int size = snprintf(text, sizeof text, cart, "dopri5", "");
    tn_context *context = tn_context_create(&(tn_context_options){ .reallocate = count_reallocate });
    tn_model *model;
    tn_session *session;
    assert_int_equal(tn_model_read_text(&model, context, text, (size_t)size, "cart.yaml", "."), TN_OK);
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    tn_id push = tn_model_find(model, "push");
    tn_session_input(session, push, 1);
    assert_int_equal(tn_session_advance(session, 0.1), TN_OK);
    long before = allocations;
    for (int k = 0; k < 100; k++) {
        assert_int_equal(tn_session_input(session, push, k % 7), TN_OK);
        assert_int_equal(tn_session_advance(session, 0.01), TN_OK);
    }
    assert_int_equal(allocations, before);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_journal(void **state)
{
    (void)state;
    world w;
    char path[] = "/tmp/test_inputs_XXXXXX";
    close(mkstemp(path));
    open_world(&w, "dopri5", "");
    assert_int_equal(tn_session_journal(w.session, path), TN_OK);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(tn_session_input_ramp(w.session, w.push, k, 0.5 * k), TN_OK);
        assert_int_equal(tn_session_advance(w.session, 0.05), TN_OK);
        assert_int_equal(tn_session_advance(w.session, 0.05), TN_OK);
    }
    assert_int_equal(tn_session_input(w.session, w.push, 1), TN_OK);       /* then an edit */
    assert_int_equal(tn_session_apply(NULL, w.session, "{ set: { level.default: 3 m } }"), TN_OK);
    uint64_t hash = tn_session_hash(w.session);
    tn_session_close(w.session);
    tn_replay *replay;
    tn_replay_entry entry;
    assert_int_equal(tn_replay_open(&replay, w.context, path), TN_OK);
    int code, inputs = 0;
    while ((code = tn_replay_next(&entry, replay)) == TN_OK) {
        assert_true(entry.same);
        inputs += strcmp(entry.text, "set inputs") == 0;
    }
    assert_int_equal(code, TN_NEWS_END);
    assert_true(tn_replay_complete(replay));
    assert_int_equal(inputs, 5);                       /* the first setting changes nothing */
    assert_true(tn_session_hash(tn_replay_session(replay)) == hash);
    tn_replay_close(replay);
    unlink(path);
    w.session = NULL;
    close_world(&w);
}

static void test_snapshot(void **state)
{
    (void)state;
    world w;
    tn_state_snapshot *snapshot, *again;
    tn_session *other;
    char *text;
    open_world(&w, "dopri5", "");
    tn_session_input_ramp(w.session, w.push, 3, 1);
    assert_int_equal(tn_session_advance(w.session, 0.37), TN_OK);
    tn_session_input(w.session, w.push, 2);
    assert_int_equal(tn_session_take_snapshot(&snapshot, w.session), TN_OK);
    assert_near(tn_state_snapshot_time(snapshot), 0.37, 1e-12);
    assert_int_equal(tn_session_advance(w.session, 0.5), TN_OK);
    uint64_t end = tn_session_hash(w.session);
    assert_int_equal(tn_session_restore(w.session, snapshot), TN_OK);
    assert_int_equal(tn_session_advance(w.session, 0.5), TN_OK);
    assert_true(tn_session_hash(w.session) == end);
    assert_int_equal(tn_state_snapshot_write(&text, snapshot), TN_OK);
    assert_int_equal(tn_state_snapshot_read(&again, w.context, text, strlen(text)), TN_OK);
    assert_int_equal(tn_session_open(&other, w.model, NULL), TN_OK);
    assert_int_equal(tn_session_restore(other, again), TN_OK);
    assert_int_equal(tn_session_advance(other, 0.5), TN_OK);
    assert_true(tn_session_hash(other) == end);
    assert_int_equal(tn_session_apply(NULL, other, "{ remove: level }"), TN_OK);
    assert_int_equal(tn_session_restore(other, again), TN_ERROR_ARGUMENT);
    tn_state_snapshot *broken;
    const size_t end_of_map = (size_t)(strrchr(text, '}') - text);         /* an end of line may follow */
    for (size_t cut = 0; cut <= end_of_map; cut += 7)
        assert_true(tn_state_snapshot_read(&broken, w.context, text, cut) < 0);
    tn_state_snapshot_destroy(snapshot);
    tn_state_snapshot_destroy(again);
    tn_text_free(w.context, text);
    tn_session_close(other);
    tn_session *branch;
    assert_int_equal(tn_session_branch(&branch, w.session), TN_OK);
    double value = NAN;
    assert_int_equal(tn_session_value(&value, branch, "push"), TN_OK);
    assert_true(value == 2);
    tn_session_close(branch);
    close_world(&w);
}

static void test_state_vector(void **state)
{
    (void)state;
    world w;
    open_world(&w, "dopri5", "");
    size_t size = tn_session_state_size(w.session);
    assert_int_equal(size, 3 + 3 + 2 * TN_INPUT_NUMBERS);
    double y[14], rate[14], change[14], outputs[2];
    const double inputs[2] = { 1, 0 };
    tn_session_input_ramp(w.session, w.push, 3, 1);
    tn_session_state(y, w.session);
    assert_true(y[6] == 3 && y[7] == 1 && y[10] == 2);
    y[0] = 0.5;
    y[1] = 0.01;                                       /* off the rail */
    y[3] = 2;
    y[6] = 4;
    assert_int_equal(tn_session_rate_at(rate, w.session, 0, y), TN_OK);
    assert_near(rate[0], 2, 0);
    assert_near(rate[3], 2, 1e-12);
    assert_near(rate[6], 1, 0);
    assert_int_equal(tn_session_set_state(w.session, 1.25, y), TN_OK);
    assert_near(tn_session_time(w.session), 1.25, 0);
    assert_near(value_of(w.session, "rail.position"), 0.5, 1e-12);
    assert_near(value_of(w.session, "cart.position.y"), 0, 1e-12);
    const char *channels[2] = { "cart.acceleration.x", "push * rail.position" };
    tn_readout *readout;
    assert_int_equal(tn_readout_open(&readout, w.session, channels, 2), TN_OK);
    assert_int_equal(tn_session_derivative(change, outputs, w.session, readout, NULL, inputs), TN_OK);
    assert_near(change[3], 0.5, 1e-9);
    assert_near(outputs[0], 0.5, 1e-9);
    assert_near(outputs[1], 0.5, 1e-9);
    double direction[14] = { 1 };
    assert_int_equal(tn_session_derivative(NULL, outputs, w.session, readout, direction, NULL), TN_OK);
    assert_near(outputs[1], 4, 1e-8);
    assert_near(value_of(w.session, "rail.position"), 0.5, 1e-12);      /* nothing has moved */
    y[2] = NAN;
    assert_int_equal(tn_session_set_state(w.session, 0, y), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_rate_at(rate, w.session, 0, y), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_advance(w.session, 1), TN_OK);          /* x'' = 4/2 + t/2 */
    assert_near(value_of(w.session, "rail.position"), 0.5 + 2 + 1 + 1.0 / 12, 1e-9);
    close_world(&w);
}

typedef struct sampled {
    tn_id push;
    double times[32];
    int count, stop_after;
} sampled;

static int sampled_control(void *user, tn_session *session, double time)
{
    sampled *c = user;
    double position = NAN, speed = NAN;
    tn_session_value(&position, session, "rail.position");
    tn_session_value(&speed, session, "rail.rate");
    c->times[c->count++] = tn_session_time(session);
    assert_near(tn_session_time(session), time, 1e-12);
    tn_session_input(session, c->push, 4 * (1 - position) - 2 * speed);
    return c->count == c->stop_after;
}

static int moving_control(void *user, tn_session *session, double time)
{
    (void)user;
    (void)time;
    return tn_session_advance(session, 0.01) != TN_OK;
}

static void test_control(void **state)
{
    (void)state;
    world w, v;
    open_world(&w, "dopri5", "");
    open_world(&v, "dopri5", "");
    sampled a = { .push = w.push, .stop_after = 8 }, b = { .push = v.push };
    assert_int_equal(tn_session_control(w.session, 1.05, 0.1, sampled_control, &a), TN_NEWS_INTERRUPTED);
    assert_int_equal(a.count, 8);
    a.stop_after = 0;
    a.count = 7;                                       /* the sample at 0.7 comes again: it is now */
    assert_int_equal(tn_session_control(w.session, 1.05, 0.1, sampled_control, &a), TN_OK);
    assert_int_equal(a.count, 11);
    for (int k = 0; k < 11; k++)
        assert_near(a.times[k], 0.1 * k, 1e-12);
    for (int k = 0; k < 11; k++) {                     /* the same loop by hand */
        assert_int_equal(tn_session_advance_to(v.session, 0.1 * k), TN_OK);
        sampled_control(&b, v.session, 0.1 * k);
    }
    assert_int_equal(tn_session_advance_to(v.session, 1.05), TN_OK);
    assert_near(value_of(v.session, "rail.position"), value_of(w.session, "rail.position"), 1e-13);
    assert_int_equal(tn_session_control(w.session, 2, 0, sampled_control, &a), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_control(w.session, 2, 0.1, moving_control, NULL), TN_ERROR_ARGUMENT);
    double y[14];
    tn_session_state(y, w.session);
    assert_int_equal(tn_session_set_state(w.session, -0.5, y), TN_OK);
    a = (sampled){ .push = w.push };                   /* samples before zero, and the one that is now */
    assert_int_equal(tn_session_control(w.session, 0.25, 0.1, sampled_control, &a), TN_OK);
    assert_int_equal(a.count, 8);
    assert_near(a.times[0], -0.5, 0);
    assert_near(a.times[7], 0.2, 1e-12);
    close_world(&w);
    close_world(&v);
}

/* A jump of an input over the zero of an event fires the event. */
static void test_event(void **state)
{
    (void)state;
    world w;
    open_world(&w, "dopri5", "");
    tn_session_advance(w.session, 0.1);
    tn_session_input(w.session, w.push, 8);
    assert_int_equal(tn_session_advance(w.session, 0.1), TN_OK);
    assert_int_equal(tn_session_fired_count(w.session), 1);
    assert_near(tn_session_fired(w.session, 0).time, 0.1, 1e-9);
    close_world(&w);
}

static void test_linear(void **state)
{
    (void)state;
    world w;
    tn_linear_system *linear;
    open_world(&w, "dopri5", "");
    assert_int_equal(tn_session_linearize(&linear, w.session, NULL), TN_OK);
    assert_int_equal(linear->state_count, 2);
    assert_int_equal(linear->input_count, 2);
    assert_string_equal(linear->inputs[0].name, "push");
    assert_near(linear->B[2], 0.5, 1e-12);             /* row of the rate, column of push */
    assert_near(linear->D[2], 2, 1e-9);                /* twice */
    tn_linear_system_destroy(w.context, linear);
    close_world(&w);
}

/* A cubic force on 2 kg: 2 x'' = 1 + 2 t - 3 t^2 + 4 t^3. */
static void test_cubic(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "rk4", "cvode" };
    for (int k = 0; k < 3; k++) {
        world w;
        const double t = 0.8, derivatives[] = { 1, 2, -6, 24 }, near = k == 2 ? 1e-7 : 1e-9;
        double value, rate;
        open_world(&w, integrators[k], k == 1 ? ", step: 0.01" : "");
        assert_int_equal(tn_session_input_curve(w.session, w.push, derivatives, 4), TN_OK);
        assert_int_equal(tn_session_advance_to(w.session, t), TN_OK);
        tn_session_input_now(&value, &rate, w.session, w.push);
        assert_near(value, 1 + 2 * t - 3 * t * t + 4 * t * t * t, near);
        assert_near(rate, 2 - 6 * t + 12 * t * t, near);
        assert_near(value_of(w.session, "rate"), rate, 1e-9);
        assert_near(value_of(w.session, "rail.position"),
                    (t * t / 2 + pow(t, 3) / 3 - pow(t, 4) / 4 + pow(t, 5) / 5) / 2, near);
        assert_int_equal(tn_session_input_curve(w.session, w.push, derivatives, 5), TN_ERROR_ARGUMENT);
        assert_int_equal(tn_session_input_curve(w.session, w.push, (const double[]){ 1, NAN }, 2), TN_ERROR_ARGUMENT);
        assert_int_equal(tn_session_input_reach(w.session, w.push, 11, 0, 0.1), TN_ERROR_ARGUMENT);
        assert_int_equal(tn_session_input_reach(w.session, w.push, 1, 0, 0), TN_ERROR_ARGUMENT);
        close_world(&w);
    }
}

/* Distance from the motion by 3 sin(5 t) on 2 kg after 1 s, when the input is known at communication points only. */
static double sampled_error(int steps, int order)
{
    world w;
    const double h = 1.0 / steps;
    open_world(&w, "dopri5", "");
    assert_int_equal(tn_session_input_ramp(w.session, w.push, 0, 15), TN_OK);
    for (int k = 0; k < steps; k++) {
        const double now = k * h, next = (k + 1) * h, a = 3 * sin(5 * now), b = 3 * sin(5 * next);
        int code = order == 0 ? tn_session_input(w.session, w.push, a)
                   : order == 1 ? tn_session_input_ramp(w.session, w.push, a, (b - a) / h)
                                : tn_session_input_reach(w.session, w.push, b, 15 * cos(5 * next), h);
        assert_int_equal(code, TN_OK);
        assert_int_equal(tn_session_advance_to(w.session, next), TN_OK);
    }
    double exact = (3.0 / 5 - 3.0 / 25 * sin(5.0)) / 2, x = value_of(w.session, "rail.position");
    close_world(&w);
    return fabs(x - exact);
}

/* Hold, line and cubic between communication points: orders 1, 2 and 4. */
static void test_orders(void **state)
{
    (void)state;
    static const double orders[] = { 1, 2, 4 };
    for (int k = 0; k < 3; k++)
        assert_near(log2(sampled_error(40, k) / sampled_error(80, k)), orders[k], 0.2);
    assert_true(sampled_error(40, 2) < 1e-6);
}

/* An input changes while a box lies on the ground: contacts are decided anew. */
static void test_in_contact(void **state)
{
    (void)state;
    static const char text[] =
        "tenon: 1\ndimension: 2\ngravity: [0, -10]\ninputs: { push: { unit: N } }\n"
        "bodies:\n"
        "  box: { mass: 1, inertia: 0.05, position: [0, 0.1], shapes: [ { box: { size: [0.4, 0.2] } } ] }\n"
        "  ground: { shapes: [ { half_space: { at: [0, 0], normal: [0, 1] } } ] }\n"
        "contacts: { floor: { among: [ground, box], friction: 0.3 } }\n"
        "forces: { f: { type: force, on: box, value: [push, 0] } }\n";
    world w = { .context = tn_context_create(NULL) };
    assert_int_equal(tn_model_read_text(&w.model, w.context, text, strlen(text), "box.yaml", "."), TN_OK);
    assert_int_equal(tn_session_open(&w.session, w.model, NULL), TN_OK);
    w.push = tn_model_find(w.model, "push");
    const double pushes[] = { 2, 5, 0 };               /* sticks, slides, is braked */
    for (int k = 0; k < 3; k++) {
        assert_int_equal(tn_session_input(w.session, w.push, pushes[k]), TN_OK);
        assert_int_equal(tn_session_advance(w.session, 0.5), TN_OK);
    }
    assert_near(value_of(w.session, "box.position.x"), 0.25 + 1.0 / 6, 1e-7);     /* 0.5 s with 2 m/s^2, then 1 m/s with -3 m/s^2 */
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list), cmocka_unit_test(test_motion), cmocka_unit_test(test_reading), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_stale), cmocka_unit_test(test_no_allocation), cmocka_unit_test(test_journal),
        cmocka_unit_test(test_snapshot), cmocka_unit_test(test_state_vector), cmocka_unit_test(test_control),
        cmocka_unit_test(test_event), cmocka_unit_test(test_linear), cmocka_unit_test(test_cubic), cmocka_unit_test(test_orders),
        cmocka_unit_test(test_in_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
