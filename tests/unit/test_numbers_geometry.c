/* Numbers that change geometry while a model runs (parameters of joints, centres of mass, inertia) and numbers of devices:
 * nothing is copied or compiled, and all comes out as if it had been, to the bit. */
#include "number_edits.h"
#include <math.h>

static const char PLANAR[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { tip: { at: [0.5, 0.1] }, eye: { at: [0.2, 0.3] } } }\n"
    "  b: { mass: 2, inertia: 0.2, position: [1.5, 0] }\n"
    "  w1: { mass: 1, inertia: 0.2, position: [0, 3], com: [0.01, 0] }\n"
    "  w2: { mass: 1, inertia: 0.3, position: [1, 3] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [-9 rad, 9 rad] } }\n"
    "  rod: { type: rod, between: [a.tip, b] }          # length as built\n"
    "  axle1: { type: revolute, between: [ground, w1], at: [0, 3] }\n"
    "  axle2: { type: revolute, between: [ground, w2], at: [1, 3] }\n"
    "  mesh: { type: gear, joints: [axle1, axle2], ratio: 2 }\n"
    "forces:\n"
    "  s: { type: spring, between: [a.eye, b], stiffness: 3 N/m, length: 0.5 }\n"
    "  m: { type: torque, on: a, value.z: 0.1 N m + 0.01 N * a.tip.position.y }\n"
    "outputs: [a.position.x, a.angle, a.tip.velocity.y, a.tip.acceleration.x, rod.reaction.force.x]\n"
    "events: { low: { when: a.tip.position.y + 0.3 m, do: { log: low } } }\n"
    "solve: { until: 2, tolerance: 1e-8 }\n";

static const char SPATIAL[] =
    "tenon: 1\n"
    "dimension: 3\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
    "  b: { mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.1, 0, 0], position: [1.5, 0, 0], angular_velocity: [1, 2, 3], frames: { eye: { at: [0.5, 0.1, 0] } } }\n"
    "  wheel: { mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 5, 0], angular_velocity: [0, 0, 4] }\n"
    "joints:\n"
    "  ball: { type: spherical, between: [ground, a], at: [0, 0, 0] }\n"
    "  elbow: { type: spherical, between: [a, b], at: [1, 0, 0] }\n"
    "  axle: { type: revolute, between: [ground, wheel], at: [0, 5, 0], axis: [0, 0, 1] }\n"
    "forces:\n"
    "  s: { type: spring, between: [ground, b.eye], stiffness: 3 N/m, length: 0.5 }\n"
    "outputs: [b.orientation.z, b.velocity.x, b.angular_acceleration.z, elbow.reaction.force.x]\n"
    "solve: { until: 2, tolerance: 1e-8 }\n";

static const char CIRCUIT[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies: { w: { mass: 1, inertia: 0.1 } }\n"
    "joints: { axle: { type: revolute, between: [ground, w], at: [0, 0] } }\n"
    "devices:\n"
    "  source: { type: voltage-source, at: { p: top, n: ground }, value: 5 V }\n"
    "  R: { type: resistor, at: { p: top, n: low }, resistance: 10 ohm }\n"
    "  C: { type: capacitor, at: { p: low, n: ground }, capacitance: 10 mF }\n"
    "outputs: [low.voltage]\n"
    "solve: { until: 2, tolerance: 1e-8 }\n";

typedef struct number_case {
    const char *model, *command;
} number_case;

static const number_case cases[] = {
    { PLANAR, "set: { a.com: [0.1, 0.05] }" },
    { PLANAR, "set: { a.com: [0.02, 0], b.mass: 3, b.inertia: 0.4 }" },
    { PLANAR, "set: { rod.length: 0.5099019513692784 m }" },
    { PLANAR, "set: { mesh.offset: 1e-11, a.com: [0, 0.1], s.stiffness: 4 }" },
    { SPATIAL, "set: { a.com: [0.1, 0.02, 0.03] }" },
    { SPATIAL, "set: { b.inertia: [0.3, 0.35, 0.4, 0.02, 0.03, 0.01] }" },
    { SPATIAL, "set: { b.mass: 3, b.com: [0, 0.1, 0] }" },
    { SPATIAL, "set: { b.com: [0, 0, 0], b.inertia: [0.2, 0.2, 0.2] }" },
};

/* Two keys in a command make it an edit like any other: the same numbers, by the other way. */
static void test_same_as_compiled(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        machine m[2];
        char *text[2];
        for (int n = 0; n < 2; n++) {
            m[n] = start(cases[k].model, NULL);
            machine_must(&m[n], tn_session_advance(m[n].session, 0.3));
            apply(&m[n], "set: { s.length: 0.6 }", n == 1);
            const tn_model *model = tn_session_model(m[n].session);
            const tn_system *system = m[n].session->system;
            apply(&m[n], cases[k].command, n == 1);
            assert_true((tn_session_model(m[n].session) == model) == (n == 0));
            assert_true((m[n].session->system == system) == (n == 0));
            machine_must(&m[n], tn_session_advance(m[n].session, 1));
            machine_must(&m[n], tn_session_text(&text[n], m[n].session));
        }
        if (tn_session_hash(m[0].session) != tn_session_hash(m[1].session))
            fail_msg("%s: another motion than by a recompile", cases[k].command);
        assert_near(value(&m[0], "energy.error"), value(&m[1], "energy.error"), 1e-9);
        assert_true(fabs(value(&m[0], "energy.error")) < 1e-5);
        assert_string_equal(text[0], text[1]);
        for (int n = 0; n < 2; n++) {
            tn_text_free(m[n].context, text[n]);
            machine_close(&m[n]);
        }
    }
}

/* Channels that were found before the numbers changed tell the present values. */
static void test_channels_follow(void **state)
{
    (void)state;
    static const char *const planar[] = { "a.position.x", "a.angle", "a.tip.velocity.y", "a.tip.acceleration.x", "low.count" };
    static const char *const spatial[] = { "b.orientation.z", "b.velocity.x", "b.angular_acceleration.z", "elbow.reaction.force.x" };
    for (int space = 0; space < 2; space++) {
        const char *const *names = space ? spatial : planar;
        const size_t count = space ? TN_LENGTH(spatial) : TN_LENGTH(planar);
        machine m[2];
        for (int n = 0; n < 2; n++) {
            m[n] = start(space ? SPATIAL : PLANAR, NULL);
            for (size_t k = 0; k < count; k++)
                (void)value(&m[n], names[k]);
            machine_must(&m[n], tn_session_advance(m[n].session, 0.3));
            double before = value(&m[n], "a.position.x");
            apply(&m[n], space ? "set: { b.com: [0.2, 0.1, 0], a.com: [0, 0.1, 0] }" : "set: { a.com: [0.2, 0.1] }", n == 1);
            assert_near(value(&m[n], "a.position.x"), before, 1e-14);
            machine_must(&m[n], tn_session_advance(m[n].session, 0.7));
        }
        for (size_t k = 0; k < count; k++)
            assert_near(value(&m[0], names[k]), value(&m[1], names[k]), 0);
        for (int n = 0; n < 2; n++)
            machine_close(&m[n]);
    }
}

static void test_undo_and_redo(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        machine m = start(cases[k].model, NULL);
        char *before, *now;
        machine_must(&m, tn_session_advance(m.session, 0.3));
        apply(&m, "set: { s.length: 0.6 }", false);
        uint64_t hash = tn_session_hash(m.session);
        machine_must(&m, tn_session_text(&before, m.session));
        apply(&m, cases[k].command, false);
        uint64_t changed = tn_session_hash(m.session);
        machine_must(&m, tn_session_advance(m.session, 0.4));
        uint64_t later = tn_session_hash(m.session);
        machine_must(&m, tn_session_undo(NULL, m.session, true));
        assert_true(tn_session_hash(m.session) == hash);
        machine_must(&m, tn_session_text(&now, m.session));
        assert_string_equal(now, before);
        machine_must(&m, tn_session_redo(NULL, m.session, true));
        assert_true(tn_session_hash(m.session) == later);
        machine_must(&m, tn_session_undo(NULL, m.session, true));
        apply(&m, cases[k].command, false);
        assert_true(tn_session_hash(m.session) == changed);
        machine_must(&m, tn_session_advance(m.session, 0.1));
        machine_must(&m, tn_session_undo(NULL, m.session, false));      /* the model alone */
        machine_must(&m, tn_session_advance(m.session, 0.4));
        assert_true(tn_session_summary(m.session).energy_error < 1e-5);
        assert_true(tn_session_summary(m.session).max_drift < 1e-9);
        tn_text_free(m.context, now);
        tn_text_free(m.context, before);
        machine_close(&m);
    }
}

/* Among edits that compile, with a journal and a saved run. */
static void test_journal_and_save(void **state)
{
    (void)state;
    for (int space = 0; space < 2; space++) {
        place p = new_place();
        machine m = start(space ? SPATIAL : PLANAR, NULL), loaded = m;
        machine_must(&m, tn_session_journal(m.session, p.journal));
        for (size_t k = 0; k < TN_LENGTH(cases); k++) {
            if (cases[k].model != (space ? SPATIAL : PLANAR))
                continue;
            machine_must(&m, tn_session_advance(m.session, 0.05));
            apply(&m, cases[k].command, k % 3 == 2);
            if (k % 2)
                machine_must(&m, tn_session_undo(NULL, m.session, k % 4 == 1));
        }
        machine_must(&m, tn_session_advance(m.session, 0.05));
        machine_must(&m, tn_session_save(m.session, p.saved));
        machine_must(&m, tn_session_load(&loaded.session, m.context, p.saved));
        for (int k = 0; k < 2; k++) {
            assert_true(tn_session_hash(m.session) == tn_session_hash(loaded.session));
            machine_must(&m, tn_session_undo(NULL, m.session, false));
            machine_must(&m, tn_session_undo(NULL, loaded.session, false));
            machine_must(&m, tn_session_advance(m.session, 0.1));
            machine_must(&m, tn_session_advance(loaded.session, 0.1));
        }
        assert_true(tn_session_hash(m.session) == tn_session_hash(loaded.session));
        tn_session_close(loaded.session);
        machine_close(&m);
        assert_replays(p.journal);
        remove_place(&p);
    }
}

/* A length that the bodies do not have is refused, and nothing has changed; with 'snap' they are moved. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{ set: { rod.length: 1.2 } }", "{ set: { rod.length: -1 } }", "{ set: { rod.length: 1 kg } }",
        "{ set: { a.com: [1, 2, 3] } }", "{ set: { s.stiffness: 5, rod.length: 2 } }", "{ set: { a.com: [0.1, 0], rod.length: 2 } }",
    };
    machine m = start(PLANAR, NULL);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t hash = tn_session_hash(m.session);
    double reaction = value(&m, "rod.reaction.force.x");
    for (size_t k = 0; k < TN_LENGTH(wrong); k++) {
        assert_true(tn_session_apply(NULL, m.session, wrong[k]) < 0);
        assert_true(tn_session_hash(m.session) == hash);
        assert_near(value(&m, "rod.reaction.force.x"), reaction, 0);
    }
    tn_ack ack;
    machine_must(&m, tn_session_apply(&ack, m.session, "{ set: { rod.length: 1.2 }, closing: snap }"));
    assert_true(ack.displacement > 0.01);
    machine_close(&m);
}

static void test_devices(void **state)
{
    (void)state;
    machine m = start(CIRCUIT, NULL);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    apply(&m, "set: { R.resistance: 20 ohm }", false);
    const tn_system *system = m.session->system;
    double v = value(&m, "low.voltage"), t = 0.1, RC = 0.4;
    apply(&m, "set: { R.resistance: 40 ohm, source.value: 6 V }", false);
    assert_ptr_equal(m.session->system, system);
    machine_must(&m, tn_session_advance(m.session, t));
    assert_near(value(&m, "low.voltage"), 6 + (v - 6) * exp(-t / RC), 1e-6);
    machine_close(&m);
}

/* Another ratio at the angles of the start, where the gears mesh with any. */
static void test_ratio(void **state)
{
    (void)state;
    machine m = start(PLANAR, NULL);
    apply(&m, "set: { mesh.ratio: 3 }", false);
    const tn_system *system = m.session->system;
    apply(&m, "set: { mesh.ratio: 2.5 }", false);
    assert_ptr_equal(m.session->system, system);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    assert_true(fabs(value(&m, "axle1.angle")) > 1e-3);
    assert_near(value(&m, "axle1.angle"), -2.5 * value(&m, "axle2.angle"), 1e-9);
    machine_close(&m);
}

/* A slider that somebody moves for a minute leaves little behind. */
static void test_what_stays_behind(void **state)
{
    (void)state;
    machine m = start(PLANAR, NULL);
    apply(&m, "set: { a.com: [0.1, 0], mesh.ratio: 1.9 }", false);
    size_t system = tn_arena_used(m.session->system->arena), model = tn_arena_used(tn_session_model(m.session)->arena);
    for (int k = 0; k < 200; k++) {
        char command[80];
        snprintf(command, sizeof command, "set: { a.com: [%d mm, 0], mesh.ratio: %.3f }", k, 1.5 + 0.001 * k);
        apply(&m, command, false);
    }
    assert_int_equal(tn_arena_used(m.session->system->arena), system);
    assert_int_equal(tn_arena_used(tn_session_model(m.session)->arena), model);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_compiled), cmocka_unit_test(test_channels_follow),
        cmocka_unit_test(test_undo_and_redo),    cmocka_unit_test(test_journal_and_save),
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_devices),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_what_stays_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
