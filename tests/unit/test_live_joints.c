/* Commands about joints that are there: lock, unlock, move. */
#include "edited.h"
#include <math.h>
#include "session_impl.h"

static const char LINKS[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }\n"
    "  b: { mass: 2, inertia: 0.2, position: [1.5, 0], frames: { start: { at: [-0.5, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [a.end, b.start] }\n"
    "drives: { motor: { joint: pivot, rate: 1, enabled: no } }\n"
    "solve: { until: 5, integrator: dopri5, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n";

static void must_agree(machine *m)
{
    char *text = NULL;
    tn_model *read = NULL;
    machine_must(m, tn_session_text(&text, m->session));
    machine_must(m, tn_model_read_text(&read, m->context, text, strlen(text), "text.yaml", "."));
    machine_must(m, tn_model_align(read, tn_session_model(m->session)));
    if (!tn_model_same(read, tn_session_model(m->session)))
        fail_msg("this text is another model:\n%s", text);
    tn_model_destroy(read);
    tn_text_free(m->context, text);
}

/* Angular momentum of both links about the pivot. */
static double momentum_about_pivot(machine *m)
{
    static const struct { const char *name; double mass, inertia; } links[] = { { "a", 1, 0.1 }, { "b", 2, 0.2 } };
    double sum = 0;
    for (size_t k = 0; k < TN_LENGTH(links); k++) {
        static const char *const what[] = { "position.x", "position.y", "velocity.x", "velocity.y", "angular_velocity" };
        double v[5];
        for (size_t i = 0; i < TN_LENGTH(what); i++) {
            char channel[60];
            snprintf(channel, sizeof channel, "%s.%s", links[k].name, what[i]);
            v[i] = value(m, channel);
        }
        sum += links[k].mass * (v[0] * v[3] - v[1] * v[2]) + links[k].inertia * v[4];
    }
    return sum;
}

/* The links become one body: the impulse keeps the angular momentum about the pivot, and costs energy. */
static void test_locking_is_an_impulse(void **state)
{
    (void)state;
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.8));
    double angle = value(&m, "elbow.angle"), x = value(&m, "b.position.x"), momentum = momentum_about_pivot(&m);
    double kinetic = value(&m, "energy.kinetic");
    tn_ack ack = must_apply(&m, "{ lock: elbow }");
    assert_string_equal(ack.text, "locked elbow");
    assert_near(value(&m, "elbow.rate"), 0, 1e-12);
    assert_near(value(&m, "b.position.x"), x, 1e-12);
    assert_near(momentum_about_pivot(&m), momentum, 1e-11);
    assert_near(value(&m, "energy.kinetic") - kinetic, ack.energy_change, 1e-11);
    assert_true(ack.energy_change < -0.01);
    assert_false(must_apply(&m, "{ lock: elbow }").changed);
    must_agree(&m);
    machine_must(&m, tn_session_advance(m.session, 3));
    assert_near(value(&m, "elbow.angle"), angle, 1e-8);
    uint64_t hash = tn_session_hash(m.session);
    double rate = value(&m, "b.angular_velocity");
    ack = must_apply(&m, "{ unlock: elbow }");
    assert_string_equal(ack.text, "unlocked elbow");
    assert_near(ack.energy_change, 0, 0);
    assert_near(value(&m, "b.angular_velocity"), rate, 0);
    assert_false(must_apply(&m, "{ unlock: elbow }").changed);
    must_agree(&m);
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_true(fabs(value(&m, "elbow.angle") - angle) > 0.01);
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-7 * sum.energy_peak);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == hash);
    machine_close(&m);
}

/* Three coordinates of a ball joint in space. */
static void test_locking_a_ball_joint(void **state)
{
    (void)state;
    machine m = start("tenon: 1\n"
                      "gravity: [0, 0, -9.81]\n"
                      "bodies: { top: { mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.3, 0, 0.1],\n"
                      "                 angular_velocity: [1, 2, 3] } }\n"
                      "joints: { ball: { type: spherical, between: [ground, top], at: [0, 0, 0] } }\n"
                      "solve: { tolerance: 1e-10, absolute_tolerance: 1e-12 }\n");
    machine_must(&m, tn_session_advance(m.session, 0.2));
    double x = value(&m, "top.position.x"), z = value(&m, "top.position.z");
    must_apply(&m, "{ lock: ball }");
    must_agree(&m);
    machine_must(&m, tn_session_advance(m.session, 2));
    assert_near(value(&m, "top.position.x"), x, 1e-8);
    assert_near(value(&m, "top.position.z"), z, 1e-8);
    assert_near(value(&m, "energy.kinetic"), 0, 1e-16);
    must_apply(&m, "{ unlock: ball }");
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_true(value(&m, "energy.kinetic") > 0.01);
    machine_close(&m);
}

/* The hinge goes elsewhere on both links, as they are now: positions stay, the impulse makes the points meet. */
static void test_moving_a_joint(void **state)
{
    (void)state;
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.7));
    double angle = value(&m, "a.angle"), x = value(&m, "b.position.x"), y = value(&m, "b.position.y");
    char command[120];
    snprintf(command, sizeof command, "{ move: { elbow: { at: [%.17g, %.17g] } } }", x, y);
    tn_ack ack = must_apply(&m, command);
    assert_string_equal(ack.text, "moved elbow");
    assert_near(ack.displacement, 0, 1e-12);
    assert_near(value(&m, "a.angle"), angle, 1e-12);
    assert_near(value(&m, "b.position.x"), x, 1e-12);
    must_agree(&m);
    double spin = value(&m, "b.angular_velocity");             /* the hinge is at its centre of mass: no torque on it */
    double radius = hypot(x, y);
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_near(value(&m, "b.angular_velocity"), spin, 1e-9);
    assert_near(hypot(value(&m, "b.position.x"), value(&m, "b.position.y")), radius, 1e-9);
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-7 * sum.energy_peak);
    machine_close(&m);
}

/* The elbow holds the lower link to the wall, where it is; the upper one swings alone, and may go. */
static void test_moving_a_joint_to_another_body(void **state)
{
    (void)state;
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.7));
    double x = value(&m, "b.position.x"), y = value(&m, "b.position.y"), upper = value(&m, "a.angular_velocity");
    double angle = value(&m, "a.angle"), hinge_x = cos(angle), hinge_y = sin(angle);
    must_apply(&m, "{ move: { elbow: { between: [ground, b] } } }");
    assert_near(value(&m, "b.position.x"), x, 1e-12);
    assert_near(value(&m, "a.angular_velocity"), upper, 1e-12);
    must_agree(&m);
    must_apply(&m, "{ remove: a }");
    must_agree(&m);
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_near(hypot(value(&m, "b.position.x") - hinge_x, value(&m, "b.position.y") - hinge_y),
                hypot(x - hinge_x, y - hinge_y), 1e-9);
    machine_must(&m, tn_session_undo(NULL, m.session, false));
    machine_must(&m, tn_session_undo(NULL, m.session, false));
    must_agree(&m);
    machine_close(&m);
}

/* Gears that were apart for many turns mesh again where they are: at most half a turn of the small one is between them.
 * Where a spring counts the turns, they are wound back instead. */
static void test_gears_mesh_again(void **state)
{
    (void)state;
    static const char *const springs[] = { "", ", s: { type: torsion-spring, joint: a, stiffness: 0.01 N m }" };
    for (int k = 0; k < 2; k++) {
        char text[900];
        snprintf(text, sizeof text, "tenon: 1\ndimension: 2\nbodies: { gear: { mass: 0.2, inertia: 4e-5 }, "
                 "wheel: { mass: 1.5, inertia: 2.7e-3 }, rack: { mass: 0.8, inertia: 1e-3 } }\n"
                 "joints: { a: { type: revolute, between: [ground, gear] }, b: { type: revolute, between: [ground, wheel] "
                 "}, c: { type: translational, between: [ground, rack] }, m: { type: gear, joints: [a, b], ratio: 3 }, "
                 "p: { type: rack-and-pinion, joints: [b, c], radius: 60 mm } }\n"
                 "forces: { motor: { type: torque, on: gear, value.z: -0.5 N m }%s }\nsolve: { step: 1 ms }\n", springs[k]);
        machine m = start(text);
        machine_must(&m, tn_session_advance(m.session, 0.1));
        must_apply(&m, "{ disable: m }");
        machine_must(&m, tn_session_advance(m.session, 0.1));
        double apart = value(&m, "a.angle") + 3 * value(&m, "b.angle"), wheel = value(&m, "b.angle");
        assert_true(apart < -12);
        must_apply(&m, "{ enable: m, closing: snap }");
        double turned = value(&m, "b.angle") - wheel, nearest = remainder(apart, 2 * acos(-1));
        double gear = 4e-5, others = (2.7e-3 + 0.8 * 0.06 * 0.06) / 9;
        assert_near(turned, (k == 0 ? -nearest : -apart) / 3 * gear / (gear + others), 1e-9);
        machine_must(&m, tn_session_advance(m.session, 0.3));
        assert_near(value(&m, "a.angle"), -3 * value(&m, "b.angle"), 1e-9);
        assert_near(value(&m, "c.position"), 0.06 * value(&m, "b.angle"), 1e-9);
        machine_close(&m);
    }
}

static void test_wrong_commands_change_nothing(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "{ lock: elbwo }", "{ lock: a }", "{ lock: motor }", "{ unlock: b }", "{ lock: { elbow: 1 } }",
        "{ move: { elbow: { at: [1] } } }", "{ move: { elbow: { to: [1, 2] } } }", "{ move: elbow }",
        "{ move: { elbow: { between: [a, a] } } }", "{ move: { elbow: { between: [a.end, b] } } }",
        "{ move: { elbow: { between: [a, nobody] } } }", "{ move: { motor: { at: [0, 0] } } }",
        "{ enable: motor, lock: pivot }",
    };
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    uint64_t hash = tn_session_hash(m.session);
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        size_t said = tn_diagnostics_count(m.context);
        if (tn_session_apply(NULL, m.session, commands[k]) >= 0)
            fail_msg("accepted: %s", commands[k]);
        assert_true(tn_diagnostics_count(m.context) > said);
        assert_true(tn_session_hash(m.session) == hash);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locking_is_an_impulse),
        cmocka_unit_test(test_locking_a_ball_joint),
        cmocka_unit_test(test_moving_a_joint),
        cmocka_unit_test(test_moving_a_joint_to_another_body),
        cmocka_unit_test(test_gears_mesh_again),
        cmocka_unit_test(test_wrong_commands_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
