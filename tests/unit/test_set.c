/* The command "set": fuse, latch, limits and ratchet of joints, masses of bodies; with state, text and descriptors. */
#include "edited.h"
#include "entities.h"
#include "tenon/history.h"

static const double G = 9.81;

static const char ARM[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: { mass: 2 kg, inertia: 0.5, com: [0.1, 0], position: [0.5, 0] }\n"
    "  shaped: { shapes: [ { disc: { radius: 0.1 }, density: 1000 } ], position: [5, 0] }\n"
    "joints:\n"
    "  pivot:\n"
    "    type: revolute   # the only one\n"
    "    between: [ground, arm]\n"
    "    at: [0, 0]\n"
    "    limits: { angle: [-1, 1], restitution: 0.5 }\n"
    "  hook: { type: revolute, between: [ground, arm], at: [1, 0], latch: { when: arm.position.y - 5 m } }\n"
    "  twin: { type: coupler, terms: { pivot.angle: 1 }, enabled: no }\n"
    "solve: { until: 5, tolerance: 1e-10, absolute_tolerance: 1e-10 }\n";

static tn_id find(const machine *m, const char *name)
{
    return tn_model_find(tn_session_model(m->session), name);
}

/* The text is the model, and says this; NULL: whatever. */
static void text_must_say(machine *m, const char *part)
{
    char *text = NULL;
    tn_model *read = NULL;
    machine_must(m, tn_session_text(&text, m->session));
    machine_must(m, tn_model_read_text(&read, m->context, text, strlen(text), "text.yaml", "."));
    machine_must(m, tn_model_align(read, tn_session_model(m->session)));
    if (!tn_model_same(read, tn_session_model(m->session)) || (part && !strstr(text, part)))
        fail_msg("no \"%s\", or another model:\n%s", part ? part : "", text);
    tn_model_destroy(read);
    tn_text_free(m->context, text);
}

static void must_refuse(machine *m, const char *command, const char *words)
{
    tn_diagnostics_clear(m->context);
    assert_int_equal(tn_session_apply(NULL, m->session, command), TN_ERROR_MODEL);
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        if (strstr(tn_diagnostics_get(m->context, k)->message, words))
            return;
    tn_diagnostics_print(m->context, stderr);
    fail_msg("nobody said: %s", words);
}

static double value_of(const machine *m, const char *channel)
{
    double value = NAN;
    machine_must(m, tn_session_value(&value, m->session, channel));
    return value;
}

static void test_limits(void **state)
{
    (void)state;
    machine m = start(ARM);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    uint64_t before = tn_session_hash(m.session);
    must_apply(&m, "{ set: { pivot.limits.angle.low: -40 deg } }");
    assert_true(tn_session_hash(m.session) == before);         /* the motion goes on as it is */
    text_must_say(&m, "limits: { angle: [-40 deg, 1], restitution: 0.5 }");
    must_apply(&m, "{ set: { pivot.limits.restitution: 0 } }");
    machine_must(&m, tn_session_advance(m.session, 3));
    assert_near(value_of(&m, "pivot.angle"), -40 * 3.14159265358979323846 / 180, 1e-10);
    must_apply(&m, "{ set: { pivot.limits.angle: [none, 0.5] } }");
    text_must_say(&m, "limits: { angle: [none, 0.5], restitution: 0 }");
    machine_must(&m, tn_session_advance(m.session, 0.5));
    assert_true(value_of(&m, "pivot.angle") < -0.75);
    must_apply(&m, "{ set: { pivot.limits.angle.high: none } }");
    assert_int_equal(tn_model_limit_count(tn_session_model(m.session), find(&m, "pivot")), 0);
    text_must_say(&m, "type: revolute  # the only one");
    must_apply(&m, "{ set: { pivot.limits.angle.high: 2, hook.limits: { angle: [0, 1] } } }");
    text_must_say(&m, "limits: { angle: [none, 2] }");
    for (int k = 0; k < 5; k++)
        machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    text_must_say(&m, "limits: { angle: [-1, 1], restitution: 0.5 }");
    machine_close(&m);
}

static void test_fuse_and_latch(void **state)
{
    (void)state;
    machine m = start(ARM);
    must_apply(&m, "{ set: { pivot.fuse.force: 1 kN } }");
    text_must_say(&m, "fuse: { force: 1 kN }");
    must_apply(&m, "{ set: { pivot.fuse: { torque: 3 N m, force: 1 MN } } }");
    assert_near(tn_model_fuse(tn_session_model(m.session), find(&m, "pivot")).torque, 3, 0);
    must_apply(&m, "{ set: { pivot.fuse.torque: none } }");
    text_must_say(&m, "fuse: { force: 1 MN }");
    must_apply(&m, "{ set: { pivot.fuse.force: none } }");
    text_must_say(&m, NULL);
    assert_true(isnan(tn_model_fuse(tn_session_model(m.session), find(&m, "pivot")).force));
    must_apply(&m, "{ set: { pivot.fuse.force: 1 N } }");
    machine_must(&m, tn_session_advance(m.session, 0.01));
    assert_false(tn_model_enabled(tn_session_model(m.session), find(&m, "pivot")));        /* the weight is more */
    must_apply(&m, "{ set: { hook.latch.crosses: down } }");
    text_must_say(&m, "latch: { when: arm.position.y - 5 m, crosses: down }");
    must_apply(&m, "{ set: { hook.latch: none } }");
    assert_false(tn_model_enabled(tn_session_model(m.session), find(&m, "hook")));         /* as it was */
    text_must_say(&m, "enabled: no");
    must_apply(&m, "{ set: { hook.latch.when: t - 0.5 s, hook.latch.closing: snap } }");
    text_must_say(&m, "latch: { when: t - 0.5 s, closing: snap }");
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_true(tn_model_enabled(tn_session_model(m.session), find(&m, "hook")));
    machine_close(&m);
}

static void test_ratchet(void **state)
{
    (void)state;
    machine m = start(ARM);
    must_apply(&m, "{ set: { pivot.ratchet: { way: down, pitch: 30 deg } } }");
    text_must_say(&m, "ratchet: { way: down, pitch: 30 deg }");
    must_apply(&m, "{ set: { pivot.ratchet.pitch: 0.4, pivot.limits: none } }");
    text_must_say(&m, "ratchet: { way: down, pitch: 0.4 }");
    machine_must(&m, tn_session_advance(m.session, 5));
    double angle = value_of(&m, "pivot.angle");
    assert_true(angle < -0.5 * 3.14159265358979323846);
    assert_near(angle, -0.4 * round(-angle / 0.4), 1e-9);
    must_apply(&m, "{ set: { pivot.ratchet: none } }");
    text_must_say(&m, NULL);
    machine_close(&m);
}

/* Places and velocities stay; what it weighs counts from then on. */
static void test_mass(void **state)
{
    (void)state;
    machine m = start(ARM);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    double x[] = { value_of(&m, "arm.position.x"), value_of(&m, "arm.position.y"), value_of(&m, "arm.velocity.x"),
                   value_of(&m, "arm.velocity.y"), value_of(&m, "arm.angular_velocity") };
    tn_ack ack = must_apply(&m, "{ set: { arm.mass: 3 kg, arm.inertia: 0.7, arm.com: [0.2, 0] } }");
    assert_true(ack.changed);
    assert_near(value_of(&m, "arm.position.x"), x[0], 1e-15);
    assert_near(value_of(&m, "arm.position.y"), x[1], 1e-15);
    assert_near(value_of(&m, "arm.velocity.x"), x[2], 1e-14);
    assert_near(value_of(&m, "arm.velocity.y"), x[3], 1e-14);
    assert_near(value_of(&m, "arm.angular_velocity"), x[4], 1e-14);
    double angle = value_of(&m, "pivot.angle");
    assert_near(value_of(&m, "pivot.angle.acceleration"), -3 * G * 0.7 * cos(angle) / (0.7 + 3 * 0.7 * 0.7), 1e-11);
    text_must_say(&m, "arm: { mass: 3 kg, inertia: 0.7, com: [0.2, 0], position: [0.5, 0] }");
    machine_must(&m, tn_session_advance(m.session, 0.1));
    assert_near(value_of(&m, "energy.error"), 0, 1e-8);
    uint64_t before = tn_session_hash(m.session);
    must_apply(&m, "{ set: { arm.mass: 4 kg } }");
    assert_true(tn_session_hash(m.session) == before);
    machine_close(&m);
}

static void test_refused(void **state)
{
    (void)state;
    machine m = start(ARM);
    must_refuse(&m, "{ set: { arm.mass: -1 } }", "mass");
    must_refuse(&m, "{ set: { arm.weight: 1 } }", "of body 'arm' mass, com and inertia can be set, not 'weight'");
    must_refuse(&m, "{ set: { shaped.mass: 1 } }", "its mass is that of its shapes");
    must_refuse(&m, "{ set: { ground.mass: 1 } }", "of 'ground' nothing can be set");
    must_refuse(&m, "{ set: { amr.mass: 1 } }", "no body, joint, force or contact 'amr'; did you mean 'arm'?");
    must_refuse(&m, "{ set: { solve.tolerance: 1e-9 } }", "settings have an edit of their own: { solve: { tolerance: ... } }");
    must_refuse(&m, "{ set: { pivot.limits.angel: [0, 1] } }", "did you mean 'angle'?");
    must_refuse(&m, "{ set: { pivot.limits.angle.mid: 1 } }", "a limit has 'angle.low' and 'angle.high'");
    must_refuse(&m, "{ set: { pivot.limits.angle.low: 2 } }", "must be below the upper one");
    must_refuse(&m, "{ set: { hook.limits.restitution: 1 } }", "there are no limits");
    must_refuse(&m, "{ set: { hook.limits.angle: none } }", "'angle' is not limited");
    must_refuse(&m, "{ set: { pivot.fuse: { } } }", "'fuse' needs a force, a torque or both");
    must_refuse(&m, "{ set: { pivot.fuse.force: -2 } }", "force");
    must_refuse(&m, "{ set: { pivot.latch.crosses: up } }", "'when' is missing");
    must_refuse(&m, "{ set: { twin.limits: { angle: [0, 1] } } }", "a coupling takes no 'limits'");
    must_refuse(&m, "{ set: { pivot.ratchet.pitch: 1 m } }", "1 m");
    machine_close(&m);
}

static tn_property property_of(const machine *m, const char *owner, const char *name)
{
    const tn_model *model = tn_session_model(m->session);
    tn_property p = { .value = NAN };
    for (size_t k = 0; k < tn_model_property_count(model, find(m, owner)); k++) {
        machine_must(m, tn_model_property(&p, model, find(m, owner), k));
        if (strcmp(p.name, name) == 0)
            return p;
    }
    fail_msg("%s has no property %s", owner, name);
    return p;
}

/* Every descriptor's name is one that "set" takes, with a value in its unit. */
static void test_descriptors(void **state)
{
    (void)state;
    machine m = start(ARM);
    static const struct { const char *name, *value, *unit; double number; } fields[] = {
        { "fuse.force", "2 kN", "N", 2000 },          { "fuse.torque", "7", "N m", 7 },
        { "latch.when", "t - 9 s", "", NAN },         { "latch.crosses", "up", "", NAN },
        { "latch.closing", "snap", "", NAN },         { "limits.angle.low", "-2", "rad", -2 },
        { "limits.angle.high", "90 deg", "rad", 1.5707963267948966 },
        { "limits.restitution", "0.25", "", 0.25 },   { "ratchet.coordinate", "angle", "", NAN },
        { "ratchet.way", "down", "", NAN },           { "ratchet.pitch", "0.1", "rad", 0.1 },
        { "ratchet.restitution", "0.5", "", 0.5 },
    };
    assert_near(property_of(&m, "pivot", "limits.angle.low").value, -1, 0);
    assert_true(isnan(property_of(&m, "pivot", "ratchet.pitch").value));
    for (size_t k = 0; k < TN_LENGTH(fields); k++) {
        char command[120];
        snprintf(command, sizeof command, "{ set: { pivot.%s: %s } }", fields[k].name, fields[k].value);
        must_apply(&m, command);
        tn_property p = property_of(&m, "pivot", fields[k].name);
        assert_string_equal(p.unit, fields[k].unit);
        assert_true(strlen(p.doc) > 3 && !p.fixed);
        if (isnan(fields[k].number))
            assert_string_equal(p.expression, fields[k].value);
        else
            assert_near(p.value, fields[k].number, 1e-15);
    }
    assert_int_equal(tn_model_property_count(tn_session_model(m.session), find(&m, "pivot")), TN_LENGTH(fields));
    assert_false(property_of(&m, "arm", "inertia").fixed);
    assert_true(property_of(&m, "shaped", "mass").fixed);
    assert_int_equal(tn_model_property_count(tn_session_model(m.session), find(&m, "twin")), 1);   /* its offset */
    text_must_say(&m, NULL);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits), cmocka_unit_test(test_fuse_and_latch), cmocka_unit_test(test_ratchet),
        cmocka_unit_test(test_mass),   cmocka_unit_test(test_refused),        cmocka_unit_test(test_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
