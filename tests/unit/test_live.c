/* Edits while a model is being solved: what each does to the state. */
#include "edited.h"
#include <math.h>
#include "channels.h"

static const char PENDULUMS[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }\n"
    "  b: { mass: 2, inertia: 0.2, position: [1.5, 0], frames: { start: { at: [-0.5, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [a.end, b.start] }\n"
    "forces: { s: { type: spring, between: [ground, b], stiffness: 3, length: 0.5 } }\n"
    "outputs: [pivot.angle, elbow.angle, b.position]\n"
    "solve: { until: 5, integrator: dopri5, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n";

/* ---- nothing changes ---- */

static void test_no_op_edits_leave_the_motion_alone(void **state)
{
    (void)state;
    static const char *const commands[] = { "{ set: { s.stiffness: 3 N/m } }", 
                                            "{ enable: elbow }",
                                            "{ gravity: [0, -9.81] }", "{ solve: { tolerance: 1e-10 } }",
                                            "{ remove: [] }" };
    machine plain = start(PENDULUMS), edited = start(PENDULUMS);
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        machine_must(&plain, tn_session_advance(plain.session, 0.1));
        machine_must(&edited, tn_session_advance(edited.session, 0.1));
        assert_false(must_apply(&edited, commands[k]).changed);
        assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    }
    machine_must(&plain, tn_session_advance(plain.session, 1));
    machine_must(&edited, tn_session_advance(edited.session, 1));
    assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    machine_close(&plain);
    machine_close(&edited);
}

static void test_wrong_commands_change_nothing(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "", "[", "7", "{ remvoe: elbow }", "{ remove: elbwo }", "{ remove: ground }", "{ set: { s.stifness: 3 } }",
        "{ set: { s: 3 } }", "{ set: { s.stiffness: 3 s } }", "{ add: { bodies: { a: { mass: 1, inertia: 1 } } } }",
        "{ add: { joints: { c: { type: revolute, between: [ground, nobody] } } } }",
        "{ add: { joints: { c: { type: revolute, between: [ground, b.start] } } } }",
        "{ add: { tenon: 1 } }", "{ solve: { integrator: rk5 } }", "{ state: { pivot: { angel: 3 } } }",
        "{ remove: b, set: { s.stiffness: 3 } }",
    };
    machine plain = start(PENDULUMS), edited = start(PENDULUMS);
    machine_must(&plain, tn_session_advance(plain.session, 0.5));
    machine_must(&edited, tn_session_advance(edited.session, 0.5));
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        tn_ack ack;
        size_t said = tn_diagnostics_count(edited.context);
        if (tn_session_apply(&ack, edited.session, commands[k]) >= 0)
            fail_msg("accepted: %s", commands[k]);
        assert_true(tn_diagnostics_count(edited.context) > said);
        assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    }
    machine_must(&plain, tn_session_advance(plain.session, 0.5));
    machine_must(&edited, tn_session_advance(edited.session, 0.5));
    assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    machine_close(&plain);
    machine_close(&edited);
}

/* ---- cutting ---- */

static void test_cutting_a_joint_changes_no_position_or_velocity(void **state)
{
    (void)state;
    static const char *const channels[] = { "a.position.x", "a.angle", "a.velocity.y", "a.angular_velocity",
                                            "b.position.y", "b.velocity.x", "b.angular_velocity" };
    machine m = start(PENDULUMS);
    double before[TN_LENGTH(channels)];
    machine_must(&m, tn_session_advance(m.session, 0.7));
    for (size_t k = 0; k < TN_LENGTH(channels); k++)
        before[k] = value(&m, channels[k]);
    tn_ack ack = must_apply(&m, "{ remove: elbow }");
    assert_true(ack.changed);
    assert_string_equal(ack.text, "removed elbow");
    assert_near(ack.energy_change, 0, 1e-12);
    for (size_t k = 0; k < TN_LENGTH(channels); k++)
        assert_near(value(&m, channels[k]), before[k], 0);
    machine_close(&m);
}

/* After the cut each part is alone: the lower link flies, its spin and its momentum follow from gravity. */
static void test_parts_keep_their_momentum(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.9));
    must_apply(&m, "{ remove: [elbow, s] }");
    double vx = value(&m, "b.velocity.x"), vy = value(&m, "b.velocity.y"), w = value(&m, "b.angular_velocity");
    double x = value(&m, "b.position.x"), y = value(&m, "b.position.y"), t = 0.8;
    double spin = value(&m, "a.angular_velocity"), angle = value(&m, "a.angle");
    double upper = 0.5 * (0.1 + 0.25) * spin * spin + 9.81 * 0.5 * sin(angle);
    machine_must(&m, tn_session_advance(m.session, t));
    assert_near(value(&m, "b.velocity.x"), vx, 1e-12);
    assert_near(value(&m, "b.velocity.y"), vy - 9.81 * t, 1e-11);
    assert_near(value(&m, "b.angular_velocity"), w, 1e-12);
    assert_near(value(&m, "b.position.x"), x + vx * t, 1e-11);
    assert_near(value(&m, "b.position.y"), y + vy * t - 0.5 * 9.81 * t * t, 1e-11);
    spin = value(&m, "a.angular_velocity");
    angle = value(&m, "a.angle");
    assert_near(0.5 * (0.1 + 0.25) * spin * spin + 9.81 * 0.5 * sin(angle), upper, 1e-8);
    assert_true(isnan(m.session->channels->values[2]));          /* elbow.angle is gone from the samples */
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-8 * sum.energy_peak);
    machine_close(&m);
}

/* ---- joining ---- */

/* A rod that turns about one end is pinned at the other instead: omega+ = -omega-/2 (theory, 2003 paper). */
static void test_pinning_a_moving_end_is_an_impulse(void **state)
{
    (void)state;
    machine m = start("tenon: 1\n"
                      "dimension: 2\n"
                      "bodies: { rod: { mass: 3, inertia: 0.25, position: [0.5, 0], frames: { a: { at: [-0.5, 0] }, "
                      "b: { at: [0.5, 0] } } } }\n"
                      "joints: { pin_a: { type: revolute, between: [ground, rod.a], at: [0, 0] } }\n"
                      "initial: { pin_a: { rate: 2 } }\n"
                      "solve: { tolerance: 1e-13, absolute_tolerance: 1e-14 }\n");
    machine_must(&m, tn_session_advance(m.session, 0.4));
    double kinetic = value(&m, "energy.kinetic");
    tn_ack ack = must_apply(&m, "{ remove: pin_a, add: { joints: { pin_b: { type: revolute, between: [ground, rod], "
                                "at: [0.6967067093471654, 0.7173560908995228] } } } }");
    assert_near(value(&m, "rod.angular_velocity"), -1, 1e-12);
    assert_near(ack.energy_change, -0.75 * kinetic, 1e-12);
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_near(value(&m, "rod.angular_velocity"), -1, 1e-10);
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-10);
    machine_close(&m);
}

static void test_snap_closes_what_is_apart(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    must_apply(&m, "{ remove: elbow }");
    machine_must(&m, tn_session_advance(m.session, 0.05));
    tn_ack ack = must_apply(&m, "{ add: { joints: { again: { type: revolute, between: [a.end, b.start] } } }, "
                                "closing: snap }");
    assert_true(ack.displacement > 1e-3 && ack.displacement < 0.5);
    assert_near(value(&m, "again.drift"), 0, 1e-12);
    machine_close(&m);
}

static void test_a_replaced_body_may_stay(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    const double before[] = { value(&m, "a.angle"), value(&m, "a.position.x"), value(&m, "a.angular_velocity") };
    const char *const heavier = "{ replace: { bodies: { a: { mass: 4, inertia: 0.3, position: [0.5, 0], "
                                "frames: { end: { at: [0.5, 0] } } } } }, stay: yes }";
    tn_ack ack = must_apply(&m, heavier);
    assert_true(ack.displacement == 0);
    assert_true(value(&m, "a.angle") == before[0] && value(&m, "a.position.x") == before[1] &&
                value(&m, "a.angular_velocity") == before[2]);
    assert_true(value(&m, "elbow.drift") < 1e-9);
    char *text;
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "mass: 4"));
    assert_non_null(strstr(text, "position: [0.5, 0]"));
    assert_non_null(strstr(text, "elbow: { type: revolute, between: [a.end, b.start] }"));
    free(text);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_true(tn_session_summary(m.session).energy_error < 1e-6);
    machine_close(&m);
}

static void test_redundant_joints_are_accepted(void **state)
{
    (void)state;
    machine m = start("tenon: 1\n"
                      "gravity: [0, 0, -9.81]\n"
                      "bodies: { door: { mass: 10, inertia: [1, 1, 1], position: [0.5, 0, 0] } }\n"
                      "joints: { low: { type: revolute, between: [ground, door], at: [0, 0, -0.5], axis: z } }\n"
                      "initial: { low: { rate: 1 } }\n"
                      "solve: { tolerance: 1e-12, absolute_tolerance: 1e-13 }\n");
    machine_must(&m, tn_session_advance(m.session, 0.3));
    double w = value(&m, "door.angular_velocity.z");
    tn_ack ack = must_apply(&m, "{ add: { joints: { high: { type: revolute, between: [ground, door], at: [0, 0, 0.5], "
                                "axis: z } } } }");
    assert_non_null(strstr(ack.text, "5 of the equations are redundant"));
    assert_near(value(&m, "door.angular_velocity.z"), w, 1e-12);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_near(value(&m, "door.angular_velocity.z"), w, 1e-10);
    machine_close(&m);
}

/* ---- changing ---- */

static void test_settings_and_parameters(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    double stretch = value(&m, "s.length") - 0.5;
    tn_ack ack = must_apply(&m, "{ set: { s.stiffness: 5 N/m } }");
    assert_near(ack.energy_change, stretch * stretch, 1e-12);
    must_apply(&m, "{ set: { s.stiffness: \"5 N/m + 1 N/m * sin(3 * t)\" } }");
    must_apply(&m, "{ gravity: [0, -1.6] }");
    must_apply(&m, "{ solve: { integrator: rk4, step: 1 ms } }");
    assert_string_equal(tn_session_solve(m.session).integrator, "rk4");
    must_apply(&m, "{ disable: s }");
    machine_must(&m, tn_session_advance(m.session, 0.3));
    must_apply(&m, "{ enable: s }");
    must_apply(&m, "{ state: { pivot: { angle: 0.5, rate: 0 }, elbow: { angle: 0.1, rate: 0 } } }");
    assert_near(value(&m, "pivot.angle"), 0.5, 1e-12);
    assert_near(value(&m, "elbow.angle.rate"), 0, 1e-12);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_true(tn_session_summary(m.session).energy_error < 1e-6);
    machine_close(&m);
}

/* What 'state' gives holds exactly, for bodies as for joints; the rest follows; what contradicts itself is refused. */
static void test_state_holds(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{ state: { pivot: { rate: 5 }, a: { angular_velocity: 4 } } }", "{ state: { a: { position: [0.6, 0] } } }",
        "{ state: { a: { angle: 0.3 }, b: { angle: 1 }, elbow: { angle: 0.2 } } }",
    };
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    must_apply(&m, "{ state: { a: { angular_velocity: 5 } } }");
    assert_near(value(&m, "a.angular_velocity"), 5, 1e-10);
    must_apply(&m, "{ state: { a: { angular_velocity: 2 }, b: { angular_velocity: 0 } } }");
    assert_near(value(&m, "a.angular_velocity"), 2, 1e-10);
    assert_near(value(&m, "b.angular_velocity"), 0, 1e-10);
    must_apply(&m, "{ state: { a: { angle: 0.7 } } }");
    assert_near(value(&m, "a.angle"), 0.7, 1e-10);
    assert_near(value(&m, "pivot.angle"), 0.7, 1e-10);
    for (size_t k = 0; k < TN_LENGTH(wrong); k++) {
        tn_ack ack;
        if (tn_session_apply(&ack, m.session, wrong[k]) >= 0)
            fail_msg("accepted: %s", wrong[k]);
    }
    assert_near(value(&m, "a.angle"), 0.7, 1e-10);
    machine_close(&m);
}

/* What 'state' does not give follows by the least change of the present motion: the rate of a joint and the angular velocity of
 * its body, which are the same here, lead to the same motion; a body that flies goes on flying; only the present command
 * gives values. Undo leads back to the bit. */
static void test_state_changes_least(void **state)
{
    (void)state;
    tn_ack ack;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t before = tn_session_hash(m.session);
    must_apply(&m, "{ state: { pivot: { rate: 5 } } }");
    double follows = value(&m, "b.angular_velocity"), y = value(&m, "b.velocity.y");
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    must_apply(&m, "{ state: { a: { angular_velocity: 5 } } }");
    assert_near(value(&m, "b.angular_velocity"), follows, 1e-10);
    assert_near(value(&m, "b.velocity.y"), y, 1e-10);
    must_apply(&m, "{ state: { b: { angular_velocity: 1 } } }");
    assert_near(value(&m, "b.angular_velocity"), 1, 1e-10);
    assert_true(fabs(value(&m, "a.angular_velocity") - 5) > 0.01);
    must_apply(&m, "{ remove: elbow }");
    double x = value(&m, "b.velocity.x");
    y = value(&m, "b.velocity.y");
    must_apply(&m, "{ state: { b: { angular_velocity: 7 } } }");
    assert_near(value(&m, "b.velocity.x"), x, 1e-14);
    assert_near(value(&m, "b.velocity.y"), y, 1e-14);
    assert_true(tn_session_apply(&ack, m.session, "{ state: { pivot: { rate: 5 }, a: { angular_velocity: 4 } } }") < 0);
    const char *said = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    assert_non_null(strstr(said, "'pivot'"));
    assert_non_null(strstr(said, "'a'"));
    assert_non_null(strstr(said, "off by 1 rad/s"));
    machine_close(&m);
}

/* A command knows the model's parameters, whatever was edited before. A rod of negative length is refused. */
static void test_parameters_are_known(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\ndimension: 2\nparameters: { k: 3 N/m }\nbodies: { a: { mass: 1, inertia: 0.1, position: [1, 0] } }\n"
                               "joints: { r: { type: rod, between: [ground, a], length: 1 } }\n"
                               "forces: { s: { type: spring, between: [ground, a], stiffness: k, length: 0.2 } }\nsolve: { until: 1 }\n";
    static const char *const edits[] = {
        "{ gravity: [0, -3] }", "{ set: { a.mass: 3 } }", "{ add: { bodies: { b: { mass: 1, inertia: 1 } } } }", "{ remove: b }",
        "{ parameters: { k: 5 N/m } }", "{ state: { a: { angular_velocity: 2 } } }", "{ solve: { tolerance: 1e-7 } }", "undo",
    };
    tn_ack ack;
    machine m = start(text);
    double k = 3;
    for (size_t e = 0; e <= TN_LENGTH(edits); e++) {
        must_apply(&m, "{ set: { s.stiffness: 2 * k + 1 N/m } }");
        machine_must(&m, tn_session_advance(m.session, 0.01));
        double stretch = value(&m, "a.position.x"), y = value(&m, "a.position.y");
        stretch = sqrt(stretch * stretch + y * y) - 0.2;
        assert_near(fabs(value(&m, "s.tension")), (2 * k + 1) * stretch, 1e-9);
        if (e < TN_LENGTH(edits) && strcmp(edits[e], "undo") == 0)
            machine_must(&m, tn_session_undo(NULL, m.session, false));
        else if (e < TN_LENGTH(edits))
            must_apply(&m, edits[e]);
        if (e == 4)
            k = 5;
    }
    assert_true(tn_session_apply(&ack, m.session, "{ set: { r.length: -1 m } }") < 0);
    assert_true(tn_session_apply(&ack, m.session, "{ add: { joints: { q: { type: rod, between: [ground, a], length: 0 } } } }") < 0);
    const char *said = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    assert_non_null(strstr(said, "'length' must be positive"));
    machine_close(&m);
}

static void test_definitions_are_replaced(void **state)
{
    (void)state;
    tn_ack ack;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    double x = value(&m, "b.position.x");
    must_apply(&m, "{ replace: { forces: { s: { type: spring, between: [ground, a], stiffness: 8, length: 1 } } } }");
    assert_near(value(&m, "b.position.x"), x, 0);
    assert_near(value(&m, "s.length"), hypot(value(&m, "a.position.x"), value(&m, "a.position.y")), 1e-12);
    must_apply(&m, "{ replace: { joints: { elbow: { type: fixed, between: [a, b], at: [1, 0] } } } }");
    assert_near(value(&m, "a.angular_velocity"), value(&m, "b.angular_velocity"), 1e-12);
    assert_int_equal(tn_session_apply(&ack, m.session,
                                      "{ replace: { forces: { t: { type: spring, between: [ground, a], "
                                      "stiffness: 8, length: 1 } } } }"), TN_ERROR_MODEL);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_true(tn_session_summary(m.session).energy_error < 1e-8);
    machine_close(&m);
}

static void test_bodies_come_and_go(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    must_apply(&m, "{ add: { bodies: { c: { mass: 1, inertia: 0.1, position: [3, 1] } }, "
                   "forces: { link: { type: spring, between: [b, c], stiffness: 10, length: 1 } } } }");
    machine_must(&m, tn_session_advance(m.session, 0.3));
    must_apply(&m, "{ remove: b }");                   /* with elbow, s and link */
    assert_int_equal(tn_model_find(tn_session_model(m.session), "link").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_count(tn_session_model(m.session), TN_KIND_BODY), 2);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_int_equal(tn_model_count(m.model, TN_KIND_BODY), 2);        /* the caller's model is what it was */
    assert_true(tn_session_summary(m.session).energy_error < 1e-8);
    machine_close(&m);
}

/* ---- undo ---- */

static void test_undo_restores_to_the_bit(void **state)
{
    (void)state;
    machine m = start(PENDULUMS), other = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    machine_must(&other, tn_session_advance(other.session, 0.4));
    uint64_t before = tn_session_hash(m.session);
    must_apply(&m, "{ remove: b }");
    machine_must(&m, tn_session_advance(m.session, 0.4));
    uint64_t later = tn_session_hash(m.session);
    tn_ack ack;
    machine_must(&m, tn_session_undo(&ack, m.session, true));
    assert_near(ack.time, 0.4, 1e-12);
    assert_true(tn_session_hash(m.session) == before);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    machine_must(&other, tn_session_advance(other.session, 0.4));
    assert_true(tn_session_hash(m.session) == tn_session_hash(other.session));
    machine_must(&m, tn_session_redo(&ack, m.session, true));
    assert_true(tn_session_hash(m.session) == later);
    machine_must(&m, tn_session_undo(&ack, m.session, true));
    assert_int_equal(tn_session_undo(&ack, m.session, true), TN_ERROR_ARGUMENT);
    machine_close(&m);
    machine_close(&other);
}

static void test_undo_may_keep_the_time(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    must_apply(&m, "{ gravity: [0, 0] }");
    machine_must(&m, tn_session_advance(m.session, 0.4));
    double x = value(&m, "b.position.x"), w = value(&m, "b.angular_velocity");
    tn_ack ack;
    machine_must(&m, tn_session_undo(&ack, m.session, false));
    assert_near(tn_session_time(m.session), 0.8, 1e-12);
    assert_near(value(&m, "b.position.x"), x, 0);
    assert_near(value(&m, "b.angular_velocity"), w, 0);
    double gravity[3];
    tn_model_gravity(gravity, tn_session_model(m.session));
    assert_near(gravity[1], -9.81, 0);
    machine_close(&m);
}

/* The moves of a slider, while the motion goes on, are one edit; another value, or a move without "more", is another. */
static void test_moves_of_a_slider_are_one_edit(void **state)
{
    (void)state;
    machine m = start(PENDULUMS);
    tn_ack ack;
    machine_must(&m, tn_session_advance(m.session, 0.2));
    double length = value(&m, "b.position.x");
    uint64_t before = tn_session_hash(m.session);
    must_apply(&m, "{ set: { s.stiffness: 11 } }");
    for (int k = 12; k < 20; k++) {
        char command[80];
        snprintf(command, sizeof command, "{ set: { s.stiffness: %d }, more: yes }", k);
        machine_must(&m, tn_session_advance(m.session, 0.01));
        must_apply(&m, command);
    }
    machine_must(&m, tn_session_undo(&ack, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    assert_near(value(&m, "b.position.x"), length, 0);
    assert_int_equal(tn_session_undo(&ack, m.session, true), TN_ERROR_ARGUMENT);
    must_apply(&m, "{ set: { s.stiffness: 30 } }");
    must_apply(&m, "{ set: { s.damping: 2 }, more: yes }");            /* another value */
    machine_must(&m, tn_session_undo(&ack, m.session, false));
    machine_must(&m, tn_session_undo(&ack, m.session, false));
    assert_int_equal(tn_session_undo(&ack, m.session, false), TN_ERROR_ARGUMENT);
    must_apply(&m, "{ gravity: [0, -1] }");                            /* gravity in place, then a model of its own */
    must_apply(&m, "{ solve: { tolerance: 1e-6 } }");
    must_apply(&m, "{ solve: { tolerance: 1e-7 }, more: yes }");
    machine_must(&m, tn_session_undo(&ack, m.session, false));
    machine_must(&m, tn_session_undo(&ack, m.session, false));
    assert_int_equal(tn_session_undo(&ack, m.session, false), TN_ERROR_ARGUMENT);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_op_edits_leave_the_motion_alone),
        cmocka_unit_test(test_wrong_commands_change_nothing),
        cmocka_unit_test(test_cutting_a_joint_changes_no_position_or_velocity),
        cmocka_unit_test(test_parts_keep_their_momentum),
        cmocka_unit_test(test_pinning_a_moving_end_is_an_impulse),
        cmocka_unit_test(test_snap_closes_what_is_apart),
        cmocka_unit_test(test_redundant_joints_are_accepted),
        cmocka_unit_test(test_settings_and_parameters),
        cmocka_unit_test(test_state_holds),
        cmocka_unit_test(test_state_changes_least),
        cmocka_unit_test(test_parameters_are_known),
        cmocka_unit_test(test_definitions_are_replaced),
        cmocka_unit_test(test_bodies_come_and_go),
        cmocka_unit_test(test_undo_restores_to_the_bit),
        cmocka_unit_test(test_undo_may_keep_the_time),
        cmocka_unit_test(test_a_replaced_body_may_stay),
        cmocka_unit_test(test_moves_of_a_slider_are_one_edit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
