/* A storm of edits from several threads: every command there is, and nonsense, while the models run. */
#include "live_runs.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "mem.h"
#include "tenon/runner.h"

enum { THREADS = 4, COMMAND_SIZE = 500 };

#ifdef TENON_SANITIZED
static const long STORM = 8000;
#else
static const long STORM = 30000;       /* commands, over all models; make campaign takes more */
#endif

/* Parts that take each other's place. */
static const tn_model_source parts[] = {
#define PART(name, text) { name, text, sizeof text - 1 }
    PART("part.yaml", "tenon: 1\ndimension: 2\nparameters: { m: 1 kg, far: 0.5 m }\n"
         "bodies: { b0: { mass: m, inertia: 0.3, position: [far, 0], frames: { end: { at: [far, 0] } } } }\n"
         "ports: { end: b0.end }\nforces: { f0: { type: spring, between: [ground, b0], stiffness: 5, length: far } }\n"),
    PART("other.yaml", "tenon: 1\ndimension: 2\nparameters: { m: 1 kg, far: 0.5 m }\n"
         "bodies:\n  b0: { mass: 2 * m, inertia: 0.3, position: [far, 0], frames: { end: { at: [far, 0] } } }\n"
         "  b1: { mass: m, inertia: 0.1, position: [far, 0.5] }\n"
         "ports: { end: b0.end }\njoints: { j0: { type: revolute, between: [b0, b1], at: [far, 0], fuse: { force: 40 N },"
         " latch: { when: b1.position.y, closing: snap }, enabled: yes } }\n"),
#undef PART
};

/* What the storm begins with; parameters are there to be changed. */
static const char *const texts[] = {
    "tenon: 1\ndimension: 2\ngravity: [0, -3]\nparameters: { m: 1 kg, far: 0.5 m }\n"
    "bodies: { b0: { mass: m, inertia: 0.3, position: [far, 0] } }\n"
    "solve: { integrator: heun, step: 2 ms }\n",
    "tenon: 1\ngravity: [0, 0, -3]\nparameters: { m: 1 kg, far: 0.5 m }\n"
    "bodies: { b0: { mass: m, inertia: [0.3, 0.4, 0.5], position: [far, 0, 0] } }\n"
    "solve: { integrator: heun, step: 2 ms }\n",
    "tenon: 1\ndimension: 2\ngravity: [0, -3]\nparameters: { m: 2 kg, far: 1 m }\n"
    "bodies:\n"
    "  b0: { mass: m, inertia: 0.2, position: [far, 0], frames: { end: { at: [far, 0] } } }\n"
    "  b1: { mass: 1, inertia: 0.2, position: [3 * far, 0], frames: { start: { at: [-far, 0] } } }\n"
    "joints:\n"
    "  j0: { type: revolute, between: [ground, b0], at: [0, 0] }\n"
    "  j1: { type: revolute, between: [b0.end, b1.start], fuse: { force: 60 N } }\n"
    "  j2: { type: revolute, between: [ground, b1], latch: { when: 'b1.position.y + 1 m', closing: snap } }\n"
    "solve: { integrator: dopri5, tolerance: 1e-6 }\n",
    "tenon: 1\ndimension: 2\ngravity: [0, -3]\nparameters: { m: 1 kg, far: 0.5 m }\n"
    "bodies: { b0: { mass: m, inertia: 0.3, position: [far, 0] } }\n"
    "subsystems:\n  s0: { use: part.yaml, at: [1, 0] }\n  s1: { use: other.yaml, at: [-1, 0], angle: 1 rad }\n"
    "joints:\n  j0: { type: revolute, between: [ground, s0.end], at: [2, 0] }\n"
    "solve: { integrator: heun, step: 2 ms }\n",
};

/* Where the files of the parts are. */
static char folder[64];

static int write_parts(void **state)
{
    (void)state;
    temporary_folder(folder, sizeof folder);
    for (size_t k = 0; k < TN_LENGTH(parts); k++)
        write_text(folder, parts[k].name, parts[k].text);
    return 0;
}

static int remove_parts(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(parts); k++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, parts[k].name);
        unlink(path);
    }
    return rmdir(folder);
}

static machine begin(const char *text)
{
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "test.yaml", folder));
    return m;
}

/* ---- commands ---- */

typedef struct poster {
    tn_runner *runner;
    unsigned random;
    int dimension;
    bool gentle;               /* settings stay, and time goes on */
    bool parts;                /* there are subsystems */
    long count;
    double time;               /* of the run, seen last */
    bool failed;               /* a call was not answered */
    struct record *record;
} poster;

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

static const char *owner(poster *p, char buffer[16])
{
    int k = pick(p, 7);
    snprintf(buffer, 16, k == 6 ? "ground" : "b%d", k);
    return buffer;
}

static const char *closing(poster *p)
{
    static const char *const ways[] = { "", ", closing: snap", ", closing: { draw: 0.1 s }", ", closing: { draw: 20 ms }" };
    return ways[pick(p, (int)TN_LENGTH(ways))];
}

static void add_something(poster *p, char *out, size_t size)
{
    static const char *const planar[] = { "revolute", "translational", "rod", "fixed" };
    static const char *const spatial[] = { "revolute", "spherical", "prismatic", "cylindrical" };
    static const char *const extras[] = { "", "", ", fuse: { force: 20 N }", ", fuse: { force: 5 N, torque: 2 N m }",
                                          ", latch: { when: 'b0.position.x', closing: snap }" };
    char at[64], body[16];
    const char *type = (p->dimension == 2 ? planar : spatial)[pick(p, 4)];
    switch (pick(p, 4)) {
    case 0:
        snprintf(out, size, "{ add: { bodies: { b%d: { mass: %.2f * m, inertia: %s, position: %s } } } }", pick(p, 6),
                 between(&p->random, 0.5, 2), p->dimension == 2 ? "0.3" : "[0.3, 0.4, 0.5]", point(p, at));
        break;
    case 1:
        snprintf(out, size, "{ add: { joints: { j%d: { type: %s, between: [%s, b%d], at: %s%s } } } }", pick(p, 8), type,
                 owner(p, body), pick(p, 6), point(p, at), extras[pick(p, (int)TN_LENGTH(extras))]);
        break;
    case 2:
        snprintf(out, size, "{ add: { joints: { j%d: { type: %s, between: [%s, b%d]%s } } }%s }", pick(p, 8), type,
                 owner(p, body), pick(p, 6), extras[pick(p, (int)TN_LENGTH(extras))], closing(p));
        break;
    default:
        snprintf(out, size, "{ add: { forces: { f%d: { type: spring, between: [%s, b%d], stiffness: %.1f, length: 1, "
                 "damping: 0.5 } } } }", pick(p, 4), owner(p, body), pick(p, 6), between(&p->random, 1, 20));
    }
}

/* Values of a joint's fuse, latch, limits and ratchet, and of a body's mass. */
static void set_rule(poster *p, int joint, char *out, size_t size)
{
    static const char *const values[] = {
        "limits.angle: [-2, 2.5]", "limits.angle.low: none", "limits.restitution: 0.3", "limits: none",
        "ratchet: { pitch: 0.3, restitution: 0.2 }", "ratchet.way: down", "ratchet.pitch: 0", "ratchet: none",
        "latch.when: t - 0.3 s", "latch: none", "fuse: none",
    };
    if (pick(p, 4) == 0)
        snprintf(out, size, "{ set: { b%d.mass: %.2f } }", pick(p, 6), between(&p->random, 0.5, 3));
    else
        snprintf(out, size, "{ set: { j%d.%s } }", joint, values[pick(p, (int)TN_LENGTH(values))]);
}

/* Commands about joints that may be there. */
static void change_joint(poster *p, char *out, size_t size)
{
    char at[64], body[16];
    int j = pick(p, 8);
    switch (pick(p, 8)) {
    case 0: snprintf(out, size, "{ lock: j%d }", j); break;
    case 1: snprintf(out, size, "{ unlock: j%d }", j); break;
    case 2: snprintf(out, size, "{ move: { j%d: { at: %s } }%s }", j, point(p, at), closing(p)); break;
    case 3: snprintf(out, size, "{ move: { j%d: { between: [%s, b%d] } } }", j, owner(p, body), pick(p, 6)); break;
    case 4: snprintf(out, size, "{ set: { j%d.fuse.force: %d N } }", j, 1 + pick(p, 50)); break;
    case 5: snprintf(out, size, "{ disable: j%d }", j); break;
    case 6: set_rule(p, j, out, size); break;
    default: snprintf(out, size, "{ enable: j%d%s }", j, closing(p));
    }
}

/* Commands about subsystems that may be there, and about what is in them. */
static void change_subsystem(poster *p, char *out, size_t size)
{
    char at[64];
    int s = pick(p, 3);
    const char *file = pick(p, 2) ? "part.yaml" : "other.yaml";
    switch (pick(p, 10)) {
    case 0: snprintf(out, size, "{ add: { subsystems: { s%d: { use: %s, at: %s } } } }", s, file, point(p, at)); break;
    case 1: snprintf(out, size, "{ remove: s%d }", s); break;
    case 2: snprintf(out, size, "{ disable: s%d }", s); break;
    case 3: snprintf(out, size, "{ enable: s%d%s }", s, closing(p)); break;
    case 4: snprintf(out, size, "{ set: { s%d.f0.stiffness: %d } }", s, 1 + pick(p, 20)); break;
    case 5: snprintf(out, size, "{ parameters: { s%d.m: %.2f kg } }", s, between(&p->random, 0.5, 2)); break;
    case 6: snprintf(out, size, "{ %s: s%d.j0 }", pick(p, 2) ? "lock" : "unlock", s); break;
    case 7:
        snprintf(out, size, "{ add: { joints: { j%d: { type: revolute, between: [b0, s%d.end] } } }%s }", pick(p, 8), s,
                 closing(p));
        break;
    default: snprintf(out, size, "{ replace: { subsystems: { s%d: { use: %s } } }%s }", s, file, closing(p));
    }
}

/* Another text or other parameters. */
static void change_text(poster *p, char *out, size_t size)
{
    if (!p->gentle && pick(p, 8) == 0)
        snprintf(out, size, "{ closing: snap, text: \"tenon: 1\\ndimension: %d\\nparameters: { m: 2 kg, far: 1 m }\\n"
                 "bodies: { b0: { mass: m, inertia: %s }, b1: { mass: 1, inertia: %s } }\\n"
                 "forces: { f1: { type: spring, between: [b0, b1], stiffness: 4, length: far } }\\n\" }", p->dimension,
                 p->dimension == 2 ? "0.3" : "[0.3, 0.4, 0.5]", p->dimension == 2 ? "0.3" : "[0.3, 0.4, 0.5]");
    else if (pick(p, 2))
        snprintf(out, size, "{ parameters: { m: %.2f kg } }", between(&p->random, 0.5, 2));
    else
        snprintf(out, size, "{ parameters: { far: %.2f m }, closing: snap }", between(&p->random, 0.5, 1));
}

static void make_command(poster *p, char *out, size_t size)
{
    static const char *const noise[] = { "", "{", "[1, 2]", "{ remove: nobody }", "{ add: { bodies: { x y: 3 } } }",
                                         "{ gravity: down }", "{ set: { f0.stiffness: -1 s } }", "\xff\xfe",
                                         "{ add: { joints: { j0: { type: hinge } } } }", "{ solve: { step: -1 } }",
                                         "{ closing: { draw: -1 } }", "{ lock: b0 }", "{ move: { j0: 3 } }",
                                         "{ parameters: { n: 3 } }", "{ text: 'tenon: 2' }" };
    static const char *const settings[] = { "integrator: rk4, step: 5 ms", "integrator: heun, step: 2 ms",
                                            "integrator: dopri5, tolerance: 1e-7", "solver: direct" };
    if (p->parts && pick(p, 4) == 0) {
        change_subsystem(p, out, size);
        return;
    }
    switch (pick(p, 16)) {
    case 0: case 1: case 2: case 3: add_something(p, out, size); break;
    case 4: snprintf(out, size, "{ remove: j%d }", pick(p, 8)); break;
    case 5: snprintf(out, size, "{ remove: %c%d }", pick(p, 3) == 0 ? 'b' : 'f', pick(p, 6)); break;
    case 6: snprintf(out, size, "{ set: { f%d.stiffness: %d } }", pick(p, 4), pick(p, 20)); break;
    case 7: snprintf(out, size, "{ gravity: %s }", p->dimension == 2 ? "[0, -3]" : "[0, 0, -3]"); break;
    case 8: case 9: case 10: change_joint(p, out, size); break;
    case 11: change_text(p, out, size); break;
    case 12: snprintf(out, size, "%s", pick(p, 2) ? "undo" : "redo"); break;
    case 13: snprintf(out, size, "%s", p->gentle ? "" : pick(p, 2) ? "undo restore" : "redo restore"); break;
    case 14:
        snprintf(out, size, "{ solve: { %s } }", p->gentle ? "until: 9" : settings[pick(p, (int)TN_LENGTH(settings))]);
        break;
    default: snprintf(out, size, "%s", noise[pick(p, (int)TN_LENGTH(noise))]);
    }
}

/* ---- the storm ---- */

/* What was taken, in its order. */
typedef struct record {
    char (*commands)[COMMAND_SIZE];
    double *times;
    long *steps;                   /* tries of a step before each command; some fail, after events that a command has set off */
    long tries, count, done, refused;
    bool in_order, ordered;
} record;

static void remember(void *user, const char *command, const tn_reply *reply)
{
    record *r = user;
    r->in_order = r->in_order && reply->ticket == r->count + 1;        /* each once */
    snprintf(r->commands[r->count], COMMAND_SIZE, "%s", command);
    r->times[r->count] = reply->taken;
    r->steps[r->count++] = r->tries;
    r->tries = 0;
    r->ordered = true;
    r->done += reply->code == TN_OK;
    r->refused += reply->code < 0;
}

/* After every turn of the runner: an order, or a step. */
static void count_steps(void *user, tn_session *session)
{
    record *r = user;
    (void)session;
    r->tries += !r->ordered;
    r->ordered = false;
}

static int read_time(void *user, tn_session *session)
{
    poster *p = user;
    p->time = tn_session_time(session);
    p->record->ordered = true;
    return TN_OK;
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
            tn_runner_wait(&reply, p->runner, ticket, 60);
        int code = TN_OK;
        while (k % 50 == 25 && (code = tn_runner_call(p->runner, read_time, p, 60)) == TN_ERROR_ARGUMENT)
            ;                                          /* full, as above */
        p->failed = p->failed || code != TN_OK;        /* cmocka's assertions are for the main thread */
    }
    return NULL;
}

static int carry_out(machine *m, const char *command)
{
    bool restore = strstr(command, " restore") != NULL;
    if (strncmp(command, "undo", 4) == 0)
        return tn_session_undo(NULL, m->session, restore);
    if (strncmp(command, "redo", 4) == 0)
        return tn_session_redo(NULL, m->session, restore);
    return tn_session_apply(NULL, m->session, command);
}

/* All of it again without threads: the state is the same to the bit. */
static void check_replay(const char *text, const record *r, uint64_t hash)
{
    machine m = begin(text);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    for (long k = 0; k < r->count; k++) {
        for (long step = 0; step < r->steps[k]; step++)
            tn_session_step(m.session);
        if (tn_session_time(m.session) != r->times[k])
            fail_msg("command %ld: the replay is at %.17g s, not at %.17g s", k, tn_session_time(m.session), r->times[k]);
        carry_out(&m, r->commands[k]);
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

static void storm(size_t which)
{
    const char *size = getenv("TENON_STORM"), *text = texts[which];
    long count = (size ? atol(size) : STORM) / (long)TN_LENGTH(texts);
    record r = { .commands = calloc((size_t)count, COMMAND_SIZE), .times = calloc((size_t)count, sizeof(double)),
                 .steps = calloc((size_t)count, sizeof(long)), .in_order = true };
    pthread_t threads[THREADS];
    poster posters[THREADS];
    tn_runner *runner;
    machine m = begin(text);
    assert_non_null(r.commands);
    assert_non_null(r.times);
    assert_non_null(r.steps);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_runner_start(&runner, m.session, 1e-3, remember, &r));
    tn_runner_on_turn(runner, count_steps, &r);
    tn_runner_set_speed(runner, INFINITY);
    for (int k = 0; k < THREADS; k++) {
        posters[k] = (poster){ .runner = runner, .random = 2654435761u * (unsigned)(k + 1 + 10 * (int)which),
                               .dimension = tn_model_dimension(m.model),
                               .parts = tn_model_count(m.model, TN_KIND_SUBSYSTEM) > 0, .count = count / THREADS, .record = &r };
        assert_int_equal(pthread_create(&threads[k], NULL, post_all, &posters[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; k++)
        assert_false(posters[k].failed);
    tn_reply last;
    assert_int_equal(tn_runner_wait(&last, runner, count / THREADS * THREADS, 120), TN_OK);
    uint64_t hash = tn_runner_now(runner).hash;        /* after the last command */
    tn_runner_stop(runner);
    assert_int_equal(r.count, count / THREADS * THREADS);
    assert_true(r.in_order);
    assert_true(r.done > r.count / 4 && r.refused > r.count / 20);
    check_finite(&m);
    check_replay(text, &r, hash);
    machine_close(&m);
    free(r.commands);
    free(r.times);
    free(r.steps);
}

static void test_storm_in_the_plane(void **state)
{
    (void)state;
    storm(0);
}

static void test_storm_in_space(void **state)
{
    (void)state;
    storm(1);
}

static void test_storm_on_fuses_and_latches(void **state)
{
    (void)state;
    storm(2);
}

static void test_storm_on_subsystems(void **state)
{
    (void)state;
    storm(3);
}

/* Whatever is done to them, what models have of energy is what they began with and what was put in. */
static void test_energy_is_accounted_for(void **state)
{
    (void)state;
    long done = 0;
    for (unsigned seed = 1; seed <= 60; seed++) {
        machine m = begin(texts[seed % TN_LENGTH(texts)]);
        tn_solve solve = accurate(10);
        solve.tolerance = solve.absolute_tolerance = 1e-9;
        solve.max_step = 5e-3;
        machine_must(&m, tn_session_open(&m.session, m.model, &solve));
        poster p = { .random = seed, .dimension = tn_model_dimension(m.model), .gentle = true,
                     .parts = tn_model_count(m.model, TN_KIND_SUBSYSTEM) > 0 };
        for (int k = 0; k < 50; k++) {
            char command[COMMAND_SIZE];
            make_command(&p, command, sizeof command);
            done += carry_out(&m, command) == TN_OK;
            for (int step = 0; step < 4; step++)
                tn_session_step(m.session);
            tn_diagnostics_clear(m.context);
        }
        tn_summary sum = tn_session_summary(m.session);
        if (!(sum.energy_error < 1e-5 * fmax(sum.energy_peak, 1)))
            fail_msg("seed %u: energy error %g J, peak %g J", seed, sum.energy_error, sum.energy_peak);
        machine_close(&m);
    }
    assert_true(done > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_is_accounted_for),
        cmocka_unit_test(test_storm_in_the_plane),
        cmocka_unit_test(test_storm_in_space),
        cmocka_unit_test(test_storm_on_fuses_and_latches),
        cmocka_unit_test(test_storm_on_subsystems),
    };
    return cmocka_run_group_tests(tests, write_parts, remove_parts);
}
