/* Numbers that are set while a model runs: nothing is copied or compiled, and all comes out as if it had been. */
#include "number_edits.h"
#include <math.h>

static const char MODEL[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: { at: [0, -1.9], normal: [0, 1] } } ] }\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0] }\n"
    "  b: { mass: 2, inertia: 0.2, position: [1.5, 0], shapes: [ { disc: { radius: 0.1 } } ] }   # the end\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [-4, 4] } }\n"
    "  elbow: { type: revolute, between: [a, b], at: [1, 0] }\n"
    "forces:\n"
    "  s: { type: spring, between: [ground, b], stiffness: 3 N/m, length: 0.5, damping: 0.1 }\n"
    "  c: { type: pid, joint: elbow, target: 0.2, kp: 3, kd: 0 }\n"
    "contacts: { floor: { between: [ground, b], restitution: 0.5, friction: 0.2 } }\n"
    "events: { stiff: { when: s.stiffness - 4 N/m, do: { log: stiff } } }\n"
    "outputs: [pivot.angle, s.tension]\n"
    "solve: { until: 2, tolerance: 1e-8 }\n";

/* Joints with stops, a fuse and a ratchet. */
static const char RULES[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0] }\n"
    "  b: { mass: 2, inertia: 0.2, position: [1.5, 0] }\n"
    "  c: { mass: 1, inertia: 0.1, position: [3.2, 0] }   # the wheel\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [-1, 0.5], restitution: 0.3 } }\n"
    "  elbow: { type: revolute, between: [a, b], at: [1, 0], fuse: { force: 500 N } }\n"
    "  axle: { type: revolute, between: [ground, c], at: [3, 0], ratchet: { pitch: 0.2, way: down } }\n"
    "outputs: [pivot.angle, axle.angle]\n"
    "solve: { until: 2, tolerance: 1e-8 }\n";

static const char *const rule_commands[] = {
    "set: { pivot.limits.restitution: 0.7 }",
    "set: { pivot.limits.angle: [-0.9, 0.45] }",
    "set: { pivot.limits.angle.low: -0.7, pivot.limits.angle.high: -0.05 }",
    "set: { elbow.fuse.force: 30 N }",
    "set: { axle.ratchet.pitch: 0.03, axle.ratchet.restitution: 0.4 }",
    "set: { axle.ratchet: { pitch: 0.5, way: down }, elbow.fuse: { force: 100 } }",
};

static const char *const commands[] = {
    "set: { s.stiffness: 5 N/m }",
    "set: { s.stiffness: 2.5 N/m, s.damping: 0.3, c.kp: 2 }",
    "set: { a.mass: 1500 g }",
    "set: { b.inertia: 0.3 }",
    "gravity: [1, -5]",
    "set: { floor.restitution: 0.1, floor.friction: 0.4 }",
    "set: { pivot.limits.angle.high: 3 }",
};

/* Runs on after two edits, in place or compiled. */
static machine run_with(const char *model_text, const char *first, const char *command, bool compiled)
{
    machine m = start(model_text, NULL);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    apply(&m, first, compiled);
    const tn_model *model = tn_session_model(m.session);
    const tn_system *system = m.session->system;
    long revision = tn_session_revision(m.session);
    apply(&m, command, compiled);
    assert_int_equal(tn_session_revision(m.session), revision + 1);
    assert_true((tn_session_model(m.session) == model) == !compiled);
    assert_true((m.session->system == system) == !compiled);
    machine_must(&m, tn_session_advance(m.session, 1));
    return m;
}

static void compare_with_compiled(const char *model_text, const char *first, const char *command, const char *comment,
                                  const char *const *channels)
{
    machine m[2];
    char *text[2];
    for (int n = 0; n < 2; n++) {
        m[n] = run_with(model_text, first, command, n == 1);
        machine_must(&m[n], tn_session_text(&text[n], m[n].session));
    }
    assert_true(tn_session_hash(m[0].session) == tn_session_hash(m[1].session));
    assert_near(value(&m[0], "energy.error"), value(&m[1], "energy.error"), 1e-9);
    for (; *channels; channels++)
        assert_near(value(&m[0], *channels), value(&m[1], *channels), 0);
    assert_string_equal(text[0], text[1]);
    assert_non_null(strstr(text[0], comment));
    for (int n = 0; n < 2; n++) {
        tn_text_free(m[n].context, text[n]);
        machine_close(&m[n]);
    }
}

/* Two keys in a command make it an edit like any other: the same numbers, by the other way. */
static void test_same_as_compiled(void **state)
{
    (void)state;
    static const char *const channels[] = { "s.tension", "stiff.count", NULL };
    for (size_t k = 0; k < TN_LENGTH(commands); k++)
        compare_with_compiled(MODEL, "set: { s.length: 0.6 }", commands[k], "# the end", channels);
}

static void test_rules_as_compiled(void **state)
{
    (void)state;
    static const char *const channels[] = { "axle.angle.tooth", "elbow.fuse.force.count", NULL };
    for (size_t k = 0; k < TN_LENGTH(rule_commands); k++)
        compare_with_compiled(RULES, "set: { a.mass: 1.1 }", rule_commands[k], "# the wheel", channels);
}

/* Undo takes the numbers back, where the state before the edit is restored and where it is not: what follows is as if they
 * had never been set. */
static void test_rules_after_undo(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(rule_commands); k++) {
        machine never = start(RULES, NULL), m = start(RULES, NULL);
        machine_must(&m, tn_session_advance(m.session, 0.3));
        machine_must(&never, tn_session_advance(never.session, 0.3));
        const uint64_t hash = tn_session_hash(m.session);
        apply(&m, rule_commands[k], false);
        machine_must(&m, tn_session_advance(m.session, 0.1));
        machine_must(&m, tn_session_undo(NULL, m.session, true));
        assert_true(tn_session_hash(m.session) == hash);
        machine_must(&m, tn_session_advance(m.session, 1));
        machine_must(&never, tn_session_advance(never.session, 1));
        assert_near(value(&m, "pivot.angle"), value(&never, "pivot.angle"), 0);
        assert_near(value(&m, "axle.angle.tooth"), value(&never, "axle.angle.tooth"), 0);
        assert_near(value(&m, "elbow.fuse.force.value"), value(&never, "elbow.fuse.force.value"), 0);
        machine_close(&m);
        machine_close(&never);
    }
}

/* Back to the moment before, to the bit; and back in the model only, with the motion of now. */
static void test_undo_and_redo(void **state)
{
    (void)state;
    machine m = start(MODEL, NULL);
    char *before, *after, *now;
    machine_must(&m, tn_session_advance(m.session, 0.3));
    apply(&m, "set: { s.length: 0.6 }", false);
    uint64_t hash = tn_session_hash(m.session);
    machine_must(&m, tn_session_text(&before, m.session));
    for (size_t k = 0; k < TN_LENGTH(commands); k++)
        apply(&m, commands[k], false);
    machine_must(&m, tn_session_text(&after, m.session));
    machine_must(&m, tn_session_advance(m.session, 0.4));
    uint64_t later = tn_session_hash(m.session);
    for (size_t k = 0; k < TN_LENGTH(commands); k++)
        machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == hash);
    machine_must(&m, tn_session_text(&now, m.session));
    assert_string_equal(now, before);
    tn_text_free(m.context, now);
    for (size_t k = 0; k < TN_LENGTH(commands); k++)
        machine_must(&m, tn_session_redo(NULL, m.session, true));
    machine_must(&m, tn_session_text(&now, m.session));
    assert_string_equal(now, after);
    assert_true(tn_session_hash(m.session) == later);
    for (size_t k = 0; k <= TN_LENGTH(commands); k++)
        machine_must(&m, tn_session_undo(NULL, m.session, false));
    assert_true(tn_session_hash(m.session) == later);
    assert_near(tn_session_model(m.session)->forces[0].parameters[0], 3, 0);
    assert_int_equal(tn_session_undo(NULL, m.session, false), TN_ERROR_ARGUMENT);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    assert_true(tn_session_summary(m.session).energy_error < 1e-5);
    tn_text_free(m.context, now);
    tn_text_free(m.context, before);
    tn_text_free(m.context, after);
    machine_close(&m);
}

/* Among edits that compile, with a journal and a saved run. */
static void test_journal_and_save(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(MODEL, NULL), loaded = m;
    machine_must(&m, tn_session_journal(m.session, p.journal));
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        machine_must(&m, tn_session_advance(m.session, 0.05));
        apply(&m, commands[k], k % 3 == 2);
        if (k % 2)
            machine_must(&m, tn_session_undo(NULL, m.session, k % 4 == 1));
    }
    machine_must(&m, tn_session_advance(m.session, 0.05));
    machine_must(&m, tn_session_save(m.session, p.saved));
    machine_must(&m, tn_session_load(&loaded.session, m.context, p.saved));
    assert_true(tn_session_hash(m.session) == tn_session_hash(loaded.session));
    machine_must(&m, tn_session_undo(NULL, m.session, false));
    machine_must(&m, tn_session_undo(NULL, loaded.session, false));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    machine_must(&m, tn_session_advance(loaded.session, 0.1));
    assert_true(tn_session_hash(m.session) == tn_session_hash(loaded.session));
    tn_session_close(loaded.session);
    machine_close(&m);
    assert_replays(p.journal);
    remove_place(&p);
}

/* A limit of a joint without coordinates is refused, also where another joint has limits. */
static void test_joint_without_coordinates(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\n"
                      "bodies: { a: { mass: 1, inertia: 1 }, b: { mass: 1, inertia: 1, position: [1, 0] } }\n"
                      "joints:\n"
                      "  pivot: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [-1, 1] } }\n"
                      "  weld: { type: fixed, between: [a, b], at: [1, 0] }\n", NULL);
    assert_true(tn_session_apply(NULL, m.session, "{ set: { weld.limits.angle.low: 0 } }") < 0);
    machine_close(&m);
}

/* What is refused leaves everything as it is; what changes nothing is no edit. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{ set: { c.reset_time: -1 s } }",          "{ set: { s.stiffness: 5 kg } }",  "{ set: { a.mass: 0 } }",
        "{ set: { floor.restitution: 2 } }",      "{ set: { nobody.mass: 1 } }",     "{ gravity: [1, 2, 3] }",
        "{ set: { pivot.limits.angle.high: -3 } }", "{ set: { s.stiffness: 4, s.length: 1 kg } }",
    };
    machine m = start(MODEL, NULL);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    apply(&m, commands[1], false);
    uint64_t hash = tn_session_hash(m.session);
    double tension = value(&m, "s.tension");
    for (size_t k = 0; k < TN_LENGTH(wrong); k++) {
        assert_true(tn_session_apply(NULL, m.session, wrong[k]) < 0);
        assert_true(tn_session_hash(m.session) == hash);
        assert_near(value(&m, "s.tension"), tension, 0);
    }
    tn_ack ack;
    machine_must(&m, tn_session_apply(&ack, m.session, "{ set: { s.stiffness: 2500 mN/m } }"));
    assert_false(ack.changed);
    machine_must(&m, tn_session_undo(NULL, m.session, false));
    assert_int_equal(tn_session_undo(NULL, m.session, false), TN_ERROR_ARGUMENT);
    machine_close(&m);
}

/* Zero means that something is not there: the first number in its place compiles, those after it do not. */
static void test_from_zero(void **state)
{
    (void)state;
    machine m = start(MODEL, NULL);
    machine_must(&m, tn_session_advance(m.session, 0.2));
    apply(&m, "set: { c.kd: 0.5 }", false);
    const tn_system *system = m.session->system;
    apply(&m, "set: { c.kd: 0.7 }", false);
    assert_ptr_equal(m.session->system, system);
    apply(&m, "set: { c.kd: 0 }", false);
    assert_ptr_equal(m.session->system, system);
    assert_near(value(&m, "c.wanted"), 3 * value(&m, "c.error") + value(&m, "c.integral"), 1e-12);
    machine_close(&m);
}

/* Sets all stiffnesses of a long row of springs and all masses between them with one command. */
static char *command_of_row(tn_context *context, int count, const char *more)
{
    tn_text command;
    char *words = NULL;
    tn_text_begin(&command, context);
    tn_text_add(&command, "{ set: {");
    for (int k = 0; k < count; k++)
        tn_text_add(&command, "%s s%d.stiffness: %d, b%d.mass: %g", k ? "," : "", k, 1000 + k, k, 1 + 0.01 * k);
    tn_text_add(&command, " }%s }", more);
    assert_int_equal(tn_text_take(&command, &words), TN_OK);
    return words;
}

static char *row_of_springs(tn_context *context, int count)
{
    tn_text model;
    char *words = NULL;
    tn_text_begin(&model, context);
    tn_text_add(&model, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int k = 0; k < count; k++)
        tn_text_add(&model, "  b%d: { mass: 1, inertia: 0.1, position: [0, -%d] }\n", k, k + 1);
    tn_text_add(&model, "forces:\n");
    for (int k = 0; k < count; k++)
        tn_text_add(&model, k == 0 ? "  s0: { type: spring, between: [ground, b0], stiffness: 900, length: 1 }\n"
                                   : "  s%d: { type: spring, between: [b%d, b%d], stiffness: 900, length: 1 }\n", k, k - 1, k);
    tn_text_add(&model, "solve: { until: 1, step: 1 ms, integrator: rk4 }\n");
    assert_int_equal(tn_text_take(&model, &words), TN_OK);
    return words;
}

/* One command sets as many numbers as it likes. */
static void test_many_at_once(void **state)
{
    (void)state;
    enum { COUNT = 150 };
    tn_context *context = tn_context_create(NULL);
    char *model = row_of_springs(context, COUNT);
    machine m[2] = { start(model, NULL), start(model, NULL) };
    for (int n = 0; n < 2; n++) {
        char *command = command_of_row(context, COUNT, n == 1 ? ", closing: refuse" : "");
        machine_must(&m[n], tn_session_advance(m[n].session, 0.1));
        const tn_system *system = m[n].session->system;
        machine_must(&m[n], tn_session_apply(NULL, m[n].session, command));
        assert_true((m[n].session->system == system) == (n == 0));
        machine_must(&m[n], tn_session_advance(m[n].session, 0.1));
        tn_text_free(context, command);
    }
    assert_true(tn_session_hash(m[0].session) == tn_session_hash(m[1].session));
    machine_must(&m[0], tn_session_undo(NULL, m[0].session, false));
    assert_near(tn_session_model(m[0].session)->forces[COUNT - 1].parameters[0], 900, 0);
    assert_near(tn_session_model(m[0].session)->bodies[COUNT].mass, 1, 0);
    for (int n = 0; n < 2; n++)
        machine_close(&m[n]);
    tn_text_free(context, model);
    tn_context_destroy(context);
}

/* A slider that somebody moves for a minute leaves little behind. */
static void test_what_stays_behind(void **state)
{
    (void)state;
    machine m = start(MODEL, NULL);
    apply(&m, commands[0], false);
    size_t arena = tn_arena_used(m.session->arena), system = tn_arena_used(m.session->system->arena);
    size_t model = tn_arena_used(tn_session_model(m.session)->arena);
    for (int k = 0; k < 500; k++) {
        char command[60];
        snprintf(command, sizeof command, "set: { s.stiffness: %d mN/m }", 3000 + k);
        apply(&m, command, false);
    }
    assert_int_equal(tn_arena_used(m.session->system->arena), system);
    assert_int_equal(tn_arena_used(tn_session_model(m.session)->arena), model);
    assert_true(tn_arena_used(m.session->arena) - arena < 500 * 100);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_compiled),
        cmocka_unit_test(test_rules_as_compiled),
        cmocka_unit_test(test_rules_after_undo),
        cmocka_unit_test(test_undo_and_redo),
        cmocka_unit_test(test_journal_and_save),
        cmocka_unit_test(test_joint_without_coordinates),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_from_zero),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_what_stays_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
