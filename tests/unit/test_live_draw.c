/* New joints that are drawn together in the course of time: "closing: { draw: 0.5 s }". */
#include "edited.h"
#include "replayed.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "session_impl.h"
#include "tenon/history.h"

static tn_id joint_of(const machine *m, const char *name)
{
    return tn_model_find(tn_session_model(m->session), name);
}

static machine two_blocks(double mass)
{
    machine m = machine_format("tenon: 1\n"
                               "dimension: 2\n"
                               "bodies:\n"
                               "  a: { mass: %g, inertia: %g, velocity: [0.5, 0], angular_velocity: 1 }\n"
                               "  b: { mass: %g, inertia: %g, position: [3, 1], velocity: [0, 0.3],\n"
                               "       frames: { left: { at: [-1, 0] } } }\n"
                               "solve: { tolerance: 1e-11, absolute_tolerance: 1e-13 }\n",
                               mass, 0.1 * mass, 2 * mass, 0.3 * mass);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static const char HINGE[] = "{ add: { joints: { pin: { type: revolute, between: [a, b.left] } } }, "
                            "closing: { draw: 0.5 s } }";

/* Where b.left is, seen from a, and how fast it moves there. */
static void gap_of(machine *m, double gap[2], double rate[2])
{
    double angle = value(m, "b.angle"), turn = value(m, "b.angular_velocity");
    double x = value(m, "b.position.x") - cos(angle) - value(m, "a.position.x");
    double y = value(m, "b.position.y") - sin(angle) - value(m, "a.position.y");
    double vx = value(m, "b.velocity.x") + turn * sin(angle) - value(m, "a.velocity.x");
    double vy = value(m, "b.velocity.y") - turn * cos(angle) - value(m, "a.velocity.y");
    double own = value(m, "a.angle"), w = value(m, "a.angular_velocity"), c = cos(own), s = sin(own);
    gap[0] = c * x + s * y;
    gap[1] = c * y - s * x;
    rate[0] = c * (vx + w * y) + s * (vy - w * x);
    rate[1] = c * (vy - w * x) - s * (vx + w * y);
}

/* The gap goes to zero on one curve, whatever the masses are; nothing jumps; momentum is that of before. */
static void test_light_and_heavy_bodies_close_alike(void **state)
{
    (void)state;
    static const double masses[] = { 1e-3, 1, 1e3 };
    for (size_t k = 0; k < TN_LENGTH(masses); k++) {
        machine m = two_blocks(masses[k]);
        machine_must(&m, tn_session_advance(m.session, 0.4));
        double px = value(&m, "momentum.linear.x"), py = value(&m, "momentum.linear.y");
        double spin = value(&m, "momentum.angular"), x = value(&m, "a.position.x"), v = value(&m, "b.velocity.y");
        double begin[2], rate[2], gap[2], later[2];
        gap_of(&m, begin, rate);
        tn_ack ack = must_apply(&m, HINGE);
        assert_near(ack.energy_change, 0, 0);
        assert_near(ack.displacement, 0, 0);
        assert_near(value(&m, "a.position.x"), x, 0);
        assert_near(value(&m, "b.velocity.y"), v, 0);
        assert_near(tn_session_closing(m.session, joint_of(&m, "pin")), 0.5, 1e-15);
        machine_must(&m, tn_session_advance(m.session, 0.25));
        gap_of(&m, gap, later);
        for (int i = 0; i < 2; i++)                            /* half-way: g / 2 + 5/32 of the way the rate would go */
            assert_near(gap[i], 0.5 * begin[i] + 5.0 / 32 * 0.5 * rate[i], 1e-9);
        assert_near(tn_session_closing(m.session, joint_of(&m, "pin")), 0.25, 1e-12);
        machine_must(&m, tn_session_advance(m.session, 0.5));
        gap_of(&m, gap, later);
        assert_near(hypot(gap[0], gap[1]), 0, 1e-10);
        assert_near(hypot(later[0], later[1]), 0, 1e-10);
        assert_near(tn_session_closing(m.session, joint_of(&m, "pin")), 0, 0);
        assert_near(value(&m, "momentum.linear.x"), px, 1e-9 * masses[k]);
        assert_near(value(&m, "momentum.linear.y"), py, 1e-9 * masses[k]);
        assert_near(value(&m, "momentum.angular"), spin, 1e-8 * masses[k]);
        assert_int_equal(tn_session_fired_count(m.session), 1);
        assert_string_equal(tn_session_fired(m.session, 0).event, "pin.closed");
        assert_near(tn_session_fired(m.session, 0).time, 0.9, 1e-12);
        tn_summary sum = tn_session_summary(m.session);
        assert_true(sum.energy_error < 1e-8 * sum.energy_peak);
        machine_close(&m);
    }
}

/* A weld in space: three shifts and three turns. */
static void test_turns_are_closed_too(void **state)
{
    (void)state;
    machine m = start("tenon: 1\n"
                      "bodies:\n"
                      "  a: { mass: 1, inertia: [0.1, 0.2, 0.15], angular_velocity: [0.2, 0.1, -0.3],\n"
                      "       frames: { side: { at: [0.3, 0.1, 0] } } }\n"
                      "  b: { mass: 2, inertia: [0.2, 0.2, 0.3], position: [1, 2, 0.5],\n"
                      "       rotation: { axis: [1, 1, 0], angle: 50 deg } }\n"
                      "solve: { tolerance: 1e-10, absolute_tolerance: 1e-12 }\n");
    machine_must(&m, tn_session_advance(m.session, 0.1));
    double spin = value(&m, "momentum.angular.z"), tilt = value(&m, "momentum.angular.x");
    must_apply(&m, "{ add: { joints: { weld: { type: fixed, between: [a.side, b] } } }, closing: { draw: 1 s } }");
    machine_must(&m, tn_session_advance(m.session, 1.5));
    tn_pose a, b;
    machine_must(&m, tn_session_pose(&a, m.session, joint_of(&m, "a")));
    machine_must(&m, tn_session_pose(&b, m.session, joint_of(&m, "b")));
    const tn_pose side = { { 0.3, 0.1, 0 }, { 1, 0, 0, 0 } };
    a = tn_pose_compose(&a, &side);
    for (int k = 0; k < 3; k++)
        assert_near(a.p[k], b.p[k], 1e-9);
    double same = 0;
    for (int k = 0; k < 4; k++)
        same += a.q[k] * b.q[k];
    assert_near(fabs(same), 1, 1e-12);
    assert_near(value(&m, "momentum.angular.z"), spin, 1e-8);
    assert_near(value(&m, "momentum.angular.x"), tilt, 1e-8);
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-7 * sum.energy_peak);
    machine_close(&m);
}

static const char PENDULUM[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [1, 0], frames: { end: { at: [1, 0] } } }\n"
    "  b: { mass: 1, inertia: 0.1, position: [3, 0], frames: { start: { at: [-1, 0] }, end: { at: [1, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [a.end, b.start] }\n"
    "solve: { tolerance: 1e-10, absolute_tolerance: 1e-12 }\n";
static const char TIE[] = "{ add: { bodies: { ground: { frames: { hook: { at: [1, -2] } } } }, "
                          "joints: { tie: { type: revolute, between: [ground.hook, b.end] } } }, closing: { draw: 1 s } }";

/* Within a mechanism, under gravity; edits in between leave it alone. */
static void test_drawing_within_a_mechanism(void **state)
{
    (void)state;
    machine m = start(PENDULUM);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    must_apply(&m, TIE);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    double x = value(&m, "b.position.x"), v = value(&m, "b.velocity.x");
    must_apply(&m, "{ gravity: [0, -5] }");
    assert_near(value(&m, "b.position.x"), x, 0);
    assert_near(value(&m, "b.velocity.x"), v, 0);
    assert_near(tn_session_closing(m.session, joint_of(&m, "tie")), 0.6, 1e-12);
    char *text = NULL;
    machine_must(&m, tn_session_text(&text, m.session));
    machine_must(&m, tn_session_set_text(NULL, m.session, text));
    tn_text_free(m.context, text);
    assert_near(tn_session_closing(m.session, joint_of(&m, "tie")), 0.6, 1e-12);
    machine_must(&m, tn_session_advance(m.session, 1));
    double angle = value(&m, "b.angle");
    assert_near(value(&m, "b.position.x") + cos(angle), 1, 1e-9);
    assert_near(value(&m, "b.position.y") + sin(angle), -2, 1e-9);
    must_apply(&m, "{ gravity: [0, -9.81] }");
    assert_near(tn_session_closing(m.session, joint_of(&m, "tie")), 0, 0);
    must_apply(&m, "{ disable: elbow }");              /* an edit that compiles forgets it */
    assert_int_equal(m.session->overlay.closings.count, 0);
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-7 * sum.energy_peak);
    machine_close(&m);
}

static void test_removing_cancels(void **state)
{
    (void)state;
    machine m = two_blocks(1);
    must_apply(&m, HINGE);
    machine_must(&m, tn_session_advance(m.session, 0.2));
    double v = value(&m, "a.velocity.x"), w = value(&m, "b.angular_velocity");
    must_apply(&m, "{ remove: pin }");
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_near(value(&m, "a.velocity.x"), v, 1e-12);
    assert_near(value(&m, "b.angular_velocity"), w, 1e-12);
    assert_int_equal(tn_session_fired_count(m.session), 0);
    machine_close(&m);
}

/* Enabling and moving may draw, too; without, the rest of a closing is a gap. */
static void test_enabling_may_draw(void **state)
{
    (void)state;
    machine m = start(PENDULUM);
    must_apply(&m, "{ disable: elbow }");
    machine_must(&m, tn_session_advance(m.session, 0.5));
    assert_int_equal(tn_session_apply(NULL, m.session, "{ enable: elbow }"), TN_ERROR_ASSEMBLY);
    must_apply(&m, "{ enable: elbow, closing: { draw: 300 ms } }");
    machine_must(&m, tn_session_advance(m.session, 0.1));
    must_apply(&m, "{ disable: elbow }");
    assert_int_equal(tn_session_apply(NULL, m.session, "{ enable: elbow }"), TN_ERROR_ASSEMBLY);
    must_apply(&m, "{ enable: elbow, closing: { draw: 300 ms } }");
    machine_must(&m, tn_session_advance(m.session, 0.5));
    assert_true(value(&m, "elbow.drift") < 1e-9);
    machine_close(&m);
}

static void test_undo_save_and_replay(void **state)
{
    (void)state;
    char folder[] = "/tmp/tenon-draw-XXXXXX", journal[80], saved[80];
    assert_non_null(mkdtemp(folder));
    snprintf(journal, sizeof journal, "%s/journal", folder);
    snprintf(saved, sizeof saved, "%s/run.tenon", folder);
    machine m = start(PENDULUM);
    machine_must(&m, tn_session_journal(m.session, journal));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t before = tn_session_hash(m.session);
    must_apply(&m, TIE);
    machine_must(&m, tn_session_advance(m.session, 0.2));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    machine_must(&m, tn_session_redo(NULL, m.session, true));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    machine_must(&m, tn_session_save(m.session, saved));
    machine_must(&m, tn_session_advance(m.session, 1));
    uint64_t hash = tn_session_hash(m.session);
    tn_session *loaded = NULL;
    machine_must(&m, tn_session_load(&loaded, m.context, saved));
    machine_must(&m, tn_session_advance(loaded, 1));
    assert_true(tn_session_hash(loaded) == hash);
    tn_session_close(loaded);
    machine_close(&m);
    assert_replays(journal);
    unlink(journal);
    unlink(saved);
    rmdir(folder);
}

/* Every scheme and integrator keeps to the curve. */
static void test_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "{ solve: { integrator: rk4, step: 2 ms } }", "{ solve: { integrator: generalized-alpha, step: 1 ms } }",
        "{ solve: { solver: augmented } }", "{ solve: { scheme: baumgarte, step: 1 ms } }",
    };
    for (size_t k = 0; k < TN_LENGTH(methods); k++) {
        machine m = start(PENDULUM);
        must_apply(&m, methods[k]);
        machine_must(&m, tn_session_advance(m.session, 0.3));
        must_apply(&m, TIE);
        machine_must(&m, tn_session_advance(m.session, 1.2));
        double angle = value(&m, "b.angle");
        assert_near(value(&m, "b.position.x") + cos(angle), 1, 1e-3);
        assert_near(value(&m, "b.position.y") + sin(angle), -2, 1e-3);
        machine_close(&m);
    }
}

/* Applies a command that must be refused with a message that contains the words, and change nothing. */
static void must_refuse(machine *m, const char *command, const char *words)
{
    uint64_t hash = tn_session_hash(m->session);
    size_t before = tn_diagnostics_count(m->context);
    assert_int_equal(tn_session_apply(NULL, m->session, command), TN_ERROR_ASSEMBLY);
    assert_int_equal(tn_diagnostics_count(m->context), before + 1);
    const char *message = tn_diagnostics_get(m->context, before)->message;
    if (!strstr(message, words))
        fail_msg("no \"%s\" in: %s", words, message);
    assert_true(tn_session_hash(m->session) == hash);
}

/* Draws the end of a swinging double pendulum to points 1 m around it. What is within its reach of 4 m closes without
 * gaining energy by it, however fast the end moves away at the beginning; what is not is refused. */
static void test_within_reach_or_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++) {
        machine m = start(PENDULUM);
        machine_must(&m, tn_session_advance(m.session, 0.3 + 0.8 * (k / 8)));
        double angle = value(&m, "b.angle"), toward = k * 0.25 * acos(-1);
        double x = value(&m, "b.position.x") + cos(angle) + cos(toward);
        double y = value(&m, "b.position.y") + sin(angle) + sin(toward);
        char command[300];
        snprintf(command, sizeof command, "{ add: { bodies: { ground: { frames: { hook: { at: [%.17g, %.17g] } } } }, "
                 "joints: { tie: { type: revolute, between: [ground.hook, b.end] } } }, closing: { draw: 1 s } }", x, y);
        if (hypot(x, y) > 4)
            must_refuse(&m, command, "joint 'tie' is");
        else {
            double peak = tn_session_summary(m.session).energy_peak;
            must_apply(&m, command);
            machine_must(&m, tn_session_advance(m.session, 1.2));
            assert_true(tn_session_summary(m.session).energy_peak < 2 * peak);
            assert_true(value(&m, "tie.drift") < 1e-9);
        }
        machine_close(&m);
    }
}

/* A closing that is far too fast is refused; the duration that the message proposes is accepted. */
static void test_too_fast(void **state)
{
    (void)state;
    machine m = two_blocks(1);
    const char *command = "{ add: { joints: { pin: { type: revolute, between: [a, b.left] } } }, closing: { draw: %g s } }";
    char text[200];
    snprintf(text, sizeof text, command, 5e-3);
    must_refuse(&m, text, "J, more than 20 times the energy scale");
    const char *message = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    double enough = strtod(strstr(message, "draw: ") + 6, NULL);
    assert_true(enough > 0.02 && enough < 1);
    snprintf(text, sizeof text, command, enough);
    must_apply(&m, text);
    machine_must(&m, tn_session_advance(m.session, 1.1 * enough));
    assert_near(tn_session_closing(m.session, joint_of(&m, "pin")), 0, 0);
    machine_close(&m);
}

/* A double pendulum that has to pass through its stretched position on the way: the energy is watched, and undo leads back. */
static void test_energy_is_watched(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                      "  a: { mass: 0.826, inertia: 0.1, com: [0.5, 0], angle: 0.555845464, frames: { end: { at: [1, 0] } } }\n"
                      "  b: { mass: 2.475, inertia: 0.1, com: [0.5, 0], position: [0.849454625, 0.527661672], angle: 2.49566887,\n"
                      "       frames: { end: { at: [1, 0] } } }\n"
                      "joints: { p: { type: revolute, between: [ground, a] }, q: { type: revolute, between: [a.end, b] } }\n"
                      "initial: { p: { rate: 1.294 }, q: { rate: 1.690 } }\nsolve: { until: 3, tolerance: 1e-8 }\n");
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t hash = tn_session_hash(m.session);
    must_apply(&m, "{ add: { bodies: { ground: { frames: { hook: { at: [1.85235, -0.36243] } } } }, "
                   "joints: { tie: { type: revolute, between: [ground.hook, b.end] } } }, closing: { draw: 0.5 s } }");
    assert_int_equal(tn_session_advance(m.session, 0.6), TN_ERROR_STEP);
    const char *said = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    assert_non_null(strstr(said, "joint 'tie' is being drawn together"));
    assert_non_null(strstr(said, "cannot follow"));
    tn_diagnostics_clear(m.context);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == hash);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    machine_close(&m);
}

/* A damper takes up what the closing puts in: kinetic energy stays small, force and power do not. With a damper a ten-thousandth as
 * strong the joint closes. A spring that is stretched on the way may store as much. */
static void test_force_is_watched(void **state)
{
    (void)state;
    static const struct { const char *force; bool stops; } cases[] = {
        { "stiffness: 0, damping: 100 kN s/m", true }, { "stiffness: 0, damping: 10 N s/m", false }, { "stiffness: 100 kN/m", false }
    };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        char text[600];
        snprintf(text, sizeof text, "tenon: 1\ndimension: 2\nbodies:\n  ground: { frames: { post: { at: [-1, 0] }, hook: { at: [0.5, 0] } } }\n"
                 "  m: { mass: 1, inertia: 1 }\njoints: { s: { type: translational, between: [ground, m] } }\n"
                 "forces: { f: { type: spring, between: [ground.post, m], length: 1, %s } }\nsolve: { until: 3 }\n", cases[k].force);
        machine m = start(text);
        must_apply(&m, "{ add: { joints: { tie: { type: pin-in-slot, between: [ground.hook, m], axis: y } } }, closing: { draw: 0.5 s } }");
        const int code = tn_session_advance(m.session, 0.6);
        assert_int_equal(code < 0, cases[k].stops);
        if (cases[k].stops) {
            const char *said = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
            assert_non_null(strstr(said, "joint 'tie' is being drawn together"));
            assert_true(strstr(said, "its force has become") || strstr(said, "its power has become"));
            tn_diagnostics_clear(m.context);
        } else
            assert_near(value(&m, "m.position.x"), 0.5, 1e-9);
        machine_close(&m);
    }
}


static void test_wrong_closings(void **state)
{
    (void)state;
    static const char *const closings[] = { "{ draw: -1 s }", "{ draw: 0 s }", "{ draw: 1 m }", "{ drow: 1 s }", "{}",
                                            "draw", "{ draw: [1] }" };
    machine m = start(PENDULUM);
    uint64_t hash = tn_session_hash(m.session);
    for (size_t k = 0; k < TN_LENGTH(closings); k++) {
        char command[100];
        snprintf(command, sizeof command, "{ remove: elbow, closing: %s }", closings[k]);
        if (tn_session_apply(NULL, m.session, command) >= 0)
            fail_msg("accepted: %s", command);
        assert_true(tn_session_hash(m.session) == hash);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_and_heavy_bodies_close_alike),
        cmocka_unit_test(test_turns_are_closed_too),
        cmocka_unit_test(test_drawing_within_a_mechanism),
        cmocka_unit_test(test_removing_cancels),
        cmocka_unit_test(test_enabling_may_draw),
        cmocka_unit_test(test_force_is_watched),
        cmocka_unit_test(test_undo_save_and_replay),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_within_reach_or_refused),
        cmocka_unit_test(test_too_fast),
        cmocka_unit_test(test_energy_is_watched),
        cmocka_unit_test(test_wrong_closings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
