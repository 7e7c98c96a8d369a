/* Sessions in a thread of their own: pace, order of commands, answers; and a storm of edits from several threads. */
#include "mechanisms.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "mem.h"
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
    assert_non_null(strstr(reply.message, "command:1:11: no body, joint or force 'e'"));
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
} poster;

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
        posters[k] = (poster){ runner, 2654435761u * (unsigned)(k + 1 + 10 * dimension), dimension, count / THREADS };
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
        cmocka_unit_test(test_storm_in_the_plane),
        cmocka_unit_test(test_storm_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
