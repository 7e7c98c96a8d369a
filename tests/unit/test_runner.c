/* Sessions in a thread of their own: pace, order of commands, answers, calls. */
#include "mechanisms.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "mem.h"
#include "tenon/history.h"
#include "tenon/runner.h"

static const char PENDULUM[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: { a: { mass: 1, inertia: 0.1, position: [1, 0] }, b: { mass: 1, inertia: 0.1, position: [2, 0] } }\n"
    "joints:\n"
    "  p: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  e: { type: revolute, between: [a, b], at: [1.5, 0] }\n"
    "forces: { f: { type: spring, between: [ground, b], stiffness: 5, length: 1 } }\n"
    "solve: { integrator: dopri5, tolerance: 1e-8 }\n";

static machine start(const char *text, tn_runner **runner)
{
    machine m = machine_text(text);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_runner_start(runner, m.session, 1.0 / 240, NULL, NULL));
    return m;
}

static tn_reply ask(tn_runner *r, const char *command)
{
    tn_reply reply;
    long ticket = tn_runner_post(r, command);
    assert_true(ticket > 0);
    assert_int_equal(tn_runner_wait(&reply, r, ticket, 20), TN_OK);
    return reply;
}

static void test_commands_are_answered(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start(PENDULUM, &r);
    tn_reply reply = ask(r, "{ remove: e }");
    assert_int_equal(reply.code, TN_OK);
    assert_string_equal(reply.ack.text, "removed e");
    reply = ask(r, "{ remove: e }");
    assert_int_equal(reply.code, TN_ERROR_MODEL);
    assert_non_null(strstr(reply.message, "command:1:11: no body, joint, force, contact or subsystem 'e'"));
    assert_int_equal(ask(r, "undo restore").code, TN_OK);
    assert_int_equal(ask(r, "undo").code, TN_ERROR_ARGUMENT);
    assert_int_equal(ask(r, "redo").code, TN_OK);
    assert_int_equal(tn_runner_wait(&reply, r, 99, 0), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_runner_now(r).commands, 5);
    tn_runner_stop(r);
    machine_close(&m);
}

static void test_speed_pause_and_single_steps(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start(PENDULUM, &r);
    assert_near(tn_runner_now(r).time, 0, 0);
    tn_runner_step(r, 3);
    while (tn_runner_now(r).steps < 3)
        ;
    tn_runner_set_speed(r, INFINITY);
    while (tn_runner_now(r).time < 2)
        ;
    tn_runner_set_speed(r, 0);
    ask(r, "{ remove: [] }");                          /* the step it was in is over */
    double paused = tn_runner_now(r).time;
    ask(r, "{ remove: [] }");
    assert_near(tn_runner_now(r).time, paused, 0);
    tn_runner_set_speed(r, 1);                         /* moves on by itself */
    while (tn_runner_now(r).time < paused + 0.05)
        ;
    tn_runner_stop(r);
    machine_close(&m);
}

static void test_events_pause(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start("tenon: 1\ndimension: 2\ngravity: [0, -10]\n"
                      "bodies: { a: { mass: 1, inertia: 1, position: [0, 5] } }\n"
                      "events: { floor: { when: a.position.y, crosses: down, do: [ stop ] } }\n", &r);
    tn_runner_set_speed(r, INFINITY);
    while (tn_runner_now(r).speed > 0)
        ;
    assert_near(tn_runner_now(r).time, 1, 1e-9);
    assert_int_equal(tn_runner_now(r).code, TN_OK);
    tn_runner_stop(r);
    machine_close(&m);
}

/* A step that cannot be taken stops the motion, not the runner. */
static void test_trouble_is_told_and_can_be_mended(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
                      "forces: { f: { type: force, on: a, value: [\"1 N s / (0.5 s - t)\", 0] } }\n"
                      "solve: { integrator: rk4, step: 0.1 }\n", &r);
    tn_runner_set_speed(r, INFINITY);
    while (tn_runner_now(r).code == TN_OK)
        ;
    assert_non_null(strstr(tn_runner_now(r).message, "division by zero"));
    assert_int_equal(ask(r, "{ set: { f.value.x: 1 } }").code, TN_OK);
    while (tn_runner_now(r).time < 2)
        assert_int_equal(tn_runner_now(r).code, TN_OK);
    tn_runner_stop(r);
    machine_close(&m);
}

/* ---- calls ---- */

typedef struct visit {
    tn_runner *runner;
    double angle, to;
    int inner;                     /* what a call from within got */
} visit;

static int read_angle(void *user, tn_session *session)
{
    visit *v = user;
    return tn_session_value(&v->angle, session, "p.angle");
}

static int read_nonsense(void *user, tn_session *session)
{
    visit *v = user;
    v->inner = tn_runner_call(v->runner, read_angle, v, 1);
    return tn_session_value(&v->angle, session, "p.angel");
}

static int go_to(void *user, tn_session *session)
{
    return tn_session_seek(session, ((visit *)user)->to);
}

static int keep_past(void *user, tn_session *session)
{
    (void)user;
    return tn_session_keep_rewind(session, 1 << 20, 0.1);
}

static void test_calls_have_the_session(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start(PENDULUM, &r);
    visit v = { .runner = r, .to = 0.5 };
    assert_int_equal(tn_runner_call(r, keep_past, NULL, 20), TN_OK);
    tn_runner_set_speed(r, INFINITY);
    while (tn_runner_now(r).time < 1)
        ;
    tn_runner_set_speed(r, 0);
    assert_int_equal(tn_runner_call(r, go_to, &v, 20), TN_OK);
    assert_true(tn_runner_now(r).time >= 0.5 && tn_runner_now(r).time < 0.7);
    tn_runner_set_speed(r, 1);                         /* its clock goes on from there, not from where it was */
    v.to = 1;
    assert_int_equal(tn_runner_call(r, go_to, &v, 20), TN_OK);
    double sought = tn_runner_now(r).time;
    while (tn_runner_now(r).time < sought + 0.02)
        ;
    tn_runner_set_speed(r, 0);
    assert_int_equal(tn_runner_call(r, read_angle, &v, 20), TN_OK);
    assert_int_equal(tn_runner_call(r, read_nonsense, &v, 20), TN_ERROR_ARGUMENT);
    assert_int_equal(v.inner, TN_ERROR_ARGUMENT);
    tn_runner_stop(r);
    double angle;
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    assert_int_equal(tn_session_value(&angle, m.session, "p.angle"), TN_OK);
    assert_near(v.angle, angle, 0);
    machine_close(&m);
}

/* A thread that is let go when the gate opens. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool entered, open;
} gate;

static int pass(void *user, tn_session *session)
{
    gate *g = user;
    (void)session;
    pthread_mutex_lock(&g->lock);
    g->entered = true;
    pthread_cond_broadcast(&g->changed);
    while (!g->open)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return TN_NEWS_END;
}

static int count_up(void *user, tn_session *session)
{
    (void)session;
    return ++*(int *)user;
}

typedef struct caller {
    tn_runner *runner;
    gate *gate;
    int code;
} caller;

/* Longer than it is given, and its answer comes nevertheless. */
static void *call_pass(void *user)
{
    caller *c = user;
    c->code = tn_runner_call(c->runner, pass, c->gate, 5);
    return NULL;
}

static void *call_count(void *user)
{
    caller *c = user;
    int count = 0;
    c->code = tn_runner_call(c->runner, count_up, &count, 1e9);
    assert_int_equal(count, 0);
    return NULL;
}

static void open_gate(gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->open = true;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/* Opens the gate when the runner is being stopped: only then is a call refused at once. */
static void *open_at_stop(void *user)
{
    caller *c = user;
    int count = 0;
    while ((c->code = tn_runner_call(c->runner, count_up, &count, 0)) == TN_NEWS_INTERRUPTED)
        ;
    open_gate(c->gate);
    assert_int_equal(count, 0);
    return NULL;
}

static void enter(pthread_t *thread, caller *c)
{
    c->gate->entered = c->gate->open = false;
    assert_int_equal(pthread_create(thread, NULL, call_pass, c), 0);
    pthread_mutex_lock(&c->gate->lock);
    while (!c->gate->entered)
        pthread_cond_wait(&c->gate->changed, &c->gate->lock);
    pthread_mutex_unlock(&c->gate->lock);
}

static void test_calls_wait_their_turn_or_are_withdrawn(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start(PENDULUM, &r);
    gate g = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    caller within = { r, &g, 99 };
    pthread_t first;
    tn_reply reply;
    int count = 0;
    enter(&first, &within);
    assert_int_equal(tn_runner_call(r, count_up, &count, 0.01), TN_NEWS_INTERRUPTED);
    long ticket = tn_runner_post(r, "{ remove: e }");
    assert_int_equal(tn_runner_wait(&reply, r, ticket, 0.01), TN_NEWS_INTERRUPTED);
    open_gate(&g);
    assert_int_equal(tn_runner_call(r, count_up, &count, 20), 1);      /* the withdrawn one never ran */
    assert_int_equal(tn_runner_wait(&reply, r, ticket, 0), TN_OK);     /* the command was before it */
    pthread_join(first, NULL);
    assert_int_equal(within.code, TN_NEWS_END);
    tn_runner_stop(r);
    machine_close(&m);
}

static void test_stop_answers_calls(void **state)
{
    (void)state;
    tn_runner *r;
    machine m = start(PENDULUM, &r);
    gate g = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    caller within = { r, &g, 99 }, behind = { r, NULL, 99 }, opener = { r, &g, 99 };
    pthread_t threads[3];
    enter(&threads[0], &within);
    assert_int_equal(pthread_create(&threads[1], NULL, call_count, &behind), 0);
    while (tn_runner_now(r).queued == 0)
        ;
    assert_int_equal(pthread_create(&threads[2], NULL, open_at_stop, &opener), 0);
    tn_runner_stop(r);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(within.code, TN_NEWS_END);
    assert_int_equal(behind.code, TN_ERROR_ARGUMENT);
    assert_int_equal(opener.code, TN_ERROR_ARGUMENT);
    machine_close(&m);
}

/* ---- without waiting ---- */

typedef struct turns {
    tn_runner *runner;
    tn_session *other;             /* to go on with */
    long turns;
    int sent, refused;
} turns;

static void count_turn(void *user, tn_session *session)
{
    assert_non_null(session);
    ++((turns *)user)->turns;
}

static int note_sent(void *user, tn_session *session)
{
    turns *t = user;
    t->sent += session != NULL;
    t->refused += session == NULL;
    return TN_OK;
}

static int go_on_with_other(void *user, tn_session *session)
{
    turns *t = user;
    tn_session *before = session;
    tn_runner_exchange(t->runner, t->other);
    t->other = before;
    return tn_runner_send(t->runner, note_sent, t);    /* also from within */
}

static void test_sent_calls_and_turns(void **state)
{
    (void)state;
    turns t = { 0 };
    machine m = start(PENDULUM, &t.runner), n = machine_text(PENDULUM);
    machine_must(&n, tn_session_open(&n.session, n.model, NULL));
    tn_session *first = m.session;
    t.other = n.session;
    tn_runner_on_turn(t.runner, count_turn, &t);
    tn_runner_run_to(t.runner, 0.25, 2);
    while (tn_runner_now(t.runner).speed > 0)
        ;
    assert_near(tn_runner_now(t.runner).time, 0.25, 1e-12);
    assert_int_equal(tn_runner_call(t.runner, go_on_with_other, &t, 20), TN_OK);
    assert_near(tn_runner_now(t.runner).time, 0, 0);
    tn_runner_run_to(t.runner, 0.5, INFINITY);
    while (tn_runner_now(t.runner).speed > 0)
        ;
    gate g = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    caller within = { t.runner, &g, 99 }, opener = { t.runner, &g, 99 };
    pthread_t threads[2];
    enter(&threads[0], &within);
    assert_int_equal(tn_runner_send(t.runner, note_sent, &t), TN_OK);
    assert_int_equal(pthread_create(&threads[1], NULL, open_at_stop, &opener), 0);
    tn_runner_stop(t.runner);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(t.sent, 1);
    assert_int_equal(t.refused, 1);
    assert_true(t.turns > 50);
    assert_ptr_equal(t.other, first);
    assert_near(tn_session_time(m.session), 0.25, 1e-12);
    assert_near(tn_session_time(n.session), 0.5, 1e-12);
    machine_close(&m);
    machine_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_are_answered),
        cmocka_unit_test(test_speed_pause_and_single_steps),
        cmocka_unit_test(test_events_pause),
        cmocka_unit_test(test_trouble_is_told_and_can_be_mended),
        cmocka_unit_test(test_calls_have_the_session),
        cmocka_unit_test(test_calls_wait_their_turn_or_are_withdrawn),
        cmocka_unit_test(test_stop_answers_calls),
        cmocka_unit_test(test_sent_calls_and_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
