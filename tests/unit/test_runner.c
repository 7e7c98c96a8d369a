/* Sessions in a thread of their own: pace, order of commands, answers; and a storm of edits from several threads. */
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
    assert_int_equal(tn_runner_wait(r, ticket, 20, &reply), TN_OK);
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
    assert_non_null(strstr(reply.message, "command:1:11: no body, joint, force or contact 'e'"));
    assert_int_equal(ask(r, "undo restore").code, TN_OK);
    assert_int_equal(ask(r, "undo").code, TN_ERROR_ARGUMENT);
    assert_int_equal(ask(r, "redo").code, TN_OK);
    assert_int_equal(tn_runner_wait(r, 99, 0, &reply), TN_ERROR_ARGUMENT);
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
    return tn_session_value(session, "p.angle", &v->angle);
}

static int read_nonsense(void *user, tn_session *session)
{
    visit *v = user;
    v->inner = tn_runner_call(v->runner, read_angle, v, 1);
    return tn_session_value(session, "p.angel", &v->angle);
}

static int go_to(void *user, tn_session *session)
{
    return tn_session_seek(session, ((visit *)user)->to);
}

static int keep_past(void *user, tn_session *session)
{
    (void)user;
    return tn_session_keep_past(session, 1 << 20, 0.1);
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
    assert_int_equal(tn_session_value(m.session, "p.angle", &angle), TN_OK);
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
    assert_int_equal(tn_runner_wait(r, ticket, 0.01, &reply), TN_NEWS_INTERRUPTED);
    open_gate(&g);
    assert_int_equal(tn_runner_call(r, count_up, &count, 20), 1);      /* the withdrawn one never ran */
    assert_int_equal(tn_runner_wait(r, ticket, 0, &reply), TN_OK);     /* the command was before it */
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

/* ---- storm ---- */

enum { THREADS = 4, COMMAND_SIZE = 200 };

/* What was taken, in its order. */
typedef struct record {
    char (*commands)[COMMAND_SIZE];
    double *times;
    long count, done, refused;
} record;

typedef struct poster {
    tn_runner *runner;
    unsigned random;
    int dimension;
    long count;
    double time;                   /* of the run, seen last */
} poster;

static int read_time(void *user, tn_session *session)
{
    *(double *)user = tn_session_time(session);
    return TN_OK;
}

static void remember(void *user, const char *command, const tn_reply *reply)
{
    record *r = user;
    assert_int_equal(reply->ticket, r->count + 1);     /* each once, in order */
    snprintf(r->commands[r->count], COMMAND_SIZE, "%s", command);
    r->times[r->count++] = reply->taken;
    r->done += reply->code == TN_OK;
    r->refused += reply->code < 0;
}

static int pick(poster *p, int n)
{
    return (int)between(&p->random, 0, n) % n;
}

static const char *point(poster *p, char buffer[64])
{
    double x = between(&p->random, -1, 1), y = between(&p->random, -1, 1), z = between(&p->random, -1, 1);
    if (p->dimension == 2)
        snprintf(buffer, 64, "[%.3f, %.3f]", x, y);
    else
        snprintf(buffer, 64, "[%.3f, %.3f, %.3f]", x, y, z);
    return buffer;
}

static void add_something(poster *p, char *out, size_t size)
{
    static const char *const planar[] = { "revolute", "translational", "rod", "fixed" };
    static const char *const spatial[] = { "revolute", "spherical", "prismatic", "cylindrical" };
    char at[64], owner[16];
    int a = pick(p, 7), b = pick(p, 6);
    snprintf(owner, sizeof owner, a == 6 ? "ground" : "b%d", a);
    switch (pick(p, 3)) {
    case 0:
        snprintf(out, size, "{ add: { bodies: { b%d: { mass: %.2f, inertia: %s, position: %s } } } }", b,
                 between(&p->random, 0.5, 2), p->dimension == 2 ? "0.3" : "[0.3, 0.4, 0.5]", point(p, at));
        break;
    case 1:
        snprintf(out, size, "{ add: { joints: { j%d: { type: %s, between: [%s, b%d], at: %s } } } }", pick(p, 8),
                 (p->dimension == 2 ? planar : spatial)[pick(p, 4)], owner, b, point(p, at));
        break;
    default:
        snprintf(out, size, "{ add: { forces: { f%d: { type: spring, between: [%s, b%d], stiffness: %.1f, length: 1, "
                 "damping: 0.5 } } } }", pick(p, 4), owner, b, between(&p->random, 1, 20));
        break;
    }
}

static void make_command(poster *p, char *out, size_t size)
{
    static const char *const noise[] = { "", "{", "[1, 2]", "{ remove: nobody }", "{ add: { bodies: { x y: 3 } } }",
                                         "{ gravity: down }", "{ set: { f0.stiffness: -1 s } }", "\xff\xfe",
                                         "{ add: { joints: { j0: { type: hinge } } } }", "{ solve: { step: -1 } }" };
    static const char *const settings[] = { "integrator: rk4, step: 5 ms", "integrator: heun, step: 2 ms",
                                            "integrator: dopri5, tolerance: 1e-7", "solver: direct" };
    switch (pick(p, 12)) {
    case 0: case 1: case 2: case 3: add_something(p, out, size); break;
    case 4: snprintf(out, size, "{ remove: j%d }", pick(p, 8)); break;
    case 5: snprintf(out, size, "{ remove: %c%d }", pick(p, 3) == 0 ? 'b' : 'f', pick(p, 6)); break;
    case 6: snprintf(out, size, "{ set: { f%d.stiffness: %d } }", pick(p, 4), pick(p, 20)); break;
    case 7: snprintf(out, size, "{ gravity: %s }", p->dimension == 2 ? "[0, -3]" : "[0, 0, -3]"); break;
    case 8: snprintf(out, size, "{ solve: { %s } }", settings[pick(p, (int)TN_LENGTH(settings))]); break;
    case 9: snprintf(out, size, "%s", pick(p, 2) ? "undo" : "redo"); break;
    case 10: snprintf(out, size, "%s", pick(p, 2) ? "undo restore" : "redo restore"); break;
    default: snprintf(out, size, "%s", noise[pick(p, (int)TN_LENGTH(noise))]); break;
    }
}

static void *post_all(void *user)
{
    poster *p = user;
    char command[COMMAND_SIZE];
    tn_reply reply;
    for (long k = 0; k < p->count; k++) {
        make_command(p, command, sizeof command);
        long ticket;
        while ((ticket = tn_runner_post(p->runner, command)) < 0)
            ;                                          /* full: the thread is at it */
        if (k % 50 == 0)
            tn_runner_wait(p->runner, ticket, 60, &reply);
        if (k % 50 == 25)
            assert_int_equal(tn_runner_call(p->runner, read_time, &p->time, 60), TN_OK);
    }
    return NULL;
}

/* All of it again without threads: the state is the same to the bit. */
static void check_replay(const char *text, const record *r, uint64_t hash)
{
    machine m = machine_text(text);
    tn_ack ack;
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    for (long k = 0; k < r->count; k++) {
        const char *c = r->commands[k];
        bool restore = strstr(c, " restore") != NULL;
        while (tn_session_time(m.session) != r->times[k]) {
            double before = tn_session_time(m.session);
            if (tn_session_step(m.session) < 0 && tn_session_time(m.session) == before)
                fail_msg("command %ld: time %.17g is not reached", k, r->times[k]);
        }
        if (strncmp(c, "undo", 4) == 0)
            tn_session_undo(m.session, restore, &ack);
        else if (strncmp(c, "redo", 4) == 0)
            tn_session_redo(m.session, restore, &ack);
        else
            tn_session_apply(m.session, c, &ack);
        tn_diagnostics_clear(m.context);
    }
    assert_true(tn_session_hash(m.session) == hash);
    machine_close(&m);
}

static void check_finite(const machine *m)
{
    const tn_model *model = tn_session_model(m->session);
    for (size_t k = 0; k < tn_model_count(model, TN_KIND_BODY); k++) {
        tn_pose pose;
        assert_int_equal(tn_session_pose(&pose, m->session, tn_model_at(model, TN_KIND_BODY, k)), TN_OK);
        assert_true(isfinite(pose.p[0] + pose.p[1] + pose.p[2] + pose.q[0]));
    }
}

static void storm(int dimension)
{
    static const char *const texts[] = {
        "tenon: 1\ndimension: 2\ngravity: [0, -3]\nbodies: { b0: { mass: 1, inertia: 0.3 } }\n"
        "solve: { integrator: heun, step: 2 ms }\n",
        "tenon: 1\ngravity: [0, 0, -3]\nbodies: { b0: { mass: 1, inertia: [0.3, 0.4, 0.5] } }\n"
        "solve: { integrator: heun, step: 2 ms }\n" };
    const char *size = getenv("TENON_STORM"), *text = texts[dimension - 2];
    long count = size ? atol(size) : 10000;
    record r = { calloc((size_t)count, COMMAND_SIZE), calloc((size_t)count, sizeof(double)), 0, 0, 0 };
    pthread_t threads[THREADS];
    poster posters[THREADS];
    tn_runner *runner;
    machine m = machine_text(text);
    assert_non_null(r.commands);
    assert_non_null(r.times);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_runner_start(&runner, m.session, 1e-3, remember, &r));
    tn_runner_set_speed(runner, INFINITY);
    for (int k = 0; k < THREADS; k++) {
        posters[k] = (poster){ .runner = runner, .random = 2654435761u * (unsigned)(k + 1 + 10 * dimension),
                               .dimension = dimension, .count = count / THREADS };
        assert_int_equal(pthread_create(&threads[k], NULL, post_all, &posters[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    tn_reply last;
    assert_int_equal(tn_runner_wait(runner, count / THREADS * THREADS, 120, &last), TN_OK);
    uint64_t hash = tn_runner_now(runner).hash;        /* after the last command */
    tn_runner_stop(runner);
    assert_int_equal(r.count, count / THREADS * THREADS);
    assert_true(r.done > r.count / 4 && r.refused > r.count / 20);
    check_finite(&m);
    check_replay(text, &r, hash);
    machine_close(&m);
    free(r.commands);
    free(r.times);
}

static void test_storm_in_the_plane(void **state)
{
    (void)state;
    storm(2);
}

static void test_storm_in_space(void **state)
{
    (void)state;
    storm(3);
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
        cmocka_unit_test(test_storm_in_the_plane),
        cmocka_unit_test(test_storm_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
