/* Fuses and latches of joints: joints that break under load, and joints that engage when something happens. */
#include "edited.h"
#include "replayed.h"
#include <math.h>
#include <unistd.h>
#include "session_impl.h"
#include "tenon/history.h"

/* A block that is pulled harder and harder. */
static const char HOOK[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies: { block: { mass: 2 kg, inertia: 0.1, frames: { top: { at: [0, 0.5] } } } }\n"
    "joints: { hook: { type: fixed, between: [ground, block], fuse: { force: 5 N } } }\n"
    "forces: { rope: { type: force, on: block, value: [3 * t, 4 * t] } }\n"
    "outputs: [hook.fuse.force.count]\n"
    "solve: { until: 5, integrator: dopri5, tolerance: 1e-11, absolute_tolerance: 1e-13 }\n";

static bool is_enabled(const machine *m, const char *name)
{
    const tn_model *model = tn_session_model(m->session);
    return tn_model_enabled(model, tn_model_find(model, name));
}

static void must_have_fired(const machine *m, size_t index, const char *event, double time, double tolerance)
{
    assert_true(tn_session_fired_count(m->session) > index);
    tn_fired fired = tn_session_fired(m->session, index);
    assert_string_equal(fired.event, event);
    assert_near(fired.time, time, tolerance);
}

/* ---- fuses ---- */

/* |F| = 5 t: it breaks at 1 s; from there on the block is free, x'' = 3 t / 2. */
static void test_a_fuse_breaks_at_the_instant(void **state)
{
    (void)state;
    machine m = start(HOOK);
    machine_must(&m, tn_session_advance(m.session, 3));
    assert_int_equal(tn_session_fired_count(m.session), 1);
    must_have_fired(&m, 0, "hook.fuse.force", 1, 1e-12);
    assert_false(is_enabled(&m, "hook"));
    double t = 3;
    assert_near(value(&m, "block.position.x"), (t * t * t - 3 * t + 2) / 4, 1e-9);
    assert_near(value(&m, "block.velocity.x"), 0.75 * (t * t - 1), 1e-9);
    assert_near(value(&m, "block.angular_velocity"), 0, 1e-12);
    assert_near(value(&m, "hook.fuse.force.count"), 1, 0);
    assert_near(value(&m, "hook.fuse.force.time"), 1, 1e-12);
    char *text = NULL;
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "enabled: no"));
    assert_non_null(strstr(text, "fuse: { force: 5 N }"));
    tn_text_free(m.context, text);
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-9 * sum.energy_peak);
    machine_close(&m);
}

static void test_enabling_arms_a_fuse_again(void **state)
{
    (void)state;
    machine m = start(HOOK);
    machine_must(&m, tn_session_advance(m.session, 1.5));
    assert_false(is_enabled(&m, "hook"));
    must_apply(&m, "{ set: { hook.fuse.force: 10 N }, enable: hook, closing: snap }");
    assert_true(is_enabled(&m, "hook"));
    machine_must(&m, tn_session_advance(m.session, 1));
    must_have_fired(&m, 1, "hook.fuse.force", 2, 1e-12);
    must_apply(&m, "{ enable: hook, closing: snap }");         /* 12.5 N already: it breaks at once */
    machine_must(&m, tn_session_advance(m.session, 1e-3));
    must_have_fired(&m, 2, "hook.fuse.force", 2.5, 1e-12);
    assert_false(is_enabled(&m, "hook"));
    machine_close(&m);
}

static void test_a_fuse_set_below_the_load_breaks_at_once(void **state)
{
    (void)state;
    machine m = start(HOOK);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    must_apply(&m, "{ set: { hook.fuse.force: 1 N } }");
    assert_true(is_enabled(&m, "hook"));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    must_have_fired(&m, 0, "hook.fuse.force", 0.5, 1e-12);
    machine_close(&m);
}

/* A torque about z of 2 t, and a pull of 3 t along the axis, in space. */
static void test_fuses_in_space(void **state)
{
    (void)state;
    static const struct { const char *fuse, *event; double time; } cases[] = {
        { "{ torque: 1 N m }", "hook.fuse.torque", 0.5 },
        { "{ force: 2.1 N }", "hook.fuse.force", 0.3 },            /* |(2, 3, 6)| t = 7 t */
        { "{ force: 2.1 N, torque: 0.5 N m }", "hook.fuse.torque", 0.25 },
    };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        machine m = machine_format(
            "tenon: 1\n"
            "bodies: { block: { mass: 1, inertia: [1, 1, 1] } }\n"
            "joints: { hook: { type: fixed, between: [ground, block], fuse: %s } }\n"
            "forces: { turn: { type: torque, on: block, value: [0, 0, 2 * t] },\n"
            "          pull: { type: force, on: block, value: [2 * t, 3 * t, 6 * t] } }\n", cases[k].fuse);
        machine_must(&m, tn_session_open(&m.session, m.model, NULL));
        machine_must(&m, tn_session_advance(m.session, 1));
        must_have_fired(&m, 0, cases[k].event, cases[k].time, 1e-10);
        machine_close(&m);
    }
}

static void test_undo_puts_a_fuse_back(void **state)
{
    (void)state;
    machine m = start(HOOK), plain = start(HOOK);
    machine_must(&m, tn_session_advance(m.session, 0.9));
    machine_must(&plain, tn_session_advance(plain.session, 0.9));
    machine_must(&m, tn_session_advance(m.session, 0.5));
    machine_must(&plain, tn_session_advance(plain.session, 0.5));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_near(tn_session_time(m.session), 1, 1e-12);
    assert_true(is_enabled(&m, "hook"));
    machine_must(&m, tn_session_redo(NULL, m.session, true));
    assert_false(is_enabled(&m, "hook"));
    assert_true(tn_session_hash(m.session) == tn_session_hash(plain.session));
    machine_close(&m);
    machine_close(&plain);
}

/* ---- latches ---- */

/* A bar turning about one end with 2 rad/s is caught at the other, and let go at the first. */
static machine caught(double inertia)
{
    machine m = machine_format(
        "tenon: 1\n"
        "dimension: 2\n"
        "bodies: { ground: { frames: { catch: { at: [%.17g, %.17g] } } }, bar: { mass: 3, inertia: %g, position: [0.5, 0],\n"
        "          frames: { a: { at: [-0.5, 0] }, b: { at: [0.5, 0] } } } }\n"
        "joints:\n"
        "  pin_a: { type: revolute, between: [ground, bar.a] }\n"
        "  pin_b: { type: revolute, between: [ground.catch, bar.b], latch: { when: 'pin_a.angle - 0.8', crosses: up } }\n"
        "events: { release: { when: 'pin_a.angle - 0.8', crosses: up, do: { disable: pin_a } } }\n"
        "initial: { pin_a: { rate: 2 } }\n"
        "solve: { tolerance: 1e-12, absolute_tolerance: 1e-14 }\n", cos(0.8), sin(0.8), inertia);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

/* Theory: two masses at the ends stop, a uniform rod turns back with half the speed. */
static void test_catching_a_moving_end(void **state)
{
    (void)state;
    static const struct { double inertia, after; } cases[] = { { 0.75, 0 }, { 0.25, -1 } };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        machine m = caught(cases[k].inertia);
        assert_false(is_enabled(&m, "pin_b"));
        machine_must(&m, tn_session_advance(m.session, 0.39));
        assert_near(value(&m, "bar.angular_velocity"), 2, 1e-9);
        machine_must(&m, tn_session_advance(m.session, 0.02));
        must_have_fired(&m, 0, "release", 0.4, 1e-9);
        must_have_fired(&m, 1, "pin_b.latch", 0.4, 1e-9);
        assert_true(is_enabled(&m, "pin_b"));
        assert_near(value(&m, "bar.angular_velocity"), cases[k].after, 1e-8);
        tn_summary sum = tn_session_summary(m.session);
        assert_true(sum.energy_error < 1e-8 * sum.energy_peak);
        char *text = NULL;
        machine_must(&m, tn_session_text(&text, m.session));
        assert_non_null(strstr(text, "enabled: yes"));
        tn_text_free(m.context, text);
        machine_close(&m);
    }
}

static const char FALLING[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -10]\n"
    "bodies: { ground: { frames: { shelf: { at: [0.1, -5] } } }, ball: { type: particle, mass: 1 } }\n"
    "joints: { hold: { type: %s, between: [ground.shelf, ball], latch: { when: 'ball.position.y + 5'%s } } }\n"
    "solve: { tolerance: 1e-11, absolute_tolerance: 1e-13 }\n";

/* What is apart when the latch engages: an error at the joint, or moved together. */
static void test_latches_honour_closing(void **state)
{
    (void)state;
    machine m = machine_format(FALLING, "revolute", "");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    assert_int_equal(tn_session_advance(m.session, 2), TN_ERROR_ASSEMBLY);
    assert_near(tn_session_time(m.session), 1, 1e-9);
    machine_close(&m);
    m = machine_format(FALLING, "revolute", ", closing: snap");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_session_advance(m.session, 2));
    assert_near(value(&m, "ball.position.x"), 0.1, 1e-9);
    assert_near(value(&m, "ball.velocity.y"), 0, 1e-9);
    assert_int_equal(tn_session_fired_count(m.session), 1);
    assert_non_null(strstr(tn_session_log_entry(m.session, 0).text, "enabled hold; bodies moved by up to 0.1 m"));
    must_apply(&m, "{ disable: hold }");                       /* falls on, and the latch is ready again */
    machine_must(&m, tn_session_advance(m.session, 0.5));
    assert_near(value(&m, "ball.velocity.y"), -5, 1e-9);
    machine_close(&m);
}

/* ---- keeping, bad input ---- */

static void test_journals_and_saved_runs(void **state)
{
    (void)state;
    char folder[] = "/tmp/tenon-trigger-XXXXXX", journal[80], saved[80];
    assert_non_null(mkdtemp(folder));
    snprintf(journal, sizeof journal, "%s/journal", folder);
    snprintf(saved, sizeof saved, "%s/run.tenon", folder);
    machine m = start(HOOK);
    machine_must(&m, tn_session_journal(m.session, journal));
    machine_must(&m, tn_session_advance(m.session, 0.5));
    must_apply(&m, "{ set: { hook.fuse.force: 1 N } }");
    machine_must(&m, tn_session_save(m.session, saved));       /* it is due to break */
    machine_must(&m, tn_session_advance(m.session, 1));
    uint64_t hash = tn_session_hash(m.session);
    tn_session *loaded = NULL;
    machine_must(&m, tn_session_load(&loaded, m.context, saved));
    machine_must(&m, tn_session_advance(loaded, 1));
    assert_true(tn_session_hash(loaded) == hash);
    tn_session_close(loaded);
    machine_close(&m);
    assert_true(assert_replays(journal) == hash);
    unlink(journal);
    unlink(saved);
    rmdir(folder);
}

static void test_wrong_fuses_and_latches(void **state)
{
    (void)state;
    static const struct { const char *joint, *message; } cases[] = {
        { "{ type: fixed, between: [ground, block], fuse: {} }", "needs a force" },
        { "{ type: fixed, between: [ground, block], fuse: { force: -1 } }", "force" },
        { "{ type: fixed, between: [ground, block], fuse: { force: 3 m } }", "force" },
        { "{ type: fixed, between: [ground, block], fuse: { froce: 3 } }", "did you mean 'force'" },
        { "{ type: fixed, between: [ground, block], latch: {} }", "'when' is missing" },
        { "{ type: fixed, between: [ground, block], latch: { when: 1, crosses: across } }", "crosses" },
        { "{ type: gear, joints: [p, q], fuse: { force: 1 } }", "takes no 'fuse'" },
    };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        char text[600];
        tn_context *context = tn_context_create(NULL);
        tn_model *model = NULL;
        bool found = false;
        snprintf(text, sizeof text, "tenon: 1\ndimension: 2\nbodies: { block: { mass: 1, inertia: 1 } }\n"
                 "joints: { hook: %s }\n", cases[k].joint);
        assert_true(tn_model_read_text(&model, context, text, strlen(text), "m.yaml", ".") < 0);
        for (size_t i = 0; i < tn_diagnostics_count(context); i++)
            found = found || strstr(tn_diagnostics_get(context, i)->message, cases[k].message);
        if (!found)
            fail_msg("%s: no '%s'", cases[k].joint, cases[k].message);
        tn_context_destroy(context);
    }
    machine m = start(HOOK);
    uint64_t hash = tn_session_hash(m.session);
    static const char *const commands[] = { "{ set: { hook.fuse.force: -1 } }", "{ set: { hook.fuse.force: 1 m } }",
                                            "{ set: { hook.fuse.fire: 1 } }", "{ set: { rope.fuse.force: 1 } }" };
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        assert_true(tn_session_apply(NULL, m.session, commands[k]) < 0);
        assert_true(tn_session_hash(m.session) == hash);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fuse_breaks_at_the_instant),
        cmocka_unit_test(test_enabling_arms_a_fuse_again),
        cmocka_unit_test(test_a_fuse_set_below_the_load_breaks_at_once),
        cmocka_unit_test(test_fuses_in_space),
        cmocka_unit_test(test_undo_puts_a_fuse_back),
        cmocka_unit_test(test_catching_a_moving_end),
        cmocka_unit_test(test_latches_honour_closing),
        cmocka_unit_test(test_journals_and_saved_runs),
        cmocka_unit_test(test_wrong_fuses_and_latches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
